"""Small reports: what is read without Spark, and from how many bytes on Spark is started.

SMALL_DUMP_BYTES is of records in dumps, SMALL_TABLE_BYTES of Parquet files of a warehouse, which
are compressed. Up to them a report is calculated in this process by the same functions (`frames`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

from ternmq.spark.pipeline import served_tables as served
from ternmq.spark.pipeline.served_frames import TableFile, files_at, frame_of, table_files
from ternmq.spark.report.report_tables import (
    NOT_READ,
    SECTIONS,
    counted_once,
    of_sections,
    rejects_path,
)
from ternmq.spark.smf.dump_files import local_path
from ternmq.spark.smf.not_read import REASONS
from ternmq.spark.smf.section_frames import bytes_of, section_frames

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SMALL_DUMP_BYTES: Final = 16 << 20
SMALL_TABLE_BYTES: Final = 8 << 20
# Of messages a report shows how many there are and since when.
_OF_MESSAGES: Final = ("queue_manager", "queue", "put_timestamp")


def are_here(paths: Sequence[str]) -> bool:
    """Whether paths are on this machine."""
    return all(local_path(path) is not None for path in paths)


def are_small_dumps(dumps: Sequence[str]) -> bool:
    """Whether a report of dumps needs no Spark. ValueError if there is no such dump."""
    return are_here(dumps) and bytes_of(dumps) <= SMALL_DUMP_BYTES


def is_small_warehouse(folder: str) -> bool:
    """Whether a report of a warehouse needs no Spark."""
    if not are_here([folder]):
        return False
    files = [file for each in warehouse_files(folder).values() for file in each]
    return sum(file.length for file in files) <= SMALL_TABLE_BYTES


def warehouse_files(folder: str) -> dict[str, list[TableFile]]:
    return {name: table_files(folder, name) for name in served.names(folder)}


def sections_here(dumps: Sequence[str], sections: Sequence[str]) -> Mapping[str, DataFrame]:
    """Sections of dumps, in this process."""
    return cast("Mapping[str, DataFrame]", section_frames(dumps, sections))


def of_small_dumps(dumps: Sequence[str]) -> dict[str, DataFrame]:
    """The tables of SMF dumps, in this process."""
    return of_sections(sections_here(dumps, SECTIONS))


def of_small_warehouse(folder: str) -> dict[str, DataFrame]:
    """The tables of a warehouse, in this process; those without a file are left out."""
    found = {
        name: frame_of(files, columns_of(name))
        for name, files in warehouse_files(folder).items()
        if files
    }
    rejects = rejects_path(folder)
    files = files_at(rejects) if rejects else []
    if files:
        found[NOT_READ] = frame_of(files, REASONS)
    return counted_once(cast("dict[str, DataFrame]", found))


def columns_of(name: str) -> tuple[str, ...]:
    """The columns of a table that are read; none named: all."""
    return _OF_MESSAGES if name == served.MESSAGES else ()
