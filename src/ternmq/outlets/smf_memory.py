"""The in-memory SMF stream as threads and tasks follow it: `telemetry.smf.memory_ring` with a lock.

A reader never blocks a writer. One that falls behind loses the oldest records and learns how many;
the stream itself loses nothing by that, so no message goes to the operators.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Final

from ternmq.telemetry.smf.memory_ring import RING_BYTES_DEFAULT, RingRead, SmfRing

READ_RECORDS_MAX: Final = 1000
READ_BYTES_MAX: Final = 1_048_576
FROM_NOW: Final = -1


class MemoryStream:
    """What one queue manager keeps of its newest records."""

    def __init__(
        self,
        name: str,
        bytes_max: int = RING_BYTES_DEFAULT,
        types: frozenset[int] = frozenset(),
    ) -> None:
        self.name = name
        self.types = types
        self._ring = SmfRing(bytes_max)
        self._changed = threading.Condition()
        self._watchers: list[Callable[[], None]] = []
        self.ended = False
        self.given_bytes = 0  # since the start

    @property
    def bounds(self) -> tuple[int, int]:
        """The number of the oldest record here, and of the next one."""
        with self._changed:
            return self._ring.first, self._ring.next

    @property
    def held_bytes(self) -> int:
        """What it holds now."""
        with self._changed:
            return self._ring.bytes

    def give(self, records: list[bytes]) -> None:
        """Add records, for the readers that follow."""
        with self._changed:
            for record in records:
                if not self.types or record[5] in self.types:
                    self._ring.append(record)
                    self.given_bytes += len(record)
            self._changed.notify_all()
            watchers = list(self._watchers)
        for watcher in watchers:
            watcher()

    def read(
        self,
        position: int,
        records_max: int = READ_RECORDS_MAX,
        bytes_max: int = READ_BYTES_MAX,
    ) -> RingRead:
        """What is there from a number on; FROM_NOW is the number of the next record."""
        with self._changed:
            at = self._ring.next if position < 0 else position
            return self._ring.read(at, records_max, bytes_max)

    def wait(self, position: int, wait_s: float | None = None) -> bool:
        """Until there is something from that number on, or the end; False if there is not yet."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self.ended or self._ring.next > max(position, 0), wait_s
            )

    def watch(self, watcher: Callable[[], None]) -> None:
        """Have a function called after each `give`, in the thread that gave."""
        with self._changed:
            self._watchers.append(watcher)

    def unwatch(self, watcher: Callable[[], None]) -> None:
        """Not any more."""
        with self._changed:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

    def follow(self, position: int = FROM_NOW) -> Iterator[RingRead]:
        """What comes, as it comes, until the queue manager ends."""
        at = self.bounds[1] if position < 0 else position
        while True:
            self.wait(at)
            found = self.read(at)
            if found.records or found.missed:
                yield found
            elif self.ended:
                return
            at = found.next

    def end(self) -> None:
        """There will be no more; readers get what is left."""
        with self._changed:
            self.ended = True
            self._changed.notify_all()
            watchers = list(self._watchers)
        for watcher in watchers:
            watcher()
