"""What a run of the pipeline could not read: files, reasons and how often, for who runs it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ternmq.spark.pipeline.settings import REJECTS_TABLE, Settings
from ternmq.spark.smf import not_read
from ternmq.spark.smf.not_read import Rejected

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def rejected(spark: SparkSession, settings: Settings) -> list[Rejected]:
    """All of them, those of earlier runs as well, by file."""
    path = settings.path(REJECTS_TABLE)
    if "path" not in settings.smf or ("://" not in path and not any(Path(path).glob("*.parquet"))):
        return []
    return not_read.rejected(spark.read.parquet(path))


def sentences(found: list[Rejected]) -> list[str]:
    """A line for each file, and one for those that are not shown."""
    return not_read.sentences(found, f"; table {REJECTS_TABLE} has the rest")
