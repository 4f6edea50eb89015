"""Rows of sections as lines of mq-smf-csv, so that they can be compared with the plain reader's."""

from __future__ import annotations

import datetime
import io
from typing import Any

from ternmq.codec.smf.csv_lines import Lines
from ternmq.codec.smf.framing import Source, recognise
from ternmq.codec.smf.reader import Reader
from ternmq.spark.smf.ranges import worded_places
from ternmq.spark.smf.record_walk import Walk
from ternmq.spark.smf.section_columns import (
    INTERVAL,
    INTERVAL_LAST,
    RECORD,
    all_columns,
    section_columns,
)
from ternmq.spark.smf.section_rows import RowReader

Row = dict[str, Any]
INTERVAL_NAMES = {name for name, _ in INTERVAL}
NOT_IN_LINES = {name for name, _ in RECORD} | {"Interval_Duration_US"}


class Held:
    """A file in memory."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read_at(self, position: int, length: int) -> bytes:
        return self._data[position : position + length]

    def close(self) -> None:
        pass


def decoded(data: bytes, section: str, piece_bytes: int = 1 << 20) -> list[Row]:
    """The rows of a section in a file."""
    form = recognise(Source(io.BytesIO(data).read))
    walk = Walk(Held(data).read_at, form, 0, len(data), piece_bytes=piece_bytes)
    reader = RowReader(section)
    rows: list[Row] = []
    for piece in walk.pieces():
        for batch in reader.batches(piece.records, "file"):
            rows += batch.to_pylist()
    return rows


def lines_of(data: bytes, section: str) -> list[list[str]]:
    """What the plain reader makes of it, sorted."""
    lines = Lines(section)
    found: list[list[str]] = []
    for record in Reader(io.BytesIO(data).read):
        sections = record.sections((section,))
        if sections:
            found += [[str(cell) for cell in cells] for cells in lines.rows(record, sections)]
    return sorted(found)


def as_lines(rows: list[Row], section: str) -> list[list[str]]:
    """Rows as the plain reader would have them, sorted."""
    durations = {column.name for column in section_columns(section) if column.kind == "D"}
    own = section_columns(section)
    wide = {column.name for column in own if column.size == 8 and not column.is_signed}
    return sorted(line_of(row, section, durations, wide) for row in rows)


def line_of(row: Row, section: str, durations: set[str], wide: set[str]) -> list[str]:
    line: list[str] = []
    for name, kind in all_columns(section):
        if name in NOT_IN_LINES or (section in INTERVAL_LAST and name in INTERVAL_NAMES):
            continue
        value = row[name]
        if kind == "timestamp":
            if name == "Interval_Start" and value is not None:
                value += datetime.timedelta(seconds=row["Zone_Offset"])
            line += stamp(value)
        elif name == "Date":
            line.append(f"{value:%Y/%m/%d}")
        elif name == "Time":
            line.append(stamp(value)[1])
        elif name in durations:
            line += ["", ""] if value is None else map(str, divmod(value, 1_000_000))
        elif isinstance(value, int) and value < 0 and name in wide:
            line.append(str(value + (1 << 64)))
        else:
            line.append("" if value is None else str(value))
    return line


def stamp(value: datetime.datetime | None) -> list[str]:
    if value is None:
        return ["", ""]
    return [f"{value:%Y/%m/%d}", f"{value:%H:%M:%S},{value.microsecond:06}"]


def places_of(data: bytes, form: str) -> list[int]:
    """Where a file may be divided."""
    return list(worded_places(Held(data), form, 0, len(data)))
