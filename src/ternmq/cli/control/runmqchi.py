"""runmqchi: a channel initiator for as long as this command runs.

It works in the queue manager's process, so this command only asks for it, waits, and ends it again.
SCHINIT(QMGR) starts one with the queue manager.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base.errors import MQError
from ternmq.cli import attach
from ternmq.cli.arguments import CommandLine
from ternmq.cli.output import write_error, write_now
from ternmq.cli.stop_signals import StopSignals
from ternmq.server.folder.scripts import answer_line

if TYPE_CHECKING:
    from ternmq.api.connection import Connection

ABOUT: Final = "Start channels when messages for them arrive, while this command runs."
QUEUE: Final = "SYSTEM.CHANNEL.INITQ"
EXIT_UNEXPECTED: Final = 10
EXIT_FAILED: Final = 20
STARTING_LOOKS_MAX: Final = 60  # half a second each


def main(argv: list[str]) -> int:
    """Run the command."""
    line = CommandLine("runmqchi", ABOUT, EXIT_FAILED)
    line.add_argument("-q", metavar="QUEUE", default=QUEUE, help="the initiation queue")
    line.add_argument("-m", metavar="QMGR", default="", help="the queue manager")
    asked = line.parse_args(argv)
    try:
        with attach.attach_admin(asked.m, "runmqchi") as operator, StopSignals() as signals:
            return _run(operator, asked.q, signals)
    except MQError as error:
        write_error(str(error))
        return EXIT_FAILED


def _run(operator: Connection, queue: str, signals: StopSignals) -> int:
    (answer,) = operator.mqsc(f"START CHINIT INITQ('{queue}')")
    write_now(answer_line(answer))
    if not answer.ok:
        return EXIT_UNEXPECTED
    signals.wait_while(Watch(operator, queue).runs)
    if operator.connected:
        operator.mqsc(f"STOP CHINIT INITQ('{queue}')")
    return 0


class Watch:
    """Whether the initiator reads its queue. It opens the queue some time after START CHINIT is
    answered, so the first looks may find nobody."""

    def __init__(self, operator: Connection, queue: str) -> None:
        self._operator = operator
        self._queue = queue
        self._looks_left = STARTING_LOOKS_MAX

    def runs(self) -> bool:
        """Look once."""
        try:
            shown = self._operator.mqsc(f"DISPLAY QSTATUS('{self._queue}') IPPROCS")[0]
        except MQError:
            return False
        if shown.ok and int(shown["IPPROCS"]) > 0:
            self._looks_left = 0
            return True
        self._looks_left -= 1
        return shown.ok and self._looks_left >= 0
