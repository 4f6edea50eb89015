"""MQPUT and MQPUT1 from the network.

A put in one segment is read in place. Its structures but for the identifiers are compared
with those of the conversation's last put, and only what is new is read and checked: a `PutPlan` is
the checked request with the parts of its reply. Puts with MQPMO_ASYNC_RESPONSE are not answered on
a shared socket, nor where the client has reserved identifiers for them (SPI): they are counted, and
the first that fails is kept, for MQSTAT. One that fails inside syncpoint makes the commit fail.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.api.arguments import CACHED_REQUESTS_MAX
from ternmq.base import constants as mq
from ternmq.base.errors import IntegrityError, MQError, mq_error
from ternmq.base.ids import put_stamp
from ternmq.base.reasons import MQRC_MSG_TOO_BIG_FOR_CHANNEL
from ternmq.codec.charset import encode
from ternmq.codec.mqi.mqmd import BYTES_1, BYTES_2, Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import LAYOUT as MQPMO
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.codec.property_area import leading_area
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.transmission import resolved_names
from ternmq.mqi.steps.messages import Put1
from ternmq.network.clients.byte_form import Form
from ternmq.network.clients.conversation import Call, Conversation
from ternmq.network.clients.given_fields import as_given
from ternmq.network.clients.object_calls import (
    asked_object,
    complete_object,
    put1_topic,
    refuse_selection,
)
from ternmq.network.clients.silent_puts import is_silent_put, note_failure, topic_of
from ternmq.values.calls import messages as calls
from ternmq.values.entry import OWN_DATE, ZERO_ID, Entry
from ternmq.wire.fap.call_flows import CALL_HEADER_BYTES
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import TSH_BYTES, Header, Segment, SegmentError
from ternmq.wire.fap.segment_number import i32
from ternmq.wire.fap.vocabulary import AREA_BEFORE_DATA, MQPUT, REPLY

_LENGTH: Final = struct.Struct(">I")
_MD_VERSION_AT: Final = CALL_HEADER_BYTES + 4
_IDS_AT: Final = CALL_HEADER_BYTES + 48  # of the message: in the body
_IDS_END: Final = _IDS_AT + 48
_PMO_BYTES: Final[dict[int, int]] = {version: MQPMO.size(version) for version in (1, 2, 3)}


@final
class PutPlan:
    """A checked put, but for identifiers and data."""

    def __init__(
        self,
        prefix: bytes,
        suffix: bytes,
        handle: Handle,
        request: PutRequest,
        pmo: PutOptions,
        version: int,
    ) -> None:
        self.prefix = prefix  # the handle and the descriptor before its identifiers
        self.suffix = suffix  # the rest of the descriptor, and the options
        self.handle = handle
        self.request = request
        self.pmo = pmo
        self.version = version  # of the descriptor
        self.is_async = pmo.options & mq.MQPMO_ASYNC_RESPONSE != 0
        self.has_new_id = pmo.options & mq.MQPMO_NEW_MSG_ID != 0
        self.has_area = pmo.options & AREA_BEFORE_DATA != 0
        # Of the reply, for the base that the last message had.
        self.base = b""
        self.before_ids = b""
        self.before_date = b""
        self.date = b""
        self.behind_date = b""
        self.reply_bytes = 0
        self._next: PutRequest | None = None  # used again for each message

    def with_ids(self, msg_id: bytes, correl_id: bytes) -> PutRequest:
        """The request for a message with these identifiers. It is the next message's, too: who
        keeps it longer than its call lasts has to copy it."""
        request = self.request
        if request.msg_id == msg_id and request.correl_id == correl_id:
            return request
        found = self._next
        if found is None:
            found = request.with_ids(msg_id, correl_id)
            self._next = found
        found.msg_id = ZERO_ID if self.has_new_id else msg_id
        found.correl_id = correl_id
        return found

    def prepare_reply(self, form: Form, entry: Entry, qmgr_name: str) -> None:
        """The parts of the reply that all messages of this base share."""
        own = form.base(as_given(entry.base, self.request.base))
        version = form.long.pack(self.version)
        pmo = self.pmo
        handle = self.handle
        pmo.known_count = 0 if handle.route is not None else 1
        pmo.unknown_count = 1 - pmo.known_count
        pmo.invalid_count = 0
        names = resolved_names(handle, pmo.options & mq.MQPMO_RESOLVE_LOCAL_Q, qmgr_name)
        pmo.resolved_queue_name, pmo.resolved_qmgr_name = names
        options = pmo.pack(form.order, form.text_ccsid)
        self.before_ids = own[:4] + version + own[8:48]
        self.before_date = form.long.pack(0) + own[100:304]
        self.date = own[304:320] if entry.flags & OWN_DATE else b""
        end = own[320:BYTES_1]
        if self.version == 2:
            end += entry.group_id + own[348:BYTES_2]
        self.behind_date = end + options
        self.base = entry.base
        bytes_before = len(self.before_ids) + 48 + len(self.before_date) + 16
        self.reply_bytes = CALL_HEADER_BYTES + bytes_before + len(self.behind_date) + 4


def put_fast(conversation: Conversation, data: bytes, body: i64, end: i64) -> bool:
    """MQPUT in one segment; False if it has to be read with care."""
    if end - body < _IDS_END:
        return False
    prefix = data[body + 12 : body + _IDS_AT]
    plan = conversation.plan
    if plan is not None and plan.prefix == prefix:
        length_at = body + _IDS_END + len(plan.suffix)
        if length_at + 4 > end or plan.suffix != data[body + _IDS_END : length_at]:
            plan = None
    else:
        plan = None
    if plan is None:
        length_at = _length_at(conversation, data, body, end)
        if length_at == 0:
            return False
        plan = conversation.plans.get(prefix + data[body + _IDS_END : length_at])
        if plan is None:
            return False  # it is read with care, and kept
        conversation.plan = plan
    length = i32(data, length_at, conversation.form.is_little)
    data_at = length_at + 4
    if not 0 <= length <= end - data_at:
        return False
    msg_id = data[body + _IDS_AT : body + _IDS_AT + 24]
    correl_id = data[body + _IDS_AT + 24 : body + _IDS_END]
    request = plan.with_ids(msg_id, correl_id)
    message = data[data_at : data_at + length]
    if plan.has_area:
        request, message = without_area(request, message)
    _put(conversation, plan, request, message, data, int(body))
    return True


def _length_at(conversation: Conversation, data: bytes, body: i64, end: i64) -> i64:
    """Where the length of the message stands, behind the structures; 0 if they do not fit."""
    is_little = conversation.form.is_little
    version = i32(data, body + _MD_VERSION_AT, is_little)
    pmo_at = body + CALL_HEADER_BYTES + (BYTES_2 if version == 2 else BYTES_1)
    if not 1 <= version <= 2 or end < pmo_at + 8:
        return 0
    pmo_bytes: i64 = _PMO_BYTES.get(int(i32(data, pmo_at + 4, is_little)), 0)
    if pmo_bytes == 0 or end < pmo_at + pmo_bytes + 4:
        return 0
    return pmo_at + pmo_bytes


def _put(
    conversation: Conversation,
    plan: PutPlan,
    request: PutRequest,
    message: bytes,
    data: bytes,
    body: int,
) -> None:
    """A put of a known kind, whose segment is this."""
    if plan.is_async and conversation.is_silent:
        _put_silently(conversation, plan, request, message)
        return
    number = 0
    if conversation.is_shared:  # the request's own number stands in its header
        number = _LENGTH.unpack_from(data, body - 24)[0]
    PutCall(conversation, plan, request, message, number).go_on()


def _put_silently(
    conversation: Conversation, plan: PutPlan, request: PutRequest, message: bytes
) -> None:
    """Without an answer."""
    puts = conversation.async_puts
    verbs = conversation.connected()
    link = verbs.link
    if link.clock is not None:
        verbs.start_put(plan.handle)
    try:
        verbs.begin_call("MQPUT")
        check_length(conversation, request, message)
        entry = verbs.put(plan.handle, request, message)
    except MQError as error:
        verbs.refuse("MQPUT", plan.handle, error.reason)
        if link.clock is not None:
            verbs.stop_put(plan.handle)
        name = plan.handle.resolved_name
        note_failure(conversation, plan.pmo, name, error, topic_of(plan.handle))
        return
    if entry is None:
        own = request.with_ids(request.msg_id, request.correl_id)
        SilentPut(conversation, plan, own, message).park()
        return
    if link.clock is not None:
        verbs.stop_put(plan.handle)
    conversation.line.call_counts()
    puts.succeeded += 1
    durable_at = link.durable_at
    if durable_at > puts.durable_at:
        puts.durable_at = int(durable_at)
        if durable_at > verbs.log.forced_lsn:
            verbs.loop_shell.order(int(durable_at))
    local = plan.handle.local
    if local is not None:
        queue = local.queue
        if queue.plain_bytes > queue.plain_limit >> 1:
            conversation.turns.backpressure.apply_backpressure(queue, conversation.line)


def check_length(conversation: Conversation, request: PutRequest, message: bytes) -> None:
    """Of what has travelled: the channel's limit counts properties."""
    length = len(message) + len(request.properties)
    if length > conversation.line.message_bytes_max > 0:
        raise _too_long(conversation, length, "MQPUT")


