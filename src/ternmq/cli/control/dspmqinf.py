"""dspmqinf: show what mqs.ini says about a queue manager."""

from __future__ import annotations

from typing import Final

from ternmq.base.message_table import message_line
from ternmq.cli.arguments import QMGR_OR_DEFAULT, CommandLine
from ternmq.cli.output import write, write_error, write_json
from ternmq.server.folder.data_folder import data_folder, default_name, machine_ini

EXIT_NO_STANZA: Final = 44
EXIT_ARGUMENTS: Final = 39
STANZA: Final = "QueueManager"


def main(argv: list[str]) -> int:
    """Show it; the exit status."""
    line = CommandLine("dspmqinf", "Show the configuration of a queue manager.", EXIT_ARGUMENTS)
    line.add_argument(
        "-s", metavar="STANZA", default=STANZA, choices=(STANZA,), help="QueueManager"
    )
    line.add_argument("-o", choices=("stanza", "command"), default="stanza", help="in which form")
    line.add_argument("name", metavar="QMGR", nargs="?", default="", help=QMGR_OR_DEFAULT)
    line.add_json()
    options = line.parse_args(argv)
    data = data_folder()
    name = options.name or default_name(data)
    stanza = machine_ini(data).where(STANZA, "Name", name)
    if stanza is None:
        write_error(message_line("AMQ7048E", (name,)))
        return EXIT_NO_STANZA
    if options.json:
        write_json(stanza.values)
    elif options.o == "command":
        # Another machine, or another installation there, gives it a new owner.
        values = [
            f"-v {key}={value}"
            for key, value in stanza.values.items()
            if key.lower() != "installationname"
        ]
        write(f"addmqinf -s {STANZA} {' '.join(values)}")
    else:
        write(f"{STANZA}:")
        for key, value in stanza.values.items():
            write(f"   {key}={value}")
    return 0
