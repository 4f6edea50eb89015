"""amqsreq QUEUE [QMGR] [REPLY QUEUE]: each line of standard input becomes a request; then the
replies are shown, the first within a minute, the others within 15 seconds each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.cli.output import write, write_now
from ternmq.cli.samples.sample import (
    SampleEnds,
    connected,
    next_line,
    report_failure,
    shown,
    started,
)
from ternmq.codec.mqi.mqmd import Descriptor

if TYPE_CHECKING:
    from ternmq.api.connection import Connection
    from ternmq.api.queue import Queue

NAME: Final = "AMQSREQ0"
FIRST_WAIT_S = 60.0
WAIT_S = 15.0
SHOWN_MAX: Final = 64
REPLY_QUEUE: Final = "SYSTEM.SAMPLE.REPLY"


def main(argv: list[str]) -> int:
    """Run the sample."""
    try:
        started(NAME, argv)
        with connected(argv[1] if len(argv) > 1 else "", "amqsreq") as connection:
            _ask(connection, argv)
    except SampleEnds as end:
        return end.status
    write(f"Sample {NAME} end")
    return 0


def _ask(connection: Connection, argv: list[str]) -> None:
    write_now(f"server queue is {argv[0]}")
    try:
        server = connection.queue(argv[0], options=mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING)
    except MQError as error:
        report_failure("MQOPEN", error)
        write("unable to open server queue for output")
        raise SampleEnds(error.reason & 0xFF) from error
    reply_name = argv[2] if len(argv) > 2 else REPLY_QUEUE
    options = mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_FAIL_IF_QUIESCING
    try:
        replies = connection.queue(reply_name, options=options, dynamic_name="AMQ.*")
    except MQError as error:
        report_failure("MQOPEN", error)
        write("unable to open reply queue")
        server.close()
        return
    write_now(f"replies to {replies.name}")
    try:
        if _put_lines(server, replies.name):
            _show_replies(replies)
    finally:
        server.close()
        _close_replies(replies, delete=len(argv) <= 2)


def _put_lines(server: Queue, reply_to: str) -> bool:
    md = Descriptor(
        msg_type=mq.MQMT_REQUEST,
        report=mq.MQRO_EXCEPTION_WITH_DATA,
        reply_to_queue=reply_to,
        format=mq.MQFMT_STRING,
    )
    asked = False
    while line := next_line():
        try:
            server.put(line, descriptor=md, options=mq.MQPMO_NEW_MSG_ID, syncpoint=False)
            asked = True
        except MQError as error:
            report_failure("MQPUT", error)
            break
    return asked


def _show_replies(replies: Queue) -> None:
    wait_s = FIRST_WAIT_S
    while True:
        try:
            message = replies.try_get(wait=wait_s, options=mq.MQGMO_CONVERT, syncpoint=False)
        except MQError as error:
            report_failure("MQGET", error)
            return
        wait_s = WAIT_S
        if message is None:
            write("no more replies")
            return
        write_now(f"response <{shown(message)[:SHOWN_MAX]}>")
        if message.descriptor.msg_type == mq.MQMT_REPORT:
            write_now(f"  report with feedback = {message.descriptor.feedback}")


def _close_replies(replies: Queue, delete: bool) -> None:
    try:
        replies.close(delete=delete)
    except MQError as error:
        report_failure("MQCLOSE (reply)", error)