def _too_long(conversation: Conversation, length: int, verb: str) -> MQError:
    detail = f"{length} bytes, MAXMSGL({conversation.line.message_bytes_max})"
    return mq_error(MQRC_MSG_TOO_BIG_FOR_CHANNEL, verb=verb, detail=detail)


def _refuse_cut(conversation: Conversation, values: Values, verb: str, name: str) -> None:
    """A put whose message is so long that it was dropped while it came."""
    error = _too_long(conversation, int(values["data_length"]), verb)
    pmo: PutOptions = values["options"]
    if not is_silent_put(conversation, pmo):
        raise error
    conversation.connected().refuse(verb, None)
    note_failure(conversation, pmo, name, error)


class PutCall(Call):
    """MQPUT of a known kind: one that is answered."""

    def __init__(
        self,
        conversation: Conversation,
        plan: PutPlan,
        request: PutRequest,
        message: bytes,
        number: int,
    ) -> None:
        self.plan = plan
        self.request = request
        self.message = message
        self.number = number
        self.entry: Entry | None = None
        self.warning = 0
        super().__init__(conversation, _NO_HEADER, _NO_VALUES)

    def doing(self) -> str:
        return "a call MQPUT"

    def subject(self) -> Handle | None:
        return self.plan.handle

    def attempt(self) -> bool:
        conversation = self.conversation
        verbs = conversation.connected()
        verbs.begin_call("MQPUT")
        check_length(conversation, self.request, self.message)
        self.entry = verbs.put(self.plan.handle, self.request, self.message)
        self.warning = int(verbs.link.warning)
        return self.entry is not None

    def run(self) -> None:
        conversation = self.conversation
        if not self.is_done:
            verbs = conversation.connected()
            if not self.attempt():
                verbs.park(self)
                return
            self.is_done = True
            if verbs.must_wait(self, int(verbs.link.durable_at)):
                return
        elif self.awaits_force():
            return
        self.answer()

    def answer(self) -> None:
        entry = self.entry
        conversation = self.conversation
        if entry is not None:
            self._reply(entry, mq.MQCC_WARNING if self.warning else mq.MQCC_OK, self.warning)
        conversation.end(self)

    def _reply(self, entry: Entry, comp: int, reason: int) -> None:
        conversation = self.conversation
        plan = self.plan
        form = conversation.form
        if entry.base is not plan.base:
            plan.prepare_reply(form, entry, conversation.connected().engine.name)
        line = conversation.line
        size = plan.reply_bytes
        head = form.head(
            conversation.is_shared, conversation.number, self.number, MQPUT + REPLY, size
        )
        date = plan.date
        if not date:
            date = put_stamp(int(entry.put_ns))
            if form.is_ebcdic:
                date = encode(date.decode("ascii"), form.text_ccsid)
        pack = form.long.pack
        line.write(
            b"".join(
                (
                    head,
                    _LENGTH.pack(TSH_BYTES + size),
                    pack(comp),
                    pack(reason),
                    plan.prefix[:4],
                    plan.before_ids,
                    entry.msg_id,
                    entry.correl_id,
                    plan.before_date,
                    date,
                    plan.behind_date,
                    pack(len(self.message)),
                )
            )
        )

    def refuse(self, error: MQError) -> None:
        conversation = self.conversation
        header = Header(MQPUT)
        form = conversation.form
        header.order = form.order
        header.ccsid = form.ccsid
        header.is_ebcdic = form.is_ebcdic
        if conversation.is_shared:
            header.variant = "TSHM"
            header.conversation = conversation.number
            header.request = self.number
        plan = self.plan
        md = Descriptor.unpack(plan.request.base)
        md.version = plan.version
        md.msg_id = self.request.msg_id
        md.correl_id = self.request.correl_id
        values: Values = {
            "comp": error.comp,
            "reason": error.reason,
            "handle": plan.handle.handle_id,
            "descriptor": md,
            "options": plan.pmo,
            "data_length": len(self.message),
        }
        conversation.reply(header, values)
        conversation.end(self)


