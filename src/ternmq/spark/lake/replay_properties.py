"""Properties of the lake that cannot be put again, found before a replay puts anything.

The source reads what an MQRFH2 says, whoever wrote it: a type that nobody knows, a number that does
not fit its type. The sink does not write such a thing, so a replay would end in its midst. Whether
a property can be is the sink's own judgement (mq_sink_properties).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from pyspark.sql import functions as f

from ternmq.spark.mq.sink_properties import unfit_in

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

FAIL: Final = "fail"
SKIP: Final = "skip"
BAD_PROPERTIES: Final = (FAIL, SKIP)
_COLUMNS: Final = ("properties", "property_types")


class Unfit(NamedTuple):
    """What is wrong with some messages."""

    messages: int
    example: str


def unfit(messages: DataFrame) -> Unfit:
    """How many messages have a property that cannot be put, and why one of them cannot."""
    listed = messages.where(f.size("properties") > 0).select(*_COLUMNS)
    said = listed.mapInArrow(_said, "said string")
    row = said.agg(f.count(f.lit(1)).alias("messages"), f.min("said").alias("said")).first()
    return Unfit(row["messages"], row["said"] or "") if row is not None else Unfit(0, "")


def without_unfit(messages: DataFrame) -> DataFrame:
    """The same messages, without those of their properties that cannot be put."""
    return messages.mapInArrow(_cleaned, messages.schema)


def _maps(
    batch: pa.RecordBatch, at: int
) -> tuple[list[tuple[str, str | None]], list[tuple[str, str]]]:
    """The properties of one row, and their types."""
    properties, types = (batch.column(name)[at].as_py() or [] for name in _COLUMNS)
    return properties, types


def _said(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in batches:
        found: list[str] = []
        for at in range(batch.num_rows):
            properties, types = _maps(batch, at)
            found += [said for _, said in unfit_in(dict(properties), dict(types))][:1]
        yield pa.RecordBatch.from_arrays([pa.array(found, pa.string())], names=["said"])


def _cleaned(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in batches:
        wrong: list[set[str]] = []
        for at in range(batch.num_rows):
            properties, types = _maps(batch, at)
            wrong.append({name for name, _ in unfit_in(dict(properties), dict(types))})
        for name in _COLUMNS:
            index = batch.schema.get_field_index(name)
            field = batch.schema.field(index)
            rows = [
                None if row is None else [one for one in row if one[0] not in left_out]
                for row, left_out in zip(batch.column(index).to_pylist(), wrong, strict=True)
            ]
            batch = batch.set_column(index, field, pa.array(rows, field.type))
        yield batch
