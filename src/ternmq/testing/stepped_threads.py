"""Real threads of which one runs at a time; which one goes on, a seed decides.

A thread gives up its turn wherever it takes or leaves a lock, waits, or calls the disk: these are
the places where threads meet. The locks are those that `host.step_lock.Locks` makes for a shell, so
what is driven are the loops that ship. Time is that of the simulated clock: it passes when no
thread can go on, up to the next end of a wait. When none waits for a time either, they wait for
ever, and that is a fault.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Final, cast

from ternmq.host.step_lock import Locks
from ternmq.testing.chance import Chance
from ternmq.testing.model import Disagreement
from ternmq.testing.sim_clock import SimClock

_NS: Final = 1_000_000_000
# Ends of waits of helpers (a housekeeper's ticks) in a row, while every other thread waits.
_IDLE_MAX: Final = 100


class SteppedThread(threading.Thread):
    """One of them."""

    def __init__(
        self, work: Callable[[], None], name: str, helps: bool, back: Callable[[], None]
    ) -> None:
        super().__init__(name=name, daemon=True)
        self.helps = helps  # it does not count as work that goes on
        self.go = threading.Semaphore(0)
        self.at: SteppedLock | None = None  # where it waits
        self.due_ns = -1  # when that wait is over; -1: never
        self.ended = False
        self.failure: BaseException | None = None
        self._work = work
        self._back = back

    def run(self) -> None:
        self.go.acquire()
        try:
            self._work()
        finally:
            self.failure = sys.exc_info()[1]
            self.ended = True
            self._back()

    def give_turn(self) -> None:
        """Another thread may go on; returns when it is this one's turn again."""
        self._back()
        self.go.acquire()

    def can_go_on(self) -> bool:
        return self.at is None or self.at.free > 0


class SteppedLock:
    """A lock, or a semaphore, at which such threads wait."""

    def __init__(self, threads: SteppedThreads, free: int, is_lock: bool) -> None:
        self.free = free
        self._threads = threads
        self._is_lock = is_lock

    def acquire(self, blocking: bool = True, timeout: float = -1.0) -> bool:
        me = self._threads.pause()
        if self.free == 0:
            if not blocking:
                return False
            if me is None:
                raise RuntimeError("the test waits for a lock, and no thread will release it")
            me.at = self
            me.due_ns = -1 if timeout < 0 else self._threads.clock.steady_ns + int(timeout * _NS)
            me.give_turn()
            me.at = None
            me.due_ns = -1
            if self.free == 0:
                return False  # the time is over
        self.free -= 1
        return True

    def release(self) -> None:
        if self._is_lock and self.free:
            raise RuntimeError("release unlocked lock")
        self.free += 1
        self._threads.pause()

    def locked(self) -> bool:
        return self.free == 0

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *raised: object) -> None:
        self.release()


class SteppedThreads:
    """All of them. To be set as `SimDisk.faults`, so that forces take their time, too."""

    def __init__(self, chance: Chance, clock: SimClock) -> None:
        self.chance = chance
        self.clock = clock
        self.turns = 0
        self._threads: list[SteppedThread] = []
        self._back = threading.Semaphore(0)

    def locks(self) -> Locks:
        """What a shell is made with."""
        return Locks(self._lock, self._lock, self._semaphore)

    def _lock(self) -> threading.Lock:
        return cast("threading.Lock", SteppedLock(self, 1, True))

    def _semaphore(self, free: int) -> threading.Semaphore:
        return cast("threading.Semaphore", SteppedLock(self, free, False))

    def start(self, work: Callable[[], None], name: str, helps: bool = False) -> None:
        made = SteppedThread(work, name, helps, self._back.release)
        self._threads.append(made)
        made.start()

    def pause(self) -> SteppedThread | None:
        """In one of the threads: another may go on. Anywhere else nothing happens."""
        me = threading.current_thread()
        if not isinstance(me, SteppedThread):
            return None
        me.give_turn()
        return me

    def __call__(self, call: str, path: str, count: int) -> None:
        self.pause()

    def run(self, at_end: Callable[[], None]) -> None:
        """Until the work is done; then `at_end` ends the helpers."""
        self._until(lambda: [one for one in self._threads if not one.ended and not one.helps])
        at_end()
        self._until(lambda: [one for one in self._threads if not one.ended])

    def _until(self, left: Callable[[], list[SteppedThread]]) -> None:
        idle = 0
        while left():
            ready = [one for one in self._threads if not one.ended and one.can_go_on()]
            idle = 0 if any(not one.helps for one in ready) else idle + 1
            if not ready:
                ready = [self._next_due(left())]
            if idle > _IDLE_MAX:
                raise self._stuck(left())
            self._let(self.chance.choice(ready))

    def _next_due(self, left: list[SteppedThread]) -> SteppedThread:
        waiting = [one for one in self._threads if not one.ended and one.due_ns >= 0]
        if not waiting:
            raise self._stuck(left)
        first = min(waiting, key=lambda one: one.due_ns)
        self.clock.advance(max(first.due_ns - self.clock.steady_ns, 0) / _NS)
        return first

    def _stuck(self, left: list[SteppedThread]) -> Disagreement:
        return Disagreement(f"these wait for ever: {', '.join(one.name for one in left)}")

    def _let(self, one: SteppedThread) -> None:
        self.turns += 1
        one.go.release()
        self._back.acquire()
        if one.failure is not None:
            raise one.failure
