"""What a get delivers of a message's properties: MQGMO options, PROPCTL and the message together.

    way            option                     PROPCTL, if there is no option
    DROPPED        NO_PROPERTIES              NONE; COMPAT without a property for JMS
    IN_HEADER      FORCE_MQRFH2;              FORCE; ALL; COMPAT with a property for JMS
                   COMPATIBILITY with a
                   property for JMS, else
                   DROPPED
    APART          IN_HANDLE                  ALL, COMPAT and NONE, for callers that take them
                                              beside the data
    AS_SENT        -                          V6COMPAT

A property for JMS is one of folder mcd, jms, usr or mqext. `apart` of a request: its caller takes
properties beside the data, in a message handle or as `Message.properties`. AS_SENT gives the MQRFH2
headers that an application put before the data; what was set otherwise goes to callers that take it
beside the data. The PROPCTL that counts is that of the queue as it was named, an alias say.

Whether a message fits is decided before it is taken, by the length that it is delivered with. Every
binding delivers by `as_delivered`, so that all give the same.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.codec.headers.mqmde import NO_EXTENSION
from ternmq.codec.mqi.mqmd import GROUP_ID_AT
from ternmq.codec.property_area import (
    HAS_JMS_FOLDER,
    ORIGINAL_IS_ALL,
    area_flags,
    original_of,
    pack_area,
    read_properties,
)
from ternmq.codec.property_header import as_put, length_as_put, split
from ternmq.kernel.connection import Handle
from ternmq.kernel.group_offers import rest_length
from ternmq.kernel.requests import GetCall
from ternmq.values.entry import ZERO_ID, Entry

DROPPED: Final = 0
IN_HEADER: Final = 1
APART: Final = 2
AS_SENT: Final = 3

_AFTER_GROUP: Final = GROUP_ID_AT + 24
_NO_GROUP: Final = NO_EXTENSION[24:]
CHOICE: Final = (
    mq.MQGMO_PROPERTIES_FORCE_MQRFH2
    | mq.MQGMO_NO_PROPERTIES
    | mq.MQGMO_PROPERTIES_IN_HANDLE
    | mq.MQGMO_PROPERTIES_COMPATIBILITY
)


def way_of(options: i64, control: i64, apart: bool, is_for_jms: bool) -> i64:
    """How properties are delivered by these MQGMO options and this PROPCTL."""
    for_jms: i64 = IN_HEADER if is_for_jms else DROPPED
    choice = options & CHOICE
    if choice == mq.MQGMO_NO_PROPERTIES:
        return DROPPED
    if choice == mq.MQGMO_PROPERTIES_FORCE_MQRFH2:
        return IN_HEADER
    if choice == mq.MQGMO_PROPERTIES_IN_HANDLE:
        return APART
    if choice == mq.MQGMO_PROPERTIES_COMPATIBILITY:
        return for_jms
    if control == mq.MQPROP_FORCE_MQRFH2:
        return IN_HEADER
    if control == mq.MQPROP_V6COMPAT:
        return AS_SENT
    if apart:
        return APART
    if control == mq.MQPROP_ALL:
        return IN_HEADER
    return DROPPED if control == mq.MQPROP_NONE else for_jms


def control_of(handle: Handle) -> i64:
    """PROPCTL of the queue as it was named."""
    definition = handle.definition
    if definition is None:
        return mq.MQPROP_ALL
    return definition.number("property_control")


def _way(call: GetCall, entry: Entry) -> i64:
    is_for_jms = area_flags(entry.properties) & HAS_JMS_FOLDER != 0
    request = call.request
    return way_of(request.options, control_of(call.handle), request.apart, is_for_jms)


def delivered_length(call: GetCall, entry: Entry) -> i64:
    """How long the data of a message is when it is delivered, with what goes before it."""
    more: i64 = 0
    if call.request.extends and has_extension(entry):
        more = mq.MQMDE_LENGTH_2
    return more + (_length(call, entry) if entry.properties else entry.length)


def fits_buffer(call: GetCall, entry: Entry) -> bool:
    """Whether the buffer of the get, and the channel to it, have room for the message."""
    length = entry.length
    request = call.request
    rest: i64 = rest_length(call, entry) if request.complete else 0
    if entry.properties or request.extends:
        length = delivered_length(call, entry)
        if request.passes and not _can_travel(call, entry, length + rest):
            return False
    return length + rest <= request.buffer_length


def _can_travel(call: GetCall, entry: Entry, length: i64) -> bool:
    """Whether the channel passes what goes beside the data and the data."""
    passes = call.request.passes
    if length + len(entry.properties) <= passes:
        return True
    beside: i64 = len(as_delivered(call, entry).properties)
    return beside == 0 or length + beside <= passes


def has_extension(entry: Entry) -> bool:
    """Whether version 1 of the MQMD would lose something of the message."""
    return entry.group_id != ZERO_ID or entry.base[_AFTER_GROUP:] != _NO_GROUP


def _length(call: GetCall, entry: Entry) -> i64:
    way = _way(call, entry)
    if way in (DROPPED, APART):
        return entry.length
    return length_as_put(entry.properties, entry.data, entry.base, way == AS_SENT)


def as_delivered(call: GetCall, entry: Entry) -> Entry:
    """A message with properties as the get wants it. The one that was got stays in the call, for
    it may go back to its queue."""
    way = _way(call, entry)
    if way == APART:
        return entry
    data = entry.data
    base = entry.base
    properties = b""
    if way != DROPPED:
        data, base = as_put(entry.properties, data, base, way == AS_SENT)
    if way == AS_SENT and call.request.apart:
        properties = _beside_original(entry)
    return _other(entry, base, data, properties)


def without_area(entry: Entry) -> Entry:
    """The message without its properties, as it is got."""
    return _other(entry, entry.base, entry.data, b"")


def _other(entry: Entry, base: bytes, data: bytes, properties: bytes) -> Entry:
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
        properties,
    )
    other.length += entry.length - len(entry.data)  # of one that was cut when it was joined
    other.queue_id = entry.queue_id
    other.lane = entry.lane
    other.sequence = entry.sequence
    other.backout_count = entry.backout_count
    return other


def _beside_original(entry: Entry) -> bytes:
    """The properties that the headers of an application do not have."""
    area = entry.properties
    if area_flags(area) & ORIGINAL_IS_ALL:
        return b""
    if original_of(area) is None:
        return area
    data, base = as_put(area, entry.data, entry.base, True)
    parts = split(data, base)
    said: set[str] = set()
    if parts is not None:
        said = {one.name for one in read_properties(parts.area)}
    return pack_area([one for one in read_properties(area) if one.name not in said])
