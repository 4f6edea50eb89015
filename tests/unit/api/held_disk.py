"""A disk whose forces wait until the test lets them go; and a loop that must not touch the disk."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from typing import Any

import pytest

HOLD_S_MAX = 10.0  # so that a test that fails while it holds the disk can still end


class HeldDisk:
    """Holds every fdatasync from `hold` on; `release` lets them all go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._real = os.fdatasync
        self._open = threading.Event()
        self._open.set()
        self._waiting = threading.Semaphore(0)
        self.error: OSError | None = None
        monkeypatch.setattr(os, "fdatasync", self._fdatasync)

    def _fdatasync(self, descriptor: int) -> None:
        if not self._open.is_set():
            self._waiting.release()
            self._open.wait(HOLD_S_MAX)
        if self.error is not None:
            raise self.error
        self._real(descriptor)

    def hold(self) -> None:
        self._open.clear()

    def release(self) -> None:
        self._open.set()

    async def force_has_begun(self) -> None:
        """Until a force waits here."""
        await asyncio.get_running_loop().run_in_executor(None, self._waiting.acquire)


def forbid_disk_in_loop(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """From now on, calls that may block inside a running loop are listed."""
    found: list[str] = []

    def watched(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if asyncio._get_running_loop() is not None:
                found.append(name)
            return real(*args, **kwargs)

        return call

    names = ("fdatasync", "fsync", "ftruncate", "open", "pread", "pwrite", "pwritev", "unlink")
    for name in names:
        monkeypatch.setattr(os, name, watched(name, getattr(os, name)))
    return found
