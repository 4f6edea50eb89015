"""The in-memory SMF stream: the newest records, each with a number, in a bounded room.

Numbers begin with 1 and go up by one, in each life of the queue manager. What no longer fits goes,
oldest first, whether it was read or not: `read` returns how many a reader that comes too late has
missed. There is no lock here; a caller that shares a ring between threads has one.
"""

from __future__ import annotations

from collections import deque
from typing import Final, final

RING_BYTES_DEFAULT: Final = 16_777_216


@final
class RingRead:
    """What a reader gets: records, where to go on, how many were gone before it came."""

    __slots__ = ("missed", "next", "records")

    def __init__(self, records: list[bytes], next_number: int, missed: int) -> None:
        self.records = records
        self.next = next_number
        self.missed = missed


@final
class SmfRing:
    """A bounded stream of records."""

    def __init__(self, bytes_max: int = RING_BYTES_DEFAULT) -> None:
        self.bytes_max = bytes_max
        self.bytes = 0
        self.first = 1  # the number of the oldest record that is here
        self._records: deque[bytes] = deque()

    @property
    def next(self) -> int:
        """The number that the next record will have."""
        return self.first + len(self._records)

    def append(self, record: bytes) -> None:
        """One more record. One that is larger than all the room is only counted."""
        self._records.append(record)
        self.bytes += len(record)
        while self.bytes > self.bytes_max:
            self.bytes -= len(self._records.popleft())
            self.first += 1

    def read(self, position: int, records_max: int, bytes_max: int) -> RingRead:
        """Records from a number on, at least one if there is one; a position beyond the end (of
        before a restart, say) is the end."""
        position = min(position, self.next)
        missed = max(0, self.first - position)
        at = max(position, self.first)
        found: list[bytes] = []
        size = 0
        while at < self.next and len(found) < records_max:
            record = self._records[at - self.first]
            size += len(record)
            if found and size > bytes_max:
                break
            found.append(record)
            at += 1
        return RingRead(found, at, missed)
