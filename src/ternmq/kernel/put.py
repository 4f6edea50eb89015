"""MQPUT and MQPUT1 to a local queue: queueing or a hand-over.

A message goes straight to a waiting getter, without being on the queue, where both are outside
syncpoint and no get browses; a persistent one is then a single put-and-got record, forced before
either side is answered.
"""

from __future__ import annotations

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.limits import PRIORITY_MAX
from ternmq.base.reasons import (
    MQRC_HOBJ_ERROR,
    MQRC_PRIORITY_EXCEEDS_MAXIMUM,
    MQRC_PROPERTIES_TOO_BIG,
    MQRC_Q_DELETED,
    MQRC_Q_FULL,
    MQRC_Q_SPACE_NOT_AVAILABLE,
    MQRC_SYNCPOINT_LIMIT_REACHED,
)
from ternmq.codec.property_area import property_bytes
from ternmq.codec.property_header import length_as_put
from ternmq.kernel.acceptance import check_queue, must_wait, relieve
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.copies import copies_for, put_with_copies
from ternmq.kernel.delivery import hand_over, serve, wake_own
from ternmq.kernel.events import PERFORMANCE
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering import was_put, were_streamed
from ternmq.kernel.objects import LocalQueue, cap_of, lowest_cap
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.streaming import CopyTarget
from ternmq.kernel.transmission import (
    as_transmitted,
    check_header,
    extension_bytes,
    with_reply_place,
)
from ternmq.store.copying import NANOSECONDS_A_TENTH
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import REPORTS, ZERO_ID, Entry


def put(
    kernel: Kernel, connection: Connection, handle: Handle, request: PutRequest, data: bytes
) -> Entry | None:
    """MQPUT; None: the connection is parked, or goes on later: the verb has to be tried again."""
    if handle.local is None and handle.topic is not None:
        connection.begin_verb()
        return kernel.topics.publish(connection, handle, request, data)
    if request.grouped or handle.position is not None:
        return _put_grouped(kernel, connection, handle, request, data)
    return put_one(kernel, connection, handle, request, data)


def put_one(
    kernel: Kernel, connection: Connection, handle: Handle, request: PutRequest, data: bytes
) -> Entry | None:
    """Put one message that is as its request says; None: the connection is parked."""
    connection.begin_verb()
    local = queue_of(connection, handle)
    kernel.refuse_if_ending(request.options & mq.MQPMO_FAIL_IF_QUIESCING != 0, "MQPUT")
    persistence, priority = defaults_of(handle, local, request)
    length: i64 = len(data)
    if local.transmits:
        length += _header_bytes(handle, local, request, data)
    area_bytes: i64 = len(request.properties)
    if area_bytes:
        length += _checked_properties(kernel, handle, request, data)
    check_queue(kernel, connection, local, handle.via, length, area_bytes, persistence)
    unit = unit_for(kernel, connection, request)
    if must_wait(kernel, connection, local, unit, length + area_bytes, persistence):
        return None
    copies: list[CopyTarget] | None = None
    if local.streams or request.copies is not None:
        copies = copies_for(
            kernel, connection, handle, local, unit, length, area_bytes, persistence, request, data
        )
        if copies is None:
            return None
    entry = new_entry(kernel, handle, local, request, data, priority, persistence)
    placed = entry if handle.route is None else as_transmitted(kernel, handle.route, entry)
    within = unit
    if placed.flags & REPORTS:
        within = kernel.reports.of_arrival(handle, local, unit, placed, len(copies or ()))
        if connection.park is not None:
            return None
    connection.log_tries = 0
    handed_over = _settle(kernel, connection, local, unit, within, placed, copies, request)
    if kernel.measured:
        _measure(kernel, handle, local, entry, handed_over, copies)
    if local.triggered:
        kernel.triggers.was_put(local, placed, unit, handle)
    return entry


