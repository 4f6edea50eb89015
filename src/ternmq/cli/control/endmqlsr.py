"""endmqlsr: end the listeners that runmqlsr started for a queue manager."""

from __future__ import annotations

from ternmq.cli.arguments import QMGR_OR_DEFAULT, CommandLine
from ternmq.cli.control.runmqlsr import EXIT_FAILED, EXIT_UNEXPECTED, asked
from ternmq.cli.control.strmqm import known
from ternmq.cli.output import write
from ternmq.network.edge.ad_hoc_listeners import STOP
from ternmq.server.folder.data_folder import data_folder


def main(argv: list[str]) -> int:
    """End them; the exit status."""
    line = CommandLine("endmqlsr", "End the listeners that runmqlsr started.", EXIT_FAILED)
    line.add_argument("-w", action="store_true", help="wait until they have ended; they have")
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    line.add_argument("name", metavar="QMGR", nargs="?", default="", help=QMGR_OR_DEFAULT)
    options = line.parse_args(argv)
    place = known(data_folder(), options.m or options.name)
    if place is None:
        return EXIT_FAILED
    answer = asked(place, action=STOP)
    if answer is None:
        return EXIT_FAILED
    names = answer.get("names", [])
    if not names:
        write(f"There is no such listener of queue manager '{place.name}'.")
        return EXIT_UNEXPECTED
    write(f"{len(names)} ended: {', '.join(names)}.")
    return 0
