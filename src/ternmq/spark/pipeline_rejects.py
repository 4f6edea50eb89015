"""What a run of the pipeline could not read: files, reasons and how often, for who runs it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from ternmq.spark.pipeline.settings import REJECTS_TABLE, Settings
from ternmq.spark.smf.rejects import INTERNAL

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILES_SHOWN: Final = 10


class Rejected(NamedTuple):
    """Records of one file that were rejected for one reason."""

    file: str
    reason: str
    records: int


def rejected(spark: SparkSession, settings: Settings) -> list[Rejected]:
    """All of them, those of earlier runs as well, by file."""
    from pyspark.sql import functions as f

    path = settings.path(REJECTS_TABLE)
    if "path" not in settings.smf or ("://" not in path and not any(Path(path).glob("*.parquet"))):
        return []
    rows = (
        spark.read.parquet(path)
        .where(f.col("Reason") != INTERNAL)
        .groupBy("Record_File", "Reason")
        .count()
        .orderBy("Record_File", "Reason")
        .collect()
    )
    return [Rejected(row["Record_File"], row["Reason"], row["count"]) for row in rows]


def sentences(found: list[Rejected]) -> list[str]:
    """A line for each file, and one for those that are not shown."""
    files: dict[str, list[str]] = {}
    for one in found:
        files.setdefault(one.file, []).append(f"{one.records} {one.reason}")
    lines = [
        f"{file}: not all could be read ({', '.join(reasons)}); table {REJECTS_TABLE} has the rest"
        for file, reasons in list(files.items())[:FILES_SHOWN]
    ]
    if len(files) > FILES_SHOWN:
        lines.append(f"{len(files) - FILES_SHOWN} more files are in table {REJECTS_TABLE}")
    return lines
