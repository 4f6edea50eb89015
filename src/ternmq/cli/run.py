"""ternmq run: a queue manager in the foreground, for containers and service managers."""

from __future__ import annotations

from typing import Final

from ternmq.base.message_table import message_text
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write_error, write_now
from ternmq.cli.strmqm import known, owned, refusal, unknown
from ternmq.server.data_folder import data_folder
from ternmq.server.installations import version
from ternmq.server.process import Process, StartFailed

EXIT_INSTALLATION: Final = 58
EXIT_FAILED: Final = 71


def main(argv: list[str]) -> int:
    """Run it until it ends; the exit status."""
    line = CommandLine("ternmq run", "Run a queue manager in the foreground.")
    line.add_argument("name", metavar="QMGR", nargs="?", default="")
    options = line.parse_args(argv)
    data = data_folder()
    place = known(data, options.name)
    if place is None:
        return unknown(data, options.name)
    refused = refusal(place)
    if refused:
        return refused
    owner = owned(data, place)
    if owner:
        write_error(f"ternmq run: '{place.name}' belongs to installation {owner}")
        return EXIT_INSTALLATION
    process = Process(place, write_now, True)
    write_now(f"TernMQ queue manager '{place.name}' starting.")
    up = message_text("AMQ8003I", (place.name, version()))
    try:
        process.serve(process.start(), lambda: write_now(up))
    except StartFailed as failed:
        write_error(failed.text)
        return failed.exit_status
    if process.failed:
        return EXIT_FAILED
    write_now(message_text("AMQ8004I", (place.name,)))
    return 0
