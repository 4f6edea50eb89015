"""Forcing the log for callers that wait: the first forces for all (leader and followers).

Whoever needs an LSN forced and finds nobody forcing becomes the leader: it takes what the engine
has buffered, writes and syncs it, and wakes the followers that are served. Those that came
meanwhile are the next batch; one of them leads it. Group commit follows from that shape, without a
timer.
"""

from __future__ import annotations

import threading
from typing import final

from ternmq.base.errors import ForceFailed, IntegrityError
from ternmq.engine.engine import Engine
from ternmq.ports.effect import Wakeable


class Gate(Wakeable):
    """Where a thread waits; opened once for each `shut`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()
        self.leads = False

    def wake(self) -> None:
        """Let the thread go on."""
        self._lock.release()

    def wait(self, timeout_s: float = -1.0) -> bool:
        """Wait to be woken; False if the time is over first."""
        return self._lock.acquire(True, timeout_s)


@final
class Follower:
    """Someone who waits for an LSN."""

    __slots__ = ("gate", "lsn")

    def __init__(self, lsn: int, gate: Gate) -> None:
        self.lsn = lsn
        self.gate = gate


@final
class Forcer:
    """The one way to force the log of an engine."""

    def __init__(self, engine: Engine, lock: threading.Lock) -> None:
        self.engine = engine
        self.lock = lock  # the engine's
        self.files_lock = threading.Lock()  # the log's files: one force or one effect at a time
        self._mutex = threading.Lock()
        self._leading = False
        self._followers: list[Follower] = []
        self._gates = threading.local()
        self.forces = 0

    def renew_locks(self, lock: threading.Lock) -> None:
        """In a forked child, where nobody holds any."""
        self.lock = lock
        self.files_lock = threading.Lock()
        self._mutex = threading.Lock()

    def force(self, lsn: int) -> None:
        """Return when everything below `lsn` is on disk; ForceFailed if it never will be."""
        log = self.engine.log
        while log.forced_lsn < lsn:
            self._mutex.acquire()
            if not self._leading:
                self._leading = True
                self._mutex.release()
                self.lead()
                continue
            gate = self._gate()
            gate.leads = False
            follower = Follower(lsn, gate)
            self._followers.append(follower)
            self._mutex.release()
            interrupted = True
            try:
                gate.wait()
                interrupted = False
            finally:
                if interrupted:
                    self._leave(follower)
            if gate.leads:
                self.lead()
            error = self.engine.error_for("")
            if error is not None:
                raise error

    def _leave(self, follower: Follower) -> None:
        """A follower will not be there any more; if the lead was handed to it, it has to go on."""
        self._gates.gate = None  # someone may still wake the old one
        self._mutex.acquire()
        must_lead = follower.gate.leads
        if follower in self._followers:
            self._followers.remove(follower)
        self._mutex.release()
        if must_lead:
            self.lead()

    def _gate(self) -> Gate:
        gate = getattr(self._gates, "gate", None)
        if not isinstance(gate, Gate):
            gate = Gate()
            self._gates.gate = gate
        return gate

    def lead(self) -> None:
        """Force what is buffered, then wake those served and hand on the lead."""
        try:
            self._force_once()
        finally:
            forced = self.engine.log.forced_lsn
            broken = self.engine.error_for("") is not None
            self._mutex.acquire()
            served: list[Gate] = []
            left: list[Follower] = []
            for follower in self._followers:
                if broken or follower.lsn <= forced:
                    served.append(follower.gate)
                else:
                    left.append(follower)
            if left:
                gate = left.pop(0).gate
                gate.leads = True
                served.append(gate)
            else:
                self._leading = False
            self._followers = left
            self._mutex.release()
            for gate in served:
                gate.wake()

    def _force_once(self) -> None:
        engine = self.engine
        with self.lock:
            error = engine.error_for("")
            batch = None if error is not None else engine.log.take()
        if error is not None:
            raise error
        if batch is None:
            return
        interrupted = True
        self.files_lock.acquire()
        try:
            engine.files.write(batch)
            # Inside: who saves the control file holds this lock and must find LSN and gap of one
            # batch, not of two.
            with self.lock:
                engine.log.forced(batch)
                self.forces += 1
            interrupted = False
        except (ForceFailed, IntegrityError) as failure:
            # The first failed force stops the queue manager: nothing is acknowledged after it.
            interrupted = False
            with self.lock:
                engine.break_down(str(failure))
            raise engine.kernel.ending_error("") from failure
        finally:
            if interrupted:
                # In the middle: what is on disk is as unknown as after a failure.
                with self.lock:
                    engine.break_down("a force of the log was interrupted")
            self.files_lock.release()
