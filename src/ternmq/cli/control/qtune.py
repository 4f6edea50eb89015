"""qtune: shows and sets how many bytes of messages a queue keeps in memory (PBUFFER, NPBUFFER); of
a queue manager that runs, and of one that is down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import LOCAL, MODEL
from ternmq.base.reasons import MQRC_Q_MGR_NOT_AVAILABLE, MQRC_UNKNOWN_OBJECT_NAME
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control import tool_status
from ternmq.cli.control.object_words import matches
from ternmq.cli.output import write, write_lines
from ternmq.inspect.buffers import (
    NONPERSISTENT,
    PERSISTENT,
    QueueBuffers,
    buffers_json,
    buffers_lines,
    set_buffers,
    show_buffers,
    size_in_bytes,
)

if TYPE_CHECKING:
    from ternmq.api.connection import Connection
    from ternmq.values.queue_attributes import QueueAttributes

ABOUT: Final = "show and set the buffers of queues"


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("qtune", ABOUT, tool_status.BAD_ARGUMENTS)
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    line.add_argument("-p", metavar="SIZE", type=size_in_bytes, help="set that of persistent ones")
    line.add_argument("-n", metavar="SIZE", type=size_in_bytes, help="that of non-persistent ones")
    line.add_argument("name", nargs="?", default="*", help="queues; it may end in *")
    line.add_json()
    asked = line.parse_args(argv)
    given = {PERSISTENT: asked.p, NONPERSISTENT: asked.n}
    try:
        rows = _rows(asked.m, asked.name, {name: size for name, size in given.items() if size})
    except MQError as error:
        return tool_status.refused(error, asked.m, "queue")
    if asked.json:
        write(buffers_json(rows))
    else:
        write_lines(buffers_lines(rows))
    return tool_status.OK


def _rows(qmgr: str, pattern: str, given: dict[str, int]) -> list[QueueBuffers]:
    try:
        with attach.attach_admin(qmgr, "qtune") as connection:
            return _of_running(connection, pattern, given)
    except MQError as error:
        if error.reason != MQRC_Q_MGR_NOT_AVAILABLE:
            raise
    folder = attach.place_of(qmgr).folder
    if given:
        return set_buffers(
            folder,
            pattern=pattern,
            persistent=given.get(PERSISTENT),
            nonpersistent=given.get(NONPERSISTENT),
        )
    return show_buffers(folder, None, pattern)


def _of_running(connection: Connection, pattern: str, given: dict[str, int]) -> list[QueueBuffers]:
    rows: list[QueueBuffers] = []
    for one in connection.object_files():
        if not one.type & (LOCAL | MODEL) or not matches(one.name, pattern):
            continue
        if given:
            connection.alter_queue(one.name, **cast("QueueAttributes", given))
        attributes = connection.attributes(one.name)
        kind = "local" if one.type == LOCAL else "model"
        rows.append(
            QueueBuffers(
                one.name, kind, int(attributes[PERSISTENT]), int(attributes[NONPERSISTENT])
            )
        )
    if not rows:
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb="qtune", object=pattern)
    return rows
