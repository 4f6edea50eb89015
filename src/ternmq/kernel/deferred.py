"""Delayed delivery: staged messages that are due go from SYSTEM.DDELAY.LOCAL.QUEUE to their queues.

One after the other, by due time and then by arrival; each is got and put in one unit of work of the
queue manager's own, so a crash finds it on exactly one queue. The index of due times is made from
the queue after a start, and again if the queue has more messages than the index knows: an operator
may have put some back. Stepped by the engine, a bounded number of messages a step; it is woken when
the first message is due, and does nothing before.

What cannot be delivered is dealt with in `undeliverable`. What cannot be dealt with now stays where
it is and is tried again after RETRY_NS: a message that another unit of work has got, no room in
the log, gets from the delay queue that are inhibited.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import IntegrityError, MQError
from ternmq.base.object_types import LOCAL
from ternmq.base.reasons import MQRC_Q_DELETED
from ternmq.codec.headers.delay_header import HEADER_BYTES, DelayHeader, unpack_delay_header
from ternmq.codec.mqi.mqmd import (
    CORREL_ID_AT,
    GROUP_ID_AT,
    MSG_ID_AT,
    PRIORITY_AT,
    PUT_APPL_TYPE_AT,
)
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.delays import DELAY_QUEUE, delay_key, msg_id_of
from ternmq.kernel.ending import back_out_some, commit
from ternmq.kernel.get import resume
from ternmq.kernel.kernel import RUNNING, Kernel
from ternmq.kernel.metering import have_expired
from ternmq.kernel.put import put
from ternmq.kernel.requests import GetCall, PutRequest
from ternmq.kernel.resolve import attach, close_handle, detach, open_queue, send_by
from ternmq.kernel.transmission import Route, transmission_queue
from ternmq.kernel.undeliverable import bury, is_discarded, is_passing_refusal
from ternmq.ports.effect import Effect
from ternmq.store.copying import NANOSECONDS_A_TENTH
from ternmq.store.queue import Queue
from ternmq.txn.unit import ENDED
from ternmq.values.entry import OWN_DATE, PERSISTENT, Entry
from ternmq.values.get_request import GetRequest

STEP_MESSAGES: Final = 64
SCAN_MESSAGES: Final = 256
RETRY_NS: Final = 10_000_000_000
UNCOUNTED: Final = 4  # changes of a unit of work here, which MAXUMSGS is not about
UNDELIVERED: Final = "AMQ7588W"
FOREIGN: Final = "AMQ7589W"


@final
class Delivery:
    """One message on its way."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.source: Handle | None = None
        self.call: GetCall | None = None
        self.entry: Entry | None = None  # once it is got
        self.header: DelayHeader | None = None
        self.target: Handle | None = None
        self.reason = 0  # why it cannot be delivered
        self.reported = False  # the report about that is put


@final
class IndexScan:
    """Browses the delay queue to index what is there."""

    def __init__(self, handle: Handle, call: GetCall) -> None:
        self.handle = handle
        self.call = call


