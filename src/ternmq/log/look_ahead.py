"""What is beyond the place where reading stopped: the end of the log, or damage.

See "End" in `reader`. The search covers every block that could hold the start of a later batch:
all extents from the stop on, and every file that no valid header leads to, in each copy.
"""

from __future__ import annotations

from typing import Final

from ternmq.log.extents import ExtentTable
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

_SCAN_BYTES: Final = 1 << 20


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


def find_batch_in_extent(
    table: ExtentTable, extent: int, start: int, seed: int
) -> LogRecord | None:
    """The first batch that begins in an extent at or after an LSN, from a copy that has it."""
    slot = table.slots[extent]
    found: LogRecord | None = None
    for copy in range(table.copies):
        if slot in table.present[copy]:
            here = _scan_slot(table, copy, slot, start, 0, seed)
            if here is not None and (found is None or here.lsn < found.lsn):
                found = here
    return found


def _scan_slot(
    table: ExtentTable, copy: int, slot: int, start: int, epoch: int, seed: int
) -> LogRecord | None:
    for within in range(0, table.extent_bytes, _SCAN_BYTES):
        count = min(_SCAN_BYTES, table.extent_bytes - within)
        chunk = table.read_file(copy, slot, BLOCK_BYTES + within, count)
        for offset in range(0, len(chunk) - HEADER_BYTES + 1, BLOCK_BYTES):
            lsn: int = HEADER.unpack_from(chunk, offset)[2]
            if lsn < start or lsn % table.extent_bytes != within + offset:
                continue
            found = _batch_start(table, copy, slot, lsn, seed)
            if found is not None and found.epoch >= epoch:
                return found
    return None


def _batch_start(table: ExtentTable, copy: int, slot: int, lsn: int, seed: int) -> LogRecord | None:
    """The record at this place of a slot if it is whole and the first of a batch."""
    offset = BLOCK_BYTES + lsn % table.extent_bytes
    header = table.read_file(copy, slot, offset, HEADER_BYTES)
    length = header_length(header, 0, lsn)
    if length == 0 or HEADER.unpack(header)[4] != FIRST_OF_BATCH:
        return None
    here = min(length, table.extent_bytes - lsn % table.extent_bytes)
    data = table.read_file(copy, slot, offset, here)
    if here < length:
        data += table.read(copy, lsn + here, length - here)
    if len(data) < length:
        return None
    return decode_record(data, 0, length, seed)
