"""The messages of one priority: a front list, a chain of swept segments, a rear list.

Order is front, then the segments, then rear. Arrivals go to the front while nothing is swept, else
to the rear. A stray is a message that came back (its get was backed out) to a place inside the
swept chain without being in one of its segments; it waits until that place reaches memory. Owned by
the queue.

Which list an entry is in stands in its `place`: `rear_place` is the rear, a lower one above NOWHERE
the front. When the last segment leaves, the rear becomes a part of the front and the next rear has
a higher place, so that the messages behind it, which may be all of a deep queue, are not touched.
"""

from __future__ import annotations

from collections import deque
from typing import Final, final

from mypy_extensions import i64

from ternmq.store.chain import Chain
from ternmq.store.segment import Segment
from ternmq.values.entry import ASTRAY, NOWHERE, Entry

_FRONT: Final = 1  # lower than every rear


@final
class Lane:
    """One priority of one queue."""

    __slots__ = ("front", "rear", "rear_place", "strays", "swept")

    def __init__(self) -> None:
        self.front = Chain()
        self.rear = Chain()
        self.strays = Chain()
        self.swept: deque[Segment] = deque()
        self.rear_place: i64 = _FRONT + 1

    def has_in_front(self, entry: Entry) -> bool:
        """Whether this message of the lane is in its front list."""
        return NOWHERE < entry.place < self.rear_place

    def has_in_rear(self, entry: Entry) -> bool:
        """Whether this message of the lane is in its rear list."""
        return entry.place == self.rear_place

    def arrive(self, entry: Entry) -> None:
        """Add a message that has just become visible."""
        if self.swept:
            entry.place = self.rear_place
            self.rear.append(entry)
        else:
            entry.place = _FRONT
            self.front.append(entry)

    def come_back(self, entry: Entry) -> None:
        """Put a message back in its place by sequence."""
        if not self.swept or entry.sequence < self.swept[0].first_sequence:
            entry.place = _FRONT
            self.front.insert(entry)
        elif entry.sequence > self.swept[-1].last_sequence:
            entry.place = self.rear_place
            self.rear.insert(entry)
        else:
            entry.place = ASTRAY
            self.strays.insert(entry)

    def leave(self, entry: Entry) -> None:
        """Take a message out."""
        place = entry.place
        if place == self.rear_place:
            self.rear.remove(entry)
        elif place > NOWHERE:
            self.front.remove(entry)
        else:
            self.strays.remove(entry)
        entry.place = NOWHERE

    def chain(self, segment: Segment, at_head: bool) -> None:
        """A segment was swept off the tail of a list. What came back to a place between segments,
        or inside this one, becomes a stray; what came after the first segment is the rear."""
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
                entry.place = self.rear_place
                self.rear.prepend(entry)
            else:
                self._lose(entry)
            entry = before

    def _lose(self, entry: Entry) -> None:
        entry.place = ASTRAY
        self.strays.insert(entry)

    def settle(self) -> None:
        """After the swept chain changed: what now belongs to the front or the rear moves there."""
        if self.strays.head is not None:
            self._merge_strays()
        while self.swept and self.strays.tail is not None:
            stray = self.strays.tail
            if stray.sequence < self.swept[-1].last_sequence:
                break
            self.strays.remove(stray)
            stray.place = self.rear_place
            self.rear.insert(stray)
        if not self.swept and self.rear.head is not None:
            self.rear_place += 1
            self.front.join(self.rear)

    def _merge_strays(self) -> None:
        """Those before the swept chain join the front, from the last on: they are among what
        was fetched with them, so that nothing before the first of them is walked."""
        stray = self.strays.tail
        if self.swept:
            first = self.swept[0].first_sequence
            stray = None
            at = self.strays.head
            while at is not None and at.sequence <= first:
                stray = at
                at = at.next
        after: Entry | None = None
        before = self.front.tail
        while stray is not None:
            earlier = stray.prev
            while before is not None and before.sequence > stray.sequence:
                after = before
                before = before.prev
            self.strays.remove(stray)
            stray.place = _FRONT
            self.front.insert_before(stray, after)
            after = stray
            stray = earlier

    def unsweep(self, segment: Segment, entries: list[Entry]) -> None:
        """The first swept segment is in memory again: its messages follow the front list."""
        self.swept.popleft()
        segment.swept = False
        for entry in entries:
            entry.place = _FRONT
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

    @property
    def in_memory(self) -> i64:
        """Messages that have an entry."""
        return self.front.count + self.rear.count + self.strays.count
