"""The served tables: what the pipeline leaves for people, reports and other programs.

A warehouse is a folder, or a URI, with a sub-folder of Parquet for each table. The pipeline writes
it (pipeline_flows), by a run or while following; readers ask here by name. A table is there
once its kind of data has been seen by a run, and it may be empty. One that is rebuilt is as it was
until all of the new rows are there (view_versions).

`columns` of a row of TABLES are those that readers may rely on; a table may have more.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ternmq.spark.errors import SparkError
from ternmq.spark.pipeline.view_versions import current

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

STATISTICS: Final = "statistics"
MESSAGES: Final = "messages"
# How a file system of Hadoop marks folders of work that is not finished, or not data.
_HIDDEN: Final = (".", "_")
# Columns that are names of folders. Spark would take a queue named 007 for the number 7.
_FOLDERS: Final = {"put_date": "date", "queue": "string"}


class Served(NamedTuple):
    """One served table."""

    name: str
    kind: str  # of the data that it is made of
    about: str
    columns: tuple[str, ...]
    partitioned_by: tuple[str, ...] = ()


_INTERVAL: Final = ("queue_manager", "system", "interval_start", "interval_s")
_TASK: Final = ("queue_manager", "kind", "application", "user")


def row(
    name: str, kind: str, about: str, columns: str, *keys: str, partitioned_by: str = ""
) -> Served:
    return Served(name, kind, about, (*keys, *columns.split()), tuple(partitioned_by.split()))


TABLES: Final[dict[str, Served]] = {
    each.name: each
    for each in (
        row(
            "queues",
            STATISTICS,
            "each queue in each interval: depth and its highs, rates, time on queue",
            "queue depth depth_high depth_low puts gets puts_per_s gets_per_s growth_per_s"
            " put_bytes_per_s get_bytes_per_s persistent_share gets_without_message expired"
            " backed_out time_on_queue_us oldest_s readers writers",
            *_INTERVAL,
        ),
        row(
            "calls",
            STATISTICS,
            "calls of each queue manager in each interval",
            "open_per_s close_per_s get_per_s put_per_s put1_per_s persistent_puts_per_s"
            " nonpersistent_puts_per_s put_bytes_per_s subscribes_per_s published_per_s",
            *_INTERVAL,
        ),
        row(
            "log",
            STATISTICS,
            "what the log wrote in each interval, how long it took, who waited",
            "log_bytes_per_s writes_per_s forces_per_s mean_io_us_1_1 mean_io_us_1_2"
            " mean_io_us_2_1 mean_io_us_2_2 longest_io_us busy_share"
            " writer_busy_share waits_for_buffer archive_reads checkpoints copies",
            *_INTERVAL,
        ),
        row(
            "buffer_pools",
            STATISTICS,
            "each buffer pool in each interval: how full, and what that cost",
            "buffer_pool buffers lowest_free_share reads_per_s pages_written_per_s read_share"
            " deferred_writing synchronous_writing short_of_buffers",
            *_INTERVAL,
        ),
        row(
            "page_sets",
            STATISTICS,
            "each page set in each interval: how full, how quick",
            "page_set buffer_pool pages percent_full times_full expansions mean_write_us"
            " mean_read_us",
            *_INTERVAL,
        ),
        row(
            "tasks",
            STATISTICS,
            "each task in each interval: who, what it did and cost, a transaction's cost",
            "system task interval_start interval_end channel transaction_name puts gets commits"
            " backouts transactions calls cpu_us elapsed_us cpu_us_per_transaction log_bytes"
            " log_wait_us suspended_us",
            *_TASK,
        ),
        row(
            "queue_use",
            STATISTICS,
            "what tasks did with each queue, with its cost and the time messages stayed",
            "queue_manager system queue puts published gets get_calls specific_gets skipped"
            " selector_gets selector_skipped selector_matched selector_length index calls cpu_us"
            " elapsed_us time_on_queue_us longest_on_queue_us depth_high"
            " mean_time_on_queue_us cpu_us_per_call gets_per_message",
        ),
        row(
            "chargeback",
            STATISTICS,
            "who used how much",
            "tasks transactions calls puts gets cpu_us log_bytes cpu_us_per_transaction",
            *_TASK,
        ),
        row(
            "channels",
            STATISTICS,
            "each channel at each collection: messages, batches, bytes, network time",
            "queue_manager system collected channel type status connection remote started messages"
            " messages_per_s batches batch_size messages_per_batch full_share bytes bytes_per_s"
            " network_us queue_was_empty put_retries",
        ),
        row(
            "findings",
            STATISTICS,
            "what deserves a look, in words",
            "queue_manager rule object interval_start value words",
        ),
        row(
            "messages",
            MESSAGES,
            "the lake: streamed copies of messages",
            "queue_manager queue seq msg_id correl_id put_timestamp put_date properties body text",
            partitioned_by="put_date queue",
        ),
        row(
            "exchanges",
            MESSAGES,
            "requests with their replies, and how long these took",
            "queue_manager request_queue reply_queue msg_id requested_at replied_at latency_us",
        ),
        row(
            "anomalies",
            MESSAGES,
            "what is out of its habit, with a score and in words",
            "queue_manager queue rule window_start value expected score words",
        ),
    )
}


def path_of(folder: str | Path, name: str) -> str:
    """Where a table is in a warehouse. ValueError if there is no table of that name."""
    if name not in TABLES:
        raise ValueError(f"there is no served table {name!r}; there are {', '.join(TABLES)}")
    return f"{str(folder).rstrip('/')}/{name}"


def table(spark: SparkSession, folder: str | Path, name: str) -> DataFrame:
    """A served table. SparkError if the warehouse does not have it."""
    path = path_of(folder, name)
    if name not in names(folder):
        raise has_no_table(folder, name)
    path = current(path)
    found = spark.read.parquet(path)
    reported = TABLES[name].partitioned_by
    if not reported:
        return found
    columns = (
        f"`{field.name}` "
        + (_FOLDERS[field.name] if field.name in reported else field.dataType.simpleString())
        for field in found.schema
    )
    return spark.read.schema(", ".join(columns)).parquet(path)


def has_no_table(folder: str | Path, name: str) -> SparkError:
    """The error about a table that a warehouse does not have."""
    there = ", ".join(names(folder))
    if not there:
        return SparkError(
            f"{folder} is not a warehouse: there is no table in it. `ternmq pipeline run` fills one"
        )
    return SparkError(f"there is no table {name} in {folder}, only {there}")


def names(folder: str | Path) -> list[str]:
    """The served tables that a warehouse has, in the order of TABLES."""
    from pyarrow import fs

    system, inside = file_system(folder)
    there = {
        info.base_name
        for info in system.get_file_info(fs.FileSelector(inside, allow_not_found=True))
        if info.type == fs.FileType.Directory and has_data(system, info.path)
    }
    return [name for name in TABLES if name in there]


def file_system(folder: str | Path) -> tuple[Any, str]:
    """Arrow's file system and the path in it."""
    from ternmq.spark.smf.parquet import target_of

    found: tuple[Any, str] = target_of(str(folder))
    return found


def has_data(system: Any, path: str) -> bool:
    """Whether a folder has anything that Spark would read."""
    from pyarrow import fs

    inside = system.get_file_info(fs.FileSelector(path))
    return any(not info.base_name.startswith(_HIDDEN) for info in inside)


def counts(spark: SparkSession, folder: str | Path) -> dict[str, int]:
    """How many rows each table of a warehouse has, in the order of TABLES."""
    from pyspark.sql import functions as f

    there = names(folder)
    looks = [table(spark, folder, name).select(f.lit(name).alias("name")) for name in there]
    if not looks:
        return {}
    found = {row["name"]: row["count"] for row in _union(looks).groupBy("name").count().collect()}
    return {name: found.get(name, 0) for name in there}


def _union(frames: list[DataFrame]) -> DataFrame:
    found = frames[0]
    for frame in frames[1:]:
        found = found.union(frame)
    return found
