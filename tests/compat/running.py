"""Runs a program that was written for pymqi with one thing changed: which library it imports."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
_IMPORTS = (
    (re.compile(r"^import (pymqi|ibmmq)\b", re.MULTILINE), r"from ternmq.compat import \1"),
    (re.compile(r"^from (pymqi|ibmmq)\b", re.MULTILINE), r"from ternmq.compat.\1"),
)


def with_our_import(source: str) -> str:
    """The program with its import lines changed, and nothing else."""
    for pattern, ours in _IMPORTS:
        source = pattern.sub(ours, source)
    return source


def run(program: Path, *arguments: str) -> str:
    """What the program prints."""
    code = compile(with_our_import(program.read_text(encoding="utf-8")), program.name, "exec")
    printed = io.StringIO()
    before = sys.argv
    sys.argv = [program.name, *arguments]
    try:
        with contextlib.redirect_stdout(printed):
            exec(code, {"__name__": "__main__"})
    finally:
        sys.argv = before
    return printed.getvalue()
