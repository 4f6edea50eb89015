"""Requests of the client's side: what a verb wants sent, by handle and values, and its segments,
made when it is sent.

Segments of puts and gets are written and read at fixed offsets.

The tables of `wire/` can write and read all of it, one field after the other; here whole heads are
kept and only what differs is filled in. Our side is little endian with UTF-8. What a partner sends
in another form is left to the tables.

    call       header (28 or 36 bytes), length u32 big endian, completion, reason, handle i32, body
    MQPUT      MQMD 2 (364 bytes), MQPMO 1 (128), length i32, data  ->  MQMD, MQPMO, length
    MQGET      MQMD 2 (364), MQGMO 3 (100), buffer i32  ->  MQMD, MQGMO, length i32, data
"""

from __future__ import annotations

import struct
import time
from typing import TYPE_CHECKING, Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import IntegrityError, MQError, RemoteProtocolError, mq_error
from ternmq.base.ids import message_token
from ternmq.base.limits import MESSAGE_BYTES_MAX
from ternmq.base.reasons import MQRC_MSG_TOO_BIG_FOR_CHANNEL
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import BYTES_2, Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.remote.remote_verbs import PackedPut
from ternmq.values.entry import ZERO_ID
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.put_form import PUBLICATION_LEVEL_MAX
from ternmq.wire.fap.flow import write_body
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import TSH_BYTES, TSHM_BYTES, Header
from ternmq.wire.fap.vocabulary import (
    AREA_BEFORE_DATA,
    CONFIRM_REQUEST,
    FIRST,
    FIRST_AND_LAST,
    HEARTBEAT,
    LAST,
    MQGET,
    MQPUT,
    PROPERTIES_APART,
    REQUEST_MSGS,
    SELECTION,
    SOCKET_ACTION,
    STREAM,
    SYNCHRONOUS,
    XA_START,
)

if TYPE_CHECKING:
    from ternmq.remote.fap.client_conversation import Conversation, Stream
    from ternmq.remote.multicast.message_buffer import MessageBuffer

ANSWER_S_MAX: Final = 60.0  # for a heartbeat that we asked for
_PROPERTY_CHOICE: Final = (
    PROPERTIES_APART | mq.MQGMO_PROPERTIES_FORCE_MQRFH2 | mq.MQGMO_NO_PROPERTIES
)
CALL_HEAD_BYTES: Final = 16
PMO_BYTES: Final = 128
GMO_BYTES: Final = 100
PUT_MSG_ID_AT: Final = CALL_HEAD_BYTES + 48  # in the body of MQPUT and of its reply
GOT_LENGTH_AT: Final = CALL_HEAD_BYTES + BYTES_2 + GMO_BYTES
GOT_TOKEN_AT: Final = CALL_HEAD_BYTES + BYTES_2 + 80
AHEAD_REQUEST: Final = 1  # ids of requests, as IBM's clients have them
ASKED_REQUEST: Final = 3
FAP_LEVEL: Final = 10
ASYNC_NAME_AT: Final = 55  # in the body of ASYNC_MESSAGE: its fixed part ends

LONG: Final = struct.Struct("<i")
BIG: Final = struct.Struct(">I")
CALL: Final = struct.Struct(">I")
RESULT: Final = struct.Struct("<iii")  # completion, reason, handle
_SHARED: Final = struct.Struct(">4sIII")
_ALONE: Final = struct.Struct(">4sI")
_TAIL: Final = struct.Struct("<BBBB8siHH")
_LITTLE: Final = 2
_ENCODING: Final = 546
_CCSID: Final = 1208
_HEADS_MAX: Final = 64
_MATCH: Final = mq.MQMO_MATCH_MSG_ID | mq.MQMO_MATCH_CORREL_ID
_I32_MAX: Final = 0x7FFFFFFF


def tail(type: int, flags: int) -> bytes:
    """The end of a segment's header, which does not name its conversation."""
    return _TAIL.pack(_LITTLE, type, flags, 0, bytes(8), _ENCODING, _CCSID, 0)


def heartbeat_segment(is_shared: bool) -> bytes:
    """HEARTBEAT of the socket, to be answered."""
    eye = b"TSHC" if is_shared else b"TSH "
    return _ALONE.pack(eye, TSH_BYTES) + tail(HEARTBEAT, CONFIRM_REQUEST)


