"""CPU time of verbs that one thread serves for many connections.

Reading the thread's clock costs more than a small verb, so it is read once for the verbs of half a
millisecond, and what it shows is shared out among them by the time each was at work. What the
thread did between them, for its sockets, is in their shares; what it did before the first of them,
or while it was idle, is not.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.accounts import VerbTime
from ternmq.ports.clock import Clock

LOOK_EVERY_NS: Final = 500_000


@final
class CPUShares:
    """Verbs since the last look at the thread's clock. Used in that thread only."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._verbs: list[VerbTime] = []
        self._work_ns: list[int] = []
        self._begun_ns = 0  # when the first of them began
        self._cpu_ns = 0  # at the last look

    def add(self, verb: VerbTime, work_ns: int, now_ns: int) -> None:
        """A verb is over; it was at work for so long."""
        if not self._verbs:
            self._begun_ns = now_ns - work_ns
        self._verbs.append(verb)
        self._work_ns.append(work_ns)
        if now_ns - self._begun_ns >= LOOK_EVERY_NS:
            self.share_out(now_ns)

    def share_out(self, now_ns: int) -> None:
        """Look at the clock, and give each its share."""
        cpu_ns = int(self._clock.cpu_ns())
        # The thread cannot have worked longer than this since the first began.
        left_ns = min(cpu_ns - self._cpu_ns, max(now_ns - self._begun_ns, 0))
        self._cpu_ns = cpu_ns
        total_ns = 0
        for work_ns in self._work_ns:
            total_ns += work_ns
        if total_ns > 0 and left_ns > 0:
            for at in range(len(self._verbs)):
                verb = self._verbs[at]
                verb.cpu_ns += left_ns * self._work_ns[at] // total_ns
        self._verbs = []
        self._work_ns = []
