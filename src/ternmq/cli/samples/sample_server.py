"""The samples that a trigger monitor starts: they serve the requests of one queue until none has
come for five seconds, and answer each with a reply or a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.cli.output import write, write_now
from ternmq.cli.samples.sample import SampleEnds, connected, report_failure, shown, trigger
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.values.message import Message

if TYPE_CHECKING:
    from ternmq.api.connection import Connection

WAIT_S = 5.0
_OPEN: Final = mq.MQOO_INPUT_SHARED | mq.MQOO_FAIL_IF_QUIESCING

# What a sample answers to the data of a request; an MQError becomes a report.
Serve = Callable[["Connection", bytes], bytes]


def run(name: str, program: str, argv: list[str], serve: Serve) -> int:
    """Run the sample that serves requests with `serve`."""
    try:
        trig = trigger(name, argv)
        with connected(trig.qmgr_name, program) as connection:
            try:
                queue = connection.queue(trig.queue_name, options=_OPEN)
            except MQError as error:
                report_failure("MQOPEN (input)", error)
                return error.reason & 0xFF
            try:
                while True:
                    message = queue.try_get(wait=WAIT_S, options=mq.MQGMO_CONVERT, syncpoint=False)
                    if message is None:
                        write_now("MQGET ended with reason code 2033")
                        break
                    _answer(connection, message, serve)
            except MQError as error:
                report_failure("MQGET", error)
            finally:
                queue.close()
    except SampleEnds as end:
        return end.status
    write(f"Sample {name} end")
    return 0


def _answer(connection: Connection, message: Message, serve: Serve) -> None:
    write_now(shown(message))
    request = message.descriptor
    if request.msg_type != mq.MQMT_REQUEST:
        write_now("  -- not a request and discarded")
        return
    data = message.data
    feedback = 0
    try:
        data = serve(connection, data)
    except MQError as error:
        report_failure(error.verb or "MQI call", error)
        feedback = error.reason
        if not request.report & mq.MQRO_EXCEPTION:
            return  # the requester wants no report
    md = reply_descriptor(request, feedback)
    try:
        connection.put(request.reply_to_queue, data, descriptor=md)
    except MQError as error:
        report_failure("MQPUT1", error)


def reply_descriptor(request: Descriptor, feedback: int) -> Descriptor:
    """A reply, or a report with that feedback, with identifiers as the request wants them."""
    wanted = request.report
    passes_on = wanted & mq.MQRO_PASS_DISCARD_AND_EXPIRY
    return Descriptor(
        msg_type=mq.MQMT_REPORT if feedback else mq.MQMT_REPLY,
        feedback=feedback,
        report=wanted & mq.MQRO_DISCARD_MSG if passes_on else mq.MQRO_NONE,
        expiry=request.expiry if passes_on else mq.MQEI_UNLIMITED,
        format=request.format,
        ccsid=request.ccsid,
        encoding=request.encoding,
        msg_id=request.msg_id if wanted & mq.MQRO_PASS_MSG_ID else mq.MQMI_NONE,
        correl_id=request.correl_id if wanted & mq.MQRO_PASS_CORREL_ID else request.msg_id,
        priority=request.priority,
        persistence=request.persistence,
    )


def queue_name(data: bytes) -> str:
    """The queue that a request is about."""
    return data.decode("utf-8", "replace").strip(" \0")[:48]
