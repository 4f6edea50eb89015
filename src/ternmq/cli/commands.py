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


COMMANDS: Final[tuple[Row, ...]] = (
    Row("crtmqm", "crtmqm", "create a queue manager"),
    Row("dltmqm", "dltmqm", "delete a queue manager"),
    Row("strmqm", "strmqm", "start a queue manager"),
    Row("endmqm", "endmqm", "end a queue manager"),
    Row("run", "run", "run a queue manager in the foreground", own_name=False),
    Row("dspmq", "dspmq", "show queue managers and their status"),
    Row("dspmqver", "dspmqver", "show the version of the product"),
    Row("dspmqinf", "dspmqinf", "show the configuration of a queue manager"),
    Row("addmqinf", "addmqinf", "add the configuration of a queue manager"),
    Row("rmvmqinf", "rmvmqinf", "remove the configuration of a queue manager"),
    Row("dspmqinst", "dspmqinst", "show installations"),
    Row("setmqm", "setmqm", "give a queue manager to an installation"),
    Row("runmqsc", "runmqsc", "run MQSC commands on a queue manager"),
    Row("dmpmqcfg", "dmpmqcfg", "dump the configuration of a queue manager as MQSC"),
)
BY_NAME: Final[dict[str, Row]] = {row.name: row for row in COMMANDS}


def command(row: Row) -> Callable[[list[str]], int]:
    """The function that runs a command."""
    main: Callable[[list[str]], int] = import_module(f"{PACKAGE}.{row.module}").main
    return main
