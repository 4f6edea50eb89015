"""Where the numbers of one queue are in its segments, for as long as the log is replayed.

Segments keep the numbers of their messages (`Segment.numbers`) meanwhile. Most hold them in rising
order and are searched by halving; for one that does not, a table is made when it is first asked.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import Final, final

from ternmq.store.queue import Queue
from ternmq.store.segment import DEAD, Segment

TABLES_MAX: Final = 64


@final
class NumberRange:
    """One segment: its lowest and highest number, and whether they rise."""

    __slots__ = ("high", "is_rising", "low", "segment")

    def __init__(self, segment: Segment) -> None:
        numbers = segment.numbers
        self.segment = segment
        self.low = min(numbers)
        self.high = max(numbers)
        self.is_rising = _is_rising(numbers)


@final
class NumberMap:
    """The segments of a queue by the numbers in them."""

    def __init__(self, queue: Queue) -> None:
        ranges = [NumberRange(one) for one in queue.segments.values() if len(one.numbers)]
        ranges.sort(key=_range_start)
        self._ranges = ranges
        self._starts = [one.low for one in ranges]
        self._highest: list[int] = []  # greatest end among the ranges up to here
        self._raise_from(0)
        self._tables: dict[int, dict[int, int]] = {}

    def add(self, segment: Segment) -> None:
        """A segment that was written while the log is replayed."""
        one = NumberRange(segment)
        at = bisect_right(self._starts, one.low)
        self._starts.insert(at, one.low)
        self._ranges.insert(at, one)
        self._raise_from(at)

    def _raise_from(self, at: int) -> None:
        del self._highest[at:]
        highest = self._highest[-1] if self._highest else 0
        for one in self._ranges[at:]:
            highest = max(highest, one.high)
            self._highest.append(highest)

    def find(self, number: int) -> tuple[Segment, int] | None:
        """The segment and ordinal of a message. It may have moved from one segment to another: the
        place where it is not dead counts, if there is one."""
        dead: tuple[Segment, int] | None = None
        at = bisect_right(self._starts, number) - 1
        while at >= 0 and self._highest[at] >= number:
            one = self._ranges[at]
            ordinal = self._ordinal(one, number) if number <= one.high else -1
            if ordinal >= 0:
                segment = one.segment
                if segment.states[ordinal] != DEAD:
                    return segment, ordinal
                dead = segment, ordinal
            at -= 1
        return dead

    def _ordinal(self, one: NumberRange, number: int) -> int:
        """Where a message is in a segment, or -1."""
        numbers = one.segment.numbers
        if one.is_rising:
            at = bisect_left(numbers, number)
            return at if at < len(numbers) and numbers[at] == number else -1
        slot = one.segment.slot
        table = self._tables.get(slot)
        if table is None:
            if len(self._tables) >= TABLES_MAX:
                del self._tables[next(iter(self._tables))]
            table = {each: ordinal for ordinal, each in enumerate(numbers)}
            self._tables[slot] = table
        return table.get(number, -1)


def _is_rising(numbers: array[int]) -> bool:
    before = -1
    for number in numbers:
        if number <= before:
            return False
        before = number
    return True


def _range_start(one: NumberRange) -> int:
    return one.low
