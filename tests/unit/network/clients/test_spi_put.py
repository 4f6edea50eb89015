"""Goal: SPI PUT, as IBM's Java client was seen to send it, stages a message with a delivery delay,
puts one without, and refuses what it does not know.

Method: a partner in the same loop sends it in each of its versions.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from ternmq.base.reasons import (
    MQRC_EXPIRY_ERROR,
    MQRC_HOBJ_ERROR,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_OPTIONS_ERROR,
)
from ternmq.codec.headers.delay_header import unpack_delay_header
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.part import Values
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

DELAY_QUEUE = "SYSTEM.DDELAY.LOCAL.QUEUE"
HOUR_MS = 3_600_000


async def spi_put(
    partner: Partner, handle: int, sppi: Values, pmo: int = mq.MQPMO_NO_SYNCPOINT, **fields: int
) -> Values:
    values: Values = {
        "handle": handle,
        "verb": fap.SPI_PUT,
        "descriptor": Descriptor(**fields),  # type: ignore[arg-type]
        "options": PutOptions(options=pmo),
        "sppi": {"data": b"later", **sppi},
    }
    return await partner.call(fap.SPI, values)


@pytest.mark.parametrize("delay_ms", [HOUR_MS, HOUR_MS << 16])
def test_put_when_it_has_a_delay_then_the_message_is_staged(delay_ms: int) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", mq.MQOO_OUTPUT)
        low = delay_ms & 0xFFFFFFFF
        sppi = {
            "version": 3,
            "delay_high": delay_ms >> 32,
            "delay_low": low - (1 << 32) if low >> 31 else low,
        }
        reply = await spi_put(partner, handle, sppi, priority=3)
        assert (reply["comp"], reply["reason"]) == (0, 0)
        assert reply["descriptor"].priority == 3
        assert reply["options"].resolved_queue_name == "A"
        assert (place.depth("A"), place.depth(DELAY_QUEUE)) == (0, 1)
        with place.admin.queue(DELAY_QUEUE) as staged:
            message = staged.get()
        assert message.correl_id == reply["descriptor"].msg_id
        header = unpack_delay_header(message.data)
        assert (header.queue, header.due_ns - header.put_ns) == ("A", delay_ms * 1_000_000)

    run_story(story)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_put_when_it_has_no_delay_then_the_message_is_there(version: int) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", mq.MQOO_OUTPUT)
        reply = await spi_put(partner, handle, {"version": version})
        assert reply["reason"] == 0
        with place.admin.queue("A") as queue:
            assert queue.get().msg_id == reply["descriptor"].msg_id

    run_story(story)


def test_put_when_it_cannot_be_then_its_reason() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", mq.MQOO_OUTPUT)
        delayed = {"version": 3, "delay_low": HOUR_MS}
        assert (await spi_put(partner, handle + 100, delayed))["reason"] == MQRC_HOBJ_ERROR
        deferred = {**delayed, "options": 4}
        assert (await spi_put(partner, handle, deferred))["reason"] == MQRC_OPTIONS_ERROR
        before = {"version": 3, "delay_high": -1, "delay_low": -1}
        assert (await spi_put(partner, handle, before))["reason"] == MQRC_OPTIONS_ERROR
        assert (await spi_put(partner, handle, delayed, expiry=10))["reason"] == MQRC_EXPIRY_ERROR
        assert (place.depth("A"), place.depth(DELAY_QUEUE)) == (0, 0)

    run_story(story)


def test_put_when_it_is_for_the_end_then_it_is_put_when_the_client_goes() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", mq.MQOO_OUTPUT)
        first = await spi_put(partner, handle, {"version": 1, "options": 4})
        second = await spi_put(partner, handle, {"version": 1, "options": 4})
        assert (first["reason"], second["reason"]) == (0, 0)
        withdrawn = {"mode": 2, "msg_id": first["descriptor"].msg_id}
        for mode, reason in ((2, 0), (2, MQRC_NO_MSG_AVAILABLE), (3, MQRC_OPTIONS_ERROR)):
            spai = {**withdrawn, "mode": mode}
            reply = await partner.call(
                fap.SPI, {"handle": 0, "verb": fap.SPI_ACTIVATE, "spai": spai}
            )
            assert reply["reason"] == reason
        assert place.depth("A") == 0
        await partner.call(fap.MQDISC, {})
        assert place.depth("A") == 1
        with place.admin.queue("A") as queue:
            assert queue.get().msg_id == second["descriptor"].msg_id

    run_story(story)


def test_query_when_asked_then_put_is_offered_with_its_version() -> None:
    async def story(place: Place, partner: Partner) -> None:
        reply = await partner.call(fap.SPI, {"handle": 0, "verb": fap.SPI_QUERY})
        offered = {one["verb"]: one["in_version"] for one in reply["spqo"]["verbs"] if one["verb"]}
        assert offered[fap.SPI_PUT] == 3
        assert offered[fap.SPI_OPEN] == 1

    run_story(story)
