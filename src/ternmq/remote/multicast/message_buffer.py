"""Publications that were received and not got yet: bounded, and the oldest go first.

Filled by the thread of multicast, emptied by the application's thread or task.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Final, final

from ternmq.values.entry import Entry
from ternmq.values.get_request import GetRequest
from ternmq.values.message import entry_of

_BESIDE_BYTES: Final = 512  # what a message takes beside its data
_NO_TOKEN: Final = bytes(16)


@final
class Received:
    """One publication as the subscription gets it."""

    __slots__ = ("area", "base", "data", "entry", "expires_ms")

    def __init__(self, base: bytes, area: bytes, data: bytes, expires_ms: int) -> None:
        self.base = base  # the packed descriptor
        self.area = area
        self.data = data
        self.expires_ms = expires_ms  # by the clock of the machines
        self.entry: Entry = entry_of(base, _NO_TOKEN, data, len(data))
        self.entry.properties = area

    @property
    def size(self) -> int:
        """What it takes in the buffer."""
        return len(self.data) + len(self.area) + _BESIDE_BYTES


@final
class MessageBuffer:
    """The buffer of one subscription."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._bytes = 0
        self._messages: deque[Received] = deque()
        self._arrival = threading.Condition()
        self._wakes: Callable[[], None] | None = None  # of a task that waits
        self.arrivals = 0
        self.dropped = 0  # because there was no room

    def __len__(self) -> int:
        return len(self._messages)

    def add(self, message: Received) -> int:
        """A publication; how many were dropped for it."""
        with self._arrival:
            self._messages.append(message)
            self._bytes += message.size
            dropped = self._trim()
            self.arrivals += 1
            self._arrival.notify_all()
            wakes = self._wakes
        if wakes is not None:
            wakes()
        return dropped

    def _trim(self) -> int:
        dropped = 0
        while self._bytes > self._bytes_max and len(self._messages) > 1:
            self._bytes -= self._messages.popleft().size
            dropped += 1
        self.dropped += dropped
        return dropped

    def find(self, request: GetRequest, now: int) -> Received | None:
        """The first that a get asks for; it stays. What has expired before it goes."""
        found: Received | None = None
        expired: list[Received] = []
        with self._arrival:
            for message in self._messages:
                if message.expires_ms <= now:
                    expired.append(message)
                elif request.plain or request.matches(message.entry):
                    found = message
                    break
            for message in expired:
                self._messages.remove(message)
                self._bytes -= message.size
        return found

    def take(self, message: Received) -> None:
        """It is got, or of no use any more."""
        with self._arrival:
            try:
                self._messages.remove(message)
            except ValueError:
                return  # it was dropped meanwhile
            self._bytes -= message.size

    def take_over(self, other: MessageBuffer) -> None:
        """What another buffer has comes first: the subscription was made again."""
        with other._arrival:
            before = list(other._messages)
        with self._arrival:
            self._messages.extendleft(reversed(before))
            self._bytes += sum([one.size for one in before])
            self._trim()
            self.arrivals += len(before)

    def wait(self, seen: int, seconds: float) -> None:
        """Until there were more arrivals than were seen, or the time is over."""
        with self._arrival:
            if self.arrivals == seen:
                self._arrival.wait(seconds)

    def wake_by(self, seen: int, wakes: Callable[[], None] | None) -> bool:
        """Call something at the next arrival; False if there was one already."""
        with self._arrival:
            self._wakes = wakes
            return self.arrivals == seen
