"""MQDH: ahead of the data of a message for several queues, on a transmission queue.

    at 0 eye-catcher "DH  ", 4 version, 8 structure_length (with the records), 12 encoding, 16 ccsid
    and 20 format c8 of what follows the records, 28 flags, 32 put_record_fields, 36
    records_present, 40 object_record_offset, 44 put_record_offset; then the MQOR and, if a field is
    named, the MQPMR, each as many as records_present

Offsets count from the start of the MQDH; put_record_offset is 0 without such records. Validity: at
least one record, no unknown field, and all records inside structure_length and the data.
"""

from __future__ import annotations

from typing import ClassVar, Final, final

from ternmq.base.constants import MQCCSI_UNDEFINED, MQDHF_NONE
from ternmq.base.reasons import MQRC_DH_ERROR
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.layout import LITTLE, Layout, Value, chars, i32
from ternmq.codec.mqi.list_records import (
    OBJECT_RECORD_BYTES,
    PUT_RECORD_FIELDS,
    Destination,
    PutRecord,
    pack_destinations,
    pack_put_records,
    put_record_bytes,
    unpack_destinations,
    unpack_put_records,
)
from ternmq.codec.mqi.structure import Structure

HEAD_BYTES: Final = 48
LAYOUT: Final = Layout(
    "MQDH",
    "DH  ",
    MQRC_DH_ERROR,
    (1, 1),
    (
        i32("structure_length"),
        i32("encoding"),
        i32("ccsid"),
        chars("format", 8),
        i32("flags"),
        i32("put_record_fields"),
        i32("records_present"),
        i32("object_record_offset"),
        i32("put_record_offset"),
    ),
)


def header_bytes(records: int, fields: int) -> int:
    """The length of an MQDH with so many destinations."""
    return HEAD_BYTES + records * (OBJECT_RECORD_BYTES + put_record_bytes(fields))


@final
class DistributionHeader(Structure):
    """MQDH: the destinations of a message, and what it has for each of them."""

    LAYOUT: ClassVar[Layout] = LAYOUT

    def __init__(
        self,
        *,
        encoding: int = 0,
        ccsid: int = MQCCSI_UNDEFINED,
        format: str = "",
        flags: int = MQDHF_NONE,
        put_record_fields: int = 0,
        destinations: list[Destination] | None = None,
        put_records: list[PutRecord] | None = None,
        version: int = 1,
    ) -> None:
        super().__init__(version=version)
        self.encoding = encoding
        self.ccsid = ccsid
        self.format = format
        self.flags = flags
        self.put_record_fields = put_record_fields
        self.destinations = destinations or []
        self.put_records = put_records or []

    def shown(self) -> dict[str, object]:
        return {
            "encoding": self.encoding,
            "ccsid": self.ccsid,
            "format": self.format,
            "flags": self.flags,
            "put_record_fields": self.put_record_fields,
            "destinations": self.destinations,
            "put_records": self.put_records,
        }

    def size(self, native: bool = False) -> int:
        return header_bytes(len(self.destinations), self.put_record_fields)

    def fill(self, data: bytes, offset: int, order: str, ccsid: int, native: bool) -> None:
        self.version, values = LAYOUT.read(data, offset, order, ccsid, native)
        self.encoding = _number(values["encoding"])
        self.ccsid = _number(values["ccsid"])
        self.format = str(values["format"])
        self.flags = _number(values["flags"])
        fields = _number(values["put_record_fields"])
        count = _number(values["records_present"])
        length = _number(values["structure_length"])
        if count < 1 or fields & ~PUT_RECORD_FIELDS:
            raise LAYOUT.error(f"{count} records with fields {fields}")
        if length > len(data) - offset:
            raise LAYOUT.error(f"{len(data) - offset} bytes are left, it has {length}")
        at = _number(values["object_record_offset"])
        _check_inside(at, count * OBJECT_RECORD_BYTES, length)
        self.put_record_fields = fields
        self.destinations = unpack_destinations(data, offset + at, count, ccsid)
        self.put_records = []
        if fields:
            at = _number(values["put_record_offset"])
            _check_inside(at, count * put_record_bytes(fields), length)
            self.put_records = unpack_put_records(data, offset + at, count, fields, order)

    def pack(self, order: str = LITTLE, ccsid: int = UTF8, native: bool = False) -> bytes:
        """The bytes of the header and its records."""
        count = len(self.destinations)
        behind = HEAD_BYTES + count * OBJECT_RECORD_BYTES
        values: dict[str, Value] = {
            "structure_length": self.size(),
            "encoding": self.encoding,
            "ccsid": self.ccsid,
            "format": self.format,
            "flags": self.flags,
            "put_record_fields": self.put_record_fields,
            "records_present": count,
            "object_record_offset": HEAD_BYTES,
            "put_record_offset": behind if self.put_record_fields else 0,
        }
        head = LAYOUT.write(self.version, values, order, ccsid, native)
        records = pack_put_records(self.put_records, self.put_record_fields, order)
        return head + pack_destinations(self.destinations, ccsid) + records


def _number(value: Value) -> int:
    return value if isinstance(value, int) else 0


def _check_inside(at: int, size: int, length: int) -> None:
    if at < HEAD_BYTES or at + size > length:
        raise LAYOUT.error(f"records of {size} bytes at {at}, the structure has {length}")
