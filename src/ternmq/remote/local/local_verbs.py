"""The verbs of a connection over the local socket, but for the way bytes travel.

A verb yields a `Request` and gets the frame that answers it. `local_threads` runs it in a thread,
`local_tasks` in a task.
"""

from __future__ import annotations

from typing import Any, Final

from ternmq.base import constants as mq
from ternmq.base.errors import RemoteProtocolError, mq_error
from ternmq.base.ids import message_token
from ternmq.base.limits import MESSAGE_BYTES_MAX
from ternmq.base.reasons import (
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
    MQRC_UOW_IN_PROGRESS,
)
from ternmq.codec.headers.mqmde import NO_EXTENSION
from ternmq.codec.mqi.mqmd import BYTES_2
from ternmq.mqi.options import check_close
from ternmq.remote.remote_verbs import Exchange, Extended, PackedPut, RemoteVerbs, error_from
from ternmq.values.calls.call import UNIT_BEGINS, UNIT_ENDS, UNIT_LEAVES, Call
from ternmq.values.calls.kinds import object_to_json, put_records_to_json
from ternmq.values.calls.lists import ListPutCall, OpenList, Put1List, PutList
from ternmq.values.calls.messages import Put1, PutDeferred
from ternmq.values.calls.objects import Close, Open
from ternmq.values.calls.units import BackOut, Commit, Prepare
from ternmq.values.entry import Entry
from ternmq.values.get_request import UNLIMITED_LENGTH, GetRequest
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.put_form import PUBLICATION_LEVEL_MAX, foreign_form
from ternmq.values.xid import check_xid
from ternmq.wire import local as wire
from ternmq.wire.extension import pack_request, unpack_answer

_CUT: Final = (MQRC_TRUNCATED_MSG_ACCEPTED, MQRC_TRUNCATED_MSG_FAILED)

_TAKES_NOTHING: Final = (
    mq.MQGMO_BROWSE_FIRST
    | mq.MQGMO_BROWSE_NEXT
    | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
    | mq.MQGMO_UNLOCK
)
MSG_ID_BYTES: Final = 24
_PLACE_AT: Final = MSG_ID_BYTES + 8 + 128  # in the answer to a put
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


