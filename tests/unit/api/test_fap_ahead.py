"""Goal: our own clients lose no persistent message by read-ahead, and wait for none that is there.

Method: a queue with both kinds of messages; who reads ahead takes one and goes, orderly or not, or
waits while messages come that another getter may take first.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest

import ternmq
from ternmq.api.queue import Queue
from ternmq.base import constants as mq
from tests.battery.places import until, waiters
from tests.unit.api.networked import Networked, in_memory

pytestmark = pytest.mark.core

AHEAD = mq.MQOO_INPUT_SHARED | mq.MQOO_READ_AHEAD
MIXED = (b"n0", b"p1", b"n2", b"p3", b"p4", b"n5")


@pytest.fixture
def served() -> Iterator[Networked]:
    """A queue manager with a queue A."""
    served = in_memory()
    with served:
        with served.connect() as connection:
            connection.define_queue("A")
        yield served


def put(served: Networked, *texts: bytes) -> None:
    with served.connect() as connection, connection.queue("A") as queue:
        for text in texts:
            queue.put(text, persistent=text.startswith(b"p"))


def left(served: Networked) -> list[bytes]:
    with served.connect() as connection, connection.queue("A") as queue:
        return [message.data for message in queue]


def test_close_when_a_persistent_message_is_next_then_it_stays(served: Networked) -> None:
    put(served, *MIXED)
    with served.connect() as connection, connection.queue("A", options=AHEAD) as ahead:
        assert ahead.get(wait=5).data == b"n0"
    assert left(served) == list(MIXED[1:])


def test_lost_connection_when_a_persistent_message_is_next_then_it_stays(
    served: Networked,
) -> None:
    put(served, *MIXED)
    connection = served.connect()
    ahead = connection.queue("A", options=AHEAD)
    assert ahead.get(wait=5).data == b"n0"
    served.cut()
    with pytest.raises(ternmq.MQError):
        connection.disconnect()
    assert left(served) == list(MIXED[1:])


@pytest.mark.parametrize("wait", [0, 5])
def test_gets_then_all_messages_come_in_order(served: Networked, wait: float) -> None:
    put(served, *MIXED)
    with served.connect() as connection, connection.queue("A", options=AHEAD) as ahead:
        assert [ahead.get(wait=wait).data for _ in MIXED] == list(MIXED)
        assert ahead.try_get(wait=0.01) is None


class Getter(threading.Thread):
    """A get that waits."""

    def __init__(self, queue: Queue) -> None:
        super().__init__()
        self.queue = queue
        self.found = b""
        self.start()

    def run(self) -> None:
        self.found = self.queue.get(wait=60).data


def test_get_that_waits_when_messages_come_then_it_has_each_at_once(served: Networked) -> None:
    with served.connect() as connection, connection.queue("A", options=AHEAD) as ahead:
        for text in (b"p0", b"n1", b"p2", b"p3", b"n4"):
            assert ahead.try_get(wait=0.01) is None
            getter = Getter(ahead)
            until(lambda: waiters(served) == 1)  # type: ignore[arg-type]
            begun_s = time.monotonic()
            put(served, text)
            getter.join()
            assert getter.found == text
            assert time.monotonic() - begun_s < 30


def test_task_that_waits_when_another_takes_its_message_then_it_waits_on(
    served: Networked,
) -> None:
    async def main() -> None:
        async with (
            served.connect_task() as connection,
            connection.queue("A", options=AHEAD) as ahead,
            served.connect_task() as other,
            other.queue("A") as rival,
        ):
            getting = asyncio.ensure_future(ahead.get(wait=60))
            for number in range(20):
                await rival.put(b"p%d" % number, persistent=True)
                await rival.try_get(wait=0)  # one of both has it
                if getting.done():
                    getting = asyncio.ensure_future(ahead.get(wait=60))
            await rival.put(b"last", persistent=True)
            while (await getting).data != b"last":
                getting = asyncio.ensure_future(ahead.get(wait=60))

    asyncio.run(main())


def test_task_when_its_get_was_cancelled_then_no_persistent_message_comes_to_it(
    served: Networked,
) -> None:
    async def main() -> None:
        async with served.connect_task() as connection:
            ahead = await connection.queue("A", options=AHEAD)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(ahead.get(wait=60), 0.05)
            await asyncio.to_thread(put, served, b"p0", b"n1")
            await ahead.close()

    asyncio.run(main())
    assert left(served) == [b"p0", b"n1"]


# ---- buffers


@pytest.mark.parametrize("wait", [0, 5])
@pytest.mark.parametrize("text", [b"n" * 95, b"p" * 95])
def test_get_when_its_buffer_is_too_short_then_2080_and_a_longer_one_has_it(
    served: Networked, text: bytes, wait: int
) -> None:
    """What was read ahead, and what was not because it is persistent."""
    put(served, text, text, b"n")
    with served.connect() as connection, connection.queue("A", options=AHEAD) as ahead:
        for limit in (0, 50, 94):
            with pytest.raises(ternmq.MQError) as caught:
                ahead.get(wait=wait, max_length=limit)
            assert caught.value.reason == 2080
            shown = caught.value.result
            assert (shown.data, shown.length, shown.truncated) == (text[:limit], 95, True)
        assert ahead.get(wait=5, max_length=95).data == text
        options = mq.MQGMO_ACCEPT_TRUNCATED_MSG
        cut = ahead.get(wait=5, max_length=10, options=options)
        assert (cut.data, cut.length, cut.truncated) == (text[:10], 95, True)
        assert ahead.get(wait=5).data == b"n"
    assert left(served) == []


def test_close_when_a_message_was_too_long_then_it_stays(served: Networked) -> None:
    put(served, b"n" * 95, b"n2")
    with (
        served.connect() as connection,
        connection.queue("A", options=AHEAD) as ahead,
        pytest.raises(ternmq.MQError),
    ):
        ahead.get(wait=5, max_length=5)
    assert left(served) == [b"n" * 95, b"n2"]


def test_tasks_when_a_buffer_is_too_short_then_2080_and_a_longer_one_has_it(
    served: Networked,
) -> None:
    put(served, b"n1", b"n" * 95, b"n3")

    async def go() -> list[bytes]:
        async with (
            served.connect_task() as connection,
            connection.queue("A", options=AHEAD) as ahead,
        ):
            found = [(await ahead.get(wait=5)).data]
            with pytest.raises(ternmq.MQError) as caught:
                await ahead.get(wait=5, max_length=50)
            assert caught.value.reason == 2080
            found.append((await ahead.get(wait=5)).data)
            return [*found, (await ahead.get(wait=5, max_length=2)).data]

    assert asyncio.run(go()) == [b"n1", b"n" * 95, b"n3"]


@pytest.mark.parametrize("wait", [0, 5])
@pytest.mark.parametrize("kind", [b"n", b"p"])
def test_get_that_accepts_a_part_when_the_channel_is_too_short_then_it_comes_once(
    served: Networked, kind: bytes, wait: int
) -> None:
    """The first get, which accepts none, has read it ahead."""
    long = kind * 60_000
    put(served, b"n1", long, b"n3", long, b"n5")
    options = mq.MQGMO_ACCEPT_TRUNCATED_MSG
    with (
        served.connect(channel="SHORT.SVRCONN") as connection,
        connection.queue("A", options=AHEAD) as ahead,
    ):
        assert ahead.get(wait=5).data == b"n1"
        found = [ahead.get(wait=wait, options=options) for _ in range(4)]
        assert [one.data for one in found] == [long[:50_000], b"n3", long[:50_000], b"n5"]
        assert [one.length for one in found] == [60_000, 2, 60_000, 2]
        assert ahead.try_get(options=options) is None
    assert left(served) == []


@pytest.mark.parametrize("kind", [b"n", b"p"])
def test_get_that_accepts_no_part_when_one_before_did_then_a_long_message_stays(
    served: Networked, kind: bytes
) -> None:
    long = kind * 60_000
    put(served, b"n1", long)
    with (
        served.connect(channel="SHORT.SVRCONN") as connection,
        connection.queue("A", options=AHEAD) as ahead,
    ):
        assert ahead.get(wait=5, options=mq.MQGMO_ACCEPT_TRUNCATED_MSG).data == b"n1"
        with pytest.raises(ternmq.Truncated):
            ahead.get(wait=5)
    assert left(served) == [long]


@pytest.mark.parametrize(
    "options",
    [mq.MQGMO_PROPERTIES_FORCE_MQRFH2, mq.MQGMO_NO_PROPERTIES, mq.MQGMO_CONVERT],
)
def test_get_when_its_options_want_another_form_than_was_read_ahead_then_2457(
    served: Networked, options: int
) -> None:
    put(served, b"n1", b"n2", b"n3")
    with served.connect() as connection, connection.queue("A", options=AHEAD) as ahead:
        assert ahead.get(wait=5).data == b"n1"
        assert ahead.get(wait=5).data == b"n2"  # and the third one is here
        for _ in range(2):
            with pytest.raises(ternmq.MQError) as caught:
                ahead.get(wait=5, options=options)
            assert caught.value.reason == 2457
        assert ahead.get(wait=5).data == b"n3"


def test_get_when_its_options_change_and_nothing_is_here_then_it_has_its_form(
    served: Networked,
) -> None:
    with served.connect() as connection, connection.queue("A", options=AHEAD) as ahead:
        assert ahead.try_get(wait=0.01) is None
        ahead.put("text", properties={"colour": "red"})
        message = ahead.get(wait=5, options=mq.MQGMO_PROPERTIES_FORCE_MQRFH2)
        assert message.data[:4] == b"RFH "
    assert left(served) == []
