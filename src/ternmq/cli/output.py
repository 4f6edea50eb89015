"""What commands write: lines, errors, JSON. The one file of the package that knows the terminal."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterable
from io import TextIOWrapper
from typing import Final, Self, final

from ternmq.base.visible_text import visible

_C1: Final = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_SEVERITY: Final = re.compile(r"^(AMQ[0-9]{4})[IWEST]:")


def show_every_character() -> None:
    """Characters that the encoding of the terminal lacks are written as codes (\\xfc): none ends a
    command that has done its work."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def shown(line: str) -> str:
    """The line as people asked for it: AMQ_DIAGNOSTIC_MSG_SEVERITY=0 is set for scripts from when
    message identifiers had no letter."""
    if line.startswith("AMQ") and os.environ.get("AMQ_DIAGNOSTIC_MSG_SEVERITY") == "0":
        return _SEVERITY.sub(r"\1:", line)
    return line


def write(line: str = "") -> None:
    """One line to standard output."""
    sys.stdout.write(f"{shown(line)}\n")


def write_lines(lines: Iterable[str]) -> None:
    """Line after line."""
    for line in lines:
        sys.stdout.write(f"{shown(line)}\n")


def write_now(line: str) -> None:
    """One line that must be seen at once, because what comes next may take long."""
    sys.stdout.write(f"{shown(line)}\n")
    sys.stdout.flush()


@final
class _ErrorLines:
    """Whether the command that runs was given `-z`."""

    suppressed = False


def suppress_errors(suppressed: bool) -> None:
    """`-z`: error messages are not written; the exit status alone reports the failure."""
    _ErrorLines.suppressed = suppressed


def write_error(line: str) -> None:
    """One line to standard error, unless `-z` suppresses it."""
    if _ErrorLines.suppressed:
        return
    sys.stdout.flush()
    sys.stderr.write(f"{visible(shown(line))}\n")  # names may be others' to choose


def write_json(value: object) -> None:
    """What `--json` answers: one value, for programs instead of eyes. Control characters above
    ASCII, which JSON leaves as they are, are escaped too: it may be shown on a terminal."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    sys.stdout.write(_C1.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n")


def has_terminal() -> bool:
    """Whether somebody types and reads: neither input nor output is a file or a pipe."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def terminal_columns() -> int:
    """How wide lines for eyes may be; 0: as wide as they are, for no terminal shows them."""
    return shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else 0


class TerminalLine:
    """One line of standard error that is written over, and gone in the end."""

    def __init__(self) -> None:
        self._width = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()

    def write_over(self, text: str) -> None:
        """This stands there now."""
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = max(len(text), self._width)


@final
class Progress(TerminalLine):
    """How far a long file is, on a terminal; nothing elsewhere, and nothing for a short one."""

    STEP_S: Final = 0.5

    def __init__(self, name: str, total: int) -> None:
        super().__init__()
        self._name: Final = name
        self._total: Final = total  # bytes; 0 if not known
        self._is_shown: Final = sys.stderr.isatty()
        self._begun: Final = time.monotonic()
        self._next = self._begun + self.STEP_S

    def at(self, done: int) -> None:
        """So many bytes are done."""
        if not self._is_shown:
            return
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self.STEP_S
        share = f"{100 * done // self._total:3}% " if self._total else ""
        rate = done / 1e6 / (now - self._begun)
        text = f"{self._name}: {share}{done / 1e6:.0f} MB, {rate:.0f} MB/s"
        self.write_over(text)
