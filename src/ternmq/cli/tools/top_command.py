"""ternmq top: queues, connections, channels and the log of a queue manager, on the terminal."""

from __future__ import annotations

import argparse
import math
import threading
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from ternmq.base.errors import MQError
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.control import tool_status
from ternmq.cli.output import has_terminal, write_error, write_json
from ternmq.cli.top.watching import Watch

if TYPE_CHECKING:
    from ternmq.api.connection import Connection

ABOUT: Final = "Watch queues, connections, channels and the log of a running queue manager."
NAME: Final = "ternmq top"
NOT_INSTALLED: Final = (
    f"{NAME}: the package textual is not installed, which draws the screen; "
    "install it with: pip install 'ternmq[top]'. --json works without it."
)
NO_TERMINAL: Final = (
    f"{NAME}: it draws on a terminal, which input and output are not. --json prints one snapshot."
)
INTERVAL_S: Final = 2.0
INTERVAL_MIN_S: Final = 0.2
INTERVAL_MAX_S: Final = 3600.0


def main(argv: list[str]) -> int:
    """Run the command."""
    asked = command_line().parse_args(argv)
    if not asked.json and find_spec("textual") is None:
        write_error(NOT_INSTALLED)
        return tool_status.UNEXPECTED
    password = attach.password() if asked.user else ""
    with Watch(partial(_connect, asked, password)) as watch:
        try:
            if asked.json:
                return _once(watch, asked.interval)
            return _live(watch, asked.interval)
        except MQError as error:
            return tool_status.refused(error, asked.qmgr)


def command_line() -> CommandLine:
    """Its options."""
    line = CommandLine(NAME, ABOUT, tool_status.BAD_ARGUMENTS)
    line.add_argument("qmgr", metavar="QMGR", nargs="?", default="", help="the queue manager")
    line.add_argument(
        "--interval", type=_seconds, default=INTERVAL_S, metavar="SECONDS",
        help=f"time between two samples ({INTERVAL_S:g})",
    )  # fmt: skip
    line.add_argument("-c", action="store_true", help="as a client, by MQSERVER or a CCDT")
    line.add_argument(
        "--conn-name", metavar="HOST(PORT)", default="", help="as a client, to this address"
    )
    line.add_argument("--channel", metavar="NAME", default="", help="its server-connection channel")
    line.add_argument(
        "-u",
        dest="user",
        metavar="USER",
        default="",
        help="the user that connects; asks a password",
    )
    line.add_argument(
        "--json", action="store_true", help="print one snapshot, with rates over the interval"
    )
    return line


def _seconds(text: str) -> float:
    seconds = float(text)
    if not math.isfinite(seconds) or not INTERVAL_MIN_S <= seconds <= INTERVAL_MAX_S:
        raise argparse.ArgumentTypeError(
            f"an interval is {INTERVAL_MIN_S:g} to {INTERVAL_MAX_S:g} seconds, not {text}"
        )
    return seconds


def _connect(asked: argparse.Namespace, password: str) -> Connection:
    more: dict[str, Any] = {}
    if asked.conn_name:
        more["conn"] = asked.conn_name
    if asked.channel:
        more["channel"] = asked.channel
    if password:
        more["password"] = password  # it is asked for once, however often the connection breaks
    is_client = asked.c or bool(asked.conn_name)
    return attach.attach(asked.qmgr, NAME, asked.user, is_client, **more)


def _once(watch: Watch, interval_s: float) -> int:
    """Two samples, for rates."""
    watch.next()
    threading.Event().wait(interval_s)
    write_json(watch.next().to_json())
    return tool_status.OK


def _live(watch: Watch, interval_s: float) -> int:
    watch.next()  # a wrong name is reported before the screen is drawn
    if not has_terminal():
        write_error(NO_TERMINAL)
        return tool_status.UNEXPECTED
    from ternmq.cli.top.view import TopApp

    TopApp(watch.next, interval_s).run()
    return tool_status.OK
