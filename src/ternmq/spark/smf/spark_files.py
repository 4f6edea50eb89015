"""SMF dumps from wherever Spark itself can read: `read_smf(spark, "s3a://bucket/dumps", "WQ")`.

The source `mqsmf` opens files in Python, which Spark's own connectors, with their credentials, are
not for. Here Java reads each file, whole (`binaryFile`), and Python decodes it. So a file must fit
into the memory of a task, some hundred megabytes; longer ones are for the source, which divides
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, final

from pyspark.sql import DataFrame, SparkSession

from ternmq.spark.smf.dump_reading import batches_of, pieces_of
from ternmq.spark.smf.ranges import Range, recognised
from ternmq.spark.smf.smf_options import SmfOptions


def read_smf(spark: SparkSession, path: str, section: str, **options: str) -> DataFrame:
    """The rows of a section in files that Spark reads; `options` are those of the source."""
    smf_options = SmfOptions({**options, "section": section})
    reader = spark.read.format("binaryFile")
    if smf_options.name_pattern:
        reader = reader.option("pathGlobFilter", smf_options.name_pattern)
    reader = reader.option("recursiveFileLookup", str(smf_options.recursive).lower())
    files = reader.load(path).select("path", "content")
    return files.mapInArrow(Decoding(options, section).batches, smf_options.ddl())


@final
class HeldFile:
    """A file that is in memory."""

    def __init__(self, data: bytes) -> None:
        self._data: Final = data

    def read_at(self, position: int, length: int) -> bytes:
        return self._data[position : position + length]

    def close(self) -> None:
        """Nothing was opened."""


@final
class Decoding:
    """What each task does."""

    def __init__(self, options: dict[str, str], section: str) -> None:
        self._options: Final = {**options, "section": section}

    def batches(self, files: Iterator[Any]) -> Iterator[Any]:
        """The rows of whole files."""
        options = SmfOptions(self._options)
        for batch in files:
            for path, content in zip(batch.column(0), batch.column(1)):
                held = HeldFile(content.as_py())
                length = content.as_buffer().size
                each = Range(path.as_py(), recognised(held, options.form), 0, length)
                for piece in pieces_of(held, each):
                    yield from batches_of(piece, each.path, options)
