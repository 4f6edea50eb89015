"""SIGINT and SIGTERM as a wish to end what a command has begun in the queue manager's process."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, Self

LOOK_S: Final = 0.5
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class StopSignals:
    """Entered before the work begins, because a signal that comes while it begins must end it, too.

    A second signal acts as if there were no handler.
    """

    def __init__(self) -> None:
        self._has_come = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._note) for number in _SIGNALS}
        return self

    def __exit__(self, *error: object) -> None:
        self._restore()

    def wait_while(self, go_on: Callable[[], bool]) -> None:
        """Until a signal, or until `go_on` says that it is over."""
        while not self._has_come and go_on():
            time.sleep(LOOK_S)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._has_come = True
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}
