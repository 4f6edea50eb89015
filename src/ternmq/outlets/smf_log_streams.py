"""SMF log streams: numbered segments in a folder, compressed or not, kept for a time or up to a
size. The format is that of `telemetry.log_stream_format`.

A segment that is not the newest goes when the stream is larger than it may be, or when its last
block is older than records are kept. Reading goes on while the stream is written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Final

from ternmq.base.errors import MQError
from ternmq.outlets.smf_data_sets import write_all
from ternmq.outlets.smf_outlet import Writes
from ternmq.ports.os_disk import make_folders
from ternmq.telemetry.smf.log_stream_format import (
    BLOCK_HEAD_BYTES,
    HEAD_BYTES,
    PLAIN,
    SUFFIX,
    ZLIB,
    Block,
    block_bytes,
    pack_block,
    pack_head,
    segment_name,
    unpack_block,
    unpack_head,
)

SEGMENT_BYTES_DEFAULT: Final = 16_777_216
RETENTION_BYTES_DEFAULT: Final = 1_073_741_824
_BLOCK_RAW_BYTES: Final = 1_048_576
_DAY_NS: Final = 86_400_000_000_000


class LogStream(Writes):
    """The segments of one destination."""

    def __init__(
        self,
        folder: str,
        *,
        compressed: bool = False,
        segment_bytes_max: int = SEGMENT_BYTES_DEFAULT,
        retention_bytes: int = RETENTION_BYTES_DEFAULT,
        retention_days: int = 0,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self.folder = folder
        self.segment_bytes_max = segment_bytes_max
        self.retention_bytes = retention_bytes
        self.retention_days = retention_days  # 0: only the size counts
        self._compression = ZLIB if compressed else PLAIN
        self._now_ns = now_ns
        self._file = -1
        self._size = 0
        self._next = 0  # number of the next record; 0: not looked up yet

    def write(self, records: list[bytes]) -> None:
        """As blocks of about a megabyte."""
        batch: list[bytes] = []
        size = 0
        for record in records:
            batch.append(record)
            size += len(record)
            if size >= _BLOCK_RAW_BYTES:
                self._write_block(batch)
                batch = []
                size = 0
        if batch:
            self._write_block(batch)

    def _write_block(self, records: list[bytes]) -> None:
        if not self._next:
            self._next = _end_of(self.folder)
        data = pack_block(self._compression, Block(self._next, self._now_ns(), records))
        if self._file >= 0 and self._size + len(data) > self.segment_bytes_max:
            self.close()
        if self._file < 0:
            self._begin()
        before = self._size
        # ORDER: the number is used up even if the disk refuses: a reader sees the gap
        self._next += len(records)
        try:
            write_all(self._file, data)
        except OSError:
            self._forget(before)
            raise
        self._size = before + len(data)

    def _forget(self, size: int) -> None:
        try:
            os.ftruncate(self._file, size)
        except OSError:
            pass  # a block that is not whole ends the segment
        os.close(self._file)
        self._file = -1
        self._size = 0

    def _begin(self) -> None:
        make_folders(self.folder, 0o750)
        self._drop_old()
        path = os.path.join(self.folder, segment_name(self._next))
        # A segment of that name can only be one that nothing was written to.
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        self._file = os.open(path, flags, 0o640)
        head = pack_head(self._compression, self._next, self._now_ns())
        try:
            write_all(self._file, head)
        except OSError:
            self._forget(0)
            raise
        self._size = len(head)

    def close(self) -> None:
        """Complete the segment that is being written."""
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
        paths = segments(self.folder)
        sizes = [os.stat(path).st_size for path in paths]
        total = sum(sizes)
        oldest_ns = self._now_ns() - self.retention_days * _DAY_NS if self.retention_days else 0
        for path, size in zip(paths, sizes, strict=True):
            is_old = os.stat(path).st_mtime_ns < oldest_ns
            if total + self.segment_bytes_max <= self.retention_bytes and not is_old:
                return
            os.unlink(path)
            total -= size


def segments(folder: str) -> list[str]:
    """The segments of a stream, oldest first."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    return [os.path.join(folder, one) for one in sorted(names) if one.endswith(SUFFIX)]


def read_segment(path: str) -> Iterator[Block]:
    """The blocks of one segment, up to the first that is not whole."""
    with open(path, "rb") as file:
        head = unpack_head(file.read(HEAD_BYTES), path)
        while True:
            block_head = file.read(BLOCK_HEAD_BYTES)
            length = block_bytes(block_head)
            data = file.read(length) if length >= 0 else b""
            if length < 0 or len(data) < length:
                return
            block = unpack_block(head.compression, block_head, data)
            if block is None:
                return
            yield block


def unpack_segment(data: bytes, path: str) -> tuple[list[Block], int]:
    """The whole blocks of a segment that was read, and where they end: what is behind them is being
    written, or damaged."""
    head = unpack_head(data[:HEAD_BYTES], path)
    found: list[Block] = []
    end = HEAD_BYTES
    while True:
        at = end + BLOCK_HEAD_BYTES
        block_head = data[end:at]
        length = block_bytes(block_head)
        body = data[at : at + max(length, 0)]
        if length < 0 or len(body) < length:
            return found, end
        block = unpack_block(head.compression, block_head, body)
        if block is None:
            return found, end
        found.append(block)
        end = at + length


def read_log_stream(folder: str, position: int = 1) -> Iterator[tuple[int, bytes]]:
    """Numbers and records of a stream from a number on. A number that is left out was lost, or is
    kept no longer."""
    paths = segments(folder)
    for number, path in enumerate(paths):
        if number + 1 < len(paths) and _first_of(paths[number + 1]) <= position:
            continue
        for block in read_segment(path):
            for offset, record in enumerate(block.records):
                if block.first + offset >= position:
                    yield block.first + offset, record


def _first_of(path: str) -> int:
    digits = os.path.basename(path).removesuffix(SUFFIX)
    return int(digits) if digits.isdigit() else 0


def _end_of(folder: str) -> int:
    """The number after the last record of a stream that some earlier process wrote."""
    for path in reversed(segments(folder)):
        end = 0
        try:
            for block in read_segment(path):
                end = block.first + len(block.records)
        except MQError:
            continue  # its head was never written
        return end or _first_of(path)
    return 1
