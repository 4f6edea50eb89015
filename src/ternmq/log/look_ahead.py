"""What lies beyond the place where reading stopped: the end of the log, or damage.

See "End" in `reader`. The search covers every block that could hold the start of a later batch:
all extents from the stop on, and every file that no valid header leads to, in each copy.
"""

from __future__ import annotations

from typing import Final

from ternmq.log.extents import ExtentTable, extent_path
from ternmq.log.record import (
    BLOCK_BYTES,
    FIRST_OF_BATCH,
    HEADER,
    HEADER_BYTES,
    LogRecord,
    block_end,
    decode_record,
    header_length,
)
from ternmq.ports.disk import DiskFile

_SCAN_BYTES: Final = 1 << 20
_ZERO_BLOCK: Final = bytes(BLOCK_BYTES)


def find_later_batch(table: ExtentTable, stop: int, epoch: int, seed: int) -> LogRecord | None:
    """A valid first record of a batch at or after `stop`, of this epoch or a later one."""
    first = stop // table.extent_bytes
    behind = {slot for extent, slot in table.slots.items() if extent < first}
    for copy in range(table.copies):
        for slot in sorted(table.present[copy]):
            if slot not in behind:
                found = _scan_slot(table, copy, slot, block_end(stop), epoch, seed)
                if found is not None:
                    return found
    return None


def _scan_slot(
    table: ExtentTable, copy: int, slot: int, start: int, epoch: int, seed: int
) -> LogRecord | None:
    file = table.disk.open(extent_path(copy, slot))
    try:
        within = 0
        while within < table.extent_bytes:
            count = min(_SCAN_BYTES, table.extent_bytes - within)
            chunk = file.pread(BLOCK_BYTES + within, count)
            for offset in range(0, len(chunk) - HEADER_BYTES + 1, BLOCK_BYTES):
                lsn: int = HEADER.unpack_from(chunk, offset)[2]
                if lsn < start or lsn % table.extent_bytes != within + offset:
                    continue
                found = _batch_start(table, copy, file, within + offset, lsn, seed)
                if found is not None and found.epoch >= epoch:
                    return found
            within += count
        return None
    finally:
        file.close()


def _batch_start(
    table: ExtentTable, copy: int, file: DiskFile, within: int, lsn: int, seed: int
) -> LogRecord | None:
    """The record at this place if it is whole and the first of a batch."""
    header = file.pread(BLOCK_BYTES + within, HEADER_BYTES)
    length = header_length(header, 0, lsn)
    if length == 0 or HEADER.unpack(header)[4] != FIRST_OF_BATCH:
        return None
    here = min(length, table.extent_bytes - within)
    data = file.pread(BLOCK_BYTES + within, here)
    if here < length:
        data += table.read(copy, lsn + here, length - here)
    if len(data) < length:
        return None
    return decode_record(data, 0, length, seed)
