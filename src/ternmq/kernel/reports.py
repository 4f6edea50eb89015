"""Report messages that the queue manager makes: where they go, and that each is put together with
what it reports.

A report is put on ReplyToQ at ReplyToQMgr as an application would put it, by the authority of the
user of the message that it is about (`put` and `passid`). It is put before that message is put or
got, in the same unit of work: the application's or, outside syncpoint, one of the two alone. So
what a report has to wait for, a queue to be loaded say, the verb waits for with nothing done.
A report that its queue does not take goes to the dead-letter queue, unless it carries
MQRO_DISCARD_MSG; what that does not take either is discarded, and operators get a message, once for
each queue until the reason changes. `report_message` says what a report contains.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import LOCAL
from ternmq.base.reasons import (
    MQRC_Q_TYPE_ERROR,
    MQRC_RESOURCE_PROBLEM,
    MQRC_SYNCPOINT_LIMIT_REACHED,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.codec.mqi.mqmd import FORMAT_AT, Descriptor
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.delivery import wake_own_since
from ternmq.kernel.ending import commit_unit
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering import was_generated
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.put import put_one
from ternmq.kernel.put_parts import in_parts
from ternmq.kernel.report_expiry import ExpiryReports, SweptExpiry
from ternmq.kernel.report_message import ReportMessage, asks_for, report_about
from ternmq.kernel.report_sink import ReportSink
from ternmq.kernel.requests import GetCall, PutRequest
from ternmq.kernel.resolve import attach, can_open, detach, named, send_by
from ternmq.kernel.transmission import HEADERS_BYTES_MAX
from ternmq.kernel.undeliverable import dead_letter_header
from ternmq.store.catalog import Definition
from ternmq.store.queue import Queue
from ternmq.store.segment import Segment
from ternmq.txn.copied_put import has_room_for_copies
from ternmq.txn.reserves import PUT_RECORD_OVERHEAD, UNIT_RESERVE
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import PERSISTENT, REPORTS, Entry

NOT_REPORTED: Final = "AMQ7316E"
REFUSALS_MAX: Final = 1000  # queues whose last refusal is remembered
_OPEN: Final = mq.MQOO_OUTPUT | mq.MQOO_PASS_IDENTITY_CONTEXT
_NEVER_CONFIRMED: Final = (mq.MQFMT_XMIT_Q_HEADER, mq.MQFMT_DEAD_LETTER_HEADER)


@final
class Reports(ReportSink):
    """Makes report messages."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__()
        self._kernel = kernel
        self._connection = Connection(0, b"", "", kernel.name)
        self._refused: dict[str, int] = {}  # by queue: the reason that was reported last
        self._expiry = ExpiryReports(kernel, self)

    # ---- what the verbs ask for

    def of_arrival(
        self,
        handle: Handle,
        local: LocalQueue,
        unit: UnitOfWork | None,
        entry: Entry,
        copies: i64,
    ) -> UnitOfWork | None:
        """See ReportSink."""
        if not asks_for(entry, mq.MQRO_COA) or not _is_confirmed(local, entry):
            return unit
        connection = handle.connection
        size = (entry.length + len(entry.properties)) * (1 + copies)
        report = self._report(entry, mq.MQRO_COA, mq.MQFB_COA, size)
        if report is None:
            return unit
        if not self._has_room(connection, unit, "MQPUT", local.name, entry, size, report):
            return unit
        within = self._begin(unit, "MQPUT")
        if not self._sent(connection, within, report):
            return unit
        if self._kernel.measured:
            was_generated(self._kernel, handle)
        return within

    def of_activity(
        self, connection: Connection, unit: UnitOfWork | None, report: ReportMessage
    ) -> bool:
        """See ReportSink."""
        kernel = self._kernel
        size = self._log_bytes(report)
        if report.descriptor.persistence == mq.MQPER_PERSISTENT:
            if not has_room_for_copies(kernel.coordinator, unit, 0, 0, 1, size):
                kernel.make_room(connection, "MQPUT", report.queue, size)
                return False
        within = kernel.coordinator.begin() if unit is None else unit
        was_put = self._sent(connection, within, report)
        if connection.park is not None:
            return False
        if was_put and unit is None:
            self.commit(connection, within)
        return True

    def of_delivery(
        self, call: GetCall, local: LocalQueue, unit: UnitOfWork | None, entry: Entry
    ) -> UnitOfWork | None:
        """See ReportSink."""
        if not self.confirms(local, entry):
            return unit
        try:
            within = self._deliver(call, local, unit, entry)
        except MQError:
            self._return_room(call)
            raise
        if call.connection.park is not None:
            self._return_room(call)
        return within

    def _deliver(
        self, call: GetCall, local: LocalQueue, unit: UnitOfWork | None, entry: Entry
    ) -> UnitOfWork | None:
        connection = call.connection
        report = self._report(entry, mq.MQRO_COD, mq.MQFB_COD, 0)
        if report is None:
            return unit
        if not self._has_room_to_get(connection, unit, local.name, entry, report):
            return unit
        within = self._begin(unit, "MQGET")
        return within if self._confirm(call, within, report) else unit

    def _confirm(self, call: GetCall, unit: UnitOfWork, report: ReportMessage) -> bool:
        """Put a COD report; False: it is discarded, or the connection is parked."""
        before = len(unit.changes)
        if not self._sent(call.connection, unit, report):
            return False
        if len(unit.changes) > before:
            call.reports = unit.changes[before:]
        if self._kernel.measured:
            was_generated(self._kernel, call.handle)
        return True

    def confirms(self, local: LocalQueue, entry: Entry) -> bool:
        """See ReportSink."""
        return asks_for(entry, mq.MQRO_COD) and _is_confirmed(local, entry)

    def of_whole(self, call: GetCall, local: LocalQueue, unit: UnitOfWork, entry: Entry) -> bool:
        """See ReportSink."""
        if not self.confirms(local, entry):
            return True
        connection = call.connection
        report = self._report(entry, mq.MQRO_COD, mq.MQFB_COD, 0)
        if report is not None:
            if self._has_room_to_get(connection, unit, local.name, entry, report):
                self._confirm(call, unit, report)
        return connection.park is None

    def _return_room(self, call: GetCall) -> None:
        """The get is tried again later, or has failed: it needs no room for taking it back now."""
        if call.reserved > 0:
            self._kernel.coordinator.space.release(int(call.reserved))
            call.reserved = 0

    def commit(self, connection: Connection, unit: UnitOfWork) -> None:
        """See ReportSink."""
        unit.changes.reverse()  # if both are on one queue, the message comes before its report
        commit_unit(self._kernel, connection, unit)

    def expire(self, queue: Queue, entries: list[Entry]) -> list[Entry]:
        """See ReportSink."""
        if not any(entry.flags & REPORTS for entry in entries):
            return entries
        self._expiry.add(queue, [entry for entry in entries if entry.flags & REPORTS])
        return [entry for entry in entries if not entry.flags & REPORTS]

    def expire_swept(self, queue: Queue, segment: Segment, ordinals: list[int]) -> None:
        """See ReportSink."""
        self._kernel.outbox.add(SweptExpiry(self._expiry, queue, segment, ordinals))

    def exception(
        self, connection: Connection, unit: UnitOfWork, entry: Entry, reason: int
    ) -> bool:
        """See ReportSink."""
        return self._of(connection, unit, entry, mq.MQRO_EXCEPTION, reason)

    def expiration(self, connection: Connection, unit: UnitOfWork, entry: Entry) -> bool:
        """See ReportSink."""
        return self._of(connection, unit, entry, mq.MQRO_EXPIRATION, mq.MQFB_EXPIRATION)

    def _of(
        self, connection: Connection, unit: UnitOfWork, entry: Entry, option: int, feedback: int
    ) -> bool:
        self.was_lost = False
        report = self._report(entry, option, feedback, 0)
        if report is None:
            self.was_lost = asks_for(entry, option)
            return True
        self.was_lost = True
        if self._has_room_to_get(connection, unit, report.queue, entry, report):
            self.was_lost = not self._sent(connection, unit, report)
        return connection.park is None

    # ---- the report on its way

    def _report(self, entry: Entry, option: int, feedback: int, size: i64) -> ReportMessage | None:
        """What the message asks for; None: nothing, or more than the log can ever hold besides
        `size` bytes of the message."""
        kernel = self._kernel
        report = report_about(entry, option, feedback, kernel.name, kernel.clock.now_ns())
        if report is None or not entry.flags & PERSISTENT:
            return report
        largest = kernel.coordinator.largest_data_bytes(kernel.keeper.checkpoint_reserve)
        if size + self._log_bytes(report) + UNIT_RESERVE <= largest:
            return report
        self._notify_operators(report, MQRC_RESOURCE_PROBLEM, "", MQRC_RESOURCE_PROBLEM)
        return None

    def _log_bytes(self, report: ReportMessage) -> i64:
        """How many bytes a report may take in the log, with headers for wherever it goes and the
        copy of a streaming queue that has a record of its own."""
        area = 2 * len(report.properties)  # in an MQRFH2 they are longer
        one = len(report.data) + area + HEADERS_BYTES_MAX + mq.MQDLH_LENGTH_1 + PUT_RECORD_OVERHEAD
        local = self._kernel.locals.get(report.queue)
        return 2 * one if local is not None and local.streams else one

    def _has_room(
        self,
        connection: Connection,
        unit: UnitOfWork | None,
        verb: str,
        name: str,
        entry: Entry,
        size: i64,
        report: ReportMessage,
    ) -> bool:
        """Whether a message of that size and its report can be logged, one after the other; False:
        parked until they can."""
        if not entry.flags & PERSISTENT:
            return True
        kernel = self._kernel
        of_report = self._log_bytes(report)
        if size and not kernel.coordinator.reserve.is_whole:
            if not kernel.disk_takes(3, size + of_report):
                kernel.make_disk_room(connection, verb, name)
                return False
        if has_room_for_copies(kernel.coordinator, unit, size, 0, 1, of_report):
            return True
        kernel.make_room(connection, verb, name, size + of_report)
        return False

    def _has_room_to_get(
        self,
        connection: Connection,
        unit: UnitOfWork | None,
        name: str,
        entry: Entry,
        report: ReportMessage,
    ) -> bool:
        """The same for a message that leaves its queue. If the log has no room and gets none, it
        goes without its report: it must not stay for ever."""
        try:
            return self._has_room(connection, unit, "MQGET", name, entry, 0, report)
        except MQError as full:
            self._notify_operators(report, full.reason, "", full.reason)
            return False

    def _begin(self, unit: UnitOfWork | None, verb: str) -> UnitOfWork:
        """The unit of work that takes the report and the message; both count in MAXUMSGS."""
        kernel = self._kernel
        if unit is None:
            return kernel.coordinator.begin()
        if unit.uncommitted + 2 > kernel.max_uncommitted:
            raise mq_error(
                MQRC_SYNCPOINT_LIMIT_REACHED,
                verb=verb,
                object=kernel.name,
                detail=f"MAXUMSGS({kernel.max_uncommitted}): a message and its report",
            )
        return unit

    def _sent(self, connection: Connection, unit: UnitOfWork, report: ReportMessage) -> bool:
        """Put the report where it can go; False: it is discarded, or the connection is parked."""
        own = self._connection
        own.begin_verb()
        own.log_tries = connection.log_tries
        own.unit = unit
        before = len(unit.changes)
        was_put = False
        try:
            was_put = self._put_reply(report)
        except MQError as refused:
            if refused.reason == MQRC_RESOURCE_PROBLEM:  # the dead-letter queue has it, too
                self._notify_operators(report, refused.reason, "", refused.reason)
            elif not report.may_be_lost:
                was_put = self._bury(report, refused.reason)
        finally:
            own.unit = None
            connection.log_tries = own.log_tries
            connection.park = own.park
        wake_own_since(self._kernel, connection, unit, before)
        return was_put

    def _put_reply(self, report: ReportMessage) -> bool:
        kernel = self._kernel
        authority = kernel.authority
        user: str | None = report.user
        is_free = report.is_own or not authority.enabled
        if is_free or authority.is_administrator(report.user):
            user = None
        via: list[Definition] = []
        found = named(
            kernel, self._connection, user, report.queue, report.queue_manager, _OPEN, "MQPUT1", via
        )
        definition, route = found
        if definition.object_type != LOCAL:
            raise mq_error(MQRC_Q_TYPE_ERROR, verb="MQPUT1", object=definition.name)
        local = kernel.local_queue(self._connection, definition)
        if local is None or not can_open(kernel, self._connection, local, _OPEN, "MQPUT1"):
            return False
        handle = Handle(self._connection, 0, _OPEN)
        attach(handle, local, via)
        send_by(handle, route)
        return self._put(handle, report.descriptor, report.data, report.properties)

    def _put(self, handle: Handle, descriptor: Descriptor, data: bytes, area: bytes) -> bool:
        """In the unit of work of the queue manager's own connection; False: parked."""
        request = PutRequest(mq.MQPMO_SYNCPOINT, descriptor.pack(), True)
        request.priority = descriptor.priority
        request.persistence = descriptor.persistence
        request.expiry = descriptor.expiry
        request.msg_id = descriptor.msg_id
        request.correl_id = descriptor.correl_id
        request.group_id = descriptor.group_id
        request.properties = area
        if request.splits:
            request, data = in_parts(request, data)
        try:
            return put_one(self._kernel, self._connection, handle, request, data) is not None
        finally:
            detach(handle)

    def _bury(self, report: ReportMessage, reason: int) -> bool:
        """To the dead-letter queue; False: that does not take it either, or the put is parked."""
        kernel = self._kernel
        self._connection.park = None
        name = str(kernel.catalog.qmgr.get("dead_letter_queue", ""))
        definition = kernel.catalog.definitions.get(name)
        try:
            if definition is None or definition.object_type != LOCAL:
                raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb="MQPUT1", object=name)
            local = kernel.local_queue(self._connection, definition)
            if local is None or not can_open(kernel, self._connection, local, _OPEN, "MQPUT1"):
                return False
            handle = Handle(self._connection, 0, _OPEN)
            attach(handle, local, [])
            buried = report.descriptor.copy()
            header = dead_letter_header(
                kernel, report.descriptor, report.queue, report.queue_manager, reason
            )
            buried.format = mq.MQFMT_DEAD_LETTER_HEADER
            buried.encoding = mq.MQENC_NATIVE
            buried.ccsid = kernel.number("ccsid")
            return self._put(handle, buried, header + report.data, report.properties)
        except MQError as refused:
            self._notify_operators(report, reason, name, refused.reason)
            return False

    def _notify_operators(
        self, report: ReportMessage, reason: int, dead_letters: str, refusal: int
    ) -> None:
        if self._refused.get(report.queue) == reason:
            return
        if len(self._refused) >= REFUSALS_MAX:
            self._refused.clear()
        self._refused[report.queue] = reason
        inserts = (report.queue, report.queue_manager, reason, dead_letters, refusal)
        self._kernel.notices.add(NOT_REPORTED, inserts)


def _is_confirmed(local: LocalQueue, entry: Entry) -> bool:
    """Whether the queue is a destination, and no transmission queue or dead-letter queue."""
    if local.definition.number("usage") == mq.MQUS_TRANSMISSION:
        return False
    return (
        entry.base[FORMAT_AT : FORMAT_AT + 8].decode("latin-1").rstrip(" \0")
        not in _NEVER_CONFIRMED
    )
