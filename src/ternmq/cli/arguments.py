"""Command lines as MQ's commands have them: `-lp 3`, `-m QM1`, options before or after the name.

No abbreviations, and a usage error ends with the exit status that scripts know, not Python's.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final, NoReturn

from ternmq.cli.output import suppress_errors, write_error

BAD_ARGUMENTS: Final = 39  # what most commands end with; dspmq and its kind have 36


PORT_MAX: Final = 65_535


def port(text: str) -> int:
    """A TCP port as an argument; 0 is one that the system chooses."""
    if not text.isdecimal() or int(text) > PORT_MAX:
        raise argparse.ArgumentTypeError(f"a port is 0 to {PORT_MAX}, not {text}")
    return int(text)


class _Suppress(argparse.Action):
    """`-z` takes effect where it stands, so that it also covers wrong arguments after it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[str] | None,
        option_string: str | None = None,
    ) -> None:
        suppress_errors(True)


class CommandLine(argparse.ArgumentParser):
    """The parser of one command."""

    def __init__(self, name: str, about: str, bad_arguments: int = BAD_ARGUMENTS) -> None:
        super().__init__(
            prog=name,
            description=about,
            allow_abbrev=False,
            add_help=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self._bad_arguments = bad_arguments
        self.add_argument("-?", "--help", action="help", help="show this and do nothing")

    def error(self, message: str) -> NoReturn:
        """Write what is wrong with the arguments, and end."""
        write_error(f"{self.prog}: {message}")
        write_error(self.format_usage().rstrip())
        raise SystemExit(self._bad_arguments)

    def add_suppress(self) -> None:
        """`-z` of IBM's control commands: no error messages."""
        self.add_argument("-z", nargs=0, action=_Suppress, help="suppress error messages")

    def add_json(self) -> None:
        """`--json`: every listing has it."""
        self.add_argument("--json", action="store_true", help="for programs instead of eyes")
