"""Arguments that say how Spark reaches a queue manager, as the options of source and sink `mq`."""

from __future__ import annotations

import argparse
from typing import Final

from ternmq.cli.arguments import CommandLine

# Argument, option of the source and sink, what it is.
_ARGUMENTS: Final = (
    ("-m", "queueManager", "QMGR", "the queue manager; the default one if left out"),
    ("--conn-name", "connName", "HOST(PORT)", "where it listens; with --channel"),
    ("--channel", "channel", "NAME", "its server-connection channel"),
    ("--ccdt", "ccdtUrl", "FILE", "a client channel definition table instead"),
    ("--path", "path", "FOLDER", "data folder of a queue manager on this machine"),
    ("-u", "user", "USER", "the user that connects"),
    ("--password-file", "passwordFile", "FILE", "a file that has the password"),
    ("--password-env", "passwordEnv", "NAME", "an environment variable that has it"),
)


def add_connection(line: CommandLine) -> None:
    """Let a command take them."""
    group = line.add_argument_group("the queue manager")
    for flag, option, shown, about in _ARGUMENTS:
        group.add_argument(flag, dest=f"mq_{option}", metavar=shown, default="", help=about)
    group.add_argument(
        "--option",
        dest="mq_options",
        metavar="NAME=VALUE",
        type=_pair,
        action="append",
        default=[],
        help="any other option of the source and sink mq: cipherSpec, keyRepository ...",
    )


def connection_of(asked: argparse.Namespace) -> dict[str, str]:
    """The options that were given."""
    given = {option: getattr(asked, f"mq_{option}") for _, option, _, _ in _ARGUMENTS}
    return {name: value for name, value in given.items() if value} | dict(asked.mq_options)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not an option; cipherSpec=ANY_TLS12 is")
    return name, value
