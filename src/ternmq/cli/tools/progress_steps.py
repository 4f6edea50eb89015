"""How far a long command is: a bar on a terminal, plain lines elsewhere, on standard error."""

from __future__ import annotations

import sys
from typing import Final, final

from ternmq.cli.output import TerminalLine, terminal_columns

_BAR: Final = 20


@final
class Steps(TerminalLine):
    """A command that does so many things one after the other."""

    def __init__(self, name: str, total: int, *, quiet: bool = False) -> None:
        super().__init__()
        self._name: Final = name
        self._total: Final = max(total, 1)
        self._is_quiet: Final = quiet
        self._is_terminal: Final = sys.stderr.isatty()
        self._done = 0

    def next(self, what: str) -> None:
        """This comes now."""
        self._done = min(self._done + 1, self._total)
        if self._is_quiet:
            return
        if not self._is_terminal:
            sys.stderr.write(f"{self._name}: {what} ({self._done} of {self._total})\n")
            sys.stderr.flush()
            return
        full = _BAR * (self._done - 1) // self._total
        bar = "#" * full + "." * (_BAR - full)
        text = f"{self._name} [{bar}] {self._done}/{self._total} {what}"
        text = text[: max(terminal_columns() - 1, 1)]
        self.write_over(text)
