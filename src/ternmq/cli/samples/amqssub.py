"""amqssub TOPIC [QMGR] [SUBSCRIBE OPTIONS]: subscribes to a topic string, with a queue that the
queue manager makes, and shows publications until none has come for 30 seconds."""

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
    from ternmq.api.topic import Subscription

NAME: Final = "AMQSSUBA"
WAIT_S = 30.0
_SUBSCRIBE: Final = (
    mq.MQSO_CREATE | mq.MQSO_NON_DURABLE | mq.MQSO_FAIL_IF_QUIESCING | mq.MQSO_MANAGED
)
_GET: Final = mq.MQGMO_CONVERT | mq.MQGMO_FAIL_IF_QUIESCING | mq.MQGMO_NO_PROPERTIES


def main(argv: list[str], client: bool = False) -> int:
    """Run the sample."""
    try:
        started(NAME, argv, "topic string")
        options = options_given(argv, 2, _SUBSCRIBE)
        if len(argv) > 2:
            write_now(f"MQSUB SD.Options are {options}")
        with connected(argv[1] if len(argv) > 1 else "", "amqssub", client) as connection:
            try:
                subscription = connection.subscribe(argv[0], options=options)
            except MQError as error:
                report_failure("MQSUB", error)
                write("unable to subscribe to topic")
            else:
                with subscription:
                    _show_all(subscription)
    except SampleEnds as end:
        return end.status
    write(f"Sample {NAME} end")
    return 0


def _show_all(subscription: Subscription) -> None:
    while True:
        write_now(f"Calling MQGET : {WAIT_S:.0f} seconds wait time")
        try:
            message = subscription.try_get(wait=WAIT_S, options=_GET, syncpoint=False)
        except MQError as error:
            report_failure("MQGET", error)
            return
        if message is None:
            write("no more messages")
            return
        if message.warning:
            write_now(f"MQGET ended with reason code {message.warning}")
        write_now(f"message <{shown(message)}>")
