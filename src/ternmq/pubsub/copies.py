"""The copies of a publication that are put in one step: room for them, their COA reports, the puts.

Persistent copies with the publication's own data share one log record and one body; others have
records of their own. If there is more than one record, or a report, outside syncpoint, an inner
unit of work keeps them together.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_OBJECT_IN_USE, MQRC_UNKNOWN_OBJECT_NAME
from ternmq.kernel.acceptance import check_queue, check_room, is_behind
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.copies import arrived
from ternmq.kernel.ending import abandon, commit_unit
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering_topics import was_sent
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.undertaking import Undertaking
from ternmq.store.catalog import Definition
from ternmq.store.queue import Queue
from ternmq.txn.copied_put import put_all
from ternmq.txn.families.message_records import OWN_BYTES_MAX, TARGET
from ternmq.txn.reserves import (
    CHANGE_RESERVE,
    NUMBERS_RECORD_BYTES,
    PUT_RECORD_OVERHEAD,
    UNIT_RESERVE,
)
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import PERSISTENT, REPORTS, Entry


@final
class Copies:
    """Copies, each with its queue."""

    def __init__(self, kernel: Kernel, connection: Connection, handle: Handle | None) -> None:
        self._kernel = kernel
        self._connection = connection
        self._handle = handle
        self._shared: list[Entry] = []  # with one record and one body
        self._shared_on: list[LocalQueue] = []
        self._alone: list[Entry] = []
        self._alone_on: list[LocalQueue] = []
        self._has_reports = False
        self._log_bytes: i64 = 0
        self._records: i64 = 0
        self._area = b""
        self._counts: dict[str, int] = {}  # by queue: how many it gets, and their bytes
        self._bytes: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._shared) + len(self._alone)

    def refusal(self, local: LocalQueue, via: list[Definition], entry: Entry) -> MQError | None:
        """Why a queue does not take one more, if it is to be added next; the connection may be
        parked instead."""
        kernel = self._kernel
        area: i64 = len(entry.properties)
        name = local.name
        count = self._counts.get(name, 0)
        held = self._bytes.get(name, 0)
        try:
            if local.deleted:
                raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb="MQPUT", object=name)
            if local.queue.clearing_before or local.held_by is not None:
                raise mq_error(MQRC_OBJECT_IN_USE, verb="MQPUT", object=name)
            persistence = entry.flags & PERSISTENT
            check_queue(kernel, self._connection, local, via, entry.length, area, persistence)
            if count:
                check_room(kernel, local, count + 1, held + entry.length + area)
            is_behind(kernel, self._connection, local, entry.length + area)
        except MQError as refusal:
            return refusal
        self._counts[name] = count + 1
        self._bytes[name] = int(held + entry.length + area)
        return None

    def add(self, local: LocalQueue, entry: Entry, shares: bool) -> None:
        """Put this one, too. `shares`: its data is that of the others that do."""
        if entry.flags & REPORTS:
            self._has_reports = True
        if not entry.flags & PERSISTENT:
            self._alone.append(entry)
            self._alone_on.append(local)
            return
        area: i64 = len(entry.properties)
        if not shares:
            self._alone.append(entry)
            self._alone_on.append(local)
            self._records += 1
            self._log_bytes += PUT_RECORD_OVERHEAD + entry.length + area
            return
        if not self._shared:
            self._records += 1
            self._log_bytes += PUT_RECORD_OVERHEAD + entry.length + area
            self._area = entry.properties
        self._shared.append(entry)
        self._shared_on.append(local)
        self._log_bytes += TARGET.size + OWN_BYTES_MAX + NUMBERS_RECORD_BYTES + 4
        if entry.properties is not self._area:
            self._log_bytes += area

    def has_room(self, unit: UnitOfWork | None, name: str, more_bytes: i64 = 0) -> bool:
        """Whether log and disk take them, and a message of `more_bytes` beside them; if not, the
        connection is parked until they do."""
        if self._records == 0:
            return True
        kernel = self._kernel
        coordinator = kernel.coordinator
        count: i64 = len(self._shared) + len(self._alone)
        size = self._log_bytes
        if more_bytes:
            size += PUT_RECORD_OVERHEAD + more_bytes
        if not coordinator.reserve.is_whole and not kernel.disk_takes(count, size):
            kernel.make_disk_room(self._connection, "MQPUT", name)
            return False
        reserve: i64 = 0
        if unit is not None or more_bytes or self._records > 1 or self._has_reports:
            reserve = CHANGE_RESERVE * count
            if unit is None or unit.first_lsn == 0:
                reserve += UNIT_RESERVE
        if not coordinator.space.fits(int(size), int(reserve)):
            kernel.make_room(self._connection, "MQPUT", name, size)
            return False
        return True

    def put(self, unit: UnitOfWork | None) -> bool:
        """Put them all; False: parked, and nothing was done."""
        connection = self._connection
        within = unit
        if unit is None and (self._records > 1 or self._has_reports):
            within = self._kernel.coordinator.begin()
        if self._has_reports and within is not None:
            if not self._report(within, unit is None):
                return False
        connection.log_tries = 0
        self._place(within)
        if within is not None and unit is None:
            commit_unit(self._kernel, connection, within)
        return True

    def _place(self, unit: UnitOfWork | None) -> None:
        kernel = self._kernel
        connection = self._connection
        coordinator = kernel.coordinator
        before = 0 if unit is None else len(unit.changes)
        if self._shared:
            queues: list[Queue] = [local.queue for local in self._shared_on]
            connection.depends_on(put_all(coordinator, unit, queues, self._shared, False))
        at: i64 = 0
        while at < len(self._alone):
            queue = self._alone_on[at].queue
            connection.depends_on(coordinator.put(unit, queue, self._alone[at]))
            at += 1
        if unit is not None and len(unit.changes) > before:
            unit.copies += len(unit.changes) - before - 1  # a publication counts once in MAXUMSGS
        at = 0
        while at < len(self._shared):
            self._arrive(self._shared_on[at], self._shared[at], unit)
            at += 1
        at = 0
        while at < len(self._alone):
            self._arrive(self._alone_on[at], self._alone[at], unit)
            at += 1

    def _arrive(self, local: LocalQueue, entry: Entry, unit: UnitOfWork | None) -> None:
        kernel = self._kernel
        if kernel.measured:
            was_sent(kernel, entry)
        arrived(kernel, self._connection, local, entry, unit, True)

    def _report(self, unit: UnitOfWork, is_inner: bool) -> bool:
        """Put the COA reports; False: parked, and nothing was done."""
        kernel = self._kernel
        connection = self._connection
        connection.undertaking = Undertaking(unit, is_inner)
        try:
            at: i64 = 0
            while at < len(self._shared) and connection.park is None:
                self._confirm(self._shared_on[at], unit, self._shared[at])
                at += 1
            at = 0
            while at < len(self._alone) and connection.park is None:
                self._confirm(self._alone_on[at], unit, self._alone[at])
                at += 1
        except MQError:
            while not abandon(kernel, connection):
                pass
            raise
        park = connection.park
        if park is None:
            connection.undertaking = None
            return True
        while not abandon(kernel, connection):
            pass
        connection.again = False
        connection.park = park
        return False

    def _confirm(self, local: LocalQueue, unit: UnitOfWork, entry: Entry) -> None:
        handle = self._handle
        if handle is not None and entry.flags & REPORTS:
            self._kernel.reports.of_arrival(handle, local, unit, entry, 0)
