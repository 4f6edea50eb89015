"""runmqchl: run a channel, from its start to its end.

It runs in the queue manager's process, so this command only asks for it, waits, and stops it at a
signal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base.errors import MQError
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write_error, write_now
from ternmq.cli.stop_signals import StopSignals
from ternmq.kernel.channel_transitions import ACTIVE
from ternmq.server.folder.scripts import answer_line

if TYPE_CHECKING:
    from ternmq.api.connection import Connection

ABOUT: Final = "Run a sender, server or requester channel until it ends."
EXIT_UNEXPECTED: Final = 10
EXIT_FAILED: Final = 20


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("runmqchl", ABOUT, EXIT_FAILED)
    line.add_argument("-c", metavar="CHANNEL", required=True, help="the channel")
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    asked = line.parse_args(argv)
    try:
        with attach.attach_admin(asked.m, "runmqchl") as operator, StopSignals() as signals:
            return _run(operator, asked.c, signals)
    except MQError as error:
        write_error(str(error))
        return EXIT_FAILED


def _run(operator: Connection, name: str, signals: StopSignals) -> int:
    (answer,) = operator.mqsc(f"START CHANNEL('{name}')")
    write_now(answer_line(answer))
    if not answer.ok:
        return EXIT_UNEXPECTED
    signals.wait_while(lambda: _status(operator, name) in ("STARTING", *ACTIVE))
    if operator.connected and _status(operator, name) in ("STARTING", *ACTIVE):
        operator.mqsc(f"STOP CHANNEL('{name}') STATUS(INACTIVE)")
    return 0


def _status(operator: Connection, name: str) -> str:
    """What it is now; "" if it is not current, or cannot be asked for."""
    try:
        shown = operator.mqsc(f"DISPLAY CHSTATUS('{name}')")[0]
    except MQError:
        return ""
    return str(shown["STATUS"]) if shown.ok else ""
