"""Which messages wait on SYSTEM.DDELAY.LOCAL.QUEUE, by the time when they are due.

A message is a key of 32 bytes: its due time in nanoseconds, big endian, then the MsgId that it has
on that queue, which rises with each put. So the lowest key is due first, and equal times go by
arrival. That is all that memory holds of a message that was swept. `deferred` fills and empties it.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Final, final

from mypy_extensions import i64

from ternmq.ports.effect import Outbox, Wakeable
from ternmq.txn.unit import ENDED, UnitOfWork

DELAY_QUEUE: Final = "SYSTEM.DDELAY.LOCAL.QUEUE"
_DUE_BYTES: Final = 8


def delay_key(due_ns: i64, msg_id: bytes) -> bytes:
    """The key of a message."""
    return int(due_ns).to_bytes(_DUE_BYTES, "big") + msg_id


def due_of(key: bytes) -> int:
    """When it is due."""
    return int.from_bytes(key[:_DUE_BYTES], "big")


def msg_id_of(key: bytes) -> bytes:
    """Its MsgId on the delay queue."""
    return key[_DUE_BYTES:]


@final
class DelayIndex:
    """All of them, and what was put in units of work that have not ended."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._heap: list[bytes] = []
        self._in_units: dict[int, list[bytes]] = {}
        self._units: dict[int, UnitOfWork] = {}  # the same
        self.in_units = False  # some unit of work has put one
        self.waker: Wakeable | None = None  # is woken when one is due earlier than all others

    @property
    def indexed(self) -> int:
        """How many are known to be on the queue; uncommitted ones are not."""
        return len(self._heap)

    def add(self, key: bytes) -> None:
        """One is on the queue."""
        heappush(self._heap, key)
        if self._heap[0] is key:
            self._outbox.wake(self.waker)

    def add_in_unit(self, unit: UnitOfWork, key: bytes) -> None:
        """One will be on the queue when this unit of work is committed."""
        number = int(unit.unit_id)
        keys = self._in_units.get(number)
        if keys is None:
            keys = []
            self._in_units[number] = keys
            self._units[number] = unit
            self.in_units = True
        keys.append(key)

    def unit_committed(self, number: int) -> None:
        """What the unit put is on the queue."""
        keys = self._in_units.pop(number, None)
        if keys is None:
            return
        self._units.pop(number, None)
        self.in_units = len(self._in_units) > 0
        for key in keys:
            self.add(key)

    def forget_undone(self) -> None:
        """Units of work that have ended and were not committed put nothing."""
        for number in list(self._units):
            if self._units[number].state == ENDED:
                del self._units[number]
                del self._in_units[number]
        self.in_units = len(self._in_units) > 0

    def first_due(self) -> int:
        """When the first is due; -1 if there is none."""
        return due_of(self._heap[0]) if self._heap else -1

    def take(self, now_ns: i64) -> bytes | None:
        """The first that is due, which is no longer in here."""
        heap = self._heap
        if not heap or due_of(heap[0]) > now_ns:
            return None
        return heappop(heap)

    def clear(self) -> None:
        """It is made again from the queue; units of work stay."""
        self._heap = []
