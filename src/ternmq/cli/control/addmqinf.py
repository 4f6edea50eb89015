"""addmqinf: write an existing queue manager, made elsewhere, into mqs.ini."""

from __future__ import annotations

import os
from typing import Final

from ternmq.base.message_table import message_line
from ternmq.base.names import file_name, is_name
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control.dspmqinf import STANZA
from ternmq.cli.output import write, write_error
from ternmq.server.folder.data_folder import (
    QMGRS,
    data_folder,
    locked,
    machine_ini,
    make_data_folder,
    register,
)
from ternmq.server.folder.installations import this_installation

EXIT_LOCATION: Final = 1
EXIT_ARGUMENTS: Final = 39
EXIT_THERE: Final = 45
EXIT_MISSING: Final = 46
EXIT_NAME: Final = 72
_KNOWN: Final = ("Name", "Prefix", "Directory", "DataPath")


def main(argv: list[str]) -> int:
    """Write it down; the exit status."""
    line = CommandLine("addmqinf", "Add configuration of a queue manager.", EXIT_ARGUMENTS)
    line.add_argument(
        "-s", metavar="STANZA", default=STANZA, choices=(STANZA,), help="QueueManager"
    )
    line.add_argument(
        "-v",
        metavar="ATTRIBUTE=VALUE",
        action="append",
        default=[],
        help="such as Name=QM1; several times",
    )
    options = line.parse_args(argv)
    values: dict[str, str] = {}
    for given in options.v:
        key, equals, value = given.partition("=")
        if not equals or key not in _KNOWN or key in values:
            write_error(f"addmqinf: -v {given}: one each of {', '.join(_KNOWN)} with its value")
            return EXIT_ARGUMENTS
        values[key] = value
    name = values.get("Name", "")
    if not name:
        write_error(message_line("AMQ8161E", ("-v Name=QMGR",)))
        return EXIT_MISSING
    if not is_name(name):
        write_error(message_line("AMQ7048E", (name,)))
        return EXIT_NAME
    return _add(data_folder(), name, values)


def _add(data: str, name: str, values: dict[str, str]) -> int:
    make_data_folder(data)
    with locked(data):
        if machine_ini(data).where(STANZA, "Name", name) is not None:
            write_error(message_line("AMQ8110S", (name,)))
            return EXIT_THERE
        directory = values.get("Directory", file_name(name))
        data_path = values.get("DataPath", "")
        prefix = values.get("Prefix", data)
        folder = data_path or os.path.join(prefix, QMGRS, directory)
        if not data_path and os.path.abspath(prefix) != os.path.abspath(data):
            data_path = folder
        if not os.path.isdir(folder):
            write_error(message_line("AMQ7001E", (folder,)))
            return EXIT_LOCATION
        register(data, name, directory, this_installation(data).name, data_path, False)
    write("TernMQ configuration information added.")
    return 0
