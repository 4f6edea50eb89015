"""Messages as DataFrames for tests: rows with the columns that a test is about, the rest null."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

STARTS = 5
BEGIN = datetime(2026, 11, 1, 23, 59, 50, tzinfo=UTC)


def at(seconds: float) -> datetime:
    """So long after the beginning."""
    return BEGIN + timedelta(seconds=seconds)


def msg_id(number: int) -> bytes:
    return number.to_bytes(24, "big")


def messages(spark: SparkSession, rows: list[dict[str, Any]]) -> DataFrame:
    """A DataFrame as the source `mq` gives it."""
    from ternmq.spark.mq.message_schema import NAMES, ddl

    usual = {"queue_manager": "QM1", "incarnation": 1, "msg_type": 8, "report": 0}
    reported = [{**usual, "seq": n, **row} for n, row in enumerate(rows)]
    values = [tuple(row.get(name) for name in NAMES) for row in reported]
    return spark.createDataFrame(values, ddl())


def run(frame: DataFrame, folder: str) -> None:
    """Append what is there of a stream to a table."""
    writer = (
        frame.writeStream.format("parquet")
        .option("path", f"{folder}/table")
        .option("checkpointLocation", f"{folder}/checkpoint")
        .trigger(availableNow=True)
    )
    finished(writer.start)


def finished(start: Callable[[], StreamingQuery]) -> None:
    """Run a query to its end. Spark gives a Python that it starts for a stream ten seconds to come
    up, which a loaded machine may not have: then it is started again, from its checkpoint."""
    from pyspark.errors import StreamingQueryException

    for left in reversed(range(STARTS)):
        try:
            start().awaitTermination()
            return
        except StreamingQueryException as error:
            if not left or "failed to connect back" not in str(error):
                raise
