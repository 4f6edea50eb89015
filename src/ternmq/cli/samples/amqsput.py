"""amqsput QUEUE [QMGR] [OPEN OPTIONS] [CLOSE OPTIONS] [TARGET QMGR] [DYNAMIC NAME]: each line of
standard input becomes a message, until an empty line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.cli.output import write, write_now
from ternmq.cli.samples.sample import (
    SampleEnds,
    connected,
    next_line,
    options_given,
    report_failure,
    started,
)
from ternmq.codec.mqi.mqmd import Descriptor

if TYPE_CHECKING:
    from ternmq.api.connection import Connection
    from ternmq.api.queue import Queue

NAME: Final = "AMQSPUT0"
_OPEN: Final = mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING


def main(argv: list[str], client: bool = False) -> int:
    """Run the sample."""
    try:
        started(NAME, argv)
        qmgr = argv[1] if len(argv) > 1 else ""
        with connected(qmgr, "amqsput", client) as connection:
            write_now(f"target queue is {argv[0]}")
            target = argv[4] if len(argv) > 4 else ""
            if target not in ("", connection.name):
                _put_elsewhere(connection, argv[0], target)
            else:
                queue = _opened(connection, argv)
                if queue is not None:
                    _put_lines(queue)
                    _close(queue, argv)
    except SampleEnds as end:
        return end.status
    write(f"Sample {NAME} end")
    return 0


def _opened(connection: Connection, argv: list[str]) -> Queue | None:
    options = options_given(argv, 2, _OPEN)
    dynamic = argv[5] if len(argv) > 5 else "*"
    try:
        return connection.queue(argv[0], options=options, dynamic_name=dynamic)
    except MQError as error:
        report_failure("MQOPEN", error)
        write("unable to open queue for output")
        return None


def _put_lines(queue: Queue) -> None:
    while line := next_line():
        try:
            queue.put(line, format="MQSTR")
        except MQError as error:
            report_failure("MQPUT", error)
            return


def _put_elsewhere(connection: Connection, name: str, qmgr: str) -> None:
    """To a queue of another queue manager."""
    md = Descriptor(format=mq.MQFMT_STRING)
    while line := next_line():
        try:
            connection.put(name, line, descriptor=md, qmgr_name=qmgr)
        except MQError as error:
            report_failure("MQPUT", error)
            return


def _close(queue: Queue, argv: list[str]) -> None:
    options = options_given(argv, 3, 0)
    try:
        purge = options & mq.MQCO_DELETE_PURGE != 0
        queue.close(delete=purge or options & mq.MQCO_DELETE != 0, purge=purge)
    except MQError as error:
        report_failure("MQCLOSE", error)
