"""A dump into Parquet, every section in one pass: `to_parquet(spark, "dump.bin", "lake/smf")`.

What `spark.read.format("mqsmf")...write.parquet()` does for one section goes through Java row by
row, which costs more than all the decoding. Here each task of the Spark job writes its columns as
they are: one walk over its part of the file, a Parquet file for each section it found.

    <target>/<section>/part-<run>-<task>.parquet      and `_rejects`, what could not be read

A task writes under a name that begins with a dot, which readers pass over; when all tasks are done
the driver gives the files their names. A task that is tried again leaves nothing that counts.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from ternmq.spark.smf.dump_files import arrow_file_system, find_files, local_path, open_file
from ternmq.spark.smf.dump_reading import batches_for, pieces_of
from ternmq.spark.smf.ranges import Range, packed, ranges_of
from ternmq.spark.smf.section_columns import REJECTS, SECTION_NAMES
from ternmq.spark.smf.smf_options import SmfOptions, section_named

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GROUP_BYTES: Final = 32 << 20  # of Arrow, of one row group
MODES: Final = ("error", "append", "overwrite")


class Written(NamedTuple):
    """One file."""

    section: str
    path: str  # under the target, while it is not named yet
    rows: int
    bytes_written: int


class Total(NamedTuple):
    """What was written of a section."""

    section: str
    rows: int
    files: int
    bytes_written: int


def to_parquet(
    spark: SparkSession,
    source: str | Sequence[str],
    target: str,
    *,
    sections: Sequence[str] = (),
    mode: str = "error",
    **options: str,
) -> list[Total]:
    """Write the sections of dumps (all, if none are named) and what could not be read. `mode` is
    error if there is something already, append or overwrite; `options` are those of the source."""
    if mode not in MODES:
        raise ValueError(f"mode is {mode!r}; it may be {', '.join(MODES)}")
    names = tuple(section_named(name) for name in sections) or (*SECTION_NAMES, REJECTS)
    smf_options = SmfOptions({**options, "section": names[0]})
    system, folder = target_of(target)
    prepare(system, folder, mode)
    paths = [source] if isinstance(source, str) else list(source)
    files = find_files(paths, smf_options.name_pattern, smf_options.recursive)
    parts = packed(
        ranges_of(files, smf_options.form, smf_options.split_bytes), smf_options.split_bytes
    )
    run = uuid.uuid4().hex[:12]
    work = Work(target, names, run, smf_options.default_zone)
    jobs = list(enumerate(parts))
    written: list[Written] = []
    if jobs:
        done = spark.sparkContext.parallelize(jobs, len(jobs)).map(work.one).collect()
        written = [file for files_of_task in done for file in files_of_task]
    name_files(system, folder, written, run)
    return totals(names, written)


def target_of(target: str) -> tuple[Any, str]:
    """File system and folder of a path or URI."""
    local = local_path(target)
    if local is not None:
        return fs.LocalFileSystem(), local.rstrip("/") or "/"
    return arrow_file_system(target.rstrip("/"))


def prepare(system: Any, folder: str, mode: str) -> None:
    """An empty folder, or one to which more may be added."""
    if system.get_file_info(folder).type == fs.FileType.Directory:
        there = system.get_file_info(fs.FileSelector(folder))
        if there and mode == "error":
            raise ValueError(f"{folder} is not empty (mode='append' adds, 'overwrite' replaces)")
        if mode == "overwrite":
            system.delete_dir_contents(folder)
    system.create_dir(folder, recursive=True)


def name_files(system: Any, folder: str, written: list[Written], run: str) -> None:
    """Give the files of tasks that count their names, and remove what other attempts left."""
    for file in written:
        system.move(f"{folder}/{file.path}", f"{folder}/{file.path.replace('/.', '/part-', 1)}")
    for section in {file.section for file in written}:
        for info in system.get_file_info(fs.FileSelector(f"{folder}/{section}")):
            if info.base_name.startswith(f".{run}"):
                system.delete_file(info.path)


def totals(names: Sequence[str], written: list[Written]) -> list[Total]:
    """What there is of each section that occurred."""
    found: list[Total] = []
    for name in names:
        own = [file for file in written if file.section == name]
        if own:
            rows = sum(file.rows for file in own)
            found.append(Total(name, rows, len(own), sum(file.bytes_written for file in own)))
    return found


@final
class Work:
    """What each task does."""

    def __init__(self, target: str, names: tuple[str, ...], run: str, zone: str) -> None:
        self._target: Final = target
        self._names: Final = names
        self._run: Final = run
        self._zone: Final = zone

    def one(self, job: tuple[int, list[Range]]) -> list[Written]:
        """Write the files of one task."""
        number, ranges = job
        attempt = f"{self._run}-{number:05}-{uuid.uuid4().hex[:8]}"
        writers = {
            name: SectionWriter(self._target, name, f"{name}/.{attempt}.parquet")
            for name in self._names
        }
        makers = [(writers[name], batches_for(name, self._zone)) for name in self._names]
        for each in ranges:
            opened = open_file(each.path)
            try:
                for piece in pieces_of(opened, each):
                    for writer, batches in makers:
                        for batch in batches(piece, each.path):
                            writer.add(batch)
            finally:
                opened.close()
        return [file for writer in writers.values() for file in writer.close()]


@final
class SectionWriter:
    """One Parquet file, if there is anything to write into it."""

    def __init__(self, target: str, section: str, path: str) -> None:
        self._target: Final = target
        self._section: Final = section
        self._path: Final = path
        self._batches: list[Any] = []
        self._held = 0
        self._rows = 0
        self._file: Any = None

    def add(self, batch: Any) -> None:
        """Some rows more."""
        self._batches.append(batch)
        self._held += batch.nbytes
        if self._held >= GROUP_BYTES:
            self._write()

    def _write(self) -> None:
        """A row group of what is held."""
        if not self._batches:
            return
        table = pa.Table.from_batches(self._batches)
        if self._file is None:
            system, folder = target_of(self._target)
            system.create_dir(f"{folder}/{self._section}", recursive=True)
            self._file = pq.ParquetWriter(
                f"{folder}/{self._path}", table.schema, filesystem=system, compression="snappy"
            )
        self._file.write_table(table, row_group_size=len(table))
        self._rows += len(table)
        self._batches, self._held = [], 0

    def close(self) -> list[Written]:
        """The file, if there is one."""
        self._write()
        if self._file is None:
            return []
        self._file.close()
        system, folder = target_of(self._target)
        size = system.get_file_info(f"{folder}/{self._path}").size
        return [Written(self._section, self._path, self._rows, size)]
