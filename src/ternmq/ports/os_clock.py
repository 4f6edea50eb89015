"""The clock port on the clocks of the machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, final

from ternmq.ports.clock import EARLIEST_NS, LATEST_NS, Clock

# The year 2116. mypyc compares integers below 2**62 without making objects of them, so the usual
# time takes two machine instructions, and only a clock far in the future takes the long way.
_USUAL_NS: Final = (1 << 62) - 1


@final
class OsClock(Clock):
    """The machine's wall clock and monotonic clock."""

    def __init__(self) -> None:
        # Kept here: looking them up in their module takes longer than asking them.
        self._now_ns: Callable[[], int] = time.time_ns
        self._monotonic_ns: Callable[[], int] = time.monotonic_ns
        self._cpu_ns: Callable[[], int] = time.thread_time_ns

    def now_ns(self) -> int:
        now_ns = self._now_ns()
        if EARLIEST_NS <= now_ns < _USUAL_NS or EARLIEST_NS <= now_ns <= LATEST_NS:
            return now_ns
        return LATEST_NS if now_ns > 0 else EARLIEST_NS

    def monotonic_ns(self) -> int:
        return self._monotonic_ns()

    def cpu_ns(self) -> int:
        return self._cpu_ns()
