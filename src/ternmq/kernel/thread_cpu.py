"""CPU time of a thread that serves many connections, cheap enough to ask at both ends of a verb.

Reading the thread's CPU clock costs more than a small verb. So it is read at most every tenth of a
millisecond, and in between the time is what it was at the last look plus the time that has passed:
a thread in the middle of its work cannot have used more. A call after a longer pause, because
the loop was idle or busy with something else, or because the thread had to wait for a processor,
gets a real look. So the CPU time between two moments is off by a tenth of a millisecond at most and
never more than the time between them. It never goes back: what was too much stays until the real
clock has caught up, so sums are right.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.ports.clock import Clock

LOOK_EVERY_NS: Final = 100_000


@final
class ThreadCPU:
    """The CPU clock of one thread, and used in that thread only."""

    __slots__ = ("_clock", "_cpu_ns", "_look_ns", "_last_ns")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._look_ns: i64 = -LOOK_EVERY_NS  # monotonic, of the last look
        self._cpu_ns: i64 = 0  # at that look
        self._last_ns: i64 = 0  # the last answer

    def at(self, now_ns: i64) -> i64:
        """CPU time used up to now, which is the monotonic clock's or a little earlier; 0 where
        it is not known."""
        since_ns = now_ns - self._look_ns
        if since_ns >= LOOK_EVERY_NS:
            self._cpu_ns = self._clock.cpu_ns()
            self._look_ns = now_ns
            since_ns = 0
        cpu_ns = self._cpu_ns + since_ns
        if self._cpu_ns and cpu_ns > self._last_ns:
            self._last_ns = cpu_ns
        return self._last_ns
