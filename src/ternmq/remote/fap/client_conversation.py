"""What comes in on the client's end of a channel: bytes to segments to the conversations' answers.

No I/O: a transport feeds bytes, sends what is in `out`, and looks for a conversation's answer or
messages. One socket has one `ChannelEnd`, whatever the number of conversations on it. A
conversation has one call under way at a time, so the next answer is the answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.constants import MQCC_FAILED
from ternmq.base.errors import LocalProtocolError, RemoteProtocolError
from ternmq.base.reasons import MQRC_TRUNCATED_MSG_ACCEPTED, MQRC_TRUNCATED_MSG_FAILED
from ternmq.codec.mqi.mqmd import BYTES_2, MSG_ID_AT
from ternmq.mqi.descriptor import canonical
from ternmq.remote.fap.frames import (
    ASYNC_NAME_AT,
    GOT_LENGTH_AT,
    GOT_TOKEN_AT,
    LONG,
    PUT_MSG_ID_AT,
    RESULT,
    Framing,
    message_from,
)
from ternmq.values.get_request import GetRequest
from ternmq.values.message import Message
from ternmq.wire.fap.dialogue import (
    ABSENT,
    ANSWER_HEARTBEAT,
    CONVERSATION,
    INITIATOR,
    NEW,
    OPEN,
    PASS_ON,
    REPORT_WHY,
    SOCKET,
    Dialogue,
)
from ternmq.wire.fap.flow import read_body, write_body
from ternmq.wire.fap.negotiation import Agreement, bytes_of_call_max
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import BYTES_MIN, Header, Segment, read_segment
from ternmq.wire.fap.segment_number import i32, u32_big
from ternmq.wire.fap.segment_reader import Assembler, bytes_allowed
from ternmq.wire.fap.vocabulary import (
    ASYNC_MESSAGE,
    CHECK_MSG,
    FIRST_AND_LAST,
    GET_INHIBITED,
    HEARTBEAT,
    NOTIFICATION,
    QM_QUIESCING,
    REPLY,
    SOCKET_ACTION,
    STATUS_DATA,
    STREAMING_FAILURE,
    STREAMING_TXN_PAUSED,
    TAKE_BACK,
    type_name,
)

MESSAGE_OVERHEAD_BYTES: Final = BYTES_2  # what a message counts beside its data
# In the body of ASYNC_MESSAGE.
_HANDLE_AT: Final = 4
_INDEX_AT: Final = 12
_SIZE_AT: Final = 16
_REASON_AT: Final = 24
_ACTUAL_AT: Final = 28
_TOTAL_AT: Final = 32
_TOKEN_AT: Final = 36
_NAME_BYTES_AT: Final = 54
_LITTLE: Final = 2
_TSH: Final = 0x54534820
_TSHM: Final = 0x5453484D
_TSHC: Final = 0x54534843
_ANY_HANDLE: Final = -1
_FAULTS: Final = (GET_INHIBITED, QM_QUIESCING, STREAMING_FAILURE)
# Options of a get that are the same for all that read ahead.
_SAME: Final = (
    mq.MQGMO_CONVERT
    | mq.MQGMO_PROPERTIES_FORCE_MQRFH2
    | mq.MQGMO_NO_PROPERTIES
    | mq.MQGMO_PROPERTIES_IN_HANDLE
    | mq.MQGMO_PROPERTIES_COMPATIBILITY
)
_CUT: Final = (MQRC_TRUNCATED_MSG_ACCEPTED, MQRC_TRUNCATED_MSG_FAILED)


class ChannelEnded(Exception):
    """The queue manager has said in STATUS_DATA why it ends the channel, or refuses it."""

    def __init__(self, status: int, value: int) -> None:
        super().__init__(status, value)
        self.status = status
        self.value = value


def in_our_form(one: Segment, level: int) -> Segment:
    """An answer from a partner of another byte order or character set, as we would write it."""
    values = read_body(one, level).values
    header = Header(one.header.type, flags_1=one.header.flags_1)
    try:
        return Segment(header, write_body(header, values, level), 0)
    except LocalProtocolError as error:  # values that can be read, but do not hold together
        raise RemoteProtocolError(str(error)) from error


@final
class Reply:
    """A whole answer: a reply to a call, a status, a notification."""

    __slots__ = ("at", "comp", "data", "end", "handle", "level", "reason", "type")

    def __init__(self, type: int, data: bytes, at: int, end: int, level: int) -> None:
        self.type = type
        self.data = data
        self.at = at
        self.end = end
        self.level = level
        self.comp = 0
        self.reason = 0
        self.handle = 0
        if type >= 0x91:
            if end - at < 16:
                raise RemoteProtocolError(f"{type_name(type)} of {end - at} bytes")
            self.comp, self.reason, self.handle = RESULT.unpack_from(data, at + 4)

    @property
    def failed(self) -> bool:
        """Whether the call did not do what was asked."""
        return self.comp == MQCC_FAILED

    def values(self) -> Values:
        """Every field by its name."""
        one = Segment(Header(self.type), self.data[self.at : self.end], 0)
        return read_body(one, self.level).values

    @property
    def size(self) -> int:
        """Bytes behind the header."""
        return self.end - self.at

    def bytes_at(self, at: int, size: int) -> bytes:
        """Bytes of the body, which must be there."""
        if at + size > self.size:
            detail = f"{self.size} bytes, {at + size} are needed"
            raise RemoteProtocolError(f"{type_name(self.type)}: {detail}")
        return self.data[self.at + at : self.at + at + size]

    def msg_id(self) -> bytes:
        """MsgId, of a reply to a put."""
        return self.bytes_at(PUT_MSG_ID_AT, 24)

    def descriptor_part(self, at: int, size: int) -> bytes:
        """Bytes of the MQMD, of a reply to a put."""
        return self.bytes_at(PUT_MSG_ID_AT - MSG_ID_AT + at, size)

    def message(self, limit: int) -> Message:
        """What a reply to MQGET with a buffer of that length has."""
        base = self.bytes_at(16, BYTES_2)
        token = self.bytes_at(GOT_TOKEN_AT, 16)
        length: int = LONG.unpack(self.bytes_at(GOT_LENGTH_AT, 4))[0]
        is_cut = self.reason in _CUT
        # Segments may be filled up behind the data, so their length says nothing.
        returned: int = LONG.unpack(self.bytes_at(GOT_TOKEN_AT + 16, 4))[0]
        # A queue manager of ours has a property area before it, which does not count.
        size = max(min(length, limit) if is_cut else length, 0)
        area_bytes = returned - size if returned > size else 0
        if is_cut and 0 <= returned < size:
            size = returned
        size = min(self.size - GOT_LENGTH_AT - 4, size + area_bytes)
        start = self.at + GOT_LENGTH_AT + 4
        data = self.data[start : start + size]
        return message_from(base, data, token, length, is_cut, area_bytes)


@final
class Stream:
    """Messages of one handle that came before a get asked for them, in order."""

    __slots__ = (
        "consumed_bytes",
        "fault",
        "get",
        "index",
        "indexes",
        "is_armed",
        "is_cut",
        "is_paused",
        "messages",
        "name",
        "reason",
        "was_interrupted",
        "window_bytes",
    )

    def __init__(self, window_bytes: int) -> None:
        self.messages: deque[Message] = deque()
        self.indexes: deque[int] = deque()  # the queue manager's numbers of them
        self.window_bytes = window_bytes  # 0: one message for one request
        self.consumed_bytes = 0  # since that was last reported
        self.index = 0  # of the last message that was taken
        self.name = ""
        self.reason = 0  # of the last message
        self.fault = 0  # why no more come
        self.is_armed = False  # more come by themselves
        self.is_paused = False  # there may be one that only comes when a get asks for it
        self.is_cut = False  # the next one is longer than the channel passes, and on its queue
        self.was_interrupted = False  # a connection was lost on which some may have been
        self.get: GetRequest | None = None  # what is read ahead

    def add(self, message: Message, index: int) -> None:
        """One has come."""
        self.messages.append(message)
        self.indexes.append(index)

    def suits(self, request: GetRequest) -> bool:
        """Whether what is read ahead comes as a get wants it: converted or not, and its properties
        in the same way."""
        asked = self.get
        if asked is None or asked is request:
            return True
        if (asked.options ^ request.options) & _SAME or asked.apart != request.apart:
            return False
        if not request.options & mq.MQGMO_CONVERT:
            return True
        return asked.ccsid == request.ccsid and asked.encoding == request.encoding

    def fits(self, request: GetRequest) -> bool:
        """Whether the next one, if there is one, is whole and fits the buffer of a get."""
        if not self.messages:
            return True
        message = self.messages[0]
        return not message.truncated and len(message.data) <= request.buffer_length

    def take(self) -> Message | None:
        """The next one."""
        if not self.messages:
            return None
        message = self.messages.popleft()
        self.index = self.indexes.popleft()
        size = len(message.data) + len(message.property_area)
        self.consumed_bytes += size + MESSAGE_OVERHEAD_BYTES
        if message.persistent:
            self.is_armed = False  # persistent messages do not come by themselves
            self.is_paused = True  # and the next may be such
        return message

    def take_consumed(self) -> int:
        """The bytes consumed, which are reported now."""
        consumed = self.consumed_bytes
        self.consumed_bytes = 0
        return consumed

    @property
    def has_news(self) -> bool:
        """Whether a get that waits for a message has something to see to."""
        return len(self.messages) > 0 or self.fault != 0 or self.is_paused

    @property
    def credit_is_due(self) -> bool:
        """Whether half of the window is consumed, so that the queue manager must know."""
        return self.consumed_bytes * 2 >= self.window_bytes


@final
class Conversation:
    """One connection of an application, as far as the wire goes."""

    def __init__(self, number: int, agreement: Agreement) -> None:
        self.number = number
        self.framing = Framing(
            agreement.is_shared,
            number,
            agreement.segment_bytes_max - agreement.reserved_bytes,
            agreement.message_bytes_max,
        )
        self.level = agreement.fap_level
        self.reply: Reply | None = None
        self.skip = 0  # answers that no call waits for any more
        self.streams: dict[int, Stream] = {}
        self.wake: Callable[[], None] | None = None
        self.ended: Exception | None = None
        # The first one of a socket begins with it.
        self.dialogue = Dialogue(CONVERSATION, INITIATOR, NEW if number == 1 else ABSENT)

    def take_reply(self) -> Reply | None:
        """The answer, if it is there."""
        reply = self.reply
        self.reply = None
        return reply

    def wake_waiter(self) -> None:
        """Something has come that a call may wait for."""
        wake = self.wake
        if wake is not None:
            self.wake = None
            wake()

    def answered(self, reply: Reply) -> None:
        """The answer to the call that is under way."""
        if self.skip:
            self.skip -= 1
            return
        self.reply = reply
        self.wake_waiter()

    def end(self, error: Exception) -> None:
        """No more comes."""
        if self.ended is None:
            self.ended = error
        self.wake_waiter()

    # ---- what comes

    def pushed(self, data: bytes, at: i64, end: i64) -> None:
        """ASYNC_MESSAGE, whole and in our form."""
        if end - at < ASYNC_NAME_AT:
            raise RemoteProtocolError(f"ASYNC_MESSAGE of {end - at} bytes")
        name_at = at + ASYNC_NAME_AT
        name_bytes: i64 = data[at + _NAME_BYTES_AT]
        base_at = name_at + name_bytes + (-(3 + name_bytes) & 3)
        data_at = base_at + BYTES_2
        size = i32(data, at + _SIZE_AT, True)
        if not 0 <= size <= end - data_at:
            raise RemoteProtocolError(f"ASYNC_MESSAGE: {size} bytes of data, {end - data_at} left")
        stream = self.streams.get(int(i32(data, at + _HANDLE_AT, True)))
        if stream is None:
            return  # of a handle that was closed meanwhile
        reason = int(i32(data, at + _REASON_AT, True))
        stream.reason = reason
        if data[base_at + 4] != 2:
            found = data[base_at + 4]
            raise RemoteProtocolError(f"ASYNC_MESSAGE with MQMD {found}, 2 was asked for")
        message = message_from(
            data[base_at:data_at],
            data[data_at : data_at + size],
            data[at + _TOKEN_AT : at + _TOKEN_AT + 16],
            int(i32(data, at + _TOTAL_AT, True)),
            reason in _CUT,
            int(size - i32(data, at + _ACTUAL_AT, True)),
        )
        if reason and reason != MQRC_TRUNCATED_MSG_ACCEPTED:
            message.warning = reason  # of one that was cut: whether it stays on its queue
        if not stream.name:
            stream.name = data[name_at : name_at + name_bytes].decode("ascii", "replace").rstrip()
        stream.add(message, int(i32(data, at + _INDEX_AT, True)))
        if self.wake is not None:
            self.wake_waiter()

    def pushed_values(self, values: Values) -> None:
        """The same from a partner of another byte order or character set."""
        stream = self.streams.get(values["handle"])
        if stream is None:
            return
        base = canonical(values["descriptor"]).pack()
        reason: int = values["reason"]
        data: bytes = values["data"]
        token: bytes = values["message_token"]
        length: int = values["total_length"]
        area_bytes = len(data) - values["actual_length"]
        message = message_from(base, data, token, length, reason in _CUT, area_bytes)
        if reason and reason != MQRC_TRUNCATED_MSG_ACCEPTED:
            message.warning = reason  # of one that was cut: whether it stays on its queue
        stream.reason = reason
        stream.name = str(values["resolved_queue_name"])
        stream.add(message, values["global_message_index"])
        self.wake_waiter()

    def notified(self, handle: int, code: int, value: int, reply: Reply) -> None:
        """NOTIFICATION."""
        if code in (CHECK_MSG, TAKE_BACK):
            reply.reason = value
            self.answered(reply)
            return
        if code in _FAULTS:
            for number, stream in self.streams.items():
                if handle in (number, _ANY_HANDLE):
                    stream.fault = value
                    stream.is_armed = False
        elif code == STREAMING_TXN_PAUSED and handle in self.streams:
            self.streams[handle].is_armed = False
            self.streams[handle].is_paused = True
        self.wake_waiter()


@final
class ChannelEnd:
    """One socket, or the TLS in it."""

    def __init__(self, agreement: Agreement) -> None:
        self.agreement = agreement
        self.conversations: dict[int, Conversation] = {}
        self.next_number = 1
        self.out: list[bytes] = []  # to be sent because of what came
        self.ended: Exception | None = None
        self.dialogue = Dialogue(SOCKET, INITIATOR, OPEN)
        self.heartbeat_due = False  # we asked, and have no answer yet
        self._kept = b""
        self._bytes_max = bytes_allowed(agreement.segment_bytes_max)
        conversations = max(agreement.conversations_max, 1)
        self._assembler = Assembler(bytes_of_call_max(agreement), conversations * 2)

    def add(self) -> Conversation:
        """Another conversation; its number is odd."""
        conversation = Conversation(self.next_number, self.agreement)
        self.conversations[self.next_number] = conversation
        self.next_number += 2
        return conversation

    @property
    def has_room(self) -> bool:
        """Whether another conversation may begin."""
        most = max(self.agreement.conversations_max, 1)
        return self.ended is None and len(self.conversations) < most

    def remove(self, conversation: Conversation) -> None:
        """A conversation has ended."""
        self.conversations.pop(conversation.number, None)
        self._assembler.forget(conversation.number if self.agreement.is_shared else 0)

    def end(self, error: Exception) -> None:
        """The socket is gone; every conversation ends at once."""
        if self.ended is None:
            self.ended = error
        for conversation in list(self.conversations.values()):
            conversation.end(self.ended)

    def feed(self, data: bytes) -> None:
        """Bytes have come."""
        at: i64 = 0
        kept = self._kept
        if kept:
            self._kept = b""
            if len(kept) < BYTES_MIN:
                data = kept + data
            else:
                at = self._feed_rest(kept, data)
        have: i64 = len(data)
        while have - at >= BYTES_MIN:
            length = self._length(data, at)
            if have - at < length:
                break
            self._segment(data, at, length)
            at += length
        if at < have:
            self._kept = data[at:] if at else data

    def _feed_rest(self, kept: bytes, data: bytes) -> i64:
        """The segment whose beginning came before: how much of `data` belongs to it. What follows
        stays where it is."""
        missing = self._length(kept, 0) - len(kept)
        if missing > len(data):
            self._kept = kept + data
            return len(data)
        self._segment(kept + data[:missing], 0, len(kept) + missing)
        return missing

    def _length(self, data: bytes, at: i64) -> i64:
        length = u32_big(data, at + 4)
        if not 28 <= length <= self._bytes_max:
            raise RemoteProtocolError(f"a segment of {length} bytes")
        return length

    def _segment(self, data: bytes, at: i64, length: i64) -> None:
        eye = u32_big(data, at)
        number: i64 = 1
        if eye == _TSHM:
            number = u32_big(data, at + 8)
            tail = at + 16
            body = at + 36
        elif eye in (_TSH, _TSHC):
            tail = at + 8
            body = at + 28
        else:
            self._other_form(data[at : at + length])
            return
        if body > at + length:
            raise RemoteProtocolError(f"a segment of {length} bytes")
        type = data[tail + 1]
        flags = data[tail + 2]
        conversation = self.conversations.get(int(number))
        if data[tail] != _LITTLE or flags & FIRST_AND_LAST != FIRST_AND_LAST or type < REPLY:
            if type == ASYNC_MESSAGE and data[tail] == _LITTLE and conversation is not None:
                if flags & FIRST_AND_LAST == FIRST_AND_LAST:
                    conversation.pushed(data, body, at + length)
                    return
            self._other_form(data[at : at + length])
            return
        if not type & REPLY:
            raise RemoteProtocolError(f"{type_name(type)} is nothing that a client gets")
        if conversation is not None:
            end = int(at + length)
            conversation.answered(Reply(type, data, int(body), end, self.agreement.fap_level))

    # ---- what is rare

    def _other_form(self, data: bytes) -> None:
        """A segment of a longer call, of another form, or of no call."""
        one = self._assembler.add(read_segment(data))
        if one is None:
            return
        header = one.header
        type = header.type
        action = self.dialogue.came(type, header.flags_1).action
        if type == HEARTBEAT:
            self.heartbeat_due = False
        if action == ANSWER_HEARTBEAT:
            self.out.append(header.answer(HEARTBEAT, 0).pack(0))
        elif action == REPORT_WHY:
            values = read_body(one, self.agreement.fap_level).values
            self.end(ChannelEnded(values.get("code", 0), values.get("value", 0)))
        elif action == PASS_ON:
            self._pass_on(one)

    def _pass_on(self, one: Segment) -> None:
        """To the conversation that it belongs to."""
        header = one.header
        type = header.type
        number = header.conversation if self.agreement.is_shared and header.conversation else 1
        conversation = self.conversations.get(number)
        if conversation is None:
            return
        level = self.agreement.fap_level
        is_ours = header.order == "<" and not header.is_ebcdic
        if type == ASYNC_MESSAGE:
            if is_ours:
                conversation.pushed(one.data, one.body_at, len(one.data))
            else:
                conversation.pushed_values(read_body(one, level).values)
            return
        self._answer(conversation, one if is_ours else in_our_form(one, level))

    def _answer(self, conversation: Conversation, one: Segment) -> None:
        level = self.agreement.fap_level
        type = one.header.type
        reply = Reply(type, one.data, one.body_at, len(one.data), level)
        if type == NOTIFICATION:
            values = read_body(one, level).values
            conversation.notified(values["handle"], values["code"], values["value"], reply)
        elif type in (STATUS_DATA, SOCKET_ACTION) or type >= 0x91:
            conversation.answered(reply)
        else:
            raise RemoteProtocolError(f"{type_name(type)} is nothing that a client gets")
