"""The table of commands: name, the module that runs it, what it is for.

Each module has `main(argv: list[str]) -> int`, which gets the words after the command's name and
returns the exit status; it is imported only when its command runs. A new row needs its line under
[project.scripts] in pyproject.toml (a test compares the two), its module and its page.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, NamedTuple

PACKAGE: Final = "ternmq.cli"


class Row(NamedTuple):
    """One command."""

    name: str
    module: str  # inside this package
    about: str
    own_name: bool = True  # also a program of its own, not only a word after `ternmq`


COMMANDS: Final[tuple[Row, ...]] = ()
BY_NAME: Final[dict[str, Row]] = {row.name: row for row in COMMANDS}


def command(row: Row) -> Callable[[list[str]], int]:
    """The function that runs a command."""
    main: Callable[[list[str]], int] = import_module(f"{PACKAGE}.{row.module}").main
    return main