@final
class SilentPut(Call):
    """A put without an answer that has to wait: for room in the log, say."""

    def __init__(
        self, conversation: Conversation, plan: PutPlan, request: PutRequest, message: bytes
    ) -> None:
        self.plan = plan
        self.request = request
        self.message = message
        super().__init__(conversation, _NO_HEADER, _NO_VALUES)

    def park(self) -> None:
        """It is parked already."""
        self.conversation.connected().park(self)

    def run(self) -> None:
        conversation = self.conversation
        verbs = conversation.connected()
        if verbs.put(self.plan.handle, self.request, self.message) is None:
            verbs.park(self)
            return
        puts = conversation.async_puts
        puts.succeeded += 1
        puts.durable_at = max(puts.durable_at, int(verbs.link.durable_at))
        if puts.durable_at > verbs.log.forced_lsn:
            verbs.loop_shell.order(puts.durable_at)
        conversation.end(self)

    def refuse(self, error: MQError) -> None:
        plan = self.plan
        name = plan.handle.resolved_name
        note_failure(self.conversation, plan.pmo, name, error, topic_of(plan.handle))
        self.conversation.end(self)


_NO_HEADER: Final = Header(MQPUT)
_NO_VALUES: Final[Values] = {}


# ---- with care


def request_put(
    conversation: Conversation, md: Descriptor, pmo: PutOptions, verb: str
) -> PutRequest:
    """The checked request. Message handles are the client's own, which has put their properties
    before the data; the numbers go back to it as they came, and so do the options."""
    handles = pmo.original_message_handle, pmo.new_message_handle
    options = pmo.options
    pmo.original_message_handle = pmo.new_message_handle = mq.MQHM_NONE
    if conversation.is_own_client:
        pmo.options &= ~AREA_BEFORE_DATA
    try:
        return conversation.connected().request_put(md, pmo, verb)
    finally:
        pmo.original_message_handle, pmo.new_message_handle = handles
        pmo.options = options


