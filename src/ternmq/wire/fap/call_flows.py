"""Bodies of the MQI calls and of their replies.

Each begins with the header of a call:

    length u32 big endian, completion code i32, reason i32, handle i32

The length counts the segment's header (in a reply as 28 bytes, whatever it has), this header, the
body and, in a request, the area for output that the caller offers (MQGET: its buffer; MQINQ: both
attribute areas). Readers do not check it: clients count in several ways. Of a reply in several
segments it counts the bodies of all (IBM's Java client takes it so). Completion code and reason of
a request may be anything: the Java client leaves there what an earlier call had.

On a shared socket the Java client pads a request with what its buffer held, up to a multiple of
four: the rest of the body. Structures keep, in the reply, the version that the request had. A reply
to a call that failed has the same body as one that worked (guess). MQSTAT and the requests of MQSUB
and MQSUBRQ are as the Java client sends them. MQBEGIN, MQCB, MQCTL and the calls on message handles
have no segments: the client does them itself, or by REQUEST_MSGS, NOTIFICATION.

A put with MQPMO_ASYNC_RESPONSE has no reply where SPI is agreed, shared socket or not
(the Java client takes one for that of its next call); its message id is from tags that it reserved
by SPI, once for all its connections to a queue manager. Without SPI it has one.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.codec.mqi.layout import Layout
from ternmq.codec.mqi.list_records import (
    OBJECT_RECORD_BYTES,
    RESPONSE_RECORD_BYTES,
    put_record_bytes,
)
from ternmq.codec.mqi.mqgmo import LAYOUT as MQGMO
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import LAYOUT as MQMD
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import LAYOUT as MQOD
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import LAYOUT as MQPMO
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.codec.mqi.mqsd import LAYOUT as MQSD
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.codec.mqi.mqsts import LAYOUT as MQSTS
from ternmq.codec.mqi.mqsts import Status
from ternmq.wire.fap.part import (
    AtLeast,
    Big,
    Cursor,
    Data,
    Fixed,
    Longs,
    Optional,
    Output,
    Part,
    Record,
    Struct,
    Values,
    chars,
    eye,
    i32,
    raw,
)
from ternmq.wire.fap.vocabulary import (
    MQBACK,
    MQCLOSE,
    MQCMIT,
    MQCONN,
    MQDISC,
    MQGET,
    MQINQ,
    MQOPEN,
    MQPUT,
    MQPUT1,
    MQSET,
    MQSTAT,
    MQSUB,
    MQSUBRQ,
    REPLY,
)

CALL_HEADER: Final[list[Part]] = [
    Big("call_length"),
    Fixed(i32("comp"), i32("reason"), i32("handle")),
]
CALL_HEADER_BYTES: Final = 16
_RETURNED: Final = "resolved_object_string"


@final
class Following(Part):
    """The records of a distribution list, and the strings of version 4 of an MQOD, as they stand
    behind their structure: bytes, for which the structure has counts and offsets.

    First the object or put records, then the response records, each there if their offset is not
    zero, as the Java client writes them. Strings come next, up to a multiple of four, if the first
    of them is said to begin there (a guess); strings that are further on are in the rest of the
    body.
    """

    def __init__(
        self,
        name: str,
        of: str,
        layout: Layout,
        strings: tuple[str, ...],
        is_last: bool = False,
        has_records: bool = True,
    ) -> None:
        super().__init__(name)
        self.is_last: Final = is_last  # it takes what there is, whatever the lengths say
        self.has_records: Final = has_records
        self.of: Final = of
        self.layout: Final = layout
        self.strings: Final = strings

    def read(self, cursor: Cursor, values: Values) -> None:
        start = cursor.starts[self.of]
        layout = self.layout
        version = layout.read_version(cursor.data, start, cursor.order, cursor.ccsid)
        places = layout.plan(version, cursor.order, False).offsets
        size = 0
        if self.has_records and "records_present" in places:
            size = self._record_bytes(cursor, start, places)
        size += self._string_bytes(cursor, start, places, cursor.at + size - start)
        if self.is_last:
            size = min(size, cursor.left)
        at = cursor.take(size, self.name)
        if size:
            values[self.name] = cursor.data[at : cursor.at]

    def write(self, out: Output, values: Values) -> None:
        out.data += values.get(self.name, b"")

    def _record_bytes(self, cursor: Cursor, start: int, places: dict[str, int]) -> int:
        records = cursor.long_at(start + places["records_present"])
        if records <= 0:
            return 0
        unit = 0
        if "put_record_fields" in places:
            if cursor.long_at(start + places["put_record_offset"]):
                fields = cursor.long_at(start + places["put_record_fields"])
                unit = put_record_bytes(fields)
        elif cursor.long_at(start + places["object_record_offset"]):
            unit = OBJECT_RECORD_BYTES
        if cursor.long_at(start + places["response_record_offset"]):
            unit += RESPONSE_RECORD_BYTES
        return records * unit

    def _string_bytes(
        self, cursor: Cursor, start: int, places: dict[str, int], from_start: int
    ) -> int:
        first = -1
        end = 0
        for name in self.strings:
            if name not in places:
                continue
            at = start + places[name]
            offset = cursor.long_at(at + 4)
            length = cursor.long_at(at + 12)
            if name == _RETURNED:  # cut to its buffer; the length is that of the whole
                length = min(length, cursor.long_at(at + 8))
            if offset <= 0 or length <= 0:
                continue
            first = offset if first < 0 else min(first, offset)
            end = max(end, offset + length)
        if first != from_start:
            return 0
        return end - from_start + -end % 4


_GIVEN: Final = ("object_string", "selection_string")


def object_parts(strings: tuple[str, ...] = (*_GIVEN, _RETURNED)) -> list[Part]:
    """An MQOD, and what belongs to it behind it."""
    return [
        Struct("object", ObjectDescriptor, MQOD),
        Following("object_following", "object", MQOD, strings),
    ]


def _put() -> list[Part]:
    return [
        Struct("descriptor", Descriptor, MQMD),
        Struct("options", PutOptions, MQPMO),
        Following("options_following", "options", MQPMO, ()),
    ]


FCNO: Final = Record(
    "fcno",
    # Capability flags 0x01 and 0x04 were seen; one client's author calls them "SPCAP supported"
    # and "accept QM hints".
    Fixed(eye("FCNO"), i32("version", 1), i32("capabilities"), raw("connection_tag", 128)),
    AtLeast("version", 3, Fixed(raw("returned_tag", 128))),
    AtLeast(
        "version", 4, Fixed(i32("balance_type"), i32("balance_timeout"), i32("balance_options"))
    ),
)
# The layout of the connection: at FAP level 6 it ends before FCNO, from 10 or 12 on (sources
# differ) it has the two fields for reconnection. The length says which.
CONNECTION: Final[list[Part]] = [
    Fixed(
        chars("qmgr_name", 48),
        chars("appl_name", 28),
        i32("appl_type"),
        raw("accounting_token", 32),
        i32("options", 1),  # 1 MQCONN, 3 MQCONNX; the Java client has 7
        i32("x_options"),  # MQCNO's
    ),
    Optional(FCNO),
    # That the first is the connection to resume is a guess.
    Optional(Fixed(raw("reconnect_id", 24), chars("reconnect_qmgr_id", 48))),
]
FOPA: Final = Record(
    "fopa",
    Fixed(
        eye("FOPA"),
        i32("version", 1),
        i32("length", 28),
        i32("default_persistence", -1),
        i32("default_put_response", -1),
        i32("default_read_ahead", -1),
        i32("property_control", -1),
    ),
    AtLeast(
        "version",
        2,
        Fixed(chars("policy_error_queue", 48), i32("policy_offset"), i32("policy_length")),
    ),
)
FCMI: Final = Record("fcmi", Fixed(eye("FCMI"), i32("unknown")))
_OPEN_REST: Final[list[Part]] = [
    Fixed(i32("options")),
    Optional(FOPA, "FOPA"),  # from FAP level 9
    Optional(FCMI, "FCMI"),
]
OPEN: Final[list[Part]] = [*object_parts(), *_OPEN_REST]
# IBM's Java client looks for the defaults of a topic before the string that is returned.
OPEN_REPLY: Final[list[Part]] = [
    *object_parts(_GIVEN),
    *_OPEN_REST,
    Following("resolved_following", "object", MQOD, (_RETURNED,), True, False),
]
_SELECTORS: Final[list[Part]] = [
    Fixed(i32("selector_count"), i32("integer_count"), i32("character_length")),
    Longs("selectors", "selector_count"),
]
_ATTRIBUTES: Final[list[Part]] = [
    *_SELECTORS,
    Longs("integers", "integer_count"),
    Data("characters", "character_length"),
]
_DATA: Final[list[Part]] = [Fixed(i32("data_length")), Data("data", "data_length")]
_LENGTH_ONLY: Final[list[Part]] = [Optional(Fixed(i32("data_length")))]
_SRO: Final = Fixed(eye("SRO "), i32("version", 1), i32("options"), i32("publications"))


def subscription_parts() -> list[Part]:
    """An MQSD, and its strings behind it."""
    strings = ("object_string", "name", "user_data", "selection_string", "resolved_object_string")
    return [
        Struct("subscription", SubscriptionDescriptor, MQSD),
        Following("subscription_following", "subscription", MQSD, strings, True),
    ]


CALL_FLOWS: Final[dict[int, list[Part]]] = {
    MQCONN: CONNECTION,
    MQCONN + REPLY: CONNECTION,
    MQDISC: [],
    MQDISC + REPLY: [],
    MQOPEN: OPEN,
    MQOPEN + REPLY: OPEN_REPLY,
    MQCLOSE: [Fixed(i32("options"))],
    MQCLOSE + REPLY: [],
    MQGET: [
        Struct("descriptor", Descriptor, MQMD),
        Struct("options", GetOptions, MQGMO),
        Fixed(i32("buffer_length")),
    ],
    MQGET + REPLY: [
        Struct("descriptor", Descriptor, MQMD),
        Struct("options", GetOptions, MQGMO),
        Fixed(i32("data_length")),  # of the whole message, also when it was cut
        Data("data", "data_length", can_be_cut=True),
    ],
    MQPUT: [*_put(), *_DATA],
    # The length was seen in the reply to MQPUT; that MQPUT1's has it too is a guess.
    MQPUT + REPLY: [*_put(), *_LENGTH_ONLY],
    MQPUT1: [*object_parts(), *_put(), *_DATA],
    MQPUT1 + REPLY: [*object_parts(), *_put(), *_LENGTH_ONLY],
    MQSET: _ATTRIBUTES,
    MQSET + REPLY: [],  # guess
    MQINQ: _SELECTORS,
    MQINQ + REPLY: _ATTRIBUTES,
    MQCMIT: [],
    MQCMIT + REPLY: [],
    MQBACK: [],
    MQBACK + REPLY: [],
    MQSTAT: [Fixed(i32("status_type")), Struct("status", Status, MQSTS)],
    MQSTAT + REPLY: [
        Fixed(i32("status_type")),
        Struct("status", Status, MQSTS),
        Following("status_following", "status", MQSTS, ("object_string",), True),  # guess
    ],
    # The handle of the call is the queue's, 0 if one is to be made, and in the reply that one.
    MQSUB: [
        Fixed(i32("subscription_handle", -1), i32("unknown")),
        *subscription_parts(),
    ],
    MQSUB + REPLY: [
        Fixed(i32("subscription_handle", -1), i32("unknown")),
        *subscription_parts(),
    ],
    # The handle of the call is the subscription's.
    MQSUBRQ: [Fixed(i32("action")), _SRO],
    MQSUBRQ + REPLY: [Optional(Fixed(i32("action"))), Optional(_SRO)],
}


def output_area(type: int, values: Values) -> int:
    """What the length of a request counts beside its own bytes."""
    if type == MQGET:
        buffer_length: int = values.get("buffer_length", 0)
        return buffer_length
    if type == MQINQ:
        integers: int = values.get("integer_count", 0)
        characters: int = values.get("character_length", 0)
        return 4 * integers + characters
    return 0
