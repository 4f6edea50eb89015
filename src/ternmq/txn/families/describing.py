"""Words for what log records say, as values that JSON can hold: names for numbers, text for bytes.

The families describe their records with these; dmpmqlog shows the result.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final, final

from ternmq.codec.message_image import FIXED_BYTES, FLAG_PERSISTENT, HEADER_BYTES, unpack_header
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.property_area import read_properties
from ternmq.store.catalog import Catalog
from ternmq.values.entry import OWN_DATE, REPORTS
from ternmq.values.xid import XID

Values = dict[str, Any]

_FLAG_NAMES: Final = {
    FLAG_PERSISTENT: "persistent",
    OWN_DATE: "own date",
    REPORTS: "reports",
}


@final
class Names:
    """The names of queues by their ids, as far as catalog and log say them."""

    def __init__(self, catalog: Catalog | None) -> None:
        self._names: dict[int, str] = {}
        if catalog is not None:
            for definition in catalog.definitions.values():
                self._names[definition.object_id] = definition.name

    def of(self, queue_id: int) -> str:
        """The name, or the number if the name is not known."""
        return self._names.get(queue_id, f"#{queue_id}")

    def note(self, facts: Values) -> None:
        """An OBJECT record has the name of an id."""
        if isinstance(facts.get("id"), int):
            self._names[facts["id"]] = str(facts.get("name", ""))

    def place(self, queue_id: int, number: int) -> Values:
        """One message of one queue."""
        return {"queue": self.of(queue_id), "queue_id": queue_id, "number": number}

    def places(self, rows: list[tuple[int, int, int]]) -> list[Values]:
        """The messages that COMMIT or LEDGER makes visible."""
        return [
            {**self.place(queue_id, number), "sequence": sequence}
            for queue_id, number, sequence in rows
        ]


def describe_message(image: bytes, data_bytes: int) -> Values:
    """A message image: header, the descriptor's main fields, the beginning of the data."""
    header = unpack_header(image, 0)
    md = Descriptor.unpack(image[HEADER_BYTES:FIXED_BYTES])
    begin = FIXED_BYTES + header.area_length
    data = image[begin : begin + header.data_length]
    found: Values = {
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
    }
    if header.area_length:
        found["properties_length"] = header.area_length
        found["properties"] = describe_properties(image[FIXED_BYTES:begin])
    found["data_length"] = header.data_length
    found["data"] = data[:data_bytes].hex()
    return found


def describe_properties(area: bytes) -> Values:
    """Properties by their names; bytes as hexadecimal digits."""
    found: Values = {}
    for one in read_properties(area):
        found[one.name] = one.value.hex() if isinstance(one.value, bytes) else one.value
    return found


def time_of(ns: int) -> str:
    """A moment as text, UTC."""
    return datetime.fromtimestamp(ns / 1e9, UTC).isoformat(timespec="milliseconds")


def xid_values(xid: XID) -> Values:
    """An XID as XA tools write it."""
    return {
        "format_id": xid.format_id,
        "global_id": xid.global_id.hex(),
        "branch_qualifier": xid.branch_qualifier.hex(),
    }
