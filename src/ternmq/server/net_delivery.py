"""A message on its way to a client: converted as MQGMO_CONVERT asks, and with its properties as the
get and the queue want them.

Properties travel as an MQRFH2 before the data, in both directions; clients make message handles of
that by themselves. So all that is done here is to leave it or to take it away.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_CONVERTED_MSG_TOO_BIG
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import GetCall
from ternmq.mqi.conversion import convert
from ternmq.codec.properties import has_properties, without_properties
from ternmq.store.entry import Entry

_CHOICE: Final = (
    mq.MQGMO_PROPERTIES_FORCE_MQRFH2
    | mq.MQGMO_NO_PROPERTIES
    | mq.MQGMO_PROPERTIES_IN_HANDLE
    | mq.MQGMO_PROPERTIES_COMPATIBILITY
)
OPTIONS_OF_CLIENTS: Final = mq.MQGMO_PROPERTIES_IN_HANDLE  # what they see to themselves


@final
class Delivered:
    """What goes to the client."""

    __slots__ = ("base", "data", "reason")

    def __init__(self, data: bytes, base: bytes, reason: int) -> None:
        self.data = data
        self.base = base
        self.reason = reason


def options_here(options: int) -> int:
    """The options of a get without what the client does by itself."""
    return options & ~OPTIONS_OF_CLIENTS


def is_as_it_is(options: int, handle: Handle) -> bool:
    """Whether messages of such a get go out as they lie on the queue."""
    return not options & mq.MQGMO_CONVERT and not _drops_properties(options, handle)


def _drops_properties(options: int, handle: Handle) -> bool:
    choice = options & _CHOICE
    if choice:
        return choice == mq.MQGMO_NO_PROPERTIES
    definition = handle.definition
    if definition is None:
        return False
    return definition.attributes.get("property_control") == mq.MQPROP_NONE


def deliver(call: GetCall, entry: Entry, options: int) -> Delivered:
    """The message of a call as its options want it; cut to the buffer."""
    data = entry.data
    base = entry.base
    reason = int(call.reason)
    limit = call.request.buffer_length
    if reason == 0 and not is_as_it_is(options, call.handle):
        if _drops_properties(options, call.handle) and has_properties(base):
            data, base = without_properties(data, base)
        if options & mq.MQGMO_CONVERT:
            request = call.request
            converted = convert(data, base, int(request.ccsid), int(request.encoding))
            if len(converted.data) > limit:
                return Delivered(data, base, MQRC_CONVERTED_MSG_TOO_BIG)  # as it is
            data = converted.data
            base = converted.base
            reason = converted.warning
    if len(data) > limit:
        data = data[: int(limit)]
    return Delivered(data, base, reason)
