"""rcdmqimg: writes media images of objects to a linear log. rcrmqobj recreates objects from them.

The image of a local queue is its messages; definitions of all objects are in one image, the
catalog's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base.errors import MQError
from ternmq.base.message_table import message_line
from ternmq.base.object_types import LOCAL
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control import tool_status
from ternmq.cli.control.object_words import types_of
from ternmq.cli.output import write, write_json

if TYPE_CHECKING:
    from ternmq.api.connection import Connection

ABOUT: Final = "write media images of objects to the log"
CATALOG: Final = "(catalog)"


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("rcdmqimg", ABOUT, tool_status.BAD_ARGUMENTS)
    line.add_suppress()
    line.add_argument("-l", action="store_true", help="also which log files are needed from now on")
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    line.add_argument("-t", metavar="TYPE", required=True, help="the type of the objects, or all")
    line.add_argument("name", nargs="?", default="*", help="their name; it may end in *")
    line.add_json()
    asked = line.parse_args(argv)
    try:
        wanted = types_of(asked.t)
    except ValueError as error:
        line.error(str(error))
    try:
        with attach.attach_admin(asked.m, "rcdmqimg") as connection:
            recorded = _record(connection, wanted, asked.name)
            if asked.json:
                write_json({"recorded": [_row(name) for name in recorded]})
            else:
                for name in recorded:
                    kind, shown = _row(name)["type"], _row(name)["name"]
                    write(f"Media image for object {shown}, type {kind} recorded.")
                if asked.l:
                    _report_extents(connection)
    except MQError as error:
        return tool_status.refused(error, asked.m, "qlocal" if wanted == LOCAL else asked.t)
    return tool_status.OK


def _record(connection: Connection, wanted: int, name: str) -> list[str]:
    # All objects but local queues are in the catalog: its image is that of every definition.
    return connection.record_image(name if wanted & LOCAL else CATALOG)


def _row(name: str) -> dict[str, str]:
    if name == CATALOG:
        return {"name": "*", "type": "catalog"}
    return {"name": name, "type": "qlocal"}


def _report_extents(connection: Connection) -> None:
    extents = connection.log_extents()
    write(message_line("AMQ7467I", (connection.name, extents.restart)))
    write(message_line("AMQ7468I", (connection.name, extents.media)))
