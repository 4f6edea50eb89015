"""The verbs of a connection over MQ's client protocol, but for the way bytes travel.

A verb yields a `NetRequest` and gets the `Reply` that answers it. Requests name handles, not their
numbers, and become bytes when they are sent: after a reconnection the same request goes to another
conversation, where its queue has another number.
"""

from __future__ import annotations

from typing import Any, Final

from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.errors import RemoteProtocolError, mq_error
from ternmq.base.reasons import (
    MQRC_CALL_INTERRUPTED,
    MQRC_OPTIONS_CHANGED,
    MQRC_READ_AHEAD_MSGS,
    MQRC_SELECTOR_NOT_FOR_TYPE,
    MQRC_TRUNCATED_MSG_FAILED,
    MQRC_UOW_IN_PROGRESS,
)
from ternmq.client import net_commands, net_extension, net_xa
from ternmq.client.message import Message
from ternmq.client.net_conversation import Conversation, Reply, Stream
from ternmq.client.net_frames import LONG, get_body, own_id, silent_options
from ternmq.client.net_open import (
    OpenState,
    first_options,
    inquired,
    not_applicable,
    object_descriptor,
    open_request,
    set_values,
)
from ternmq.client.net_replies import (
    checked,
    committed,
    cut,
    lost_with_connection,
    message_of,
    nothing,
    waiting_for,
)
from ternmq.client.net_request import NetRequest, table_body
from ternmq.client.remote_verbs import Exchange, Extended, Opened, RemoteVerbs
from ternmq.codec.mqmd import (
    GROUP_ID_AT,
    MSG_ID_AT,
    PRIORITY_AT,
    USER_ID_AT,
    Descriptor,
)
from ternmq.codec.mqpmo import PutOptions
from ternmq.codec.mqsts import Status
from ternmq.kernel.connection import Handle
from ternmq.kernel.inquire import character_bytes, not_for_type
from ternmq.kernel.requests import GetRequest
from ternmq.mqi.options import check_close
from ternmq.store.entry import ZERO_ID
from ternmq.txn.unit import XID
from ternmq.wire.fap_vocabulary import (
    MQBACK,
    MQCLOSE,
    MQCMIT,
    MQDISC,
    MQGET,
    MQINQ,
    MQPUT,
    MQPUT1,
    MQSET,
    MQSTAT,
    REQUEST_MSGS,
    SPI,
    SPI_RESERVE,
)

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
        self.states: dict[Handle, OpenState] = {}
        self._put_reply: Reply | None = None  # to the last put
        self._put_descriptor: Descriptor | None = None  # of the last MQPUT1
        self._put_warning = 0
        self.has_xa = False  # XA_OPEN was said
        self.has_xa_calls = True
        self._kept: dict[Handle, list[Message]] = {}
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

    def call(self, call: str, /, **arguments: Any) -> Exchange[dict[str, Any]]:
        """A command, by the name that it has at the local binding."""
        return net_commands.called(self, call, arguments)

    # ---- objects

    def open(
        self, od: dict[str, Any], options: int, as_needed: bool = False, exclusive: bool = False
    ) -> Exchange[Opened]:
        """MQOPEN."""
        if as_needed:
            options = first_options(options, exclusive)
        described = object_descriptor(od)
        asked = described.object_name
        reply = yield open_request(described, options)
        checked(reply, asked)
        values = reply.values()
        handle = Handle(self.link, reply.handle, options)
        answered = values["object"]
        handle.resolved_name = answered.resolved_queue_name or answered.object_name
        described.object_name = answered.object_name
        self.link.handles[reply.handle] = handle
        state = OpenState(described, options, values.get("fopa", {}))
        if answered.object_name != asked:
            state.model = asked
        self.states[handle] = state
        manager = str(answered.resolved_qmgr_name)
        return Opened(handle, 0, answered.object_name != asked, manager)

    def close(self, handle: Handle, options: int = 0) -> Exchange[None]:
        """MQCLOSE."""
        check_close(options)
        name = handle.resolved_name
        stream = self.conversation.streams.get(handle.handle_id)
        if options & mq.MQCO_QUIESCE and stream is not None and stream.messages:
            raise mq_error(MQRC_READ_AHEAD_MSGS, verb="MQCLOSE", object=name)
        yield from self.return_unread(handle)
        body = LONG.pack(options & ~(mq.MQCO_QUIESCE | mq.MQCO_IMMEDIATE))
        checked((yield NetRequest(MQCLOSE, handle, body)), name)
        self.drop(handle)

    def drop(self, handle: Handle) -> None:
        """A handle is no more."""
        self.link.handles.pop(handle.handle_id, None)
        self.conversation.streams.pop(handle.handle_id, None)
        self.states.pop(handle, None)
        self._kept.pop(handle, None)

    def inquire(self, handle: Handle, selectors: list[int]) -> Exchange[list[Value]]:
        """MQINQ."""
        integers = [one for one in selectors if one < mq.MQCA_FIRST]
        lengths = [character_bytes(one) for one in selectors if one >= mq.MQCA_FIRST]
        values = {
            "selectors": selectors,
            "integer_count": len(integers),
            "character_length": sum(lengths),
        }
        request = NetRequest(MQINQ, handle, table_body(MQINQ, values))
        request.area = 4 * len(integers) + sum(lengths)
        reply = checked((yield request), handle.resolved_name)
        found = inquired(selectors, reply.values())
        if reply.reason == MQRC_SELECTOR_NOT_FOR_TYPE:
            raise not_for_type(handle, not_applicable(selectors, found), found)
        return found

    def set(self, opened: Opened, values: dict[int, Value]) -> Exchange[None]:
        """MQSET."""
        body = table_body(MQSET, set_values(values))
        checked((yield NetRequest(MQSET, opened.handle, body)), opened.handle.resolved_name)

    # ---- put

    def put(
        self, handle: Handle, options: int, packed: bytes, data: bytes, context: int = 0
    ) -> Exchange[bytes]:
        """MQPUT with a packed descriptor; the MsgId."""
        framing = self.conversation.framing
        if len(data) > framing.message_bytes_max:
            raise framing.too_long(len(data), "MQPUT", handle.resolved_name)
        request = NetRequest(MQPUT, handle, packed, data)
        request.options = options
        request.context = context
        if self.is_shared and self.is_asynchronous(handle, options):
            request.msg_id = own_id(options, packed)
            self.has_silent_puts = True
            if not request.msg_id:
                if not self._ids_left:
                    yield from self.reserve_ids()
                request.msg_id = self.next_id()
            request.options = silent_options(options)
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

    def told_of_put(self) -> bytes:
        """As the reply has it; a put without one has nothing to tell."""
        descriptor, reply = self._put_descriptor, self._put_reply
        if descriptor is not None:
            packed = descriptor.pack()
            return packed[PRIORITY_AT:MSG_ID_AT] + packed[USER_ID_AT:GROUP_ID_AT]
        if reply is None:
            return b""
        context = reply.descriptor_part(USER_ID_AT, GROUP_ID_AT - USER_ID_AT)
        return reply.descriptor_part(PRIORITY_AT, MSG_ID_AT - PRIORITY_AT) + context

    def names_of_put(self) -> tuple[str, str] | None:
        """ResolvedQName and ResolvedQMgrName, as the reply has them."""
        reply = self._put_reply
        if reply is None:
            return None
        pmo: PutOptions = reply.values()["options"]
        return pmo.resolved_queue_name, pmo.resolved_qmgr_name

    def warning_of_put(self) -> int:
        """As the reply has it."""
        return self._put_warning

    def is_asynchronous(self, handle: Handle, options: int) -> bool:
        """Whether a put is not to be answered."""
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
        reply = yield NetRequest(SPI, None, table_body(SPI, values))
        told = checked(reply, self.name).values()["spro"]
        tag: bytes = told["tag"]
        at: int = told["increment_offset"]
        if not 0 <= at < 24 or told["reservation"] < 1:
            raise RemoteProtocolError(f"RESERVE gives {told['reservation']} ids at {at}")
        # The number that counts up is at the offset, eight bytes or to the end.
        size = min(8, 24 - at)
        self._id_head = tag[:at]
        self._id_tail = tag[at + size :]
        self._id_bytes = size
        self._next_id = int.from_bytes(tag[at : at + size], "big")
        self._ids_left = told["reservation"]

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

    def put1(
        self, od: dict[str, Any], options: int, packed: bytes, data: bytes, context: int = 0
    ) -> Exchange[bytes]:
        """MQPUT1; the MsgId."""
        described = object_descriptor(od)
        framing = self.conversation.framing
        if len(data) > framing.message_bytes_max:
            raise framing.too_long(len(data), "MQPUT1", described.object_name)
        options &= ~mq.MQPMO_ASYNC_RESPONSE
        body = described.pack() + framing.put_body(packed, options, b"", context)
        request = NetRequest(MQPUT1, None, body + LONG.pack(len(data)), data)
        request.options = options
        reply = checked((yield request), described.object_name)
        if options & mq.MQPMO_SYNCPOINT:
            self.has_changes = True
        descriptor: Descriptor = reply.values()["descriptor"]
        self._put_descriptor = descriptor
        self._put_warning = reply.reason
        return descriptor.msg_id

    def status(self) -> Exchange[Status]:
        """MQSTAT: how the asynchronous puts went since it was last asked."""
        if self.lost_puts:
            self.lost_puts = False
            detail = "puts without an answer were under way when the connection was lost"
            raise mq_error(MQRC_CALL_INTERRUPTED, verb="MQSTAT", object=self.name, detail=detail)
        body = table_body(MQSTAT, {"status_type": mq.MQSTAT_TYPE_ASYNC_ERROR, "status": Status()})
        reply = checked((yield NetRequest(MQSTAT, None, body)), self.name)
        self.has_silent_puts = False
        found: Status = reply.values()["status"]
        return found

    # ---- get

    def get(
        self, handle: Handle, request: GetRequest, returnable: bool
    ) -> Exchange[Message | None]:
        """MQGET with a checked request; None if there is no message."""
        state = self.states.get(handle)
        if state is not None and state.read_ahead and self.is_shared:
            if request.plain and not request.options & NOT_AHEAD:
                return (yield from self._get_ahead(handle, request))
            stream = self.conversation.streams.get(handle.handle_id)
            if stream is not None and stream.messages:
                name = handle.resolved_name
                raise mq_error(MQRC_OPTIONS_CHANGED, verb="MQGET", object=name)
        message = self.kept_for(handle, request)
        if message is None:
            message = yield from self._get_in_turns(handle, request, returnable)
        takes = not request.options & TAKES_NOTHING
        if takes and message is not None and request.options & _IN_UNIT:
            self.has_changes = True
        return message

    def _get_in_turns(
        self, handle: Handle, request: GetRequest, returnable: bool
    ) -> Exchange[Message | None]:
        """A get; where one cannot be taken back, a long wait in pieces, so that who is cancelled
        need not wait for the whole of it."""
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

    def keep(self, handle: Handle, message: Message) -> None:
        """A message for a get that was cancelled and could not be taken back: the next has it."""
        self._kept.setdefault(handle, []).append(message)

    def kept_for(self, handle: Handle, request: GetRequest) -> Message | None:
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
            body = get_body(request, length)
            if len(self._get_bodies) >= _GETS_MAX:
                self._get_bodies.clear()
            self._get_bodies[key] = body
        return body

    def _body_with_ids(self, request: GetRequest, length: int) -> bytes:
        """The same for a request by MsgId and CorrelId, which are laid over one that is kept."""
        ids_alone = request.group_id == ZERO_ID and request.token < 0
        if not ids_alone or request.msg_sequence >= 0 or request.msg_offset >= 0:
            return get_body(request, length)
        key = (
            int(request.options),
            int(request.wait_ms),
            int(request.ccsid),
            int(request.encoding),
            length,
        )
        body = self._id_bodies.get(key)
        if body is None:
            body = get_body(request, length)
            if len(self._id_bodies) >= _GETS_MAX:
                self._id_bodies.clear()
            self._id_bodies[key] = body
        return b"".join((body[:48], request.msg_id, request.correl_id, body[96:]))

    def _get(
        self, handle: Handle, request: GetRequest, returnable: bool
    ) -> Exchange[Message | None]:
        asked = NetRequest(MQGET, handle, self.get_body(request))
        asked.area = self.conversation.framing.buffer_length(request)
        asked.options = int(request.options)
        asked.returnable = returnable and self.takes_back
        reply = yield asked
        passes = self.conversation.framing.message_bytes_max
        return message_of(reply, request, handle.resolved_name, passes)

    def _ask(self, handle: Handle, request: GetRequest) -> Exchange[Message | None]:
        """A get by REQUEST_MSGS, on channels whose conversations share a socket."""
        stream = self._stream(handle, 0)
        if request.plain and not request.options & NOT_AHEAD and stream.messages:
            return stream.take()  # it came for a get that was cancelled
        asked = NetRequest(REQUEST_MSGS, handle, b"")
        asked.get = request
        asked.received_bytes = stream.told()
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

    def _stream(self, handle: Handle, window_bytes: int) -> Stream:
        streams = self.conversation.streams
        stream = streams.get(handle.handle_id)
        if stream is None:
            stream = streams[handle.handle_id] = Stream(window_bytes)
        return stream

    # ---- read-ahead

    def _get_ahead(self, handle: Handle, request: GetRequest) -> Exchange[Message | None]:
        stream = self._stream(handle, self.window_bytes)
        stream.get = request
        message = stream.take()
        if message is None and stream.was_interrupted:
            stream.was_interrupted = False
            detail = "messages were on their way when the connection was lost"
            raise mq_error(MQRC_CALL_INTERRUPTED, verb="MQGET", object=self.name, detail=detail)
        wait = NetRequest(REQUEST_MSGS, handle, b"")
        wait.wait_ms = int(request.wait_ms)
        wait.stream = stream
        while message is None:
            is_over = request.wait_ms == 0
            if not is_over and not stream.is_paused:
                if not stream.is_armed:
                    yield self.ahead_request(handle, stream)
                yield wait  # until one comes, or must be asked for, or the time is over
                is_over = not stream.is_paused
                message = stream.take()
            if message is None:
                # Nothing has come by itself: is there really nothing?
                asked = self.ahead_request(handle, stream)
                asked.is_stream = False
                asked.is_answered = True
                stream.is_armed = False
                reply = yield asked
                message = stream.take()
                if message is None and (is_over or reply.reason or stream.fault):
                    return nothing(reply.reason or stream.fault, handle.resolved_name)
        if stream.is_armed and stream.credit_is_due:
            yield self.ahead_request(handle, stream)
        return message

    def ahead_request(self, handle: Handle, stream: Stream) -> NetRequest:
        """Ask for messages before anybody wants them: so many bytes, and so on when some of them
        were taken."""
        asked = NetRequest(REQUEST_MSGS, handle, b"")
        asked.get = stream.get
        asked.received_bytes = stream.told()
        asked.requested_bytes = stream.window_bytes
        asked.is_stream = True
        asked.is_answered = False
        stream.is_armed = True
        stream.is_paused = False
        stream.fault = 0
        return asked

    def return_unread(self, handle: Handle) -> Exchange[None]:
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

    # ---- units of work

    def start_unit(self) -> Exchange[None]:
        """MQBEGIN: nothing travels; what is done from now on is inside syncpoint."""
        if self.in_unit:
            raise mq_error(MQRC_UOW_IN_PROGRESS, verb="MQBEGIN", object=self.name)
        yield from ()
        self.in_unit = True

    def commit(self) -> Exchange[None]:
        """MQCMIT."""
        self.in_unit = False
        self.commits_changes = self.has_changes
        self.has_changes = False
        if self.lost_unit:
            self.lost_unit = False
            raise lost_with_connection("MQCMIT", self.name)
        reply = yield NetRequest(MQCMIT, None, b"")
        self.has_silent_puts = False
        committed(reply, self.name)

    def back_out(self) -> Exchange[None]:
        """MQBACK."""
        self.in_unit = False
        self.has_changes = False
        self.lost_unit = False
        checked((yield NetRequest(MQBACK, None, b"")), self.name)

    def disconnect(self) -> Exchange[None]:
        """MQDISC: commits what is open."""
        self.in_unit = False
        for handle in list(self.states):
            yield from self.return_unread(handle)
        was_lost = self.lost_unit
        self.lost_unit = False
        committed((yield NetRequest(MQDISC, None, b"")), self.name)
        if was_lost:
            raise lost_with_connection("MQDISC", self.name)

    # ---- two-phase commit

    def prepare(self, xid: XID) -> Exchange[bool]:
        """The first phase."""
        prepared = yield from net_xa.prepare(self, xid)
        self.in_unit = False
        self.has_changes = False
        return prepared

    def end_prepared(self, xid: XID, commit: bool, heuristic: bool) -> Exchange[None]:
        """The second phase."""
        yield from net_xa.end_prepared(self, xid, commit, heuristic)

    def recover(self) -> Exchange[list[XID]]:
        """What is in doubt."""
        return (yield from net_xa.recover(self))

    def forget(self, xid: XID) -> Exchange[None]:
        """Drop the memory of a heuristic outcome."""
        yield from net_xa.forget(self, xid)

    # ---- what only our own queue manager has

    def extension(self, call: str, /, **arguments: Any) -> Exchange[Extended]:
        """SPI EXTENSION."""
        return (yield from net_extension.asked(self, call, arguments))

    # ---- definitions

    def define(
        self, object_type: int, name: str, attributes: dict[str, Any], replace: bool
    ) -> Exchange[None]:
        """DEFINE."""
        return net_commands.define(self, object_type, name, attributes, replace)

    def alter(self, name: str, attributes: dict[str, Any]) -> Exchange[None]:
        """ALTER of a queue."""
        return net_commands.alter(self, name, attributes)

    def alter_qmgr(self, attributes: dict[str, Any]) -> Exchange[None]:
        """ALTER QMGR."""
        return net_commands.alter_qmgr(self, attributes)
