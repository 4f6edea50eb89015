"""Builds log records and seals them into batches. No I/O: the engine appends, the shell takes a
batch, lets `files` write and force it, and reports it as forced. See `record` for the format.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.checksum import crc32c
from ternmq.base.errors import check
from ternmq.log.record import (
    CHECKED_HEADER,
    CHECKSUM,
    FIRST_OF_BATCH,
    HEADER_BYTES,
    PAYLOAD_BYTES_MAX,
    block_end,
)

_PADDING: Final = [bytes(count) for count in range(8)]
_pack_header: Final = CHECKED_HEADER.pack
_pack_checksum: Final = CHECKSUM.pack


@final
class LogBatch:
    """What one force writes. `end_lsn` is block-aligned; `record_end` is where the zeros begin."""

    def __init__(self, start_lsn: int, end_lsn: int, record_end: int, parts: list[bytes]) -> None:
        self.start_lsn = start_lsn
        self.end_lsn = end_lsn
        self.record_end = record_end
        self.parts = parts


@final
class LogWriter:
    """The end of the log. Used by one thread at a time; records come out in the order appended.

    `end_lsn` is where the next record goes, `forced_lsn` the end of what is known to be on disk and
    `forced_gap` the padding just before it.
    """

    def __init__(self, end_lsn: int, gap: int, epoch: int, seed: int) -> None:
        check(end_lsn % 4096 == 0 and 0 <= gap < 4096, f"log cannot go on at {end_lsn}, gap {gap}")
        self.end_lsn = end_lsn
        self.forced_lsn = end_lsn
        self.forced_gap = gap
        self.records = 0
        self.epoch = epoch
        self._seed = seed
        self._gap = gap
        self._start_lsn = end_lsn
        self._parts: list[bytes] = []

    def append(self, kind: int, uow: int, previous: int, parts: list[bytes]) -> int:
        """Add a record and give its LSN. It is durable once `forced_lsn` is beyond that."""
        lsn = self.end_lsn
        length = HEADER_BYTES
        for part in parts:
            length += len(part)
        if length > HEADER_BYTES + PAYLOAD_BYTES_MAX:
            check(False, f"log record of {length} bytes is too long")
        flags = 0
        gap = 0
        if lsn == self._start_lsn:
            flags = FIRST_OF_BATCH
            gap = self._gap
        header = _pack_header(length, lsn, kind, flags, gap, self.epoch, uow, previous)
        crc = crc32c(header, self._seed)
        for part in parts:
            crc = crc32c(part, crc)
        buffer = self._parts
        buffer.append(_pack_checksum(crc))
        buffer.append(header)
        buffer.extend(parts)
        padding = -length & 7
        if padding:
            buffer.append(_PADDING[padding])
        self.end_lsn = lsn + length + padding
        self.records += 1
        return lsn

    def take(self) -> LogBatch | None:
        """Seal what is buffered, padded to a block; None if there is nothing."""
        record_end = self.end_lsn
        if record_end == self._start_lsn:
            return None
        end = block_end(record_end)
        parts = self._parts
        if end > record_end:
            parts.append(bytes(end - record_end))
        batch = LogBatch(self._start_lsn, end, record_end, parts)
        self._parts = []
        self._start_lsn = end
        self._gap = end - record_end
        self.end_lsn = end
        return batch

    def forced(self, batch: LogBatch) -> None:
        """The batch is on disk. Batches are forced in the order taken."""
        check(
            batch.start_lsn == self.forced_lsn,
            f"batch at LSN {batch.start_lsn} forced out of order, expected {self.forced_lsn}",
        )
        self.forced_lsn = batch.end_lsn
        self.forced_gap = batch.end_lsn - batch.record_end

    @property
    def buffered_bytes(self) -> int:
        """What the next `take` would seal, without padding."""
        return self.end_lsn - self._start_lsn
