"""amqsgbr QUEUE [QMGR]: shows the data of every message without taking it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base.errors import MQError
from ternmq.cli.output import write
from ternmq.cli.samples.sample import SampleEnds, connected, report_failure, shown, started

if TYPE_CHECKING:
    from ternmq.api.connection import Connection

NAME: Final = "AMQSGBR0"


def main(argv: list[str], client: bool = False) -> int:
    """Run the sample."""
    try:
        started(f"{NAME} (browse)", argv)
        qmgr = argv[1] if len(argv) > 1 else ""
        write(qmgr)
        with connected(qmgr, "amqsgbr", client) as connection:
            _browse(connection, argv[0])
    except SampleEnds as end:
        return end.status
    write(f"Sample {NAME} (browse) end")
    return 0


def _browse(connection: Connection, name: str) -> None:
    try:
        queue = connection.queue(name)
    except MQError as error:
        report_failure("MQOPEN", error)
        write("unable to open queue for input")
        return
    try:
        for number, message in enumerate(queue.browse(), 1):
            if number == 1:
                write(f"Messages for {queue.name:<48}")
            write(f"{number} <{shown(message)}>")
        write("no more messages")
    except MQError as error:
        report_failure("MQGET", error)
    finally:
        queue.close()
