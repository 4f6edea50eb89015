"""The messages of one priority: a front list, a chain of swept segments, a rear list.

Order is front, then the segments, then rear. Arrivals go to the front while nothing is swept, else
to the rear. A stray is a message that came back (its get was backed out) to a place inside the
swept chain without being in one of its segments; it waits until that place reaches memory. Owned by
the queue.
"""

from __future__ import annotations

from collections import deque
from typing import final

from mypy_extensions import i64

from ternmq.store.entry import ASTRAY, IN_FRONT, IN_REAR, NOWHERE, Chain, Entry
from ternmq.store.segment import Segment


@final
class Lane:
    """One priority of one queue."""

    __slots__ = ("front", "rear", "strays", "swept")

    def __init__(self) -> None:
        self.front = Chain()
        self.rear = Chain()
        self.strays = Chain()
        self.swept: deque[Segment] = deque()

    def arrive(self, entry: Entry) -> None:
        """Add a message that has just become visible."""
        if self.swept:
            entry.place = IN_REAR
            self.rear.append(entry)
        else:
            entry.place = IN_FRONT
            self.front.append(entry)

    def come_back(self, entry: Entry) -> None:
        """Put a message back in its place by sequence."""
        if not self.swept or entry.sequence < self.swept[0].first_sequence:
            entry.place = IN_FRONT
            self.front.insert(entry)
        elif entry.sequence > self.swept[-1].last_sequence:
            entry.place = IN_REAR
            self.rear.insert(entry)
        else:
            entry.place = ASTRAY
            self.strays.insert(entry)

    def leave(self, entry: Entry) -> None:
        """Take a message out."""
        if entry.place == IN_FRONT:
            self.front.remove(entry)
        elif entry.place == IN_REAR:
            self.rear.remove(entry)
        else:
            self.strays.remove(entry)
        entry.place = NOWHERE

    def chain(self, segment: Segment, at_head: bool) -> None:
        """A segment was swept off the tail of a list. What came back to a place between segments,
        or inside this one, is astray; what came after the first segment is the rear."""
        if not self.swept:
            self.swept.append(segment)
            self._split_front(segment)
        elif at_head:
            self.swept.appendleft(segment)
            entry = self.front.tail
            while entry is not None and entry.sequence > segment.first_sequence:
                before = entry.prev
                self.front.remove(entry)
                self._lose(entry)
                entry = before
        else:
            self.swept.append(segment)
            entry = self.rear.head
            while entry is not None and entry.sequence < segment.last_sequence:
                after = entry.next
                self.rear.remove(entry)
                self._lose(entry)
                entry = after

    def _split_front(self, segment: Segment) -> None:
        entry = self.front.tail
        while entry is not None and entry.sequence > segment.first_sequence:
            before = entry.prev
            self.front.remove(entry)
            if entry.sequence > segment.last_sequence:
                entry.place = IN_REAR
                self.rear.prepend(entry)
            else:
                self._lose(entry)
            entry = before

    def _lose(self, entry: Entry) -> None:
        entry.place = ASTRAY
        self.strays.insert(entry)

    def settle(self) -> None:
        """After the swept chain changed: what now belongs to the front or the rear moves there."""
        while self.strays.head is not None:
            stray = self.strays.head
            if self.swept and stray.sequence > self.swept[0].first_sequence:
                break
            self.strays.remove(stray)
            stray.place = IN_FRONT
            self.front.insert(stray)
        while self.swept and self.strays.tail is not None:
            stray = self.strays.tail
            if stray.sequence < self.swept[-1].last_sequence:
                break
            self.strays.remove(stray)
            stray.place = IN_REAR
            self.rear.insert(stray)
        if not self.swept and self.rear.head is not None:
            entry: Entry | None = self.rear.head
            while entry is not None:
                entry.place = IN_FRONT
                entry = entry.next
            self.front.join(self.rear)

    def unsweep(self, segment: Segment, entries: list[Entry]) -> None:
        """The first swept segment is in memory again: its messages follow the front list."""
        self.swept.popleft()
        segment.swept = False
        for entry in entries:
            entry.place = IN_FRONT
            self.front.append(entry)
        self.settle()

    def drop(self, segment: Segment) -> None:
        """A swept segment has nothing left that lives."""
        self.swept.remove(segment)
        segment.swept = False
        self.settle()

    def segment_after(self, sequence: i64) -> i64:
        """The place in the swept chain of the first segment that reaches behind a stream number."""
        low: i64 = 0
        high: i64 = len(self.swept)
        while low < high:
            middle = (low + high) // 2
            if self.swept[middle].last_sequence > sequence:
                high = middle
            else:
                low = middle + 1
        return low

    def first_swept_sequence(self) -> i64:
        """Where the swept chain begins; beyond every message if nothing is swept."""
        if self.swept:
            return self.swept[0].first_sequence
        return 1 << 62

    @property
    def in_memory(self) -> i64:
        """Messages that have an entry."""
        return self.front.count + self.rear.count + self.strays.count
