"""The extents of a linear log that are no longer written: which files are there, reading the log
from any of them, and removing those that nothing needs. What is needed is for the caller to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ternmq.log.control import Control
from ternmq.log.extents import FOLDERS, ExtentTable, extent_path, slot_of_name
from ternmq.log.reader import LogReader
from ternmq.log.record import BLOCK_BYTES, FIRST_LSN, LogDamaged, LogRecord
from ternmq.ports.disk import Disk, DiskFile, write_all

_COPY_BYTES: Final = 1 << 20


def extent_name(extent: int) -> str:
    """The file of an extent of a linear log, in whichever copy."""
    return extent_path(0, extent).rpartition("/")[2]


def stored_extents(disk: Disk, control: Control) -> list[int]:
    """The extents of a linear log that have a file in some copy, rising."""
    return _stored(disk, control.parameters.copies)


def _stored(disk: Disk, copies: int) -> list[int]:
    found: set[int] = set()
    for copy in range(copies):
        for name in disk.list(FOLDERS[copy]):
            slot = slot_of_name(name)
            if slot >= 0:
                found.add(slot)
    return sorted(found)


def oldest_lsn(disk: Disk, control: Control) -> int:
    """The start of the oldest extent from which no file is missing up to where restart begins.

    A record may begin in an extent before it, so this need not be where a record begins.
    """
    needed = control.redo_lsn // control.parameters.extent_bytes
    stored = set(stored_extents(disk, control))
    oldest = needed
    while oldest - 1 in stored:
        oldest -= 1
    return max(oldest * control.parameters.extent_bytes, FIRST_LSN)


def reader_from(disk: Disk, control: Control, lsn: int) -> LogReader:
    """A reader that also knows the extents from this LSN on that restart does not need. LogDamaged
    names the first that is not there."""
    table = ExtentTable(disk, control)
    first = lsn // control.parameters.extent_bytes
    table.load(first)
    last = control.redo_lsn // control.parameters.extent_bytes
    for extent in range(first, last):
        if extent not in table.slots:
            raise LogDamaged(f"log extent {extent_name(extent)} is needed and not there")
    return LogReader(disk, control, table)


def all_records(disk: Disk, control: Control) -> Iterator[LogRecord]:
    """Every record of the log that is still there, from the first whole batch on to the end."""
    start = oldest_lsn(disk, control)
    reader = reader_from(disk, control, start)
    return reader.records(reader.first_batch(start))


def remove_extents(disk: Disk, copies: int, before: int) -> list[str]:
    """Delete the files of extents before this one, in every copy; their names."""
    removed: list[str] = []
    for extent in _stored(disk, copies):
        if extent >= before:
            break
        for copy in range(copies):
            path = extent_path(copy, extent)
            if disk.exists(path):
                disk.unlink(path)
        removed.append(extent_name(extent))
    for copy in range(copies):
        disk.sync_dir(FOLDERS[copy])
    return removed


def take_extent(disk: Disk, control: Control, name: str, source: DiskFile) -> int:
    """Put a full extent of the same log, from elsewhere, in its place in every copy; its number.
    LogDamaged if it is not one."""
    table = ExtentTable(disk, control)
    slot = slot_of_name(name)
    whole = BLOCK_BYTES + table.extent_bytes
    if slot < 0 or table.number_in(source.pread(0, BLOCK_BYTES), slot) != slot:
        raise LogDamaged(f"{source.path} is not extent {name} of this log")
    if source.size() != whole:
        raise LogDamaged(f"{source.path} has {source.size()} bytes, not {whole}")
    for copy in range(table.copies):
        path = extent_path(copy, slot)
        fresh = f"{path}.new"
        file = disk.create(fresh)
        try:
            for offset in range(0, whole, _COPY_BYTES):
                write_all(file, offset, [source.pread(offset, _COPY_BYTES)])
            # ORDER: content before name.
            file.datasync()
        finally:
            file.close()
        disk.rename(fresh, path)
        disk.sync_dir(FOLDERS[copy])
    return slot
