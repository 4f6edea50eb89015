"""Snapshots on their way to a destination, in a thread of their own: the thread that ends an
interval does not wait until records are made of it.

Their number is bounded. What does not fit, and what a destination fails to take, is lost and
counted; notices report when losing begins and when it ends. An unforeseen fault costs the snapshot
that led to it; the thread is begun again (`restarting`).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Final

from ternmq.base.errors import MQError
from ternmq.outlets.restarting import PAUSE_S, OnFault, RestartedTask

WAITING_MAX: Final = 4096
LOSES: Final = "AMQ7991E"  # destination, why
RESUMED: Final = "AMQ7997I"  # destination, snapshots lost
END_S: Final = 30.0

Work = Callable[[], None]


class SnapshotQueue:
    """Work for one kind of destination, done in order."""

    def __init__(
        self,
        name: str,
        log_message: Callable[..., None],
        waiting_max: int = WAITING_MAX,
        on_fault: OnFault | None = None,
        pause_s: float = PAUSE_S,
    ) -> None:
        self.name = name
        self.lost = 0
        self._log_message = log_message
        self._waiting_max = waiting_max
        self._waiting: deque[Work] = deque()
        self._changed = threading.Condition()
        self._on_fault = on_fault
        self._pause_s = pause_s
        self._worker: RestartedTask | None = None  # begun with the first snapshot
        self._busy = False
        self._ending = False
        self._lost_before = 0
        self._losing = False

    def add(self, work: Work) -> None:
        """Have it done soon."""
        with self._changed:
            why = self._refusal()
            if not why:
                self._waiting.append(work)
            if self._worker is None:
                name = f"ternmq-measure-{self.name}"
                self._worker = RestartedTask(
                    f"STATISTICS-{self.name}",
                    self._run,
                    self._log_message,
                    self._on_fault,
                    name,
                    self._pause_s,
                )
                self._worker.start()
            self._changed.notify_all()
        if why:
            self._lose(why)

    def _refusal(self) -> str:
        if self._worker is not None and self._worker.is_given_up:
            return "its task has failed too often"
        if len(self._waiting) >= self._waiting_max:
            return f"{self._waiting_max} snapshots wait for it already"
        return ""

    def _lose(self, why: str) -> None:
        with self._changed:
            self.lost += 1
            begins = not self._losing
            self._losing = True
        if begins:
            self._log_message(LOSES, self.name, why)

    def drain(self, wait_s: float = END_S) -> bool:
        """Wait until nothing waits; False if that takes too long."""
        with self._changed:
            self._changed.wait_for(self._is_through, wait_s)
            return not self._waiting and not self._busy

    def _is_through(self) -> bool:
        worker = self._worker
        is_lost = worker is not None and worker.is_given_up
        return is_lost or (not self._waiting and not self._busy)

    def end(self, wait_s: float = END_S) -> None:
        """Do what waits, then no more."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
            worker = self._worker
        if worker is not None:
            worker.join(wait_s)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._ending)
                if not self._waiting:
                    return
                work = self._waiting.popleft()
                self._busy = True
            try:
                self._do(work)
            except Exception as error:
                self._lose(f"{type(error).__name__}: {error}")
                raise
            finally:
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()

    def _do(self, work: Work) -> None:
        try:
            work()
        except (MQError, OSError) as failure:
            self._lose(str(failure))
            return
        with self._changed:
            ends = self._losing and len(self._waiting) < self._waiting_max
            lost = self.lost - self._lost_before
            if ends:
                self._losing = False
                self._lost_before = self.lost
        if ends:
            self._log_message(RESUMED, self.name, lost)
