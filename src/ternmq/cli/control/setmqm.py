"""setmqm: give a queue manager to another installation."""

from __future__ import annotations

from typing import Final

from ternmq.base.message_table import message_line
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control.strmqm import known, unknown
from ternmq.cli.output import write, write_error
from ternmq.server.folder.data_folder import data_folder, locked, register
from ternmq.server.folder.installations import installations
from ternmq.server.folder.status_file import status_of

EXIT_RUNNING: Final = 5
EXIT_NO_INSTALLATION: Final = 44


def main(argv: list[str]) -> int:
    """Do it; the exit status."""
    line = CommandLine("setmqm", "Associate a queue manager with an installation.")
    line.add_argument("-m", metavar="QMGR", required=True, help="the queue manager")
    line.add_argument("-n", metavar="INSTALLATION", required=True, help="as dspmqinst shows it")
    options = line.parse_args(argv)
    data = data_folder()
    place = known(data, options.m)
    if place is None:
        return unknown(data, options.m)
    if status_of(place.folder).is_up:
        write_error(message_line("AMQ7005E", (place.name,)))
        return EXIT_RUNNING
    with locked(data):
        if options.n not in {one.name for one in installations(data)}:
            write_error(f"setmqm: there is no installation {options.n}")
            return EXIT_NO_INSTALLATION
        directory = place.folder.rpartition("/")[2]
        register(data, place.name, directory, options.n, place.data_path, False)
    write(f"Queue manager '{place.name}' is associated with installation '{options.n}'.")
    return 0
