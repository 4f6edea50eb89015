"""How many of how many are done: a bar on a terminal, plain lines elsewhere, on standard error."""

from __future__ import annotations

import sys
import time
from typing import Final, final

from ternmq.cli.output import TerminalLine

_BAR: Final = 20


@final
class Counting(TerminalLine):
    """A command that works through a known number of things."""

    LINE_S: Final = 10.0  # between two plain lines

    def __init__(self, name: str, things: str, total: int, *, quiet: bool = False) -> None:
        super().__init__()
        self._name: Final = name
        self._things: Final = things
        self._total: Final = max(total, 1)
        self._is_quiet: Final = quiet
        self._is_terminal: Final = sys.stderr.isatty()
        self._begun: Final = time.monotonic()
        self._next = self._begun
        self._first = -1

    def at(self, done: int) -> None:
        """So many are done."""
        now = time.monotonic()
        if self._is_quiet:
            return
        if self._is_terminal:
            full = _BAR * done // self._total
            text = f"{self._name} [{'#' * full}{'.' * (_BAR - full)}] {self._text(done, now)}"
            self.write_over(text)
        elif now >= self._next or done >= self._total:
            self._next = now + self.LINE_S
            sys.stderr.write(f"{self._name}: {self._text(done, now)}\n")
            sys.stderr.flush()

    def _text(self, done: int, now: float) -> str:
        if self._first < 0:
            self._first = done  # what was done before does not count as speed
        passed_s = now - self._begun
        speed = f", {(done - self._first) / passed_s:.0f} a second" if done > self._first else ""
        return f"{done} of {self._total} {self._things}{speed}"
