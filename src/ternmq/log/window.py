"""A sliding window over one copy of the log, for reading records in order without many reads.

Nothing is allocated for a record before its length was checked against the limit.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.log.extents import ExtentTable
from ternmq.log.record import HEADER_BYTES, LogRecord, decode_record, header_length

CHUNK_BYTES: Final = 1 << 20


@final
class LogWindow:
    """The bytes of one copy around the place being read."""

    def __init__(self, table: ExtentTable, copy: int, seed: int, chunk_bytes: int) -> None:
        self.copy = copy
        self._table = table
        self._seed = seed
        self._chunk_bytes = chunk_bytes
        self._start = 0
        self._buffer = b""

    def record(self, lsn: int) -> LogRecord | None:
        """The valid record at this LSN, if there is one."""
        offset = lsn - self._start
        if offset < 0 or offset + HEADER_BYTES > len(self._buffer):
            self._fill(lsn, HEADER_BYTES)
            offset = 0
            if len(self._buffer) < HEADER_BYTES:
                return None
        length = header_length(self._buffer, offset, lsn)
        if length == 0:
            return None
        if offset + length > len(self._buffer):
            self._fill(lsn, length)
            offset = 0
            if length > len(self._buffer):
                return None
        return decode_record(self._buffer, offset, length, self._seed)

    def is_zero(self, lsn: int, end: int) -> bool:
        """Whether all bytes from `lsn` to `end` are there and zero."""
        offset = lsn - self._start
        count = end - lsn
        if offset < 0 or offset + count > len(self._buffer):
            self._fill(lsn, count)
            offset = 0
        return self._buffer[offset : offset + count] == bytes(count)

    def forget(self) -> None:
        """Drop what was read, so that the next look goes to the disk."""
        self._start = 0
        self._buffer = b""

    def _fill(self, lsn: int, count: int) -> None:
        self._start = lsn
        self._buffer = self._table.read(self.copy, lsn, max(count, self._chunk_bytes))