@final
class Framing:
    """How the segments of one conversation are made."""

    __slots__ = (
        "_get_tail",
        "_last_halves",
        "_last_options",
        "_last_packed",
        "_put_heads",
        "_put_tail",
        "conversation",
        "header_bytes",
        "is_shared",
        "message_bytes_max",
        "segment_bytes_max",
    )

    def __init__(
        self, is_shared: bool, conversation: int, segment_bytes_max: int, message_bytes_max: int
    ) -> None:
        self.is_shared = is_shared
        self.conversation = conversation
        self.segment_bytes_max = segment_bytes_max
        self.message_bytes_max = message_bytes_max or MESSAGE_BYTES_MAX
        self.header_bytes = TSHM_BYTES if is_shared else TSH_BYTES
        self._put_tail = tail(MQPUT, FIRST_AND_LAST)
        self._get_tail = tail(MQGET, FIRST_AND_LAST)
        self._put_heads: dict[tuple[int, bytes, bytes], tuple[bytes, bytes]] = {}
        self._last_packed = b""
        self._last_options = 0
        self._last_halves = (b"", b"")

    def start(self, size: int, request: int = 0) -> bytes:
        """The beginning of a segment of so many bytes."""
        if self.is_shared:
            return _SHARED.pack(b"TSHM", size, self.conversation, request)
        return _ALONE.pack(b"TSH ", size)

    def segment(self, type: int, flags: int, body: bytes, request: int = 0) -> bytes:
        """One segment that is not a call."""
        size = self.header_bytes + len(body)
        return b"".join((self.start(size, request), tail(type, flags), body))

    def common(self, type: int, body: bytes) -> bytes:
        """A segment that belongs to the shared socket."""
        return b"".join((_ALONE.pack(b"TSHC", TSH_BYTES + len(body)), tail(type, 0), body))

    def call(self, type: int, handle: int, body: bytes, data: bytes = b"", area: int = 0) -> bytes:
        """A call in as many segments as it needs; `area` is the room for output that its length
        counts."""
        size = self.header_bytes + CALL_HEAD_BYTES + len(body) + len(data)
        head = CALL.pack((size + area) & 0xFFFFFFFF) + RESULT.pack(0, 0, handle)
        if size <= self.segment_bytes_max:
            start = self.start(size)
            return b"".join((start, tail(type, FIRST_AND_LAST), head, body, data))
        return self.pieces(type, head + body, data)

    def pieces(self, type: int, front: bytes, data: bytes) -> bytes:
        """A body that is too long for one segment: its front, then its data, which is copied only
        once because it is long."""
        room = self.segment_bytes_max - self.header_bytes
        parts: list[bytes | memoryview] = []
        front_bytes = len(front)
        end = front_bytes + len(data)
        view = memoryview(data)
        at = 0
        while at < end:
            size = min(room, end - at)
            flags = (FIRST if at == 0 else 0) | (LAST if at + size == end else 0)
            parts.append(self.start(self.header_bytes + size))
            parts.append(tail(type, flags))
            if at < front_bytes:
                parts.append(front[at : at + size])
            parts.append(view[max(at - front_bytes, 0) : max(at + size - front_bytes, 0)])
            at += size
        return b"".join(parts)

    # ---- put

    def put(
        self,
        handle: int,
        options: int,
        packed: bytes,
        data: bytes,
        msg_id: bytes = b"",
        context: int = 0,
    ) -> bytes:
        """MQPUT with a packed descriptor; a MsgId that is given counts more than its own."""
        if packed is not self._last_packed or options != self._last_options:
            self._last_packed = packed
            self._last_options = options
            self._last_halves = self._put_halves(options, packed)
        halves = self._last_halves
        length = len(data)
        size = self.header_bytes + CALL_HEAD_BYTES + BYTES_2 + PMO_BYTES + 4 + length
        if context or size > self.segment_bytes_max:
            body = self.put_body(packed, options, msg_id, context)
            return self.call(MQPUT, handle, body + LONG.pack(length), data)
        return b"".join(
            (
                self.start(size),
                self._put_tail,
                CALL.pack(size),
                RESULT.pack(0, 0, handle),
                halves[0],
                msg_id or packed[48:72],
                packed[72:96],
                halves[1],
                LONG.pack(length),
                data,
            )
        )

    def put_parts(
        self, handle: int, options: int, packed: bytes, length: int
    ) -> tuple[bytes, bytes]:
        """What stands before the MsgId and behind it, up to data of that length; empty if they do
        not fit into one segment."""
        size = self.header_bytes + CALL_HEAD_BYTES + BYTES_2 + PMO_BYTES + 4 + length
        if size > self.segment_bytes_max:
            return b"", b""
        halves = self._put_halves(options, packed)
        head = CALL.pack(size) + RESULT.pack(0, 0, handle)
        before = b"".join((self.start(size), self._put_tail, head, halves[0]))
        return before, b"".join((packed[72:96], halves[1], LONG.pack(length)))

    def put_body(
        self,
        packed: bytes,
        options: int,
        msg_id: bytes = b"",
        context: int = 0,
        level: int = PUBLICATION_LEVEL_MAX,
    ) -> bytes:
        """MQMD and MQPMO of a put."""
        version = 1 if level == PUBLICATION_LEVEL_MAX else 3
        pmo = PutOptions(
            options=options, context=context, publication_level=level, version=version
        ).pack()
        if msg_id:
            packed = packed[:48] + msg_id + packed[72:]
        return packed + pmo

    def _put_halves(self, options: int, packed: bytes) -> tuple[bytes, bytes]:
        """The descriptor and the options, but for the identifiers: those of most puts are alike."""
        key = (options, packed[:48], packed[96:])
        halves = self._put_heads.get(key)
        if halves is None:
            halves = (packed[:48], self.put_body(packed, options)[96:])
            if len(self._put_heads) >= _HEADS_MAX:
                self._put_heads.clear()
            self._put_heads[key] = halves
        return halves

    # ---- get

    def get(self, handle: int, body: bytes, buffer_length: int) -> bytes:
        """MQGET, whose body `get_body` made."""
        size = self.header_bytes + CALL_HEAD_BYTES + len(body)
        head = CALL.pack((size + buffer_length) & 0xFFFFFFFF)
        return b"".join((self.start(size), self._get_tail, head, RESULT.pack(0, 0, handle), body))

    def too_long(self, length: int, verb: str, name: str) -> MQError:
        """A message is longer than both sides agreed on; it is not sent."""
        detail = f"{length} bytes, MAXMSGL({self.message_bytes_max}): raise MAXMSGL of the channel"
        return mq_error(MQRC_MSG_TOO_BIG_FOR_CHANNEL, verb=verb, object=name, detail=detail)

    def buffer_length(self, request: GetRequest) -> int:
        """How much of a message a get takes: no message is longer than was agreed."""
        return min(int(request.buffer_length), self.message_bytes_max, _I32_MAX)


