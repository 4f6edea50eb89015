"""The three queries that must have every message once: a table, the lake, and another queue.

`run` brings some of them to the end of what is there, and begins a query that failed again, as
whoever looks after it would. `counted` says what the table and the lake have.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.query import StreamingQuery

from ternmq.spark.lake.lake_table import keep
from tests.fire.points import LAKE, TABLE

SOURCE_QUEUE = "ORDERS"
TARGET_QUEUE = "TARGET"
PER_UNIT = 8
ATTEMPTS = 12  # some are Spark's own: it gives a process ten seconds to begin


def cursor_of(query: str) -> str:
    """It is there before the first message, and tells where the query begins."""
    return f"FIRE.{query.upper()}"


def begin(
    spark: SparkSession, folder: Path, way: dict[str, str], query: str, per_trigger: int
) -> StreamingQuery:
    """One of the queries, from where it was."""
    fire = f"{folder}:{query}"
    reader = spark.readStream.format("mq").options(**way, fire=fire, queue=SOURCE_QUEUE)
    messages = reader.options(
        cursor=cursor_of(query), maxMessagesPerTrigger=per_trigger, minPartitions=2
    ).load()
    checkpoint = str(folder / "checkpoints" / query)
    if query == LAKE:
        return keep(messages, str(folder / LAKE), checkpoint, name=query)
    chosen = messages.select("body", "msg_id", "correl_id", "format", "ccsid")
    if query == TABLE:
        writer = messages.select("seq", "text").writeStream.format("parquet")
        writer = writer.option("path", str(folder / TABLE))
    else:
        writer = chosen.writeStream.format("mq").options(**way, fire=fire, queue=TARGET_QUEUE)
        writer = writer.option("maxMessagesPerUnit", PER_UNIT)
    writer = writer.queryName(query).option("checkpointLocation", checkpoint)
    return writer.trigger(availableNow=True).start()


def run(
    spark: SparkSession, folder: Path, way: dict[str, str], queries: Sequence[str], per_trigger: int
) -> list[str]:
    """Queries to the end of what is there, one after the other; what failed on the way."""
    failures: list[str] = []
    waiting = list(queries)
    while waiting:
        try:
            begin(spark, folder, way, waiting[0], per_trigger).awaitTermination()
            waiting.pop(0)
        except StreamingQueryException as error:
            failures.append(f"{waiting[0]}: {str(error).splitlines()[0][:200]}")
            if len(failures) >= ATTEMPTS:
                raise
    return failures


def counted(spark: SparkSession, folder: Path, queries: Sequence[str]) -> dict[str, Any]:
    """Rows, different ones, and what they add up to, of table and lake."""
    found: dict[str, Any] = {}
    for name in (name for name in (TABLE, LAKE) if name in queries):
        rows = spark.read.schema("text STRING").parquet(str(folder / name))
        number = f.col("text").cast("long")
        row = rows.agg(f.count("*"), f.countDistinct("text"), f.sum(number)).first()
        found[name] = list(row or ())
    return found
