"""Reads the log: forward for restart, and single records for bodies that live only in the log.

Reading. Records are taken in order as long as each is valid and follows the one before (see
"Validity" in `record`). In a dual log a record counts if it is so in either copy. Where no record
follows and the rest of the block is zeros, that is padding, and the next batch must start at the
next block.

End. Reading stops at the first place where nothing follows. That is the end of the log (the
usual trace of a crash: a torn last batch) unless

  - it is below the proven LSN of the control file, or the padding before the proven LSN is not
    as long as the control file says; or
  - a later block holds a valid first record of a batch with an epoch that is not lower than the
    last one read. A batch is forced before the next one is written, so only damage explains it; or
  - a valid record there has an epoch that the control file does not know yet. Then the control file
    is not the newest.

Those raise LogDamaged with file, offset and LSN. Nothing after damage is ever read. Blocks of a
torn batch that stay behind after the end can never be believed later: they are not the first of a
batch, or are of a lower epoch than the batch that restart writes in their place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from ternmq.log.control import Control
from ternmq.log.extents import ExtentTable
from ternmq.log.look_ahead import find_later_batch
from ternmq.log.record import (
    BLOCK_BYTES,
    FIRST_OF_BATCH,
    LogDamaged,
    LogRecord,
    block_end,
    checksum_seed,
)
from ternmq.log.window import CHUNK_BYTES, LogWindow
from ternmq.ports.disk import Disk

_GAP_UNKNOWN: Final = -1


@final
class LogRepair:
    """A range that one copy of a dual log did not have right, and the copy that did."""

    def __init__(self, bad_copy: int, good_copy: int, lsn: int, end_lsn: int, place: str) -> None:
        self.bad_copy = bad_copy
        self.good_copy = good_copy
        self.lsn = lsn
        self.end_lsn = end_lsn
        self.place = place


@final
class LogReader:
    """The records of a log. `end_lsn` and `repairs` are complete when the iteration has ended."""

    def __init__(self, disk: Disk, control: Control, table: ExtentTable | None = None) -> None:
        if table is None:
            table = ExtentTable(disk, control)
            table.load(control.oldest_extent)
        self.table = table
        self.control = control
        self.end_lsn = 0
        self.is_at_end = False
        self.repairs: list[LogRepair] = []
        self._repaired: set[tuple[int, int]] = set()
        self._seed = checksum_seed(control.identity)
        self._epoch = 0
        self._windows = [
            LogWindow(table, copy, self._seed, CHUNK_BYTES) for copy in range(table.copies)
        ]

    def records(self, start_lsn: int) -> Iterator[LogRecord]:
        """All records from the one at `start_lsn` to the end of the log; LogDamaged if broken."""
        self.is_at_end = False
        self._epoch = 0
        position = start_lsn
        gap = _GAP_UNKNOWN
        while True:
            record = self._following(position, gap)
            if record is None and gap <= 0 and self._is_padded(position):
                gap = block_end(position) - position
                record = self._following(position + gap, gap)
            if record is None:
                break
            self._epoch = record.epoch
            position = record.end_lsn
            gap = 0
            yield record
        self._check_end(position, gap)
        self.end_lsn = position
        self.is_at_end = True
        for window in self._windows:
            window.forget()

    def records_between(self, start_lsn: int, end_lsn: int) -> Iterator[LogRecord]:
        """The records from the one at `start_lsn` on that begin before `end_lsn`. All of that was
        forced, so whatever is missing is damage. The log may be written meanwhile."""
        for window in self._windows:
            window.forget()
        self._epoch = 0
        position = start_lsn
        gap = _GAP_UNKNOWN
        while position < end_lsn:
            record = self._following(position, gap)
            if record is None and gap <= 0 and self._is_padded(position):
                gap = block_end(position) - position
                position += gap
                continue
            if record is None:
                raise self._damaged(position, f"it was forced to LSN {end_lsn}")
            self._epoch = record.epoch
            position = record.end_lsn
            gap = 0
            yield record

    def first_batch(self, lsn: int) -> int:
        """Where the first batch at or after an LSN begins; beyond every LSN if no batch follows."""
        found = find_later_batch(self.table, lsn, 0, self._seed)
        return 1 << 62 if found is None else found.lsn

    def record_at(self, lsn: int) -> LogRecord:
        """The forced record at this LSN. May be used while the log is written."""
        for copy in range(self.table.copies):
            window = LogWindow(self.table, copy, self._seed, BLOCK_BYTES)
            record = window.record(lsn)
            if record is not None:
                return record
        raise LogDamaged(f"no valid log record at {self.table.place(0, lsn)}")

    def _following(self, lsn: int, gap: int) -> LogRecord | None:
        """The record that follows at this place, from the first copy that has it."""
        for window in self._windows:
            record = window.record(lsn)
            if record is not None and self._is_next(record, gap):
                self._note_repair(window.copy, lsn, record.end_lsn)
                return record
        return None

    def _is_next(self, record: LogRecord, gap: int) -> bool:
        if record.epoch > self.control.epoch:
            raise LogDamaged(
                f"log control file knows epoch {self.control.epoch}, but a record of epoch"
                f" {record.epoch} is at {self.table.place(0, record.lsn)}"
            )
        if record.epoch < self._epoch:
            return False
        if record.flags & FIRST_OF_BATCH:
            return record.lsn % BLOCK_BYTES == 0 and gap in (_GAP_UNKNOWN, record.gap)
        return gap <= 0 and record.gap == 0

    def _is_padded(self, position: int) -> bool:
        """Whether the rest of the block is zeros in some copy (and there is a rest)."""
        end = block_end(position)
        if end == position:
            return False
        for window in self._windows:
            if window.is_zero(position, end):
                self._note_repair(window.copy, position, end)
                return True
        return False

    def _note_repair(self, good_copy: int, lsn: int, end: int) -> None:
        """Remember that the copies before this one did not have a range right."""
        for bad in range(good_copy):
            if (bad, lsn) not in self._repaired:
                self._repaired.add((bad, lsn))
                self.repairs.append(LogRepair(bad, good_copy, lsn, end, self.table.place(bad, lsn)))

    def _check_end(self, position: int, gap: int) -> None:
        """Whether the log may end here; see "End", above."""
        forced = self.control.forced_lsn
        reached = position + max(gap, 0)
        if reached < forced:
            raise self._damaged(reached, f"it was forced to LSN {forced}")
        if reached == forced and gap not in (_GAP_UNKNOWN, self.control.forced_gap):
            raise self._damaged(position, f"records are missing before LSN {forced}")
        later = find_later_batch(self.table, position, self._epoch, self._seed)
        if later is not None:
            # A batch at the next block that does not follow: records before it are missing.
            is_next = (
                later.lsn == reached and reached // self.table.extent_bytes in self.table.slots
            )
            place = position if is_next else reached
            raise self._damaged(place, f"a later batch is at LSN {later.lsn}")

    def _damaged(self, lsn: int, text: str) -> LogDamaged:
        return LogDamaged(f"log damaged at {self.table.place(0, lsn)}: {text}")
