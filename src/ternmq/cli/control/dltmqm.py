"""dltmqm: delete a queue manager with everything on it."""

from __future__ import annotations

from typing import Final

from ternmq.base.message_table import message_line, message_text
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control.strmqm import known, unknown
from ternmq.cli.output import write, write_error
from ternmq.ports.disk import DiskLocked
from ternmq.server.folder.creating import delete
from ternmq.server.folder.data_folder import data_folder
from ternmq.server.folder.installations import this_installation
from ternmq.server.folder.status_file import status_of

EXIT_RUNNING: Final = 5
EXIT_INSTALLATION: Final = 58
EXIT_INCOMPLETE: Final = 71


def main(argv: list[str]) -> int:
    """Delete it; the exit status."""
    line = CommandLine("dltmqm", "Delete a queue manager and its messages.")
    line.add_suppress()
    line.add_argument("name", metavar="QMGR", help="the queue manager")
    options = line.parse_args(argv)
    data = data_folder()
    place = known(data, options.name)
    if place is None:
        return unknown(data, options.name)
    if status_of(place.folder).is_up:
        write_error(message_line("AMQ7005E", (place.name,)))
        return EXIT_RUNNING
    if place.installation and place.installation != this_installation(data).name:
        write_error(message_line("AMQ7011E", (place.name, place.installation)))
        return EXIT_INSTALLATION
    try:
        delete(data, place)
    except DiskLocked:
        write_error(message_line("AMQ7005E", (place.name,)))
        return EXIT_RUNNING
    except OSError as error:
        write_error(message_line("AMQ8117S", (place.name, error)))
        write_error(str(error))
        return EXIT_INCOMPLETE
    write(message_text("AMQ8002I", (place.name,)))
    return 0
