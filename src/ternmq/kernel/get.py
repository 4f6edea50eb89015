"""MQGET: take a message or browse it, wait for one, cut it to the buffer.

`get` starts a call, `resume` tries it again after its park, `cancel` ends its wait. An answer is in
the call: `entry` with an optional warning in `reason`, or `reason` alone. While `waiting` is set,
the waker is called when the answer is there.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_GET_INHIBITED,
    MQRC_HOBJ_ERROR,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_OBJECT_DAMAGED,
    MQRC_Q_DELETED,
    MQRC_RESOURCE_PROBLEM,
    MQRC_SYNCPOINT_LIMIT_REACHED,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
)
from ternmq.kernel.browse import browse_find, release_lock, under_cursor
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.events import INHIBIT, PERFORMANCE
from ternmq.kernel.group_offers import place_of_call
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.logical_browse import browse_in_groups, check_browse
from ternmq.kernel.logical_order import next_of_group, note_message
from ternmq.kernel.logical_place import flags_of
from ternmq.kernel.metering import got_nothing, got_nothing_yet, was_browsed, was_got
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.own_messages import OwnSearch, found_before, with_own
from ternmq.kernel.property_options import fits_buffer
from ternmq.kernel.requests import GetCall
from ternmq.kernel.search import Search
from ternmq.store.fetching import fetch_ahead
from ternmq.store.group_member import SEGMENT_FLAGS
from ternmq.txn.own_puts import get_own, own_is_whole
from ternmq.txn.unit import ACTIVE, UnitOfWork
from ternmq.values.entry import PERSISTENT, PUTTING, REPORTS, ZERO_ID, Entry, shows_persistent
from ternmq.values.get_request import SPARED, GetRequest

BROWSE_OPTIONS: Final = (
    mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
)
_NANOSECONDS_A_MS: Final = 1_000_000


def get(kernel: Kernel, connection: Connection, handle: Handle, request: GetRequest) -> GetCall:
    """Start a get; the caller has checked the options against the handle."""
    call = GetCall(connection, handle, request)
    _begin(kernel, call)
    return call


def get_returnable(
    kernel: Kernel,
    connection: Connection,
    handle: Handle,
    request: GetRequest,
    beside: bool = False,
) -> GetCall:
    """Start a get that may be taken back until it is answered: see `returning`. `beside`: it is a
    consumer's, and other verbs of the connection go on meanwhile."""
    call = GetCall(connection, handle, request)
    call.reserved = 0
    call.beside = beside
    _begin(kernel, call)
    return call


def _begin(kernel: Kernel, call: GetCall) -> None:
    request = call.request
    call.browse = request.options & BROWSE_OPTIONS != 0
    if request.wait_ms > 0:
        call.deadline_ns = kernel.clock.monotonic_ns() + request.wait_ms * _NANOSECONDS_A_MS
    selection = call.handle.selection
    local = call.handle.local
    if selection is not None and local is not None:
        selection.begin(local.queue)
    attempt(kernel, call)


def attempt(kernel: Kernel, call: GetCall) -> None:
    """Try to answer the call now; it may end parked, waiting, or with more steps to go."""
    connection = call.connection
    connection.begin_verb()
    call.reason = 0
    try:
        local = _local_of(kernel, call)
    except MQError as refusal:
        if call.assembly is not None:
            _fail_assembly(kernel, call, refusal)
            return
        raise
    if connection.undertaking is not None or call.assembly is not None:
        if _is_assembled(kernel, call, local):
            return
    search = call.own_search
    if search is None:
        entry = _find(kernel, call, local)
    else:
        call.own_search = None
        entry = _find_on(kernel, call, local, search)
    if local.queue.uncommitted_puts and connection.unit is not None:
        entry = with_own(kernel, call, local, entry, search)
    if entry is not None:
        _answer(kernel, call, local, entry)
        return
    if call.reason == 0:
        _go_on_or_end(kernel, call, local)
    if kernel.measured and not call.waiting:
        got_nothing_yet(kernel, call, local)


