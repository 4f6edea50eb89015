"""What a reader of SMF dumps did not use, one row each: the section `_rejects`.

    truncated          the end of the file, or a missing segment, cuts the record
    stray segment      a segment without its first
    lost               the start of the next record is not known; the rest of the file is not read
    unknown subtype    a record of type 115 or 116 that the tables do not have
    unknown level      of an MQ older or newer than the tables
    damaged            sections that cannot be where the record says or not what they should be;
                       a record that is shorter than any of SMF
    internal           115-240, whose meaning is not documented; nothing is wrong with it

Records of other types are not rejects: a dump holds more than MQ.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from ternmq.base.errors import MQError
from ternmq.codec.smf.clock_values import level_text
from ternmq.codec.smf.decoding import NO_SUBTYPE, kind_text, open_record
from ternmq.codec.smf.record import ACCOUNTING, KINDS, LEVEL_MAX, LEVEL_MIN, STATISTICS
from ternmq.codec.smf.section_layout import text_of
from ternmq.spark.smf.record_headers import (
    Heads,
    Records,
    are_short,
    eyes_are_right,
    kinds_of,
    read_heads,
)
from ternmq.spark.smf.record_walk import Piece
from ternmq.spark.smf.section_arrow import ARROW_TYPES, Longs
from ternmq.spark.smf.section_columns import REJECT_COLUMNS

UNKNOWN_SUBTYPE: Final = "unknown subtype"
UNKNOWN_LEVEL: Final = "unknown level"
DAMAGED: Final = "damaged"
INTERNAL: Final = "internal"

SCHEMA: Final = pa.schema([(name, ARROW_TYPES[kind]) for name, kind in REJECT_COLUMNS])


class Reject(NamedTuple):
    """One row, in the order of the columns but for the file."""

    position: int
    length: int
    record_type: int | None
    subtype: int | None
    release: str | None
    reason: str
    detail: str
    data: bytes


def reject_batches(piece: Piece, file: str) -> Iterator[Any]:
    """What was not used of a piece of a file."""
    found = [*faults_of(piece), *unusable(piece.records)]
    rows = sorted(found, key=lambda each: each.position)
    if rows:
        columns = [[file] * len(rows), *map(list, zip(*rows))]
        arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA)]
        yield pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def faults_of(piece: Piece) -> Iterator[Reject]:
    """The parts that are not records."""
    for fault in piece.faults:
        yield Reject(
            fault.position, fault.length, None, None, None, fault.reason, fault.detail, fault.data
        )


def unusable(records: Records) -> Iterator[Reject]:
    """Records of MQ that no section is read from."""
    short = are_short(records)
    for index in np.flatnonzero(short).tolist():
        yield reject(records, index, None, None, DAMAGED, what_is_wrong(records.raw(index)))
    records = records.where(~short)
    types, subtypes = kinds_of(records)
    for kind in (STATISTICS, ACCOUNTING):
        for subtype in np.unique(subtypes[types == kind]).tolist():
            chosen = records.where((types == kind) & (subtypes == subtype))
            row = KINDS.get((kind, subtype))
            if row is None:
                detail = f"{kind_text(kind, subtype)} is not a known record"
                shown = subtype if subtype != NO_SUBTYPE else None
                for index in range(len(chosen.at)):
                    yield reject(chosen, index, kind, shown, UNKNOWN_SUBTYPE, detail)
            else:
                yield from unsound(read_heads(row, chosen))


def unsound(heads: Heads) -> Iterator[Reject]:
    """Records of a kind that are damaged or of a level that is not known."""
    kind, subtype = heads.row.record_type, heads.row.subtype
    known = heads.is_known()
    for index in np.flatnonzero(heads.sound & ~known).tolist():
        level = int(heads.level[index])
        shown = level_text(level) if level else "none that could be"
        detail = f"level {shown}; known are {level_text(LEVEL_MIN)} to {level_text(LEVEL_MAX)}"
        yield reject(heads.records, index, kind, subtype, UNKNOWN_LEVEL, detail)
    if not any(section for _, section in heads.row.sections):
        detail = f"{kind}-{subtype} has no documented layout"
        for index in np.flatnonzero(heads.sound & known).tolist():
            yield reject(heads.records, index, kind, subtype, INTERNAL, detail)
    broken = ~heads.sound
    for index in blind(heads).tolist():
        broken[index] |= known[index]
    for index in np.flatnonzero(broken).tolist():
        detail = what_is_wrong(heads.records.raw(index))
        yield reject(heads.records, index, kind, subtype, DAMAGED, detail)


def blind(heads: Heads) -> Longs:
    """Records with a section whose eye-catcher is wrong."""
    found: list[Longs] = []
    for number, section in heads.row.sections:
        if not section:
            continue
        offset, length, copies = heads.triplet(number)
        record = np.repeat(np.arange(len(offset)), copies)
        index = np.arange(len(record)) - np.repeat(np.cumsum(copies) - copies, copies)
        place = heads.records.at[record] + offset[record] + index * length[record]
        right = eyes_are_right(heads.records.buffer, section, place, length[record])
        found.append(record[~right])
    return np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)


def what_is_wrong(data: bytes) -> str:
    """The words of the reader that looks at one record at a time."""
    try:
        open_record(data).sections()
    except MQError as error:
        return str(error.detail)
    return "the record does not make sense"


def reject(
    records: Records, index: int, kind: int | None, subtype: int | None, reason: str, detail: str
) -> Reject:
    data = records.raw(index)
    release = text_of(data[24:27]) if len(data) >= 27 else None
    return Reject(
        int(records.position[index]), len(data), kind, subtype, release, reason, detail, data
    )
