"""amqsmon: shows statistics and accounting messages, as MQ's sample does.

Messages that the filters leave out stay on the queue; the others are taken, unless -b only looks.
The exit status is 0 if there was a record, 1 if there was none, 255 if something failed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ternmq.admin.events.event_text import unpack_event
from ternmq.base import constants as mq
from ternmq.base.errors import MQError, NoMessage
from ternmq.base.visible_text import visible_in_line
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_error, write_json, write_lines
from ternmq.cli.samples.sample import SampleEnds, connected
from ternmq.codec.pcf.parameter import CFGR, Parameter
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.telemetry.pcf import pcf_rows
from ternmq.telemetry.pcf.measurement_text import NAMES, PARAMETERS, mentions, record_lines

if TYPE_CHECKING:
    from ternmq.api.queue import Queue

ABOUT: Final = "show statistics and accounting messages"
NOTHING: Final = 1
FAILED: Final = 255
_QUEUES: Final = {
    "statistics": "SYSTEM.ADMIN.STATISTICS.QUEUE",
    "accounting": "SYSTEM.ADMIN.ACCOUNTING.QUEUE",
}
_ANY: Final = ""
_OF_MQI: Final = (pcf_rows.MQI_STATISTICS, pcf_rows.MQI_ACCOUNTING)
_OF_QUEUES: Final = (pcf_rows.QUEUE_STATISTICS, pcf_rows.QUEUE_ACCOUNTING)
_OF_CHANNELS: Final = (pcf_rows.CHANNEL_STATISTICS,)


def command_line() -> CommandLine:
    """Options as those of the sample."""
    line = CommandLine("amqsmon", ABOUT, FAILED)
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    line.add_argument("-t", choices=sorted(_QUEUES), required=True, help="which messages")
    only = line.add_mutually_exclusive_group()
    only.add_argument("-a", action="store_true", help="only records of the MQI")
    only.add_argument(
        "-q", metavar="QUEUE", nargs="?", const=_ANY, help="only of queues, or of one"
    )
    only.add_argument("-c", metavar="CHANNEL", nargs="?", const=_ANY, help="the same of channels")
    only.add_argument("-i", metavar="CONNECTION", help="only of the connection with this id")
    line.add_argument("-b", action="store_true", help="look only")
    line.add_argument("-d", metavar="RECORDS", type=int, default=-1, help="so many at most")
    line.add_argument("-w", metavar="SECONDS", type=float, default=0.0, help="wait so long")
    line.add_argument("-s", metavar="TIME", default="", help="from: yyyy-mm-dd hh.mm.ss, UTC")
    line.add_argument("-e", metavar="TIME", default="", help="to, the same")
    line.add_argument("-l", metavar="FIELDS", default="", help="only these: 735,QMaxDepth")
    line.add_argument("-n", metavar="QUEUE", default="", help="another queue to read from")
    line.add_argument("--client", action="store_true", help="over the network")
    line.add_json()
    return line


def main(argv: list[str]) -> int:
    """Run the sample."""
    line = command_line()
    asked = line.parse_args(argv)
    try:
        fields = _fields(asked.l)
        choice = Choice(asked)
    except ValueError as wrong:
        line.error(str(wrong))
    shown = 0
    try:
        with connected(asked.m, "amqsmon", asked.client) as connection:
            name = asked.n or _QUEUES[asked.t]
            options = mq.MQOO_BROWSE | mq.MQOO_FAIL_IF_QUIESCING
            if not asked.b:
                options |= mq.MQOO_INPUT_AS_Q_DEF
            with connection.queue(name, options=options) as queue:
                for message in _chosen(queue, choice, asked):
                    _show(message, fields, choice.object_name, as_json=asked.json)
                    shown += 1
    except SampleEnds:
        return FAILED
    except MQError as error:
        write_error(f"amqsmon: {error}")
        return FAILED
    if not asked.json:
        write(f"{shown} Records Processed.")
    return 0 if shown else NOTHING


def _fields(text: str) -> frozenset[int]:
    """Parameters by number, as the sample has it, or by name."""
    found: set[int] = set()
    for word in text.split(","):
        if word.isdecimal():
            found.add(int(word))
        elif word in PARAMETERS:
            found.add(PARAMETERS[word])
        elif word:
            raise ValueError(f"-l: there is no field {word}")
    return frozenset(found)


class Choice:
    """Which messages are asked for."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.commands: tuple[int, ...] = ()
        self.object_name = asked.q or asked.c or ""
        self.connection = b""
        self.since = _moment("-s", asked.s)
        self.until = _moment("-e", asked.e)
        if asked.a:
            self.commands = _OF_MQI
        elif asked.q is not None:
            self.commands = _OF_QUEUES
        elif asked.c is not None:
            self.commands = _OF_CHANNELS
        elif asked.i is not None:
            try:
                self.connection = bytes.fromhex(asked.i)
            except ValueError:
                raise ValueError(f"-i: {asked.i} is not a connection id") from None

    def takes(self, message: PCFMessage) -> bool:
        """Whether it is one of them."""
        if self.commands and message.command not in self.commands:
            return False
        if self.object_name and not mentions(message, self.object_name):
            return False
        if self.connection:
            values = message.find(mq.MQBACF_CONNECTION_ID)
            if values is None or values.data != self.connection.ljust(24, b"\0"):
                return False
        start = f"{_text(message, 2711)} {_text(message, 2712)}"
        end = f"{_text(message, 2707)} {_text(message, 2708)}"
        return (not self.since or start >= self.since) and (not self.until or end <= self.until)


