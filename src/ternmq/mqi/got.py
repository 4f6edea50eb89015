"""What an MQGET answers: a message made of the kernel's get, or the error that says why not.

The drivers' fast paths and the step of the call `get` both use it.
"""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NO_MSG_LOCKED,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
)
from ternmq.codec.conversion import Converted, convert_for_buffer
from ternmq.kernel.browse import unlock
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.get import BROWSE_OPTIONS
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.property_options import as_delivered
from ternmq.kernel.refusals import BROWSE
from ternmq.kernel.requests import GetCall
from ternmq.kernel.resolve import check_handle
from ternmq.ports.clock import Clock
from ternmq.values.entry import Entry
from ternmq.values.get_request import GetRequest
from ternmq.values.message import Message


def get_verb(request: GetRequest) -> str:
    """What is counted if it is refused."""
    return BROWSE if request.options & BROWSE_OPTIONS else "MQGET"


def unlocked(
    kernel: Kernel, connection: Connection, handle: Handle, request: GetRequest
) -> GetCall:
    """MQGET with MQGMO_UNLOCK."""
    call = GetCall(connection, handle, request)
    check_handle(connection, handle, "MQGET")
    if not unlock(kernel, handle):
        call.reason = MQRC_NO_MSG_LOCKED
    return call


def message_of(clock: Clock, call: GetCall) -> Message | None:
    """The message, None without one, or the error that says why."""
    entry = call.entry
    if entry is not None and entry.properties:
        entry = as_delivered(call, entry)
    if entry is not None and call.reason == 0:
        got_ns = clock.now_ns() if entry.expiry_at else 0
        message = Message(entry, entry.data, False, got_ns)
        if call.request.options & mq.MQGMO_CONVERT:
            _convert(message, call)
        if call.warning and not message.warning:
            message.warning = int(call.warning)
        return message
    if call.reason in (0, MQRC_NO_MSG_AVAILABLE):  # 0: an unlock
        return None
    return _explain(clock, call, entry)


def converted(call: GetCall, entry: Entry, limit: int) -> Converted:
    """The data of a message as MQGMO_CONVERT and a buffer of that length want it."""
    request = call.request
    return convert_for_buffer(
        entry.data,
        entry.base,
        (int(request.ccsid), int(request.encoding)),
        limit,
        request.options & mq.MQGMO_ACCEPT_TRUNCATED_MSG != 0,
        call.connection.conversion,
    )


def _convert(message: Message, call: GetCall) -> None:
    """As MQGMO_CONVERT says."""
    request = call.request
    message.convert(
        int(request.ccsid),
        int(request.encoding),
        int(request.buffer_length),
        request.options & mq.MQGMO_ACCEPT_TRUNCATED_MSG != 0,
        call.connection.conversion,
    )


def _explain(clock: Clock, call: GetCall, entry: Entry | None) -> Message:
    """The cut message of a warning, or the error that says why there is no message."""
    name = call.handle.resolved_name
    if entry is None:
        raise mq_error(int(call.reason), verb="MQGET", object=name)
    limit = call.request.buffer_length
    if call.reason == MQRC_TRUNCATED_MSG_ACCEPTED and call.request.options & mq.MQGMO_CONVERT:
        converted = Message(entry, entry.data, True, clock.now_ns())
        _convert(converted, call)
        return converted
    cut = Message(entry, entry.data[:limit], True, clock.now_ns())
    if call.reason == MQRC_TRUNCATED_MSG_FAILED:
        raise mq_error(
            MQRC_TRUNCATED_MSG_FAILED,
            verb="MQGET",
            object=name,
            detail=f"{entry.length} bytes, the buffer has {limit}",
            result=cut,
        )
    return cut
