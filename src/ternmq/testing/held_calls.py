"""Calls of a simulated disk that do not come back until the test lets them: a slow disk, as the
threads of a queue manager see it.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import Final

from ternmq.testing.sim_disk import Faults

HELD_S_MAX: Final = 10.0  # so that a test that fails while it holds the disk can still end


class HeldCalls:
    """Holds every call of these kinds from `hold` on; `release` lets them all go. To be set as
    `SimDisk.faults`; `inner` is asked when a call goes on."""

    def __init__(self, calls: Collection[str] = ("datasync",), inner: Faults | None = None) -> None:
        self.calls = calls
        self.inner = inner
        self._open = threading.Event()
        self._open.set()
        self._arrived = threading.Semaphore(0)

    def __call__(self, call: str, path: str, count: int) -> int | None:
        if call in self.calls and not self._open.is_set():
            self._arrived.release()
            self._open.wait(HELD_S_MAX)
        return None if self.inner is None else self.inner(call, path, count)

    def hold(self) -> None:
        self._open.clear()

    def release(self) -> None:
        self._open.set()

    def wait_for_call(self) -> bool:
        """Until some thread is held here; False if none came in a long time."""
        return self._arrived.acquire(timeout=HELD_S_MAX)