def _local_of(kernel: Kernel, call: GetCall) -> LocalQueue:
    """The queue, if gets from it are possible now."""
    handle = call.handle
    local = handle.local
    if local is None or handle.connection is not call.connection:
        raise mq_error(MQRC_HOBJ_ERROR, verb="MQGET", object=handle.resolved_name)
    if call.request.syncpoint and call.connection.unit is not None:
        kernel.refuse_if_backed_out(call.connection, "MQGET")
    if local.deleted:
        raise mq_error(MQRC_Q_DELETED, verb="MQGET", object=local.name)
    kernel.refuse_if_ending(call.request.options & mq.MQGMO_FAIL_IF_QUIESCING != 0, "MQGET")
    if local.queue.damaged:
        raise mq_error(
            MQRC_OBJECT_DAMAGED, verb="MQGET", object=local.name, detail=local.queue.damaged
        )
    if local.queue.unread:
        raise _unread(call, local)
    _report_inhibited(kernel, handle, local)
    return local


def _report_inhibited(kernel: Kernel, handle: Handle, local: LocalQueue) -> None:
    try:
        refuse_if_inhibited(handle, local)
    except MQError as inhibited:
        if kernel.events & INHIBIT:
            kernel.event_sink.refused(handle.connection, inhibited, inhibited.object, "")
        raise


def _go_on_or_end(kernel: Kernel, call: GetCall, local: LocalQueue) -> None:
    """No message was found yet, or the queue has none that fits."""
    connection = call.connection
    if connection.park is None and not connection.again and call.missed:
        call.missed = False  # one came to a place where the search had been
        # Messages may come back all the time: a wait that is over ends all the same.
        ends = call.deadline_ns
        connection.again = ends == 0 or ends > kernel.clock.monotonic_ns()
    if connection.park is None and not connection.again:
        _wait_or_end(kernel, call, local)
    elif call.request.wait_ms != 0:
        local.waiters.look(call)


def stop_looking(call: GetCall) -> None:
    """The next step of a search begins, or the search is given up."""
    local = call.handle.local
    if call.looking and local is not None:
        local.waiters.stop_looking(call)


def _wait_or_end(kernel: Kernel, call: GetCall, local: LocalQueue) -> None:
    """There is no message for it now."""
    if call.request.wait_ms == 0:
        call.reason = MQRC_NO_MSG_AVAILABLE
        call.connection.depends_on(local.queue.last_lsn)
        return
    call.waiting = True
    local.waiters.add(call)
    kernel.waits += 1
    kernel.waiting[call.handle.key] = call


def _unread(call: GetCall, local: LocalQueue) -> MQError:
    """A segment could not be read for a reason that may pass: this verb ends, the next one tries
    again."""
    text = local.queue.unread
    local.queue.unread = ""
    walk = call.walk
    if walk is not None:
        walk.leave()
        local.queue.cursors.remove(walk)
        call.walk = None
    return mq_error(MQRC_RESOURCE_PROBLEM, verb="MQGET", object=local.name, detail=text)


def refuse_if_inhibited(handle: Handle, local: LocalQueue) -> None:
    """MQRC_GET_INHIBITED if the queue, or an alias on the way to it, is inhibited for gets."""
    if local.get_inhibited:
        raise mq_error(MQRC_GET_INHIBITED, verb="MQGET", object=local.name)
    for alias in handle.via:
        if alias.number("get") != 0:
            raise mq_error(MQRC_GET_INHIBITED, verb="MQGET", object=alias.name)


