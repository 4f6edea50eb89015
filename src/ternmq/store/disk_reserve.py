"""Disk space that is set aside for getting messages, so that a full disk can be drained.

A get needs a log record. When the log is full, a checkpoint has to make room: it moves bodies from
the log to segments and writes journals, and needs disk space for both. So the file `reserve` keeps
as much as the log files hold, and a margin for journals, in a linear log for new log files too.
A write for a checkpoint that finds the disk full takes a part of it (`gives`). It is made
whole again at the end of each checkpoint and when a put asks for it. While it is not whole, a put
is taken only if what is left suffices for all bodies in the log and the margin. Its content means
nothing, and it is never forced.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final, final

from mypy_extensions import i64

from ternmq.ports.disk import FULL_ERRORS, Disk

RESERVE_PATH: Final = "reserve"
MARGIN_MIN: Final = 1 << 16
MARGIN_MAX: Final = 1 << 20
QUEUE_BYTES: Final = 16 << 10  # blocks of the journal of a queue, and of a small segment
PART_BYTES_MIN: Final = 1 << 16
_PARTS: Final = 16  # it is given up in


@final
class DiskReserve:
    """How much there is. `size` and `is_whole` are changed by effects as they run, and read in
    steps."""

    __slots__ = ("is_whole", "margin", "size", "wanted")

    def __init__(self) -> None:
        self.size: i64 = 0
        self.wanted: i64 = 0
        self.margin: i64 = 0  # the part of it that is not for bodies
        self.is_whole = True

    def want(self, log_bytes: i64, catalog_bytes: i64, queues: i64, is_linear: bool) -> None:
        """How much there should be, for log files that hold so much; `grow` makes it so."""
        margin = min(max(log_bytes // 4, MARGIN_MIN), MARGIN_MAX)
        if is_linear:
            margin += log_bytes // 2  # nothing is reused: gets need new log files
        self.margin = margin + catalog_bytes + queues * QUEUE_BYTES
        self.wanted = log_bytes + self.margin

    @property
    def left(self) -> i64:
        """What bodies in the log may take of it; below zero if even the margin is touched."""
        return self.size - self.margin

    def load(self, disk: Disk) -> None:
        """At start: as much as there is room for, and no less than there was, for more queues will
        be in use. What a copy of the folder has left out of the file is filled in."""
        with suppress(OSError):
            self.size = disk.size(RESERVE_PATH)
        self._set(disk, max(self.size, self.wanted))

    def is_ready_for(self, disk: Disk, log_bytes: i64) -> bool:
        """Whether it suffices for log files that hold so much; it grows for them if it can."""
        if self.is_whole and self.wanted < log_bytes + self.margin:
            self.wanted = log_bytes + self.margin
            self.grow(disk)
        return self.is_whole

    def grow(self, disk: Disk) -> None:
        """Make it as large as is wanted, or as the disk has room for."""
        if self.size != self.wanted:
            self._set(disk, self.wanted)

    def gives(self, disk: Disk, error: OSError, least: i64 = 0) -> bool:
        """Whether what has failed may be tried again: the disk is full, and a part of the reserve
        was given up."""
        before = self.size
        if error.errno not in FULL_ERRORS or before < max(least, 1):
            return False
        part = max(self.wanted // _PARTS, PART_BYTES_MIN, least)
        self._set(disk, max(before - part, 0))
        return self.size < before

    def _set(self, disk: Disk, count: i64) -> None:
        # A disk that fails here has not been asked to keep anything.
        with suppress(OSError):
            self.size = disk.allocate(RESERVE_PATH, int(count))
        self.is_whole = self.size >= self.wanted
