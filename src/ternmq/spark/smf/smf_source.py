"""The Spark source `mqsmf`: SMF dumps of MQ as DataFrames, in batches and as a stream.

    spark.read.format("mqsmf").option("section", "WQ").load("dumps/")

    option               default
    section                         QQST, WTAS, WQ ...; `_rejects` is what could not be read
    columns              all        names of columns, with commas between: only those are decoded
    form                 auto       rdw, bdw, nordw
    mode                 PERMISSIVE FAILFAST: an error at the first record that cannot be read
    defaultZone                     zone of records that do not have one (115-5, 6, 7)
    splitBytes           33554432   about how much one task reads
    pathGlobFilter, recursiveFileLookup     as Spark's own sources have them
    maxBytesPerTrigger   all        of a stream: how much one batch reads
    failOnDataLoss       true       of a stream: an error if a file got shorter or is gone unread;
                                    false: read it again, or pass over it

A stream's offset has the length of each file up to which it was read, always between two records. A
file that grows is read up to its last whole record; the rest comes with a later batch. From where a
file makes no sense any more it is not read again, which its offset says by a negative length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pyspark.sql import SparkSession
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    InputPartition,
)
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from ternmq.spark.session import use_this_python
from ternmq.spark.smf.dump_files import find_files
from ternmq.spark.smf.dump_reading import read_ranges
from ternmq.spark.smf.growing_files import Lengths, latest, ranges_between
from ternmq.spark.smf.ranges import Range, packed, ranges_of
from ternmq.spark.smf.smf_options import SmfOptions

FORMAT: Final = "mqsmf"


def register(spark: SparkSession) -> None:
    """Make the source known to a session that does not find it (see pyspark_mqsmf)."""
    use_this_python(spark)
    spark.dataSource.register(SmfSource)


class SmfPartition(InputPartition):
    """What one task reads."""

    def __init__(self, ranges: list[Range]) -> None:
        super().__init__(None)
        self.ranges: Final = ranges


class SmfSource(DataSource):
    """SMF dumps, ours and those of z/OS."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        return SmfOptions(self.options).ddl()

    def reader(self, schema: StructType) -> DataSourceReader:
        return SmfReader(SmfOptions(self.options))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return SmfStreamReader(SmfOptions(self.options))


class SmfReader(DataSourceReader):
    """Reads what is there."""

    def __init__(self, options: SmfOptions) -> None:
        self.options: Final = options

    def partitions(self) -> Sequence[InputPartition]:
        options = self.options
        files = find_files(options.paths, options.name_pattern, options.recursive)
        ranges = ranges_of(files, options.form, options.split_bytes)
        return [SmfPartition(each) for each in packed(ranges, options.split_bytes)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        if not isinstance(partition, SmfPartition):
            return iter(())
        return read_ranges(partition.ranges, self.options)


class SmfStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads what comes."""

    def __init__(self, options: SmfOptions) -> None:
        self.options: Final = options
        self._bound: Lengths | None = None

    def initialOffset(self) -> dict[str, int]:
        return {}

    def getDefaultReadLimit(self) -> ReadLimit:
        limit = self.options.bytes_per_trigger
        return ReadMaxBytes(limit) if limit else ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        files = find_files(self.options.paths, self.options.name_pattern, self.options.recursive)
        self._bound = {file.path: file.length for file in files}

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        bytes_max = limit.max_bytes if isinstance(limit, ReadMaxBytes) else 0
        return latest(self.options, start, bytes_max, self._bound)

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        ranges = ranges_between(self.options, start, end)
        return [SmfPartition(each) for each in packed(ranges, self.options.split_bytes)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        if not isinstance(partition, SmfPartition):
            return iter(())
        return read_ranges(partition.ranges, self.options)
