"""The doubly linked chain that orders messages of one priority."""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.values.entry import Entry


@final
class Chain:
    """Messages in order of their sequence; removal anywhere costs the same."""

    __slots__ = ("bytes", "count", "head", "tail")

    def __init__(self) -> None:
        self.head: Entry | None = None
        self.tail: Entry | None = None
        self.count: i64 = 0
        self.bytes: i64 = 0  # of data and properties, for the sweeper

    def __del__(self) -> None:
        entry = self.head
        self.head = None
        self.tail = None
        while entry is not None:
            after = entry.next
            entry.prev = None
            entry.next = None
            entry = after

    def append(self, entry: Entry) -> None:
        """Add at the tail: the entry has the highest sequence."""
        tail = self.tail
        entry.prev = tail
        entry.next = None
        if tail is None:
            self.head = entry
        else:
            tail.next = entry
        self.tail = entry
        self.count += 1
        self.bytes += entry.length + len(entry.properties)

    def prepend(self, entry: Entry) -> None:
        """Add before the head: the entry has the lowest sequence."""
        head = self.head
        entry.next = head
        entry.prev = None
        if head is None:
            self.tail = entry
        else:
            head.prev = entry
        self.head = entry
        self.count += 1
        self.bytes += entry.length + len(entry.properties)

    def insert(self, entry: Entry) -> None:
        """Put back in its place by sequence; what comes back mostly belongs near the head, and what
        restart makes visible again at the tail."""
        tail = self.tail
        if tail is None or tail.sequence < entry.sequence:
            self.append(entry)
            return
        after = self.head
        while after is not None and after.sequence < entry.sequence:
            after = after.next
        self.insert_before(entry, after)

    def insert_before(self, entry: Entry, after: Entry | None) -> None:
        """Put where the caller has found its place: before `after`, or at the tail."""
        if after is None:
            self.append(entry)
            return
        before = after.prev
        entry.prev = before
        entry.next = after
        after.prev = entry
        if before is None:
            self.head = entry
        else:
            before.next = entry
        self.count += 1
        self.bytes += entry.length + len(entry.properties)

    def remove(self, entry: Entry) -> None:
        """Take out of the chain; the entry's own links are cleared."""
        before = entry.prev
        after = entry.next
        if before is None:
            self.head = after
        else:
            before.next = after
            entry.prev = None
        if after is None:
            self.tail = before
        else:
            after.prev = before
            entry.next = None
        self.count -= 1
        self.bytes -= entry.length + len(entry.properties)

    def join(self, other: Chain) -> None:
        """Move all of `other` behind the tail."""
        first = other.head
        if first is None:
            return
        tail = self.tail
        if tail is None:
            self.head = first
        else:
            tail.next = first
            first.prev = tail
        self.tail = other.tail
        self.count += other.count
        self.bytes += other.bytes
        other.head = None
        other.tail = None
        other.count = 0
        other.bytes = 0
