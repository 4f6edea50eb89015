"""endmqm: end a queue manager, in one of three ways."""

from __future__ import annotations

import argparse
import time
from typing import Final

from ternmq.base.errors import MQError
from ternmq.base.message_table import message_line, message_text
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write, write_error, write_now
from ternmq.cli.strmqm import known, unknown
from ternmq.server import host as modes
from ternmq.server.control import ask
from ternmq.server.data_folder import Place, data_folder
from ternmq.server.status import status_of

EXIT_NOT_AVAILABLE: Final = 40
EXIT_UNEXPECTED: Final = 71
EXIT_NOT_AUTHORIZED: Final = 119
_LOOK_S: Final = 0.02
_TELL_S: Final = 1.0


def command_line() -> CommandLine:
    """Options as those of IBM MQ."""
    line = CommandLine("endmqm", "End a queue manager.")
    mode = line.add_mutually_exclusive_group()
    mode.add_argument("-c", action="store_true", help="when all applications have gone (default)")
    mode.add_argument("-w", action="store_true", help="the same, and wait for it")
    mode.add_argument("-i", action="store_true", help="when calls under way have ended; wait")
    mode.add_argument("-p", action="store_true", help="without waiting for anybody")
    line.add_argument("-r", action="store_true", help="tell applications to connect again")
    line.add_argument("-s", action="store_true", help="switch to a standby: not supported yet")
    line.add_argument("-x", action="store_true", help="end a standby: not supported yet")
    line.add_argument("-z", action="store_true", help="accepted")
    line.add_argument("-tp", metavar="SECONDS", type=int, default=0, help="within this time")
    line.add_argument("name", metavar="QMGR", nargs="?", default="")
    return line


def main(argv: list[str]) -> int:
    """End it; the exit status."""
    options = command_line().parse_args(argv)
    data = data_folder()
    place = known(data, options.name)
    if place is None:
        return unknown(data, options.name)
    if options.s or options.x:
        write_error(f"endmqm: -s, -x: '{place.name}' has no standby; nothing was ended")
        return EXIT_UNEXPECTED
    mode = modes.QUIESCING
    if options.i:
        mode = modes.IMMEDIATE
    elif options.p:
        mode = modes.PREEMPTIVE
    try:
        issued = " ".join(["endmqm", *argv])
        ask(place, "stop", mode=mode, reconnect=options.r, issued=issued)
    except MQError as error:
        return _refused(place, error)
    waits = options.w or options.i or options.p or options.tp
    if not waits:
        write(
            f"Quiesce request accepted. Queue manager '{place.name}' will stop when all "
            "outstanding work is complete."
        )
        return 0
    return _wait(place, options, mode)


def _refused(place: Place, error: MQError) -> int:
    if error.reason_name == "MQRC_NOT_AUTHORIZED":
        write_error(message_line("AMQ7077E"))
        return EXIT_NOT_AUTHORIZED
    if status_of(place.folder).is_up:
        write_error(message_line("AMQ8101S", (error,)))
        return EXIT_UNEXPECTED
    write_error(message_line("AMQ8146E", (place.name,)))
    return EXIT_NOT_AVAILABLE


def _wait(place: Place, options: argparse.Namespace, mode: str) -> int:
    """Until nobody has the folder; with -tp, in ever stricter ways."""
    began = time.monotonic()
    told = began
    write_now(f"Waiting for queue manager '{place.name}' to end.")
    ladder = _ladder(mode, options.tp)
    while status_of(place.folder).is_up:
        now = time.monotonic()
        if ladder and now - began >= ladder[0][0]:
            stricter = ladder.pop(0)[1]
            try:
                ask(place, "stop", mode=stricter, reconnect=options.r)
            except MQError:
                pass  # it has just ended
        if now - told >= _TELL_S:
            told = now
            write_now(f"Waiting for queue manager '{place.name}' to end.")
        time.sleep(_LOOK_S)
    write(message_text("AMQ8004I", (place.name,)))
    return 0


def _ladder(mode: str, seconds: int) -> list[tuple[float, str]]:
    """When to become stricter, so that it has ended within the time."""
    if seconds <= 0:
        return []
    steps = [(seconds * 0.5, modes.IMMEDIATE), (seconds * 0.9, modes.PREEMPTIVE)]
    return [step for step in steps if step[1] != mode]
