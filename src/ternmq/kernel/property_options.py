"""Messages without their properties: who asks for that (MQGMO_NO_PROPERTIES, PROPCTL(NONE)), how
much of the buffer they then need, and what is delivered.

Whether a message fits is decided before it is taken, by its length without properties: a get whose
buffer holds the payload succeeds, and one that accepts a cut message cuts the payload. Every
binding delivers by `as_delivered`, so that all give the same.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_TRUNCATED_MSG_ACCEPTED
from ternmq.codec.properties import (
    has_properties,
    length_without_properties,
    without_properties,
)
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import GetCall
from ternmq.values.entry import Entry

_CHOICE: Final = (
    mq.MQGMO_PROPERTIES_FORCE_MQRFH2
    | mq.MQGMO_NO_PROPERTIES
    | mq.MQGMO_PROPERTIES_IN_HANDLE
    | mq.MQGMO_PROPERTIES_COMPATIBILITY
)


def drops_properties(options: i64, handle: Handle) -> bool:
    """Whether a get with these options is to have no properties: what it says counts, and if it
    says nothing the queue as it was named, an alias say."""
    choice = options & _CHOICE
    if choice:
        return choice == mq.MQGMO_NO_PROPERTIES
    definition = handle.definition
    if definition is None:
        return False
    return definition.attributes.get("property_control") == mq.MQPROP_NONE


def loses_properties(call: GetCall, entry: Entry) -> bool:
    """Whether a message is delivered otherwise than it lies on its queue."""
    return has_properties(entry.base) and drops_properties(call.request.options, call.handle)


def fits_buffer(call: GetCall, entry: Entry) -> bool:
    """Whether the buffer holds what is delivered."""
    limit = call.request.buffer_length
    if entry.length <= limit:
        return True
    if not loses_properties(call, entry):
        return False
    return length_without_properties(entry.data, entry.base) <= int(limit)


def as_delivered(call: GetCall, entry: Entry) -> Entry:
    """The message of a call without its properties; it is no longer cut if it fits now. The one
    that was got stays in the call, for it may go back to its queue."""
    data, base = without_properties(entry.data, entry.base)
    if call.reason == MQRC_TRUNCATED_MSG_ACCEPTED and len(data) <= int(call.request.buffer_length):
        call.reason = 0
    other = Entry(
        entry.number,
        entry.priority,
        entry.flags,
        entry.put_ns,
        entry.expiry_at,
        entry.msg_id,
        entry.correl_id,
        entry.group_id,
        base,
        data,
        len(data),
    )
    if call.reason and len(data) <= int(call.request.buffer_length):
        # It failed for a header that is longer than a step looks at: all of it has to fit.
        other.length = entry.length
    other.queue_id = entry.queue_id
    other.lane = entry.lane
    other.sequence = entry.sequence
    other.backout_count = entry.backout_count
    return other
