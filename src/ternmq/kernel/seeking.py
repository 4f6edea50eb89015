"""A get by identifier on a queue that is partly swept: which message is the first that fits.

Messages that may have the identifier are looked at in the order in which gets take them, those in
memory and those in segments side by side, and the first that fits is the one. How far a get has
come is in its `Seek`, so that it goes on there in its next step, or when the disk has brought what
it waits for; nothing is read twice for it, and what others read or drop in the meantime does not
matter.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.store.queue import LANES, Queue
from ternmq.store.segment import ALIVE, ORDINAL_BITS, SEGMENT_MESSAGES_MAX, Segment
from ternmq.values.entry import Entry


@final
class Seek:
    """How far a get by identifier has come."""

    __slots__ = (
        "memory_lane",
        "memory_sequence",
        "swept_first",
        "swept_lane",
        "swept_number",
        "swept_ordinal",
        "unsweeps",
    )

    def __init__(self) -> None:
        self.memory_lane: i64 = LANES  # of the last message in memory that did not fit
        self.memory_sequence: i64 = 0
        self.swept_lane: i64 = LANES  # of the last one in a segment: where its segment is,
        self.swept_first: i64 = 0
        self.swept_number: i64 = 0  # which one that was,
        self.swept_ordinal: i64 = -1  # and its place in there
        self.unsweeps: i64 = -1

    def note_unsweeps(self, unsweeps: i64) -> None:
        """If a segment has come back to memory since the last step, some messages before the place
        were not looked at: the search begins again."""
        if unsweeps != self.unsweeps and self.unsweeps >= 0:
            self.memory_lane = LANES
            self.memory_sequence = 0
        self.unsweeps = unsweeps

    def passed_in_memory(self, entry: Entry) -> None:
        """A message in memory does not fit."""
        self.memory_lane = entry.lane
        self.memory_sequence = entry.sequence

    def passed(self, segment: Segment, ordinal: i64) -> None:
        """A message in a segment does not fit."""
        self.swept_lane = segment.lane
        self.swept_first = segment.first_sequence
        self.swept_number = segment.number
        self.swept_ordinal = ordinal

    def next_ordinal(self, segment: Segment) -> i64:
        """Where to go on in a segment; beyond its last message if it was passed. One that was
        compacted meanwhile has other places, and is looked at from its beginning."""
        if segment.lane != self.swept_lane:
            return 0 if segment.lane < self.swept_lane else segment.count
        if segment.first_sequence != self.swept_first:
            return 0 if segment.first_sequence > self.swept_first else segment.count
        return self.swept_ordinal + 1 if segment.number == self.swept_number else 0


def comes_before(one: Segment, other: Segment) -> bool:
    """Whether gets take the messages of `one` first."""
    if one.lane != other.lane:
        return one.lane > other.lane
    return one.first_sequence < other.first_sequence


def next_candidate(queue: Queue, seek: Seek, locations: list[int]) -> int:
    """The first of these locations, in the order of gets, that was not looked at; -1: none is
    left."""
    chosen: Segment | None = None
    found: int = -1
    for location in locations:
        segment = queue.segments.get(location >> ORDINAL_BITS)
        if segment is None or not segment.swept:
            continue
        ordinal = location & (SEGMENT_MESSAGES_MAX - 1)
        if segment.states[ordinal] != ALIVE or ordinal < seek.next_ordinal(segment):
            continue
        if chosen is None or (
            location < found if segment is chosen else comes_before(segment, chosen)
        ):
            chosen = segment
            found = location
    return found


def next_segment(queue: Queue, seek: Seek, slots: dict[int, int]) -> Segment | None:
    """The same for an identifier that very many share: the first segment that has some of them and
    was not looked through."""
    chosen: Segment | None = None
    for slot in slots:
        segment = queue.segments.get(slot)
        if segment is None or not segment.swept or segment.alive == 0:
            continue
        if seek.next_ordinal(segment) >= segment.count:
            continue
        if chosen is None or comes_before(segment, chosen):
            chosen = segment
    return chosen