def without_area(request: PutRequest, data: bytes) -> tuple[PutRequest, bytes]:
    """Request and data of a put from our own client that has a property area before its data."""
    try:
        area = leading_area(data)
    except IntegrityError as error:
        raise SegmentError(f"MQPUT with {error}") from error
    return request.with_properties(area), data[len(area) :]


def put_message(conversation: Conversation, one: Segment) -> None:
    """MQPUT that is new, or came in several segments: read and checked by the tables."""
    values = conversation.read(one)
    pmo: PutOptions = values["options"]
    md: Descriptor = values["descriptor"]
    message: bytes = values["data"]
    form = conversation.form
    handle_id = int(values["handle"])
    is_silent = is_silent_put(conversation, pmo)
    if one.is_cut:
        _refuse_cut(conversation, values, "MQPUT", "")
        return
    body = one.data
    at = one.body_at
    pmo_at = at + CALL_HEADER_BYTES + md.size()
    length_at = pmo_at + pmo.size()
    prefix = body[at + 12 : at + _IDS_AT]
    suffix = body[at + _IDS_END : length_at]
    verbs = conversation.connected()
    try:
        handle = verbs.handle(handle_id, "MQPUT")
        request = request_put(conversation, md, pmo, "MQPUT")
    except MQError as error:
        if is_silent:
            note_failure(conversation, pmo, "", error)
            return
        raise
    plan = PutPlan(prefix, suffix, handle, request, pmo, md.version)
    context = mq.MQPMO_PASS_IDENTITY_CONTEXT | mq.MQPMO_PASS_ALL_CONTEXT
    if request.group_id == ZERO_ID and not pmo.options & context and form.is_of(one.header):
        if len(conversation.plans) >= CACHED_REQUESTS_MAX:
            conversation.plans.clear()
        conversation.plans[prefix + suffix] = plan
        conversation.plan = plan
    if plan.has_area:
        request, message = without_area(request, message)
    if is_silent:
        _put_silently(conversation, plan, request, message)
        return
    call = PutCall(conversation, plan, request, message, one.header.request)
    body = b""
    one.drop()  # a long message is not kept twice while it is put; the call refuses by itself
    call.go_on()


