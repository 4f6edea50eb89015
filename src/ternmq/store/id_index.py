"""Finding in-memory messages of one queue by an identifier, first by priority and then by sequence.

Identifiers are nearly always unique, so one entry an id is the plain case; an id that several
messages share gets a bucket with one ordered map for each lane. Owned by the queue.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import final

from mypy_extensions import i64

from ternmq.store.entry import Entry


@final
class Bucket:
    """Messages that share an identifier, ordered by sequence in each lane."""

    __slots__ = ("count", "lanes")

    def __init__(self) -> None:
        self.lanes: dict[int, OrderedDict[int, Entry]] = {}
        self.count: i64 = 0

    def add(self, entry: Entry) -> None:
        """Add in order of sequence; only a message that comes back is not the last of its lane."""
        lane = self.lanes.get(int(entry.lane))
        if lane is None:
            lane = OrderedDict()
            self.lanes[int(entry.lane)] = lane
        key = int(entry.sequence)
        in_order = True
        if lane:
            last = next(reversed(lane))
            in_order = last < key
        lane[key] = entry
        self.count += 1
        if not in_order:
            if next(iter(lane)) > key:
                lane.move_to_end(key, last=False)
            else:
                ordered = sorted(lane.items())
                lane.clear()
                lane.update(ordered)

    def discard(self, entry: Entry) -> None:
        """Take out one message."""
        lane = self.lanes[int(entry.lane)]
        del lane[int(entry.sequence)]
        self.count -= 1
        if not lane:
            del self.lanes[int(entry.lane)]

    def ordered(self) -> list[Entry]:
        """All of them, highest lane first."""
        result: list[Entry] = []
        for lane in sorted(self.lanes, reverse=True):
            result.extend(self.lanes[lane].values())
        return result

    def first(self) -> Entry:
        """The one a get would take."""
        lane = self.lanes[max(self.lanes)]
        return next(iter(lane.values()))


@final
class IdIndex:
    """Identifier to messages, for one kind of identifier."""

    __slots__ = ("_many", "_single")

    def __init__(self) -> None:
        self._single: dict[bytes, Entry] = {}
        self._many: dict[bytes, Bucket] = {}

    def add(self, key: bytes, entry: Entry) -> None:
        """Remember a message under its identifier."""
        if self._many:
            bucket = self._many.get(key)
            if bucket is not None:
                bucket.add(entry)
                return
        single = self._single
        other = single.setdefault(key, entry)  # looks and stores in one
        if other is entry:
            return
        bucket = Bucket()
        bucket.add(other)
        bucket.add(entry)
        del single[key]
        self._many[key] = bucket

    def discard(self, key: bytes, entry: Entry) -> None:
        """Forget a message."""
        if self._single.pop(key, None) is not None:
            return
        bucket = self._many[key]
        bucket.discard(entry)
        if bucket.count == 1:
            self._single[key] = bucket.first()
            del self._many[key]

    def first(self, key: bytes) -> Entry | None:
        """The message a get by this identifier takes, or None."""
        entry = self._single.get(key)
        if entry is None and self._many:
            bucket = self._many.get(key)
            if bucket is not None:
                return bucket.first()
        return entry

    def ordered(self, key: bytes) -> list[Entry]:
        """All messages under an identifier, in the order in which gets take them."""
        entry = self._single.get(key)
        if entry is not None:
            return [entry]
        bucket = self._many.get(key)
        return [] if bucket is None else bucket.ordered()