def _put_grouped(
    kernel: Kernel, connection: Connection, handle: Handle, request: PutRequest, data: bytes
) -> Entry | None:
    from ternmq.kernel.grouped_put import put_grouped  # it puts each message by `put_one`

    return put_grouped(kernel, connection, handle, request, data)


def queue_of(connection: Connection, handle: Handle) -> LocalQueue:
    """The queue that a handle puts to."""
    local = handle.local
    if local is None or handle.connection is not connection:
        raise mq_error(MQRC_HOBJ_ERROR, verb="MQPUT", object=handle.resolved_name)
    if local.deleted:
        raise mq_error(MQRC_Q_DELETED, verb="MQPUT", object=local.name)
    return local


def new_entry(
    kernel: Kernel,
    handle: Handle,
    local: LocalQueue,
    request: PutRequest,
    data: bytes,
    priority: i64,
    persistence: i64,
) -> Entry:
    """The message as it will be on its queue."""
    now_ns: i64 = kernel.clock.now_ns()
    expiry_at: i64 = 0
    expiry = request.expiry
    if local.cap_expiry >= 0 or handle.via:
        expiry = lowest_cap(expiry, _cap(handle, local))
    if expiry >= 0:
        expiry_at = now_ns + expiry * NANOSECONDS_A_TENTH
    msg_id = request.msg_id
    if msg_id == ZERO_ID:
        msg_id = kernel.new_id()
    base = request.resolved_base(priority, persistence)
    if request.replies_unplaced:
        base = request.placed_base(with_reply_place(kernel, base))
    return Entry(
        0,
        min(priority, PRIORITY_MAX),
        request.flags | persistence,
        now_ns,
        expiry_at,
        msg_id,
        kernel.new_id() if request.new_correl_id else request.correl_id,
        kernel.new_id() if request.new_group_id else request.group_id,
        base,
        data,
        len(data),
        request.properties,
    )


def _measure(
    kernel: Kernel,
    handle: Handle,
    local: LocalQueue,
    entry: Entry,
    handed_over: bool,
    copies: list[CopyTarget] | None,
) -> None:
    was_put(kernel, handle, local, entry, handed_over)
    if copies:
        were_streamed(kernel, handle, local, len(copies))


def _header_bytes(handle: Handle, local: LocalQueue, request: PutRequest, data: bytes) -> i64:
    """The headers that a message gets on a transmission queue; one that is put there by an
    application itself must have its own."""
    if handle.header_bytes:
        return handle.header_bytes + extension_bytes(request)
    check_header(local.name, request.base, data)
    return 0


def _checked_properties(kernel: Kernel, handle: Handle, request: PutRequest, data: bytes) -> i64:
    """How much longer the data of a message with properties becomes on its way to another queue
    manager; 0 on a queue here. MQRC_PROPERTIES_TOO_BIG if MAXPROPL does not allow them."""
    area = request.properties
    if kernel.max_properties >= 0:
        found = property_bytes(area)
        if found > kernel.max_properties:
            raise mq_error(
                MQRC_PROPERTIES_TOO_BIG,
                verb="MQPUT",
                object=kernel.name,
                detail=f"{found} bytes of properties, MAXPROPL({kernel.max_properties})",
            )
    if handle.route is not None:
        return length_as_put(area, data, request.base) - len(data)
    return 0


def _settle(
    kernel: Kernel,
    connection: Connection,
    local: LocalQueue,
    unit: UnitOfWork | None,
    within: UnitOfWork | None,
    entry: Entry,
    copies: list[CopyTarget] | None,
    request: PutRequest,
) -> bool:
    """The message goes where it is to go; True: straight to a waiting get. `within` is not `unit`
    where, outside syncpoint, it and its COA report are a unit of work of their own."""
    if local.watched:
        local.watch.last_put_ns = entry.put_ns
    handed_over = False
    if copies:
        put_with_copies(kernel, connection, local, within, entry, copies, request)
    elif within is None:
        handed_over = _place(kernel, connection, local, entry)
    else:
        _place_in_unit(kernel, local, within, entry)
    if within is not unit and within is not None:
        kernel.reports.commit(connection, within)
    elif unit is not None and not copies and local.waiters.count:
        wake_own(kernel, connection, local)
    return handed_over


