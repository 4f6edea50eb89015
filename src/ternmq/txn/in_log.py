"""The living persistent messages whose only safe copy is the log, in the order of their records.

Its head says how far back restart would have to read, and which bodies must move to a segment
before an extent can be released. Owned by the coordinator.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.store.sweep import ENTRY_BYTES, HomeLedger
from ternmq.values.entry import Entry


@final
class InLog(HomeLedger):
    """An intrusive list over `Entry.log_prev` and `log_next`; `home_lsn` is 0 outside it."""

    __slots__ = ("bytes", "count", "head", "tail")

    def __init__(self) -> None:
        self.head: Entry | None = None
        self.tail: Entry | None = None
        self.count: i64 = 0
        self.bytes: i64 = 0  # that segments with all of them would take, about

    def __del__(self) -> None:
        entry = self.head
        self.head = None
        self.tail = None
        while entry is not None:
            after = entry.log_next
            entry.log_prev = None
            entry.log_next = None
            entry = after

    def add(self, entry: Entry, lsn: i64) -> None:
        """The message was logged at `lsn`, higher than any before."""
        tail = self.tail
        entry.home_lsn = lsn
        entry.log_prev = tail
        entry.log_next = None
        if tail is None:
            self.head = entry
        else:
            tail.log_next = entry
        self.tail = entry
        self.count += 1
        self.bytes += entry.length + len(entry.properties) + ENTRY_BYTES

    def remove(self, entry: Entry) -> None:
        """The message is gone, or safe in a segment; no matter if it was not here."""
        if entry.home_lsn == 0:
            return
        before = entry.log_prev
        after = entry.log_next
        if before is None:
            self.head = after
        else:
            before.log_next = after
            entry.log_prev = None
        if after is None:
            self.tail = before
        else:
            after.log_prev = before
            entry.log_next = None
        entry.home_lsn = 0
        self.count -= 1
        self.bytes -= entry.length + len(entry.properties) + ENTRY_BYTES

    def oldest_lsn(self) -> i64:
        """LSN of the oldest record that holds a living body, or 0."""
        head = self.head
        return 0 if head is None else head.home_lsn
