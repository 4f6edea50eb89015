"""Distribution lists by MQ's client protocol: MQOPEN, MQPUT and MQPUT1 with records behind MQOD and
MQPMO.

A failed call whose InvalidDestCount is 0 failed as a whole; else its reason is that of every
destination. Response records count with MQRC_MULTIPLE_REASONS alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ternmq.base import constants as mq
from ternmq.base.errors import RemoteProtocolError
from ternmq.base.names import fits_field
from ternmq.base.reasons import MQRC_MULTIPLE_REASONS
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.mqi.list_records import (
    RESPONSE_RECORD_BYTES,
    Destination,
    PutRecord,
    pack_destinations,
    pack_put_records,
    put_record_bytes,
    unpack_put_records,
    unpack_responses,
)
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.remote.fap.frames import LONG, FapRequest, furnished
from ternmq.remote.fap.open_call import OpenState, checked_object, open_request
from ternmq.remote.fap.replies import checked
from ternmq.remote.remote_verbs import Exchange, PackedPut
from ternmq.values.calls.call import Call
from ternmq.values.calls.lists import ListPutCall, OpenList, Put1List, PutList
from ternmq.values.distribution import Outcome
from ternmq.values.handle import ObjectHandle
from ternmq.values.put_form import foreign_form
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.vocabulary import MQPUT, MQPUT1

if TYPE_CHECKING:
    from ternmq.remote.fap.client_conversation import Reply
    from ternmq.remote.fap.fap_verbs import FapVerbs


def open_list(verbs: FapVerbs, call: Call) -> Exchange[None]:
    """MQOPEN of a list."""
    assert isinstance(call, OpenList)
    od, records = _described(call.od, call.destinations, call.verb)
    reply: Reply = yield open_request(od, call.options, "", records)
    values = _values(reply)
    answered: ObjectDescriptor = values["object"]
    _check_whole(reply, answered.invalid_count)
    offset = answered.response_record_offset - answered.size()
    _take_responses(reply, call.outcomes, values.get("object_following", b""), offset)
    call.unknown = answered.unknown_count
    if reply.comp == mq.MQCC_FAILED:
        return
    handle = ObjectHandle(reply.handle, call.options)
    verbs.link.handles[reply.handle] = handle
    state = OpenState(od, call.options, values.get("fopa", {}), "")
    state.records = records
    verbs.states[handle] = state
    call.handle = handle


def put_list(verbs: FapVerbs, call: Call) -> Exchange[None]:
    """MQPUT or MQPUT1 to a list."""
    assert isinstance(call, ListPutCall)
    form = call.form
    if not isinstance(form, PackedPut):
        raise foreign_form(call.verb)
    packed, data, more = furnished(form, call.data, verbs.takes_back)
    framing = verbs.conversation.framing
    if len(data) > framing.message_bytes_max:
        raise framing.too_long(len(data), call.verb, "")
    options = int(form.options) & ~mq.MQPMO_ASYNC_RESPONSE | more
    body = packed + _options(call, options, form.context) + LONG.pack(len(data))
    if isinstance(call, Put1List):
        od, records = _described(call.od, call.destinations, call.verb)
        request = FapRequest(MQPUT1, None, od.pack() + records + body, data)
    else:
        assert isinstance(call, PutList)
        request = FapRequest(MQPUT, call.handle, body, data)
    request.options = options
    reply: Reply = yield request
    values = _values(reply)
    answered: PutOptions = values["options"]
    _check_whole(reply, answered.invalid_count)
    if options & mq.MQPMO_SYNCPOINT and reply.comp != mq.MQCC_FAILED:
        verbs.has_changes = True
    call.unknown = answered.unknown_count
    _take_answer(call, reply, values)


def _take_answer(call: ListPutCall, reply: Reply, values: Values) -> None:
    answered: PutOptions = values["options"]
    following: bytes = values.get("options_following", b"")
    if isinstance(call, Put1List):  # whose responses are with its MQOD
        od: ObjectDescriptor = values["object"]
        offset = od.response_record_offset - od.size()
        _take_responses(reply, call.outcomes, values.get("object_following", b""), offset)
    else:
        offset = answered.response_record_offset - answered.size()
        _take_responses(reply, call.outcomes, following, offset)
    if not call.records:
        return
    at = answered.put_record_offset - answered.size()
    count = len(call.records)
    if at < 0 or at + count * put_record_bytes(call.fields) > len(following):
        raise RemoteProtocolError(f"put message records at {at} of {len(following)} bytes")
    found = unpack_put_records(following, at, count, call.fields, LITTLE)
    descriptor: Descriptor = values["descriptor"]
    for outcome, record in zip(call.outcomes, found, strict=False):
        if outcome.ok:
            _take_ids(call.fields, outcome, record, descriptor)


def _take_ids(fields: int, outcome: Outcome, record: PutRecord, md: Descriptor) -> None:
    """Identifiers of a message: its record's, or those of the descriptor, which are for all."""
    outcome.msg_id = record.msg_id if fields & mq.MQPMRF_MSG_ID else b""
    outcome.correl_id = record.correl_id if fields & mq.MQPMRF_CORREL_ID else md.correl_id
    outcome.group_id = record.group_id if fields & mq.MQPMRF_GROUP_ID else md.group_id


