"""A clock for tests of accounting: time passes only by looks at it and by a test's word."""

from __future__ import annotations

from threading import get_ident

from ternmq.ports.clock import Clock

TICK_NS = 1000
START_NS = 1_700_000_000_000_000_000


class Ticking(Clock):
    """Each look at it from the thread that made it takes a microsecond; the housekeeper's do not
    count. Beside that, the thread works and is idle as long as a test says."""

    def __init__(self) -> None:
        self.looks = 0
        self.other_work_ns = 0
        self.idle_ns = 0
        self._thread_id = get_ident()

    def now_ns(self) -> int:
        return START_NS + self._passed_ns()

    def monotonic_ns(self) -> int:
        if get_ident() == self._thread_id:
            self.looks += 1
        return self._passed_ns()

    def cpu_ns(self) -> int:
        return self.looks * TICK_NS + self.other_work_ns

    def _passed_ns(self) -> int:
        return self.looks * TICK_NS + self.other_work_ns + self.idle_ns
