"""The tables that a report is made of: those of a warehouse, or made from SMF dumps on the way.

A warehouse is what the pipeline left (see served). Dumps are read once, and the same functions that
the pipeline has make tables of them; so a report needs either, and looks the same. On Spark a dump
goes into Parquet in a folder of the caller's; `small_tables` reads small ones in this process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ternmq.spark.frames.functions import f
from ternmq.spark.pipeline import findings
from ternmq.spark.pipeline import interval_tables as tables_intervals
from ternmq.spark.pipeline import served_tables as served
from ternmq.spark.pipeline import task_tables as tables_tasks
from ternmq.spark.pipeline.settings import REJECTS_TABLE
from ternmq.spark.smf.parquet import to_parquet
from ternmq.spark.smf.section_columns import REJECTS, all_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Tables = Mapping[str, "DataFrame"]

SECTIONS: Final = ("QQST", "QMST", "QJST", "QPST", "QIS1", "WTID", "WTAS", "WQ", "QCST", REJECTS)
NOT_READ: Final = "rejects"  # the table of what could not be read
# The column that says when, of each table that has one.
MOMENTS: Final[Mapping[str, str]] = {
    "queues": "interval_start",
    "calls": "interval_start",
    "log": "interval_start",
    "buffer_pools": "interval_start",
    "page_sets": "interval_start",
    "tasks": "interval_start",
    "channels": "collected",
    "findings": "interval_start",
    "messages": "put_timestamp",
    "exchanges": "requested_at",
    "anomalies": "window_start",
}


# Tables with a row for each record, which may have been in two dumps.
ROWS_OF_RECORDS: Final = ("queues", "calls", "log", "buffer_pools", "page_sets", "channels")


def is_warehouse(path: str) -> bool:
    """Whether there are served tables in a folder."""
    return Path(path).is_dir() and bool(served.names(path))


def of_warehouse(spark: SparkSession, folder: str) -> dict[str, DataFrame]:
    """The tables of a warehouse, those that are there."""
    found = {name: served.table(spark, folder, name) for name in served.names(folder)}
    rejects = rejects_path(folder)
    if rejects:
        found[NOT_READ] = spark.read.parquet(rejects)
    return counted_once(found)


def rejects_path(folder: str) -> str:
    """Where a warehouse has what of dumps could not be read; empty if it has nothing of that."""
    from pyarrow import fs

    path = f"{folder.rstrip('/')}/{REJECTS_TABLE}"
    system, inside = served.file_system(path)
    is_there = system.get_file_info(inside).type == fs.FileType.Directory
    return path if is_there and served.has_data(system, inside) else ""


def counted_once(tables: Tables) -> dict[str, DataFrame]:
    """Tables whose rows may be added up."""
    return {
        name: tables_intervals.once(table) if name in ROWS_OF_RECORDS else table
        for name, table in tables.items()
    }


def of_dumps(
    spark: SparkSession, dumps: Sequence[str], folder: str, sections: Sequence[str] = SECTIONS
) -> dict[str, DataFrame]:
    """The tables of SMF dumps; `folder` is empty, and must stay while the tables are used."""
    return of_sections(sections_of(spark, dumps, folder, sections))


def of_sections(read: Tables) -> dict[str, DataFrame]:
    """The tables of sections that were read."""
    wtid, wtas, wq = read["WTID"], read["WTAS"], read["WQ"]
    tables = {
        "queues": tables_intervals.queues(read["QQST"]),
        "calls": tables_intervals.calls(read["QMST"]),
        "log": tables_intervals.log(read["QJST"]),
        "buffer_pools": tables_intervals.buffer_pools(read["QPST"]),
        "page_sets": tables_intervals.page_sets(read["QIS1"]),
        "tasks": tables_tasks.tasks(wtid, wtas, wq),
        "queue_use": tables_tasks.queue_use(wq),
        "channels": tables_tasks.channels(read["QCST"]),
        NOT_READ: read[REJECTS],
    }
    tables["chargeback"] = tables_tasks.chargeback(tables["tasks"])
    tables["findings"] = findings.findings(
        tables["queue_use"], tables["log"], tables["buffer_pools"], tables["channels"]
    )
    return counted_once(tables)


def sections_of(
    spark: SparkSession, dumps: Sequence[str], folder: str, sections: Sequence[str]
) -> dict[str, DataFrame]:
    """The sections of dumps as DataFrames; one that does not occur is there, and empty."""
    written = {total.section for total in to_parquet(spark, dumps, folder, sections=sections)}
    return {
        name: spark.read.parquet(f"{folder}/{name}") if name in written else none_of(spark, name)
        for name in sections
    }


def none_of(spark: SparkSession, section: str) -> DataFrame:
    """A section without rows, which Spark knows: it leaves out what would be made of it."""
    columns = ", ".join(f"CAST(NULL AS {kind}) AS `{name}`" for name, kind in all_columns(section))
    return spark.sql(f"SELECT {columns} WHERE false")


def between(
    tables: Tables, since: datetime | None, until: datetime | None, queue_manager: str = ""
) -> dict[str, DataFrame]:
    """Only what is between two moments, and only what is of one queue manager. Sums over all time
    are computed again from what they are sums of, or left out where that is not there."""
    found = {
        name: narrowed(table, MOMENTS.get(name, ""), since, until, queue_manager)
        for name, table in tables.items()
    }
    if since is not None or until is not None:
        found.pop("queue_use", None)
        if found.pop("chargeback", None) is not None and "tasks" in found:
            found["chargeback"] = tables_tasks.chargeback(found["tasks"])
    return found


def narrowed(
    table: DataFrame,
    when: str,
    since: datetime | None,
    until: datetime | None,
    queue_manager: str,
) -> DataFrame:
    if queue_manager and "queue_manager" in table.columns:
        table = table.where(f.col("queue_manager") == queue_manager)
    if when and since is not None:
        table = table.where(f.col(when) >= f.lit(since))
    if when and until is not None:
        table = table.where(f.col(when) < f.lit(until))
    return table
