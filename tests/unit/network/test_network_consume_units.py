"""Goal: the end of a unit of work gives a message to nobody who does not wait for one.

Method: a partner in the same loop asks for messages as IBM's Java client does for `receive`, lets
that end, and then commits, backs out or ends branches; another one looks for the message.
"""

import asyncio

import pytest

from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_GET_INHIBITED
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.flow import read_body
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

ALL = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT
RECEIVE = mq.MQGMO_SYNCPOINT | mq.MQGMO_WAIT
LOOK_ONCE_MORE = 8 | 2 | 4  # what IBM's client asks when its own wait is over
LONG_MS = 100_000


def put(place: Place, text: bytes = b"one") -> None:
    with place.admin.queue("A") as queue:
        queue.put(text, persistent=True)


def is_left(place: Place) -> list[bytes]:
    with place.admin.queue("A") as queue:
        return [message.data for message in queue]


def came(partner: Partner) -> list[bytes]:
    found = [
        bytes(read_body(one, 10).values["data"])
        for one in partner.look()
        if one.header.type == fap.ASYNC_MESSAGE
    ]
    partner.came.clear()
    return found


async def settle() -> None:
    """Whoever can go on has gone on."""
    for _ in range(10):
        await asyncio.sleep(0)


async def receive_nothing(partner: Partner, handle: int, ended_by: str) -> None:
    if ended_by == "server":
        partner.request(handle, options=RECEIVE, wait_ms=1, confirm=True)
        await partner.wait()
    else:
        partner.request(handle, options=RECEIVE, wait_ms=LONG_MS)
        flags = LOOK_ONCE_MORE
        partner.request(handle, options=RECEIVE, flags=flags, confirm=True, select=False)
    assert (await partner.values(fap.NOTIFICATION))["code"] == fap.CHECK_MSG


@pytest.mark.parametrize("ended_by", ["server", "client"])
@pytest.mark.parametrize("verb", [fap.MQCMIT, fap.MQBACK])
def test_unit_when_it_ends_after_an_empty_receive_then_the_message_stays(
    verb: int, ended_by: str
) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        other = await partner.open("B", ALL)
        await receive_nothing(partner, handle, ended_by)
        put(place)
        for _ in range(2):
            assert (await partner.put(other, b"work", mq.MQPMO_SYNCPOINT))["reason"] == 0
            assert (await partner.call(verb, {}))["reason"] == 0
            await settle()
            assert came(partner) == []
        assert is_left(place) == [b"one"]

    run_story(story)


def test_receive_when_it_is_asked_again_after_an_empty_one_then_it_has_its_message() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        await receive_nothing(partner, handle, "server")
        put(place)
        assert (await partner.call(fap.MQCMIT, {}))["reason"] == 0
        partner.request(handle, options=RECEIVE, wait_ms=LONG_MS, select=False)
        assert came(partner) == [b"one"]

    run_story(story)


def test_receive_when_get_was_inhibited_then_the_end_of_a_unit_gives_nothing() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        place.mqsc("ALTER QLOCAL(A) GET(DISABLED)")
        partner.request(handle, options=RECEIVE, wait_ms=LONG_MS)
        note = await partner.values(fap.NOTIFICATION)
        assert (note["code"], note["value"]) == (fap.GET_INHIBITED, MQRC_GET_INHIBITED)
        place.mqsc("ALTER QLOCAL(A) GET(ENABLED)")
        put(place)
        assert (await partner.call(fap.MQCMIT, {}))["reason"] == 0
        await settle()
        assert came(partner) == []
        assert is_left(place) == [b"one"]

    run_story(story)


@pytest.mark.parametrize("verb", [fap.MQCMIT, fap.MQBACK])
def test_receive_when_it_waits_while_a_unit_ends_then_it_goes_on_waiting(verb: int) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        other = await partner.open("B", ALL)
        partner.request(handle, options=RECEIVE, wait_ms=LONG_MS)
        await partner.put(other, b"work", mq.MQPMO_SYNCPOINT)
        assert (await partner.call(verb, {}))["reason"] == 0
        put(place)
        await partner.until(lambda: len(partner.look()) == 1)
        assert came(partner) == [b"one"]
        assert (await partner.call(fap.MQBACK, {}))["reason"] == 0
        assert is_left(place) == [b"one"]

    run_story(story)


def test_receive_when_units_end_while_it_waits_then_its_time_is_not_longer() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        partner.request(handle, options=RECEIVE, wait_ms=300, confirm=True)
        ended = False
        while not ended:  # by MQGMO's wait, or the test's time
            assert (await partner.call(fap.MQCMIT, {}))["reason"] == 0
            await asyncio.sleep(0)
            ended = any(one.header.type == fap.NOTIFICATION for one in partner.look())

    run_story(story)


def test_branch_when_it_ends_after_an_empty_receive_then_the_message_stays() -> None:
    async def story(place: Place, partner: Partner) -> None:
        async def xa(type: int, flags: int = 0) -> int:
            given = {"xid": branch, "flags": flags, "rmid": 1}
            return int((await partner.call(type, given))["return_value"])

        branch = {"format_id": 1, "gtrid": b"one", "bqual": b"b"}
        handle = await partner.open("A", ALL)
        other = await partner.open("B", ALL)
        assert await xa(fap.XA_START) == 0
        await receive_nothing(partner, handle, "client")
        assert (await partner.put(other, b"work", mq.MQPMO_SYNCPOINT))["reason"] == 0
        put(place)
        for call in (fap.XA_END, fap.XA_PREPARE, fap.XA_COMMIT):
            assert await xa(call) == 0
            await settle()
            assert came(partner) == []
        assert is_left(place) == [b"one"]

    run_story(story)


def test_stream_when_its_branch_has_ended_then_nothing_more_is_got_in_it() -> None:
    async def story(place: Place, partner: Partner) -> None:
        async def xa(type: int) -> int:
            given = {"xid": branch, "flags": 0, "rmid": 1}
            return int((await partner.call(type, given))["return_value"])

        branch = {"format_id": 1, "gtrid": b"one", "bqual": b"b"}
        handle = await partner.open("A", ALL)
        assert await xa(fap.XA_START) == 0
        partner.request(handle, 100_000, options=mq.MQGMO_SYNCPOINT, flags=fap.STREAM)
        put(place, b"one")
        await partner.until(lambda: len(partner.look()) == 1)
        assert came(partner) == [b"one"]
        assert await xa(fap.XA_END) == 0
        put(place, b"two")
        await settle()
        assert came(partner) == []
        partner.send_flow(fap.NOTIFICATION, {"handle": -1, "code": fap.CONN_STATE, "value": 0})
        assert await xa(fap.XA_ROLLBACK) == 0
        assert is_left(place) == [b"one", b"two"]

    run_story(story)