def _described(
    given: ObjectDescriptor, destinations: list[Destination], verb: str
) -> tuple[ObjectDescriptor, bytes]:
    """MQOD and its records. A name that cannot be sent is that of nothing: so is what stands for
    it."""
    od = checked_object(given, verb)
    sent = [
        Destination(
            one.queue if fits_field(one.queue) else "", one.qmgr if fits_field(one.qmgr) else "?"
        )
        for one in destinations
    ]
    names = pack_destinations(sent, UTF8)
    od.records_present = len(sent)
    od.object_record_offset = od.size()
    od.response_record_offset = od.size() + len(names)
    return od, names + bytes(len(sent) * RESPONSE_RECORD_BYTES)


def _options(call: ListPutCall, options: int, context: int) -> bytes:
    """MQPMO and its records."""
    count = len(call.outcomes)
    pmo = PutOptions(options=options, context=context, version=2)
    records = pack_put_records(call.records, call.fields, LITTLE)
    pmo.records_present = count
    if records:
        pmo.put_record_fields = call.fields
        pmo.put_record_offset = pmo.size()
    responses = b""
    if not isinstance(call, Put1List):
        pmo.response_record_offset = pmo.size() + len(records)
        responses = bytes(count * RESPONSE_RECORD_BYTES)
    elif not records:
        pmo.records_present = 0
    return pmo.pack() + records + responses


def _values(reply: Reply) -> Values:
    """The body of a reply; a failed call may have none."""
    try:
        return reply.values()
    except RemoteProtocolError:
        checked(reply, "")
        raise


def _check_whole(reply: Reply, invalid: int) -> None:
    """Raise the error of a call that failed as a whole."""
    if reply.comp == mq.MQCC_FAILED and invalid == 0:
        checked(reply, "")


def _take_responses(reply: Reply, outcomes: list[Outcome], following: bytes, at: int) -> None:
    """Completion code and reason of each destination."""
    if reply.reason != MQRC_MULTIPLE_REASONS:
        for outcome in outcomes:
            outcome.comp = reply.comp
            outcome.reason = reply.reason
        return
    if at < 0 or at + len(outcomes) * RESPONSE_RECORD_BYTES > len(following):
        raise RemoteProtocolError(f"response records at {at} of {len(following)} bytes")
    found = unpack_responses(following, at, len(outcomes), LITTLE)
    for outcome, (comp, reason) in zip(outcomes, found, strict=True):
        outcome.comp = comp
        outcome.reason = reason
