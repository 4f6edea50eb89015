"""What a log record says, as values that JSON can hold: names for numbers, text for bytes.

The formats are those of `txn.records`, `txn.media_format` and `store.image`. A payload that is not
what its kind says is told as such; the record itself was checked by its checksum before.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, final

from ternmq.base.errors import IntegrityError, MQError
from ternmq.codec.mqmd import Descriptor
from ternmq.log import kinds
from ternmq.log.record import LogRecord
from ternmq.store.catalog import Catalog
from ternmq.store.entry import OWN_DATE
from ternmq.store.image import FIXED_BYTES, FLAG_PERSISTENT, HEADER_BYTES, unpack_header
from ternmq.txn.cursors import ACTION_NAMES, unpack_change
from ternmq.txn.ledger import unpack_ledger
from ternmq.txn.media_format import BEGIN, END, PIECE, ImagePart
from ternmq.txn.records import (
    COPY,
    TARGET,
    copy_tenths,
    unpack_get,
    unpack_json,
    unpack_pairs,
    unpack_put,
    unpack_triples,
    unpack_xid,
)
from ternmq.txn.unit import XID

Values = dict[str, Any]

OUTCOMES: Final = {1: "committed", 2: "backed out"}
CHANGES: Final = {1: "put", 2: "get"}
PARTS: Final = {BEGIN: "begin", PIECE: "piece", END: "end"}
_FLAG_BITS: Final = 0xFFFFFFFF  # of a target; above them is an expiry
_FLAG_NAMES: Final = {FLAG_PERSISTENT: "persistent", OWN_DATE: "own date"}


@final
class Names:
    """The names of queues by their ids, as far as catalog and log have told them."""

    def __init__(self, catalog: Catalog | None) -> None:
        self._names: dict[int, str] = {}
        if catalog is not None:
            for definition in catalog.definitions.values():
                self._names[definition.object_id] = definition.name

    def of(self, queue_id: int) -> str:
        """The name, or the number if nobody has told it."""
        return self._names.get(queue_id, f"#{queue_id}")

    def note(self, facts: Values) -> None:
        """An OBJECT record tells the name of an id."""
        if isinstance(facts.get("id"), int):
            self._names[facts["id"]] = str(facts.get("name", ""))

    def place(self, queue_id: int, number: int) -> Values:
        """One message of one queue."""
        return {"queue": self.of(queue_id), "queue_id": queue_id, "number": number}


def describe(record: LogRecord, names: Names, data_bytes: int) -> Values:
    """What the payload says; `data_bytes` of a message's data at most."""
    meaning = _MEANINGS.get(record.kind)
    if meaning is None:
        return {"payload": record.payload[:data_bytes].hex()} if record.payload else {}
    try:
        return meaning(record, names, data_bytes)
    except (IntegrityError, MQError, ValueError, KeyError, struct.error) as error:
        return {"not_understood": str(error), "payload": record.payload[:data_bytes].hex()}


def describe_message(image: bytes, data_bytes: int) -> Values:
    """A message image: header, the descriptor's main fields, the beginning of the data."""
    header = unpack_header(image, 0)
    md = Descriptor.unpack(image[HEADER_BYTES:FIXED_BYTES])
    data = image[FIXED_BYTES : FIXED_BYTES + header.data_length]
    return {
        "msg_id": md.msg_id.hex(),
        "correl_id": md.correl_id.hex(),
        "group_id": md.group_id.hex(),
        "format": md.format,
        "ccsid": md.ccsid,
        "msg_type": md.msg_type,
        "priority": header.priority,
        "flags": [name for bit, name in _FLAG_NAMES.items() if header.flags & bit],
        "expires": time_of(header.expiry_at) if header.expiry_at else "",
        "put": time_of(header.put_ns),
        "backout_count": header.backout_count,
        "reply_to_queue": md.reply_to_queue,
        "user_id": md.user_id,
        "put_appl_name": md.put_appl_name,
        "data_length": header.data_length,
        "data": data[:data_bytes].hex(),
    }


def time_of(ns: int) -> str:
    """A moment as text, UTC."""
    return datetime.fromtimestamp(ns / 1e9, UTC).isoformat(timespec="milliseconds")


def _put(record: LogRecord, names: Names, data_bytes: int) -> Values:
    targets, at = unpack_put(record.payload)
    rows = []
    for target in targets:
        row = names.place(target.queue_id, target.number)
        told = {**row, "sequence": target.sequence, "flags": target.flags & _FLAG_BITS}
        if target.flags & COPY:
            tenths = copy_tenths(target.flags)
            told["copy"] = True
            told["expiry_tenths"] = "unlimited" if tenths < 0 else tenths
        rows.append(told)
    return {"targets": rows, "message": describe_message(record.payload[at:], data_bytes)}


def _get(record: LogRecord, names: Names, data_bytes: int) -> Values:
    return {"message_at": names.place(*unpack_get(record.payload))}


