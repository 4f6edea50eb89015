"""The verbs of a connection over the local socket, but for the way bytes travel.

A verb yields a `Request` and gets the frame that answers it. `local_socket` runs it in a thread,
`local_stream` in a task.
"""

from __future__ import annotations

from typing import Any, Final

from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.errors import MQError, RemoteProtocolError, XAError, mq_error
from ternmq.base.ids import message_token
from ternmq.base.limits import MESSAGE_BYTES_MAX
from ternmq.base.object_types import QMGR
from ternmq.base.reasons import (
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_TRUNCATED_MSG_FAILED,
    MQRC_UOW_IN_PROGRESS,
)
from ternmq.client.inert import warn_inert, warn_inert_values
from ternmq.client.message import Message
from ternmq.client.remote_verbs import Exchange, Extended, Opened, RemoteVerbs
from ternmq.codec.mqmd import BYTES_2
from ternmq.kernel.connection import Handle
from ternmq.kernel.inquire import not_for_type
from ternmq.kernel.requests import UNLIMITED_LENGTH, GetRequest
from ternmq.kernel.two_phase import check_xid
from ternmq.mqi.options import check_close
from ternmq.store.entry import Entry
from ternmq.txn.unit import XID
from ternmq.wire import local as wire
from ternmq.wire.extension import pack_request, unpack_answer

_TAKES_NOTHING: Final = (
    mq.MQGMO_BROWSE_FIRST
    | mq.MQGMO_BROWSE_NEXT
    | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
    | mq.MQGMO_UNLOCK
)
MSG_ID_BYTES: Final = 24
_IN_UNIT: Final = mq.MQGMO_SYNCPOINT | mq.MQGMO_SYNCPOINT_IF_PERSISTENT
_MATCH: Final = mq.MQMO_MATCH_MSG_ID | mq.MQMO_MATCH_CORREL_ID


class Request:
    """One frame to send; `data` follows the head without being copied into it."""

    __slots__ = ("data", "head", "kind", "returnable")

    def __init__(self, kind: int, head: bytes = b"", data: bytes = b"") -> None:
        self.kind = kind
        self.head = head
        self.data = data
        self.returnable = False  # a get that can be taken back until its answer counts


def call_request(name: str, arguments: dict[str, Any]) -> Request:
    """CALL."""
    body = wire.json_frame(wire.CALL, 0, {"call": name, **arguments})
    return Request(wire.CALL, body[wire.HEAD_BYTES :])


def error_from(told: dict[str, Any]) -> MQError:
    """An error that the queue manager told, as it was raised there."""
    try:
        verb, about, detail = str(told["verb"]), str(told["object"]), str(told["detail"])
        reason = int(told["reason"])
        if "xa" in told:
            detail = detail.partition(": ")[2]
            return XAError(int(told["xa"]), reason, verb=verb, object=about, detail=detail)
        return mq_error(reason, comp=int(told["comp"]), verb=verb, object=about, detail=detail)
    except (KeyError, TypeError, ValueError) as error:
        raise RemoteProtocolError(f"an error that says nothing: {told!r}") from error


def answer_of(frame: wire.Frame) -> wire.Frame:
    """The frame, if it does not tell of an error."""
    if frame.kind == wire.ERROR:
        raise error_from(frame.json())
    return frame


def xid_value(xid: XID) -> list[Any]:
    """An XID as it travels."""
    return [xid.format_id, xid.global_id.hex(), xid.branch_qualifier.hex()]


def check_length(data: bytes, verb: str, name: str) -> None:
    """No queue takes a message that is longer than a frame can be; it is not sent."""
    if len(data) > MESSAGE_BYTES_MAX:
        detail = f"{len(data)} bytes, MAXMSGL is at most {MESSAGE_BYTES_MAX}"
        raise mq_error(MQRC_MSG_TOO_BIG_FOR_Q, verb=verb, object=name, detail=detail)


