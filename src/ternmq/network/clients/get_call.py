"""MQGET from the network: the call that carries its message in its reply.

As with puts, structures but for the identifiers are compared with those that were checked before.
Until the reply is written, the message can go back to its queue: if the socket is lost while the
log is forced, say.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.api.arguments import CACHED_REQUESTS_MAX
from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from ternmq.codec.mqi.mqgmo import LAYOUT as MQGMO
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import BYTES_1, BYTES_2, MSG_FLAGS_AT, Descriptor
from ternmq.host.jobs import LoopVerbs
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import GetCall
from ternmq.mqi.getting import get_request
from ternmq.mqi.got import get_verb
from ternmq.network.clients.byte_form import aligned, token
from ternmq.network.clients.conversation import Call, Conversation
from ternmq.network.clients.delivery_form import deliver, is_as_it_is, options_here
from ternmq.values.entry import ZERO_ID, Entry
from ternmq.values.get_request import GetRequest
from ternmq.values.group_status import statuses
from ternmq.wire.fap.call_flows import CALL_HEADER_BYTES
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import TSH_BYTES, TSHM, Header, Segment
from ternmq.wire.fap.segment_reader import split
from ternmq.wire.fap.vocabulary import MQGET, REPLY

_LENGTH: Final = struct.Struct(">I")
_IDS_AT: Final = CALL_HEADER_BYTES + 48
_IDS_END: Final = _IDS_AT + 48
_TOKEN_AT: Final = 80  # in an MQGMO
_STATUS_AT: Final = 76  # the four characters before it: GroupStatus and what follows
_GMO_BYTES: Final[dict[int, int]] = {version: MQGMO.size(version) for version in (1, 2, 3, 4)}
_MATCH_BOTH: Final = mq.MQMO_MATCH_MSG_ID | mq.MQMO_MATCH_CORREL_ID


@final
class GetPlan:
    """A checked get, but for identifiers."""

    def __init__(
        self,
        prefix: bytes,
        suffix: bytes,
        handle: Handle,
        request: GetRequest,
        gmo: GetOptions,
        version: int,
    ) -> None:
        self.prefix = prefix
        self.suffix = suffix
        self.handle = handle
        self.request = request  # for any message, if it is kept
        self.gmo = gmo
        self.version = version  # of the descriptor
        self.matches = _MATCH_BOTH if gmo.version == 1 else gmo.match_options
        self.gmo_head = b""  # of the reply, up to the token
        self.gmo_tail = b""

    def with_ids(self, msg_id: bytes, correl_id: bytes) -> GetRequest:
        """The request for these identifiers."""
        if not self.matches & mq.MQMO_MATCH_MSG_ID:
            msg_id = ZERO_ID
        if not self.matches & mq.MQMO_MATCH_CORREL_ID:
            correl_id = ZERO_ID
        if msg_id == ZERO_ID and correl_id == ZERO_ID:
            return self.request
        return self.request.with_ids(msg_id, correl_id)


def get_fast(conversation: Conversation, data: bytes, body: int, end: int) -> bool:
    """MQGET as one before; False if it has to be read with care."""
    if end - body < _IDS_END:
        return False
    prefix = data[body + 12 : body + _IDS_AT]
    suffix = data[body + _IDS_END : end]
    plan = conversation.get_plan
    if plan is None or plan.suffix != suffix or plan.prefix != prefix:
        plan = conversation.get_plans.get(prefix + suffix)
        if plan is None:
            return False
        conversation.get_plan = plan
    msg_id = data[body + _IDS_AT : body + _IDS_AT + 24]
    correl_id = data[body + _IDS_AT + 24 : body + _IDS_END]
    number = 0
    if conversation.is_shared:
        number = _LENGTH.unpack_from(data, body - 24)[0]
    request = plan.with_ids(msg_id, correl_id)
    MessageCall(conversation, plan, request, number).go_on()
    return True


def get_message(conversation: Conversation, one: Segment) -> None:
    """MQGET that is new."""
    values = conversation.read(one)
    gmo: GetOptions = values["options"]
    md: Descriptor = values["descriptor"]
    handle = conversation.handle(int(values["handle"]), "MQGET")
    own = conversation.is_own_client
    passes = conversation.line.parts_bytes_max
    request = _request_get(md, gmo, int(values["buffer_length"]), own, passes)
    body = one.data
    at = one.body_at
    prefix = body[at + 12 : at + _IDS_AT]
    suffix = body[at + _IDS_END :]
    plan = GetPlan(prefix, suffix, handle, request, gmo, md.version)
    if _may_be_kept(plan, gmo, md) and conversation.form.is_of(one.header):
        plain_md = Descriptor(version=md.version, ccsid=md.ccsid, encoding=md.encoding)
        plan.request = _request_get(plain_md, gmo, int(values["buffer_length"]), own, passes)
        if len(conversation.get_plans) >= CACHED_REQUESTS_MAX:
            conversation.get_plans.clear()
        conversation.get_plans[prefix + suffix] = plan
        conversation.get_plan = plan
    MessageCall(conversation, plan, request, one.header.request).go_on()


def _request_get(
    md: Descriptor, gmo: GetOptions, buffer_length: int, is_own_client: bool, passes: int
) -> GetRequest:
    """The checked request. A message handle is the client's own; its number goes back to it as it
    came, and so do the options."""
    asked, handle = gmo.options, gmo.message_handle
    gmo.options, apart = options_here(asked, is_own_client)
    gmo.message_handle = mq.MQHM_NONE
    try:
        request = get_request(md, gmo, buffer_length, apart)
        request.extends = md.version == mq.MQMD_VERSION_1
        request.passes = passes if apart else 0
        return request
    finally:
        gmo.options, gmo.message_handle = asked, handle


def _may_be_kept(plan: GetPlan, gmo: GetOptions, md: Descriptor) -> bool:
    """What selects by more than identifiers, or is tied to a place, is checked each time. A GroupId
    of zeros selects nothing."""
    kept = _MATCH_BOTH
    if md.group_id == ZERO_ID:
        kept |= mq.MQMO_MATCH_GROUP_ID
    return plan.matches & ~kept == 0 and not gmo.options & mq.MQGMO_UNLOCK


@final
class MessageCall(Call):
    """MQGET."""

    def __init__(
        self, conversation: Conversation, plan: GetPlan, request: GetRequest, number: int
    ) -> None:
        self.plan = plan
        self.request = request
        self.number = number
        self.get: GetCall | None = None
        self._is_abandoned = False  # what it got went back; there is no answer
        super().__init__(conversation, _NO_HEADER, _NO_VALUES)

    def doing(self) -> str:
        return "a call MQGET"

    def verb(self) -> str:
        return get_verb(self.request)

    def subject(self) -> Handle | None:
        return self.plan.handle

    def run(self) -> None:
        verbs = self.conversation.connected()
        call = self.get
        if call is None:
            call = self._begin(verbs)
            if call is None:
                return
        elif self.is_done:
            if not self.awaits_force() and self.can_answer():
                self._reply(call)
            return
        else:
            if call.waiting:
                return
            self._look_again(verbs, call)
        if call.waiting:
            self._wait(call)
        elif call.entry is None and call.reason == 0:
            verbs.park(self)
        else:
            self.is_done = True
            if not verbs.must_wait(self, int(call.durable_at)) and self.can_answer():
                self._reply(call)

    def _wait(self, call: GetCall) -> None:
        """For a message, unless a cancel was held for it."""
        if call.deadline_ns:
            self.turns.at(self, int(call.deadline_ns))
        reason = self.conversation.held_cancel.take()
        if reason:
            self.cancel(reason)

    def _begin(self, verbs: LoopVerbs) -> GetCall | None:
        """The first attempt; None: there is nothing to get, or no room for it yet."""
        if not self.conversation.line.may_get(self):
            self._wait_for_room()
            return None
        verbs.begin_call("MQGET")
        if self.request.options & mq.MQGMO_UNLOCK:
            self._reply(verbs.unlocked(self.plan.handle, self.request))
            return None
        call = verbs.get(self.plan.handle, self.request, self)
        self.get = call
        return call

    def has_room(self) -> bool:
        """Beside what can be written: many may have waited for one message."""
        if self._is_abandoned:
            return False
        call = self.get
        line = self.conversation.line
        if call is None or call.entry is None:
            return line.can_write(self)
        return line.may_get(self)

    def _wait_for_room(self) -> None:
        """It goes on when there is room for a message, unless its client will not read that."""
        line = self.conversation.line
        if line.is_closing or line.is_stopping:
            self.drop()

    def _look_again(self, verbs: LoopVerbs, call: GetCall) -> None:
        """It was woken."""
        self.turns.not_at(self)
        call.waker = None
        if call.error is not None:
            raise call.error
        if call.entry is None and call.reason == 0:
            verbs.get_again(call, self)

    def time_is_over(self) -> None:
        call = self.get
        if call is not None and self.conversation.connected().end_wait(call, MQRC_NO_MSG_AVAILABLE):
            self.is_done = True
            self._reply(call)

    def _reply(self, call: GetCall) -> None:
        conversation = self.conversation
        entry = call.entry
        if entry is None:
            if call.reason:
                self.refuse(mq_error(int(call.reason), verb="MQGET"))
            else:
                self._nothing(mq.MQCC_OK, 0)
            return
        self._message(call, entry)
        line = conversation.line
        if conversation.is_own_client:
            conversation.returnable = call
            conversation.returnable_at = line.written_bytes
        else:
            line.got(conversation.connected(), call)
        conversation.end(self)

    def _message(self, call: GetCall, entry: Entry) -> None:
        conversation = self.conversation
        plan = self.plan
        options = plan.gmo.options
        data = entry.data
        base = entry.base
        reason = 0
        whole = len(data)
        if call.reason or not is_as_it_is(options, plan.version, entry):
            made = deliver(call, entry, options)
            data = made.data
            base = made.base
            reason = made.reason
            whole = made.length
        if reason == 0:
            reason = int(call.warning)
        form = conversation.form
        md_bytes = BYTES_2 if plan.version == 2 else BYTES_1
        gmo_bytes = _GMO_BYTES[plan.gmo.version]
        size = CALL_HEADER_BYTES + md_bytes + gmo_bytes + 4 + len(data)
        pack = form.long.pack
        parts = [
            _LENGTH.pack(TSH_BYTES + size),
            pack(mq.MQCC_WARNING if reason else mq.MQCC_OK),
            pack(reason),
            plan.prefix[:4],
        ]
        now_ns = int(self.turns.clock.now_ns()) if entry.expiry_at else 0
        form.add_descriptor(parts, entry, base, plan.version, now_ns)
        self._add_options(parts, entry, len(data))
        parts.append(pack(whole))
        parts.append(data)
        line = conversation.line
        shared = conversation.is_shared
        filling = -size & 3 if shared else 0  # see `aligned`
        head = form.head(shared, conversation.number, self.number, MQGET + REPLY, size + filling)
        if len(head) + size + filling <= line.segment_bytes_max:
            out = line.out
            out.append(head)
            out += parts
            if filling:
                out.append(bytes(filling))
            line.wrote(len(head) + size + filling)
        else:
            front = b"".join(parts[:-1])
            header = self._header(MQGET + REPLY)
            for piece in split(header, data, line.segment_bytes_max, front):
                line.write(aligned(piece) if shared else piece)

    def _add_options(self, parts: list[bytes], entry: Entry, length: int) -> None:
        plan = self.plan
        form = self.conversation.form
        if not plan.gmo_head:
            gmo = plan.gmo
            gmo.resolved_queue_name = plan.handle.resolved_name
            packed = gmo.pack(form.order, form.text_ccsid)
            plan.gmo_head = packed[:_STATUS_AT] + form.chars(statuses(0), 4)
            if gmo.version < 2:
                plan.gmo_head = packed
            plan.gmo_tail = packed[_TOKEN_AT + 20 :]
        flags = entry.base[MSG_FLAGS_AT]  # the low byte has those of groups and segments
        if flags and plan.gmo.version >= 2:
            parts.append(plan.gmo_head[:_STATUS_AT])
            parts.append(form.chars(statuses(flags), 4))
        else:
            parts.append(plan.gmo_head)
        if plan.gmo.version >= 3:
            parts.append(token(entry))
            parts.append(form.long.pack(length))
            parts.append(plan.gmo_tail)

    def _header(self, type: int) -> Header:
        conversation = self.conversation
        form = conversation.form
        header = Header(type, order=form.order, ccsid=form.ccsid, encoding=form.encoding)
        header.is_ebcdic = form.is_ebcdic
        if conversation.is_shared:
            header.variant = TSHM
            header.conversation = conversation.number
            header.request = self.number
        return header

    def refuse(self, error: MQError) -> None:
        call = self.get
        if call is not None and call.entry is not None:
            self.conversation.connected().take_back(call)
        self._nothing(error.comp, error.reason)

    def _nothing(self, comp: int, reason: int) -> None:
        """The reply without a message."""
        conversation = self.conversation
        plan = self.plan
        md = Descriptor(version=plan.version)
        plan.gmo.resolved_queue_name = plan.handle.resolved_name
        values: Values = {
            "comp": comp,
            "reason": reason,
            "handle": plan.handle.handle_id,
            "descriptor": md,
            "options": plan.gmo,
            "data_length": 0,
            "data": b"",
        }
        conversation.reply(self._header(MQGET), values)
        conversation.end(self)

    def take_back(self) -> None:
        """The client cancelled the get."""
        self.turns.not_at(self)
        call = self.get
        if call is not None:
            self.conversation.connected().take_back(call)
        self._nothing(mq.MQCC_FAILED, MQRC_NO_MSG_AVAILABLE)

    def cancel(self, reason: int) -> bool:
        call = self.get
        if call is None or not self.conversation.connected().end_wait(call, reason):
            return False
        self.turns.not_at(self)
        self.is_done = True
        self._reply(call)
        return True

    def abandon(self) -> bool:
        self._is_abandoned = True
        call = self.get
        self.turns.not_at(self)
        if call is not None:
            self.conversation.connected().take_back(call)
        return True


_NO_HEADER: Final = Header(MQGET)
_NO_VALUES: Final[Values] = {}
