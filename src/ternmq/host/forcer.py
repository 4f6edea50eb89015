"""Forcing the log for callers that wait: the first forces for all (leader and followers).

A caller that needs an LSN forced, while no other caller forces, becomes the leader: it takes what
the engine has buffered, writes and syncs it, and wakes the followers that are served. Those that
came meanwhile are the next batch; one of them leads it. Group commit follows from that shape,
without a timer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from threading import get_ident
from typing import final

from ternmq.base.errors import ForceFailed, IntegrityError, MQError
from ternmq.engine.engine import Engine
from ternmq.log.record import BLOCK_BYTES
from ternmq.log.writer import LogBatch
from ternmq.ports.effect import Wakeable


class Gate(Wakeable):
    """Where a thread waits, at a lock that no other thread has; opened once for each wait."""

    def __init__(self, lock: threading.Lock) -> None:
        self.lock = lock
        lock.acquire()

    def wake(self) -> None:
        """Let the thread go on."""
        self.lock.release()

    def wait(self, timeout_s: float = -1.0) -> bool:
        """Wait to be woken; False if the time is over first."""
        return self.lock.acquire(True, timeout_s)


@final
class Follower:
    """A thread that waits for an LSN."""

    __slots__ = ("gate", "lsn", "who")

    def __init__(self, lsn: int, gate: Gate, who: int) -> None:
        self.lsn = lsn
        self.gate = gate
        self.who = who


@final
class Forcer:
    """The one way to force the log of an engine.

    A signal handler may raise in any caller, between any two calls. So the leader is named by
    `_leader` alone, which a thread that is interrupted finds and hands on; a gate that is to be
    opened is kept until it is; and `with` takes the locks, because nothing can come between that
    and its end.
    """

    def __init__(
        self, engine: Engine, lock: threading.Lock, make_lock: Callable[[], threading.Lock]
    ) -> None:
        self.engine = engine
        self.lock = lock  # the engine's
        self._make_lock = make_lock
        self.files_lock = make_lock()  # the log's files: one force or one effect at a time
        self._mutex = make_lock()
        self._leader: int = 0  # the thread that forces, or is about to; 0 if none is
        self._followers: list[Follower] = []
        self._wakes: list[Gate] = []  # of those that are served, or lead next
        self._gates = threading.local()
        self.forces = 0

    def renew_locks(self, lock: threading.Lock) -> None:
        """In a forked child, where no thread holds any."""
        self.lock = lock
        self.files_lock = self._make_lock()
        self._mutex = self._make_lock()

    def force(self, lsn: int) -> None:
        """Return when everything below `lsn` is on disk; ForceFailed if it never will be."""
        log = self.engine.log
        me = get_ident()
        while log.forced_lsn < lsn:
            follower: Follower | None = None
            done = False
            try:
                with self._mutex:
                    if self._leader == 0:
                        self._leader = me
                    elif self._leader != me:
                        follower = Follower(lsn, self._gate(), me)
                        self._followers.append(follower)
                if follower is not None:
                    follower.gate.wait()
                if self._leader == me:
                    self._force_once(lsn)
                done = True
            finally:
                if not done or self._leader == me:
                    ended = False
                    try:
                        self._end_turn(me, None if done else follower)
                        ended = True
                    finally:
                        if not ended:
                            self._end_turn(me, None if done else follower)
            if follower is not None:
                error = self.engine.error_for("")
                if error is not None:
                    raise error

    def _end_turn(self, me: int, follower: Follower | None) -> None:
        """Leave the followers, if among them; hand on the lead, if it is here. When interrupted,
        this can be done again."""
        if follower is not None:
            self._gates.gate = None  # another thread may still wake the old one
            with self._mutex:
                if follower in self._followers:
                    self._followers.remove(follower)
        self._hand_on(me)

    def _gate(self) -> Gate:
        gate = getattr(self._gates, "gate", None)
        if not isinstance(gate, Gate):
            gate = Gate(self._make_lock())
            self._gates.gate = gate
        return gate

    def _hand_on(self, me: int) -> None:
        """Wake those served and the next leader."""
        forced = self.engine.log.forced_lsn
        broken = self.engine.error_for("") is not None
        with self._mutex:
            if self._leader == me:
                served: list[Gate] = []
                left: list[Follower] = []
                for follower in self._followers:
                    if broken or follower.lsn <= forced:
                        served.append(follower.gate)
                    else:
                        left.append(follower)
                leader = 0
                if left:
                    leader = left[0].who
                    served.append(left[0].gate)
                    del left[0]
                # Nothing is called from here on, so nothing can come between.
                self._wakes += served
                self._followers = left
                self._leader = leader
        wakes = self._wakes
        while wakes:
            gate = wakes[-1]
            del wakes[-1]
            gate.lock.release()

    def _force_once(self, lsn: int) -> None:
        engine = self.engine
        interrupted = False
        try:
            with self.lock:
                error = engine.error_for("")
                if error is not None:
                    raise error
                if lsn > engine.log.end_lsn:
                    # It would never come, and this would look for it for ever.
                    engine.break_down(
                        f"LSN {lsn} is to be forced, beyond the end of the log at "
                        f"{engine.log.end_lsn}"
                    )
                    raise engine.kernel.ending_error("")
                interrupted = True  # until it is all done
                batch = engine.log.take()
            if batch is not None:
                with self.files_lock:
                    self._write(batch)
            interrupted = False
        except MQError:
            interrupted = False
            raise
        finally:
            if interrupted:
                # In the middle: what is on disk is as unknown as after a failure.
                with self.lock:
                    engine.break_down("a force of the log was interrupted")

    def _write(self, batch: LogBatch) -> None:
        engine = self.engine
        # ORDER: nothing touches the log's files after a failed force, which may have come while
        # this waited for their lock.
        broken = engine.error_for("")
        if broken is not None:
            raise broken
        try:
            begun_ns = engine.clock.monotonic_ns()
            engine.files.write(batch)
            took_ns = engine.clock.monotonic_ns() - begun_ns
            # Inside: the thread that saves the control file holds this lock and must find LSN and
            # gap of one batch, not of two.
            with self.lock:
                engine.log.forced(batch)
                self.forces += 1
                blocks = (batch.end_lsn - batch.start_lsn) // BLOCK_BYTES
                engine.kernel.meter.log.wrote(blocks, took_ns, engine.clock.now_ns())
        except (ForceFailed, IntegrityError) as failure:
            # The first failed force stops the queue manager: nothing is acknowledged after it.
            with self.lock:
                engine.break_down(str(failure))
            raise engine.kernel.ending_error("") from failure
