"""The verbs of a connection over MQ's client protocol, but for the way bytes travel.

A verb yields a `FapRequest` and gets the `Reply` that answers it. Requests name handles, not their
numbers, and become bytes when they are sent: after a reconnection the same request goes to another
conversation, where its queue has another number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, RemoteProtocolError, mq_error
from ternmq.base.reasons import (
    MQRC_CALL_INTERRUPTED,
    MQRC_OPTIONS_CHANGED,
    MQRC_TRUNCATED_MSG_FAILED,
)
from ternmq.codec.mqi.mqmd import (
    BYTES_2,
    GROUP_ID_AT,
    MSG_ID_AT,
    PRIORITY_AT,
    USER_ID_AT,
    Descriptor,
)
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.remote.fap import flows
from ternmq.remote.fap.client_channel import MulticastSettings
from ternmq.remote.fap.client_conversation import Conversation, Reply, Stream
from ternmq.remote.fap.frames import (
    LONG,
    FapRequest,
    asked_options,
    furnished,
    get_body,
    own_id,
    silent_options,
    table_body,
)
from ternmq.remote.fap.open_call import OpenState
from ternmq.remote.fap.replies import (
    checked,
    committed,
    cut,
    lost_with_connection,
    message_of,
    nothing,
    shortened,
    waiting_for,
)
from ternmq.remote.remote_verbs import (
    Exchange,
    Extended,
    PackedPut,
    RemoteVerbs,
    error_from,
)
from ternmq.values.calls.call import Call
from ternmq.values.entry import ZERO_ID
from ternmq.values.get_request import GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.put_form import PUBLICATION_LEVEL_MAX
from ternmq.wire.extension import pack_request, unpack_answer
from ternmq.wire.fap.vocabulary import (
    MQDISC,
    MQGET,
    MQPUT,
    REQUEST_MSGS,
    SPI,
    SPI_EXTENSION,
    SPI_RESERVE,
)

if TYPE_CHECKING:
    from ternmq.remote.multicast.publisher import Publisher
    from ternmq.remote.multicast.subscriber import Subscriber
    from ternmq.values.calls.topics import Subscribe

TAKES_NOTHING: Final = (
    mq.MQGMO_BROWSE_FIRST
    | mq.MQGMO_BROWSE_NEXT
    | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
    | mq.MQGMO_UNLOCK
)
_IN_UNIT: Final = mq.MQGMO_SYNCPOINT | mq.MQGMO_SYNCPOINT_IF_PERSISTENT
NOT_AHEAD: Final = _IN_UNIT | TAKES_NOTHING | mq.MQGMO_MSG_UNDER_CURSOR | mq.MQGMO_LOCK
RESERVED_IDS: Final = 1024
_GETS_MAX: Final = 64
_UNSAID: Final = {"verb": "", "object": "", "detail": ""}
_TURN_MS: Final = 1000  # of a long wait that cannot be taken back


class FapVerbs(RemoteVerbs):
    """The verbs of one connection."""

    def __init__(
        self, conversation: Conversation, name: str, tag: bytes, user: str, shares: bool, gets: bool
    ) -> None:
        super().__init__(name, tag, user)
        self.conversation = conversation
        self.is_shared = shares
        self.has_get = gets  # MQGET may travel; else messages are asked for
        self.takes_back = False
        self.qmgr_id = ""
        self.reply_queue = ""  # of the last command
        self.window_bytes = 0  # of read-ahead
        self.states: dict[ObjectHandle, OpenState] = {}
        self.subscriptions: dict[ObjectHandle, Subscribe] = {}  # what MQSUB was asked, by Hsub
        # handles that are used by multicast: of topics, and of queues of subscriptions
        self.publishers: dict[ObjectHandle, Publisher] = {}
        self.subscribers: dict[ObjectHandle, Subscriber] = {}
        self.takes_multicast = False  # the queue manager offers it
        self.multicast_settings = MulticastSettings()
        self.local_host = ""  # of the connection
        self.application = ""
        self._put_reply: Reply | None = None  # to the last put
        self._put_descriptor: Descriptor | None = None  # of the last MQPUT1
        self._put_warning = 0
        self.has_xa = False  # XA_OPEN was said
        self.has_xa_calls = True
        self._kept: dict[ObjectHandle, list[Message]] = {}
        self.lost_unit = False  # with the connection before: only MQBACK is possible
        self.has_silent_puts = False  # without an answer, since MQSTAT or MQCMIT had one
        self.lost_puts = False  # the same, and the connection was lost since
        self.commits_changes = False  # a commit is under way, of a unit that changed something
        self._get_bodies: dict[tuple[GetRequest, int], bytes] = {}
        self._id_bodies: dict[tuple[int, int, int, int, int], bytes] = {}
        self._next_id = 0  # of MsgIds that were reserved
        self._ids_left = 0
        self._id_head = b""
        self._id_tail = b""
        self._id_bytes = 0

    def run(self, call: Call) -> Exchange[None]:
        """Any other verb than MQPUT and MQGET."""
        return flows.run(self, call)

    # ---- objects

    def drop(self, handle: ObjectHandle) -> None:
        """Forget a handle that was closed."""
        self.link.handles.pop(handle.handle_id, None)
        self.conversation.streams.pop(handle.handle_id, None)
        self.states.pop(handle, None)
        self.subscriptions.pop(handle, None)
        self._kept.pop(handle, None)
        if self.publishers or self.subscribers:
            flows.multicast_left(self, handle)

    def leave_groups(self) -> None:
        """The connection ends: of no group any more."""
        for handle in [*self.publishers, *self.subscribers]:
            flows.multicast_left(self, handle)

    def take_events(self) -> list[int]:
        """What has happened to subscriptions that receive by multicast: MQMCEV_."""
        found: list[int] = []
        for one in self.subscribers.values():
            found += [event.code for event in one.take_events()]
        return found

    # ---- put

    def put(self, handle: ObjectHandle, form: PackedPut, data: bytes) -> Exchange[bytes]:
        """MQPUT; the MsgId."""
        options = int(form.options)
        if self.publishers:
            publisher = self.publishers.get(handle)
            if publisher is not None:
                return (yield from flows.multicast_put(self, publisher, handle, form, data))
        packed, data, more = furnished(form, data, self.takes_back)
        framing = self.conversation.framing
        if len(data) > framing.message_bytes_max:
            raise framing.too_long(len(data), "MQPUT", handle.resolved_name)
        if form.level != PUBLICATION_LEVEL_MAX:
            level = int(form.level)
            packed = framing.put_body(packed, options | more, b"", form.context, level)
            packed += LONG.pack(len(data))
        request = FapRequest(MQPUT, handle, packed, data)
        request.options = options | more
        request.context = form.context
        if self.is_shared and self.is_asynchronous(handle, options):
            request.msg_id = own_id(options, packed)
            self.has_silent_puts = True
            if not request.msg_id:
                if not self._ids_left:
                    yield from self.reserve_ids()
                request.msg_id = self.next_id()
            request.options = silent_options(options | more)
            request.is_answered = False
            self._put_reply = self._put_descriptor = None
            self._put_warning = 0
            yield request
            msg_id = request.msg_id
        else:
            request.options &= ~mq.MQPMO_ASYNC_RESPONSE  # it would not be answered
            reply = checked((yield request), handle.resolved_name)
            msg_id = reply.msg_id()
            self._put_reply = reply
            self._put_descriptor = None
            self._put_warning = reply.reason
        if options & mq.MQPMO_SYNCPOINT:
            self.has_changes = True
        return msg_id

    def put_descriptor(self) -> bytes:
        """As the reply has it; empty for a put that is not answered."""
        descriptor, reply = self._put_descriptor, self._put_reply
        if descriptor is not None:
            packed = descriptor.pack()
            return packed[PRIORITY_AT:MSG_ID_AT] + packed[USER_ID_AT:GROUP_ID_AT]
        if reply is None:
            return b""
        context = reply.descriptor_part(USER_ID_AT, GROUP_ID_AT - USER_ID_AT)
        return reply.descriptor_part(PRIORITY_AT, MSG_ID_AT - PRIORITY_AT) + context

    def put_place(self) -> bytes:
        """As the reply has it; empty for a put that is not answered."""
        descriptor, reply = self._put_descriptor, self._put_reply
        if descriptor is not None:
            return descriptor.pack()[GROUP_ID_AT:]
        return b"" if reply is None else reply.descriptor_part(GROUP_ID_AT, BYTES_2 - GROUP_ID_AT)

    def put_names(self) -> tuple[str, str] | None:
        """ResolvedQName and ResolvedQMgrName, as the reply has them."""
        reply = self._put_reply
        if reply is None:
            return None
        pmo: PutOptions = reply.values()["options"]
        return pmo.resolved_queue_name, pmo.resolved_qmgr_name

    def put_warning(self) -> int:
        """As the reply has it."""
        return self._put_warning

    def is_asynchronous(self, handle: ObjectHandle, options: int) -> bool:
        """Whether a put is not to be answered."""
        if handle in self.publishers:
            return False
        if options & (mq.MQPMO_ASYNC_RESPONSE | mq.MQPMO_SYNC_RESPONSE):
            return options & mq.MQPMO_ASYNC_RESPONSE != 0
        state = self.states.get(handle)
        return state is not None and state.put_response == mq.MQPRT_ASYNC_RESPONSE

    def reserve_ids(self) -> Exchange[None]:
        """MsgIds for puts that are not answered."""
        values = {
            "verb": SPI_RESERVE,
            "reply_bytes_max": 128,
            "spru": {},
            "spri": {"tag_bytes": 24, "reservation": RESERVED_IDS},
        }
        reply = yield FapRequest(SPI, None, table_body(SPI, values))
        spro = checked(reply, self.name).values()["spro"]
        tag: bytes = spro["tag"]
        at: int = spro["increment_offset"]
        if not 0 <= at < 24 or spro["reservation"] < 1:
            raise RemoteProtocolError(f"RESERVE gives {spro['reservation']} ids at {at}")
        # The number that counts up is at the offset, eight bytes or to the end.
        size = min(8, 24 - at)
        self._id_head = tag[:at]
        self._id_tail = tag[at + size :]
        self._id_bytes = size
        self._next_id = int.from_bytes(tag[at : at + size], "big")
        self._ids_left = spro["reservation"]

    @property
    def ids_left(self) -> int:
        """How many MsgIds are left of those that were reserved."""
        return self._ids_left

    def next_id(self) -> bytes:
        """One of them."""
        self.has_silent_puts = True
        self._ids_left -= 1
        number = self._next_id
        self._next_id = number + 1
        return self._id_head + number.to_bytes(self._id_bytes, "big") + self._id_tail

    def forget_ids(self) -> None:
        """After a reconnection they are another queue manager's, or another run's."""
        self._ids_left = 0

    def was_put1(self, descriptor: Descriptor, warning: int) -> None:
        """What the reply to MQPUT1 said."""
        self._put_descriptor = descriptor
        self._put_warning = warning

    # ---- get

    def get(
        self, handle: ObjectHandle, request: GetRequest, returnable: bool
    ) -> Exchange[Message | None]:
        """MQGET with a checked request; None if there is no message."""
        if self.subscribers:
            subscriber = self.subscribers.get(handle)
            if subscriber is not None:
                return (yield from flows.multicast_get(self, subscriber, handle, request))
        state = self.states.get(handle)
        if state is not None and state.read_ahead and self.is_shared:
            if request.plain and not request.options & NOT_AHEAD:
                return (yield from self._get_ahead(handle, request))
            stream = self.conversation.streams.get(handle.handle_id)
            if stream is not None and stream.messages:
                raise _options_changed(handle.resolved_name)
        message = self.kept_for(handle, request)
        if message is None:
            message = yield from self._get_in_turns(handle, request, returnable)
        takes = not request.options & TAKES_NOTHING
        if takes and message is not None and request.options & _IN_UNIT:
            self.has_changes = True
        return message

    def _get_in_turns(
        self, handle: ObjectHandle, request: GetRequest, returnable: bool
    ) -> Exchange[Message | None]:
        """A get; where one cannot be taken back, a long wait in pieces, so that a
        cancelled caller need not wait for the whole of it."""
        left_ms = int(request.wait_ms)
        while True:
            turn = request
            if returnable and not self.takes_back and (left_ms < 0 or left_ms > _TURN_MS):
                turn = waiting_for(request, _TURN_MS)
            if self.has_get:
                message = yield from self._get(handle, turn, returnable)
            else:
                message = yield from self._ask(handle, turn)
            if message is not None or turn is request:
                return message
            if left_ms > 0:
                left_ms = max(left_ms - _TURN_MS, 1)
                request = waiting_for(request, left_ms)

    def keep(self, handle: ObjectHandle, message: Message) -> None:
        """A message for a get that was cancelled and could not be taken back: the next has it."""
        self._kept.setdefault(handle, []).append(message)

    def kept_for(self, handle: ObjectHandle, request: GetRequest) -> Message | None:
        """A message that was kept, if the request takes any."""
        if not self._kept or not request.plain or request.options & NOT_AHEAD:
            return None
        kept = self._kept.get(handle)
        return kept.pop(0) if kept else None

    def get_body(self, request: GetRequest) -> bytes:
        """The body of MQGET; those of requests that are used again are kept."""
        length = self.conversation.framing.buffer_length(request)
        if not request.plain:
            return self._body_with_ids(request, length)
        key = (request, length)
        body = self._get_bodies.get(key)
        if body is None:
            body = get_body(request, length, self._options(request))
            if len(self._get_bodies) >= _GETS_MAX:
                self._get_bodies.clear()
            self._get_bodies[key] = body
        return body

    def _options(self, request: GetRequest) -> int:
        return asked_options(request, self.takes_back)

    def _body_with_ids(self, request: GetRequest, length: int) -> bytes:
        """The same for a request by MsgId and CorrelId, which are laid over one that is kept."""
        ids_alone = request.group_id == ZERO_ID and request.token < 0
        if not ids_alone or request.msg_sequence >= 0 or request.msg_offset >= 0:
            return get_body(request, length, self._options(request))
        key = (
            self._options(request),
            int(request.wait_ms),
            int(request.ccsid),
            int(request.encoding),
            length,
        )
        body = self._id_bodies.get(key)
        if body is None:
            body = get_body(request, length, self._options(request))
            if len(self._id_bodies) >= _GETS_MAX:
                self._id_bodies.clear()
            self._id_bodies[key] = body
        return b"".join((body[:48], request.msg_id, request.correl_id, body[96:]))

    def _get(
        self, handle: ObjectHandle, request: GetRequest, returnable: bool
    ) -> Exchange[Message | None]:
        asked = FapRequest(MQGET, handle, self.get_body(request))
        asked.area = self.conversation.framing.buffer_length(request)
        asked.options = int(request.options)
        asked.returnable = returnable and self.takes_back
        reply = yield asked
        passes = self.conversation.framing.message_bytes_max
        return message_of(reply, request, handle.resolved_name, passes)

    def _ask(self, handle: ObjectHandle, request: GetRequest) -> Exchange[Message | None]:
        """A get by REQUEST_MSGS, on channels whose conversations share a socket."""
        stream = self._stream(handle, 0)
        if request.plain and not request.options & NOT_AHEAD and stream.messages:
            return stream.take()  # it came for a get that was cancelled
        asked = FapRequest(REQUEST_MSGS, handle, b"")
        asked.get = request
        asked.options = self._options(request)
        asked.received_bytes = stream.take_consumed()
        asked.requested_bytes = 1
        asked.wait_ms = int(request.wait_ms)
        reply = yield asked
        message = stream.take()
        if message is None:
            return nothing(reply.reason, handle.resolved_name)
        if stream.reason == MQRC_TRUNCATED_MSG_FAILED:
            passes = self.conversation.framing.message_bytes_max
            raise cut(message, request, handle.resolved_name, passes)
        return message

    def _stream(self, handle: ObjectHandle, window_bytes: int) -> Stream:
        streams = self.conversation.streams
        stream = streams.get(handle.handle_id)
        if stream is None:
            stream = streams[handle.handle_id] = Stream(window_bytes)
        return stream

    # ---- read-ahead

    def _get_ahead(self, handle: ObjectHandle, request: GetRequest) -> Exchange[Message | None]:
        stream = self._stream(handle, self.window_bytes)
        if not stream.suits(request):
            if stream.messages:
                raise _options_changed(handle.resolved_name)
            yield from self.return_unread(handle)
        stream.get = request
        stream.is_cut = False
        message = self._take_ahead(handle, stream, request)
        if message is None and stream.was_interrupted:
            stream.was_interrupted = False
            detail = "messages were on their way when the connection was lost"
            raise mq_error(MQRC_CALL_INTERRUPTED, verb="MQGET", object=self.name, detail=detail)
        wait = FapRequest(REQUEST_MSGS, handle, b"")
        wait.wait_ms = int(request.wait_ms)
        wait.stream = stream
        while message is None:
            is_over = request.wait_ms == 0
            if not is_over and not stream.is_paused and not stream.is_cut:
                if not stream.is_armed:
                    yield self.ahead_request(handle, stream)
                yield wait  # until one comes, or must be asked for, or the time is over
                is_over = not stream.is_paused
                message = self._take_ahead(handle, stream, request)
            if message is None:
                # Nothing has come by itself: is there really nothing?
                reply = yield self._request_at_hand(handle, stream, request)
                message = self._take_ahead(handle, stream, request)
                is_over = is_over or reply.reason != 0 or stream.fault != 0
                if message is None and is_over and not stream.is_cut:
                    return nothing(reply.reason or stream.fault, handle.resolved_name)
        if stream.is_armed and stream.credit_is_due:
            yield self.ahead_request(handle, stream)
        return message

    def _request_at_hand(
        self, handle: ObjectHandle, stream: Stream, request: GetRequest
    ) -> FapRequest:
        """Ask for what is there now. One message that is too long is not sent again and again; a
        part of it comes, and ends it, only for the get that takes a part."""
        asked = self.ahead_request(handle, stream)
        asked.is_stream = False
        asked.is_answered = True
        passes = self.conversation.framing.message_bytes_max
        if stream.is_cut or int(request.buffer_length) < passes:
            asked.requested_bytes = 1
            asked.options |= int(request.options) & mq.MQGMO_ACCEPT_TRUNCATED_MSG
        stream.is_armed = False
        stream.is_cut = False
        return asked

    def _take_ahead(
        self, handle: ObjectHandle, stream: Stream, request: GetRequest
    ) -> Message | None:
        """The next message, if it fits the buffer; else it stays where it is, here or on its queue.
        What comes ahead is whole, or stays on its queue."""
        accepts = request.options & mq.MQGMO_ACCEPT_TRUNCATED_MSG != 0
        while not stream.fits(request):
            message = stream.messages[0]
            stays = message.truncated and message.warning == MQRC_TRUNCATED_MSG_FAILED
            if accepts or stays:
                stream.take()
            if accepts and stays:
                stream.is_cut = True  # it must be asked for by this get
                continue
            limit = int(request.buffer_length)
            if len(message.data) > limit or not message.truncated:
                message = shortened(message, limit)
            if accepts:
                return message
            passes = self.conversation.framing.message_bytes_max
            raise cut(message, request, handle.resolved_name, passes)
        found = stream.take()
        stream.is_cut = stream.is_cut and found is None
        return found

    def ahead_request(self, handle: ObjectHandle, stream: Stream) -> FapRequest:
        """Ask for messages before a get wants them: so many bytes, and so on when some of them
        were taken."""
        asked = FapRequest(REQUEST_MSGS, handle, b"")
        asked.get = stream.get
        if stream.get is not None:
            # A get that takes no part may come for it: what is too long stays on its queue.
            asked.options = self._options(stream.get) & ~mq.MQGMO_ACCEPT_TRUNCATED_MSG
        asked.received_bytes = stream.take_consumed()
        asked.requested_bytes = stream.window_bytes
        asked.is_stream = True
        asked.is_answered = False
        stream.is_armed = True
        stream.is_paused = False
        stream.fault = 0
        return asked

    def return_unread(self, handle: ObjectHandle) -> Exchange[None]:
        """What was read ahead and not taken goes back to its queue."""
        stream = self.conversation.streams.get(handle.handle_id)
        if stream is not None and stream.window_bytes and (stream.is_armed or stream.messages):
            asked = self.ahead_request(handle, stream)
            asked.is_stream = False
            asked.is_answered = True
            asked.requested_bytes = 0
            yield asked
            stream.messages.clear()
            stream.indexes.clear()
            stream.is_armed = False

    # ---- the end

    def disconnect(self) -> Exchange[None]:
        """MQDISC: commits what is open."""
        self.in_unit = False
        self.leave_groups()
        for handle in list(self.states):
            yield from self.return_unread(handle)
        was_lost = self.lost_unit
        self.lost_unit = False
        committed((yield FapRequest(MQDISC, None, b"")), self.name)
        if was_lost:
            raise lost_with_connection("MQDISC", self.name)

    def send_call(
        self, name: str, arguments: dict[str, Any], subject: ObjectHandle | None = None
    ) -> Exchange[Extended]:
        """SPI EXTENSION. The number of the subject is in the header: after a reconnection it is
        another one."""
        if "bytes_max" in arguments:  # half of what the channel takes, for what is beside the data
            longest = self.conversation.framing.message_bytes_max // 2
            arguments = {**arguments, "bytes_max": min(arguments["bytes_max"], max(longest, 1))}
        values = {"verb": SPI_EXTENSION, "extension": pack_request(name, arguments)}
        reply = yield FapRequest(SPI, subject, table_body(SPI, values))
        data: bytes = reply.values().get("extension", b"")
        if not data:
            checked(reply, self.name)
        spro, at = unpack_answer(data)
        if reply.comp == mq.MQCC_FAILED:
            raise error_from({"comp": reply.comp, "reason": reply.reason, **_UNSAID, **spro})
        return Extended(spro, data, at)


def _options_changed(name: str) -> MQError:
    detail = (
        "messages are here that were read ahead otherwise: get them first, or do not read ahead"
    )
    return mq_error(MQRC_OPTIONS_CHANGED, verb="MQGET", object=name, detail=detail)
