"""Finding in-memory messages of one queue by an identifier, first by priority and then by sequence.

Identifiers are nearly always unique, so one entry an id is the plain case; an id that several
messages share gets a bucket. In it each lane has its messages in order, in runs of bounded length,
so that a search can go on behind any place, however many they are. Owned by the queue.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.values.entry import Entry

RUN_MAX: Final = 256  # messages; one that gets twice as many is split


@final
class Order:
    """Messages of one lane that share an identifier, by rising sequence."""

    __slots__ = ("runs",)

    def __init__(self) -> None:
        self.runs: list[list[Entry]] = []

    def add(self, entry: Entry) -> None:
        """Add in its place; only a message that comes back is not the last."""
        runs = self.runs
        if not runs or runs[-1][-1].sequence < entry.sequence:
            if not runs or len(runs[-1]) >= RUN_MAX:
                runs.append([])
            runs[-1].append(entry)
            return
        at = self._run_behind(entry.sequence)
        run = runs[at]
        run.insert(int(_place_behind(run, entry.sequence)), entry)
        if len(run) >= 2 * RUN_MAX:
            runs.insert(int(at + 1), run[RUN_MAX:])
            del run[RUN_MAX:]

    def discard(self, entry: Entry) -> None:
        """Take out one message."""
        at = self._run_behind(entry.sequence - 1)
        run = self.runs[at]
        place = _place_behind(run, entry.sequence - 1)
        if run[place] is not entry:
            raise KeyError(int(entry.sequence))
        del run[place]
        if not run:
            del self.runs[at]

    def after(self, sequence: i64) -> Entry | None:
        """The first message behind a stream number."""
        at = self._run_behind(sequence)
        if at == len(self.runs):
            return None
        run = self.runs[at]
        return run[_place_behind(run, sequence)]

    def _run_behind(self, sequence: i64) -> i64:
        """The first run that reaches behind a stream number."""
        low: i64 = 0
        high: i64 = len(self.runs)
        while low < high:
            middle = (low + high) // 2
            if self.runs[middle][-1].sequence > sequence:
                high = middle
            else:
                low = middle + 1
        return low


def _place_behind(run: list[Entry], sequence: i64) -> i64:
    low: i64 = 0
    high: i64 = len(run)
    while low < high:
        middle = (low + high) // 2
        if run[middle].sequence > sequence:
            high = middle
        else:
            low = middle + 1
    return low


@final
class Bucket:
    """Messages that share an identifier, ordered by sequence in each lane."""

    __slots__ = ("count", "lanes")

    def __init__(self) -> None:
        self.lanes: dict[int, Order] = {}
        self.count: i64 = 0

    def add(self, entry: Entry) -> None:
        """Add in order of sequence."""
        order = self.lanes.get(int(entry.lane))
        if order is None:
            order = Order()
            self.lanes[int(entry.lane)] = order
        order.add(entry)
        self.count += 1

    def discard(self, entry: Entry) -> None:
        """Take out one message."""
        order = self.lanes[int(entry.lane)]
        order.discard(entry)
        self.count -= 1
        if not order.runs:
            del self.lanes[int(entry.lane)]

    def after(self, lane: i64, sequence: i64) -> Entry | None:
        """The first one behind a place, in the order in which gets take them."""
        order = self.lanes.get(int(lane))
        if order is not None:
            entry = order.after(sequence)
            if entry is not None:
                return entry
        below = [number for number in self.lanes if number < lane]
        return self.lanes[max(below)].runs[0][0] if below else None

    def entries(self) -> list[Entry]:
        """All of them; a list of its own."""
        found: list[Entry] = []
        for order in self.lanes.values():
            for run in order.runs:
                found.extend(run)
        return found

    def first(self) -> Entry:
        """The one a get would take."""
        return self.lanes[max(self.lanes)].runs[0][0]


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

    def singles(self) -> list[Entry]:
        """The messages that have an identifier of their own; a list of its own."""
        return list(self._single.values())

    def buckets(self) -> list[Bucket]:
        """The others; a list of its own."""
        return list(self._many.values())

    def first(self, key: bytes) -> Entry | None:
        """The message a get by this identifier takes, or None."""
        entry = self._single.get(key)
        if entry is None and self._many:
            bucket = self._many.get(key)
            if bucket is not None:
                return bucket.first()
        return entry

    def after(self, key: bytes, lane: i64, sequence: i64) -> Entry | None:
        """The first message under an identifier behind a place, in the order in which gets take
        them."""
        entry = self._single.get(key)
        if entry is not None:
            is_behind = entry.lane < lane or (entry.lane == lane and entry.sequence > sequence)
            return entry if is_behind else None
        bucket = self._many.get(key)
        return None if bucket is None else bucket.after(lane, sequence)
