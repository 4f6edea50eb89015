"""What a verb of the network client wants sent: by handle and values, made bytes when it is."""

from __future__ import annotations

import time
from typing import Final, final

from ternmq.remote.fap.client_conversation import Conversation, Stream
from ternmq.remote.fap.frames import BIG, request_messages, selection_of
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.wire.fap.flow import write_body
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import Header
from ternmq.wire.fap.vocabulary import (
    CONFIRM_REQUEST,
    FIRST_AND_LAST,
    MQGET,
    MQPUT,
    REQUEST_MSGS,
    SOCKET_ACTION,
    XA_START,
)

AHEAD_REQUEST: Final = 1  # ids of requests, as IBM's clients have them
ASKED_REQUEST: Final = 3
FAP_LEVEL: Final = 10
_CALL_HEAD_BYTES: Final = 16


@final
class FapRequest:
    """One call or other flow; `data` follows the body without being copied into it."""

    __slots__ = (
        "_until_s",
        "area",
        "body",
        "context",
        "data",
        "flags",
        "get",
        "handle",
        "is_answered",
        "is_sent",
        "is_stream",
        "msg_id",
        "options",
        "received_bytes",
        "request",
        "requested_bytes",
        "returnable",
        "stream",
        "type",
        "wait_ms",
    )

    def __init__(
        self, type: int, handle: ObjectHandle | None, body: bytes, data: bytes = b""
    ) -> None:
        self.type = type
        self.handle = handle
        self.body = body  # of MQPUT the packed descriptor
        self.data = data
        self.area = 0  # room for output
        self.options = 0  # MQPMO or MQGMO
        self.msg_id = b""
        self.context = 0  # MQPMO.Context
        self.flags = FIRST_AND_LAST
        self.request = 0
        self.is_answered = True
        self.is_sent = False  # and not answered: it may have happened
        self.returnable = False  # a get that can be taken back until its answer counts
        self.wait_ms = 0
        # REQUEST_MSGS
        self.get: GetRequest | None = None
        self.received_bytes = 0
        self.requested_bytes = 0
        self.is_stream = False  # they come as long as there is room for them
        self.stream: Stream | None = None  # nothing is sent; it is waited for a message of it
        self._until_s = 0.0

    def deadline_s(self) -> float:
        """When the wait is over, however often it begins; 0 if it never is."""
        if not self._until_s and self.wait_ms >= 0:
            self._until_s = time.monotonic() + self.wait_ms / 1000
        return self._until_s

    def encoded(self, conversation: Conversation) -> bytes:
        """The bytes for a conversation."""
        framing = conversation.framing
        handle = 0 if self.handle is None else self.handle.handle_id
        type = self.type
        if type == MQPUT:
            return framing.put(
                handle, self.options, self.body, self.data, self.msg_id, self.context
            )
        if type == MQGET:
            return framing.get(handle, self.body, self.area)
        if type == REQUEST_MSGS:
            return self._ask(conversation, handle)
        if type == SOCKET_ACTION:
            return framing.common(type, self.body)
        if type < 0x80:
            return framing.segment(type, self.flags, self.body, self.request)
        if type >= XA_START:
            length = BIG.pack(framing.header_bytes + len(self.body))
            return framing.segment(type, FIRST_AND_LAST, length + self.body[4:])
        return framing.call(type, handle, self.body, self.data, self.area)

    def _ask(self, conversation: Conversation, handle: int) -> bytes:
        get = self.get
        if get is None:
            return b""
        stream = conversation.streams.get(handle)
        return request_messages(
            conversation.framing,
            handle,
            self.received_bytes,
            self.requested_bytes,
            conversation.framing.buffer_length(get),
            self.options,
            self.wait_ms,
            0 if stream is None else stream.index,
            selection_of(get, 1),
            self.is_stream,
            FIRST_AND_LAST | (CONFIRM_REQUEST if self.is_answered else 0),
            ASKED_REQUEST if self.is_answered else AHEAD_REQUEST,
        )


def table_body(type: int, values: Values) -> bytes:
    """The body of a call by the tables, without the header of the call."""
    return write_body(Header(type), values, FAP_LEVEL)[_CALL_HEAD_BYTES:]


def whole_body(type: int, values: Values) -> bytes:
    """The body of any other flow by the tables."""
    return write_body(Header(type), values, FAP_LEVEL)
