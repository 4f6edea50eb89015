"""rmvmqinf: take a queue manager out of mqs.ini; its files stay."""

from __future__ import annotations

from typing import Final

from ternmq.base.message_table import message_line
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control.dspmqinf import STANZA
from ternmq.cli.output import write, write_error
from ternmq.server.folder.data_folder import data_folder, locked, places, unregister
from ternmq.server.folder.status_file import status_of

EXIT_RUNNING: Final = 5
EXIT_ARGUMENTS: Final = 39
EXIT_NO_STANZA: Final = 44


def main(argv: list[str]) -> int:
    """Remove it; the exit status."""
    line = CommandLine("rmvmqinf", "Remove configuration of a queue manager.", EXIT_ARGUMENTS)
    line.add_argument(
        "-s", metavar="STANZA", default=STANZA, choices=(STANZA,), help="QueueManager"
    )
    line.add_argument("name", metavar="QMGR", help="the queue manager")
    options = line.parse_args(argv)
    data = data_folder()
    for place in places(data):
        if place.name == options.name and status_of(place.folder).is_up:
            write_error(message_line("AMQ7005E", (place.name,)))
            return EXIT_RUNNING
    try:
        with locked(data):
            removed = unregister(data, options.name)
    except FileNotFoundError:  # there is no data folder
        removed = False
    if not removed:
        write_error(message_line("AMQ7048E", (options.name,)))
        return EXIT_NO_STANZA
    write("TernMQ configuration information removed.")
    return 0
