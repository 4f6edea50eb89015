"""amqsget QUEUE [QMGR] [OPEN OPTIONS] [CLOSE OPTIONS]: gets and shows messages until none has come
for 15 seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.cli.output import write, write_now
from ternmq.cli.samples.sample import (
    SampleEnds,
    connected,
    options_given,
    report_failure,
    shown,
    started,
)

if TYPE_CHECKING:
    from ternmq.api.queue import Queue

NAME: Final = "AMQSGET0"
WAIT_S = 15.0
_OPEN: Final = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_FAIL_IF_QUIESCING
_GET: Final = mq.MQGMO_CONVERT | mq.MQGMO_FAIL_IF_QUIESCING


def main(argv: list[str], client: bool = False) -> int:
    """Run the sample."""
    try:
        started(NAME, argv)
        with connected(argv[1] if len(argv) > 1 else "", "amqsget", client) as connection:
            try:
                queue = connection.queue(argv[0], options=options_given(argv, 2, _OPEN))
            except MQError as error:
                report_failure("MQOPEN", error)
                write("unable to open queue for input")
            else:
                _get_all(queue)
                _close(queue, options_given(argv, 3, 0))
    except SampleEnds as end:
        return end.status
    write(f"Sample {NAME} end")
    return 0


def _get_all(queue: Queue) -> None:
    while True:
        try:
            message = queue.try_get(wait=WAIT_S, options=_GET, syncpoint=False)
        except MQError as error:
            report_failure("MQGET", error)
            return
        if message is None:
            write("no more messages")
            return
        if message.warning:
            write_now(f"MQGET ended with reason code {message.warning}")
        write_now(f"message <{shown(message)}>")


def _close(queue: Queue, options: int) -> None:
    try:
        purge = options & mq.MQCO_DELETE_PURGE != 0
        queue.close(delete=purge or options & mq.MQCO_DELETE != 0, purge=purge)
    except MQError as error:
        report_failure("MQCLOSE", error)