def furnished(form: PackedPut, data: bytes, is_ours: bool) -> tuple[bytes, bytes, int]:
    """Descriptor, data and further options of a put. Its properties travel before the data: as they
    are to a queue manager of ours, so that it knows them from headers of the application's, and in
    an MQRFH2 to any other."""
    if not form.properties:
        return form.packed, data, 0
    if is_ours:
        return form.packed, form.properties + data, AREA_BEFORE_DATA
    from ternmq.codec.property_header import as_put  # few puts need it

    data, packed = as_put(form.properties, data, form.packed)
    return packed, data, 0


def own_id(options: int, packed: bytes) -> bytes:
    """The MsgId that the application gave a message; empty if it is to have a new one."""
    msg_id = packed[48:72]
    return b"" if options & mq.MQPMO_NEW_MSG_ID or msg_id == ZERO_ID else msg_id


def silent_options(options: int) -> int:
    """Options of a put that is not answered: it brings its MsgId, which the application gets,
    so the queue manager must not give it another."""
    return (options | mq.MQPMO_ASYNC_RESPONSE) & ~mq.MQPMO_NEW_MSG_ID


def asked_options(request: GetRequest, is_ours: bool) -> int:
    """MQGMO options as they travel. To a queue manager of ours they say whether properties are to
    come beside the data; with any other, that is as its queue and the options say."""
    options = int(request.options)
    if is_ours and request.apart and not options & _PROPERTY_CHOICE:
        options |= PROPERTIES_APART
    return options


def get_body(request: GetRequest, buffer_length: int, options: int) -> bytes:
    """MQMD, MQGMO and the length of the buffer."""
    md = Descriptor(
        msg_id=request.msg_id,
        correl_id=request.correl_id,
        group_id=request.group_id,
        ccsid=int(request.ccsid),
        encoding=int(request.encoding),
        msg_seq_number=max(int(request.msg_sequence), 1),
        offset=max(int(request.msg_offset), 0),
    )
    gmo = GetOptions(
        options=options,
        wait_interval=int(request.wait_ms),
        match_options=matches(request),
        message_token=token_of(request),
        version=3,
    )
    return md.pack() + gmo.pack() + LONG.pack(buffer_length)


