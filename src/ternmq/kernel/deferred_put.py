"""A put with a delivery delay: the message is staged on SYSTEM.DDELAY.LOCAL.QUEUE until it is due.

Everything that a put checks of its queue is checked now, but for room on it; authority was checked
by the open. The staged message is an ordinary one, as persistent as the message and put in the same
unit of work: the delay header with the message's own descriptor, then its data; its properties
beside them. It has a MsgId of its own and the message's MsgId as CorrelId, as in IBM MQ. It does
not expire and asks for no report: the message does, once it is delivered. The delay counts from the
put, not from the commit.
"""

from __future__ import annotations

import struct
from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.object_types import LOCAL
from ternmq.base.reasons import (
    MQRC_EXPIRY_ERROR,
    MQRC_OPTIONS_ERROR,
    MQRC_Q_TYPE_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.codec.headers.delay_header import FORMAT, DelayHeader
from ternmq.codec.mqi.mqmd import MSG_FLAGS_AT, Descriptor
from ternmq.kernel.acceptance import check_queue, must_wait, relieve
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.delays import DELAY_QUEUE, delay_key
from ternmq.kernel.events import PERFORMANCE
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering import was_put
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.put import check_later, new_entry, queue_of, unit_for
from ternmq.kernel.requests import PutRequest
from ternmq.ports.clock import LATEST_NS
from ternmq.values.entry import PERSISTENT, ZERO_ID, Entry, packed_descriptor

NANOSECONDS_A_MS: Final = 1_000_000
_HEADER_BYTES_MAX: Final = 1024  # more than the delay header takes; for the checks of room
_I32: Final = struct.Struct("<i")
_IN_GROUP: Final = (
    mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP | mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT
)


def put_deferred(
    kernel: Kernel,
    connection: Connection,
    handle: Handle,
    request: PutRequest,
    data: bytes,
    delay_ms: i64,
) -> Entry | None:
    """Stage one message; None: the connection is parked and the verb has to be tried again. The
    entry is the message as it will be delivered."""
    connection.begin_verb()
    persistence, priority = check_later(kernel, connection, handle, request, data)
    _check_group(handle, request)
    staging = _delay_queue(kernel, connection)
    if staging is None:
        return None
    length: i64 = len(data) + _HEADER_BYTES_MAX
    area_bytes: i64 = len(request.properties)
    check_queue(kernel, connection, staging, [], length, area_bytes, persistence)
    unit = unit_for(kernel, connection, request)
    if must_wait(kernel, connection, staging, unit, length + area_bytes, persistence):
        return None
    connection.log_tries = 0
    local = queue_of(connection, handle)
    entry = new_entry(kernel, handle, local, request, data, priority, persistence)
    due_ns = _due(handle, entry, delay_ms)
    staged = _staged(kernel, handle, entry, due_ns)
    connection.depends_on(kernel.coordinator.put(unit, staging.queue, staged))
    key = delay_key(due_ns, staged.msg_id)
    if unit is None:
        kernel.delays.add(key)
    else:
        kernel.delays.add_in_unit(unit, key)
    if kernel.events & PERFORMANCE:
        kernel.event_sink.was_put(staging)
    if staging.watched:
        staging.watch.last_put_ns = entry.put_ns
    if kernel.measured:
        was_put(kernel, handle, staging, staged, False)
    relieve(kernel, staging.queue)
    return entry


def _check_group(handle: Handle, request: PutRequest) -> None:
    """Parts of a group or of a segmented message would be delivered apart."""
    flags: int = _I32.unpack_from(request.base, MSG_FLAGS_AT)[0]
    if flags & _IN_GROUP or request.options & mq.MQPMO_LOGICAL_ORDER:
        raise mq_error(
            MQRC_OPTIONS_ERROR,
            verb="MQPUT",
            object=handle.resolved_name,
            detail="a message in a group, or a segment, cannot have a delivery delay",
        )


def _delay_queue(kernel: Kernel, connection: Connection) -> LocalQueue | None:
    """The staging queue; None: parked until it is loaded."""
    definition = kernel.catalog.definitions.get(DELAY_QUEUE)
    if definition is None:
        detail = "it holds messages with a delivery delay; define it"
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb="MQPUT", object=DELAY_QUEUE, detail=detail)
    if definition.object_type != LOCAL:
        detail = "messages with a delivery delay need a local queue of this name"
        raise mq_error(MQRC_Q_TYPE_ERROR, verb="MQPUT", object=DELAY_QUEUE, detail=detail)
    return kernel.local_queue(connection, definition)


def _due(handle: Handle, entry: Entry, delay_ms: i64) -> i64:
    """When the message is to be delivered; MQRC_EXPIRY_ERROR if it would have expired by then."""
    if not 0 < delay_ms <= (LATEST_NS - entry.put_ns) // NANOSECONDS_A_MS:
        raise mq_error(
            MQRC_OPTIONS_ERROR,
            verb="MQPUT",
            object=handle.resolved_name,
            detail=f"delivery delay of {delay_ms} ms; it is more than 0 and ends before 2256",
        )
    due_ns = entry.put_ns + delay_ms * NANOSECONDS_A_MS
    if entry.expiry_at and entry.expiry_at < due_ns:
        lives_ms = (entry.expiry_at - entry.put_ns) // NANOSECONDS_A_MS
        raise mq_error(
            MQRC_EXPIRY_ERROR,
            verb="MQPUT",
            object=handle.resolved_name,
            detail=f"a delivery delay of {delay_ms} ms is longer than the message lives, "
            f"{lives_ms} ms by Expiry or CAPEXPRY",
        )
    return due_ns


def _header(handle: Handle, due_ns: i64) -> DelayHeader:
    """Where the message goes: what was opened is resolved again when it is due."""
    if handle.via:
        return DelayHeader(handle.via[0].name, "", "", due_ns)
    route = handle.route
    if route is None:
        return DelayHeader(handle.resolved_name, "", "", due_ns)
    return DelayHeader(route.remote_queue, route.remote_qmgr, route.transmission.name, due_ns)


def _staged(kernel: Kernel, handle: Handle, entry: Entry, due_ns: i64) -> Entry:
    """The message as it is on the delay queue."""
    header = _header(handle, due_ns)
    header.flags = entry.flags
    header.put_ns = entry.put_ns
    header.expiry_at = entry.expiry_at
    header.descriptor = packed_descriptor(entry)
    outer = Descriptor.unpack(header.descriptor)
    outer.report = mq.MQRO_NONE
    outer.msg_type = mq.MQMT_DATAGRAM
    outer.expiry = mq.MQEI_UNLIMITED
    outer.feedback = mq.MQFB_NONE
    outer.encoding = mq.MQENC_NATIVE
    outer.ccsid = kernel.number("ccsid")
    outer.format = FORMAT
    outer.msg_flags = 0
    outer.put_appl_type = mq.MQAT_QMGR  # says that the queue manager has made the header
    outer.put_appl_name = kernel.name[: mq.MQ_PUT_APPL_NAME_LENGTH]
    data = header.pack() + entry.data
    return Entry(
        0,
        entry.priority,
        entry.flags & PERSISTENT,
        entry.put_ns,
        0,
        kernel.new_id(),
        entry.msg_id,
        ZERO_ID,
        outer.pack(),
        data,
        len(data),
        entry.properties,
    )
