"""runmqsc: MQSC commands from standard input, a file or a terminal, for a running queue manager.

The report goes to standard output: an echo of each command (unless -e), its answers, and how many
were read, could not be understood and could not be done. With -v they are only checked. Exit
status: 0 everything was done, 10 something failed, 20 nothing could be run.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from typing import Final, Protocol

from ternmq.admin.command import Answer
from ternmq.admin.mqsc_lexer import CommandReader, Source, SyntaxFault
from ternmq.admin.mqsc_parser import SYNTAX_MESSAGES, fault_answer, parse
from ternmq.admin.mqsc_printer import answer_json, answer_lines, echo_lines, summary_lines
from ternmq.base.errors import MQError
from ternmq.cli import tool_status
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_error, write_json, write_lines

ALL_DONE: Final = 0
SOME_FAILED: Final = 10
COULD_NOT_RUN: Final = 20
BANNER: Final = "TernMQ script commands (MQSC)."
_LATER: Final = {  # options of IBM MQ that need channels
    "c": "client connections are not supported yet",
    "n": "client channel tables are not supported yet",
    "w": "commands to another queue manager by message are not supported yet",
    "m": "commands by way of another queue manager are not supported yet",
    "x": "z/OS queue managers are not supported",
}
ENDING_WORDS: Final = ("END", "EXIT", "QUIT")


class Administered(Protocol):
    """What MQSC is sent to: every connection, embedded or not."""

    @property
    def name(self) -> str: ...

    def mqsc(self, text: str) -> list[Answer]: ...


class Report:
    """What one run writes, and what it counts."""

    def __init__(self, echo: bool, as_json: bool) -> None:
        self._echo = echo
        self._as_json = as_json
        self._told: list[dict[str, object]] = []
        self.number = 0
        self.read = 0
        self.faulty = 0
        self.failed = 0

    def begin(self, qmgr_name: str) -> None:
        """The head."""
        if not self._as_json:
            write(BANNER)
            write(f"Starting MQSC for queue manager {qmgr_name}.")
            write()
            write()

    def echo(self, source: Source) -> None:
        """The text as it was read."""
        if source.is_command:
            self.number += 1
        if self._echo and not self._as_json:
            write_lines(echo_lines(self.number if source.is_command else 0, source.lines))

    def answers(self, source: Source, answers: list[Answer]) -> None:
        """What came of a command."""
        self.read += 1
        if any(answer.message in SYNTAX_MESSAGES for answer in answers):
            self.faulty += 1
        elif any(not answer.ok for answer in answers):
            self.failed += 1
        if self._as_json:
            told = [answer_json(answer) for answer in answers]
            self._told.append({"command": source.text.strip(), "answers": told})
            return
        for answer in answers:
            write_lines(answer_lines(answer))
        sys.stdout.flush()

    def end(self, checked_only: bool) -> int:
        """The foot, and the exit status."""
        if self._as_json:
            counts = {"read": self.read, "syntaxErrors": self.faulty, "failed": self.failed}
            write_json({"commands": self._told, **counts})
        else:
            lines = summary_lines(self.read, self.faulty, self.failed)
            write_lines(lines[:2] if checked_only else lines)
        return SOME_FAILED if self.faulty or self.failed else ALL_DONE


def main(argv: list[str]) -> int:
    """The command."""
    given = _arguments().parse_args(argv)
    for option in _LATER:
        if getattr(given, option):
            write_error(f"runmqsc: -{option}: {_LATER[option]}; nothing was run")
            return COULD_NOT_RUN
    if given.file is not None and not os.access(given.file, os.R_OK):
        write_error(f"runmqsc: the file {given.file} cannot be read")
        return COULD_NOT_RUN
    if given.verify:
        return run(None, given.qmgr, _lines(given.file), Report(not given.quiet, given.json))
    from ternmq.cli.attach import attach

    try:
        with attach(given.qmgr, "runmqsc", given.user) as connection:
            if given.file is None and sys.stdin.isatty():
                from ternmq.cli.mqsc_terminal import typed_lines

                lines = typed_lines(connection.name)
            else:
                lines = _lines(given.file)
            report = Report(not given.quiet, given.json)
            return run(connection, connection.name, lines, report)
    except MQError as error:
        tool_status.refused(error, given.qmgr)
        return COULD_NOT_RUN
    except BrokenPipeError:
        raise  # whoever read has seen enough
    except OSError as problem:
        write_error(f"runmqsc: {problem}")
        return COULD_NOT_RUN


def _arguments() -> CommandLine:
    line = CommandLine("runmqsc", "Runs MQSC commands on a queue manager.", COULD_NOT_RUN)
    line.add_argument("-e", dest="quiet", action="store_true", help="no echo of the commands")
    line.add_argument("-v", dest="verify", action="store_true", help="check only, do nothing")
    line.add_argument("-u", dest="user", default="", metavar="USER", help="asks for the password")
    for option in ("c", "n", "x"):
        line.add_argument(f"-{option}", action="store_true", help=argparse.SUPPRESS)
    for option in ("w", "m"):
        line.add_argument(f"-{option}", default="", help=argparse.SUPPRESS)
    line.add_argument("-f", dest="file", metavar="FILE", help="read from FILE")
    line.add_argument("qmgr", nargs="?", default="", metavar="QMgrName")
    line.add_json()
    return line


def _lines(path: str | None) -> Iterator[str]:
    if path is None:
        yield from sys.stdin
        return
    with open(path, encoding="utf-8") as file:
        yield from file


def run(
    connection: Administered | None, qmgr_name: str, lines: Iterator[str], report: Report
) -> int:
    """Read and carry out until the end of the input or an ending word; without a connection,
    check only."""
    report.begin(qmgr_name)
    reader = CommandReader()
    for source in _sources(reader, lines):
        report.echo(source)
        if not source.is_command:
            continue
        if source.text.strip().rstrip(";").upper() in ENDING_WORDS:
            break
        report.answers(source, _answers(connection, source.text))
    return report.end(connection is None)


def _sources(reader: CommandReader, lines: Iterator[str]) -> Iterator[Source]:
    for line in lines:
        yield from reader.feed(line)
    yield from reader.finish()


def _answers(connection: Administered | None, text: str) -> list[Answer]:
    if connection is not None:
        return connection.mqsc(text)
    try:
        parse(text)
    except SyntaxFault as fault:
        return [fault_answer(fault)]
    return []
