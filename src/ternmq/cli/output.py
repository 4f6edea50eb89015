"""What commands write: lines, errors, JSON. The one file of the package that knows the terminal."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable
from typing import Final

_SEVERITY: Final = re.compile(r"^(AMQ[0-9]{4})[IWEST]:")


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


def write_error(line: str) -> None:
    """One line to standard error."""
    sys.stdout.flush()
    sys.stderr.write(f"{shown(line)}\n")


def write_json(value: object) -> None:
    """What `--json` answers: one value, for programs instead of eyes."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
