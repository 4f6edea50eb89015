"""What strmqm shows while a queue manager restarts: each step when it is done, and how far a long
replay of the log is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from ternmq.ports.progress import Progress

INTERVAL_S: Final = 2.0


class StartProgress(Progress):
    """Passes on the lines of restart, and from time to time how many records were replayed."""

    def __init__(self, name: str, say: Callable[[str], None]) -> None:
        self._name = name
        self._say = say
        self._said_at = time.monotonic()

    def replayed(self, records: int) -> None:
        now = time.monotonic()
        if now - self._said_at >= INTERVAL_S:
            self._said_at = now
            self._say(
                f"{records} log records accessed so far on queue manager '{self._name}' during the "
                "log replay phase."
            )

    def said(self, line: str) -> None:
        self._say(line)