def _put_got(record: LogRecord, names: Names, data_bytes: int) -> Values:
    queue_id, number, sequence, length = TARGET.unpack(record.payload)
    place = names.place(queue_id, number)
    return {"message_at": {**place, "sequence": sequence}, "data_length": length}


def _commit(record: LogRecord, names: Names, data_bytes: int) -> Values:
    rows = [
        {**names.place(queue_id, number), "sequence": sequence}
        for queue_id, number, sequence in unpack_triples(record.payload)
    ]
    return {"puts": rows}


def _ledger(record: LogRecord, names: Names, data_bytes: int) -> Values:
    told = unpack_ledger(record.payload)
    row = {"owner": told.owner, "deleted": True} if told.row is None else told.row.to_json()
    units = [
        {
            "unit": one.unit_id,
            "puts": [
                {**names.place(queue_id, number), "sequence": sequence}
                for queue_id, number, sequence in one.rows
            ],
        }
        for one in told.units
    ]
    return {"facts": row, "units": units}


def _cursor(record: LogRecord, names: Names, data_bytes: int) -> Values:
    change = unpack_change(record.payload)
    cursor = change.cursor
    values: Values = {
        "action": ACTION_NAMES[change.action],
        "cursor": cursor.name,
        "queue": cursor.queue_name,
        "queue_id": cursor.queue_id,
        "incarnation": cursor.incarnation,
        "position": cursor.position,
        "owner": cursor.owner,
        "time": time_of(cursor.altered_ns),
    }
    if change.begins:
        values["stream_begins"] = change.begin
    if change.fills:
        values["fills_stream_below"] = change.begin
    return values


def _stream_numbers(record: LogRecord, names: Names, data_bytes: int) -> Values:
    queue_id, bound = unpack_get(record.payload)
    return {"queue": names.of(queue_id), "queue_id": queue_id, "reserved_below": bound}


def _compensate(record: LogRecord, names: Names, data_bytes: int) -> Values:
    rows = []
    for kind, queue_id, number in unpack_triples(record.payload):
        row = {"undoes": CHANGES.get(kind & 0xFF, str(kind & 0xFF)), "backout_count": kind >> 8}
        rows.append({**row, **names.place(queue_id, number)})
    return {"changes": rows}


def _expired(record: LogRecord, names: Names, data_bytes: int) -> Values:
    return {"messages": [names.place(*row) for row in unpack_pairs(record.payload)]}


def _cleared(record: LogRecord, names: Names, data_bytes: int) -> Values:
    queue_id, before = unpack_get(record.payload)
    return {"queue": names.of(queue_id), "queue_id": queue_id, "numbers_below": before}


def _xid(record: LogRecord, names: Names, data_bytes: int) -> Values:
    return {"xid": xid_values(unpack_xid(record.payload))}


def _heuristic(record: LogRecord, names: Names, data_bytes: int) -> Values:
    outcome = record.payload[0]
    xid = xid_values(unpack_xid(record.payload[1:]))
    return {"outcome": OUTCOMES.get(outcome, str(outcome)), "xid": xid}


def xid_values(xid: XID) -> Values:
    """An XID as XA tools write it."""
    return {
        "format_id": xid.format_id,
        "global_id": xid.global_id.hex(),
        "branch_qualifier": xid.branch_qualifier.hex(),
    }


def _facts(record: LogRecord, names: Names, data_bytes: int) -> Values:
    return {"facts": unpack_json(record.payload)}


def _object(record: LogRecord, names: Names, data_bytes: int) -> Values:
    facts = unpack_json(record.payload)
    names.note(facts)
    return {"facts": facts}


def _image(record: LogRecord, names: Names, data_bytes: int) -> Values:
    part = ImagePart(record)
    values: Values = {
        "part": PARTS.get(part.part, str(part.part)),
        "object": names.of(part.object_id) if part.object_id else "catalog",
        "image_lsn": part.image_lsn,
    }
    if part.part == PIECE:
        return {**values, "file": part.file, "offset": part.offset, "bytes": len(part.content)}
    if part.part == END:
        values["pieces"] = part.file
    return {**values, "facts": part.facts()}


_MEANINGS: Final[dict[int, Callable[[LogRecord, Names, int], Values]]] = {
    kinds.PUT: _put,
    kinds.GET: _get,
    kinds.PUT_GOT: _put_got,
    kinds.COMMIT: _commit,
    kinds.LEDGER: _ledger,
    kinds.CURSOR: _cursor,
    kinds.STREAM_NUMBERS: _stream_numbers,
    kinds.COMPENSATE: _compensate,
    kinds.PREPARE: _xid,
    kinds.FORGET: _xid,
    kinds.HEURISTIC: _heuristic,
    kinds.EXPIRED: _expired,
    kinds.QUEUE_CLEARED: _cleared,
    kinds.OBJECT: _object,
    kinds.OBJECT_DELETED: _object,
    kinds.CHECKPOINT: _facts,
    kinds.RESTART: _facts,
    kinds.MEDIA_IMAGE: _image,
}
