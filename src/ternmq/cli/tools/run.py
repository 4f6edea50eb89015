"""ternmq run: a queue manager in the foreground, for containers and service managers."""

from __future__ import annotations

from typing import Final

from ternmq.base.message_table import message_text
from ternmq.cli.arguments import QMGR_OR_DEFAULT, CommandLine, port
from ternmq.cli.control.strmqm import known, owned, refusal, standby_text, unknown
from ternmq.cli.output import write_error, write_now
from ternmq.runtime.starting import Started
from ternmq.server.folder.data_folder import Place, data_folder
from ternmq.server.folder.installations import version
from ternmq.server.folder.status_file import status_of
from ternmq.server.process import Process, StartFailed
from ternmq.server.standby import Standby

EXIT_INSTALLATION: Final = 58
EXIT_FAILED: Final = 71


def main(argv: list[str]) -> int:
    """Run it until it ends; the exit status."""
    line = CommandLine("ternmq run", "Run a queue manager in the foreground.")
    line.add_argument("-x", action="store_true", help="permit a standby, or stand by")
    line.add_argument("--metrics-port", type=port, help="serve metrics on this port")
    line.add_argument("name", metavar="QMGR", nargs="?", default="", help=QMGR_OR_DEFAULT)
    options = line.parse_args(argv)
    data = data_folder()
    place = known(data, options.name)
    if place is None:
        return unknown(data, options.name)
    now = status_of(place.folder)
    stands_by = options.x and now.is_up and now.permits_standby
    refused = 0 if stands_by else refusal(place)
    if refused:
        return refused
    owner = owned(data, place)
    if owner:
        write_error(f"ternmq run: '{place.name}' belongs to installation {owner}")
        return EXIT_INSTALLATION
    process = Process(
        place, write_now, True, permits_standby=options.x, metrics_port=options.metrics_port
    )
    write_now(f"TernMQ queue manager '{place.name}' starting.")
    up = message_text("AMQ8003I", (place.name, version()))
    try:
        started = _started(process, place, stands_by)
        if started is None:
            write_now(message_text("AMQ7278I", (place.name,)))
            return 0
        process.serve(started, lambda: write_now(up))
    except StartFailed as failed:
        write_error(failed.text)
        return failed.exit_status
    if process.failed:
        return EXIT_FAILED
    write_now(message_text("AMQ8004I", (place.name,)))
    return 0


def _started(process: Process, place: Place, stands_by: bool) -> Started | None:
    if not stands_by:
        return process.start()
    return Standby(place).wait_and_start(process, lambda: write_now(standby_text(place.name)))