class LocalVerbs(RemoteVerbs):
    """The verbs of one connection."""

    def __init__(self, hello: dict[str, Any]) -> None:
        tag = bytes.fromhex(hello["connection_id"])
        super().__init__(str(hello["name"]), tag, str(hello["user"]))
        self._put_answer = b""

    def call(self, call: str, /, **arguments: Any) -> Exchange[dict[str, Any]]:
        """A call with JSON."""
        frame = yield call_request(call, arguments)
        return answer_of(frame).json()

    # ---- objects

    def open(
        self, od: dict[str, Any], options: int, as_needed: bool = False, exclusive: bool = False
    ) -> Exchange[Opened]:
        """MQOPEN."""
        told = yield from self.call(
            "open", od=od, options=options, as_needed=as_needed, exclusive=exclusive
        )
        handle = Handle(self.link, int(told["handle"]), int(told["options"]))
        handle.resolved_name = str(told["resolved"])
        self.link.handles[handle.handle_id] = handle
        manager, local = str(told["resolved_qmgr"]), str(told["local"])
        return Opened(handle, int(told["type"]), bool(told["renamed"]), manager, local)

    def close(self, handle: Handle, options: int = 0) -> Exchange[None]:
        """MQCLOSE."""
        check_close(options)
        yield from self.call("close", handle=handle.handle_id, options=options)
        self.link.handles.pop(handle.handle_id, None)

    def inquire(self, handle: Handle, selectors: list[int]) -> Exchange[list[Value]]:
        """MQINQ."""
        told = yield from self.call("inquire", handle=handle.handle_id, selectors=selectors)
        values: list[Value] = told["values"]
        if told["strange"]:
            raise not_for_type(handle, told["strange"], values)
        return values

    def set(self, opened: Opened, values: dict[int, Value]) -> Exchange[None]:
        """MQSET."""
        if opened.object_type:
            warn_inert_values(opened.object_type, opened.handle.resolved_name, values)
        yield from self.call("set", handle=opened.handle.handle_id, values=list(values.items()))

    # ---- put

    def put(
        self, handle: Handle, options: int, packed: bytes, data: bytes, context: int = 0
    ) -> Exchange[bytes]:
        """MQPUT with a packed descriptor; the MsgId."""
        check_length(data, "MQPUT", handle.resolved_name)
        head = wire.put_head(handle.handle_id, options, context, packed)
        return (yield from self._put(wire.PUT, head, options, data))

    def put1(
        self, od: dict[str, Any], options: int, packed: bytes, data: bytes, context: int = 0
    ) -> Exchange[bytes]:
        """MQPUT1; the MsgId."""
        check_length(data, "MQPUT1", str(od.get("object_name", "")))
        head = wire.put1_head(od, options, context, packed)
        return (yield from self._put(wire.PUT1, head, options, data))

    def _put(self, kind: int, head: bytes, options: int, data: bytes) -> Exchange[bytes]:
        frame = answer_of((yield Request(kind, head, data)))
        if options & mq.MQPMO_SYNCPOINT:
            self.has_changes = True
        self._put_answer = frame.body
        return frame.body[:MSG_ID_BYTES]

    def told_of_put(self) -> bytes:
        """As the answer has it."""
        return self._put_answer[MSG_ID_BYTES : -wire.NUMBER.size]

    def warning_of_put(self) -> int:
        """As the answer has it."""
        return int.from_bytes(self._put_answer[-wire.NUMBER.size :], "little")

    # ---- get

    def get(
        self, handle: Handle, request: GetRequest, returnable: bool
    ) -> Exchange[Message | None]:
        """MQGET with a checked request; None if there is no message."""
        takes = not request.options & _TAKES_NOTHING
        flags = wire.RETURNABLE if returnable and takes else 0
        asked = Request(wire.GET, get_head(handle, request, flags))
        asked.returnable = flags != 0
        frame = answer_of((yield asked))
        message = message_of(frame.body, request, handle.resolved_name)
        if takes and message is not None and request.options & _IN_UNIT:
            self.has_changes = True
        return message

    # ---- units of work

    def start_unit(self) -> Exchange[None]:
        """MQBEGIN."""
        if self.in_unit:
            raise mq_error(MQRC_UOW_IN_PROGRESS, verb="MQBEGIN", object=self.name)
        yield from self.call("begin")
        self.in_unit = True

    def commit(self) -> Exchange[None]:
        """MQCMIT."""
        self.in_unit = False
        self.has_changes = False
        answer_of((yield Request(wire.COMMIT)))

    def back_out(self) -> Exchange[None]:
        """MQBACK."""
        self.in_unit = False
        self.has_changes = False
        answer_of((yield Request(wire.BACKOUT)))

    def disconnect(self) -> Exchange[None]:
        """MQDISC: commits what is open."""
        self.in_unit = False
        answer_of((yield Request(wire.DISCONNECT)))

    # ---- two-phase commit

    def prepare(self, xid: XID) -> Exchange[bool]:
        """The first phase."""
        check_xid(xid)
        told = yield from self.call("prepare", xid=xid_value(xid))
        self.in_unit = False
        self.has_changes = False
        return bool(told["prepared"])

    def end_prepared(self, xid: XID, commit: bool, heuristic: bool) -> Exchange[None]:
        """The second phase."""
        xid_told = xid_value(xid)
        yield from self.call("end_prepared", xid=xid_told, commit=commit, heuristic=heuristic)

    def recover(self) -> Exchange[list[XID]]:
        """What is in doubt."""
        told = yield from self.call("recover")
        return [XID(int(a), bytes.fromhex(b), bytes.fromhex(c)) for a, b, c in told["xids"]]

    def forget(self, xid: XID) -> Exchange[None]:
        """Drop the memory of a heuristic outcome."""
        yield from self.call("forget", xid=xid_value(xid))

    # ---- what only our own queue manager has

    def extension(self, call: str, /, **arguments: Any) -> Exchange[Extended]:
        """EXTENSION."""
        request = Request(wire.EXTENSION, pack_request(call, arguments))
        frame = answer_of((yield request))
        told, at = unpack_answer(frame.body)
        return Extended(told, frame.body, at)

    # ---- definitions

    def define(
        self, object_type: int, name: str, attributes: dict[str, Any], replace: bool
    ) -> Exchange[None]:
        """DEFINE."""
        warn_inert(object_type, name, attributes)
        yield from self.call(
            "define", type=object_type, name=name, attributes=attributes, replace=replace
        )

    def alter(self, name: str, attributes: dict[str, Any]) -> Exchange[None]:
        """ALTER of a queue."""
        told = yield from self.call("type_of", name=name)
        if told["type"]:
            warn_inert(int(told["type"]), name, attributes)
        yield from self.call("alter", name=name, attributes=attributes)

    def alter_qmgr(self, attributes: dict[str, Any]) -> Exchange[None]:
        """ALTER QMGR."""
        warn_inert(QMGR, self.name, attributes)
        yield from self.call("alter_qmgr", attributes=attributes)