def matches(request: GetRequest) -> int:
    """MatchOptions of a checked request."""
    found = _MATCH
    if request.group_id != ZERO_ID:
        found |= mq.MQMO_MATCH_GROUP_ID
    if request.token >= 0:
        found |= mq.MQMO_MATCH_MSG_TOKEN
    if request.msg_sequence >= 0:
        found |= mq.MQMO_MATCH_MSG_SEQ_NUMBER
    if request.msg_offset >= 0:
        found |= mq.MQMO_MATCH_OFFSET
    return found


def token_of(request: GetRequest) -> bytes:
    """The MsgToken that a request asks for; zeros if it asks for none."""
    if request.token < 0:
        return bytes(16)
    return message_token(
        int(request.token_queue),
        int(request.token_lane),
        int(request.token_sequence),
        int(request.token),
    )


def message_from(
    base: bytes, data: bytes, token: bytes, length: int, is_cut: bool, area_bytes: int
) -> Message:
    """A message with a canonical descriptor, as the application gets it; the data may begin with
    its property area."""
    if area_bytes <= 0:
        return Message(None, data, is_cut, 0, base, token, length)
    from ternmq.codec.property_area import check_area  # few messages need it

    area = data[:area_bytes]
    try:
        check_area(area)
    except IntegrityError as error:
        raise RemoteProtocolError(f"a message with {error}") from error
    return Message(None, data[area_bytes:], is_cut, 0, base, token, length, area)


# ---- REQUEST_MSGS

_ASK: Final = struct.Struct("<iiiiiiiiii")
_SELECT: Final = struct.Struct("<HHiiiii")


def request_messages(
    framing: Framing,
    handle: int,
    received_bytes: int,
    requested_bytes: int,
    bytes_max: int,
    options: int,
    wait_ms: int,
    index: int,
    selection: bytes,
    is_stream: bool,
    flags: int,
    request: int,
) -> bytes:
    """REQUEST_MSGS: `flags` of the segment say whether it must be answered."""
    body = _ASK.pack(
        1,
        handle,
        received_bytes,
        requested_bytes,
        bytes_max,
        options,
        wait_ms,
        0,
        SELECTION | (STREAM if is_stream else SYNCHRONOUS),
        index,
    )
    return framing.segment(REQUEST_MSGS, flags, body + selection, request)


def selection_of(request: GetRequest, index: int) -> bytes:
    """The part of REQUEST_MSGS that says which messages, and in what form."""
    found = 0
    parts: list[bytes] = []
    if request.msg_id != bytes(24):
        found |= mq.MQMO_MATCH_MSG_ID
        parts.append(request.msg_id)
    if request.correl_id != bytes(24):
        found |= mq.MQMO_MATCH_CORREL_ID
        parts.append(request.correl_id)
    if request.group_id != bytes(24):
        found |= mq.MQMO_MATCH_GROUP_ID
        parts.append(request.group_id)
    if request.token >= 0:
        found |= mq.MQMO_MATCH_MSG_TOKEN
        parts.append(token_of(request))
    head = _SELECT.pack(
        index,
        2,
        int(request.ccsid),
        int(request.encoding),
        max(int(request.msg_sequence), 1),
        max(int(request.msg_offset), 0),
        found,
    )
    return head + b"".join(parts)


# ---- what a verb wants sent


@final
class FapRequest:
    """One call or other flow; `data` follows the body without being copied into it."""

    __slots__ = (
        "_until_s",
        "area",
        "body",
        "buffer",
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
        "seen",
        "stream",
        "type",
        "wait_ms",
    )

    def __init__(
        self, type: int, handle: ObjectHandle | None, body: bytes, data: bytes = b""
    ) -> None:
        self.type = type
        self.handle = handle
        self.body = body  # of MQPUT the packed descriptor; to a list, all but the data
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
        # a wait for publications by multicast, and how many had come
        self.buffer: MessageBuffer | None = None
        self.seen = 0
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
        if type == MQPUT and len(self.body) == BYTES_2:
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
        framing = conversation.framing
        return request_messages(
            framing,
            handle,
            self.received_bytes,
            self.requested_bytes,
            # What comes ahead comes whole: the buffer of a later get may be longer.
            framing.message_bytes_max if self.is_stream else framing.buffer_length(get),
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
    return write_body(Header(type), values, FAP_LEVEL)[CALL_HEAD_BYTES:]


def whole_body(type: int, values: Values) -> bytes:
    """The body of any other flow by the tables."""
    return write_body(Header(type), values, FAP_LEVEL)
