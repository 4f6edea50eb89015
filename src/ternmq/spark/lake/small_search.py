"""Looking for messages in little of a lake, in this process: what `ternmq lake find` does first.

Time and queue choose files by their folders. If what is left has at most SMALL_LAKE_BYTES, it is
read file by file, and the conditions of lake_search choose the rows: the same that Spark gets.
A condition in SQL is Spark's.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date
from typing import TYPE_CHECKING, Final, cast

from ternmq.spark.lake.lake_search import Search, found
from ternmq.spark.pipeline.served_frames import TableFile, frames_of, table_files
from ternmq.spark.pipeline.served_tables import MESSAGES
from ternmq.spark.smf.dump_files import local_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SMALL_LAKE_BYTES: Final = 32 << 20


def files_for(warehouse: str, search: Search) -> list[TableFile]:
    """The files of the lake that may have what a search is for."""
    return [file for file in table_files(warehouse, MESSAGES) if may_have(file, search)]


def may_have(file: TableFile, search: Search) -> bool:
    """Whether the folders of a file do not rule it out."""
    day, queue = file.folders.get("put_date"), file.folders.get("queue")
    if day is not None:
        put = date.fromisoformat(day)
        if search.since is not None and put < search.since.astimezone(UTC).date():
            return False
        if search.until is not None and put > search.until.astimezone(UTC).date():
            return False
    if not search.queue or queue is None:
        return True
    if search.queue.endswith("*"):
        return queue.startswith(search.queue[:-1])
    return queue == search.queue


def is_small(warehouse: str, search: Search) -> bool:
    """Whether a search needs no Spark."""
    if search.where or local_path(warehouse) is None:
        return False
    return sum(file.length for file in files_for(warehouse, search)) <= SMALL_LAKE_BYTES


def found_here(files: Sequence[TableFile], search: Search) -> DataFrame | None:
    """The messages that a search is for; None if no file can have any."""
    matching: DataFrame | None = None
    for frame in frames_of(files):
        here = found(cast("DataFrame", frame), search)
        matching = here if matching is None else matching.unionByName(here)
    return matching
