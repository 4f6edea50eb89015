"""The Spark source and sink `mq`: queues as DataFrames, as streams and in batches.

    spark.readStream.format("mq").option("queueManager", "QM1").option("queue", "ORDERS").load()
    spark.readStream.format("mq").option("queueManager", "QM1").option("topic", "sport/#").load()

Options are in mq_options, columns in mq_schema. A stream reads by cursor and stream number and
takes nothing from the queue (mq_planner); a batch browses the queue, drains it (mq_browse), or
reads a range of its stream. Writing is in mq_sink.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pyspark.sql import SparkSession
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
    InputPartition,
)
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from ternmq.spark.mq.batch_read import MqFilteringReader, MqReader, RangePartition
from ternmq.spark.mq.message_schema import ddl
from ternmq.spark.mq.mq_options import SourceOptions, check_batch_of_topic
from ternmq.spark.mq.planner import Offset, Planner
from ternmq.spark.mq.range_tasks import read_ranges
from ternmq.spark.mq.retained_read import RetainedReader
from ternmq.spark.mq.sink import MqBatchWriter, MqStreamWriter
from ternmq.spark.mq.topic_planner import TopicPlanner
from ternmq.spark.session import use_this_python

FORMAT: Final = "mq"


def register(spark: SparkSession) -> None:
    """Make the source known to a session that does not find it (see pyspark_mq)."""
    use_this_python(spark)
    spark.dataSource.register(MqSource)


class MqSource(DataSource):
    """Queues of a queue manager."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        return ddl(SourceOptions(self.options, is_stream=False).columns)

    def reader(self, schema: StructType) -> DataSourceReader:
        options = SourceOptions(self.options, is_stream=False)
        if options.topic:
            check_batch_of_topic(self.options)
            return RetainedReader(options)
        return MqFilteringReader(options) if options.takes_filters else MqReader(options)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return MqStreamReader(SourceOptions(self.options, is_stream=True))

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:
        return MqStreamWriter(self.options, schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        return MqBatchWriter(self.options, schema, overwrite)


class MqStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads what comes to queues, by their streams, or to a topic, by the queue of a subscription.
    The planner is of the driver alone."""

    def __init__(self, options: SourceOptions) -> None:
        self.options: Final = options
        self._planner: Planner | TopicPlanner | None = None

    @property
    def planner(self) -> Planner | TopicPlanner:
        if self._planner is None:
            options = self.options
            self._planner = TopicPlanner(options) if options.topic else Planner(options)
        return self._planner

    def initialOffset(self) -> Offset:
        return self.planner.initial()

    def getDefaultReadLimit(self) -> ReadLimit:
        options = self.options
        if options.messages_per_trigger:
            return ReadMaxRows(options.messages_per_trigger)
        if options.bytes_per_trigger:
            return ReadMaxBytes(options.bytes_per_trigger)
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        self.planner.stop_at_what_is_there()

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:
        rows_max = limit.max_rows if isinstance(limit, ReadMaxRows) else 0
        bytes_max = limit.max_bytes if isinstance(limit, ReadMaxBytes) else 0
        if rows_max and not bytes_max:  # Spark has one limit, a user may have given both
            bytes_max = self.options.bytes_per_trigger
        return self.planner.latest(start, rows_max, bytes_max)

    def reportLatestOffset(self) -> Offset | None:
        return self.planner.reported()

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        return [RangePartition(ranges) for ranges in self.planner.partitions(start, end)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        if not isinstance(partition, RangePartition):
            return iter(())
        return read_ranges(self.options, partition.ranges)

    def commit(self, end: Offset) -> None:
        self.planner.advance(end)

    def stop(self) -> None:
        if self._planner is not None:
            self._planner.close()
