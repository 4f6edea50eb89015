"""Goal: a call with a structure that cannot be read is refused with the reason code of that
structure, and the client, like all that share its socket, goes on.

Method: change eye-catcher or version in the bytes of a call; then do a right one.
"""

from __future__ import annotations

import pytest

from ternmq import constants as mq
from ternmq.base import reasons as rc
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqsts import Status
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.flow import write_body
from ternmq.wire.fap.part import Values
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

COMP_AT = 4  # behind the length of a call
REASON_AT = 8
HANDLE_AT = 12
VERSION_AT = 4  # in a structure

CASES = [
    (fap.MQOPEN, b"OD  ", rc.MQRC_OD_ERROR),
    (fap.MQPUT, b"MD  ", rc.MQRC_MD_ERROR),
    (fap.MQPUT, b"PMO ", rc.MQRC_PMO_ERROR),
    (fap.MQPUT1, b"OD  ", rc.MQRC_OD_ERROR),
    (fap.MQPUT1, b"MD  ", rc.MQRC_MD_ERROR),
    (fap.MQPUT1, b"PMO ", rc.MQRC_PMO_ERROR),
    (fap.MQGET, b"MD  ", rc.MQRC_MD_ERROR),
    (fap.MQGET, b"GMO ", rc.MQRC_GMO_ERROR),
    (fap.MQSTAT, b"STAT", rc.MQRC_STS_ERROR),
]
CHANGES = [(0, b"XXXX"), (VERSION_AT, bytes(4)), (VERSION_AT, b"\x7f\xff\xff\xff")]


def values_of(partner: Partner, call: int, handle: int) -> Values:
    """A right call of each type."""
    if call == fap.MQOPEN:
        return partner.open_values("A", mq.MQOO_OUTPUT)
    if call == fap.MQGET:
        options = GetOptions(options=mq.MQGMO_NO_SYNCPOINT)
        return {
            "handle": handle,
            "descriptor": Descriptor(),
            "options": options,
            "buffer_length": 9,
        }
    if call == fap.MQSTAT:
        return {"status_type": mq.MQSTAT_TYPE_ASYNC_ERROR, "status": Status()}
    values = partner.put_values(handle, b"a message")
    if call == fap.MQPUT1:
        values["object"] = ObjectDescriptor(object_name="A")
    return values


def number_at(body: bytes, at: int) -> int:
    return int.from_bytes(body[at : at + 4], "big", signed=True)


@pytest.mark.parametrize(("at", "piece"), CHANGES)
@pytest.mark.parametrize(("call", "eye_catcher", "reason"), CASES)
def test_call_when_a_structure_cannot_be_read_then_its_reason_and_the_connection_stays(
    call: int, eye_catcher: bytes, reason: int, at: int, piece: bytes
) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED)
        header = partner.header(call)
        right = write_body(header, values_of(partner, call, handle), partner.level)
        wrong = bytearray(right)
        found = wrong.index(eye_catcher) + at
        wrong[found : found + 4] = piece
        partner.send(header, bytes(wrong))
        reply = (await partner.next(call + fap.REPLY)).body
        assert number_at(reply, COMP_AT) == mq.MQCC_FAILED
        assert number_at(reply, REASON_AT) == reason
        if call == fap.MQOPEN:
            assert number_at(reply, HANDLE_AT) == -1
        assert place.depth("A") == 0  # nothing was put
        assert (await partner.put(handle, b"right"))["reason"] == 0
        assert (await partner.get(handle))["data"] == b"right"

    run_story(story)


def test_spi_open_when_its_mqod_cannot_be_read_then_2044_and_the_connection_stays() -> None:
    async def story(place: Place, partner: Partner) -> None:
        header = partner.header(fap.SPI)
        given = {
            "verb": fap.SPI_OPEN,
            "lpoo": {"version": 2, "options": mq.MQOO_OUTPUT},
            "object": ObjectDescriptor(object_name="A"),
        }
        wrong = bytearray(write_body(header, given, partner.level))
        found = wrong.index(b"OD  ")
        wrong[found : found + 4] = b"XXXX"
        partner.send(header, bytes(wrong))
        reply = await partner.values(fap.SPI + fap.REPLY)
        assert (reply["comp"], reply["reason"]) == (mq.MQCC_FAILED, rc.MQRC_OD_ERROR)
        assert reply["verb"] == fap.SPI_OPEN
        assert await partner.open("A", mq.MQOO_OUTPUT) > 0

    run_story(story)


def test_call_when_it_ends_inside_a_structure_then_the_connection_ends() -> None:
    async def story(place: Place, partner: Partner) -> None:
        header = partner.header(fap.MQOPEN)
        body = write_body(header, partner.open_values("A", mq.MQOO_OUTPUT), partner.level)
        partner.send(header, body[:40])
        await partner.until(partner.pipe.is_closing)

    run_story(story)
