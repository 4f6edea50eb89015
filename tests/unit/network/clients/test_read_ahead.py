"""Goal: read-ahead sends no persistent message that nobody waits for, and lets no get wait for a
message that is there.

Method: a partner in the same loop asks as IBM's Java client does for a queue with DEFREADA(YES) and
says how much it has taken; then messages come, persistent or not, to gets that wait and to nobody.
"""

import asyncio

import pytest

from ternmq.base import constants as mq
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.flow import read_body
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

WINDOW = 102_400
LONG_MS = 100_000
LOOK = fap.SYNCHRONOUS | fap.LOOKS_AGAIN
GET = mq.MQGMO_WAIT
IF_PERSISTENT = mq.MQGMO_WAIT | mq.MQGMO_SYNCPOINT_IF_PERSISTENT
ONE_BYTES = 364 + 2


def put(place: Place, *texts: bytes) -> None:
    with place.admin.queue("A") as queue:
        for text in texts:
            queue.put(text, persistent=text.startswith(b"p"))


async def what_came(partner: Partner) -> list[bytes]:
    """The messages; `paused` where the client was told to ask."""
    for _ in range(10):
        await asyncio.sleep(0)
    found = []
    for one in partner.look():
        values = read_body(one, 10).values
        if one.header.type == fap.ASYNC_MESSAGE:
            found.append(bytes(values["data"]))
        elif values["code"] == fap.STREAMING_TXN_PAUSED:
            found.append(b"paused")
        else:
            assert values["code"] == fap.CHECK_MSG
    partner.came.clear()
    return found


def left(place: Place) -> list[bytes]:
    with place.admin.queue("A") as queue:
        return [message.data for message in queue.browse()]


async def opened(partner: Partner, options: int) -> int:
    """A handle whose first get has ended empty."""
    handle = await partner.open("A", mq.MQOO_INPUT_SHARED)
    partner.request(handle, WINDOW, options=options, wait_ms=LONG_MS)
    assert await what_came(partner) == []
    look_again(partner, handle, options)
    assert await what_came(partner) == []
    return handle


def look_again(partner: Partner, handle: int, options: int) -> None:
    partner.request(handle, WINDOW, options=options, flags=LOOK, confirm=True, select=False)


@pytest.mark.parametrize("options", [GET, IF_PERSISTENT])
@pytest.mark.parametrize("text", [b"p0", b"n0"])
def test_get_when_the_one_before_ended_empty_then_it_gets_its_message_at_once(
    text: bytes, options: int
) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await opened(partner, options)
        put(place, text)  # the client is in a get and has not asked: it takes its request for open
        assert await what_came(partner) == [b"paused"]
        assert left(place) == [text]  # until it asks
        partner.request(handle, WINDOW, options=options, wait_ms=LONG_MS, select=False)
        assert await what_came(partner) == [text]

    run_story(story)


def test_request_that_a_get_left_behind_then_it_is_given_nothing() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await opened(partner, GET)
        put(place, b"p0")
        assert await what_came(partner) == [b"paused"]
        with place.admin.queue("A") as other:
            assert other.get().data == b"p0"
        for wait_ms in (LONG_MS, 0):  # the get asks, and its time is over
            flags = fap.SYNCHRONOUS if wait_ms else LOOK
            partner.request(handle, WINDOW, options=GET, wait_ms=wait_ms, flags=flags, select=False)
            assert await what_came(partner) == []
        partner.request(handle, WINDOW, options=GET, wait_ms=LONG_MS, select=False)  # left behind
        put(place, b"p1")
        assert await what_came(partner) == [b"paused"]
        assert left(place) == [b"p1"]
        partner.request(handle, WINDOW, options=GET, wait_ms=LONG_MS, select=False)
        assert await what_came(partner) == [b"p1"]

    run_story(story)


@pytest.mark.parametrize("options", [GET, IF_PERSISTENT])
def test_persistent_message_when_it_is_behind_another_then_it_is_not_read_ahead(
    options: int,
) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", mq.MQOO_INPUT_SHARED)
        put(place, b"n0", b"n1", b"p2", b"n3")
        partner.request(handle, WINDOW, options=options, wait_ms=LONG_MS)
        assert await what_came(partner) == [b"n0", b"n1", b"paused"]
        assert (await partner.call(fap.MQCMIT, {}))["reason"] == 0
        assert left(place) == [b"p2", b"n3"]
        taken = 2 * ONE_BYTES
        partner.request(handle, WINDOW, options=options, wait_ms=LONG_MS, received=taken, index=2)
        assert await what_came(partner) == [b"p2"]

    run_story(story)


@pytest.mark.parametrize(("received", "answer"), [(ONE_BYTES, b"p1"), (WINDOW // 2, b"paused")])
def test_request_that_asks_for_much_then_no_get_waits_for_it(received: int, answer: bytes) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", mq.MQOO_INPUT_SHARED)
        put(place, b"n0".ljust(received - ONE_BYTES + 2))
        partner.request(handle, WINDOW, options=GET, wait_ms=LONG_MS)
        assert len(await what_came(partner)) == 1
        partner.request(
            handle, WINDOW, options=GET, wait_ms=LONG_MS, received=received, index=1, select=False
        )
        put(place, b"p1")
        assert await what_came(partner) == [answer]

    run_story(story)


def test_browse_when_the_one_before_ended_empty_then_its_message_comes() -> None:
    async def story(place: Place, partner: Partner) -> None:
        options = mq.MQGMO_WAIT | mq.MQGMO_BROWSE_NEXT
        handle = await partner.open("A", mq.MQOO_BROWSE)
        partner.request(handle, WINDOW, options=options, wait_ms=LONG_MS)
        look_again(partner, handle, options)
        assert await what_came(partner) == []
        put(place, b"p0")
        assert await what_came(partner) == [b"p0"]
        assert left(place) == [b"p0"]

    run_story(story)


def test_get_inhibited_when_nobody_waits_then_the_next_get_is_notified() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await opened(partner, GET)
        place.mqsc("ALTER QLOCAL(A) GET(DISABLED)")
        assert await what_came(partner) == [b"paused"]
        partner.request(handle, WINDOW, options=GET, wait_ms=LONG_MS, select=False)
        note = await partner.values(fap.NOTIFICATION)
        assert note["code"] == fap.GET_INHIBITED

    run_story(story)


def test_close_when_nobody_waits_then_nothing_more_is_sent() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await opened(partner, GET)
        assert (await partner.call(fap.MQCLOSE, {"handle": handle}))["reason"] == 0
        put(place, b"n0")
        assert await what_came(partner) == []
        assert left(place) == [b"n0"]

    run_story(story)
