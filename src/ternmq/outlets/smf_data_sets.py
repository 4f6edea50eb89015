"""SMF data sets: files of bounded size, in a folder, named by the time when they were begun.

A file is records with their RDWs and nothing else, as a transfer of a z/OS dump in binary with RDW
gives it, so `ternmq smf` and mq-smf-csv read it as it is. A new one is begun when the next records
would make it too large, by command, and at each start; of the old ones so many are kept.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from ternmq.outlets.smf_outlet import Writes
from ternmq.ports.os_disk import make_folders

DATA_SET_BYTES_DEFAULT: Final = 67_108_864
DATA_SETS_KEPT_DEFAULT: Final = 10
SUFFIX: Final = ".dat"


class DataSets(Writes):
    """The data sets of one destination."""

    def __init__(
        self,
        folder: str,
        name: str,
        bytes_max: int = DATA_SET_BYTES_DEFAULT,
        kept: int = DATA_SETS_KEPT_DEFAULT,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self.folder = folder
        self.name = name
        self.bytes_max = bytes_max
        self.kept = kept
        self._now_ns = now_ns
        self._file = -1
        self._size = 0

    def write(self, records: list[bytes]) -> None:
        """Every record into a file that has room for it; the files are synced when complete."""
        at = 0
        while at < len(records):
            if self._file < 0:
                self._begin()
            end = at
            size = self._size
            while end < len(records) and size + len(records[end]) <= self.bytes_max:
                size += len(records[end])
                end += 1
            if end == at and self._size > 0:
                self.close()
                continue
            end = max(end, at + 1)  # a record larger than a file gets one of its own
            self._append(b"".join(records[at:end]))
            at = end

    def _append(self, data: bytes) -> None:
        before = self._size
        try:
            write_all(self._file, data)
        except OSError:
            self._forget(before)
            raise
        self._size = before + len(data)

    def _forget(self, size: int) -> None:
        """A record that was written in part is cut off: the file ends before it."""
        try:
            os.ftruncate(self._file, size)
        except OSError:
            pass  # the reader stops at a record that is cut short
        os.close(self._file)
        self._file = -1
        self._size = 0

    def _begin(self) -> None:
        make_folders(self.folder, 0o750)
        path = os.path.join(self.folder, file_name(self.name, self._now_ns()))
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        number = 0
        while self._file < 0:
            tried = path if not number else f"{path[: -len(SUFFIX)]}-{number}{SUFFIX}"
            try:
                self._file = os.open(tried, flags, 0o640)
            except FileExistsError:
                number += 1  # two in one microsecond
        self._size = 0
        self._drop_old()

    def close(self) -> None:
        """Complete the file that is being written."""
        if self._file < 0:
            return
        file = self._file
        self._file = -1
        self._size = 0
        try:
            os.fdatasync(file)
        finally:
            os.close(file)

    def _drop_old(self) -> None:
        files = data_sets(self.folder, self.name)
        for path in files[: -self.kept] if self.kept else []:
            os.unlink(path)


def data_sets(folder: str, name: str) -> list[str]:
    """The files of a destination, oldest first."""
    prefix = f"{name}-"
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    found = [one for one in names if one.startswith(prefix) and one.endswith(SUFFIX)]
    return [os.path.join(folder, one) for one in sorted(found)]


def file_name(name: str, now_ns: int) -> str:
    """NAME-20261116T075012.123456Z.dat: sorts as time does."""
    at = datetime.fromtimestamp(now_ns // 1_000_000_000, UTC)
    return f"{name}-{at:%Y%m%dT%H%M%S}.{now_ns // 1000 % 1_000_000:06d}Z{SUFFIX}"


def write_all(file: int, data: bytes) -> None:
    """All of it, or OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
