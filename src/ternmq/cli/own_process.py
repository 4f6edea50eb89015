"""Whether this process is a command's own, so that what the command does to it harms nobody.

A program that was started as `ternmq ...` is; one that imports `main` and calls it, as tests do, is
not.
"""

from __future__ import annotations

from typing import Final

_IS_OWN: Final = [False]


def is_own_process() -> bool:
    """Whether the process was started for a command."""
    return _IS_OWN[0]


def set_own_process() -> None:
    """Called by the entries of programs."""
    _IS_OWN[0] = True
