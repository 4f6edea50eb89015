"""Reading one SMF record 115 or 116: what smf_record says about layout and validity, backwards.

`open_record` looks at header, product section and triplets, and refuses what cannot be; `sections`
of what it returns reads the sections that a caller wants. `rebuild` writes a record as it was.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from typing import Final, final

from ternmq.codec.smf.clock_values import EXTENDED_RELEASE, level_of_release
from ternmq.codec.smf.field import SHORT, RecordRow
from ternmq.codec.smf.record import (
    HEADER_BYTES,
    KINDS,
    LEVEL_MAX,
    LEVEL_MIN,
    LEVEL_NINE_LAST,
    QWHS_SHORT_BYTES,
    STUB_BYTES,
    TRIPLET_BYTES,
    assemble,
)
from ternmq.codec.smf.section_layout import LAYOUTS, Values, smf_error

FLAG_AT: Final = 4
TYPE_AT: Final = 5
SUBTYPE_AT: Final = 22
SUBTYPES: Final = 0x40  # in the flag: the record has a subtype
NO_SUBTYPE: Final = -1
RECORD_BYTES_MIN: Final = 18  # of any SMF record: the header without a subtype
STUB_MARK: Final = 1  # what a stub says its length is
QWHS_BYTES: Final = 52
QWHC_BYTES: Final = 92
QWHX_BYTES: Final = 16

_TRIPLET: Final = struct.Struct(">IHH")
_SMF: Final = LAYOUTS["SMF"]
_QWHS: Final = LAYOUTS["QWHS"]
_QWHC: Final = LAYOUTS["QWHC"]
_QWHX: Final = LAYOUTS["QWHX"]


@final
class Section:
    """One copy of a section."""

    def __init__(
        self, name: str, triplet: int, index: int, values: Values, record: bytes, at: int, size: int
    ) -> None:
        self.name: Final = name  # "" if it is not known
        self.triplet: Final = triplet
        self.index: Final = index  # among the copies
        self.values: Final = values
        self._record: Final = record
        self._at: Final = at
        self._size: Final = size

    @property
    def raw(self) -> bytes:
        """The bytes that were read."""
        return self._record[self._at : self._at + self._size]

    def leftovers(self) -> dict[int, bytes]:
        """The bytes that `values` does not show."""
        return LAYOUTS[self.name].leftovers(self.raw) if self.name else {0: self.raw}


@final
class Record:
    """A record whose header has been read and whose triplets are valid."""

    def __init__(
        self,
        row: RecordRow,
        header: Values,
        level: int,
        triplets: list[tuple[int, int, int]],
        raw: bytes,
    ) -> None:
        self.row: Final = row
        self.header: Final = header  # the values of SMF header and product section
        self.level: Final = level  # 0 if the release says none
        self.triplets: Final = triplets  # offset, length and copies, without that of the product
        self.raw: Final = raw

    @property
    def is_known_level(self) -> bool:
        """Whether the tables say what is in a record of this level."""
        return LEVEL_MIN <= self.level <= LEVEL_NINE_LAST or self.level == LEVEL_MAX

    @property
    def release(self) -> str:
        """What the record says its release is."""
        level = self.header.get("qwhxrel", self.header["smfrel"])
        return str(level or "")

    def sections(self, wanted: Collection[str] | None = None) -> list[Section]:
        """The sections, or those that are wanted; MQError if an eye-catcher is wrong."""
        found: list[Section] = []
        names = dict(self.row.sections)
        for number, (offset, length, copies) in enumerate(self.triplets, 1):
            name = names.get(number, "")
            if not copies or (wanted is not None and name not in wanted):
                continue
            read: list[Values] = [{}] * copies
            if name:
                read = LAYOUTS[name].unpack_copies(self.raw, offset, length, copies)
            for index, values in enumerate(read):
                at = offset + index * length
                found.append(Section(name, number, index, values, self.raw, at, length))
        return found

    def values_of(self, name: str) -> list[Values]:
        """The values of every copy of a section."""
        return [section.values for section in self.sections((name,))]


def record_type(data: bytes) -> int:
    """The type of a record that has its RDW; -1 if it is too short to have one."""
    return data[TYPE_AT] if len(data) > TYPE_AT else -1


def record_subtype(data: bytes) -> int:
    """The subtype; NO_SUBTYPE if the record says that it has none, or ends before."""
    if len(data) < SUBTYPE_AT + 2 or not data[FLAG_AT] & SUBTYPES:
        return NO_SUBTYPE
    return int.from_bytes(data[SUBTYPE_AT : SUBTYPE_AT + 2], "big")


def kind_text(kind: int, subtype: int) -> str:
    """115-2, or 115 without a subtype."""
    return f"{kind}-{subtype}" if subtype != NO_SUBTYPE else f"{kind} without a subtype"


def check_length(data: bytes) -> None:
    """MQError if a record is too short to be one of SMF."""
    if len(data) < RECORD_BYTES_MIN:
        raise smf_error(f"{len(data)} bytes are no SMF record, which has {RECORD_BYTES_MIN}")


def open_record(data: bytes) -> Record:
    """A record with its RDW, segments already joined; MQError if it is not valid."""
    check_length(data)
    kind, subtype = record_type(data), record_subtype(data)
    row = KINDS.get((kind, subtype))
    if row is None:
        raise smf_error(f"{kind_text(kind, subtype)} is not a record of MQ")
    if len(data) < HEADER_BYTES + TRIPLET_BYTES:
        raise smf_error(f"{row.name}: {len(data)} bytes are not a record")
    header = _SMF.unpack(data, 0, HEADER_BYTES)
    offset, length, _ = _TRIPLET.unpack_from(data, HEADER_BYTES)
    if length < STUB_BYTES or offset + length > len(data):
        raise smf_error(
            f"{row.name}: product section of {length} bytes at {offset}, the record has {len(data)}"
        )
    release = str(header["smfrel"])
    header.update(unpack_product(row, data[offset : offset + length], release))
    extended = header.get("qwhxrel")
    level = level_of_release(str(extended) if extended is not None else release)
    return Record(row, header, level, unpack_triplets(row, header, data), data)


def unpack_product(row: RecordRow, product: bytes, release: str) -> Values:
    """QWHS, QWHC and QWHX, as far as they are there."""
    own = int.from_bytes(product[:2], "big")
    if own == STUB_MARK:
        values: Values = {"qwhslen": own, "qwhstyp": product[2], "qwhsrmid": product[3]}
        end = STUB_BYTES
    elif own in (QWHS_SHORT_BYTES, QWHS_BYTES) and own <= len(product):
        values = _QWHS.unpack(product, 0, own)
        end = own
    else:
        raise smf_error(f"{row.name}: QWHS of {own} bytes in a section of {len(product)}")
    if row.product == SHORT:
        if end + QWHC_BYTES > len(product):
            raise smf_error(f"{row.name}: no room for QWHC in a section of {len(product)} bytes")
        values.update(_QWHC.unpack(product, end, QWHC_BYTES))
        end += QWHC_BYTES
    if release == str(EXTENDED_RELEASE):
        if end + QWHX_BYTES > len(product):
            raise smf_error(f"{row.name}: no room for QWHX in a section of {len(product)} bytes")
        values.update(_QWHX.unpack(product, end, QWHX_BYTES))
    return values


def triplet_count(row: RecordRow, header: Values) -> int:
    """How many triplets a record has, that of the product section included."""
    level = header.get("qwhsnsda")
    if not isinstance(level, int):  # a stub, which does not say
        return 2
    # The channel initiator of 8.0 wrote 5 in records that have 6.
    return row.triplets if row.subtype == 231 and level == row.triplets - 1 else level


def unpack_triplets(row: RecordRow, header: Values, data: bytes) -> list[tuple[int, int, int]]:
    """Offset, length and number of copies of each section; all of them within the record."""
    count = triplet_count(row, header)
    end = HEADER_BYTES + TRIPLET_BYTES * count
    if end > len(data):
        raise smf_error(f"{row.name}: {count} triplets in {len(data)} bytes")
    found: list[tuple[int, int, int]] = []
    room = len(data) - end
    for offset, length, copies in _TRIPLET.iter_unpack(data[HEADER_BYTES + TRIPLET_BYTES : end]):
        size = length * copies
        room -= size
        beyond = size and (offset < end or offset + size > len(data))
        if beyond or room < 0 or (copies and not length):
            raise smf_error(
                f"{row.name}: {copies} sections of {length} bytes at {offset},"
                f" the record has {len(data)}"
            )
        found.append((offset, length, copies))
    return found


def rebuild(record: Record) -> bytes:
    """The bytes of a record, rebuilt from what was read of it."""
    copies: list[tuple[int, list[bytes]]] = [(length, []) for _, length, _ in record.triplets]
    for section in record.sections():
        packed = section.raw
        if section.name:
            layout = LAYOUTS[section.name]
            packed = layout.pack(section.values, len(section.raw), section.leftovers())
        copies[section.triplet - 1][1].append(packed)
    return assemble(record.row, len(copies) + 1, record.header, copies, record.level)
