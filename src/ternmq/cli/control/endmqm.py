"""endmqm: end a queue manager, in one of three ways; switch to its standby, or end that."""

from __future__ import annotations

import argparse
import os
import signal
import time
from typing import Final

from ternmq.base.errors import MQError
from ternmq.base.message_table import message_line, message_text
from ternmq.cli.arguments import QMGR_OR_DEFAULT, CommandLine
from ternmq.cli.control.strmqm import known, unknown
from ternmq.cli.output import write, write_error, write_now
from ternmq.server import host as modes
from ternmq.server.control import ask
from ternmq.server.folder.data_folder import Place, data_folder
from ternmq.server.folder.status_file import ENDING, standby_of, status_of

EXIT_NOT_AVAILABLE: Final = 40
EXIT_UNEXPECTED: Final = 71
EXIT_NO_SWITCH: Final = 77
EXIT_ACTIVE_NOT_ENDED: Final = 79
EXIT_STANDBY_ENDED: Final = 90
EXIT_NOT_AUTHORIZED: Final = 119
_LOOK_S: Final = 0.02
_REPORT_S: Final = 1.0
_EXPLAIN_S: Final = 5.0  # applications that know of the end have gone by then
_WAITS_FOR_APPLICATIONS: Final = (
    "Applications are still connected, runmqsc on a terminal among them. "
    "endmqm -i, in another window, ends without waiting for them."
)


def command_line() -> CommandLine:
    """Options as those of IBM MQ."""
    line = CommandLine("endmqm", "End a queue manager.")
    mode = line.add_mutually_exclusive_group()
    mode.add_argument("-c", action="store_true", help="when all applications have gone (default)")
    mode.add_argument("-w", action="store_true", help="the same, and wait for it")
    mode.add_argument("-i", action="store_true", help="when calls under way have ended; wait")
    mode.add_argument("-p", action="store_true", help="without waiting for applications")
    line.add_argument("-r", action="store_true", help="let applications reconnect")
    line.add_argument("-s", action="store_true", help="switch to the standby")
    line.add_argument("-x", action="store_true", help="end the standby alone")
    line.add_suppress()
    line.add_argument("-tp", metavar="SECONDS", type=int, default=0, help="within this time")
    line.add_argument("name", metavar="QMGR", nargs="?", default="", help=QMGR_OR_DEFAULT)
    return line


def main(argv: list[str]) -> int:
    """End it; the exit status."""
    options = command_line().parse_args(argv)
    data = data_folder()
    place = known(data, options.name)
    if place is None:
        return unknown(data, options.name)
    if options.x:
        return _end_standby(place)
    if options.s and not standby_of(place.folder):
        write_error(message_line("AMQ7276E", (place.name,)))
        return EXIT_NO_SWITCH
    mode = modes.QUIESCING
    if options.i:
        mode = modes.IMMEDIATE
    elif options.p:
        mode = modes.PREEMPTIVE
    pid = status_of(place.folder).pid
    try:
        issued = " ".join(["endmqm", *argv])
        ask(place, "stop", mode=mode, reconnect=options.r, switch=options.s, issued=issued)
    except MQError as error:
        if status_of(place.folder).state not in ENDING:  # else it takes no calls any more
            return _refused(place, error)
    waits = options.w or options.i or options.p or options.tp
    if not waits:
        write(
            "Quiesce request accepted. The queue manager will stop when all outstanding work\n"
            "is complete."
        )
        return 0
    return _wait(place, options, mode, pid)


def _refused(place: Place, error: MQError) -> int:
    if error.reason_name == "MQRC_NOT_AUTHORIZED":
        write_error(message_line("AMQ7077E"))
        return EXIT_NOT_AUTHORIZED
    if status_of(place.folder).is_up:
        write_error(message_line("AMQ8101S", (error,)))
        return EXIT_UNEXPECTED
    write_error(message_line("AMQ8146E", (place.name,)))
    return EXIT_NOT_AVAILABLE


def _end_standby(place: Place) -> int:
    """endmqm -x."""
    pid = standby_of(place.folder)
    if pid <= 0:
        message = "AMQ7277E" if status_of(place.folder).is_up else "AMQ8146E"
        write_error(message_line(message, (place.name,)))
        return EXIT_ACTIVE_NOT_ENDED if message == "AMQ7277E" else EXIT_NOT_AVAILABLE
    try:
        os.kill(pid, signal.SIGTERM)
    except PermissionError:
        write_error(message_line("AMQ7077E"))
        return EXIT_NOT_AUTHORIZED
    except ProcessLookupError:
        pass  # it has just ended
    while standby_of(place.folder) == pid:
        time.sleep(_LOOK_S)
    write(message_text("AMQ7278I", (place.name,)))
    return EXIT_STANDBY_ENDED


def _is_there(place: Place, pid: int, switches: bool) -> bool:
    """Whether what is to end is still there: the instance with its standby, or it alone."""
    if switches:
        return status_of(place.folder).pid == pid
    return status_of(place.folder).is_up or standby_of(place.folder) != 0


def _wait(place: Place, options: argparse.Namespace, mode: str, pid: int) -> int:
    """Until no process has the folder; with -tp, in ever stricter ways."""
    began = time.monotonic()
    reported_s = began
    write_now(f"Waiting for queue manager '{place.name}' to end.")
    ladder = _ladder(mode, options.tp)
    explains = mode == modes.QUIESCING and not ladder
    while _is_there(place, pid, options.s):
        now = time.monotonic()
        if ladder and now - began >= ladder[0][0]:
            stricter = ladder.pop(0)[1]
            try:
                ask(place, "stop", mode=stricter, reconnect=options.r, switch=options.s)
            except MQError:
                pass  # it has just ended
        if now - reported_s >= _REPORT_S:
            reported_s = now
            write_now(f"Waiting for queue manager '{place.name}' to end.")
            if explains and now - began >= _EXPLAIN_S:
                explains = False
                write_now(_WAITS_FOR_APPLICATIONS)
        time.sleep(_LOOK_S)
    write(message_text("AMQ8004I", (place.name,)))
    return 0


def _ladder(mode: str, seconds: int) -> list[tuple[float, str]]:
    """When to become stricter, so that it has ended within the time."""
    if seconds <= 0:
        return []
    steps = [(seconds * 0.5, modes.IMMEDIATE), (seconds * 0.9, modes.PREEMPTIVE)]
    return [step for step in steps if step[1] != mode]
