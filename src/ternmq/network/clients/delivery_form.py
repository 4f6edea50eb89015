"""A message on its way to a client: converted as MQGMO_CONVERT asks, and with its properties as the
get and the queue want them.

Properties travel as an MQRFH2 before the data, in both directions; clients make message handles of
that by themselves. So they are put before the data here, or dropped, as get and queue say. Between
our own client and us what is beside the data travels as a property area before it.
"""

from __future__ import annotations

from typing import final

from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_CONVERTED_MSG_TOO_BIG
from ternmq.codec.conversion import convert
from ternmq.kernel.property_options import as_delivered, without_area
from ternmq.kernel.requests import GetCall
from ternmq.values.entry import Entry
from ternmq.wire.fap.vocabulary import PROPERTIES_APART


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


def is_as_it_is(options: int, entry: Entry) -> bool:
    """Whether a message of such a get goes out as it is on the queue."""
    return not options & mq.MQGMO_CONVERT and not entry.properties


def deliver(call: GetCall, entry: Entry, options: int) -> Delivered:
    """The message of a call as its options want it; cut to the buffer."""
    if entry.properties:
        entry = as_delivered(call, entry)
    if entry.properties:
        return _with_area(call, entry, options)
    data = entry.data
    base = entry.base
    reason = int(call.reason)
    limit = int(call.request.buffer_length)
    if reason == 0 and options & mq.MQGMO_CONVERT:
        request = call.request
        converted = convert(data, base, int(request.ccsid), int(request.encoding))
        if len(converted.data) > limit:
            # as it is
            return Delivered(data, base, MQRC_CONVERTED_MSG_TOO_BIG, len(data))
        return Delivered(converted.data, converted.base, converted.warning, len(converted.data))
    return Delivered(data[:limit] if len(data) > limit else data, base, reason, int(entry.length))


def _with_area(call: GetCall, entry: Entry, options: int) -> Delivered:
    """The same for our own client, which takes properties apart: the length is that of the body,
    and their area is before it."""
    made = deliver(call, without_area(entry), options)
    made.data = entry.properties + made.data
    made.area_bytes = len(entry.properties)
    return made
