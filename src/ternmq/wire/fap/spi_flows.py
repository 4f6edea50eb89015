"""Bodies of the system programming interface (SPI) and of XA calls.

SPI, after the header of a call:

    verb i32, version i32, most bytes of the reply i32; then structures, each with an eye-catcher,
    version i32 and length i32: one for both ways (SPxU), then SPxI in a request, SPxO in a reply

The lengths are not used to find the next structure: what they count differs (SPOO's counts all
that follows). Verbs without a row below have layouts that are not public: the rest of the body.

XA calls have their own header:

    length u32 big endian, return value i32, flags i32, resource manager i32

and then a branch: format i32, lengths of gtrid and bqual u8 each, both, zeros up to a multiple of
four; or a string with its length u8 (open, close); or a number of branches (recover). Replies but
recover's have only the header (guess).
"""

from __future__ import annotations

from typing import Final

from ternmq.codec.mqi.mqgmo import LAYOUT as MQGMO
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import LAYOUT as MQMD
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import LAYOUT as MQPMO
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.wire.fap.call_flows import object_parts, subscription_parts
from ternmq.wire.fap.part import (
    AtLeast,
    Big,
    Data,
    Fixed,
    Padding,
    Part,
    Record,
    Records,
    Struct,
    Text,
    chars,
    eye,
    i32,
    raw,
    u8,
)
from ternmq.wire.fap.vocabulary import (
    LSD_OPTIONS,
    REPLY,
    SPI_ACTIVATE,
    SPI_EXTENSION,
    SPI_GET,
    SPI_NAMES,
    SPI_NOTIFY,
    SPI_OPEN,
    SPI_PUT,
    SPI_QUERY,
    SPI_RESERVE,
    SPI_SUBSCRIBE,
    XA_CLOSE,
    XA_COMMIT,
    XA_COMPLETE,
    XA_END,
    XA_FLAGS,
    XA_FORGET,
    XA_OPEN,
    XA_PREPARE,
    XA_RECOVER,
    XA_ROLLBACK,
    XA_START,
    Named,
)

SPI_HEADER: Final = Fixed(
    i32("verb", names=Named(SPI_NAMES, False)), i32("version", 1), i32("reply_bytes_max")
)


def _plain(eye_catcher: str) -> Record:
    name = eye_catcher.lower()
    return Record(name, Fixed(eye(eye_catcher), i32("version", 1), i32("length", 12)))


_MESSAGE_DATA: Final[tuple[Part, ...]] = (
    # Options: 0x01 blank padded, 0x02 syncpoint, 0x04 deferred.
    Fixed(i32("options"), i32("data_length")),
    Data("data", "data_length"),
)
LPOO: Final = Record(
    "lpoo",
    Fixed(
        eye("LPOO"),
        i32("version", 1),
        i32("options"),
        i32("lpi_options"),
        i32("default_persistence"),
        i32("default_put_response"),
        i32("default_read_ahead"),
        i32("property_control"),
    ),
    # The long form has 88 bytes, the short one 32; that version 2 is the long one is a guess.
    AtLeast(
        "version",
        2,
        Fixed(chars("policy_error_queue", 48), i32("extra_offset"), i32("extra_length")),
    ),
)
_PUT: Final[tuple[Part, ...]] = (
    _plain("SPPU"),
    Struct("descriptor", Descriptor, MQMD),
    Struct("options", PutOptions, MQPMO),
)
_GET: Final[tuple[Part, ...]] = (
    _plain("SPGU"),
    Struct("descriptor", Descriptor, MQMD),
    Struct("options", GetOptions, MQGMO),
)

# Seen from IBM's Java client, JMS; what the fields are is a guess by their values.
LSD: Final = Record(
    "lsd",
    Fixed(
        eye("LSD "),
        i32("version", 1),
        i32("options", names=Named(LSD_OPTIONS, True)),
        *(i32("text_ptr"), i32("text_offset"), i32("text_buffer"), i32("text_length")),
        i32("text_ccsid"),
        raw("subscription_id", 24),
        i32("unknown_1"),
        i32("open_options"),  # MQOO of the queue's handle
        chars("queue_name", 48),
        chars("qmgr_name", 48),
        raw("unknown_2", 24),
        i32("ps_properties"),  # MQPSPROP
        i32("unknown_3"),
        i32("destination_class"),  # MQDC
    ),
    Data("text", "text_length"),
)


def _subscribe(eye_catcher: str) -> list[Part]:
    # The handle of the call is the queue's.
    head = Fixed(eye(eye_catcher), i32("version", 1), i32("length"), i32("subscription_handle"))
    return [_plain("SPBU"), Record(eye_catcher.lower(), head), LSD, *subscription_parts()]


_EXTENSION: Final[list[Part]] = [
    Fixed(i32("extension_length")),
    Data("extension", "extension_length"),
]

