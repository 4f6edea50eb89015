"""runmqlsr: a listener for as long as this command runs.

It listens in the queue manager's process, so this command only asks for it, waits, and ends it
again. DEFINE LISTENER with CONTROL(QMGR) is the way for good.
"""

from __future__ import annotations

from typing import Any, Final

from ternmq.base.errors import MQError
from ternmq.base.message_table import message_line
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control.strmqm import known
from ternmq.cli.output import write_error, write_now
from ternmq.cli.stop_signals import StopSignals
from ternmq.network.edge.ad_hoc_listeners import START, STATUS, STOP
from ternmq.remote.local.folder_lookup import Place
from ternmq.server.control import ask
from ternmq.server.folder.data_folder import data_folder

EXIT_UNEXPECTED: Final = 10
EXIT_FAILED: Final = 20


def command_line() -> CommandLine:
    """Options as those of IBM MQ."""
    line = CommandLine("runmqlsr", "Listen on a port while this command runs.", EXIT_FAILED)
    line.add_argument("-t", choices=["tcp"], default="tcp", help="the transport")
    line.add_argument("-p", metavar="PORT", type=int, default=0, help="the port, else 1414")
    line.add_argument("-i", metavar="ADDRESS", default="", help="the address, else all")
    line.add_argument("-b", metavar="BACKLOG", type=int, default=0, help="connections to queue")
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    return line


def main(argv: list[str]) -> int:
    """Listen until a signal, or until the queue manager ends; the exit status."""
    options = command_line().parse_args(argv)
    if not 0 <= options.p <= 65_535:
        write_error(f"runmqlsr: -p is a port up to 65535, not {options.p}")
        return EXIT_FAILED
    place = known(data_folder(), options.m)
    if place is None:
        return EXIT_FAILED
    wanted = {"address": options.i, "port": options.p, "backlog": options.b}
    with StopSignals() as signals:
        answer = asked(place, action=START, **wanted)
        if answer is None:
            return EXIT_FAILED
        if "why" in answer:
            write_error(f"runmqlsr: {answer['why']}")
            return EXIT_UNEXPECTED
        name = str(answer["name"])
        write_now(f"Listening on port {answer['port']} for queue manager '{place.name}'.")
        signals.wait_while(lambda: _listens(place, name))
        asked(place, quiet=True, action=STOP, name=name)
    return 0


def _listens(place: Place, name: str) -> bool:
    answer = asked(place, quiet=True, action=STATUS)
    return answer is not None and name in answer.get("names", ())


def asked(place: Place, quiet: bool = False, **arguments: Any) -> dict[str, Any] | None:
    """What the queue manager's process answers; None, and an error message, if it does not."""
    try:
        return ask(place, "listener", **arguments)
    except MQError as error:
        if not quiet:
            refused = error.reason_name == "MQRC_NOT_AUTHORIZED"
            line = message_line("AMQ7077E") if refused else message_line("AMQ8146E", (place.name,))
            write_error(line)
        return None