def _moment(option: str, text: str) -> str:
    digits = text.replace("-", "").replace(".", "").replace(" ", "")
    if text and (len(text) != 19 or not digits.isdecimal() or len(digits) != 14):
        raise ValueError(f"{option}: {text} is not yyyy-mm-dd hh.mm.ss")
    return text


def _text(message: PCFMessage, parameter: int) -> str:
    found = message.find(parameter)
    return "" if found is None else found.text


def _chosen(queue: Queue, choice: Choice, asked: argparse.Namespace) -> Iterator[PCFMessage]:
    step = mq.MQGMO_BROWSE_FIRST
    left = asked.d
    while left != 0:
        options = step | mq.MQGMO_FAIL_IF_QUIESCING
        message = queue.try_get(wait=asked.w or None, options=options, syncpoint=False)
        if message is None:
            return
        step = mq.MQGMO_BROWSE_NEXT
        try:
            record = unpack_event(message.descriptor, message.data)
        except MQError as error:
            write_error(f"amqsmon: a message that is not a record: {error}")
            continue
        if record.command not in pcf_rows.MESSAGE_NAMES or not choice.takes(record):
            continue
        if not asked.b:
            try:
                queue.get(options=mq.MQGMO_MSG_UNDER_CURSOR, syncpoint=False)
            except NoMessage:
                continue  # another application has taken it
        left -= 1
        yield record


def _show(record: PCFMessage, fields: frozenset[int], name: str, *, as_json: bool) -> None:
    if as_json:
        values: dict[str, object] = {
            "MonitoringType": pcf_rows.MESSAGE_NAMES[record.command],
            **_values(record.parameters, fields),
        }
        write_json(values)
        return
    lines = record_lines(record, fields, name)
    write_lines(map(visible_in_line, lines))  # names are their users' to choose
    write()


def _values(parameters: list[Parameter], fields: frozenset[int]) -> dict[str, object]:
    found: dict[str, object] = {}
    groups: list[object] = []
    for one in parameters:
        if one.kind == CFGR:
            groups.append(_values(one.members, fields))
            found[pcf_rows.GROUP_NAMES.get(one.parameter, str(one.parameter))] = groups
        elif not fields or one.parameter in fields:
            value = one.value
            name = NAMES.get(one.parameter, str(one.parameter))
            found[name] = value.hex() if isinstance(value, bytes) else value
    return found
