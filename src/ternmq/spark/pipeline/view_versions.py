"""Tables that are rebuilt without a moment in which a reader finds them empty or half.

    WAREHOUSE/tasks                       a link to the version that counts
    WAREHOUSE/_versions/tasks/17632...    versions: the one that counts, and those that were
                                          replaced within the last minute, for their readers

A version is written whole before the link is moved to it, which is one step of the file system:
a run that is killed leaves the version before. Readers open what `current` names, so that all files
of one reading are of one version. Where there are no links, which is everywhere but in the file
systems of a machine, a table is its folder, and is empty while it is made.
"""

from __future__ import annotations

import os
import shutil
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Final

from ternmq.spark.smf.dump_files import local_path

VERSIONS: Final = "_versions"
# How long a version is kept after it was replaced.
KEPT_S: Final = 60.0


def begin(path: str) -> str:
    """Where the next version of a table is to be written; "" where there are no versions."""
    local = local_path(path)
    if local is None:
        return ""
    place = _versions_of(Path(local)) / f"{time.time_ns():020}-{uuid.uuid4().hex[:8]}"
    place.mkdir(parents=True)
    return str(place)


def swap(path: str, version: str) -> None:
    """From now on this version counts."""
    table, new = _local(path), Path(version)
    old = _folder_that_counts(table)
    link = table.parent / f".{table.name}-{uuid.uuid4().hex}"
    link.symlink_to(os.path.relpath(new, table.parent), target_is_directory=True)
    if table.is_dir() and not table.is_symlink():
        # Once, of a table that was made by Spark's own command: links do not replace folders.
        old = _versions_of(table) / f"{0:020}-{uuid.uuid4().hex[:8]}"
        table.rename(old)
    link.replace(table)
    if old is not None:
        os.utime(old)  # when it was replaced
    forget(path, time.time() - KEPT_S)


def forget(path: str, before: float) -> None:
    """Remove versions that do not count, and were replaced or left unfinished before a time."""
    table = _local(path)
    counts = _folder_that_counts(table)
    for version in _versions_of(table).iterdir():
        with suppress(FileNotFoundError):
            if version != counts and version.stat().st_mtime < before:
                shutil.rmtree(version)


def current(path: str) -> str:
    """Where what counts of a table is now."""
    local = local_path(path)
    if local is None:
        return path
    found = _folder_that_counts(Path(local))
    return path if found is None else str(found)


def _local(path: str) -> Path:
    local = local_path(path)
    if local is None:
        raise ValueError(f"{path} is not on this machine: it has no versions")
    return Path(local)


def _versions_of(table: Path) -> Path:
    return table.parent / VERSIONS / table.name


def _folder_that_counts(table: Path) -> Path | None:
    """What the link names; None if the table is not a link."""
    try:
        return table.parent / table.readlink()
    except OSError:  # not there, or a folder
        return None
