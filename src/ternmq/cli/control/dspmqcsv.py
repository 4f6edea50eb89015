"""dspmqcsv: show whether the command server of a queue manager runs."""

from __future__ import annotations

from ternmq.base.message_table import message_line
from ternmq.cli.arguments import QMGR_OR_DEFAULT, CommandLine
from ternmq.cli.control.command_server_status import EXIT_FAILED, ask_for
from ternmq.cli.output import write, write_json
from ternmq.server.command_server import STATUS


def main(argv: list[str]) -> int:
    """Show it; the exit status."""
    line = CommandLine("dspmqcsv", "Show the status of the command server.", EXIT_FAILED)
    line.add_argument("name", metavar="QMGR", nargs="?", default="", help=QMGR_OR_DEFAULT)
    line.add_json()
    options = line.parse_args(argv)
    answer = ask_for(options.name, STATUS)
    if answer is None:
        return EXIT_FAILED
    if options.json:
        write_json({"status": answer["now"]})
    else:
        write(message_line("AMQ8027I", (str(answer["now"]),)))
    return 0
