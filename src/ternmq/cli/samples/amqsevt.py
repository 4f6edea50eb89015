"""amqsevt: shows event messages, for people or as JSON; gets them, or with -b only looks.

Without -q it reads the queues on which the queue manager puts its events. It waits for more until
it is interrupted, or for as long as -w says after the last one.
"""

from __future__ import annotations

import argparse
import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from ternmq.admin.events.event_text import event_json, event_text
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.visible_text import visible_in_line
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_error, write_lines, write_now
from ternmq.cli.samples.sample import SampleEnds, connected
from ternmq.values.message import Message

if TYPE_CHECKING:
    from ternmq.api.connection import Connection
    from ternmq.api.queue import Queue

ABOUT: Final = "show event messages"
EVENT_QUEUES: Final = tuple(
    f"SYSTEM.ADMIN.{kind}.EVENT"
    for kind in ("QMGR", "CHANNEL", "PERFM", "CONFIG", "COMMAND", "LOGGER", "PUBSUB")
)
LOOK_EVERY_S = 1.0
_GET: Final = mq.MQGMO_FAIL_IF_QUIESCING
_OPEN: Final = mq.MQOO_INPUT_SHARED | mq.MQOO_FAIL_IF_QUIESCING


def main(argv: list[str]) -> int:
    """Run the sample."""
    line = CommandLine("amqsevt", ABOUT)
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    line.add_argument(
        "-q", metavar="QUEUE", action="append", default=[], help="queues to read: A,B or twice"
    )
    line.add_argument(
        "-t", metavar="TOPIC", action="append", default=[], help="topics to subscribe to"
    )
    line.add_argument("-c", action="store_true", help="as a client, over the network")
    line.add_argument("-u", metavar="USER", default="", help="asks for the password")
    line.add_argument("-b", action="store_true", help="look only")
    line.add_argument(
        "-o",
        metavar="FORM",
        default="text",
        choices=["text", "json", "json_compact"],
        help="text, json or json_compact",
    )
    line.add_argument("-w", metavar="SECONDS", type=float, default=-1.0, help="end after so long")
    line.add_json()
    asked = line.parse_args(argv)
    as_json = asked.json or asked.o != "text"
    names = [name for one in asked.q for name in one.split(",") if name]
    try:
        with _connected(asked) as connection, ExitStack() as stack:
            queues = _subscribed(connection, asked.t, stack)
            if names or not asked.t:
                queues += _open(connection, names, stack, browse=asked.b)
            if not queues:
                return 1
            events = Events(connection, as_json, asked.o == "json_compact")
            if asked.b:
                for queue in queues:
                    for message in queue.browse():
                        events.show(queue, message)
            else:
                _get_all(events, queues, asked.w)
    except SampleEnds as end:
        return end.status
    except MQError as error:
        write_error(f"amqsevt: {error}")
        return 1
    return 0


def _connected(asked: argparse.Namespace) -> Connection:
    if not asked.u:
        return connected(asked.m, "amqsevt", asked.c)
    return attach.attach(asked.m, "amqsevt", asked.u, asked.c)


def _subscribed(connection: Connection, topics: list[str], stack: ExitStack) -> list[Queue]:
    """Where publications of topics come, until the sample ends."""
    return [stack.enter_context(connection.subscribe(topic)).queue for topic in topics]


def _open(
    connection: Connection, names: list[str], stack: ExitStack, *, browse: bool
) -> list[Queue]:
    """The queues that can be opened; of those that were not asked for by name, silence."""
    queues: list[Queue] = []
    for name in names or EVENT_QUEUES:
        try:
            queue = connection.queue(name, options=mq.MQOO_BROWSE if browse else _OPEN)
        except MQError as error:
            if names:
                write_error(f"amqsevt: {error}")
            continue
        stack.callback(queue.close)
        queues.append(queue)
    return queues


def _get_all(events: Events, queues: list[Queue], wait_s: float) -> None:
    idle_s = 0.0
    while True:
        found = False
        for queue in queues:
            while (message := queue.try_get(options=_GET, syncpoint=False)) is not None:
                events.show(queue, message)
                found = True
        if found:
            idle_s = 0.0
        if 0 <= wait_s <= idle_s:
            return
        patience_s = LOOK_EVERY_S if wait_s < 0 else min(LOOK_EVERY_S, wait_s - idle_s)
        message = queues[0].try_get(wait=patience_s, options=_GET, syncpoint=False)
        if message is None:
            idle_s += patience_s
        else:
            events.show(queues[0], message)
            idle_s = 0.0


class Events:
    """Shows them, and counts."""

    def __init__(self, connection: Connection, as_json: bool, compact: bool = False) -> None:
        self._qmgr = connection.name
        self._as_json = as_json
        self._indent = None if compact else 2
        self._count = 0

    def show(self, queue: Queue, message: Message) -> None:
        """Write one event; a message that is not PCF is reported as such."""
        self._count += 1
        md = message.descriptor
        try:
            if self._as_json:
                event = event_json(queue.name, self._qmgr, md, message.data)
                write_now(json.dumps(event, indent=self._indent, ensure_ascii=False))
            else:
                lines = event_text(self._count, queue.name, md, message.data)
                write_lines(map(visible_in_line, lines))  # names are their users' to choose
                write()
        except MQError as error:
            write_error(f"message {self._count} on {queue.name}: {error}")
