"""dmpmqmsg: copies or moves messages between queues and files.

`-i Q` copies, `-I Q` takes them off, `-f FILE` reads or writes a file, `-o Q` puts. What is taken
off a queue leaves it only when it is safe elsewhere: in a file that is forced, or on the other
queue, in the same unit of work.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, TextIO

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control.message_choice import EBCDIC, Choice
from ternmq.cli.control.message_file import (
    HEX,
    LINE,
    STRING,
    WIDTH_DEFAULT,
    FiledMessage,
    MessageFileError,
    data_lines,
    descriptor_lines,
    read_messages,
)
from ternmq.cli.control.message_treatment import Pace, stripped
from ternmq.cli.output import write_error, write_json
from ternmq.values.message import Message

if TYPE_CHECKING:
    from ternmq.api.connection import Connection
    from ternmq.api.queue import Queue

ABOUT: Final = "copy or move messages between queues and files"
FAILED: Final = 1
UNIT_DEFAULT: Final = 200
_WHOLE: Final = mq.MQGMO_PROPERTIES_FORCE_MQRFH2  # what is filed loses nothing
_CONTEXTS: Final = {
    "A": mq.MQPMO_SET_ALL_CONTEXT,
    "I": mq.MQPMO_SET_IDENTITY_CONTEXT,
    "a": mq.MQPMO_SET_ALL_CONTEXT,  # to pass it on comes to the same: the message has it all
    "i": mq.MQPMO_SET_IDENTITY_CONTEXT,
    "d": mq.MQPMO_DEFAULT_CONTEXT,
    "n": mq.MQPMO_NO_CONTEXT,
}


class Counts:
    """What was read and written."""

    def __init__(self) -> None:
        self.files_in = self.messages_in = self.bytes_in = 0
        self.files_out = self.messages_out = self.bytes_out = 0
        self.lengths: list[int] = []


def main(argv: list[str]) -> int:
    """Run the command."""
    line = _command_line()
    asked = line.parse_args(argv)
    if not (asked.i or asked.I) and not (asked.f or asked.F):
        line.error("a source is needed: -i or -I with a queue, or -f with a file")
    if (asked.i and asked.I) or (asked.f and asked.F):
        line.error("-i and -I, -f and -F exclude each other")
    try:
        choice = _choice(asked)
        pace = Pace(asked.D)
    except ValueError as error:
        line.error(str(error))
    counts = Counts()
    try:
        Copying(asked, choice, counts, pace).run()
    except (MQError, MessageFileError, OSError) as error:
        write_error(f"dmpmqmsg: {error}")
        _report(asked, counts)
        return FAILED
    _report(asked, counts)
    return 0


def _command_line() -> CommandLine:
    line = CommandLine("dmpmqmsg", ABOUT)
    add = line.add_argument
    add("-m", metavar="QMGR", default="", help="the queue manager")
    add("-i", metavar="QUEUE", help="the source, which keeps its messages")
    add("-I", metavar="QUEUE", help="the source, whose messages are taken off")
    add("-o", metavar="QUEUE", help="the queue to put to")
    add("-f", metavar="FILE", help="a file; stdout; with %%n in its name one file a message")
    add("-F", metavar="FILE", help="the same, replaced if it is there")
    add("-a", metavar="MODE", default="", choices=["", "a", "b", "ab"], help="a: append to it")
    add("-C", metavar="CONTEXT", default="A", choices=list(_CONTEXTS), help="A, I, a, i, d or n")
    add("-c", action="store_true", help="as a client, over the network")
    add("-u", metavar="USER", default="", help="asks for the password")
    add("-h", action="store_true", help="take dead-letter and transmission headers off")
    add("-P", metavar="CCSID", type=int, default=0, help="convert text of the queue to this")
    add("-D", metavar="DELAY", default="0", help="milliseconds, -milliseconds at random, r percent")
    add("-d", metavar="DISPLAY", action="append", default=[], help="a A c p t H i N s M C w<n>")
    add("-g", metavar="ID", action="append", default=[], help="[x]m, c or g and an identifier")
    add("-p", action="store_true", help="also take what is not copied off the source")
    add("-q", action="store_true", help="say nothing")
    add("-r", metavar="RANGE", help="x, x..y, x#y or #x")
    add("-t", metavar="N", type=int, default=UNIT_DEFAULT, help="messages in a unit of work")
    add("-T", metavar="AGE", help="[[[DD:]HH:]MM][,[[DD:]HH:]MM]")
    add("-w", metavar="SECONDS", type=float, default=0.0, help="how long to wait for messages")
    for letter, what in (("s", "text"), ("e", "EBCDIC text"), ("x", "hexadecimal")):
        add(f"-{letter}", metavar="DATA", help=f"messages whose data holds this {what}")
        add(f"-{letter.upper()}", metavar="DATA", help=f"those that do not hold this {what}")
    line.add_json()
    return line


def _choice(asked: argparse.Namespace) -> Choice:
    choice = Choice()
    if asked.r:
        choice.set_range(asked.r)
    for one in asked.g:
        choice.set_id(one)
    if asked.T:
        choice.set_age(asked.T)
    for letter, chosen in (("s", choice.holding), ("S", choice.not_holding)):
        _add(chosen, getattr(asked, letter), "utf-8")
    for letter, chosen in (("e", choice.holding), ("E", choice.not_holding)):
        _add(chosen, getattr(asked, letter), EBCDIC)
    for letter, chosen in (("x", choice.holding), ("X", choice.not_holding)):
        if getattr(asked, letter):
            chosen.append(bytes.fromhex(getattr(asked, letter)))
    return choice


def _add(chosen: list[bytes], text: str | None, encoding: str) -> None:
    if text:
        chosen.append(text.encode(encoding))


class Copying:
    """One run: from a source, through a choice, to a target."""

    def __init__(
        self, asked: argparse.Namespace, choice: Choice, counts: Counts, pace: Pace
    ) -> None:
        self.asked = asked
        self.choice = choice
        self.counts = counts
        self.pace = pace
        self.shown = "".join(asked.d)
        self.file_name: str = asked.f or asked.F or ""
        self.from_queue: str = asked.i or asked.I or ""
        self.to_file = bool(self.file_name and self.from_queue)
        self._stack = ExitStack()
        self._out: TextIO | None = None
        self._target: Queue | None = None
        self._connection: Connection | None = None

    def run(self) -> None:
        """Copy all that is wanted."""
        with self._stack:
            if self.from_queue or self.asked.o:
                self._connection = attach.attach(
                    self.asked.m, "dmpmqmsg", self.asked.u, self.asked.c
                )
                self._stack.enter_context(self._connection)
            if self.asked.o and self._connection is not None:
                self._target = self._connection.queue(self.asked.o)
                self._stack.enter_context(self._target)
            in_unit = 0
            for place, message in enumerate(self._source(), 1):
                wanted = self.choice.wants(place, message.descriptor, message.data)
                if wanted:
                    self.pace.wait(message.descriptor)
                    self._write(stripped(message) if self.asked.h else message)
                in_unit += 1
                if in_unit >= self.asked.t:
                    self._end_unit()
                    in_unit = 0
            self._end_unit()

    # ---- from

    def _source(self) -> Iterator[FiledMessage]:
        if self.from_queue:
            yield from self._from_queue()
        else:
            yield from self._from_files()

    def _from_queue(self) -> Iterator[FiledMessage]:
        connection = self._connection
        if connection is None:
            return
        with connection.queue(self.from_queue) as queue:
            if self.asked.I and not self._is_partial():
                connection.begin()
                yield from self._taken(connection, queue)
                return
            for place, message in enumerate(queue.browse(options=_WHOLE), 1):
                if self.choice.beyond(place) and not self.asked.p:
                    return
                self._count_in(len(message.data))
                yield self._as_asked(message)
                wanted = self.choice.wants(place, message.descriptor, message.data)
                if self.asked.p or (self.asked.I and wanted):
                    if not connection.in_unit:
                        connection.begin()
                    queue.try_get(token=message.token)

    def _is_partial(self) -> bool:
        """Some messages stay: they must be looked at before they are taken."""
        choice = self.choice
        everything = Choice()
        return vars(choice) != vars(everything)

    def _taken(self, connection: Connection, queue: Queue) -> Iterator[FiledMessage]:
        while True:
            if not connection.in_unit:
                connection.begin()
            message = queue.try_get(wait=self.asked.w, options=_WHOLE)
            if message is None:
                return
            self._count_in(len(message.data))
            yield self._as_asked(message)

    def _as_asked(self, message: Message) -> FiledMessage:
        if self.asked.P:
            message.convert(self.asked.P, mq.MQENC_NATIVE)
        return FiledMessage(message.descriptor, message.data)

    def _from_files(self) -> Iterator[FiledMessage]:
        for name in _numbered(self.file_name):
            self.counts.files_in += 1
            with open(name, encoding="utf-8", errors="surrogateescape") as file:
                for message in read_messages(iter(file)):
                    self._count_in(len(message.data))
                    yield message

    def _count_in(self, length: int) -> None:
        self.counts.messages_in += 1
        self.counts.bytes_in += length

    # ---- to

    def _write(self, message: FiledMessage) -> None:
        if self._target is not None:
            self._put(self._target, message)
        elif self.to_file:
            self._file(message)
        else:
            self.counts.lengths.append(len(message.data))
            return
        self.counts.messages_out += 1
        self.counts.bytes_out += len(message.data)
        self.counts.lengths.append(len(message.data))

    def _put(self, target: Queue, message: FiledMessage) -> None:
        connection = self._connection
        if connection is not None and not connection.in_unit:
            connection.begin()
        md = message.descriptor
        if md is None:
            target.put(message.data)
            return
        md = md.copy()
        md.backout_count = 0
        target.put(message.data, descriptor=md, options=_CONTEXTS[self.asked.C])

    def _file(self, message: FiledMessage) -> None:
        out = self._opened()
        if "i" in self.shown:
            out.write(f"* Index {self.counts.messages_out + 1}\n")
        if "N" in self.shown or message.descriptor is None:
            lines = ["N"]
        else:
            lines = descriptor_lines(message.descriptor, characters="c" in self.shown)
        lines += data_lines(message.data, self._form(), self._width(), "a" in self.shown)
        out.write("\n".join(lines) + "\n\n")

    def _form(self) -> str:
        for letter, form in (("p", STRING), ("A", STRING), ("t", LINE)):
            if letter in self.shown:
                return form
        return HEX

    def _width(self) -> int:
        for one in self.asked.d:
            digits = one.partition("w")[2]
            if digits.isdigit() and int(digits) > 1:
                return int(digits)
        return WIDTH_DEFAULT

    def _opened(self) -> TextIO:
        many = "%n" in self.file_name
        if self._out is not None and not many:
            return self._out
        if self._out is not None:
            self._force()
        self.counts.files_out += 1
        if self.file_name == "stdout":
            self._out = sys.stdout
            return sys.stdout
        name = self.file_name.replace("%n", str(self.counts.files_out))
        mode = "a" if "a" in self.asked.a else "w" if self.asked.F else "x"
        out: TextIO = io.TextIOWrapper(
            open(name, f"{mode}b"),  # noqa: SIM115
            encoding="utf-8",
            errors="surrogateescape",
        )
        self._stack.callback(out.close)
        self._out = out
        if "H" not in self.shown:
            out.write("* TernMQ dmpmqmsg\n")
            if self.asked.m:
                out.write(f"* Qmgr  = {self.asked.m}\n")
            out.write(f"* Queue = {self.from_queue}\n\n")
        return out

    def _force(self) -> None:
        out = self._out
        if out is not None:
            out.flush()
            if out is not sys.stdout:
                os.fsync(out.fileno())

    def _end_unit(self) -> None:
        """ORDER: what was written to a file is forced before its source forgets it."""
        self._force()
        connection = self._connection
        if connection is not None and connection.in_unit:
            connection.commit()


def _numbered(name: str) -> Iterator[str]:
    """The files of a series; without %n, the one file."""
    if "%n" not in name:
        yield name
        return
    number = 1
    while os.path.exists(name.replace("%n", str(number))):
        yield name.replace("%n", str(number))
        number += 1


def _report(asked: argparse.Namespace, counts: Counts) -> None:
    if asked.json:
        write_json(
            {
                "read": {
                    "files": counts.files_in,
                    "messages": counts.messages_in,
                    "bytes": counts.bytes_in,
                },
                "written": {
                    "files": counts.files_out,
                    "messages": counts.messages_out,
                    "bytes": counts.bytes_out,
                },
            }
        )
        return
    if asked.q:
        return
    for what, files, messages, size in (
        ("Read   ", counts.files_in, counts.messages_in, counts.bytes_in),
        ("Written", counts.files_out, counts.messages_out, counts.bytes_out),
    ):
        write_error(f"{what} - Files:{files:4d}  Messages:{messages:6d}  Bytes:{size:10d}")
