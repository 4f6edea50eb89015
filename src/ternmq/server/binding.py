"""One application's connection on the queue manager's side: frames to verbs, results to frames.

Requests that repeat themselves are checked once and kept, as the embedded API keeps them. Any other
verb is a call by its name. The session beside this owns the socket; here nothing knows of it.
"""

from __future__ import annotations

from typing import Any, Final

from ternmq.api.arguments import CACHED_REQUESTS_MAX
from ternmq.base import constants as mq
from ternmq.base.errors import IntegrityError, RemoteProtocolError, mq_error
from ternmq.base.ids import put_stamp
from ternmq.base.reasons import MQRC_MD_ERROR, MQRC_TRUNCATED_MSG_ACCEPTED
from ternmq.codec.mqi.list_records import Destination
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import (
    BYTES_2,
    CORREL_ID_AT,
    ENCODING_AT,
    FORMAT_AT,
    MSG_FLAGS_AT,
    MSG_ID_AT,
    Descriptor,
)
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.codec.property_area import check_area
from ternmq.host.asked_call import AskedCall
from ternmq.host.loop_shell import LoopShell
from ternmq.host.tasks import LoopTransport
from ternmq.kernel.connection import Handle
from ternmq.kernel.property_options import as_delivered
from ternmq.kernel.requests import GetCall, PutRequest
from ternmq.mqi.getting import get_request
from ternmq.mqi.got import converted
from ternmq.mqi.sharing import BY_UNIT
from ternmq.server.host import Host
from ternmq.values.calls.kinds import (
    destinations_from_json,
    object_from_json,
    put_record_fields_from_json,
    put_records_from_json,
)
from ternmq.values.calls.lists import Put1List, PutList
from ternmq.values.calls.messages import Put, Put1, PutCall, PutDeferred
from ternmq.values.calls.units import BackOut, Commit
from ternmq.values.entry import OWN_DATE, ZERO_ID, Entry, packed_descriptor, place_in_group
from ternmq.values.get_request import UNLIMITED_LENGTH, GetRequest
from ternmq.values.put_form import check_level
from ternmq.wire import local as wire
from ternmq.wire.extension import pack_answer, unpack_request

_IDS_END: Final = CORREL_ID_AT + 24


