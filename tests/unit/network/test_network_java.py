"""Goal: what IBM's Java client needs and nobody would guess stays as it is, without Java at hand.

Method: a partner in the same loop does what that client was seen to do (docs/reference/interop.md);
each test stands for cases of it that failed once.
"""

import pytest

from ternmq.base import constants as mq
from ternmq.base.reasons import (
    MQRC_CHAR_ATTR_LENGTH_ERROR,
    MQRC_INT_ATTR_COUNT_ERROR,
    MQRC_NO_MSG_LOCKED,
    MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_SELECTOR_NOT_FOR_TYPE,
)
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqsts import Status
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.flow import read_body
from ternmq.wire.fap.part import Values
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

ALL = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE | mq.MQOO_INQUIRE


def put(place: Place, *texts: bytes) -> None:
    with place.admin.queue("A") as queue:
        for text in texts:
            queue.put(text)


def came(partner: Partner) -> list[tuple[int, Values]]:
    found = [(one.header.type, read_body(one, 10).values) for one in partner.look()]
    partner.came.clear()
    return found


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 40_001])
def test_segments_of_a_shared_socket_then_each_is_a_multiple_of_four(size: int) -> None:
    async def story(place: Place, partner: Partner) -> None:
        put(place, b"x" * size)
        handle = await partner.open("A", ALL)
        partner.pipe.data = b""
        partner.request(handle)
        data = partner.pipe.data
        assert len(data) % 4 == 0
        (message,) = came(partner)
        assert message[1]["data"] == b"x" * size

    run_story(story)


def test_get_under_cursor_by_request_then_its_reason_comes_by_itself() -> None:
    async def story(place: Place, partner: Partner) -> None:
        put(place, b"one")
        handle = await partner.open("A", ALL)
        partner.request(handle, options=mq.MQGMO_MSG_UNDER_CURSOR, confirm=True)
        notes = [(one["code"], one["value"]) for _, one in came(partner)]
        assert notes[0] == (fap.STREAMING_FAILURE, MQRC_NO_MSG_UNDER_CURSOR)
        assert notes[1][0] == fap.CHECK_MSG
        partner.request(handle)
        assert came(partner)[0][1]["data"] == b"one"

    run_story(story)


def test_unlock_by_request_then_the_message_stays_and_a_message_of_nothing_comes() -> None:
    async def story(place: Place, partner: Partner) -> None:
        put(place, b"one")
        handle = await partner.open("A", ALL)
        partner.request(handle, options=mq.MQGMO_BROWSE_FIRST | mq.MQGMO_LOCK, confirm=True)
        assert came(partner)[0][1]["data"] == b"one"
        partner.request(handle, options=mq.MQGMO_UNLOCK, received=367, index=1, confirm=True)
        (kind, message), _ = came(partner)
        assert (kind, message["data"]) == (fap.ASYNC_MESSAGE, b"")
        assert place.depth("A") == 1
        partner.request(handle, options=mq.MQGMO_UNLOCK, received=364, index=2, confirm=True)
        (_, note), _ = came(partner)
        assert (note["code"], note["value"]) == (fap.STREAMING_FAILURE, MQRC_NO_MSG_LOCKED)

    run_story(story)


def test_listener_that_leaves_out_stream_then_it_is_sent_messages_all_the_same() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        partner.send_flow(fap.NOTIFICATION, {"handle": -1, "code": fap.CONN_STATE, "value": 2})
        partner.request(handle, flags=fap.STREAM)
        put(place, b"one")
        await partner.wait()
        assert came(partner)[0][1]["data"] == b"one"
        partner.request(handle, flags=0, received=367, index=1, select=False)
        assert came(partner) == []
        put(place, b"two")
        await partner.wait()
        assert came(partner)[0][1]["data"] == b"two"

    run_story(story)


@pytest.mark.parametrize("share", [0, 1, 10])
def test_asynchronous_put_where_spi_is_agreed_then_it_has_no_reply(share: int) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        values = partner.put_values(handle, b"one", mq.MQPMO_ASYNC_RESPONSE | mq.MQPMO_NO_SYNCPOINT)
        partner.send_flow(fap.MQPUT, values)
        reply = await partner.call(fap.MQSTAT, {"status_type": 0, "status": Status()})
        assert reply["status"].put_success_count == 1
        assert place.depth("A") == 1

    run_story(story, share=share)


@pytest.mark.parametrize("handle_offset", [0, 1000])
def test_inquiry_with_areas_of_gigabytes_then_refused_in_few_bytes(handle_offset: int) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL) + handle_offset
        asked = {"handle": handle, "selectors": [mq.MQIA_CURRENT_Q_DEPTH]}
        wrong = [("integer_count", MQRC_INT_ATTR_COUNT_ERROR)]
        wrong.append(("character_length", MQRC_CHAR_ATTR_LENGTH_ERROR))
        for name, reason in wrong:
            areas = {"integer_count": 1, "character_length": 0, name: 0x7FFFFFFF}
            partner.send_flow(fap.MQINQ, {**asked, **areas})
            await partner.until(lambda: bool(partner.pipe.data))
            assert len(partner.pipe.data) < 200
            reply = await partner.values(fap.MQINQ + fap.REPLY)
            assert reply["reason"] == (reason if handle_offset == 0 else 2019)

    run_story(story)


def test_inquiry_of_jms_for_a_backout_queue_then_it_has_what_the_queue_has() -> None:
    async def story(place: Place, partner: Partner) -> None:
        place.mqsc("ALTER QLOCAL(A) BOTHRESH(3) BOQNAME(B)")
        handle = await partner.open("A", ALL)
        asked = {
            "handle": handle,
            "selectors": [
                mq.MQIA_BACKOUT_THRESHOLD,
                mq.MQIA_Q_TYPE,
                mq.MQCA_BACKOUT_REQ_Q_NAME,
                mq.MQCA_BASE_Q_NAME,
            ],
            "integer_count": 2,
            "character_length": 96,
        }
        reply = await partner.call(fap.MQINQ, asked)
        reported = (reply["comp"], reply["reason"], reply["integers"])
        assert reported == (1, MQRC_SELECTOR_NOT_FOR_TYPE, [3, mq.MQQT_LOCAL])
        assert reply["characters"] == b"B".ljust(48) + b"*" * 48

    run_story(story)


def test_open_of_jms_that_saves_context_then_it_can_be_passed() -> None:
    async def story(place: Place, partner: Partner) -> None:
        put(place, b"one")
        options = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_BROWSE | mq.MQOO_INQUIRE
        given = {
            "verb": fap.SPI_OPEN,
            "reply_bytes_max": 1000,
            "spou": {},
            "spoi": {},
            "lpoo": {"options": options, "lpi_options": 3},
            "object": ObjectDescriptor(object_name="A"),
        }
        handle = (await partner.call(fap.SPI, given))["handle"]
        partner.request(handle, options=mq.MQGMO_SYNCPOINT)
        assert came(partner)[0][1]["data"] == b"one"
        target = await partner.open("B", mq.MQOO_OUTPUT | mq.MQOO_PASS_ALL_CONTEXT)
        values = partner.put_values(target, b"one", mq.MQPMO_SYNCPOINT | mq.MQPMO_PASS_ALL_CONTEXT)
        values["options"].context = handle
        assert (await partner.call(fap.MQPUT, values))["reason"] == 0
        assert (await partner.call(fap.MQCMIT, {}))["reason"] == 0
        assert (place.depth("A"), place.depth("B")) == (0, 1)

    run_story(story)
