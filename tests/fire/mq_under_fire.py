"""The source and sink `mq` as they are, with a question before and after everything that Spark asks
them: is somebody to be killed here? Registered in place of the plain one, by option `fire`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.datasource import (
    DataSourceStreamReader,
    DataSourceStreamWriter,
    InputPartition,
    WriterCommitMessage,
)
from pyspark.sql.streaming.datasource import ReadLimit
from pyspark.sql.types import StructType

from ternmq.spark.mq.mq_options import SourceOptions
from ternmq.spark.mq.mq_source import MqSource, MqStreamReader
from ternmq.spark.mq.planner import Offset
from ternmq.spark.mq.sink import CommitMessages, MqStreamWriter
from tests.fire.points import Fire


def register(spark: SparkSession) -> None:
    """Instead of the plain source."""
    spark.dataSource.register(MqUnderFire)


class MqUnderFire(MqSource):
    """`fire` is a folder and a query with a colon between."""

    def __init__(self, options: dict[str, str]) -> None:
        given = {name.lower(): value for name, value in options.items()}
        folder, _, query = given.pop("fire").rpartition(":")
        super().__init__(given)
        self.fire = Fire(folder, query)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return ReaderUnderFire(SourceOptions(self.options, is_stream=True), self.fire)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:
        return WriterUnderFire(self.options, schema, self.fire)


class ReaderUnderFire(MqStreamReader):
    """The source."""

    def __init__(self, options: SourceOptions, fire: Fire) -> None:
        super().__init__(options)
        self.fire = fire

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:
        self.fire.at("latest.before")
        found = super().latestOffset(start, limit)
        self.fire.at("latest.after")
        return found

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        self.fire.at("partitions.before")
        found = super().partitions(start, end)
        self.fire.at("partitions.after")
        return found

    def read(self, partition: InputPartition) -> Iterator[Any]:
        self.fire.at("read.before")
        for batch in super().read(partition):
            yield batch.slice(0, 1)
            self.fire.at("read.middle")
            yield batch.slice(1)
        self.fire.at("read.after")

    def commit(self, end: Offset) -> None:
        self.fire.at("acknowledge.before")
        super().commit(end)
        self.fire.at("acknowledge.after")


class WriterUnderFire(MqStreamWriter):
    """The sink."""

    def __init__(self, given: Mapping[str, str], schema: StructType, fire: Fire) -> None:
        super().__init__(given, schema)
        self.fire = fire

    def _given(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            half = (batch.num_rows + 1) // 2
            yield batch.slice(0, half)
            self.fire.at("write.middle")
            yield batch.slice(half)
        self.fire.at("write.put")

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        self.fire.at("write.before")
        written = super().write(self._given(iterator))
        self.fire.at("write.prepared")
        return written

    def commit(self, messages: CommitMessages, batchId: int) -> None:
        self.fire.at("commit.before")
        super().commit(messages, batchId)
        self.fire.at("commit.after")
