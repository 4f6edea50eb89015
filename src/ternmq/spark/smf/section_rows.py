"""Rows of a DataFrame from SMF records: the columns of one kind of section, as Arrow batches.

The copies of a section that have the same length and version are laid one below the other, and each
column is read for all of them at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ternmq.codec.smf.clock_values import UNITS_US
from ternmq.codec.smf.decoding import QWHC_BYTES, QWHS_BYTES
from ternmq.codec.smf.field import DURATION, TEXT, TIME, RecordRow
from ternmq.codec.smf.record import HEADER_BYTES, KINDS
from ternmq.codec.smf.section_layout import LAYOUTS
from ternmq.spark.smf import section_arrow as smf_arrow
from ternmq.spark.smf.moments import Moments, moments_of
from ternmq.spark.smf.record_headers import Copies, Heads, Records, kinds_of, read_heads, section_at
from ternmq.spark.smf.section_arrow import ARROW_TYPES, Bytes, Longs, Mask, gathered
from ternmq.spark.smf.section_columns import (
    BIT,
    HEX,
    INDEX,
    NUMBER,
    OWNER,
    SHOWN,
    WORD,
    Column,
    all_columns,
    entry_field,
    section_columns,
    words_of,
)

ROWS_MAX: Final = 4096  # of a batch


@final
class RowReader:
    """Makes the rows of one kind of section."""

    def __init__(self, section: str, names: Sequence[str] = (), default_zone: str = "") -> None:
        """`names` are the columns that are wanted, all if there are none."""
        self.section: Final = section
        types = dict(all_columns(section))
        self.names: Final = tuple(names) or tuple(types)
        self.schema: Final = pa.schema([(name, ARROW_TYPES[types[name]]) for name in self.names])
        self.default_zone: Final = default_zone
        self.own: Final = {column.name: column for column in section_columns(section)}
        self.kinds: Final = tuple(
            row for row in KINDS.values() if section in [name for _, name in row.sections]
        )

    def batches(self, records: Records, file: str) -> Iterator[Any]:
        """The rows in some records of a file."""
        types, subtypes = kinds_of(records)
        for row in self.kinds:
            of_kind = (types == row.record_type) & (subtypes == row.subtype)
            if of_kind.any():
                heads = read_heads(row, records.where(of_kind))
                usable = heads.sound & heads.is_known()
                if not usable.all():
                    heads = heads.where(usable)
                yield from self._rows(heads, file)

    def _rows(self, heads: Heads, file: str) -> Iterator[Any]:
        """Batches of copies that have the same length and version."""
        copies = section_at(heads, self.section)
        size = copies.size
        version = versions(heads.records.buffer, self.section, copies.place, size)
        for shape in np.unique(np.stack((size, version), axis=1), axis=0):
            alike = np.flatnonzero((size == shape[0]) & (version == shape[1]))
            for start in range(0, len(alike), ROWS_MAX):
                some = copies.where(alike[start : start + ROWS_MAX])
                batch = Rows(self, heads, some, int(shape[0]), int(shape[1])).batch(file)
                if batch.num_rows:
                    yield batch


def versions(buffer: Bytes, section: str, place: Longs, size: Longs) -> Longs:
    """What copies say is the version of their structure; 0 where they have none."""
    layout = LAYOUTS[section]
    found = np.zeros(len(place), np.int64)
    if layout.version_field:
        has = size >= layout.version_at + 4
        cells = gathered(buffer, np.where(has, place + layout.version_at, 0), 4)
        stated = smf_arrow.big_endian(cells, True).astype(np.int64)
        found = np.where(has & (stated >= 0), np.minimum(stated, VERSION_MAX), 0)
    return found


VERSION_MAX: Final = 10


@final
class Rows:
    """Copies of a section that are alike, each with the record it is in."""

    def __init__(
        self, reader: RowReader, heads: Heads, copies: Copies, size: int, version: int
    ) -> None:
        self.reader: Final = reader
        self.version: Final = version
        self.heads: Final = heads
        self.record = copies.record
        self.index: Final = copies.number
        self.size = size
        cells = gathered(heads.records.buffer, copies.place, size)
        entries = entry_field(reader.section)
        if entries is not None:
            # Each entry that has a name is a row, as if it were a section of its own.
            if size < entries.end:
                cells, self.record = cells[:0], self.record[:0]
            cells = cells[:, entries.offset : entries.end].reshape(-1, entries.size)
            used = smf_arrow.is_filled(cells[:, : entries.members[0].size])
            cells = np.ascontiguousarray(cells[used])
            self.record = np.repeat(self.record, entries.copies)[used]
            self.size = entries.size
        self.cells: Final = cells

    def batch(self, file: str) -> Any:
        """One Arrow batch."""
        found: dict[str, Any] = {}
        for name in self.reader.names:
            column = self.reader.own.get(name)
            if column is not None:
                found[name] = self._own(column)
        missing = [name for name in self.reader.names if name not in found]
        common = CommonColumns(self, file)
        for name in missing:
            found[name] = common.column(name)
        arrays = [found[name] for name in self.reader.names]
        return pa.RecordBatch.from_arrays(arrays, schema=self.reader.schema)

    def _own(self, column: Column) -> Any:
        """A column of the section."""
        if column.kind == INDEX:
            return smf_arrow.fixed(self.index, pa.int64())
        if column.kind == OWNER:
            return owners(self.heads, self.record)
        cells = self.cells
        if column.is_identity:
            places = self.heads.identity[self.record]
            cells = gathered(self.heads.records.buffer, places, QWHC_BYTES)
        elif column.end > self.size or column.version > self.version:
            return pa.nulls(len(cells), ARROW_TYPES[column.type_name])
        part = cells[:, column.offset : column.offset + column.size]
        array = read_column(column, part)
        if column.condition[0] >= 0:
            on = (cells[:, column.condition[0]] & column.condition[1]) != 0
            array = pc.if_else(pa.array(on), array, pa.scalar(None, array.type))
        return array


def read_column(column: Column, cells: Bytes) -> Any:
    """The values of a column from its bytes."""
    kind = column.kind
    if kind == NUMBER:
        return smf_arrow.longs(cells, column.is_signed, column.unset)
    if kind == DURATION:
        return smf_arrow.durations(cells)
    if kind == TIME:
        return smf_arrow.stamps(cells)
    if kind == TEXT:
        return smf_arrow.texts(cells)
    if kind == HEX:
        return smf_arrow.hexadecimal(cells)
    if kind == SHOWN:
        return smf_arrow.shown(cells)
    numbers = smf_arrow.big_endian(cells, column.is_signed)
    if kind == WORD:
        return smf_arrow.worded(numbers, words_of(column))
    if kind == BIT:
        return smf_arrow.chosen((numbers & column.mask) != 0, column.on, column.off)
    raise ValueError(f"column {column.name} of kind {kind}")


def owners(heads: Heads, record: Longs) -> Any:
    """The correlator of the task that each record is about: in its WTAS, else in its queues."""
    at = np.zeros(len(heads.records.at), np.int64)
    for section, inside in (("WQ", 16), ("WTAS", 8)):
        numbers = [number for number, name in heads.row.sections if name == section]
        if numbers:
            offset, length, copies = heads.triplet(numbers[0])
            has = (copies > 0) & (length >= inside + CORRELATOR_BYTES)
            at = np.where(has, heads.records.at + offset + inside, at)
    texts = smf_arrow.hexadecimal(gathered(heads.records.buffer, at, CORRELATOR_BYTES))
    known = pc.if_else(pa.array(at > 0), texts, pa.scalar(None, pa.string()))
    return known.take(pa.array(record))


CORRELATOR_BYTES: Final = 16


@final
class CommonColumns:
    """What records say of themselves, for each row of a batch."""

    def __init__(self, rows: Rows, file: str) -> None:
        self._heads: Final = rows.heads
        self._record: Final = rows.record
        self._file: Final = file
        self._zone: Final = rows.reader.default_zone
        self._head: Bytes | None = None
        self._moments: Moments | None = None

    def column(self, name: str) -> Any:
        """A column by its name."""
        return getattr(self, f"_{name.lower()}")()

    def _bytes(self, offset: int, size: int) -> Bytes:
        if self._head is None:
            places = self._heads.records.at[self._record]
            self._head = gathered(self._heads.records.buffer, places, HEADER_BYTES)
        return self._head[:, offset : offset + size]

    @property
    def _times(self) -> Moments:
        if self._moments is None:
            self._moments = moments_of(
                self._bytes(0, HEADER_BYTES), self._heads, self._record, self._zone
            )
        return self._moments

    def _date(self) -> Any:
        return smf_arrow.fixed(self._times.day.astype(np.int32), pa.date32(), self._times.is_dated)

    def _time(self) -> Any:
        times = self._times
        return smf_arrow.fixed(times.local_us, smf_arrow.LOCAL_STAMP_TYPE, times.is_dated)

    def _time_utc(self) -> Any:
        times = self._times
        return smf_arrow.fixed(
            times.local_us - times.zone_us, smf_arrow.STAMP_TYPE, times.is_dated & times.has_zone
        )

    def _zone_offset(self) -> Any:
        seconds = self._times.zone_us // 1_000_000
        return smf_arrow.fixed(seconds, pa.int64(), self._times.has_zone)

    def _lpar(self) -> Any:
        return smf_arrow.texts(self._bytes(14, 4))

    def _qmgr(self) -> Any:
        return smf_arrow.texts(self._bytes(18, 4))

    def _extended(self, offset: int, size: int) -> tuple[Bytes, Mask]:
        places = self._heads.extension[self._record]
        has = places > 0
        return gathered(self._heads.records.buffer, np.where(has, places + offset, 0), size), has

    def _qsg(self) -> Any:
        cells, has = self._extended(4, 4)
        return pc.if_else(pa.array(has), smf_arrow.texts(cells), pa.scalar(None, pa.string()))

    def _mq_version(self) -> Any:
        cells, has = self._extended(8, 6)
        release = smf_arrow.texts(self._bytes(24, 3))
        if not has.any():
            return release
        return pc.if_else(pa.array(has), smf_arrow.texts(cells), release)

    def _interval(self) -> tuple[Bytes, Bytes, Mask]:
        """Start and length of the interval, and whether there is one."""
        is_long = self._heads.is_long[self._record]
        places = np.where(is_long, self._heads.product[self._record], 0)
        cells = gathered(self._heads.records.buffer, places, QWHS_BYTES)
        start, length = cells[:, 36:44], cells[:, 44:52]
        return start, length, is_long & smf_arrow.is_filled(start)

    def _interval_start(self) -> Any:
        start, _, has = self._interval()
        local = smf_arrow.clock_moments(start)
        known = has & self._times.has_zone
        return smf_arrow.fixed(local - self._times.zone_us, smf_arrow.STAMP_TYPE, known)

    def _interval_duration_us(self) -> Any:
        _, length, has = self._interval()
        return smf_arrow.fixed(interval_us(self._heads.row, length), pa.int64(), has)

    def _interval_duration(self) -> Any:
        _, length, has = self._interval()
        seconds = interval_us(self._heads.row, length) // 1_000_000
        return smf_arrow.fixed(seconds, pa.int64(), has)

    def _record_type(self) -> Any:
        return self._same(self._heads.row.record_type)

    def _record_subtype(self) -> Any:
        return self._same(self._heads.row.subtype)

    def _same(self, number: int) -> Any:
        return smf_arrow.fixed(np.full(len(self._record), number, np.int64), pa.int64())

    def _record_file(self) -> Any:
        return smf_arrow.repeated(self._file, len(self._record))

    def _record_position(self) -> Any:
        return smf_arrow.fixed(self._heads.records.position[self._record], pa.int64())


CHANNEL_INITIATOR: Final = ((115, 231), (116, 10))


def interval_us(row: RecordRow, cells: Bytes) -> Longs:
    """Lengths of intervals in microseconds; the channel initiator has units of the clock."""
    stated = smf_arrow.big_endian(cells, False).astype(np.uint64)
    units = UNITS_US if (row.record_type, row.subtype) in CHANNEL_INITIATOR else 1
    length: Longs = (stated // np.uint64(units)).astype(np.int64)
    return length


@cache
def reader_of(section: str, names: tuple[str, ...], default_zone: str) -> RowReader:
    """The reader of a section; the same for the same question."""
    return RowReader(section, names, default_zone)
