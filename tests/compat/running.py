"""Runs a program that was written for pymqi with one thing changed: which library it imports."""

from __future__ import annotations

import contextlib
import gc
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
    names: dict[str, object] = {"__name__": "__main__"}
    # What the program leaves behind is closed here, and not by a collector that happens to run in
    # the thread of the queue manager, which would then wait for itself.
    gc.disable()
    try:
        with contextlib.redirect_stdout(printed):
            exec(code, names)
    finally:
        sys.argv = before
        names.clear()
        gc.collect()
        gc.enable()
    return printed.getvalue()
