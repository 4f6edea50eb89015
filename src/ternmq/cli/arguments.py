"""Command lines as MQ's commands have them: `-lp 3`, `-m QM1`, options before or after the name.

No abbreviations, and a usage error ends with the exit status that scripts know, not Python's.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Final, NoReturn

from ternmq.base.similar import did_you_mean
from ternmq.cli.examples import examples_text
from ternmq.cli.output import suppress_errors, write_error

BAD_ARGUMENTS: Final = 39  # what most commands end with; dspmq and its kind have 36


PORT_MAX: Final = 65_535
_WRONG_VALUE: Final = re.compile(r"invalid (\w+) value: (.+)", re.DOTALL)
_TYPES: Final = {"int": "a whole number", "float": "a number"}
QMGR_OR_DEFAULT: Final = "the queue manager, if it is not the default one"


def port(text: str) -> int:
    """A TCP port as an argument; 0 is one that the system chooses."""
    if not text.isdecimal() or int(text) > PORT_MAX:
        raise argparse.ArgumentTypeError(f"a port is 0 to {PORT_MAX}, not {text}")
    return int(text)


def _in_words(message: str) -> str:
    """What argparse says of a value that cannot be, without the name of a type of Python."""
    return _WRONG_VALUE.sub(
        lambda found: f"{found[2]} is not {_TYPES.get(found[1], 'valid')}", message
    )


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
        words = about.rstrip()
        is_sentence = words.endswith(".") or "\n" in words  # a list below the sentence has no stop
        super().__init__(
            prog=name,
            description=f"{words[0].upper()}{words[1:]}" + ("" if is_sentence else "."),
            allow_abbrev=False,
            add_help=False,
            # An option of IBM's, such as -h of dmpmqmsg, takes the letter from the help.
            conflict_handler="resolve",
            epilog=examples_text(name.removeprefix("ternmq ")),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self._bad_arguments = bad_arguments
        self._given: list[str] = []
        self.add_argument("-?", "-h", "--help", action="help", help="show this help")

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """The arguments; kept for the text of an error."""
        self._given = list(args or ())
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Write what is wrong with the arguments, and end. `-h` alone asks for help, also where
        IBM's commands have an option of that name which needs more."""
        if self._given == ["-h"]:
            self.print_help()
            raise SystemExit(0)
        write_error(f"{self.prog}: {_in_words(message)}{self._hint(message)}")
        write_error(self.format_usage().rstrip())
        raise SystemExit(self._bad_arguments)

    def _hint(self, message: str) -> str:
        """The options that unknown ones may have meant."""
        _, unknown, rest = message.partition("unrecognized arguments: ")
        words = [word.partition("=")[0] for word in rest.split() if word.startswith("-")]
        if not unknown or not words:
            return ""
        hint = did_you_mean(words[0], self._option_string_actions)
        return f". {hint}" if hint else ""

    def add_suppress(self) -> None:
        """`-z` of IBM's control commands: no error messages."""
        self.add_argument("-z", nargs=0, action=_Suppress, help="suppress error messages")

    def add_json(self) -> None:
        """`--json`: every listing has it."""
        self.add_argument("--json", action="store_true", help="print JSON, for programs")
