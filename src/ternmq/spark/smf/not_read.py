"""What of which dump was not read, and why, in few words: `_rejects` added up for people.

The pipeline and the reports tell it alike, whether Spark read the dumps or this process did.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from ternmq.base.words import count_text
from ternmq.spark.frames.functions import f
from ternmq.spark.smf.record_walk import LOST
from ternmq.spark.smf.rejects import INTERNAL

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FILES_SHOWN: Final = 10
# The columns of `_rejects` that are looked at.
REASONS: Final = ("Record_File", "Record_Position", "Record_Length", "Reason", "Detail")


class Rejected(NamedTuple):
    """Records of one file that were rejected for one reason; a rest without an end is one."""

    file: str
    reason: str
    records: int
    bytes: int
    detail: str  # of the first of them


class FileNotRead(NamedTuple):
    """One file, and what of it was not read."""

    file: str
    words: str


def rejected(rejects: DataFrame) -> list[Rejected]:
    """The rows of `_rejects` by file and reason; nothing is wrong with what is internal."""
    rows = (
        rejects.where(f.col("Reason") != INTERNAL)
        .groupBy("Record_File", "Reason")
        .agg(
            f.count(f.lit(1)).alias("records"),
            f.sum("Record_Length").alias("bytes"),
            f.max_by("Detail", 0 - f.col("Record_Position")).alias("detail"),
        )
        .orderBy("Record_File", "Reason")
        .collect()
    )
    columns = ("Record_File", "Reason", "records", "bytes", "detail")
    return [Rejected(*(row[name] for name in columns)) for row in rows]


def by_file(found: Iterable[Rejected]) -> list[FileNotRead]:
    """`truncated: 1 record, 96 bytes (the file ends within a record)`, for each file."""
    files: dict[str, list[str]] = {}
    for one in found:
        files.setdefault(one.file, []).append(words_of(one))
    return [FileNotRead(file, "; ".join(words)) for file, words in files.items()]


def words_of(one: Rejected) -> str:
    # How many records there were in what is lost is not known.
    records = "" if one.reason == LOST else f"{count_text(one.records, 'record')}, "
    first = "first: " if one.records > 1 else ""
    return f"{one.reason}: {records}{count_text(one.bytes, 'byte')} ({first}{one.detail})"


def sentences(found: Sequence[Rejected], rest: str = "") -> list[str]:
    """A line for each file, with `rest` at its end, and one for those that are not shown."""
    files = by_file(found)
    lines = [f"{one.file}: not all could be read: {one.words}{rest}" for one in files[:FILES_SHOWN]]
    if len(files) > FILES_SHOWN:
        lines.append(f"not all could be read of {more_files(len(files))}{rest}")
    return lines


def more_files(count: int) -> str:
    """The files beyond those that are shown."""
    return count_text(count - FILES_SHOWN, "more file")
