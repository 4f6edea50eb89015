"""MQOPEN, MQPUT and MQPUT1 of distribution lists from the network.

The records stand behind their structures, at the offsets that MQOD and MQPMO have: `ListRecords`
reads them and writes them into the reply. Response records are set if the destinations ended
differently (MQRC_MULTIPLE_REASONS), and are otherwise as they came.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_MULTIPLE_REASONS,
    MQRC_OBJECT_RECORDS_ERROR,
    MQRC_PMO_RECORD_FLAGS_ERROR,
    MQRC_PUT_MSG_RECORDS_ERROR,
    MQRC_RECS_PRESENT_ERROR,
    MQRC_RESPONSE_RECORDS_ERROR,
    MQRC_SELECTOR_INVALID_FOR_TYPE,
)
from ternmq.codec.mqi.list_records import (
    OBJECT_RECORD_BYTES,
    PUT_RECORD_FIELDS,
    RESPONSE_RECORD_BYTES,
    Destination,
    PutRecord,
    pack_put_records,
    pack_responses,
    put_record_bytes,
    unpack_destinations,
    unpack_put_records,
)
from ternmq.codec.mqi.mqmd import BYTES_2, CORREL_ID_AT, GROUP_ID_AT, PRIORITY_AT, Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.kernel.connection import Handle
from ternmq.kernel.requests import PutRequest
from ternmq.mqi.steps import lists as steps
from ternmq.mqi.steps.step import Step
from ternmq.network.clients.conversation import Call, Conversation
from ternmq.network.clients.given_fields import as_given
from ternmq.network.clients.object_calls import asked_object, open_object
from ternmq.network.clients.put_call import (
    check_length,
    put1_message,
    put_message,
    request_put,
    without_area,
)
from ternmq.network.clients.silent_puts import is_silent_put, note_failure
from ternmq.values.calls import lists as calls
from ternmq.values.distribution import ListOutcome, Outcome
from ternmq.wire.fap.call_flows import CALL_HEADER_BYTES
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import Header, Segment
from ternmq.wire.fap.segment_number import i32
from ternmq.wire.fap.vocabulary import AREA_BEFORE_DATA

_HANDLE_AT: Final = 12  # in the header of a call
_RECORDS_AT: Final = 168  # RecsPresent in an MQOD from version 2 on
_NO_HANDLE: Final = -1


# ---- which calls are about lists


def _names_list(conversation: Conversation, one: Segment) -> bool:
    """Whether the MQOD that a call begins with has records."""
    at = one.body_at + CALL_HEADER_BYTES
    data = one.data
    if len(data) < at + _RECORDS_AT + 4:
        return False
    is_little = conversation.form.is_little
    if i32(data, at + 4, is_little) < mq.MQOD_VERSION_2:
        return False
    return bool(i32(data, at + _RECORDS_AT, is_little) != 0)


def open_any(conversation: Conversation, one: Segment) -> None:
    """MQOPEN."""
    if not _names_list(conversation, one):
        open_object(conversation, one)
        return
    values = conversation.read(one)
    od: ObjectDescriptor = values["object"]
    open_list(conversation, one.header, values, od, int(values["options"]))


def put_any(conversation: Conversation, one: Segment) -> None:
    """MQPUT that is new, or came in several segments."""
    at = one.body_at + _HANDLE_AT
    verbs = conversation.verbs
    if verbs is not None and len(one.data) >= at + 4 and not one.is_cut:
        handle = verbs.link.handles.get(int(i32(one.data, at, conversation.form.is_little)))
        if handle is not None and handle.members is not None:
            _put_list(conversation, one, handle)
            return
    put_message(conversation, one)


def put1_any(conversation: Conversation, one: Segment) -> None:
    """MQPUT1."""
    if one.is_cut or not _names_list(conversation, one):
        put1_message(conversation, one)
        return
    values = conversation.read(one)
    od: ObjectDescriptor = values["object"]
    pmo: PutOptions = values["options"]
    message: bytes = values["data"]
    try:
        objects = ListRecords(od, values.get("object_following", b""), "MQPUT1")
        puts = PutRecords(pmo, values.get("options_following", b""), conversation, "MQPUT1")
        request = _request(conversation, values, "MQPUT1")
    except MQError as error:
        if not is_silent_put(conversation, pmo):
            raise
        note_failure(conversation, pmo, "", error)
        return
    if pmo.options & AREA_BEFORE_DATA:
        request, message = without_area(request, message)
    destinations = objects.destinations(conversation)
    fields = puts.fields
    asked = calls.Put1List(asked_object(od), destinations, request, message, fields, puts.records)
    step = steps.Put1List(asked)
    PutListCall(conversation, one.header, values, asked, step, request, puts, objects).go_on()


def open_list(
    conversation: Conversation,
    header: Header,
    values: Values,
    od: ObjectDescriptor,
    options: int,
) -> None:
    """MQOPEN of a list, by itself or as SPI has it."""
    records = ListRecords(od, values.get("object_following", b""), "MQOPEN")
    asked = calls.OpenList(asked_object(od), records.destinations(conversation), options)
    OpenListCall(conversation, header, values, asked, od, records).go_on()


def _request(conversation: Conversation, values: Values, verb: str) -> PutRequest:
    """The checked request of the put, but for its records."""
    pmo: PutOptions = values["options"]
    md: Descriptor = values["descriptor"]
    present = pmo.records_present
    pmo.records_present = 0
    try:
        return request_put(conversation, md, pmo, verb)
    finally:
        pmo.records_present = present


# ---- records


@final
class ListRecords:
    """The object and response records of an MQOD."""

    def __init__(self, od: ObjectDescriptor, following: bytes, verb: str) -> None:
        self.od = od
        self.following = following
        count = od.records_present
        if count < 0 or od.object_type != mq.MQOT_Q:
            detail = f"RecsPresent {count}, ObjectType {od.object_type}"
            raise mq_error(MQRC_RECS_PRESENT_ERROR, verb=verb, detail=detail)
        if od.version >= mq.MQOD_VERSION_4 and od.selection_string.length:
            detail = "a distribution list has no SelectionString"
            raise mq_error(MQRC_SELECTOR_INVALID_FOR_TYPE, verb=verb, detail=detail)
        self.at = od.object_record_offset - od.size()
        if od.object_record_ptr or not self._has(self.at, count * OBJECT_RECORD_BYTES):
            detail = f"ObjectRecOffset {od.object_record_offset}, {len(following)} bytes follow"
            raise mq_error(MQRC_OBJECT_RECORDS_ERROR, verb=verb, detail=detail)
        self.responses_at = -1
        if od.response_record_offset or od.response_record_ptr:
            at = od.response_record_offset - od.size()
            if od.response_record_ptr or not self._has(at, count * RESPONSE_RECORD_BYTES):
                detail = f"ResponseRecOffset {od.response_record_offset}"
                raise mq_error(MQRC_RESPONSE_RECORDS_ERROR, verb=verb, detail=detail)
            self.responses_at = at

    def _has(self, at: int, size: int) -> bool:
        return at >= 0 and at + size <= len(self.following)

    def destinations(self, conversation: Conversation) -> list[Destination]:
        """The object records."""
        ccsid = conversation.form.text_ccsid
        return unpack_destinations(self.following, self.at, self.od.records_present, ccsid)

    def complete(self, conversation: Conversation, values: Values, found: ListOutcome) -> None:
        """What MQOD and its records have after the call."""
        od = self.od
        od.known_count = found.known
        od.unknown_count = found.unknown
        od.invalid_count = found.invalid
        if found.reason == MQRC_MULTIPLE_REASONS and self.responses_at >= 0:
            packed = responses(conversation, found, od.records_present)
            at = self.responses_at
            self.following = self.following[:at] + packed + self.following[at + len(packed) :]
        values["object_following"] = self.following


def responses(conversation: Conversation, found: ListOutcome, most: int) -> bytes:
    """Response records for so many destinations at most."""
    pairs = [(one.comp, one.reason) for one in found.destinations[:most]]
    return pack_responses(pairs, conversation.form.order)


@final
class PutRecords:
    """The put message and response records of an MQPMO."""

    def __init__(
        self, pmo: PutOptions, following: bytes, conversation: Conversation, verb: str
    ) -> None:
        self.pmo = pmo
        self.following = following
        self.order = conversation.form.order
        self.fields = 0
        self.records: list[PutRecord] = []
        self.at = -1
        self.responses_at = -1
        count = pmo.records_present if pmo.version >= mq.MQPMO_VERSION_2 else 0
        if count < 0:
            raise mq_error(MQRC_RECS_PRESENT_ERROR, verb=verb, detail=f"RecsPresent {count}")
        if count:
            self._take_records(count, verb)
            self._find_responses(count, verb)

    def _take_records(self, count: int, verb: str) -> None:
        pmo = self.pmo
        if not pmo.put_record_offset and not pmo.put_record_ptr:
            return
        fields = pmo.put_record_fields
        if fields == 0 or fields & ~PUT_RECORD_FIELDS:
            detail = f"PutMsgRecFields 0x{fields & 0xFFFFFFFF:08X}"
            raise mq_error(MQRC_PMO_RECORD_FLAGS_ERROR, verb=verb, detail=detail)
        at = pmo.put_record_offset - pmo.size()
        size = count * put_record_bytes(fields)
        if pmo.put_record_ptr or at < 0 or at + size > len(self.following):
            detail = f"PutMsgRecOffset {pmo.put_record_offset}, {len(self.following)} bytes follow"
            raise mq_error(MQRC_PUT_MSG_RECORDS_ERROR, verb=verb, detail=detail)
        self.at = at
        self.fields = fields
        self.records = unpack_put_records(self.following, at, count, fields, self.order)

    def _find_responses(self, count: int, verb: str) -> None:
        pmo = self.pmo
        if not pmo.response_record_offset and not pmo.response_record_ptr:
            return
        at = pmo.response_record_offset - pmo.size()
        fits = at >= 0 and at + count * RESPONSE_RECORD_BYTES <= len(self.following)
        if verb == "MQPUT1" or pmo.response_record_ptr or not fits:
            detail = f"ResponseRecOffset {pmo.response_record_offset}"
            raise mq_error(MQRC_RESPONSE_RECORDS_ERROR, verb=verb, detail=detail)
        self.responses_at = at

    def complete(self, conversation: Conversation, values: Values, found: ListOutcome) -> None:
        """What MQPMO and its records have after the put."""
        pmo = self.pmo
        pmo.known_count = found.known
        pmo.unknown_count = found.unknown
        pmo.invalid_count = found.invalid
        following = self.following
        if self.records:
            pairs = zip(self.records, found.destinations, strict=False)
            made = [_after(record, outcome) for record, outcome in pairs]
            packed = pack_put_records(made, self.fields, self.order)
            following = following[: self.at] + packed + following[self.at + len(packed) :]
        if found.reason == MQRC_MULTIPLE_REASONS and self.responses_at >= 0:
            packed = responses(conversation, found, pmo.records_present)
            at = self.responses_at
            following = following[:at] + packed + following[at + len(packed) :]
        if following:
            values["options_following"] = following


def _after(record: PutRecord, outcome: Outcome) -> PutRecord:
    """A put message record with the identifiers of its message."""
    return PutRecord(
        outcome.msg_id or record.msg_id,
        outcome.correl_id or record.correl_id,
        outcome.group_id or record.group_id,
        record.feedback,
        record.accounting_token,
    )


# ---- calls


@final
class OpenListCall(Call):
    """MQOPEN of a list."""

    def __init__(
        self,
        conversation: Conversation,
        header: Header,
        values: Values,
        asked: calls.OpenList,
        od: ObjectDescriptor,
        records: ListRecords,
    ) -> None:
        self.asked = asked
        self.step = steps.OpenList(asked)
        self.od = od
        self.records = records
        super().__init__(conversation, header, values)

    def verb(self) -> str:
        return "MQOPEN"

    def attempt(self) -> bool:
        conversation = self.conversation
        verbs = conversation.connected()
        verbs.begin_call("MQOPEN")
        line = conversation.line
        # Handles are unique on a socket: clients find their messages by them.
        verbs.link.next_handle = max(verbs.link.next_handle, line.next_handle)
        done = verbs.attempt(self.step)
        line.next_handle = max(line.next_handle, verbs.link.next_handle)
        return done

    def finish(self) -> None:
        found = self.asked.found()
        values = self.values
        handle = self.step.handle
        values["handle"] = _NO_HANDLE if handle is None else handle.handle_id
        values["comp"] = found.comp
        values["reason"] = found.reason
        self.records.complete(self.conversation, values, found)
        defaults: Values | None = values.get("lpoo") or values.get("fopa")
        if defaults is not None:
            defaults["default_put_response"] = mq.MQPRT_SYNC_RESPONSE

    def give_up(self) -> None:
        self.values["handle"] = _NO_HANDLE


def _put_list(conversation: Conversation, one: Segment, handle: Handle) -> None:
    """MQPUT to a list."""
    values = conversation.read(one)
    pmo: PutOptions = values["options"]
    message: bytes = values["data"]
    try:
        puts = PutRecords(pmo, values.get("options_following", b""), conversation, "MQPUT")
        request = _request(conversation, values, "MQPUT")
    except MQError as error:
        if not is_silent_put(conversation, pmo):
            raise
        note_failure(conversation, pmo, "", error)
        return
    if pmo.options & AREA_BEFORE_DATA:
        request, message = without_area(request, message)
    destinations = [Destination("")] * len(handle.members or [])
    fields = puts.fields
    asked = calls.PutList(handle, destinations, request, message, fields, puts.records)
    step = steps.PutList(asked)
    PutListCall(conversation, one.header, values, asked, step, request, puts, None).go_on()


@final
class PutListCall(Call):
    """MQPUT or MQPUT1 to a list."""

    def __init__(
        self,
        conversation: Conversation,
        header: Header,
        values: Values,
        asked: calls.ListPutCall,
        step: Step,
        request: PutRequest,
        puts: PutRecords,
        objects: ListRecords | None,
    ) -> None:
        self.asked = asked
        self.step = step
        self.request = request
        self.puts = puts
        self.objects = objects  # of MQPUT1
        self._has_begun = False
        super().__init__(conversation, header, values)

    def subject(self) -> Handle | None:
        return self.step.subject

    def attempt(self) -> bool:
        conversation = self.conversation
        verbs = conversation.connected()
        if not self._has_begun:
            verbs.begin_call(self.asked.verb)
            check_length(conversation, self.request, self.asked.data)
            self._has_begun = True
        return verbs.attempt(self.step)

    def finish(self) -> None:
        found = self.asked.found()
        values = self.values
        values["comp"] = found.comp
        values["reason"] = found.reason
        if self.objects is not None:
            self.objects.complete(self.conversation, values, found)
        self.puts.complete(self.conversation, values, found)
        self._complete_descriptor()

    def _complete_descriptor(self) -> None:
        """Context and time; what each destination has for itself is as it was asked for."""
        entry = self.asked.entry
        if entry is None:
            return
        form = self.conversation.form
        asked: Descriptor = self.values["descriptor"]
        base = as_given(entry.base, self.request.base)
        made = form.descriptor(entry, base, asked.version, int(entry.put_ns))
        own = asked.pack(form.order, form.text_ccsid)
        correl_id = own[CORREL_ID_AT : CORREL_ID_AT + 24]
        if self.request.options & mq.MQPMO_NEW_CORREL_ID:
            correl_id = entry.correl_id  # one for all
        end = CORREL_ID_AT + 24
        made = made[:PRIORITY_AT] + own[PRIORITY_AT:CORREL_ID_AT] + correl_id + made[end:]
        if len(made) == BYTES_2:
            group_end = GROUP_ID_AT + 24
            made = made[:GROUP_ID_AT] + own[GROUP_ID_AT:group_end] + made[group_end:]
        self.values["descriptor"] = made

    def answer(self) -> None:
        pmo: PutOptions = self.values["options"]
        conversation = self.conversation
        if not is_silent_put(conversation, pmo):
            super().answer()
            return
        comp = int(self.values["comp"])
        if comp == mq.MQCC_FAILED:
            error = mq_error(int(self.values["reason"]), comp=comp, verb=self.asked.verb)
            note_failure(conversation, pmo, "", error)
        elif comp == mq.MQCC_WARNING:
            conversation.async_puts.warned += 1
        else:
            conversation.async_puts.succeeded += 1
        conversation.end(self)