def answer_of(frame: wire.Frame) -> wire.Frame:
    """The frame, if it is not an error."""
    if frame.kind == wire.ERROR:
        raise error_from(frame.json())
    return frame


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

    # ---- put

    def put(self, handle: ObjectHandle, form: PackedPut, data: bytes) -> Exchange[bytes]:
        """MQPUT; the MsgId."""
        check_length(data, "MQPUT", handle.resolved_name)
        head = wire.put_head(
            handle.handle_id, int(form.options), form.context, form.packed, form.properties
        )
        kind = wire.PUT
        if form.level != PUBLICATION_LEVEL_MAX:
            head = wire.LEVEL_HEAD.pack(int(form.level), 0) + head
            kind = wire.LEVEL
        return (yield from self._put(kind, head, int(form.options), data))

    def _put_by(self, call: Put1 | PutDeferred) -> Exchange[None]:
        form = call.form
        if not isinstance(form, PackedPut):
            raise foreign_form(call.verb)
        options = int(form.options)
        if isinstance(call, Put1):
            kind = wire.PUT1
            name = call.od.object_name
            od = object_to_json(call.od)
            if call.object_string:
                from ternmq.values.topic_string import checked_string  # few publish

                od[wire.OBJECT_STRING] = checked_string(call.object_string, call.verb)
            head = wire.put1_head(od, options, form.context, form.packed, form.properties)
        else:
            kind = wire.DEFER
            name = call.handle.resolved_name
            head = wire.DELAY.pack(call.delay_ms) + wire.put_head(
                call.handle.handle_id, options, form.context, form.packed, form.properties
            )
        check_length(call.data, call.verb, name)
        if form.level != PUBLICATION_LEVEL_MAX and kind == wire.PUT1:
            head = wire.LEVEL_HEAD.pack(int(form.level), 1) + head
            kind = wire.LEVEL
        call.msg_id = yield from self._put(kind, head, options, call.data)
        call.warning = self.put_warning()

    def _put_list(self, call: ListPutCall) -> Exchange[None]:
        form = call.form
        if not isinstance(form, PackedPut):
            raise foreign_form(call.verb)
        check_length(call.data, call.verb, "")
        given: dict[str, Any] = {
            "fields": call.fields,
            "records": put_records_to_json(call.records),
        }
        number = 0
        if isinstance(call, Put1List):
            given["od"] = object_to_json(call.od)
            given["destinations"] = [list(one) for one in call.destinations]
        elif isinstance(call, PutList):
            number = call.handle.handle_id
        options = int(form.options)
        head = wire.put_head(number, options, form.context, form.packed, form.properties)
        request = Request(wire.PUT_LIST, wire.put_list_head(given, head), call.data)
        frame = answer_of((yield request))
        if options & mq.MQPMO_SYNCPOINT:
            self.has_changes = True
        result, at = unpack_answer(frame.body)
        try:
            call.take(result, frame.body, at)
        except (KeyError, TypeError, ValueError) as error:
            raise RemoteProtocolError(f"an answer that cannot be: {error}") from error

    def _put(self, kind: int, head: bytes, options: int, data: bytes) -> Exchange[bytes]:
        frame = answer_of((yield Request(kind, head, data)))
        if options & mq.MQPMO_SYNCPOINT:
            self.has_changes = True
        self._put_answer = frame.body
        return frame.body[:MSG_ID_BYTES]

    def put_descriptor(self) -> bytes:
        """As the answer has it."""
        return self._put_answer[MSG_ID_BYTES:_PLACE_AT]

    def put_place(self) -> bytes:
        """As the answer has it; it has none of a message without MsgFlags."""
        return self._put_answer[_PLACE_AT : -wire.NUMBER.size] or NO_EXTENSION

    def put_warning(self) -> int:
        """As the answer has it."""
        return int.from_bytes(self._put_answer[-wire.NUMBER.size :], "little")

    # ---- get

    def get(
        self, handle: ObjectHandle, request: GetRequest, returnable: bool
    ) -> Exchange[Message | None]:
        """MQGET with a checked request; None if there is no message."""
        takes = not request.options & _TAKES_NOTHING
        asked = Request(wire.GET)
        asked.returnable = returnable and takes
        flags = wire.RETURNABLE if asked.returnable else 0
        if request.apart:
            flags |= wire.APART
        asked.head = get_head(handle, request, flags)
        frame = answer_of((yield asked))
        message = message_of(frame.body, request, handle.resolved_name)
        if takes and message is not None and request.options & _IN_UNIT:
            self.has_changes = True
        return message

    # ---- any other verb

    def run(self, call: Call) -> Exchange[None]:
        """By a frame of its own where there is one, else by its name."""
        unit = call.unit
        if unit == UNIT_BEGINS and self.in_unit:
            raise mq_error(MQRC_UOW_IN_PROGRESS, verb=call.verb, object=self.name)
        if unit == UNIT_ENDS:
            self.in_unit = False
            self.has_changes = False
        if isinstance(call, Commit):
            answer_of((yield Request(wire.COMMIT)))
        elif isinstance(call, BackOut):
            answer_of((yield Request(wire.BACKOUT)))
        elif isinstance(call, (ListPutCall, Put1, PutDeferred)):
            own = self._put_list(call) if isinstance(call, ListPutCall) else self._put_by(call)
            yield from own
        else:
            if isinstance(call, Close):
                check_close(call.options)
            elif isinstance(call, Prepare):
                check_xid(call.xid)
            yield from self.run_by_name(call)
            self._note(call)
        if unit == UNIT_BEGINS:
            self.in_unit = True
        elif unit == UNIT_LEAVES:
            self.in_unit = False
            self.has_changes = False

    def _note(self, call: Call) -> None:
        """Which handles are open."""
        if isinstance(call, Open):
            handle = call.opened()
            self.link.handles[handle.handle_id] = handle
        elif isinstance(call, OpenList):
            if call.handle is not None:
                self.link.handles[call.handle.handle_id] = call.handle
        elif call.name == "subscribe":
            from ternmq.values.calls.topics import Subscribe  # few subscribe

            assert isinstance(call, Subscribe)
            for one in call.done():
                self.link.handles[one.handle_id] = one
        elif isinstance(call, Close):
            self.link.handles.pop(call.handle.handle_id, None)

    def disconnect(self) -> Exchange[None]:
        """MQDISC: commits what is open."""
        self.in_unit = False
        answer_of((yield Request(wire.DISCONNECT)))

    def send_call(
        self, name: str, arguments: dict[str, Any], subject: ObjectHandle | None = None
    ) -> Exchange[Extended]:
        """EXTENSION: a call by its name."""
        request = Request(wire.EXTENSION, pack_request(name, arguments))
        frame = answer_of((yield request))
        result, at = unpack_answer(frame.body)
        return Extended(result, frame.body, at)


# ---- requests and answers


def get_head(handle: ObjectHandle, request: GetRequest, flags: int) -> bytes:
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
    data_at = at + fields[13]
    if len(body) < data_at:
        raise RemoteProtocolError(f"a message of {len(body)} bytes, {fields[13]} of properties")
    data = body[data_at:]
    entry = entry_of(fields, base, data, body[at:data_at])
    message = Message(entry, data, reason in _CUT, fields[12])
    if reason == MQRC_TRUNCATED_MSG_FAILED:
        raise mq_error(
            reason,
            verb="MQGET",
            object=name,
            detail=f"{entry.length} bytes, the buffer has {request.buffer_length}",
            result=message,
        )
    if reason not in _CUT:
        message.warning = reason
    return message


def entry_of(fields: tuple[int, ...], base: bytes, data: bytes, area: bytes) -> Entry:
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
        area,
    )
    entry.lane = fields[4]
    entry.backout_count = fields[5]
    entry.sequence = fields[7]
    entry.queue_id = fields[9]
    return entry