class Binding:
    """The verbs of one session."""

    def __init__(self, host: Host, loop_shell: LoopShell, user: str, application: str) -> None:
        self.host = host
        self.verbs = LoopTransport(loop_shell, user, application, BY_UNIT)
        self.verbs.keeps_entry = True
        self.unanswered: GetCall | None = None  # whose message may still be brought back
        self.unanswered_number = 0  # 0: the application cannot ask for that
        self._puts: dict[tuple[int, bytes], PutRequest] = {}
        self._gets: dict[bytes, GetRequest] = {}

    async def serve(self, frame: wire.Frame) -> bytes:
        """One request but a get; the body of its answer."""
        kind = frame.kind
        if kind == wire.PUT:
            return await self._put(wire.PutBody(frame.taken_body(), False))
        if kind == wire.COMMIT:
            await self.verbs.run(Commit())
        elif kind == wire.BACKOUT:
            await self.verbs.run(BackOut())
        elif kind == wire.PUT1:
            return await self._put1(wire.PutBody(frame.taken_body(), True))
        elif kind == wire.PUT_LIST:
            return await self._put_list(wire.ListPutBody(frame.taken_body()))
        elif kind == wire.DEFER:
            return await self._put_deferred(frame)
        elif kind == wire.LEVEL:
            return await self._put_at_level(frame)
        elif kind == wire.DISCONNECT:
            await self.verbs.end(False)
        else:
            raise RemoteProtocolError(f"a request of kind {kind}")
        return b""

    async def call(self, data: bytes) -> list[bytes]:
        """A call by its name; the parts of the answer's body."""
        asked = AskedCall(unpack_request(data))
        await self.verbs.run_step(asked.call, asked.step)
        return asked.answer()

    def _handle(self, handle_id: int, verb: str) -> Handle:
        return self.verbs.session.handle(handle_id, verb)

    # ---- put

    def _put_request(self, put: wire.PutBody, verb: str) -> PutRequest:
        """The checked request; it is the same for all that differ in their identifiers alone."""
        packed = put.descriptor
        identifiers = packed[MSG_ID_AT:_IDS_END]
        key = (put.options, packed[:MSG_ID_AT] + packed[_IDS_END:])
        request = self._puts.get(key)
        if request is None:
            md = Descriptor.unpack(packed)
            if len(packed) != BYTES_2 or md.version != mq.MQMD_VERSION_2:
                raise mq_error(MQRC_MD_ERROR, verb=verb, detail=f"version {md.version}")
            pmo = PutOptions(options=put.options, context=put.context)
            request = self.verbs.session.request_put(md, pmo, verb)
            if put.context or request.group_id != ZERO_ID:
                return request  # tied to one message
            if len(self._puts) >= CACHED_REQUESTS_MAX:
                self._puts.clear()
            self._puts[key] = request
            return request
        if request.msg_id + request.correl_id == identifiers:
            return request
        msg_id = ZERO_ID if put.options & mq.MQPMO_NEW_MSG_ID else identifiers[:24]
        return request.with_ids(msg_id, identifiers[24:])

    async def _put(self, put: wire.PutBody) -> bytes:
        verbs = self.verbs
        handle = self._handle(put.handle, "MQPUT")
        await verbs.put(handle, with_properties(self._put_request(put, "MQPUT"), put), put.data)
        entry, verbs.entry = verbs.entry, None
        assert entry is not None
        return was_put(entry, int(verbs.link.warning))

    async def _put1(self, put: wire.PutBody) -> bytes:
        request = with_properties(self._put_request(put, "MQPUT1"), put)
        return await self._put_by(put1_call(put, request))

    async def _put_at_level(self, frame: wire.Frame) -> bytes:
        if len(frame.body) < wire.LEVEL_HEAD.size:
            raise RemoteProtocolError("a put without its publication level")
        level, is_put1 = wire.LEVEL_HEAD.unpack_from(frame.body)
        put = wire.PutBody(frame.taken_body()[wire.LEVEL_HEAD.size :], is_put1 != 0)
        verb = "MQPUT1" if is_put1 else "MQPUT"
        check_level(level, verb)
        request = with_properties(self._put_request(put, verb), put).with_level(level)
        if is_put1:
            return await self._put_by(put1_call(put, request))
        return await self._put_by(Put(self._handle(put.handle, verb), request, put.data))

    async def _put_deferred(self, frame: wire.Frame) -> bytes:
        if len(frame.body) < wire.DELAY.size:
            raise RemoteProtocolError("a put without its delivery delay")
        delay_ms: int = wire.DELAY.unpack_from(frame.body)[0]
        put = wire.PutBody(frame.taken_body()[wire.DELAY.size :], False)
        handle = self._handle(put.handle, "MQPUT")
        request = with_properties(self._put_request(put, "MQPUT"), put)
        return await self._put_by(PutDeferred(handle, request, put.data, delay_ms))

    async def _put_by(self, call: PutCall) -> bytes:
        await self.verbs.run(call)
        assert call.entry is not None
        return was_put(call.entry, call.warning)

    async def _put_list(self, asked: wire.ListPutBody) -> bytes:
        put = asked.put
        verb = "MQPUT" if put.handle else "MQPUT1"
        request = with_properties(self._put_request(put, verb), put)
        call: PutList | Put1List
        try:
            fields = put_record_fields_from_json(asked.given["fields"])
            records = put_records_from_json(asked.given["records"])
            if put.handle:
                handle = self._handle(put.handle, verb)
                to = [Destination("")] * len(handle.members or [])
                call = PutList(handle, to, request, put.data, fields, records)
            else:
                od = object_from_json(asked.given["od"])
                to = destinations_from_json(asked.given["destinations"])
                call = Put1List(od, to, request, put.data, fields, records)
        except (KeyError, TypeError, ValueError) as error:
            raise RemoteProtocolError(f"{verb} to a list: {error}") from error
        await self.verbs.run(call)
        return pack_answer(call.result())

    # ---- get

    def _get_request(self, body: bytes) -> GetRequest:
        request = self._gets.get(body)
        if request is not None:
            return request
        fields = wire.GET_HEAD.unpack(body)
        md = Descriptor(
            ccsid=fields[6],
            encoding=fields[7],
            msg_seq_number=fields[8],
            offset=fields[9],
            msg_id=fields[10],
            correl_id=fields[11],
            group_id=fields[12],
        )
        gmo = GetOptions(
            options=fields[1],
            match_options=fields[2],
            wait_interval=fields[3],
            message_token=fields[13],
        )
        length = fields[4]
        apart = fields[5] & wire.APART != 0
        request = get_request(md, gmo, UNLIMITED_LENGTH if length < 0 else length, apart)
        if request.plain:  # one by identifier does not come again
            if len(self._gets) >= CACHED_REQUESTS_MAX:
                self._gets.clear()
            self._gets[body] = request
        return request

    async def get(self, frame: wire.Frame) -> list[bytes]:
        """A get; the parts of its answer's body, the last of which may be a long message."""
        body = frame.body
        if len(body) != wire.GET_HEAD.size:
            raise RemoteProtocolError(f"a get of {len(body)} bytes")
        verbs = self.verbs
        handle_id, flags = wire.GET_HEAD.unpack(body)[0:6:5]
        handle = self._handle(handle_id, "MQGET")
        call = await verbs.get_returnable(handle, self._get_request(body))
        self.unanswered = call
        self.unanswered_number = frame.number if flags & wire.RETURNABLE else 0
        return got(call, verbs.session.engine.clock.now_ns())

    def written(self) -> None:
        """The answer is with the system: a get that cannot be cancelled is the application's."""
        if self.unanswered_number == 0:
            self.answered()

    def answered(self) -> None:
        """The message of the last returnable get is the application's for good."""
        call = self.unanswered
        if call is not None:
            self.unanswered = None
            self.verbs.session.answered(call)

    def cancel(self, number: int) -> bool:
        """The get of this number shall not have happened; False if it cannot be undone."""
        call = self.unanswered
        if call is None or self.unanswered_number != number or number == 0:
            return False
        self.take_back()
        return True

    def take_back(self) -> None:
        """Take the last get back, if the application does not have its message yet."""
        call = self.unanswered
        if call is not None:
            self.unanswered = None
            self.verbs.session.take_back(call)