SPI_REQUESTS: Final[dict[int, list[Part]]] = {
    SPI_QUERY: [_plain("SPQU"), _plain("SPQI")],
    SPI_PUT: [
        *_PUT,
        # Seen from IBM's Java client: version 3, whose delivery delay is in milliseconds.
        Record(
            "sppi",
            Fixed(
                eye("SPPI"), i32("version", 1), i32("length"), i32("options"), i32("data_length")
            ),
            AtLeast("version", 2, Fixed(i32("reservation"))),
            AtLeast("version", 3, Fixed(i32("delay_high"), i32("delay_low"))),
            Data("data", "data_length"),
        ),
    ],
    SPI_GET: [
        *_GET,
        Record(
            "spgi",
            Fixed(
                eye("SPGI"),
                i32("version", 1),
                i32("length", 24),
                i32("batch_size"),
                i32("batch_interval"),
                i32("message_bytes_max"),
            ),
        ),
    ],
    SPI_ACTIVATE: [
        _plain("SPAU"),
        Record(
            "spai",
            Fixed(
                eye("SPAI"),
                i32("version", 1),
                i32("length", 136),
                i32("mode"),  # 1 enable, 2 disable
                chars("queue_name", 48),  # guess: both names are known by their size only
                chars("qmgr_name", 48),
                raw("msg_id", 24),
            ),
        ),
    ],
    # Seen from IBM's Java client: tags for puts that are not answered, 24 bytes each.
    SPI_RESERVE: [
        _plain("SPRU"),
        Record(
            "spri",
            Fixed(
                eye("SPRI"),
                i32("version", 1),
                i32("length", 20),
                i32("tag_bytes"),
                i32("reservation"),
            ),
        ),
    ],
    SPI_OPEN: [_plain("SPOU"), _plain("SPOI"), LPOO, *object_parts()],
    SPI_NOTIFY: [
        _plain("SPNU"),
        Record(
            "spni",
            Fixed(
                eye("SPNI"),
                i32("version", 1),
                i32("length", 44),
                i32("options"),
                i32("reason"),
                raw("connection_id", 24),
            ),
        ),
    ],
    SPI_SUBSCRIBE: _subscribe("SPBI"),
    SPI_EXTENSION: _EXTENSION,
}
SPI_REPLIES: Final[dict[int, list[Part]]] = {
    SPI_QUERY: [
        _plain("SPQU"),
        Record(
            "spqo",
            Fixed(eye("SPQO"), i32("version", 1), i32("length"), i32("count")),
            Records(
                "verbs",
                "count",
                20,
                Fixed(
                    i32("verb", names=Named(SPI_NAMES, False)),
                    i32("in_out_version"),
                    i32("in_version"),
                    i32("out_version"),
                    i32("flags"),
                ),
            ),
        ),
    ],
    SPI_PUT: [*_PUT, _plain("SPPO")],
    SPI_GET: [
        *_GET,
        Record("spgo", Fixed(eye("SPGO"), i32("version", 1), i32("length")), *_MESSAGE_DATA),
    ],
    SPI_ACTIVATE: [_plain("SPAU"), _plain("SPAO")],
    # A guess that the client takes: it makes room for 44 bytes and uses the tag as message id.
    SPI_RESERVE: [
        _plain("SPRU"),
        Record(
            "spro",
            Fixed(
                eye("SPRO"),
                i32("version", 1),
                i32("length", 44),
                i32("reservation"),
                i32("increment_offset"),
                raw("tag", 24),
            ),
        ),
    ],
    SPI_OPEN: [_plain("SPOU"), _plain("SPOO"), LPOO, *object_parts()],
    SPI_NOTIFY: [_plain("SPNU"), _plain("SPNO")],
    SPI_SUBSCRIBE: _subscribe("SPBO"),
    SPI_EXTENSION: _EXTENSION,
}

XA_HEADER: Final[list[Part]] = [
    Big("call_length"),
    Fixed(i32("return_value"), i32("flags", names=Named(XA_FLAGS, True)), i32("rmid")),
]
_BRANCH: Final[tuple[Part, ...]] = (
    Fixed(i32("format_id"), u8("gtrid_length"), u8("bqual_length")),
    Data("gtrid", "gtrid_length"),
    Data("bqual", "bqual_length"),
    Padding(("gtrid_length", "bqual_length"), 6),
)
_XID: Final[list[Part]] = [Record("xid", *_BRANCH)]
_INFO: Final[list[Part]] = [Fixed(u8("info_length")), Text("info", "info_length")]
_XID_BYTES_MIN: Final = 6

XA_FLOWS: Final[dict[int, list[Part]]] = {
    XA_START: _XID,
    XA_END: _XID,
    XA_OPEN: _INFO,
    XA_CLOSE: _INFO,
    XA_PREPARE: _XID,
    XA_COMMIT: _XID,
    XA_ROLLBACK: _XID,
    XA_FORGET: _XID,
    XA_RECOVER: [Fixed(i32("count"))],
    XA_COMPLETE: _XID,
    XA_RECOVER + REPLY: [
        Fixed(i32("count")),
        Records("xids", "count", _XID_BYTES_MIN, *_BRANCH),
    ],
}
