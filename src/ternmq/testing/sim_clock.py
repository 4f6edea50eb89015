"""Time and identities of a simulated world.

`SimClock` is the clock port. Its wall clock can jump, go back and stand still; its monotonic clock
never goes back. Both advance a little whenever they are looked at, because identifiers are made
from them; a frozen clock does not even do that.
"""

from __future__ import annotations

from typing import Final

from ternmq.ports.clock import EARLIEST_NS, LATEST_NS, Clock
from ternmq.ports.entropy import Entropy

START_NS: Final = 1_700_000_000_000_000_000
SECOND_NS: Final = 1_000_000_000
DAY_S: Final = 86_400


class SimClock(Clock):
    """A wall clock and a monotonic one, moved by the test."""

    def __init__(self, start_ns: int = START_NS, look_ns: int = 1000) -> None:
        self.wall_ns = start_ns
        self.steady_ns = start_ns
        self.look_ns = look_ns  # how much passes at each look
        self.frozen = False

    def now_ns(self) -> int:
        self._look()
        return min(max(self.wall_ns, EARLIEST_NS), LATEST_NS)

    def monotonic_ns(self) -> int:
        self._look()
        return self.steady_ns

    def advance(self, seconds: float) -> None:
        """Time passes."""
        passed = int(seconds * SECOND_NS)
        self.steady_ns += passed
        if not self.frozen:
            self.wall_ns += passed

    def jump(self, seconds: float) -> None:
        """Set the wall clock, forwards or back."""
        self.wall_ns += int(seconds * SECOND_NS)

    def freeze(self) -> None:
        """The wall clock stands still, also when it is looked at."""
        self.frozen = True

    def thaw(self) -> None:
        self.frozen = False

    def _look(self) -> None:
        self.steady_ns += self.look_ns
        if not self.frozen:
            self.wall_ns += self.look_ns


class SimEntropy(Entropy):
    """The same bytes for the same seed."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def bytes(self, count: int) -> bytes:
        return bytes((self.seed + at) & 0xFF for at in range(count))