def _place(kernel: Kernel, connection: Connection, local: LocalQueue, entry: Entry) -> bool:
    """Outside a unit of work: to a waiting get (True), or onto the queue."""
    if local.waiters.count and hand_over(kernel, connection, local, entry):
        if kernel.events & PERFORMANCE:
            kernel.event_sink.was_put(local)
            kernel.event_sink.was_got(local)
        return True
    connection.depends_on(kernel.coordinator.put(None, local.queue, entry))
    if kernel.events & PERFORMANCE:
        kernel.event_sink.was_put(local)
    if local.waiters.count:
        serve(kernel, local, entry)
    relieve(kernel, local.queue)
    return False


def _place_in_unit(kernel: Kernel, local: LocalQueue, unit: UnitOfWork, entry: Entry) -> None:
    kernel.coordinator.put(unit, local.queue, entry)
    if kernel.events & PERFORMANCE:
        kernel.event_sink.was_put(local)
    relieve(kernel, local.queue)


def _cap(handle: Handle, local: LocalQueue) -> i64:
    """The lowest CAPEXPRY of all objects on the way; -1: none has one."""
    cap = local.cap_expiry
    for definition in handle.via:
        cap = lowest_cap(cap, cap_of(definition))
    return cap


def defaults_of(handle: Handle, local: LocalQueue, request: PutRequest) -> tuple[i64, i64]:
    """Persistence and priority: the message's own, or those of the queue as it was named."""
    persistence = request.persistence
    if persistence == mq.MQPER_PERSISTENCE_AS_Q_DEF:
        if handle.via:
            persistence = handle.via[0].number("default_persistence")
        else:
            persistence = local.default_persistence
    priority = request.priority
    if priority == mq.MQPRI_PRIORITY_AS_Q_DEF:
        if handle.via:
            priority = handle.via[0].number("default_priority")
        else:
            priority = local.default_priority
    if priority > PRIORITY_MAX:
        handle.connection.warning = MQRC_PRIORITY_EXCEEDS_MAXIMUM
    return persistence, priority


def unit_for(kernel: Kernel, connection: Connection, request: PutRequest) -> UnitOfWork | None:
    """The unit of work that a put belongs to; MQRC_SYNCPOINT_LIMIT_REACHED if it is full."""
    if not request.syncpoint:
        return None
    unit = kernel.unit_of(connection, "MQPUT")
    if unit.uncommitted >= kernel.max_uncommitted:
        raise mq_error(
            MQRC_SYNCPOINT_LIMIT_REACHED,
            verb="MQPUT",
            object=kernel.name,
            detail=f"MAXUMSGS({kernel.max_uncommitted})",
        )
    return unit


# ---- for a message that is put later (see `deferred_put`)


def check_later(
    kernel: Kernel, connection: Connection, handle: Handle, request: PutRequest, data: bytes
) -> tuple[i64, i64]:
    """Whether its queue takes such a message at all, though it may be full now; persistence and
    priority."""
    local = queue_of(connection, handle)
    kernel.refuse_if_ending(request.options & mq.MQPMO_FAIL_IF_QUIESCING != 0, "MQPUT")
    persistence, priority = defaults_of(handle, local, request)
    length: i64 = len(data)
    if local.transmits:
        length += _header_bytes(handle, local, request, data)
    area_bytes: i64 = len(request.properties)
    if area_bytes:
        length += _checked_properties(kernel, handle, request, data)
    try:
        check_queue(kernel, connection, local, handle.via, length, area_bytes, persistence)
    except MQError as refused:
        if refused.reason not in (MQRC_Q_FULL, MQRC_Q_SPACE_NOT_AVAILABLE):
            raise
    return persistence, priority
