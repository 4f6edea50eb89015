"""rcrmqobj: recreates objects from their media images and the log since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base.errors import MQError, mq_error
from ternmq.base.message_table import message_line
from ternmq.base.object_types import LOCAL
from ternmq.base.reasons import MQRC_UNKNOWN_OBJECT_NAME
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control import tool_status
from ternmq.cli.control.object_words import matches, types_of
from ternmq.cli.output import write, write_json

if TYPE_CHECKING:
    from ternmq.api.connection import Connection

ABOUT: Final = "recreate objects from their media images"


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("rcrmqobj", ABOUT, tool_status.BAD_ARGUMENTS)
    line.add_suppress()
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    line.add_argument("-t", metavar="TYPE", required=True, help="the type of the objects, or all")
    line.add_argument("name", nargs="?", default="*", help="their name; it may end in *")
    line.add_json()
    asked = line.parse_args(argv)
    try:
        wanted = types_of(asked.t)
    except ValueError as error:
        line.error(str(error))
    made: list[str] = []
    status = tool_status.OK
    try:
        with attach.attach_admin(asked.m, "rcrmqobj") as connection:
            for name in _names(connection, wanted, asked.name):
                try:
                    connection.recreate(name)
                except MQError as error:
                    status = tool_status.refused(error, asked.m, "qlocal")
                    continue
                made.append(name)
                if not asked.json:
                    write(message_line("AMQ7081I", (name, "qlocal")))
    except MQError as error:
        return tool_status.refused(error, asked.m, asked.t)
    if asked.json:
        write_json({"recreated": [{"name": name, "type": "qlocal"} for name in made]})
    return status


def _names(connection: Connection, wanted: int, pattern: str) -> list[str]:
    """The local queues that are meant: all other objects are in the catalog, which the start of
    the queue manager recreates by itself."""
    if wanted & LOCAL and not pattern.endswith("*"):
        return [pattern]
    found = [
        one.name
        for one in connection.object_files()
        if one.type & wanted & LOCAL and matches(one.name, pattern)
    ]
    if not found:
        write(message_line("AMQ7080W"))
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb="rcrmqobj", object=pattern)
    return found
