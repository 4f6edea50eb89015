"""Goal: who puts without answers is held while a reader that keeps up catches up, and never for
longer; nobody who must not wait is held.

Method: a partner that puts and a partner that reads, in one loop; the putter's transport shows
whether it is read. Buffers are a few messages long.
"""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from ternmq.base import constants as mq
from ternmq.wire.fap import vocabulary as fap
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

INPUT = mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE
ASYNC = mq.MQPMO_NO_SYNCPOINT | mq.MQPMO_ASYNC_RESPONSE
BODY = bytes(4000)
SIZE = 364 + len(BODY)
BUFFER = 20 * SIZE
Story = Callable[[Place, Partner, Partner], Coroutine[Any, Any, None]]


def log_of_two(story: Story) -> None:
    """The first partner puts; the second one, on a socket of its own, reads."""

    async def both(place: Place, putter: Partner) -> None:
        place.mqsc(f"ALTER QLOCAL(A) NPBUFFER({BUFFER})")
        reader = Partner(place.host)
        try:
            await reader.open_channel()
            assert (await reader.connect())["reason"] == 0
            await story(place, putter, reader)
        finally:
            await reader.lose()

    run_story(both)


def put(putter: Partner, handle: int, count: int, **fields: Any) -> None:
    for _ in range(count):
        putter.send_flow(fap.MQPUT, putter.put_values(handle, BODY, ASYNC, **fields))


def taken(reader: Partner) -> int:
    """How many messages have come since."""
    found = len([one for one in reader.look() if one.header.type == fap.ASYNC_MESSAGE])
    reader.came.clear()
    return found


def is_read(putter: Partner) -> bool:
    """Whether the server takes what comes from it."""
    return putter.pipe.reads


def test_putter_when_half_of_the_buffer_is_full_then_held_until_a_quarter_is_left() -> None:
    async def story(place: Place, putter: Partner, reader: Partner) -> None:
        to = await putter.open("A", mq.MQOO_OUTPUT)
        of = await reader.open("A", INPUT)
        reader.request(of, 4 * SIZE, flags=fap.STREAM)
        put(putter, to, 4)
        await reader.until(lambda: place.depth("A") == 0)
        assert taken(reader) == 4
        put(putter, to, 10)
        assert is_read(putter)
        put(putter, to, 1)
        assert not is_read(putter)
        reader.request(of, 4 * SIZE, flags=fap.STREAM, received=4 * SIZE, index=4)
        assert place.depth("A") == 7
        assert not is_read(putter)
        reader.request(of, 4 * SIZE, flags=fap.STREAM, received=4 * SIZE, index=8)
        assert place.depth("A") == 3
        assert is_read(putter)
        put(putter, to, 8)
        assert not is_read(putter)  # the reader has shown that it is worth it
        reader.request(of, 8 * SIZE, flags=fap.STREAM, received=4 * SIZE, index=12)
        assert is_read(putter)

    log_of_two(story)


def test_putter_when_reader_is_slow_then_held_once_and_not_again() -> None:
    async def story(place: Place, putter: Partner, reader: Partner) -> None:
        to = await putter.open("A", mq.MQOO_OUTPUT)
        of = await reader.open("A", INPUT)
        reader.request(of, 4 * SIZE, flags=fap.STREAM)
        put(putter, to, 15)
        assert not is_read(putter)
        putter.pipe.resumed.clear()
        await putter.pipe.resumed.wait()
        put(putter, to, 1)
        assert is_read(putter)
        await reader.until(lambda: taken(reader) == 4)
        reader.request(of, 40 * SIZE, flags=fap.STREAM, received=4 * SIZE, index=4)
        assert place.depth("A") == 0  # it has caught up
        reader.request(of, 1, flags=fap.STREAM, received=0, index=4)
        put(putter, to, 11)
        assert not is_read(putter)

    log_of_two(story)


@pytest.mark.parametrize("how", ["window of none", "close", "lost"])
def test_putter_when_reader_leaves_then_let_go(how: str) -> None:
    async def story(place: Place, putter: Partner, reader: Partner) -> None:
        to = await putter.open("A", mq.MQOO_OUTPUT)
        of = await reader.open("A", INPUT)
        reader.request(of, SIZE, flags=fap.STREAM)
        put(putter, to, 12)
        assert not is_read(putter)
        if how == "window of none":
            reader.request(of, 0, flags=fap.STREAM)
        elif how == "close":
            reader.send_flow(fap.MQCLOSE, {"handle": of, "options": 0})
        else:
            await reader.lose()
        assert is_read(putter)
        put(putter, to, 4)
        assert is_read(putter)

    log_of_two(story)


def test_putter_when_it_leaves_while_held_then_nothing_is_left_of_it() -> None:
    async def story(place: Place, putter: Partner, reader: Partner) -> None:
        to = await putter.open("A", mq.MQOO_OUTPUT)
        of = await reader.open("A", INPUT)
        reader.request(of, SIZE, flags=fap.STREAM)
        put(putter, to, 12)
        assert not is_read(putter)
        await putter.lose()
        reader.request(of, 40 * SIZE, flags=fap.STREAM, received=SIZE, index=1)
        assert taken(reader) == 12
        assert place.depth("A") == 0

    log_of_two(story)


@pytest.mark.parametrize(
    "kind", ["no reader", "browser", "same socket", "persistent", "one by one"]
)
def test_putter_when_nobody_reads_along_then_not_held(kind: str) -> None:
    async def story(place: Place, putter: Partner, reader: Partner) -> None:
        to = await putter.open("A", mq.MQOO_OUTPUT)
        if kind == "browser":
            of = await reader.open("A", INPUT)
            browse = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT
            reader.request(of, SIZE, flags=fap.STREAM, options=browse)
        elif kind == "same socket":
            of = await putter.open("A", INPUT)
            putter.request(of, SIZE, flags=fap.STREAM)
        elif kind in ("persistent", "one by one"):
            of = await reader.open("A", INPUT)
            flags = fap.SYNCHRONOUS if kind == "one by one" else fap.STREAM
            reader.request(of, SIZE, flags=flags, options=mq.MQGMO_WAIT, wait_ms=-1)
        put(putter, to, 16, persistence=int(kind == "persistent"))
        assert is_read(putter)

    log_of_two(story)
