"""strmqcsv: start the command server of a queue manager."""

from __future__ import annotations

from ternmq.base.message_table import message_line
from ternmq.cli.arguments import QMGR_OR_DEFAULT, CommandLine
from ternmq.cli.control.command_server_status import EXIT_FAILED, EXIT_UNEXPECTED, ask_for
from ternmq.cli.output import write, write_error
from ternmq.server.command_server import RUNNING, START


def main(argv: list[str]) -> int:
    """Start it; the exit status."""
    line = CommandLine("strmqcsv", "Start the command server of a queue manager.", EXIT_FAILED)
    line.add_argument("name", metavar="QMGR", nargs="?", default="", help=QMGR_OR_DEFAULT)
    answer = ask_for(line.parse_args(argv).name, START)
    if answer is None:
        return EXIT_FAILED
    if answer["before"] == RUNNING:
        write_error(message_line("AMQ8034I"))
        return EXIT_UNEXPECTED
    write(message_line("AMQ8027I", (str(answer["now"]),)))
    return 0 if answer["now"] == RUNNING else EXIT_FAILED
