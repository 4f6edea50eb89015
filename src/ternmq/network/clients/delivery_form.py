"""A message on its way to a client: converted as MQGMO_CONVERT asks, and with its properties as the
get and the queue want them.

Properties travel as an MQRFH2 before the data, in both directions; clients make message handles of
that by themselves. So they are put before the data here, or dropped, as get and queue say.
"""

from __future__ import annotations

from typing import final

from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_CONVERTED_MSG_TOO_BIG
from ternmq.codec.conversion import convert
from ternmq.kernel.property_options import as_delivered
from ternmq.kernel.requests import GetCall
from ternmq.values.entry import Entry


@final
class Delivered:
    """What goes to the client."""

    __slots__ = ("base", "data", "length", "reason")

    def __init__(self, data: bytes, base: bytes, reason: int, length: int) -> None:
        self.data = data
        self.base = base
        self.reason = reason
        self.length = length  # of the whole message, if the data is cut


def options_here(options: int) -> int:
    """The options of a get as the queue manager takes them: a client that wants properties in a
    handle fills that itself, from the MQRFH2 before the data."""
    if options & mq.MQGMO_PROPERTIES_IN_HANDLE:
        return options & ~mq.MQGMO_PROPERTIES_IN_HANDLE | mq.MQGMO_PROPERTIES_FORCE_MQRFH2
    return options


def is_as_it_is(options: int, entry: Entry) -> bool:
    """Whether a message of such a get goes out as it lies on the queue."""
    return not options & mq.MQGMO_CONVERT and not entry.properties


def deliver(call: GetCall, entry: Entry, options: int) -> Delivered:
    """The message of a call as its options want it; cut to the buffer."""
    if entry.properties:
        entry = as_delivered(call, entry)
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