@final
class Put1Call(Call):
    """MQPUT1: open, put, close."""

    def __init__(
        self,
        conversation: Conversation,
        header: Header,
        values: Values,
        request: PutRequest,
        topic: str,
    ) -> None:
        od: ObjectDescriptor = values["object"]
        message: bytes = values["data"]
        options: PutOptions = values["options"]
        if options.options & AREA_BEFORE_DATA:
            request, message = without_area(request, message)
        self.asked = calls.Put1(asked_object(od), request, message, topic)
        self._request = request
        self.step = Put1(self.asked)
        self.error: MQError | None = None
        super().__init__(conversation, header, values)

    def subject(self) -> Handle | None:
        return self.step.subject

    def attempt(self) -> bool:
        verbs = self.conversation.connected()
        if self.step.subject is None:
            verbs.begin_call("MQPUT1")
            check_length(self.conversation, self._request, self.asked.data)
        try:
            done = verbs.attempt(self.step)
        except MQError as error:
            self.error = error
            self._complete()
            raise
        if done:
            self._complete()
        return done

    def _complete(self) -> None:
        handle = self.step.subject
        if handle is not None:
            od: ObjectDescriptor = self.values["object"]
            complete_object(od, handle, self.conversation.connected().engine.name)

    def finish(self) -> None:
        entry = self.asked.entry
        if entry is not None:
            complete_put(self.values, entry, self.conversation.form, self._request.base)
        if self.asked.warning:
            self.values.update(comp=mq.MQCC_WARNING, reason=self.asked.warning)

    def answer(self) -> None:
        pmo: PutOptions = self.values["options"]
        conversation = self.conversation
        if is_silent_put(conversation, pmo):
            if self.values["comp"] == mq.MQCC_FAILED:
                od: ObjectDescriptor = self.values["object"]
                error = self.error or mq_error(int(self.values["reason"]), verb="MQPUT1")
                topic = self.asked.object_string
                note_failure(conversation, pmo, od.object_name, error, topic)
            else:
                conversation.async_puts.succeeded += 1
            conversation.end(self)
            return
        super().answer()


def complete_put(values: Values, entry: Entry, form: Form, given: bytes) -> None:
    """What MQMD and MQPMO have after a put."""
    asked: Descriptor = values["descriptor"]
    base = as_given(entry.base, given)
    values["descriptor"] = form.descriptor(entry, base, asked.version, int(entry.put_ns))
    pmo: PutOptions = values["options"]
    od: ObjectDescriptor = values["object"]
    pmo.known_count = od.known_count
    pmo.unknown_count = od.unknown_count
    pmo.invalid_count = 0
    pmo.resolved_queue_name = od.resolved_queue_name
    pmo.resolved_qmgr_name = od.resolved_qmgr_name


def put1_message(conversation: Conversation, one: Segment) -> None:
    """MQPUT1."""
    values = conversation.read(one)
    pmo: PutOptions = values["options"]
    md: Descriptor = values["descriptor"]
    if one.is_cut:
        put_to: ObjectDescriptor = values["object"]
        _refuse_cut(conversation, values, "MQPUT1", put_to.object_name)
        return
    try:
        refuse_selection(conversation, values)
        topic = put1_topic(conversation, values)
        request = request_put(conversation, md, pmo, "MQPUT1")
    except MQError as error:
        if not is_silent_put(conversation, pmo):
            raise
        od: ObjectDescriptor = values["object"]
        note_failure(conversation, pmo, od.object_name, error)
        return
    Put1Call(conversation, one.header, values, request, topic).go_on()
