"""Where the verbs have report messages made: COA by a put, COD by a get, expiration by whatever
removes an expired message.

`REPORTS` in the flags of a message says whether its Report asks for any, so that other messages pay
one test of a number. What answers is `reports`, which puts messages itself and so stands above the
verbs that call this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

if TYPE_CHECKING:
    from ternmq.kernel.connection import Connection, Handle
    from ternmq.kernel.objects import LocalQueue
    from ternmq.kernel.report_message import ReportMessage
    from ternmq.kernel.requests import GetCall
    from ternmq.store.queue import Queue
    from ternmq.store.segment import Segment
    from ternmq.txn.unit import UnitOfWork
    from ternmq.values.entry import Entry


class ReportSink:
    """What the verbs ask for. This one makes no reports."""

    def __init__(self) -> None:
        # Whether the last exception or expiration report that was asked for went nowhere.
        self.was_lost = False

    def of_activity(
        self, connection: Connection, unit: UnitOfWork | None, report: ReportMessage
    ) -> bool:
        """Put a report on what a channel has done with a message, in that unit of work or in one of
        its own; False: parked."""
        return True

    def of_arrival(
        self,
        handle: Handle,
        local: LocalQueue,
        unit: UnitOfWork | None,
        entry: Entry,
        copies: i64,
    ) -> UnitOfWork | None:
        """Put the COA report, if the message asks for one. The unit of work to put the message in:
        the given one, or one of the report and the message only, to be ended with `commit`. Nothing
        is done if the connection is parked afterwards."""
        return unit

    def of_delivery(
        self, call: GetCall, local: LocalQueue, unit: UnitOfWork | None, entry: Entry
    ) -> UnitOfWork | None:
        """The same for COD and the unit of work to get the message in."""
        return unit

    def confirms(self, local: LocalQueue, entry: Entry) -> bool:
        """Whether a get of this message from this queue makes a COD report."""
        return False

    def of_whole(self, call: GetCall, local: LocalQueue, unit: UnitOfWork, entry: Entry) -> bool:
        """Put the one COD report of a complete message, whose segments are all taken in the unit of
        work already. False: the connection is parked, and nothing was done."""
        return True

    def exception(
        self, connection: Connection, unit: UnitOfWork, entry: Entry, reason: int
    ) -> bool:
        """Put the exception report of a message that could not be delivered after its put was
        answered, in the unit of work that moves or discards the message; nothing if it asks for
        none. False: the connection is parked, and nothing was done."""
        return True

    def expiration(self, connection: Connection, unit: UnitOfWork, entry: Entry) -> bool:
        """The same for the expiration report of a message that is removed in the unit of work."""
        return True

    def commit(self, connection: Connection, unit: UnitOfWork) -> None:
        """End a unit of work of a report and its message."""

    def expire(self, queue: Queue, entries: list[Entry]) -> list[Entry]:
        """Of expired messages those that can go at once. The others go in a step of their own, each
        together with its report."""
        return entries

    def expire_swept(self, queue: Queue, segment: Segment, ordinals: list[int]) -> None:
        """Expired messages of a swept segment that may ask for a report: they are read, and go each
        together with its report."""