# ---- requests and answers


def get_head(handle: Handle, request: GetRequest, flags: int) -> bytes:
    """GET."""
    token = bytes(16)
    matches = _MATCH | mq.MQMO_MATCH_GROUP_ID
    if request.msg_sequence >= 0:
        matches |= mq.MQMO_MATCH_MSG_SEQ_NUMBER
    if request.msg_offset >= 0:
        matches |= mq.MQMO_MATCH_OFFSET
    if request.token >= 0:
        matches |= mq.MQMO_MATCH_MSG_TOKEN
        token = message_token(
            int(request.token_queue),
            int(request.token_lane),
            int(request.token_sequence),
            int(request.token),
        )
    length = int(request.buffer_length)
    return wire.GET_HEAD.pack(
        handle.handle_id,
        int(request.options),
        matches,
        int(request.wait_ms),
        -1 if length >= UNLIMITED_LENGTH else length,
        flags,
        int(request.ccsid),
        int(request.encoding),
        int(request.msg_sequence),
        int(request.msg_offset),
        request.msg_id,
        request.correl_id,
        request.group_id,
        token,
    )


def message_of(body: bytes, request: GetRequest, name: str) -> Message | None:
    """What a get answers: the message, None if there is none, or the error that says why."""
    head_bytes = wire.GOT_HEAD.size
    if len(body) < head_bytes:
        raise RemoteProtocolError(f"the answer to a get has {len(body)} bytes")
    fields = wire.GOT_HEAD.unpack_from(body)
    reason = fields[0]
    if not fields[1] & wire.HAS_MESSAGE:
        if reason in (0, MQRC_NO_MSG_AVAILABLE):
            return None
        raise mq_error(reason, verb="MQGET", object=name)
    at = head_bytes + BYTES_2
    base = body[head_bytes:at]
    if len(base) < BYTES_2:
        raise RemoteProtocolError("a message without its descriptor")
    data = body[at:]
    entry = entry_of(fields, base, data)
    message = Message(entry, data, reason != 0, fields[12])
    if reason == MQRC_TRUNCATED_MSG_FAILED:
        raise mq_error(
            reason,
            verb="MQGET",
            object=name,
            detail=f"{entry.length} bytes, the buffer has {request.buffer_length}",
            result=message,
        )
    if reason == 0 and request.options & mq.MQGMO_CONVERT:
        limit = int(request.buffer_length)
        message.convert(int(request.ccsid), int(request.encoding), limit)
    return message


def entry_of(fields: tuple[int, ...], base: bytes, data: bytes) -> Entry:
    """The message as the queue manager keeps it."""
    entry = Entry(
        fields[8],
        fields[2],
        fields[3],
        fields[10],
        fields[11],
        base[48:72],
        base[72:96],
        base[324:348],
        base,
        data,
        fields[6],
    )
    entry.lane = fields[4]
    entry.backout_count = fields[5]
    entry.sequence = fields[7]
    entry.queue_id = fields[9]
    return entry
