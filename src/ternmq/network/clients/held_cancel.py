"""A cancel that ended no get which was known to wait: it holds for the one that waits next.

IBM's client sends SPI NOTIFY while a call of the connection is under way on its own side. That call
may be a get whose request has not come yet. It may also be one that reads ahead after an empty one
and has not asked: such a get answers a failure with a request, and only that can be refused. The
client notifies once for a stop and at most five times, at once, for a close.

It holds until a get has ended with it, a handle is closed, or its time is over. If no get was
meant, one ends in vain, which does no harm: the client asks again for the rest of its time.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.ports.clock import Clock

HELD_NS: Final = 5_000_000_000


@final
class HeldCancel:
    """Of one connection."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._reason = 0
        self._until_ns = 0

    def hold(self, reason: int) -> None:
        """For the next get that has to wait."""
        self._reason = reason
        self._until_ns = self._clock.monotonic_ns() + HELD_NS

    def drop(self) -> None:
        """No get can be meant any more."""
        self._reason = 0

    def take(self) -> int:
        """A get begins to wait: the reason that it ends with, 0 if it may wait."""
        reason = self._reason
        if reason:
            self._reason = 0
            if self._clock.monotonic_ns() >= self._until_ns:
                return 0
        return reason
