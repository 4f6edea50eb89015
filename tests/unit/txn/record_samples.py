"""Log records of every kind with fixed values, packed by the code that ships.

`record_bytes.json` has what version 2 of the format makes of them: bytes, what dmpmqlog shows, and
what the survey of a lost register finds. It changes only with the format, by hand:
version 2 changed PUT alone.
"""

from __future__ import annotations

import json
from pathlib import Path

from ternmq.base import constants as mq
from ternmq.base.attributes import LOCAL
from ternmq.codec.message_image import FLAG_PERSISTENT, pack_header
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.property import Property
from ternmq.codec.property_area import pack_area
from ternmq.log import kinds
from ternmq.log.record import LogRecord
from ternmq.store.ledger import first_row
from ternmq.store.stream.named_cursor import StreamCursor
from ternmq.txn.families.cursor_records import (
    ADVANCE,
    DEFINE,
    DELETE,
    FILLS,
    HAD_STREAM,
    RESET,
    pack_change,
)
from ternmq.txn.families.image_records import pack_begin, pack_end, pack_piece
from ternmq.txn.families.ledger_records import UnitEnd, pack_ledger
from ternmq.txn.families.message_records import (
    COPY,
    OWN_CORREL_ID,
    OWN_EXPIRY,
    OWN_FEEDBACK,
    OWN_GROUP_ID,
    OWN_MSG_ID,
    OWN_PERSISTENCE,
    OWN_PRIORITY,
    OWN_PROPERTIES,
    OWN_TOKEN,
    Target,
    pack_cleared,
    pack_expired,
    pack_get,
    pack_numbers,
    pack_put,
    pack_put_got,
    pack_puts,
)
from ternmq.txn.families.packing import pack_json, pack_triples
from ternmq.txn.families.unit_records import (
    compensation_kind,
    pack_heuristic,
    pack_xid,
)
from ternmq.values.xid import XID

GOLDEN = Path(__file__).with_name("record_bytes.json")
LSN = 40960
UNIT = 77
_DATA = b"the data \x00\xff"
_OBJECT: dict[str, object] = {
    "id": 12,
    "name": "ORDERS",
    "type": LOCAL,
    "made": True,
    "created_ns": 1_700_000_000_000_000_000,
    "attributes": {"max_depth": 5000},
}


def image() -> bytes:
    """A message as PUT carries it."""
    descriptor = Descriptor(
        msg_id=b"message".ljust(24, b"\0"), correl_id=b"answer".ljust(24, b"\0"), format="MQSTR"
    )
    put_ns = 1_700_000_000_123_456_789
    header = pack_header(5, 6, put_ns, put_ns + 10**9, len(_DATA), 4, FLAG_PERSISTENT, 2, 0)
    return header + descriptor.pack() + _DATA


def area() -> bytes:
    """The properties of a message."""
    return pack_area([Property("colour", mq.MQTYPE_STRING, "red"), Property("a.b", 128, 5)])


def with_properties() -> bytes:
    """A message of which PUT carries properties, too."""
    header = pack_header(5, 6, 10**18, 0, len(_DATA), 4, FLAG_PERSISTENT, 0, 0, len(area()))
    return header + Descriptor(format="MQSTR").pack() + area() + _DATA


def own_targets() -> list[Target]:
    """Targets that have everything otherwise than the image."""
    own = Target(13, 8, 9, OWN_CORREL_ID | OWN_PRIORITY | OWN_PERSISTENCE | OWN_TOKEN)
    own.flags |= OWN_PROPERTIES
    own.correl_id = b"own".ljust(24, b"\0")
    own.priority = 7
    own.token = b"token".ljust(32, b"\0")
    own.properties = pack_area([Property("size", mq.MQTYPE_INT32, 3)])
    last = Target(14, 1, 0, COPY | OWN_PERSISTENCE, 20)
    last.persistence = 1
    return [Target(12, 5, 6), own, last]


def list_targets() -> list[Target]:
    """Targets of a distribution list, with identifiers, Feedback and expiry of their own."""
    own = Target(13, 8, 9, OWN_MSG_ID | OWN_GROUP_ID | OWN_FEEDBACK | OWN_EXPIRY, 50)
    own.msg_id = b"own message".ljust(24, b"\0")
    own.group_id = b"group".ljust(24, b"\0")
    own.feedback = 66_000
    return [Target(12, 5, 6), own, Target(14, 1, 2, OWN_EXPIRY)]


