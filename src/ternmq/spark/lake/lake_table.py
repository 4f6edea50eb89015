"""The lake: messages as the source `mq` gives them, kept in Parquet by date and queue.

`lake` adds the day on which a message was put, in UTC whatever the zone of the session, and the
index of its properties (property_index); written with PARTITIONED_BY and WRITE_OPTIONS, a search
for a queue, a time, an identifier or a property reads little (see lake_search). `keep` writes it as
a streaming query of its own, each message once. Read it by served.table, as a stream `lake_stream`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from ternmq.spark.frames.functions import f
from ternmq.spark.lake import property_index
from ternmq.spark.mq.message_schema import COLUMNS, ddl

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

PARTITIONED_BY: Final = ("put_date", "queue")
# What names a message for ever, for those who write a lake by other ways than `keep`.
KEY: Final = ("queue_manager", "queue", "incarnation", "seq")
# Identifiers are looked for one at a time and are in no order: a Bloom filter for each rules out
# most files that do not have it. Its size follows what the file holds, from 1 KB for 800
# messages to 256 KB for 200,000.
WRITE_OPTIONS: Final[Mapping[str, str]] = {
    "compression": "zstd",
    "parquet.bloom.filter.enabled#msg_id": "true",
    "parquet.bloom.filter.enabled#correl_id": "true",
    "parquet.bloom.filter.adaptive.enabled": "true",
    "parquet.bloom.filter.max.bytes": "262144",
    "parquet.bloom.filter.candidates.number": "9",
    **property_index.WRITE_OPTIONS,
}
LAKE_COLUMNS: Final = (*COLUMNS, (property_index.INDEX, property_index.DDL), ("put_date", "date"))
# What is not of the message: it is not shown, and not put again.
OWN_COLUMNS: Final = (property_index.INDEX, "put_date")
_DAY_US: Final = 86_400_000_000


def day_of(moment: Column) -> Column:
    """The date of an instant in UTC."""
    days = f.floor(f.unix_micros(moment) / f.lit(_DAY_US))
    return f.date_from_unix_date(days.cast("int"))


def lake(messages: DataFrame) -> DataFrame:
    """Messages, of a batch or a stream, with the index of their properties and the day they were
    put."""
    return property_index.with_index(messages).withColumn(
        "put_date", day_of(f.col("put_timestamp"))
    )


def keep(
    messages: DataFrame, folder: str, checkpoint: str, every: str = "", name: str = ""
) -> StreamingQuery:
    """Write a stream of messages into the lake of a warehouse, each once: all that is there now
    and then end, or for ever, a batch `every` so often ("10 seconds")."""
    writer = (
        lake(messages)
        .writeStream.format("parquet")
        .partitionBy(*PARTITIONED_BY)
        .options(**WRITE_OPTIONS)
        .option("path", folder)
        .option("checkpointLocation", checkpoint)
    )
    if name:
        writer = writer.queryName(name)
    if every:
        return writer.trigger(processingTime=every).start()
    return writer.trigger(availableNow=True).start()


def lake_stream(spark: SparkSession, folder: str) -> DataFrame:
    """A lake as a stream: what is in it, and then what is added. `folder` is the table's own."""
    return spark.readStream.schema(ddl(LAKE_COLUMNS)).parquet(folder)
