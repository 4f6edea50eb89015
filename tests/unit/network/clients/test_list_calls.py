"""Goal: a client's distribution list is opened and put to by the records behind MQOD and MQPMO;
records that are missing or lie have MQ's reasons, and the connection lives on.

Method: a partner in the same loop (see `partner`), in every byte order that it speaks.
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq.base import constants as mq
from ternmq.codec.mqi.layout import BIG
from ternmq.codec.mqi.list_records import (
    Destination,
    PutRecord,
    pack_destinations,
    pack_put_records,
    unpack_put_records,
    unpack_responses,
)
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.codec.mqi.mqsts import Status
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.part import Values
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

OD_BYTES = 200  # of version 2
PMO_BYTES = 152
UNKNOWN = 2085
MULTIPLE = 2136


def object_values(names: list[str], responses: bool = True, **fields: Any) -> Values:
    """MQOD version 2 with its records."""
    count = len(names)
    od = ObjectDescriptor(version=2, records_present=count, object_record_offset=OD_BYTES)
    following = pack_destinations([Destination(name) for name in names], 1208)
    if responses:
        od.response_record_offset = OD_BYTES + len(following)
        following += b"\x7f" * (8 * count)
    for name, value in fields.items():
        setattr(od, name, value)
    return {"object": od, "object_following": following}


def open_values(names: list[str], responses: bool = True, **fields: Any) -> Values:
    given = object_values(names, responses, **fields)
    return {**given, "options": mq.MQOO_OUTPUT, "fopa": {}}


def put_values(handle: int, records: list[PutRecord], fields: int, **given: Any) -> Values:
    """MQPUT with put message and response records."""
    pmo = PutOptions(version=2, options=mq.MQPMO_NO_SYNCPOINT, records_present=len(records))
    following = pack_put_records(records, fields, BIG)
    if following:
        pmo.put_record_fields = fields
        pmo.put_record_offset = PMO_BYTES
    pmo.response_record_offset = PMO_BYTES + len(following)
    following += b"\x7f" * (8 * len(records))
    for name, value in given.items():
        setattr(pmo, name, value)
    return {
        "handle": handle,
        "descriptor": Descriptor(correl_id=b"shared".ljust(24), priority=-1, persistence=2),
        "options": pmo,
        "options_following": following,
        "data": b"hello",
    }


def test_list_then_responses_counts_and_identifiers_come_back() -> None:
    async def story(place: Place, partner: Partner) -> None:
        reply = await partner.call(fap.MQOPEN, open_values(["A", "NOPE", "B"]))
        assert (reply["comp"], reply["reason"]) == (mq.MQCC_WARNING, MULTIPLE)
        od: ObjectDescriptor = reply["object"]
        assert (od.known_count, od.unknown_count, od.invalid_count) == (2, 0, 1)
        found = unpack_responses(reply["object_following"], 3 * 96, 3, BIG)
        assert found == [(0, 0), (2, UNKNOWN), (0, 0)]
        handle = int(reply["handle"])
        fields = mq.MQPMRF_MSG_ID | mq.MQPMRF_FEEDBACK
        records = [PutRecord(feedback=number) for number in (66_001, 66_002, 66_003)]
        reply = await partner.call(fap.MQPUT, put_values(handle, records, fields))
        assert (reply["comp"], reply["reason"]) == (mq.MQCC_WARNING, MULTIPLE)
        pmo: PutOptions = reply["options"]
        assert (pmo.known_count, pmo.unknown_count, pmo.invalid_count) == (2, 0, 1)
        following: bytes = reply["options_following"]
        after = unpack_put_records(following, 0, 3, fields, BIG)
        assert unpack_responses(following, 3 * 28, 3, BIG) == [(0, 0), (2, 2137), (0, 0)]
        md: Descriptor = reply["descriptor"]
        assert (md.msg_id, md.correl_id) == (bytes(24), b"shared".ljust(24))
        assert (md.priority, md.persistence, md.put_appl_type) == (-1, 2, md.put_appl_type)
        assert md.put_date
        for name, record in (("A", after[0]), ("B", after[2])):
            message = place.admin.queue(name).get()
            assert (message.data, message.msg_id) == (b"hello", record.msg_id)
            assert message.descriptor.feedback == record.feedback
        assert after[1].msg_id == bytes(24)
        reply = await partner.call(fap.MQCLOSE, {"handle": handle, "options": 0})
        assert reply["reason"] == 0

    run_story(story)


def test_list_when_all_end_alike_then_responses_are_as_they_came() -> None:
    async def story(place: Place, partner: Partner) -> None:
        reply = await partner.call(fap.MQOPEN, open_values(["NOPE", "NEITHER"]))
        assert (reply["comp"], reply["reason"], reply["handle"]) == (2, UNKNOWN, -1)
        assert reply["object_following"][2 * 96 :] == b"\x7f" * 16
        assert reply["object"].invalid_count == 2
        reply = await partner.call(fap.MQOPEN, open_values(["A", "A"], responses=False))
        assert (reply["reason"], len(reply["object_following"])) == (0, 2 * 96)
        # without records at all
        given = put_values(int(reply["handle"]), [], 0, response_record_offset=0)
        reply = await partner.call(fap.MQPUT, given)
        assert (reply["reason"], reply["options"].known_count) == (0, 2)
        assert place.admin.queue("A").depth == 2

    run_story(story)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"records_present": -1}, 2154),
        ({"object_type": mq.MQOT_PROCESS}, 2154),
        ({"object_record_offset": 0, "response_record_offset": 0}, 2155),
        ({"object_record_ptr": 7}, 2155),
        ({"object_record_offset": 4}, 2155),
        ({"response_record_ptr": 7}, 2156),
        ({"response_record_offset": 8}, 2156),
        ({"object_name": "A"}, 2152),
        ({"object_qmgr_name": "QM1"}, 2153),
    ],
)
@pytest.mark.parametrize("verb", [fap.MQOPEN, fap.MQPUT1])
def test_object_records_when_they_lie_then_their_reason(
    verb: int, fields: dict[str, Any], reason: int
) -> None:
    async def story(place: Place, partner: Partner) -> None:
        given = open_values(["A", "A"], **fields)
        if given["object"].object_record_offset == 0:
            given["object_following"] = b""
        if given["object"].records_present < 0:
            del given["object_following"]
        if verb == fap.MQPUT1:
            del given["options"]
            given.pop("fopa")
            given["descriptor"] = Descriptor()
            given["options"] = PutOptions(options=mq.MQPMO_NO_SYNCPOINT)
            given["data"] = b"x"
        reply = await partner.call(verb, given)
        assert (reply["comp"], reply["reason"]) == (mq.MQCC_FAILED, reason)
        await partner.open("A", mq.MQOO_OUTPUT)
        assert place.admin.queue("A").depth == 0

    run_story(story)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"put_record_ptr": 7}, 2159),
        ({"put_record_offset": 4}, 2159),
        ({"put_record_fields": 0x21}, 2158),
        ({"put_record_fields": mq.MQPMRF_ACCOUNTING_TOKEN}, 2158),
        ({"response_record_ptr": 7}, 2156),
        ({"response_record_offset": 4}, 2156),
    ],
)
def test_put_records_when_they_lie_then_their_reason(fields: dict[str, Any], reason: int) -> None:
    async def story(place: Place, partner: Partner) -> None:
        reply = await partner.call(fap.MQOPEN, open_values(["A", "A"]))
        handle = int(reply["handle"])
        asked = fields.get("put_record_fields", mq.MQPMRF_MSG_ID) & 0x1F
        given = put_values(handle, [PutRecord(), PutRecord()], asked, **fields)
        reply = await partner.call(fap.MQPUT, given)
        assert (reply["comp"], reply["reason"]) == (mq.MQCC_FAILED, reason)
        reply = await partner.call(fap.MQPUT, put_values(handle, [PutRecord()], 1))
        assert reply["reason"] == 0
        assert place.admin.queue("A").depth == 2

    run_story(story)


def test_records_when_one_queue_is_open_then_recs_present_error() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", mq.MQOO_OUTPUT)
        reply = await partner.call(fap.MQPUT, put_values(handle, [PutRecord()], 1))
        assert (reply["comp"], reply["reason"]) == (mq.MQCC_FAILED, 2154)

    run_story(story)


def test_put1_when_response_records_are_in_the_mqpmo_then_refused() -> None:
    async def story(place: Place, partner: Partner) -> None:
        given = {**object_values(["A", "A"]), **put_values(0, [PutRecord(), PutRecord()], 1)}
        reply = await partner.call(fap.MQPUT1, given)
        assert reply["reason"] == 2156
        given = {**object_values(["A", "NOPE"]), **put_values(0, [PutRecord()] * 2, 1)}
        given["options"].response_record_offset = 0
        given["options_following"] = bytes(48)
        reply = await partner.call(fap.MQPUT1, given)
        assert (reply["comp"], reply["reason"]) == (mq.MQCC_WARNING, MULTIPLE)
        assert unpack_responses(reply["object_following"], 2 * 96, 2, BIG) == [(0, 0), (2, UNKNOWN)]
        assert reply["options_following"][:24] == place.admin.queue("A").get().msg_id

    run_story(story)


def test_asynchronous_put_to_a_list_then_status_reports_it() -> None:
    async def story(place: Place, partner: Partner) -> None:
        reply = await partner.call(fap.MQOPEN, open_values(["A", "NOPE"]))
        handle = int(reply["handle"])
        options = mq.MQPMO_NO_SYNCPOINT | mq.MQPMO_ASYNC_RESPONSE
        partner.send_flow(fap.MQPUT, put_values(handle, [PutRecord()] * 2, 1, options=options))
        partner.send_flow(fap.MQPUT, put_values(handle, [], 0x40, options=options))
        reply = await partner.call(fap.MQSTAT, {"status_type": 0, "status": Status()})
        status = reply["status"]
        assert (status.put_warning_count, status.put_failure_count) == (2, 0)
        assert place.admin.queue("A").depth == 2

    run_story(story)
