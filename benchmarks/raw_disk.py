"""What the disk can do without any queue manager: pwrite + fdatasync to files of real zeros."""

from __future__ import annotations

import os
from pathlib import Path

ZEROS = bytes(1 << 20)


class RawFile:
    """A file in real disk space, written from front to back and again."""

    def __init__(self, path: Path, size: int) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        for start in range(0, size, len(ZEROS)):
            os.pwrite(self._descriptor, ZEROS[: min(len(ZEROS), size - start)], start)
        os.fsync(self._descriptor)
        self._size = size
        self._offset = 0

    def write(self, data: bytes | bytearray) -> None:
        """Write without forcing."""
        if self._offset + len(data) > self._size:
            self._offset = 0
        os.pwrite(self._descriptor, data, self._offset)
        self._offset += len(data)

    def force(self) -> None:
        os.fdatasync(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)


def force_loop(files: list[RawFile], data: bytes, times: int) -> None:
    """Write the same to every file and force each, so many times."""
    for _ in range(times):
        for file in files:
            file.write(data)
        for file in files:
            file.force()