def with_properties(request: PutRequest, put: wire.PutBody) -> PutRequest:
    """The request for a message with the properties that came with it."""
    if not put.properties:
        return request
    try:
        check_area(put.properties)
    except IntegrityError as error:
        raise RemoteProtocolError(f"a put with {error}") from error
    return request.with_properties(put.properties)


def was_put(entry: Entry, warning: int) -> bytes:
    """The answer to a put: the MsgId, what became of the descriptor, its place in a group if it has
    one, a reason if it warns."""
    base = entry.base
    when = base[304:320] if entry.flags & OWN_DATE else put_stamp(entry.put_ns)
    packed = wire.NUMBER.pack(warning)
    place = place_in_group(entry) if any(base[MSG_FLAGS_AT : MSG_FLAGS_AT + 4]) else b""
    return b"".join((entry.msg_id, base[40:48], base[196:304], when, base[320:324], place, packed))


def got(call: GetCall, now_ns: int) -> list[bytes]:
    """The answer to a get."""
    entry = call.entry
    if entry is None:
        return [wire.GOT_HEAD.pack(int(call.reason), *(0,) * (wire.GOT_FIELDS - 1))]
    if entry.properties:
        entry = as_delivered(call, entry)
    reason = int(call.reason)
    data = entry.data
    length = int(entry.length)
    descriptor = packed_descriptor(entry)
    if call.request.options & mq.MQGMO_CONVERT and reason in (0, MQRC_TRUNCATED_MSG_ACCEPTED):
        made = converted(call, entry, int(call.request.buffer_length))
        data = made.data
        descriptor = (
            descriptor[:ENCODING_AT] + made.base[ENCODING_AT:FORMAT_AT] + descriptor[FORMAT_AT:]
        )
        reason = made.warning
        if made.is_cut:
            reason = MQRC_TRUNCATED_MSG_ACCEPTED
            length = max(length, len(data))
        elif call.reason == 0:
            length = len(data)
    elif reason:  # cut: what is longer does not leave
        data = data[: call.request.buffer_length]
    if reason == 0:
        reason = int(call.warning)
    head = wire.GOT_HEAD.pack(
        reason,
        wire.HAS_MESSAGE,
        int(entry.priority),
        int(entry.flags),
        int(entry.lane),
        int(entry.backout_count),
        length,
        int(entry.sequence),
        int(entry.number),
        int(entry.queue_id),
        int(entry.put_ns),
        int(entry.expiry_at),
        now_ns,
        len(entry.properties),
    )
    return [head, descriptor, entry.properties, data]


def put1_call(put: wire.PutBody, request: PutRequest) -> Put1:
    """An MQPUT1 and its MQOD, with the topic string beside it."""
    given = put.object
    topic = given.pop(wire.OBJECT_STRING, "")
    if not isinstance(topic, str):
        raise RemoteProtocolError(f"MQPUT1: a topic string of {topic!r}")
    return Put1(put1_object(given), request, put.data, topic)


def put1_object(given: dict[str, Any]) -> ObjectDescriptor:
    """The MQOD of an MQPUT1."""
    try:
        return object_from_json(given)
    except (TypeError, ValueError) as error:
        raise RemoteProtocolError(f"MQPUT1: the object is {error}") from error
