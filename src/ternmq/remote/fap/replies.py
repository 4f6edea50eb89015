"""What answers a call of the network client means: a message, none, or the error that says why."""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NO_MSG_LOCKED,
    MQRC_TRUNCATED_MSG_FAILED,
)
from ternmq.remote.fap.client_conversation import Reply
from ternmq.values.get_request import GetRequest
from ternmq.values.message import Message
from ternmq.wire.fap.vocabulary import type_name


def checked(reply: Reply, name: str, verb: str = "") -> Reply:
    """The reply, if it is not a failure; `verb` is for calls that do not go by their own names."""
    if reply.comp == mq.MQCC_FAILED:
        verb = verb or type_name(reply.type).removesuffix("_REPLY")
        raise mq_error(reply.reason, comp=mq.MQCC_FAILED, verb=verb, object=name)
    return reply


def committed(reply: Reply, name: str) -> None:
    """Of a call that commits, the reply must not say that the unit of work was backed out either:
    MQ calls that a warning."""
    checked(reply, name)
    if reply.reason == MQRC_BACKED_OUT:
        verb = type_name(reply.type).removesuffix("_REPLY")
        detail = "the queue manager could not commit; status() reports a put that failed, if any"
        raise mq_error(MQRC_BACKED_OUT, verb=verb, object=name, comp=mq.MQCC_WARNING, detail=detail)


def lost_with_connection(verb: str, name: str) -> MQError:
    """The error of a call that commits when its unit of work was lost at a reconnection."""
    return mq_error(
        MQRC_BACKED_OUT, comp=mq.MQCC_WARNING, verb=verb, object=name, detail="reconnected"
    )


def waiting_for(request: GetRequest, wait_ms: int) -> GetRequest:
    """The same request with another wait."""
    made = GetRequest(request.options)
    made.msg_id = request.msg_id
    made.correl_id = request.correl_id
    made.group_id = request.group_id
    made.msg_sequence = request.msg_sequence
    made.msg_offset = request.msg_offset
    made.token = request.token
    made.token_queue = request.token_queue
    made.token_lane = request.token_lane
    made.token_sequence = request.token_sequence
    made.wait_ms = wait_ms
    made.buffer_length = request.buffer_length
    made.ccsid = request.ccsid
    made.encoding = request.encoding
    made.syncpoint = request.syncpoint
    made.syncpoint_if_persistent = request.syncpoint_if_persistent
    made.plain = request.plain
    made.apart = request.apart
    return made


def nothing(reason: int, name: str) -> Message | None:
    """A get without a message: not an error if the queue has none."""
    if reason not in (0, MQRC_NO_MSG_AVAILABLE):
        # Some reasons can also be warnings, with a message; an unlock has none.
        comp = mq.MQCC_WARNING if reason == MQRC_NO_MSG_LOCKED else mq.MQCC_FAILED
        raise mq_error(reason, comp=comp, verb="MQGET", object=name)
    return None


def shortened(message: Message, limit: int) -> Message:
    """A message that came whole, as a buffer of that length takes it."""
    base = message.descriptor.pack()
    area = message.property_area
    length = message.length
    return Message(None, message.data[:limit], True, 0, base, message.token, length, area)


def cut(message: Message, request: GetRequest, name: str, passes: int) -> MQError:
    """The message is longer than the caller or the channel allows, and stays on the queue."""
    buffer_bytes = int(request.buffer_length)
    limit = f"the buffer has {buffer_bytes}"
    if buffer_bytes > passes:
        limit = f"the channel passes {passes}: see to its MAXMSGL"
    if message.length <= min(buffer_bytes, passes):
        limit = f"with its properties more than the channel passes, {passes}: see to its MAXMSGL"
    return mq_error(
        MQRC_TRUNCATED_MSG_FAILED,
        verb="MQGET",
        object=name,
        detail=f"{message.length} bytes, {limit}",
        result=message,
    )


def message_of(reply: Reply, request: GetRequest, name: str, passes: int) -> Message | None:
    """What a get answers: the message, None if there is none, or the error that says why."""
    reason = reply.reason
    if reply.comp == mq.MQCC_FAILED:
        return nothing(reason, name)
    if request.options & mq.MQGMO_UNLOCK:
        return nothing(reason, name)
    message = reply.message(min(int(request.buffer_length), passes))
    if message.truncated:
        # What fills the segment up is not of the message, whose length says nothing here.
        message.data = message.data[: int(request.buffer_length)]
    if reason == MQRC_TRUNCATED_MSG_FAILED:
        raise cut(message, request, name, passes)
    if reason and not message.truncated:
        message.warning = reason
    return message
