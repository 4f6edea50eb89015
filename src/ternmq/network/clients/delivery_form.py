"""A message on its way to a client: converted as MQGMO_CONVERT asks, and with its properties as the
get and the queue want them.

Properties travel as an MQRFH2 before the data, in both directions; clients make message handles of
that by themselves. So they are put before the data here, or dropped, as get and queue say. Between
our own client and us what is beside the data travels as a property area before it.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_TRUNCATED_MSG_ACCEPTED
from ternmq.codec.conversion import converted_extension
from ternmq.codec.headers.mqmde import extension_before
from ternmq.codec.mqi.mqmd import ENCODING_AT, FORMAT_AT, GROUP_ID_AT, Descriptor
from ternmq.kernel.property_options import as_delivered, has_extension, without_area
from ternmq.kernel.requests import GetCall
from ternmq.mqi.got import converted
from ternmq.values.entry import Entry
from ternmq.wire.fap.vocabulary import PROPERTIES_APART

_FORMAT_END: Final = FORMAT_AT + 8


@final
class Delivered:
    """What goes to the client."""

    __slots__ = ("area_bytes", "base", "data", "length", "reason")

    def __init__(self, data: bytes, base: bytes, reason: int, length: int) -> None:
        self.data = data
        self.base = base
        self.reason = reason
        self.length = length  # of the whole message, if the data is cut
        self.area_bytes = 0  # of the data: a property area


def options_here(options: int, is_own_client: bool) -> tuple[int, bool]:
    """The options of a get as the queue manager takes them, and whether properties come beside the
    data. A client that wants them in a handle fills that itself, from the MQRFH2 before the data;
    our own client gets their area, which does not count for the buffer (`deliver`)."""
    if not options & mq.MQGMO_PROPERTIES_IN_HANDLE:
        return options, False
    if not is_own_client:
        options &= ~mq.MQGMO_PROPERTIES_IN_HANDLE
        return options | mq.MQGMO_PROPERTIES_FORCE_MQRFH2, False
    if options & PROPERTIES_APART == PROPERTIES_APART:
        options &= ~PROPERTIES_APART
    return options, True


def is_as_it_is(options: int, version: int, entry: Entry) -> bool:
    """Whether a message of such a get, into that version of the MQMD, goes out as it is on the
    queue."""
    return not options & mq.MQGMO_CONVERT and not entry.properties and version == 2


def deliver(call: GetCall, entry: Entry, options: int) -> Delivered:
    """The message of a call as its options want it; cut to the buffer."""
    limit = int(call.request.buffer_length)
    if call.request.extends and has_extension(entry):
        made = _deliver(call, entry, options, max(limit - mq.MQMDE_LENGTH_2, 0))
        _extend(made, entry, limit, call if options & mq.MQGMO_CONVERT else None)
        return made
    return _deliver(call, entry, options, limit)


def _extend(made: Delivered, entry: Entry, limit: int, converts: GetCall | None) -> None:
    """With an MQMDE before the data, as a client that has version 1 of the MQMD gets it; a property
    area stays in front, and does not count for the buffer. A get that converts has it, too, in its
    character set and encoding."""
    base = made.base
    md = Descriptor.unpack(base[:GROUP_ID_AT] + entry.group_id + base[GROUP_ID_AT + 24 :])
    area = made.data[: made.area_bytes]
    if converts is None:
        extension = extension_before(md)
    else:
        target = (int(converts.request.ccsid), int(converts.request.encoding))
        extension = converted_extension(md, target, converts.connection.conversion)
    made.data = area + (extension + made.data[made.area_bytes :])[:limit]
    made.length += mq.MQMDE_LENGTH_2
    made.base = base[:ENCODING_AT] + md.pack()[ENCODING_AT:_FORMAT_END] + base[_FORMAT_END:]


def _deliver(call: GetCall, entry: Entry, options: int, limit: int) -> Delivered:
    if entry.properties:
        entry = as_delivered(call, entry)
    if entry.properties:
        return _with_area(call, entry, options, limit)
    data = entry.data
    base = entry.base
    reason = int(call.reason)
    if options & mq.MQGMO_CONVERT and reason in (0, MQRC_TRUNCATED_MSG_ACCEPTED):
        return _converted(call, entry, limit)
    return Delivered(data[:limit] if len(data) > limit else data, base, reason, int(entry.length))


def _converted(call: GetCall, entry: Entry, limit: int) -> Delivered:
    """As MQGMO_CONVERT says; that it is cut counts more than that it is not converted."""
    made = converted(call, entry, limit)
    if made.is_cut:
        length = max(int(entry.length), len(made.data))
        return Delivered(made.data, made.base, MQRC_TRUNCATED_MSG_ACCEPTED, length)
    return Delivered(made.data, made.base, made.warning, len(made.data))


def _with_area(call: GetCall, entry: Entry, options: int, limit: int) -> Delivered:
    """The same for our own client, which takes properties apart: the length is that of the body,
    and their area is before it. One that the channel does not pass comes without them."""
    if int(call.reason) == 0 and not options & mq.MQGMO_CONVERT and len(entry.data) <= limit:
        made = Delivered(entry.properties + entry.data, entry.base, 0, int(entry.length))
        made.area_bytes = len(entry.properties)
        return made
    bare = without_area(entry)
    area_bytes = len(entry.properties)
    passes = int(call.request.passes)
    if passes:
        if area_bytes + min(len(entry.data), limit) > passes:
            return _deliver(call, bare, options, limit)  # it is cut: the get has said so
        limit = min(limit, passes - area_bytes)
    made = _deliver(call, bare, options, limit)
    made.data = entry.properties + made.data
    made.area_bytes = area_bytes
    return made
