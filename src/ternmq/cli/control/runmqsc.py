"""runmqsc: MQSC commands from standard input, a file or a terminal, for a running queue manager.

The report goes to standard output: an echo of each command (unless -e), its answers, and how many
were read, could not be understood and could not be done. With -v they are only checked, with -c
they go over the network, with -w by message to the command server of another queue manager. Exit
status: 0 everything was done, 10 something failed, 20 nothing could be run.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from io import TextIOWrapper
from typing import Final, Protocol

from ternmq.admin.mqsc.lexer import CommandReader, Source, SyntaxFault
from ternmq.admin.mqsc.parser import SYNTAX_MESSAGES, fault_answer, parse
from ternmq.admin.mqsc.printer import answer_json, answer_lines, echo_lines, summary_lines
from ternmq.base.errors import MQError
from ternmq.cli.arguments import QMGR_OR_DEFAULT, CommandLine
from ternmq.cli.control import tool_status
from ternmq.cli.output import write, write_error, write_json, write_lines
from ternmq.values.command import Answer

ALL_DONE: Final = 0
SOME_FAILED: Final = 10
COULD_NOT_RUN: Final = 20
BANNER: Final = "TernMQ script commands (MQSC)."
_REFUSED: Final = {  # options of IBM MQ
    "n": "client channel tables are files of JSON, and are edited as such",
    "x": "z/OS queue managers are not supported",
}
_NOT_DECODED: Final = "\N{REPLACEMENT CHARACTER}"
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
        self._answered: list[dict[str, object]] = []
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
            answered = [answer_json(answer) for answer in answers]
            self._answered.append({"command": source.text.strip(), "answers": answered})
            return
        for answer in answers:
            write_lines(answer_lines(answer))
        sys.stdout.flush()

    def end(self, checked_only: bool) -> int:
        """The foot, and the exit status."""
        if self._as_json:
            counts = {"read": self.read, "syntaxErrors": self.faulty, "failed": self.failed}
            write_json({"commands": self._answered, **counts})
        else:
            lines = summary_lines(self.read, self.faulty, self.failed)
            write_lines(lines[:2] if checked_only else lines)
        return SOME_FAILED if self.faulty or self.failed else ALL_DONE


def main(argv: list[str]) -> int:
    """The command."""
    given = _arguments().parse_args(argv)
    problem = _misfit(given)
    if problem:
        write_error(f"runmqsc: {problem}; nothing was run")
        return COULD_NOT_RUN
    if given.file is not None and not os.access(given.file, os.R_OK):
        write_error(f"runmqsc: the file {given.file} cannot be read")
        return COULD_NOT_RUN
    if given.verify:
        return run(None, given.qmgr, _lines(given.file), Report(not given.quiet, given.json))
    from ternmq.cli.attach import attach

    try:
        via = given.m if given.w else given.qmgr
        with attach(via, "runmqsc", given.user, given.c) as connection:
            if not given.w:
                return _run_on(connection, given)
            from ternmq.cli.control.indirect_mqsc import IndirectMqsc

            with IndirectMqsc(connection, given.qmgr, given.w) as indirect:
                return _run_on(indirect, given)
    except MQError as error:
        tool_status.refused(error, given.qmgr)
        return COULD_NOT_RUN
    except BrokenPipeError:
        raise  # the reader of the output has ended
    except OSError as problem:
        write_error(f"runmqsc: {problem}")
        return COULD_NOT_RUN


def _misfit(given: argparse.Namespace) -> str:
    """What is wrong with the options together, or cannot be done."""
    for option, why in _REFUSED.items():
        if getattr(given, option):
            return f"-{option}: {why}"
    if given.m and not given.w:
        return "-m goes with -w alone"
    if given.w and given.c:
        return "-c does not go with -w"
    return ""


def _run_on(connection: Administered, given: argparse.Namespace) -> int:
    if given.file is None and sys.stdin.isatty():
        from ternmq.cli.control.mqsc_terminal import typed_lines

        _take_any_bytes()
        lines = typed_lines(connection.name, connection.mqsc)
    else:
        lines = _lines(given.file)
    return run(connection, connection.name, lines, Report(not given.quiet, given.json))


def _wait_seconds(text: str) -> int:
    seconds = int(text)
    if not 1 <= seconds <= 999_999:
        raise ValueError(text)
    return seconds


def _arguments() -> CommandLine:
    line = CommandLine("runmqsc", "Run MQSC commands on a queue manager.", COULD_NOT_RUN)
    line.add_argument("-e", dest="quiet", action="store_true", help="no echo of the commands")
    line.add_argument("-v", dest="verify", action="store_true", help="check only, do nothing")
    line.add_argument("-u", dest="user", default="", metavar="USER", help="asks for the password")
    line.add_argument("-c", action="store_true", help="as a client, over the network")
    line.add_argument(
        "-w", type=_wait_seconds, default=0, metavar="SECONDS",
        help="by message to QMgrName; wait so long for answers",
    )  # fmt: skip
    line.add_argument("-m", default="", metavar="QMGR", help="with -w: by way of this one")
    for option in ("n", "x"):
        line.add_argument(f"-{option}", action="store_true", help=argparse.SUPPRESS)
    line.add_argument("-f", dest="file", metavar="FILE", help="read from FILE")
    line.add_argument("qmgr", nargs="?", default="", metavar="QMgrName", help=QMGR_OR_DEFAULT)
    line.add_json()
    return line


def _lines(path: str | None) -> Iterator[str]:
    if path is None:
        _take_any_bytes()
        yield from sys.stdin
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        yield from file


def _take_any_bytes() -> None:
    """What cannot be decoded is marked, and `_answers` refuses the command that has it."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")


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
    at = text.find(_NOT_DECODED)
    if at >= 0:
        return [fault_answer(SyntaxFault(text, at, "it has bytes that are not UTF-8"))]
    if connection is not None:
        return connection.mqsc(text)
    try:
        parse(text)
    except SyntaxFault as fault:
        return [fault_answer(fault)]
    return []
