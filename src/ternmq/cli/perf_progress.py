"""How far a run of many steps is: a bar on a terminal, a line a step elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from types import TracebackType
from typing import Final, final

BAR: Final = 24


@final
class Steps:
    """Told before each step; on standard error, so that `--json` stays JSON."""

    def __init__(self) -> None:
        self._is_terminal: Final = sys.stderr.isatty()
        self._begun: Final = time.monotonic()
        self._width = 0

    def __enter__(self) -> Steps:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()

    def at(self, done: int, total: int, words: str) -> None:
        """So many steps of so many are done, and this is the next."""
        if not self._is_terminal:
            sys.stderr.write(f"{done + 1}/{total} {words}\n" if total else f"{words}\n")
            sys.stderr.flush()
            return
        spent = time.monotonic() - self._begun
        left = f", {spent / done * (total - done):.0f} s left" if done and total else ""
        full = BAR * done // total if total else 0
        bar = f"[{'#' * full}{'.' * (BAR - full)}] {done}/{total} " if total else ""
        text = f"{bar}{words}{left}"[: shutil.get_terminal_size((100, 24)).columns - 1]
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = max(self._width, len(text))
