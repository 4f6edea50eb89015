"""SMF records kept as they are, and sections read from them: the raw stage of the pipeline.

The section `_records` of the source `mqsmf` has a row for each record of MQ (types 115 and 116),
with its bytes, and one for each part of a file that is not a record, with the reason. A record too
short to be one of SMF is kept too, so that `_rejects` can report it. What `mqsmf` reads from a
file, `section_of` reads from such rows, the same columns and values; so files are walked once,
however many sections are wanted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ternmq.codec.smf.framing import WORD
from ternmq.codec.smf.record import ACCOUNTING, KINDS, STATISTICS
from ternmq.spark.frames.functions import f
from ternmq.spark.smf.record_headers import Records, are_short, kinds_of
from ternmq.spark.smf.record_walk import Fault, Piece
from ternmq.spark.smf.rejects import reject_batches
from ternmq.spark.smf.section_arrow import ARROW_TYPES
from ternmq.spark.smf.section_columns import RECORD_COLUMNS, REJECTS, all_columns
from ternmq.spark.smf.section_rows import reader_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BATCH_BYTES: Final = 1 << 20
SCHEMA: Final = pa.schema([(name, ARROW_TYPES[kind]) for name, kind in RECORD_COLUMNS])
NAMES: Final = tuple(name for name, _ in RECORD_COLUMNS)


def record_batches(piece: Piece, file: str) -> Iterator[Any]:
    """Rows of `_records` of a piece of a file."""
    types, subtypes = kinds_of(piece.records)
    is_ours = (types == STATISTICS) | (types == ACCOUNTING) | are_short(piece.records)
    records = piece.records.where(is_ours)
    kinds = np.stack((types[is_ours], subtypes[is_ours]))
    ends = np.cumsum(records.length)
    first = 0
    while first < len(ends):
        begun = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, begun + BATCH_BYTES, "right")), first + 1)
        some = np.arange(first, last)
        yield rows_of(records.where(some), kinds[:, some], file)
        first = last
    if piece.faults:
        yield fault_rows(piece.faults, file)


def rows_of(records: Records, kinds: Any, file: str) -> Any:
    """Records, with their bytes laid one behind the other."""
    count = len(records.at)
    offsets = np.zeros(count + 1, np.int32)
    np.cumsum(records.length, out=offsets[1:])
    place = np.arange(offsets[-1]) + np.repeat(records.at - offsets[:-1], records.length)
    data = records.buffer[place]
    if records.is_bare:
        words = np.stack((records.length >> 8, records.length & 255), axis=1)
        data[offsets[:-1, None] + np.arange(WORD)] = np.pad(words, ((0, 0), (0, 2)))
    body = pa.Array.from_buffers(
        pa.binary(), count, [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    )
    none = pa.nulls(count, pa.string())
    columns = [
        pa.repeat(pa.scalar(file), count),
        pa.array(records.position, pa.int64()),
        pa.array(records.length, pa.int64()),
        pa.array(kinds[0], pa.int64(), mask=kinds[0] < 0),
        pa.array(kinds[1], pa.int64(), mask=kinds[1] < 0),
        none,
        none,
        body,
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def fault_rows(faults: list[Fault], file: str) -> Any:
    """The parts that are not records."""
    rows = [
        (file, each.position, each.length, None, None, each.reason, each.detail, each.data)
        for each in faults
    ]
    arrays = [pa.array(column, field.type) for column, field in zip(zip(*rows), SCHEMA)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def section_of(records: DataFrame, section: str, default_zone: str = "") -> DataFrame:
    """The rows of a section, or of `_rejects`, in rows of `_records`; of a batch or a stream."""
    wanted = records.select(*NAMES)
    if section != REJECTS:
        wanted = wanted.where(holding(section))
    ddl = ", ".join(f"`{name}` {kind.upper()}" for name, kind in all_columns(section))
    return wanted.mapInArrow(Decoding(section, default_zone).batches, ddl)


def holding(section: str) -> Any:
    """Whether a record may hold a section."""
    kinds = [row for row in KINDS.values() if section in [name for _, name in row.sections]]
    found = f.lit(False)
    for row in kinds:
        of_kind = f.col("Record_Type") == row.record_type
        found = found | (of_kind & (f.col("Record_Subtype") == row.subtype))
    return found


@final
class Decoding:
    """What each task does."""

    def __init__(self, section: str, default_zone: str) -> None:
        self._section: Final = section
        self._zone: Final = default_zone

    def batches(self, rows: Iterator[Any]) -> Iterator[Any]:
        """The rows of a section in batches of `_records`."""
        for batch in rows:
            for file, piece in pieces_of(batch):
                if self._section == REJECTS:
                    yield from reject_batches(piece, file)
                else:
                    yield from reader_of(self._section, (), self._zone).batches(piece.records, file)


def pieces_of(batch: Any) -> Iterator[tuple[str, Piece]]:
    """The records of a batch, file by file, as a walk over the file had them."""
    files = batch.column("Record_File").dictionary_encode()
    of_file = files.indices.to_numpy(zero_copy_only=False)
    for number, file in enumerate(files.dictionary.to_pylist()):
        own = batch.take(pa.array(np.flatnonzero(of_file == number)))
        is_record = own.column("Reason").is_null()
        faults = own.filter(pc.invert(is_record))
        yield file, Piece(records_of(own.filter(is_record)), list(faults_of(faults)))


def records_of(rows: Any) -> Records:
    """Where each record is in the column that holds their bytes."""
    body = rows.column("Record_Bytes")
    offsets = np.frombuffer(body.buffers()[1], np.int32)[body.offset :][: len(body) + 1]
    data = body.buffers()[2]
    at = offsets[:-1].astype(np.int64)
    length = offsets[1:].astype(np.int64) - at
    position = rows.column("Record_Position").to_numpy(zero_copy_only=False)
    buffer = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return Records(buffer, at, length, position.astype(np.int64))


def faults_of(rows: Any) -> Iterator[Fault]:
    for row in rows.to_pylist():
        yield Fault(
            row["Record_Position"],
            row["Record_Length"],
            row["Reason"],
            row["Detail"],
            row["Record_Bytes"],
        )
