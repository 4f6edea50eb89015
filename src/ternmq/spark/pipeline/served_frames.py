"""Served tables as frames of this process: what small reports and searches read, without Spark.

Read is what Spark would read: of a table that a streaming query writes only the files that its log
`_spark_metadata` lists, of a table that is rebuilt the version that counts, and the columns that
are names of folders.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from ternmq.spark.frames.expression import STAMP
from ternmq.spark.frames.frame import Frame
from ternmq.spark.pipeline.served_tables import has_no_table, names, path_of
from ternmq.spark.pipeline.view_versions import current
from ternmq.spark.smf.dump_files import local_path

METADATA: Final = "_spark_metadata"
_COMPACT: Final = ".compact"
_HIDDEN: Final = (".", "_")
_NO_VALUE: Final = "__HIVE_DEFAULT_PARTITION__"
_INDEX: Final = "property_index"  # of the lake: only Spark chooses files by it


class TableFile(NamedTuple):
    """A file of a table, and the columns that are names of its folders; None is null."""

    path: Path
    length: int
    folders: dict[str, str | None]


def table_files(folder: str | Path, name: str) -> list[TableFile]:
    """The files of a served table that count. SparkError if the warehouse does not have it."""
    if name not in names(folder):
        raise has_no_table(folder, name)
    return files_at(current(path_of(folder, name)))


def files_at(path: str) -> list[TableFile]:
    """The files that count of what is at a path."""
    place = local_path(path)
    if place is None:
        raise ValueError(f"{path} is not on this machine")
    root = Path(place)
    listed = listed_files(root)
    paths = listed if listed is not None else sorted(data_files(root))
    return [TableFile(path, path.stat().st_size, folders_of(path, root)) for path in paths]


def data_files(root: Path) -> Iterator[Path]:
    """Files in a folder and the folders in it, without hidden ones."""
    for path in root.iterdir():
        if path.name.startswith(_HIDDEN):
            continue
        if path.is_dir():
            yield from data_files(path)
        else:
            yield path


def listed_files(root: Path) -> list[Path] | None:
    """The files that the log of a streaming query lists; None if there is no log."""
    if not (root / METADATA).is_dir():
        return None
    batches = {
        int(entry.name.removesuffix(_COMPACT)): entry
        for entry in sorted((root / METADATA).iterdir(), key=lambda one: one.name)
        if entry.name.removesuffix(_COMPACT).isdecimal()
    }
    compact = max((n for n, entry in batches.items() if entry.name.endswith(_COMPACT)), default=0)
    found: dict[Path, None] = {}
    for number in sorted(n for n in batches if n >= compact):
        for line in batches[number].read_text(encoding="utf-8").splitlines()[1:]:
            action = json.loads(line)
            path = Path(unquote(urlsplit(action["path"]).path))
            if action["action"] == "delete":
                found.pop(path, None)
            else:
                found[path] = None
    return list(found)


def folders_of(path: Path, root: Path) -> dict[str, str | None]:
    """`put_date=2026-11-16` and others, above a file."""
    inside = path.parts[len(root.parts) : -1] if path.is_relative_to(root) else path.parts[:-1]
    pairs = (part.split("=", 1) for part in inside if "=" in part)
    return {key: None if value == _NO_VALUE else unquote(value) for key, value in pairs}


def frame_of(files: Sequence[TableFile], columns: Sequence[str] = ()) -> Frame:
    """Rows of files, in the columns that are named; none named: all."""
    tables = [arrow_table(file, columns) for file in files]
    return Frame.of(pa.concat_tables(tables, promote_options="permissive"))


def frames_of(files: Sequence[TableFile]) -> Iterator[Frame]:
    """The rows of each file, all with the columns of the newest; null where an older one has none,
    because it was written before there was such a column."""
    if not files:
        return
    newest = max(files, key=lambda one: one.path.stat().st_mtime_ns)
    columns = arrow_table(newest, ()).schema.empty_table()
    for file in files:
        both = [columns, arrow_table(file, ())]
        table = pa.concat_tables(both, promote_options="permissive")
        yield Frame.of(table.select(columns.column_names))


def arrow_table(file: TableFile, columns: Sequence[str]) -> Any:
    """The rows of one file; times are instants."""
    opened = pq.ParquetFile(file.path, coerce_int96_timestamp_unit="us")
    there = [name for name in opened.schema_arrow.names if name != _INDEX]
    table = opened.read(columns=[name for name in there if name in (columns or there)])
    for place, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type) and field.type != STAMP:
            moments = table.column(place).cast(pa.timestamp("us"), safe=False).cast(STAMP)
            table = table.set_column(place, field.name, moments)
    for key, text in file.folders.items():
        if not columns or key in columns:
            table = table.append_column(key, pa.repeat(folder_value(key, text), len(table)))
    return table


def folder_value(key: str, text: str | None) -> Any:
    """The value that the name of a folder stands for."""
    if key == "put_date":
        return pa.scalar(None if text is None else date.fromisoformat(text), pa.date32())
    return pa.scalar(text, pa.string())
