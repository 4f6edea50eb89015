"""Snapshots on their way to a destination, in a thread of their own: who ends an interval does not
wait until records are made of it.

Their number is bounded. What does not fit, and what a destination fails to take, is lost: counted,
told when losing begins and when it ends.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Final

from ternmq.base.errors import MQError

WAITING_MAX: Final = 4096
LOSES: Final = "AMQ7991E"  # destination, why
RESUMED: Final = "AMQ7997I"  # destination, snapshots lost
END_S: Final = 30.0

Work = Callable[[], None]


class SnapshotQueue:
    """Work for one kind of destination, done in order."""

    def __init__(
        self, name: str, tell: Callable[..., None], waiting_max: int = WAITING_MAX
    ) -> None:
        self.name = name
        self.lost = 0
        self._tell = tell
        self._waiting_max = waiting_max
        self._waiting: deque[Work] = deque()
        self._changed = threading.Condition()
        self._worker: threading.Thread | None = None  # begun with the first snapshot
        self._busy = False
        self._ending = False
        self._lost_before = 0
        self._losing = False

    def add(self, work: Work) -> None:
        """Have it done soon."""
        with self._changed:
            fits = len(self._waiting) < self._waiting_max
            if fits:
                self._waiting.append(work)
            if self._worker is None:
                name = f"ternmq-measure-{self.name}"
                self._worker = threading.Thread(target=self._run, name=name, daemon=True)
                self._worker.start()
            self._changed.notify_all()
        if not fits:
            self._lose(f"{self._waiting_max} snapshots wait for it already")

    def _lose(self, why: str) -> None:
        with self._changed:
            self.lost += 1
            begins = not self._losing
            self._losing = True
        if begins:
            self._tell(LOSES, self.name, why)

    def drain(self, wait_s: float = END_S) -> bool:
        """Wait until nothing waits; False if that takes too long."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._busy, wait_s)

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
            self._do(work)
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
            self._tell(RESUMED, self.name, lost)