@final
class DelayedDelivery:
    """The part of the queue manager that delivers."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._connection = Connection(0, bytes(24), "", kernel.name)
        self._current: Delivery | None = None
        self._scan: IndexScan | None = None
        self._wants_scan = True  # at first, of what a start finds
        self._scan_failed = False  # it is tried again
        self._parked: Effect | None = None
        self._postponed: list[bytes] = []
        self._retry_at: i64 = 0  # monotonic
        self._foreign: i64 = 0  # messages on the queue that were not staged

    # ---- when

    def due_in_s(self, longest: float) -> float:
        """Seconds until there is something to do, at most `longest`."""
        if self._kernel.status != RUNNING:
            return longest
        if self._parked is not None:
            return longest if not self._parked.done else 0.0
        if self._wants_scan or self._scan is not None or self._current is not None:
            return 0.0
        due_ns = self._kernel.delays.first_due()
        if due_ns < 0:
            return longest
        return min(max(due_ns - int(self._kernel.clock.now_ns()), 0) / 1_000_000_000, longest)

    @property
    def is_parked(self) -> bool:
        """Whether it waits for something to be read, or for room in the log."""
        return self._parked is not None

    def tick(self) -> None:
        """Time has passed: messages are to be tried again, units of work were backed out."""
        kernel = self._kernel
        delays = kernel.delays
        if delays.in_units:
            delays.forget_undone()
        if kernel.clock.monotonic_ns() >= self._retry_at:
            self._wants_scan = self._wants_scan or self._scan_failed
            self._scan_failed = False
            postponed = self._postponed
            self._postponed = []
            for key in postponed:
                delays.add(key)
        if self._scan is None and not self._scan_failed and self._lacks_some():
            self._wants_scan = True

    def _lacks_some(self) -> bool:
        """Whether the queue has more messages than the index knows."""
        local = self._kernel.locals.get(DELAY_QUEUE)
        if local is None or local.deleted:
            return False
        queue = local.queue
        known = self._kernel.delays.indexed + len(self._postponed) + self._foreign
        if self._current is not None:
            known += 1
        here = queue.available + queue.swept_alive
        if here < known and self._foreign > 0:
            # One was taken off the queue. It must not stand for one that is put back: if it was a
            # staged one, the queue is looked through again when that is due.
            self._foreign = max(self._foreign - (known - here), 0)
        return here > known

    def step(self, messages: i64 = STEP_MESSAGES) -> bool:
        """Deliver some that are due; False when there is nothing to do now."""
        kernel = self._kernel
        if kernel.status != RUNNING:
            return False
        parked = self._parked
        if parked is not None:
            if not parked.done:
                return False
            self._parked = None
        if self._wants_scan or self._scan is not None:
            return self._index_some()
        now_ns: i64 = kernel.clock.now_ns()
        while messages > 0:
            messages -= 1
            one = self._current
            if one is None:
                key = kernel.delays.take(now_ns)
                if key is None:
                    return False
                one = Delivery(key)
                self._current = one
            if not self._go_on(one):
                return self._parked is None
            self._end(one)
        return True

    def _park(self) -> bool:
        """Wait for what the last verb waits for; False: it wants another step."""
        effect = self._connection.park
        if effect is None:
            return False
        self._connection.park = None
        self._parked = effect
        waker = self._kernel.delays.waker
        if waker is not None:
            effect.waiting.append(waker)
        return True

    # ---- one message

    def _go_on(self, one: Delivery) -> bool:
        """Try to deliver it; False: parked, or it wants another step."""
        try:
            if one.entry is None and not self._take(one):
                return False
            if one.entry is None or one.header is None:
                return True
            return self._deliver(one, one.entry, one.header)
        except MQError as refused:
            return self._refused(one, refused)

    def _refused(self, one: Delivery, refused: MQError) -> bool:
        kernel = self._kernel
        if one.entry is None or is_passing_refusal(refused.reason):
            if refused.reason != MQRC_Q_DELETED:
                self._postpone(one)
            return True
        if one.reason:  # the dead-letter queue does not take it either
            name = str(kernel.catalog.qmgr.get("dead_letter_queue", ""))
            kernel.notices.add("AMQ7315E", (name, refused.reason))
            self._postpone(one)
            return True
        one.reason = refused.reason
        return False

    def _take(self, one: Delivery) -> bool:
        """Get it off the delay queue, in a unit of work; False: not yet. Without `entry` then, it
        is not there."""
        kernel = self._kernel
        connection = self._connection
        call = one.call
        if call is None:
            definition = kernel.catalog.definitions.get(DELAY_QUEUE)
            if definition is None or definition.object_type != LOCAL:
                return True  # deleted with its messages
            connection.begin_verb()
            local = kernel.local_queue(connection, definition)
            if local is None:
                return not self._park()
            handle = Handle(connection, 0, mq.MQOO_INPUT_SHARED)
            attach(handle, local, [])
            one.source = handle
            request = GetRequest(mq.MQGMO_SYNCPOINT)
            request.syncpoint = True
            request.msg_id = msg_id_of(one.key)
            request.settle()
            call = GetCall(connection, handle, request)
            one.call = call
        resume(kernel, call)
        entry = call.entry
        if entry is not None:
            unit = connection.unit
            if unit is not None:
                unit.copies += UNCOUNTED
            one.entry = entry
            self._read_header(one, entry)
            return True
        if self._park() or connection.again:
            return False
        self._missed(one)
        return True

    def _read_header(self, one: Delivery, entry: Entry) -> None:
        try:
            one.header = staged_header(entry)
        except IntegrityError as error:  # the index has it from its header: it was put again
            self._kernel.notices.add(FOREIGN, (DELAY_QUEUE, str(error)))
            self._foreign += 1
            self._back_out()

    def _missed(self, one: Delivery) -> None:
        """It is not there: an operator took it, or a unit of work has it and may be backed out."""
        local = None if one.source is None else one.source.local
        if local is not None:
            queue: Queue = local.queue
            if queue.uncommitted_gets > 0 or queue.locks:
                self._postpone(one)

    def _deliver(self, one: Delivery, staged: Entry, header: DelayHeader) -> bool:
        kernel = self._kernel
        connection = self._connection
        now_ns: i64 = kernel.clock.now_ns()
        if one.reason:
            if not self._deal_with(one, message_of(staged, header), header):
                self._park()
                return False
        elif header.expiry_at and header.expiry_at <= now_ns:
            if not self._expired(one, message_of(staged, header)):
                self._park()
                return False
        else:
            target = one.target
            if target is None:
                target = self._open(header)
                if target is None:
                    self._park()
                    return False
                one.target = target
            request = delivered_request(staged, header, now_ns)
            if put(kernel, connection, target, request, staged.data[HEADER_BYTES:]) is None:
                self._park()
                return False
        commit(kernel, connection)
        return True

    def _deal_with(self, one: Delivery, entry: Entry, header: DelayHeader) -> bool:
        """It cannot be delivered; False: parked."""
        kernel = self._kernel
        unit = self._connection.unit
        if unit is not None and not one.reported:
            if not kernel.reports.exception(self._connection, unit, entry, one.reason):
                return False
            one.reported = True
        dead_letters = ""
        if not is_discarded(entry):
            dead_letters = str(kernel.catalog.qmgr.get("dead_letter_queue", ""))
            if not bury(kernel, self._connection, entry, header.queue, header.qmgr, one.reason):
                return False
        kernel.notices.add(UNDELIVERED, (header.queue, one.reason, dead_letters or "discarded"))
        return True

    def _expired(self, one: Delivery, entry: Entry) -> bool:
        """Its life was over before it could be delivered: the queue manager did not run, say.
        False: parked."""
        kernel = self._kernel
        unit = self._connection.unit
        if unit is not None and not kernel.reports.expiration(self._connection, unit, entry):
            return False
        local = None if one.source is None else one.source.local
        if local is not None:
            have_expired(kernel, local.queue, 1)
        return True

    def _open(self, header: DelayHeader) -> Handle | None:
        """The queue that it was put to; None: parked. No authority is checked: it was at the
        put."""
        kernel = self._kernel
        connection = self._connection
        if not header.xmitq:
            return open_queue(
                kernel, connection, header.queue, header.qmgr, "", mq.MQOO_OUTPUT, "MQPUT"
            )
        connection.begin_verb()
        definition = transmission_queue(kernel, header.xmitq, header.qmgr, "MQPUT")
        local = kernel.local_queue(connection, definition)
        if local is None:
            return None
        handle = Handle(connection, 0, mq.MQOO_OUTPUT)
        attach(handle, local, [])
        send_by(handle, Route(header.queue, header.qmgr, definition))
        return handle

    def _postpone(self, one: Delivery) -> None:
        self._back_out()
        self._postponed.append(one.key)
        self._retry_at = self._kernel.clock.monotonic_ns() + RETRY_NS

    def _back_out(self) -> None:
        """It is on the delay queue again; a unit has two or three changes."""
        connection = self._connection
        unit = connection.unit
        if unit is not None and unit.state != ENDED:
            while not back_out_some(self._kernel, unit):
                pass
        connection.unit = None

    def _end(self, one: Delivery) -> None:
        self._current = None
        if one.source is not None:
            detach(one.source)
        if one.target is not None:
            close_handle(self._kernel, one.target, 0)

    # ---- the index

    def _index_some(self) -> bool:
        """Index some messages of the queue; False: parked."""
        scan = self._scan
        try:
            if scan is None:
                scan = self._begin_scan()
                if scan is None:
                    return self._parked is None
            for _ in range(SCAN_MESSAGES):
                if not self._index_next(scan):
                    return self._parked is None
        except MQError:  # gets are inhibited, or the queue cannot be read now
            if scan is not None:
                detach(scan.handle)
            self._scan = None
            self._scan_failed = True
            self._retry_at = self._kernel.clock.monotonic_ns() + RETRY_NS
        return True

    def _begin_scan(self) -> IndexScan | None:
        kernel = self._kernel
        self._wants_scan = False
        definition = kernel.catalog.definitions.get(DELAY_QUEUE)
        if definition is None or definition.object_type != LOCAL:
            return None
        number = definition.object_id
        if number not in kernel.catalog.with_state and number not in kernel.catalog.queues:
            return None  # it has never had a message
        self._connection.begin_verb()
        local = kernel.local_queue(self._connection, definition)
        if local is None:
            self._wants_scan = True
            self._park()
            return None
        if local.queue.available + local.queue.swept_alive == 0:
            return None
        kernel.delays.clear()
        self._postponed = []
        self._foreign = 0
        handle = Handle(self._connection, 0, mq.MQOO_BROWSE)
        attach(handle, local, [])
        call = GetCall(self._connection, handle, GetRequest(mq.MQGMO_BROWSE_FIRST))
        call.browse = True
        scan = IndexScan(handle, call)
        self._scan = scan
        return scan

    def _end_scan(self, scan: IndexScan) -> None:
        """What it did not find on the queue, an expired message say, would not be found again."""
        local = scan.handle.local
        if local is not None:
            here = local.queue.available + local.queue.swept_alive
            self._foreign = max(self._foreign, here - self._kernel.delays.indexed)
        detach(scan.handle)
        self._scan = None

    def _index_next(self, scan: IndexScan) -> bool:
        """One more; False: parked, the next step goes on, or it was the last."""
        call = scan.call
        resume(self._kernel, call)
        entry = call.entry
        if entry is None:
            if not self._park() and not self._connection.again:
                self._end_scan(scan)
            return False
        try:
            header = staged_header(entry)
        except IntegrityError as error:
            self._foreign += 1
            self._kernel.notices.add(FOREIGN, (DELAY_QUEUE, str(error)))
        else:
            self._kernel.delays.add(delay_key(header.due_ns, entry.msg_id))
        scan.call = GetCall(self._connection, scan.handle, GetRequest(mq.MQGMO_BROWSE_NEXT))
        scan.call.browse = True
        return True


def staged_header(entry: Entry) -> DelayHeader:
    """The delay header of a message that the queue manager has staged; IntegrityError if it has
    not. Delivery checks no authority, so a program whose own context is in the message, and which
    may have made up the header, does not deliver by it."""
    base = entry.base
    kind = int.from_bytes(base[PUT_APPL_TYPE_AT : PUT_APPL_TYPE_AT + 4], "little", signed=True)
    if kind != mq.MQAT_QMGR:
        raise IntegrityError(f"PutApplType {kind} is not the queue manager's ({mq.MQAT_QMGR})")
    return unpack_delay_header(entry.data)


def message_of(staged: Entry, header: DelayHeader) -> Entry:
    """A staged message as it was put."""
    base = header.descriptor
    data = staged.data[HEADER_BYTES:]
    return Entry(
        0,
        staged.priority,
        header.flags | OWN_DATE,
        header.put_ns,
        header.expiry_at,
        base[MSG_ID_AT : MSG_ID_AT + 24],
        base[CORREL_ID_AT : CORREL_ID_AT + 24],
        base[GROUP_ID_AT : GROUP_ID_AT + 24],
        base,
        data,
        len(data),
        staged.properties,
    )


def delivered_request(entry: Entry, header: DelayHeader, now_ns: i64) -> PutRequest:
    """The put of a staged message: its own descriptor, with the date of its put."""
    base = header.descriptor
    request = PutRequest(0, base, True)
    request.replies_unplaced = False
    request.splits = False
    request.properties = entry.properties
    request.msg_id = base[MSG_ID_AT : MSG_ID_AT + 24]
    request.correl_id = base[CORREL_ID_AT : CORREL_ID_AT + 24]
    request.group_id = base[GROUP_ID_AT : GROUP_ID_AT + 24]
    request.priority = int.from_bytes(base[PRIORITY_AT : PRIORITY_AT + 4], "little")
    request.persistence = entry.flags & PERSISTENT
    request.flags = header.flags & ~PERSISTENT | OWN_DATE
    if header.expiry_at:
        left = header.expiry_at - now_ns
        request.expiry = (left + NANOSECONDS_A_TENTH - 1) // NANOSECONDS_A_TENTH
    return request
