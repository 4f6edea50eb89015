"""What the samples have in common: their first and last lines, how they report a failed verb, how
a program that a trigger monitor started learns its queue.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from ternmq.base.errors import MQError
from ternmq.base.visible_text import visible
from ternmq.cli import attach
from ternmq.cli.output import write, write_now
from ternmq.codec.headers.mqtmc import TriggerMessageText
from ternmq.values.message import Message

if TYPE_CHECKING:
    from ternmq.api.connection import Connection

MISSING: Final = 99  # the exit status without a needed argument
_TRIGGER_BYTES: Final = 732


class SampleEnds(Exception):
    """The sample cannot go on; what there is to say was said."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def report_failure(verb: str, error: MQError) -> None:
    """How samples report that a verb failed."""
    write_now(f"{verb} ended with reason code {error.reason}")


def started(name: str, argv: list[str], missing: str = "queue name") -> None:
    """The first line; without arguments the sample ends with it."""
    write_now(f"Sample {name} start")
    if not argv:
        write(f"Required parameter missing - {missing}")
        raise SampleEnds(MISSING)


def connected(qmgr: str, application: str, client: bool = False) -> Connection:
    """A connection; a failure is reported, and its reason is the exit status."""
    try:
        return attach.attach_sample(qmgr, application, client)
    except MQError as error:
        report_failure("MQCONNX", error)
        raise SampleEnds(error.reason & 0xFF) from error


def options_given(argv: list[str], place: int, default: int) -> int:
    """Open or close options as a decimal number among the arguments."""
    if len(argv) <= place:
        return default
    if not argv[place].isdecimal():
        write(f"{argv[place]}: options are a decimal number")
        raise SampleEnds(MISSING)
    return int(argv[place])


def shown(message: Message) -> str:
    """A message's data as samples print it. On a terminal without control characters: its sender
    must not steer that. Programs behind a pipe get what is there."""
    text = message.data.decode("utf-8", "backslashreplace")
    return visible(text).replace("\r", r"\x0d") if sys.stdout.isatty() else text


def next_line() -> bytes:
    """The next line of standard input without its end; empty at the end of the input."""
    return sys.stdin.buffer.readline().rstrip(b"\n")


def trigger(name: str, argv: list[str]) -> TriggerMessageText:
    """What a trigger monitor passes as the one argument: MQTMC2."""
    write_now(f"Sample {name} start")
    if not argv:
        write("Missing parameter - start program by MQI trigger")
        raise SampleEnds(MISSING)
    if len(argv) > 1:
        write("Extra input parameters ignored")
    packed = argv[0].encode("utf-8", "surrogateescape").ljust(_TRIGGER_BYTES)
    if packed[:4] != b"TMC ":
        write("Invalid input trigger message provided")
        raise SampleEnds(MISSING)
    return TriggerMessageText.unpack(packed[:_TRIGGER_BYTES])
