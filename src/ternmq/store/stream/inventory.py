"""The messages on a queue in one step, to be brought into its stream: an inventory, read out later
in the order of stream numbers.

Taken in a step: references to the messages in memory, as many as the queue's buffers hold, and
which messages of its swept segments live. Read by effects (`fill`) or by a restart. What is
got in between is in it all the same: entries stay, and the queue keeps the files of its dead
segments (`Queue.held`). Of a swept message the image is taken as it is, without an entry.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.codec.message_image import FIXED_BYTES, HEADER_BYTES, pack_header
from ternmq.ports.disk import Disk
from ternmq.store.chain import Chain
from ternmq.store.fetching import RecordReader
from ternmq.store.lane import Lane
from ternmq.store.queue import Queue
from ternmq.store.segment import DEAD, Segment, segment_of
from ternmq.values.entry import GETTING, Entry, packed_descriptor

# Number, stream number, put_ns, length, length of properties: see `message_image`.
_FACTS: Final = struct.Struct("<QQq8xI12xI")
_BACKOUT_COUNT: Final = 38  # in an image; then comes where it became visible in the log
_AREA_LENGTH: Final = 48
_MQMD_BACKOUT_COUNT: Final = HEADER_BYTES + 96
_NONE: Final = bytes(4)


@final
class Lying:
    """A message as its stream will have it: as it was put. How often a get of it was backed out by
    now is not the same after a crash."""

    __slots__ = ("area", "body", "head", "message", "number", "put_ns")

    def __init__(
        self, number: i64, message: i64, put_ns: i64, head: bytes, area: bytes, body: bytes
    ) -> None:
        self.number: i64 = number  # of the stream
        self.message: i64 = message  # its other number, on the queue
        self.put_ns: i64 = put_ns
        self.head = head
        self.area = area
        self.body = body


def _from_image(records: bytes, at: i64) -> Lying:
    message, number, put_ns, length, area_length = _FACTS.unpack_from(records, int(at))
    backouts = at + _BACKOUT_COUNT
    in_mqmd = at + _MQMD_BACKOUT_COUNT
    end = at + FIXED_BYTES
    head = b"".join(
        (
            records[at:backouts],
            bytes(_AREA_LENGTH - _BACKOUT_COUNT),
            records[at + _AREA_LENGTH : in_mqmd],
            _NONE,
            records[in_mqmd + 4 : end],
        )
    )
    body = end + area_length
    return Lying(number, message, put_ns, head, records[end:body], records[body : body + length])


def lying_of(head: bytes, area: bytes, body: bytes) -> Lying:
    """One that was in a stream."""
    message, number, put_ns, _, _ = _FACTS.unpack_from(head, 0)
    return Lying(number, message, put_ns, head, area, body)


def _from_entry(entry: Entry) -> Lying:
    mqmd = packed_descriptor(entry)
    in_mqmd = _MQMD_BACKOUT_COUNT - HEADER_BYTES
    header = pack_header(
        int(entry.number),
        int(entry.sequence),
        int(entry.put_ns),
        int(entry.expiry_at),
        int(entry.length),
        int(entry.priority),
        int(entry.flags),
        0,
        0,
        len(entry.properties),
    )
    head = b"".join((header, mqmd[:in_mqmd], _NONE, mqmd[in_mqmd + 4 :]))
    area = entry.properties
    return Lying(entry.sequence, entry.number, entry.put_ns, head, area, entry.data)


@final
class SweptRun:
    """What one lane had in swept segments; read in pieces."""

    def __init__(self, queue: Queue, lane: Lane, below: i64) -> None:
        self.queue = queue
        self.segments: list[Segment] = []
        self.states: list[bytes] = []  # as they were
        self.found: list[Lying] = []  # what was read last
        self.place: i64 = 0  # in that
        self._at: i64 = 0  # the segment that is read next, and where in it
        self._ordinal: i64 = 0
        for segment in lane.swept:
            if segment.first_sequence < below:
                self.segments.append(segment)
                self.states.append(bytes(segment.states))

    @property
    def segment(self) -> Segment | None:
        """The one that is read next."""
        return self.segments[self._at] if self._at < len(self.segments) else None

    def head(self, disk: Disk) -> Lying | None:
        """Its next message; None: there is no more."""
        while self.place >= len(self.found):
            if self._at >= len(self.segments):
                return None
            self._read(disk, self.segments[self._at], self.states[self._at])
        return self.found[self.place]

    def _read(self, disk: Disk, segment: Segment, states: bytes) -> None:
        first = self._ordinal
        while first < segment.count and states[first] == DEAD:
            first += 1
        found: list[Lying] = []
        if first < segment.count:
            reader = RecordReader(self.queue, segment)
            after = reader.chunk_end(first)
            file = disk.borrow(segment.path)
            try:
                records, start = reader.read(file, first, after)
            finally:
                disk.give_back(file)
            while first < after:
                if states[first] != DEAD:
                    found.append(_from_image(records, reader.image_at(records, start, first)))
                first += 1
        # Only now: after a failure above the same is asked for again.
        self.found = found
        self.place = 0
        self._ordinal = first
        if first >= segment.count:
            self._at += 1
            self._ordinal = 0


@final
class Inventory:
    """All of it, with stream numbers below a bound. `held` are messages that units of work have
    got: as long as these have not ended, nothing has happened to them."""

    def __init__(self, queue: Queue, below: i64, held: list[Entry]) -> None:
        self.below: i64 = below
        self.lowest: i64 = below  # no message has a lower number
        self.rest: list[Lying] = []  # more, with higher numbers, the last first
        self.runs: list[SweptRun] = []
        self.asked: SweptRun | None = None  # the run that was asked last
        self._entries: list[Entry] = []
        self._place: i64 = 0
        self._is_sorted = False
        self._cleared_before: i64 = queue.clearing_before  # those are gone but for the steps of it
        for lane in queue.lanes:
            self._take(lane.front)
            self._take(lane.strays)
            self._take(lane.rear)
            if lane.swept and lane.swept[0].first_sequence < below:
                self.runs.append(SweptRun(queue, lane, below))
                self._lower(lane.swept[0].first_sequence)
        for entry in held:
            segment = segment_of(entry)
            if entry.sequence < below and (segment is None or not segment.swept):
                self._entries.append(entry)
                self._lower(entry.sequence)

    def _take(self, chain: Chain) -> None:
        entry = chain.head
        if entry is not None:
            self._lower(entry.sequence)
        while entry is not None and entry.sequence < self.below:
            self._entries.append(entry)
            entry = entry.next

    def _lower(self, number: i64) -> None:
        if number < self.lowest:
            self.lowest = number

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing at all."""
        return not self._entries and not self.runs

    def next(self, disk: Disk) -> Lying | None:
        """The message with the next higher number; None: that was all."""
        if not self._is_sorted:
            self._is_sorted = True
            self._entries.sort(key=_sequence_of)
        while True:
            found = self._lowest(disk)
            if found is None or found.number >= self.below:
                return self.rest.pop() if self.rest else None
            if found.message >= self._cleared_before:
                return found

    def _lowest(self, disk: Disk) -> Lying | None:
        """The lowest of those that are first in memory and in the segments of each lane."""
        in_memory = self._entries[self._place] if self._place < len(self._entries) else None
        lowest: i64 = self.below if in_memory is None else in_memory.sequence
        source: SweptRun | None = None
        for run in self.runs:
            self.asked = run
            head = run.head(disk)
            if head is not None and head.number < lowest:
                lowest = head.number
                source = run
        if source is not None:
            source.place += 1
            return source.found[source.place - 1]
        if in_memory is None:
            return None
        self._place += 1
        return _from_entry(in_memory)


def _sequence_of(entry: Entry) -> int:
    return int(entry.sequence)


def held_of(queue: Queue, entries: list[Entry]) -> list[Entry]:
    """Those of the entries, of changes of units of work, that were got from this queue; each
    once."""
    found: dict[int, Entry] = {}
    for entry in entries:
        if entry.state == GETTING and entry.queue_id == queue.queue_id:
            found[int(entry.sequence)] = entry
    return [found[number] for number in sorted(found)]