def _find(kernel: Kernel, call: GetCall, local: LocalQueue) -> Entry | None:
    request = call.request
    if request.token >= 0 and request.token_queue != local.queue.queue_id:
        return None  # it names a message of another queue
    if request.grouping:
        return _find_in_groups(kernel, call, local)
    if call.browse:
        if call.handle.logical is not None:
            check_browse(call)
        return browse_find(kernel, call, local)
    if request.options & mq.MQGMO_MSG_UNDER_CURSOR:
        return under_cursor(kernel, call, local)
    queue = local.queue
    if request.plain and call.walk is None and call.handle.selection is None:
        lane = queue.top_lane()
        if lane < 0:
            return None
        head = queue.lanes[lane].front.head
        if head is not None and head.expiry_at == 0 and not queue.locks:
            return head
    return Search(kernel, call, queue, kernel.clock.now_ns()).find()


def _find_on(kernel: Kernel, call: GetCall, local: LocalQueue, search: OwnSearch) -> Entry | None:
    """The visible message that an earlier step has found, if it is still there."""
    if found_before(kernel, call, search):
        return search.visible
    return _find(kernel, call, local)


def _find_in_groups(kernel: Kernel, call: GetCall, local: LocalQueue) -> Entry | None:
    """The same for a get that looks at groups or logical messages."""
    call.now_ns = kernel.clock.now_ns()
    if call.browse:
        check_browse(call)
        return browse_in_groups(kernel, call, local)
    if call.request.options & mq.MQGMO_MSG_UNDER_CURSOR:
        return under_cursor(kernel, call, local)
    place = place_of_call(call)
    if place is not None:
        return next_of_group(kernel, call, local.queue, place)
    return Search(kernel, call, local.queue, call.now_ns).find()


def _unit_for(kernel: Kernel, call: GetCall, entry: Entry) -> UnitOfWork | None:
    request = call.request
    if request.syncpoint or (request.syncpoint_if_persistent and shows_persistent(entry)):
        unit = kernel.unit_of(call.connection, "MQGET")
        if unit.uncommitted >= kernel.max_uncommitted:
            raise mq_error(
                MQRC_SYNCPOINT_LIMIT_REACHED,
                verb="MQGET",
                object=kernel.name,
                detail=f"MAXUMSGS({kernel.max_uncommitted})",
            )
        return unit
    return None


def _is_assembled(kernel: Kernel, call: GetCall, local: LocalQueue) -> bool:
    from ternmq.kernel.complete_get import is_assembled  # it ends units of work

    return is_assembled(kernel, call, local)


def _fail_assembly(kernel: Kernel, call: GetCall, refusal: MQError) -> None:
    from ternmq.kernel.complete_get import fail

    fail(kernel, call, refusal)


def _answer_complete(kernel: Kernel, call: GetCall, local: LocalQueue, entry: Entry) -> None:
    from ternmq.kernel.complete_get import begin

    begin(kernel, call, local, entry)


def _answer(kernel: Kernel, call: GetCall, local: LocalQueue, entry: Entry) -> None:
    connection = call.connection
    if call.request.spares and call.request.spared(entry):
        call.reason = SPARED
        return
    if call.request.complete and flags_of(entry) & SEGMENT_FLAGS:
        _answer_complete(kernel, call, local, entry)
        return
    reason: i64 = 0
    request = call.request
    if (
        entry.length > request.buffer_length or request.extends or entry.properties
    ) and not fits_buffer(call, entry):
        if request.options & mq.MQGMO_ACCEPT_TRUNCATED_MSG:
            reason = MQRC_TRUNCATED_MSG_ACCEPTED
        else:
            reason = MQRC_TRUNCATED_MSG_FAILED
    if not call.browse and reason != MQRC_TRUNCATED_MSG_FAILED:
        if not _take(kernel, call, local, entry):
            return
    else:
        connection.depends_on(entry.visible_lsn)
        call.handle.context = None  # after a browse there is no context to pass
        if kernel.measured:
            was_browsed(kernel, call, local, entry, reason)
    connection.log_tries = 0
    call.entry = entry
    call.reason = reason
    if (
        entry.group_id is not ZERO_ID or call.handle.logical is not None or request.grouping
    ) and reason != MQRC_TRUNCATED_MSG_FAILED:
        note_message(call, entry)


