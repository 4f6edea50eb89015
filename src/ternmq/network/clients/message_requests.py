"""REQUEST_MSGS and NOTIFICATION as a client sends them: what it wants of a consumer, and whether
consumers are served at all."""

from __future__ import annotations

import struct
from typing import Final

from ternmq.base import constants as mq
from ternmq.base.counters import STARTED, STOPPED
from ternmq.base.errors import MQError
from ternmq.kernel.metering_calls import was_controlled, was_registered
from ternmq.network.clients.consumers import IDLE, Consumer
from ternmq.network.clients.conversation import Conversation
from ternmq.network.clients.message_selection import read_selection
from ternmq.network.clients.notifications import PUSHED, notify
from ternmq.wire.fap.flow import read_body
from ternmq.wire.fap.segment import Segment, SegmentError
from ternmq.wire.fap.vocabulary import (
    CHECK_MSG,
    CONFIRM_REQUEST,
    CONN_STATE,
    CONN_STATE_REPLY,
    PROTOCOL_LENGTH_ERROR,
    Q_STATE,
    Q_STATE_REPLY,
    SELECTION,
    STREAM,
    STREAMING_FAILURE,
    SYNCHRONOUS,
)

REQUEST_BYTES: Final = 40
_LITTLE: Final = struct.Struct("<10i")
_BIG: Final = struct.Struct(">10i")
_ID: Final = struct.Struct(">I")
_STARTED: Final = 2  # of CONN_STATE
_CONTROLS: Final[dict[int, int]] = {_STARTED: STARTED, 0: STOPPED}  # what MQCTL did
_REGISTERED: Final = 16  # of Q_STATE
_BROWSE: Final = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT


def request_fast(conversation: Conversation, data: bytes, at: int, body: int, end: int) -> bool:
    """REQUEST_MSGS, read in place."""
    if end - body < REQUEST_BYTES:
        return False
    number: int = _ID.unpack_from(data, body - 24)[0]
    flags = data[body - 18]
    _requested(conversation, data, body, end, number, flags)
    return True


def request_messages(conversation: Conversation, one: Segment) -> None:
    """REQUEST_MSGS."""
    if one.body_bytes < REQUEST_BYTES:
        raise SegmentError(f"REQUEST_MSGS of {one.body_bytes} bytes", PROTOCOL_LENGTH_ERROR)
    header = one.header
    _requested(conversation, one.data, one.body_at, len(one.data), header.request, header.flags_1)


def _requested(
    conversation: Conversation, data: bytes, body: int, end: int, number: int, flags: int
) -> None:
    is_little = conversation.form.is_little
    fields = (_LITTLE if is_little else _BIG).unpack_from(data, body)
    handle_id: int = fields[1]
    request_flags: int = fields[8]
    consumer = conversation.consumers.get(handle_id)
    try:
        if consumer is None:
            handle = conversation.handle(handle_id, "MQGET")
            consumer = Consumer(conversation, handle)
            conversation.consumers[handle_id] = consumer
        consumer.taken(fields[2], fields[9])
        conversation.line.call_counts()
        if request_flags & SELECTION:
            consumer.select(read_selection(data, body + REQUEST_BYTES, end, is_little))
        if flags & CONFIRM_REQUEST:
            consumer.confirm = number
        if fields[3] <= 0:
            consumer.return_unread()
            return
        if fields[5] & _BROWSE == _BROWSE and not consumer.is_first:
            consumer.browse_again()
        is_stream = _is_stream(conversation, consumer, request_flags)
        has_all = consumer.outstanding == 0
        consumer.ahead.asked(fields[5], fields[3], request_flags, is_stream, fields[2], has_all)
        consumer.ask(fields[5], fields[6], fields[4], is_stream)
        consumer.window = fields[3]
    except MQError as error:
        if consumer is None:
            _refused(conversation, handle_id, error, number, flags)
        else:
            consumer.refuse(error)
        return
    if consumer.state == IDLE:
        consumer.go_on()


def _is_stream(conversation: Conversation, consumer: Consumer, flags: int) -> bool:
    """Whether messages are wanted as they come. What IBM's client gets by MQGET it asks for with
    SYNCHRONOUS. It leaves STREAM out while its consumers are not started, or it has messages of
    another queue at hand; what it adds to a stream that it reads by MQGET has no SELECTION."""
    if flags & STREAM:
        return True
    if flags & SYNCHRONOUS or not (flags & SELECTION or consumer.is_stream):
        return False
    if flags & SELECTION and not conversation.was_controlled:
        conversation.is_started = False  # until MQCTL starts it
    return True


def _refused(
    conversation: Conversation, handle_id: int, error: MQError, number: int, flags: int
) -> None:
    notify(conversation, handle_id, STREAMING_FAILURE, error.reason, PUSHED)
    if flags & CONFIRM_REQUEST:
        notify(conversation, handle_id, CHECK_MSG, error.reason, number)


def refuse_request(conversation: Conversation, one: Segment, error: MQError) -> None:
    """A request for messages that went wrong altogether."""
    header = one.header
    values = read_body(one, conversation.line.fap_level).values
    _refused(conversation, int(values["handle"]), error, header.request, header.flags_1)


def notified(conversation: Conversation, one: Segment) -> None:
    """NOTIFICATION from the client: consumption starts or stops."""
    header = one.header
    values = read_body(one, conversation.line.fap_level).values
    code: int = values["code"]
    value: int = values["value"]
    handle: int = values["handle"]
    wants_answer = header.flags_1 & CONFIRM_REQUEST != 0
    if code == CONN_STATE:
        conversation.is_started = value == _STARTED
        conversation.was_controlled = True
        if value in _CONTROLS:
            _counts_control(conversation, _CONTROLS[value])
        for consumer in list(conversation.consumers.values()):
            if conversation.is_started:
                consumer.go_on()
            else:
                consumer.pause()
        if wants_answer:
            notify(conversation, handle, CONN_STATE_REPLY, value, header.request)
    elif code == Q_STATE:
        if value == _REGISTERED:
            _counts_callback(conversation)
        if wants_answer:
            notify(conversation, handle, Q_STATE_REPLY, value, header.request)


def _counts_control(conversation: Conversation, how: int) -> None:
    """MQCTL is the client's own; this is what a queue manager sees of it. Counting refuses nothing:
    one that comes without a connection is not counted."""
    verbs = conversation.verbs
    if verbs is not None and verbs.engine.kernel.measured:
        with verbs.shell.lock:
            was_controlled(verbs.engine.kernel, verbs.link, how)


def _counts_callback(conversation: Conversation) -> None:
    """MQCB likewise."""
    verbs = conversation.verbs
    if verbs is not None and verbs.engine.kernel.measured:
        with verbs.shell.lock:
            was_registered(verbs.engine.kernel, verbs.link)