def samples() -> list[tuple[str, int, int, bytes]]:
    """Name, kind, unit of work and payload of each."""
    xid = XID(1, b"global", b"branch", "frédéric")
    row = first_row("sink", "fred", 3, 123).with_batch(4, 456)
    ends = [UnitEnd(7, [(1, 2, 3), (4, 5, 6)]), UnitEnd(9, [])]
    cursor = StreamCursor("READER", 12, "ORDERS", 3, 44, "fred", 1, 1_700_000_000_000_000_000, 90)
    undone = [(compensation_kind(1, 0), 12, 5), (compensation_kind(2, 3), 13, 6)]
    copies = [Target(12, 5, 6), Target(13, 8, 9, COPY, 250), Target(14, 1, 0, COPY)]
    deleted: dict[str, object] = {"id": 12, "name": "ORDERS", "type": LOCAL, "also": [15]}
    facts: dict[str, object] = {"definition": _OBJECT, "media_lsn": 8192, "units": []}
    checkpoint: dict[str, object] = {"redo_lsn": 4096, "next_unit": 9, "units": [], "clean": True}
    packed = [
        ("PUT", kinds.PUT, 0, pack_put(12, 5, 6) + image()),
        ("PUT in a unit", kinds.PUT, UNIT, pack_put(12, 5, 0) + image()),
        ("PUT with copies", kinds.PUT, 0, pack_puts(copies) + image()),
        ("PUT with properties", kinds.PUT, 0, pack_put(12, 5, 6) + with_properties()),
        ("PUT to own targets", kinds.PUT, 0, pack_puts(own_targets()) + with_properties()),
        ("PUT to a list", kinds.PUT, 0, pack_puts(list_targets()) + image()),
        ("GET", kinds.GET, 0, pack_get(12, 5)),
        ("GET in a unit", kinds.GET, UNIT, pack_get(12, 5)),
        ("PUT_GOT", kinds.PUT_GOT, 0, pack_put_got(12, 5, 6, 7)),
        ("COMMIT", kinds.COMMIT, UNIT, pack_triples([(12, 5, 6), (13, 1, 2)])),
        ("COMMIT of gets", kinds.COMMIT, UNIT, pack_triples([])),
        ("BACKOUT", kinds.BACKOUT, UNIT, b""),
        ("COMPENSATE", kinds.COMPENSATE, UNIT, pack_triples(undone)),
        ("PREPARE", kinds.PREPARE, UNIT, pack_xid(xid)),
        ("FORGET", kinds.FORGET, 0, pack_xid(xid)),
        ("HEURISTIC", kinds.HEURISTIC, 0, pack_heuristic(2, xid)),
        ("EXPIRED", kinds.EXPIRED, 0, pack_expired([(12, 5), (12, 9)])),
        ("QUEUE_CLEARED", kinds.QUEUE_CLEARED, 0, pack_cleared(12, 99)),
        ("OBJECT", kinds.OBJECT, 0, pack_json(_OBJECT)),
        ("OBJECT altered", kinds.OBJECT, 0, pack_json({**_OBJECT, "made": False})),
        ("OBJECT_DELETED", kinds.OBJECT_DELETED, 0, pack_json(deleted)),
        ("CHECKPOINT", kinds.CHECKPOINT, 0, pack_json(checkpoint)),
        ("RESTART", kinds.RESTART, 0, pack_json({"epoch": 2, "records": 3})),
        ("LEDGER", kinds.LEDGER, 0, pack_ledger(row.to_json(), ends)),
        ("LEDGER deleted", kinds.LEDGER, 0, pack_ledger({"owner": "sink", "deleted": True}, [])),
        ("STREAM_NUMBERS", kinds.STREAM_NUMBERS, 0, pack_numbers(12, 16384)),
        ("CURSOR defined", kinds.CURSOR, 0, pack_change(DEFINE, 50, cursor, FILLS)),
        ("CURSOR advanced", kinds.CURSOR, 0, pack_change(ADVANCE, 0, cursor)),
        ("CURSOR reset", kinds.CURSOR, 0, pack_change(RESET, 50, cursor, FILLS | HAD_STREAM)),
        ("CURSOR deleted", kinds.CURSOR, 0, pack_change(DELETE, 0, cursor)),
        ("MEDIA_IMAGE begin", kinds.MEDIA_IMAGE, 0, b"".join(pack_begin(12, facts))),
        ("MEDIA_IMAGE piece", kinds.MEDIA_IMAGE, 0, b"".join(pack_piece(12, 4096, 3, 64, _DATA))),
        ("MEDIA_IMAGE end", kinds.MEDIA_IMAGE, 0, b"".join(pack_end(12, 4096, 1, 8192, 9))),
    ]  # fmt: skip
    return packed


def record(kind: int, unit: int, payload: bytes) -> LogRecord:
    """The record as a reader gives it."""
    return LogRecord(kind, 0, LSN, 1, unit, 0, 0, payload)


def golden() -> dict[str, dict[str, object]]:
    """By the names of `samples`: kind, payload, description, queues and image."""
    found: dict[str, dict[str, object]] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return found