def _take(kernel: Kernel, call: GetCall, local: LocalQueue, entry: Entry) -> bool:
    """The message leaves its queue; False: parked until the log has room, or to be tried again."""
    connection = call.connection
    unit = _unit_for(kernel, call, entry)
    if (unit is not None or entry.flags & PERSISTENT) and not _may_take(
        kernel, call, local, unit, entry
    ):
        return False
    within = unit
    if entry.flags & REPORTS:
        within = kernel.reports.of_delivery(call, local, unit, entry)
        if connection.park is not None:
            return False
    if local.queue.locks and int(entry.number) in local.queue.locks:
        release_lock(kernel, call.handle)  # nobody else can have the message
    if local.queue.fetched:
        local.queue.forget_fetched(entry)
    queue = local.queue
    if entry.state == PUTTING:
        if unit is not None:  # as it is for a message that was put in it
            get_own(kernel.coordinator, unit, queue, entry)
        was_taken(kernel, call.handle, local, entry, call.request)
        return True
    in_front = queue.swept_alive > 0 and queue.lanes[entry.lane].has_in_front(entry)
    connection.depends_on(kernel.coordinator.get(within, local.queue, entry))
    if within is not None and within is not unit:
        kernel.reports.commit(connection, within)
    was_taken(kernel, call.handle, local, entry, call.request)
    if in_front and local.queue.swept_alive:
        fetch_ahead(local.queue, entry, kernel.outbox)
    return True


def _may_take(
    kernel: Kernel, call: GetCall, local: LocalQueue, unit: UnitOfWork | None, entry: Entry
) -> bool:
    """Whether the log has room, and the unit of work goes on; if not, the get is tried again."""
    if unit is not None and unit.state != ACTIVE:
        call.connection.again = True  # its backout is not at its end; this get is in the next unit
        return False
    if unit is not None and entry.state == PUTTING and not own_is_whole(unit):
        call.connection.again = True
        return False
    if entry.flags & PERSISTENT and not _has_room(kernel, call, unit, entry):
        kernel.make_room(call.connection, "MQGET", local.name, 0)
        return False
    return True


def was_taken(
    kernel: Kernel,
    handle: Handle,
    local: LocalQueue,
    entry: Entry,
    request: GetRequest | None = None,
) -> None:
    """A get by this handle has taken a message off its queue: monitoring, accounting and events
    count it. Without a request it was for any message."""
    if local.watched or kernel.measured:
        now_ns: i64 = kernel.clock.now_ns()
        if local.watched:
            local.watch.got(now_ns, entry.put_ns)
        if kernel.measured:
            was_got(kernel, handle, local, entry, request, now_ns)
    if kernel.events & PERFORMANCE:
        kernel.event_sink.was_got(local)
    if handle.options & mq.MQOO_SAVE_ALL_CONTEXT:
        handle.context = entry


def _has_room(kernel: Kernel, call: GetCall, unit: UnitOfWork | None, entry: Entry) -> bool:
    if call.reserved < 0:
        return kernel.coordinator.has_room(unit, 0)
    if entry.state == PUTTING:
        unit = None  # to be taken back it is put again
    call.reserved = kernel.coordinator.reserve_return(unit, entry.length + len(entry.properties))
    return call.reserved > 0


def resume(kernel: Kernel, call: GetCall) -> None:
    """Try again after a park or between steps."""
    stop_looking(call)
    attempt(kernel, call)


def stop_waiting(kernel: Kernel, call: GetCall) -> None:
    """Take a call off the list of waiters."""
    if not call.waiting:
        return
    call.waiting = False
    kernel.waits -= 1
    local = call.handle.local
    if local is not None:
        local.waiters.remove(call)
    kernel.waiting.pop(call.handle.key, None)


def cancel(kernel: Kernel, call: GetCall, reason: i64) -> None:
    """End a wait without a message; nothing happens if it has ended already."""
    if call.waiting:
        stop_waiting(kernel, call)
        call.reason = reason
        local = call.handle.local
        if kernel.measured and local is not None:
            got_nothing(kernel, call, local, reason)
