"""One partner's socket without the socket: bytes come in, become segments and calls, and go to
their conversation; what conversations write leaves together at the end of the turn.

Single segments of the three frequent calls are handed on in place; everything else is put together
and read by the tables of `wire`. What a partner may make the queue manager keep is bounded before
it is known: by one segment, then by what was agreed. What cannot be is answered with STATUS_DATA,
written to the log, and ends the socket.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base.errors import MQError, ProtocolError
from ternmq.base.limits import (
    REQUEST_BYTES_WAITING_MAX,
    REQUESTS_WAITING_MAX,
    UNAUTHENTICATED_BYTES_MAX,
)
from ternmq.host.answer_room import OUT_BYTES_MAX
from ternmq.host.jobs import Job, LoopVerbs, Outlet, Turns
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.kernel.requests import GetCall
from ternmq.network.clients.byte_form import Form, aligned
from ternmq.network.clients.conversation import Conversation
from ternmq.network.clients.get_call import get_fast
from ternmq.network.clients.message_requests import refuse_request, request_fast
from ternmq.network.clients.mqi_calls import CALLS, REFUSALS
from ternmq.network.clients.put_call import put_fast
from ternmq.network.clients.spi_calls import is_notify
from ternmq.network.clients.take_back import take_back_if_asked
from ternmq.network.clients.unsent_answers import Resumption, Settling, Unsent
from ternmq.network.clients.xa_flows import XA_CALLS, refuse_xa
from ternmq.network.edge.status_segment import status_segment
from ternmq.wire.fap.dialogue import ACCEPTOR, CONNECTED, OPENING, SOCKET, SOCKET_TYPES, Dialogue
from ternmq.wire.fap.negotiation import Agreement, bytes_of_call_max, bytes_of_parts_max
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import (
    BYTES_MIN,
    TSH_BYTES,
    TSHM,
    TSHM_BYTES,
    Header,
    Segment,
    SegmentError,
    read_segment,
    segment,
    segment_length,
    segment_variant,
)
from ternmq.wire.fap.segment_number import u32_big
from ternmq.wire.fap.segment_reader import Assembler, bytes_allowed, split
from ternmq.wire.fap.vocabulary import (
    CLOSE_CHANNEL,
    ERROR,
    FIRST_AND_LAST,
    MQBACK,
    MQCMIT,
    MQGET,
    MQPUT,
    PROTOCOL_GENERAL,
    REQUEST_MSGS,
    STATUS_DATA,
    type_name,
)

if TYPE_CHECKING:
    from ternmq.network.clients.server_dialogue import Opening
    from ternmq.network.edge.partner_socket import PartnerSocket

_ENDS_OF_UNITS: Final = {MQCMIT, MQBACK, *XA_CALLS}
OPENING_BYTES_MAX: Final = 4096  # of a segment before both sides have agreed
_TOGETHER_BYTES: Final = 1 << 20  # sent by one write of the socket, if there is more
_COUNTED_BYTES: Final = 4096  # sent at once: less is not counted unless the socket is full
_TSHM: Final = 0x5453484D
_TSH: Final = 0x54534820


@final
class Line(Outlet):
    """What one socket says and hears."""

    def __init__(self, socket: PartnerSocket, turns: Turns) -> None:
        super().__init__()
        self.socket = socket
        self.turns = turns
        self.instance: ChannelInstance | None = None
        self.opening: Opening | None = None
        self.dialogue = Dialogue(SOCKET, ACCEPTOR, OPENING)
        self.form: Form | None = None
        self.is_open = False  # initial data is agreed
        self.is_known = False  # who the partner is
        self.is_closing = False
        self.is_handed_over = False  # the partner is not a client: others serve the socket
        self.is_shared = False
        self.is_silent = False  # asynchronous puts have no reply
        self.fap_level = 0
        self.segment_bytes_max = OPENING_BYTES_MAX
        self.message_bytes_max = 0
        self.parts_bytes_max = 0  # of a message with its properties beside the data
        self.conversations: dict[int, Conversation] = {}
        self.conversations_max = 1
        self.next_handle = 2  # handles are unique on a socket
        self.is_writable = True
        self.is_reading = True
        self.heard_ns = 0
        self._fed_ns = 0  # the time of the clock then
        self._rest = b""
        self._segment_max = OPENING_BYTES_MAX
        self._call_bytes_max = OPENING_BYTES_MAX
        self._assembler = Assembler(OPENING_BYTES_MAX, 1)
        self._out: list[bytes] = []
        self._out_bytes = 0
        self._paused: list[Job] = []  # who goes on writing when it can
        self._is_stalled = False  # calls wait because it cannot be written
        self._resumption = Resumption(self)
        self._unsent = Unsent()
        self._settling = Settling(self)
        self._cut_bytes = 0  # never to leave
        self._largest_bytes = 0  # of what was sent at once, since all had left
        self.is_stopping = False  # the queue manager ends: no call waits for room any more

    def agree(self, agreement: Agreement, conversations_max: int) -> None:
        """Both sides have agreed."""
        self.is_open = True
        self.is_shared = agreement.is_shared
        # IBM's client reserves identifiers once for all its connections to a queue manager, so it
        # need not have done so on this one.
        self.is_silent = agreement.is_shared or agreement.has_spi
        self.fap_level = agreement.fap_level
        self.segment_bytes_max = agreement.segment_bytes_max
        self.message_bytes_max = agreement.message_bytes_max
        self.parts_bytes_max = bytes_of_parts_max(agreement)
        self.conversations_max = max(conversations_max, 1)
        self._segment_max = bytes_allowed(agreement.segment_bytes_max)
        self._call_bytes_max = bytes_of_call_max(agreement)
        self._assembler = Assembler(UNAUTHENTICATED_BYTES_MAX, self.conversations_max)

    def recognize(self) -> None:
        """The partner has shown who it is: from now on it may send what was agreed."""
        if not self.is_known:
            self.is_known = True
            self.turns.room.enter(self, self.socket.owner)
            self._assembler.allow(self._call_bytes_max)

    # ---- bytes in

    @property
    def kept_bytes(self) -> int:
        """Bytes of a segment that has not come whole."""
        return len(self._rest)

    def feed(self, data: bytes) -> None:
        """Bytes have come."""
        turns = self.turns
        turns.begin()
        self.heard_ns = int(turns.clock.monotonic_ns())
        turns.clock_ns = self.heard_ns
        self._fed_ns = int(turns.clock.now_ns())
        if not self._unsent.is_empty:
            self.settle_gets()
        instance = self.instance
        if instance is not None:
            instance.bytes_received += len(data)
        try:
            self._take(data)
        except ProtocolError as error:
            self.protocol_error(error)
        finally:
            turns.settle()  # whatever happened here, others have their turn

    def _take(self, data: bytes) -> None:
        at: i64 = 0
        rest = self._rest
        if rest:
            self._rest = b""
            if len(rest) < BYTES_MIN:
                data = rest + data
            else:
                at = self._take_rest(rest, data)
        end: i64 = len(data)
        while end - at >= BYTES_MIN and not self.is_closing:
            length = self._length(data, at)
            if end - at < length:
                segment_variant(data, int(at))  # an unknown eye-catcher is refused at once
                break
            self._segment(data, at, length)
            at += length
        if self.is_handed_over:
            self.socket.pass_on(data[at:])
        elif at < end and not self.is_closing:
            if end - at >= 4:
                segment_variant(data, int(at))
            self._rest = data[at:] if at else data

    def _take_rest(self, rest: bytes, data: bytes) -> i64:
        """The segment whose beginning came before: how much of `data` belongs to it. What follows
        stays where it is."""
        missing = self._length(rest, 0) - len(rest)
        if missing > len(data):
            self._rest = rest + data
            return len(data)
        self._segment(rest + data[:missing], 0, len(rest) + missing)
        return missing

    def _length(self, data: bytes, at: i64) -> i64:
        length = u32_big(data, at + 4)
        if not TSHM_BYTES <= length <= self._segment_max:
            variant = segment_variant(data, int(at))
            length = segment_length(data, int(at), variant, self._segment_max)
        return length

    def _segment(self, data: bytes, at: i64, length: i64) -> None:
        instance = self.instance
        if instance is not None:
            instance.buffers_received += 1
        if self.is_open and self._fast(data, at, length):
            return
        one = read_segment(data[at : at + length])
        whole = self._assembler.add(one)
        if whole is not None:
            self._dispatch(whole)

    def _fast(self, data: bytes, at: i64, length: i64) -> bool:
        """A single segment of a frequent call, for a conversation that is free: read in
        place."""
        eye_catcher = u32_big(data, at)
        head: i64 = TSHM_BYTES
        number: i64 = 0
        if eye_catcher == _TSHM:
            number = u32_big(data, at + 8)
        elif eye_catcher == _TSH and not self.is_shared:
            head = TSH_BYTES
        else:
            return False
        tail = at + head - 20
        if data[tail + 2] & FIRST_AND_LAST != FIRST_AND_LAST:
            return False
        type: i64 = data[tail + 1]
        if (type != MQPUT and type != MQGET and type != REQUEST_MSGS) or length < head + 16:
            return False
        conversation = self._free(int(number))
        if conversation is None or (data[tail] == 2) != conversation.form.is_little:
            return False
        body = at + head
        end = at + length
        if type == MQPUT:
            return put_fast(conversation, data, body, end)
        if type == MQGET:
            return get_fast(conversation, data, int(body), int(end))
        return request_fast(conversation, data, int(at), int(body), int(end))

    def _free(self, number: int) -> Conversation | None:
        """A conversation that is connected and has nothing under way."""
        conversation = self.conversations.get(number)
        if conversation is None or conversation.dialogue.state != CONNECTED:
            return None
        if conversation.call is not None or conversation.waiting or conversation.leaving:
            return None
        if self.is_congested():
            return None
        if conversation.returnable is not None:
            conversation.settle_get()
        return conversation

    def _dispatch(self, one: Segment) -> None:
        header = one.header
        type = header.type
        opening = self.opening
        if opening is None:
            raise SegmentError(f"{type_name(type)} before the opening")
        number = header.conversation if header.variant == TSHM else 0
        conversation = self.conversations.get(number)
        if conversation is None or type in SOCKET_TYPES:
            opening.take(one)
        else:
            conversation.take(one)

    def serve(self, conversation: Conversation, one: Segment) -> None:
        """A segment whose turn it is."""
        opening = self.opening
        if conversation.dialogue.state != CONNECTED:
            if opening is None or not opening.take_for(conversation, one):
                return
        type = one.header.type
        serve = CALLS.get(type)
        if serve is None:
            conversation.dialogue.came(type, one.header.flags_1)
            return
        if conversation.consumers and type in _ENDS_OF_UNITS:
            conversation.hold_consumers()
        serve(conversation, one)

    # ---- bytes out

    def write(self, data: bytes) -> None:
        """One whole segment."""
        self._out.append(data)
        self.wrote(len(data))

    @property
    def out(self) -> list[bytes]:
        """Where the parts of a segment may be added; then `wrote` is called."""
        return self._out

    def wrote(self, size: int) -> None:
        """A segment of so many bytes was added."""
        self._out_bytes += size
        self._unsent.written_bytes += size
        if size > _COUNTED_BYTES and not self.is_closing:
            self.turns.room.add(self, size)
        instance = self.instance
        if instance is not None:
            instance.buffers_sent += 1
            instance.bytes_sent += size
        if not self.is_dirty:
            self.turns.dirty(self)

    def write_call(self, header: Header, body: bytes) -> None:
        """A segment, or as many as the body needs."""
        if header.size + len(body) <= self.segment_bytes_max:
            whole = segment(header, body)
            self.write(aligned(whole) if self.is_shared else whole)
            return
        for piece in split(header, body, self.segment_bytes_max):
            self.write(aligned(piece) if self.is_shared else piece)

    def send(self) -> None:
        out = self._out
        if not out:
            return
        size = self._out_bytes
        self._out = []
        self._out_bytes = 0
        if size > _TOGETHER_BYTES and self.socket.is_plain:
            self._send_in_turn(out)
        else:
            self.socket.write(b"".join(out) if len(out) > 1 else out[0])
        if size > self._largest_bytes:
            self._largest_bytes = size
        if size > _COUNTED_BYTES or not self.is_writable or not self._unsent.is_empty:
            self._count_unsent()
        if self.is_writable and (self._paused or self._is_stalled):
            self.go_on_writing()

    def _send_in_turn(self, out: list[bytes]) -> None:
        """Parts of a long answer: each is dropped when the socket has it."""
        out.reverse()
        while out:
            together = [out.pop()]
            size = len(together[0])
            while out and size + len(out[-1]) <= _TOGETHER_BYTES:
                size += len(out[-1])
                together.append(out.pop())
            self.socket.write(b"".join(together))

    def unsent_bytes(self) -> int:
        """Written, and not taken by the system."""
        return self._out_bytes + self.socket.unsent_bytes()

    def sent_bytes(self) -> int:
        """Taken by the system."""
        return self._unsent.written_bytes - self.unsent_bytes()

    def held_bytes(self) -> int:
        """Memory for that: a loop may keep all of what it has sent a part of."""
        left = self.unsent_bytes()
        if left == 0:
            self._largest_bytes = 0
        return left + self._largest_bytes

    def _count_unsent(self) -> None:
        if not self.is_closing:
            self.turns.room.hold(self, self.held_bytes())
        if not self._unsent.is_empty:
            if self._unsent.settle(self.unsent_bytes()) and self.is_writable:
                self.turns.later(self._settling)

    def settle_gets(self) -> None:
        """After a turn: gets whose answers have left are their callers'."""
        self._unsent.settle(self.unsent_bytes())

    def got(self, verbs: LoopVerbs, call: GetCall) -> None:
        """The answer to a get was written. The message is its caller's when that has left."""
        if call.reserved > 0:
            self._unsent.add(verbs, call)

    @property
    def written_bytes(self) -> int:
        """All that was ever written."""
        return self._unsent.written_bytes

    def has_left(self, written_bytes: int) -> bool:
        """Whether what was written up to there has left, or still may."""
        return written_bytes <= self._unsent.written_bytes - self._cut_bytes

    def is_congested(self) -> bool:
        """Whether answers wait: the partner does not read, or much was written in this turn."""
        return not self.is_writable or self._out_bytes >= OUT_BYTES_MAX

    def can_write(self, job: Job) -> bool:
        """Whether there is room for more; if not, the job goes on when there is."""
        if self.is_writable and self._out_bytes < OUT_BYTES_MAX:
            return True
        if job not in self._paused:
            self._paused.append(job)
        return False

    def may_get(self, job: Job) -> bool:
        """Whether there is room for another message, here and in the queue manager."""
        room = self.turns.room
        if self.is_writable and self._out_bytes < OUT_BYTES_MAX:
            return room.held_bytes < room.common_bytes_max or room.has_room(self, job)
        return self.can_write(job)

    def stall(self) -> None:
        """A call waits until there is room."""
        self._is_stalled = True

    def serve_stalled(self) -> None:
        """There is room: calls that waited are served."""
        self._is_stalled = False
        for conversation in list(self.conversations.values()):
            if conversation.waiting and conversation.call is None:
                conversation.serve_waiting()

    def go_on_writing(self) -> None:
        """There is room again."""
        paused, self._paused = self._paused, []
        for job in paused:
            self.turns.post(job)
        if self._is_stalled:
            self.turns.post(self._resumption)

    def set_writable(self, is_writable: bool) -> None:
        """Whether the socket's buffer has room. Without room, new calls get no answers."""
        self.is_writable = is_writable
        self._read_or_not()
        self._count_unsent()
        if is_writable:
            self.go_on_writing()

    def cut_stalled(self, left_bytes: int) -> None:
        """The partner reads nothing, and others wait for the room that it takes."""
        self.socket.cut_stalled(left_bytes)

    def stop_waiting(self) -> None:
        """The queue manager ends: calls whose client does not read end without an answer."""
        self.is_stopping = True
        for job in self._paused + self.turns.room.leave(self):
            self.turns.post(job)
        self._paused = []

    def apply_backpressure(self, has_backpressure: bool) -> None:
        """Read no further for a moment, or go on; see `backpressure`."""
        self.has_backpressure = has_backpressure
        self._read_or_not()

    def check_waiting(self, conversation: Conversation) -> None:
        """A conversation has more, or less, that waits: it is read no further than allowed."""
        if not self.is_known:
            kept = sum([one.waiting_bytes for one in self.conversations.values()])
            if kept > UNAUTHENTICATED_BYTES_MAX:
                raise SegmentError(f"{kept} bytes before it is known who sends them")
        self._read_or_not()

    def _read_or_not(self) -> None:
        should = self.is_writable and not self.has_backpressure
        for conversation in self.conversations.values():
            if (
                len(conversation.waiting) > REQUESTS_WAITING_MAX
                or conversation.waiting_bytes > REQUEST_BYTES_WAITING_MAX
            ):
                should = False
        if should != self.is_reading:
            self.is_reading = should
            self.socket.read_on(should)

    # ---- counts

    def call_begins(self) -> None:
        """For the status of the channel."""
        self.wait_begins()
        self.call_counts()

    def call_counts(self) -> None:
        """A call that has no reply, say. Many come together, and that is when they came."""
        instance = self.instance
        if instance is not None:
            instance.messages += 1
            instance.last_message_ns = self._fed_ns

    def wait_begins(self) -> None:
        """A client is in a call, until `call_ends`."""
        instance = self.instance
        if instance is not None:
            instance.calls_under_way += 1

    def call_ends(self) -> None:
        """Likewise."""
        instance = self.instance
        if instance is not None:
            instance.calls_under_way -= 1

    # ---- conversations

    def disconnected(self, conversation: Conversation) -> None:
        """A conversation has no connection any more; it may make another, or end."""
        self.socket.host.look()

    def conversation_ended(self, conversation: Conversation) -> None:
        """Nothing is left of it."""
        if self.conversations.get(conversation.number) is conversation:
            del self.conversations[conversation.number]
            instance = self.instance
            if instance is not None:
                instance.conversations = len(self.conversations)
            self._assembler.forget(conversation.number)
            self.socket.conversation_ended(conversation.number)
        self._read_or_not()
        if not self.conversations and self.is_closing:
            self.socket.left()

    def lost(self) -> None:
        """The socket is gone: all is backed out. What it held has left, or will not."""
        self.is_closing = True
        if self.opening is not None:
            self.opening.lost()
        self.turns.begin()
        self._cut_bytes = self.socket.cut_bytes + self._out_bytes
        self._unsent.cut(self._cut_bytes)
        self._out = []
        self._out_bytes = 0
        paused, self._paused = self._paused, []
        for job in paused + self.turns.room.leave(self):
            self.turns.post(job)  # ends, now that it has no client to answer
        if not self.conversations:
            self.socket.left()
        for conversation in list(self.conversations.values()):
            conversation.leave()
        self.turns.settle()

    # ---- what is wrong

    def out_of_order(self, text: str) -> SegmentError:
        """The partner does not keep to the order of the dialogue."""
        return SegmentError(text, PROTOCOL_GENERAL)

    def protocol_error(self, error: ProtocolError) -> None:
        """The partner has sent what cannot be."""
        if self.is_closing:
            return
        status = error.status if isinstance(error, SegmentError) else PROTOCOL_GENERAL
        self.socket.note_protocol_error(str(error))
        self.close_with(status)

    def close_with(self, status: int) -> None:
        """Say why with STATUS_DATA, and close."""
        if self.is_closing:
            return
        self.is_closing = True
        self.dialogue.say(STATUS_DATA, ERROR | CLOSE_CHANNEL)
        number = next(iter(self.conversations), -1) if self.is_shared else -1
        like = None if self.form is None else self.form.header(STATUS_DATA, ERROR)
        self.write(status_segment(status, like, number))
        self.send()
        self.socket.close()

    def report(self, error: BaseException, doing: str) -> None:
        """A fault of ours."""
        self.socket.report(error, doing)

    def prepare_refusal(self, type: int, values: Values) -> None:
        """What a failed call answers beside its reason."""
        prepare = REFUSALS.get(type)
        if prepare is not None:
            prepare(values)

    def take_back_if_asked(self, conversation: Conversation, one: Segment) -> bool:
        """A NOTIFICATION that does not wait for its turn."""
        return take_back_if_asked(conversation, one)

    def is_urgent(self, conversation: Conversation, one: Segment) -> bool:
        """A call that does not wait for its turn."""
        return is_notify(conversation, one)

    def refuse_xa(self, conversation: Conversation, header: Header, error: MQError) -> None:
        """An XA call answers with XA's codes."""
        refuse_xa(conversation, header, error)

    def refuse_other(self, conversation: Conversation, one: Segment, error: MQError) -> None:
        """What is not a call and went wrong."""
        if one.header.type == REQUEST_MSGS:
            refuse_request(conversation, one, error)
        else:
            raise SegmentError(f"{type_name(one.header.type)}: {error}")
