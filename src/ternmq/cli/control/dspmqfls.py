"""dspmqfls: shows which file or folder holds an object; for a queue manager that runs, and for one
that is down."""

from __future__ import annotations

import os
from typing import Final

from ternmq.base.errors import MQError, mq_error
from ternmq.base.message_table import message_text
from ternmq.base.reasons import MQRC_Q_MGR_NOT_AVAILABLE, MQRC_UNKNOWN_OBJECT_NAME
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control import tool_status
from ternmq.cli.control.object_words import matches, types_of
from ternmq.cli.output import write, write_json
from ternmq.inspect.buffers import definitions_now
from ternmq.inspect.folder import Folder
from ternmq.mqi.steps.administration import object_files
from ternmq.values.status import ObjectFile

ABOUT: Final = "show which files hold an object"


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("dspmqfls", ABOUT, tool_status.BAD_ARGUMENTS)
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    line.add_argument("-t", metavar="TYPE", default="all", help="the type of the objects, or all")
    line.add_argument("name", help="their name; it may end in *")
    line.add_json()
    asked = line.parse_args(argv)
    try:
        wanted = types_of(asked.t)
    except ValueError as error:
        line.error(str(error))
    try:
        folder = attach.place_of(asked.m).folder
        found = [
            one
            for one in _all_files(asked.m, folder)
            if one.type & wanted and matches(one.name, asked.name)
        ]
        if not found:
            raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb="dspmqfls", object=asked.name)
    except MQError as error:
        return tool_status.refused(error, asked.m, asked.t)
    if asked.json:
        write_json(
            [
                {"type": one.noun, "name": one.name, "path": os.path.join(folder, one.path)}
                for one in found
            ]
        )
        return tool_status.OK
    write(message_text("AMQ8500I"))
    write()
    for one in found:
        write(f"{one.noun:<9} {one.name}")
        write(f"          {os.path.join(folder, one.path)}")
    write()
    return tool_status.OK


def _all_files(qmgr: str, folder: str) -> list[ObjectFile]:
    try:
        with attach.attach_admin(qmgr, "dspmqfls") as connection:
            return connection.object_files()
    except MQError as error:
        if error.reason != MQRC_Q_MGR_NOT_AVAILABLE:
            raise
    with Folder(folder) as held:
        return object_files(definitions_now(held.overlay()))
