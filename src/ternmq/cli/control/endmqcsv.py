"""endmqcsv: end the command server of a queue manager."""

from __future__ import annotations

from ternmq.base.message_table import message_line
from ternmq.cli.arguments import QMGR_OR_DEFAULT, CommandLine
from ternmq.cli.control.command_server_status import EXIT_FAILED, EXIT_UNEXPECTED, ask_for
from ternmq.cli.output import write, write_error
from ternmq.server.command_server import STOP, STOPPED


def main(argv: list[str]) -> int:
    """End it; the exit status."""
    line = CommandLine("endmqcsv", "End the command server of a queue manager.", EXIT_FAILED)
    mode = line.add_mutually_exclusive_group()
    mode.add_argument("-c", action="store_true", help="after the command under way (default)")
    mode.add_argument("-i", action="store_true", help="at once; here the same")
    line.add_argument("name", metavar="QMGR", nargs="?", default="", help=QMGR_OR_DEFAULT)
    answer = ask_for(line.parse_args(argv).name, STOP)
    if answer is None:
        return EXIT_FAILED
    if answer["before"] == STOPPED:
        write_error(message_line("AMQ8196E"))
        return EXIT_UNEXPECTED
    write(message_line("AMQ8027I", (str(answer["now"]),)))
    return 0
