"""Headers of many SMF records at once: which are sound, and where their sections are.

The same rules as codec/smf_decoding.open_record, which says in words what is wrong with a record
that does not keep them (see smf_rejects); here they are kept for all records of a kind together.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ternmq.base.errors import MQError
from ternmq.codec.smf.clock_values import EXTENDED_RELEASE
from ternmq.codec.smf.decoding import (
    QWHC_BYTES,
    QWHS_BYTES,
    QWHX_BYTES,
    RECORD_BYTES_MIN,
    STUB_MARK,
    SUBTYPES,
    open_record,
)
from ternmq.codec.smf.field import SHORT, RecordRow
from ternmq.codec.smf.framing import WORD
from ternmq.codec.smf.record import (
    HEADER_BYTES,
    LEVEL_MAX,
    LEVEL_MIN,
    LEVEL_NINE_LAST,
    QWHS_SHORT_BYTES,
    STUB_BYTES,
    TRIPLET_BYTES,
)
from ternmq.codec.smf.section_layout import EBCDIC, LAYOUTS
from ternmq.spark.smf.section_arrow import Bytes, Longs, Mask, gathered

_HEAD: Final = np.dtype(
    {
        "names": ["flag", "type", "subtype", "release", "product", "length"],
        "formats": ["u1", "u1", ">u2", "3u1", ">u4", ">u2"],
        "offsets": [4, 5, 22, 24, 28, 32],
        "itemsize": HEADER_BYTES + TRIPLET_BYTES,
    }
)
_TRIPLET: Final = np.dtype([("offset", ">u4"), ("length", ">u2"), ("copies", ">u2")])
_EXTENDED: Final[Bytes] = np.frombuffer(str(EXTENDED_RELEASE).encode(EBCDIC), np.uint8)
_ZERO: Final = 0xF0  # of EBCDIC


class Records(NamedTuple):
    """Records in a buffer. Offsets inside a record count from `at`, where its RDW is, or would be
    in a file without them."""

    buffer: Bytes
    at: Longs
    length: Longs
    position: Longs  # in the file
    is_bare: bool = False  # there are no RDWs: what is before a record is not its own

    def where(self, mask: Mask | NDArray[np.int64]) -> Records:
        """Some of them."""
        at, length, position = self.at[mask], self.length[mask], self.position[mask]
        return Records(self.buffer, at, length, position, self.is_bare)

    def raw(self, index: int) -> bytes:
        """The bytes of one, as codec/smf_decoding wants them."""
        at, length = int(self.at[index]), int(self.length[index])
        if self.is_bare:
            return length.to_bytes(2, "big") + b"\0\0" + bytes(self.buffer[at + WORD : at + length])
        return bytes(self.buffer[at : at + length])


def no_records() -> Records:
    """None at all."""
    none = np.zeros(0, np.int64)
    return Records(np.zeros(0, np.uint8), none, none, none)


class Heads(NamedTuple):
    """What the headers of records of one kind say; counted like the records."""

    row: RecordRow
    records: Records
    sound: Mask
    level: Longs  # 0 if they have none
    product: Longs  # places in the buffer: of the QWHS or stub,
    identity: Longs  # of the QWHC,
    extension: Longs  # of the QWHX; 0 where there is none
    is_stub: Mask
    is_long: Mask  # the QWHS has an interval
    counts: Longs  # of triplets

    def is_known(self) -> Mask:
        """Whether the tables say what is in a record of this level."""
        nine = (self.level >= LEVEL_MIN) & (self.level <= LEVEL_NINE_LAST)
        known: Mask = nine | (self.level == LEVEL_MAX)
        return known

    def where(self, mask: Mask) -> Heads:
        """Some of them."""
        return Heads(
            self.row,
            self.records.where(mask),
            self.sound[mask],
            self.level[mask],
            self.product[mask],
            self.identity[mask],
            self.extension[mask],
            self.is_stub[mask],
            self.is_long[mask],
            self.counts[mask],
        )

    def triplet(self, number: int) -> tuple[Longs, Longs, Longs]:
        """Offset, length and copies of a section; zeros where a record does not have it."""
        has = self.sound & (number < self.counts)
        return triplet_at(self.records, has, number)


def are_short(records: Records) -> Mask:
    """Which records are shorter than any of SMF."""
    short: Mask = records.length < RECORD_BYTES_MIN
    return short


def kinds_of(records: Records) -> tuple[Longs, Longs]:
    """Type and subtype of each record, -1 for what it is too short to have or says it has not."""
    buffer, at, length = records.buffer, records.at, records.length
    last = len(buffer) - 1
    types = np.where(length > 5, buffer[np.minimum(at + 5, last)], -1).astype(np.int64)
    high = buffer[np.minimum(at + 22, last)].astype(np.int64)
    low = buffer[np.minimum(at + 23, last)].astype(np.int64)
    stated = (length >= 24) & ((buffer[np.minimum(at + 4, last)] & SUBTYPES) != 0)
    return types, np.where(stated, high << 8 | low, -1)


def read_heads(row: RecordRow, records: Records) -> Heads:
    """The headers of records that are all of one kind."""
    buffer, at, length = records.buffer, records.at, records.length
    sound = length >= HEADER_BYTES + TRIPLET_BYTES
    places = np.where(sound, at, at[sound][0] if sound.any() else 0)
    if not sound.any():
        none = np.zeros(len(at), np.int64)
        no = np.zeros(len(at), np.bool_)
        return Heads(row, records, sound, none, none, none, none, no, no, none)
    head = gathered(buffer, places, _HEAD.itemsize).view(_HEAD).reshape(len(at))
    size = head["length"].astype(np.int64)
    offset = head["product"].astype(np.int64)
    sound &= (size >= STUB_BYTES) & (offset + size <= length)
    product = np.where(sound, places + offset, 0)
    own = two(buffer, product)
    is_stub = own == STUB_MARK
    is_long = own == QWHS_BYTES
    sound &= is_stub | ((is_long | (own == QWHS_SHORT_BYTES)) & (own <= size))
    end = np.where(is_stub, STUB_BYTES, own)
    identity = np.zeros(len(at), np.int64)
    if row.product == SHORT:
        sound &= end + QWHC_BYTES <= size
        identity = np.where(sound, product + end, 0)
        end = end + QWHC_BYTES
    extended = (head["release"] == _EXTENDED).all(axis=1)
    sound &= ~extended | (end + QWHX_BYTES <= size)
    extension = np.where(sound & extended, product + end, 0)
    level = levels(head["release"])
    if extended.any():
        six = gathered(buffer, np.where(extension > 0, extension + 8, 0), 6)
        level = np.where(extended, levels(six), level)
    count = triplet_counts(row, buffer, product, is_stub)
    heads = Heads(row, records, sound, level, product, identity, extension, is_stub, is_long, count)
    return checked_triplets(heads)


def two(buffer: Bytes, at: Longs) -> Longs:
    """The numbers of two bytes at these places."""
    last = len(buffer) - 1
    high = buffer[np.minimum(at, last)].astype(np.int64)
    low: Longs = high << 8 | buffer[np.minimum(at + 1, last)]
    return low


def levels(characters: NDArray[Any]) -> Longs:
    """Levels of releases of three or six digits; 0 where there is something else."""
    digits = characters.astype(np.int64) - _ZERO
    are_digits = ((digits >= 0) & (digits <= 9)).all(axis=1)
    if digits.shape[1] == 3:
        level = digits @ np.array([10_000, 100, 1])
    else:
        level = digits @ np.array([100_000, 10_000, 1_000, 100, 10, 1])
    return np.where(are_digits, level, 0)


def triplet_counts(row: RecordRow, buffer: Bytes, product: Longs, is_stub: Mask) -> Longs:
    """How many triplets records have; see codec/smf_decoding.triplet_count."""
    stated = buffer[np.minimum(product + 6, len(buffer) - 1)].astype(np.int64)
    if row.subtype == 231:
        stated = np.where(stated == row.triplets - 1, row.triplets, stated)
    return np.where(is_stub, 2, stated)


def triplet_at(records: Records, has: Mask, number: int) -> tuple[Longs, Longs, Longs]:
    place = np.where(has, records.at + HEADER_BYTES + TRIPLET_BYTES * number, 0)
    read = gathered(records.buffer, place, TRIPLET_BYTES).view(_TRIPLET).reshape(len(place))
    offset, length, copies = (
        np.where(has, read[name].astype(np.int64), 0) for name in ("offset", "length", "copies")
    )
    return offset, length, copies


def checked_triplets(heads: Heads) -> Heads:
    """The same, without those as sound whose sections cannot be where they say."""
    records, count = heads.records, heads.counts
    end = HEADER_BYTES + TRIPLET_BYTES * count
    sound = heads.sound & (end <= records.length)
    room = records.length - end
    for number in range(1, heads.row.triplets):
        offset, length, copies = triplet_at(records, sound & (number < count), number)
        size = length * copies
        room -= size
        beyond = (size > 0) & ((offset < end) | (offset + size > records.length))
        sound &= ~beyond & (room >= 0) & ~((copies > 0) & (length == 0))
    for index in np.flatnonzero(sound & (count > heads.row.triplets)):
        try:  # more triplets than such a record has: rare enough for one at a time
            open_record(records.raw(int(index)))
        except MQError:
            sound[index] = False
    return heads._replace(sound=sound)


class Copies(NamedTuple):
    """Copies of a section."""

    record: Longs  # which one they are in
    number: Longs  # among the copies of that record
    place: Longs  # in the buffer
    size: Longs

    def where(self, mask: Mask | Longs) -> Copies:
        """Some of them."""
        return Copies(self.record[mask], self.number[mask], self.place[mask], self.size[mask])


def section_at(heads: Heads, section: str) -> Copies:
    """The copies of a section. Records in which an eye-catcher is wrong give none."""
    numbers = [number for number, name in heads.row.sections if name == section]
    if not numbers:
        none = np.zeros(0, np.int64)
        return Copies(none, none, none, none)
    offset, length, copies = heads.triplet(numbers[0])
    record = np.repeat(np.arange(len(offset)), copies)
    first = np.repeat(np.cumsum(copies) - copies, copies)
    index = np.arange(len(record)) - first
    place = heads.records.at[record] + offset[record] + index * length[record]
    copies_found = Copies(record, index, place, length[record])
    right = eyes_are_right(heads.records.buffer, section, place, copies_found.size)
    if right.all():
        return copies_found
    return copies_found.where(~np.isin(record, record[~right]))


def eyes_are_right(buffer: Bytes, section: str, place: Longs, size: Longs) -> Mask:
    """Whether copies of a section say what they are; those that should not need not."""
    row = LAYOUTS[section].row
    right = np.ones(len(place), np.bool_)
    if row.eye_catcher:
        field = row.fields[2]
        long_enough = size >= field.end
        wanted = np.frombuffer(row.eye_catcher.encode(EBCDIC).ljust(field.size, b"\x40"), np.uint8)
        at = np.where(long_enough, place + field.offset, 0)
        right = long_enough & (gathered(buffer, at, field.size) == wanted).all(axis=1)
    return right
