"""The clock port on the clocks of the machine."""

from __future__ import annotations

import time
from typing import final

from ternmq.ports.clock import Clock


@final
class OsClock(Clock):
    """The machine's wall clock and monotonic clock."""

    def now_ns(self) -> int:
        return time.time_ns()

    def monotonic_ns(self) -> int:
        return time.monotonic_ns()

    def cpu_ns(self) -> int:
        return time.thread_time_ns()
