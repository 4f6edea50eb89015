"""amqspub TOPIC [QMGR] [PUT OPTIONS]: each line of standard input is published to a
topic string, until an empty line."""

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
    from ternmq.api.topic import Topic

NAME: Final = "AMQSPUBA"
_OPEN: Final = mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING
_PUT: Final = mq.MQPMO_FAIL_IF_QUIESCING | mq.MQPMO_NO_SYNCPOINT


def main(argv: list[str], client: bool = False) -> int:
    """Run the sample."""
    try:
        started(NAME, argv, "topic string")
        options = options_given(argv, 2, _PUT)
        if len(argv) > 2:
            write_now(f"publish options are {options}")
        with connected(argv[1] if len(argv) > 1 else "", "amqspub", client) as connection:
            write_now(f"target topic is {argv[0]}")
            try:
                topic = connection.topic(argv[0], options=_OPEN)
            except MQError as error:
                report_failure("MQOPEN", error)
                write("unable to open topic for publish")
                return 1
            with topic:
                _publish_lines(topic, options)
    except SampleEnds as end:
        return end.status
    write(f"Sample {NAME} end")
    return 0


def _publish_lines(topic: Topic, options: int) -> None:
    while line := next_line():
        try:
            topic.put(line, descriptor=Descriptor(format=mq.MQFMT_STRING), options=options)
        except MQError as error:
            report_failure("MQPUT", error)
