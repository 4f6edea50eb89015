"""Opening, inquiring and setting by MQ's client protocol: between Python values and the flows."""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.limits import TOPIC_STRING_CHARACTERS_MAX
from ternmq.base.names import fits_field
from ternmq.base.reasons import MQRC_OBJECT_STRING_ERROR, MQRC_OPTION_NOT_VALID_FOR_TYPE
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.charv import CharV, read_charv, write_charv
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.mqi.options import check_names
from ternmq.remote.fap.frames import FapRequest, table_body
from ternmq.values.calls.objects import Open
from ternmq.values.character_lengths import character_bytes
from ternmq.values.handle import ObjectHandle
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.vocabulary import MQOPEN

RESOLVED_BYTES_MAX: Final = 4 * TOPIC_STRING_CHARACTERS_MAX


@final
class OpenState:
    """What is known of an open object: how to open it again, and what its queue's defaults are."""

    def __init__(self, od: ObjectDescriptor, options: int, fopa: Values, selector: str) -> None:
        self.od = od
        self.selector = selector
        self.topic = ""  # the string that it was opened by
        self.subscription: ObjectHandle | None = None  # whose queue it is: MQSUB has opened it
        self.records = b""  # of a distribution list, which follow the MQOD
        self.model = ""  # of a dynamic queue, that it was made from
        self.options = options
        self.put_response: int = fopa.get("default_put_response", -1)
        default: int = fopa.get("default_read_ahead", -1)
        self.read_ahead = default != mq.MQREADA_DISABLED and (
            options & mq.MQOO_READ_AHEAD != 0
            or (default == mq.MQREADA_YES and not options & mq.MQOO_NO_READ_AHEAD)
        )


def first_options(options: int, exclusive: bool) -> int:
    """MQOO options of a queue's first handle; without any it inquires, and others are opened as
    needed."""
    if exclusive:
        options &= ~mq.MQOO_INPUT_AS_Q_DEF
        options |= mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_INQUIRE | mq.MQOO_BROWSE
    return options or mq.MQOO_INQUIRE


def is_elsewhere(call: Open, reason: int) -> bool:
    """Whether a queue that cannot be inquired is one of another queue manager: then all that it can
    be used for is to put. The queue manager alone knows its aliases."""
    is_named = call.as_needed and call.options == 0 and call.od.object_qmgr_name != ""
    return is_named and not call.exclusive and reason == MQRC_OPTION_NOT_VALID_FOR_TYPE


def checked_object(od: ObjectDescriptor, verb: str = "MQOPEN") -> ObjectDescriptor:
    """The MQOD of an open, as it is sent; names are checked by the queue manager, and here whether
    they can be sent. The name of a dynamic queue that cannot be is left out, and a model queue
    refuses that."""
    check_names(od, verb)
    made = od.copy()
    made.version = max(made.version, 3)
    if not fits_field(made.dynamic_queue_name):
        made.dynamic_queue_name = ""
    return made


def open_request(
    od: ObjectDescriptor,
    options: int,
    selector: str = "",
    records: bytes = b"",
    topic: str = "",
) -> FapRequest:
    """MQOPEN; the records of a list, a selection string or a topic string follow the MQOD."""
    values = {"object": od, "options": options, "fopa": {}, "object_following": records}
    leads_to_topic = od.object_type == mq.MQOT_Q and options & mq.MQOO_OUTPUT  # an alias may
    if od.object_type == mq.MQOT_TOPIC or (leads_to_topic and od.version >= mq.MQOD_VERSION_4):
        od.resolved_object_string = CharV(buffer_size=RESOLVED_BYTES_MAX)
    if selector or topic or od.object_type == mq.MQOT_TOPIC:
        od.version = max(od.version, mq.MQOD_VERSION_4)
        described = od.object_string if topic else od.selection_string
        text = write_charv(described, topic or selector, od.size(), UTF8)
        values["object_following"] = text + bytes(-len(text) % 4)
    return FapRequest(MQOPEN, None, table_body(MQOPEN, values))


def topic_behind(od: ObjectDescriptor, topic: str) -> bytes:
    """The topic string of an MQPUT1, as it follows the MQOD."""
    od.version = max(od.version, mq.MQOD_VERSION_4)
    text = write_charv(od.object_string, topic, od.size(), UTF8)
    return text + bytes(-len(text) % 4)


def resolved_string(values: Values) -> str:
    """ResObjectString of the reply to an MQOPEN."""
    od: ObjectDescriptor = values["object"]
    described = od.resolved_object_string
    behind: bytes = values.get("resolved_following", b"")
    if not behind:
        return ""
    data = bytes(described.offset) + behind  # it begins where its offset says, or is not read
    return read_charv(described, data, 0, UTF8, MQRC_OBJECT_STRING_ERROR, len(behind))


# ---- attributes


def inquired(selectors: list[int], values: Values) -> list[Value]:
    """The values in the order of their selectors."""
    integers: list[int] = values["integers"]
    characters: bytes = values["characters"]
    found: list[Value] = []
    next_integer = 0
    at = 0
    for selector in selectors:
        if selector < mq.MQCA_FIRST:
            found.append(integers[next_integer])
            next_integer += 1
        else:
            size = character_bytes(selector)
            found.append(characters[at : at + size].rstrip(b" \0").decode("utf-8", "replace"))
            at += size
    return found


def not_applicable(selectors: list[int], values: list[Value]) -> list[int]:
    """Selectors of attributes that the object does not have, as their values say."""
    return [
        selector
        for selector, value in zip(selectors, values, strict=True)
        if value == mq.MQIAV_NOT_APPLICABLE or (isinstance(value, str) and set(value) == {"*"})
    ]


def set_values(values: dict[int, Value]) -> Values:
    """The body of MQSET."""
    characters = b""
    integers: list[int] = []
    for selector, value in values.items():
        if selector < mq.MQCA_FIRST:
            integers.append(int(value))
        else:
            size = character_bytes(selector)
            characters += str(value).encode("utf-8")[:size].ljust(size)
    return {"selectors": list(values), "integers": integers, "characters": characters}
