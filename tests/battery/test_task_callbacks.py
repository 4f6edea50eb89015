"""Goal: callbacks of tasks do what those of threads do, and a cancelled task leaves nothing behind.
Method: queue managers in process, behind the local socket and over TCP, each in a loop that
complains; the callbacks are coroutine functions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import ternmq
import ternmq.aio
from ternmq.base import constants_all as mq
from ternmq.base import reasons as rc
from ternmq.base.errors import MQError
from tests.battery.recorded import CALL_TYPES, numbered
from tests.unit.api import networked, served
from tests.unit.api.faces import in_loop

pytestmark = pytest.mark.core

Opened = Callable[[], Any]
USER_ACTION = mq.MQCS_SUSPENDED_USER_ACTION


@pytest.fixture(params=["memory", "served", "network"])
def opened(request: pytest.FixtureRequest) -> Opened:
    """Opens a queue manager for tasks."""
    openings: dict[str, Opened] = {
        "memory": lambda: ternmq.aio.memory("QM1"),
        "served": lambda: ternmq.aio.Opening(served.for_tasks(served.in_memory("QM1"))),
        "network": lambda: ternmq.aio.Opening(networked.for_tasks(networked.in_memory("QM1"))),
    }
    return openings[request.param]


class Seen:
    """What callbacks were called with."""

    def __init__(self) -> None:
        self.data: list[bytes] = []
        self.calls: list[tuple[str, int, int]] = []
        self._changed = asyncio.Event()

    async def take(self, message: ternmq.Message) -> None:
        await asyncio.sleep(0)
        self.take_at_once(message)

    def take_at_once(self, message: ternmq.Message) -> None:
        self.data.append(message.data)
        self._changed.set()

    def event(self, context: ternmq.CallContext) -> None:
        kind = CALL_TYPES[context.call_type]
        self.calls.append((kind, context.reason, context.state))
        self._changed.set()

    async def until(self, messages: int = 0, calls: int = 0) -> None:
        async with asyncio.timeout(10):
            while len(self.data) < messages or len(self.calls) < calls:
                self._changed.clear()
                await self._changed.wait()


async def prepared(qmgr: Any) -> ternmq.aio.Connection:
    """A connection for callbacks; the queue manager has queues A and B."""
    for name in "AB":
        await qmgr.define_queue(name)
    made: ternmq.aio.Connection = await qmgr.connect()
    return made


async def put_all(qmgr: Any, queue: str, data: list[bytes]) -> None:
    for one in data:
        await qmgr.put(queue, one)


@in_loop
async def test_messages_then_coroutine_functions_get_each_in_order(opened: Opened) -> None:
    async with opened() as qmgr, await prepared(qmgr) as connection:
        seen = Seen()
        await put_all(qmgr, "A", numbered(3))
        async with await connection.queue("A") as queue:
            await queue.on_message(seen.take)
            async with connection.consuming():
                await seen.until(3)
                await put_all(qmgr, "A", [b"3"])
                await seen.until(4)
            assert await queue.depth() == 0
        assert seen.data == numbered(4)


@in_loop
async def test_two_queues_then_both_are_served_and_a_commit_works(opened: Opened) -> None:
    async with opened() as qmgr, await prepared(qmgr) as connection:
        seen = Seen()

        async def take(message: ternmq.Message) -> None:
            await connection.put("SYSTEM.DEFAULT.LOCAL.QUEUE", message.data, syncpoint=True)
            await connection.commit()
            await seen.take(message)

        for name in "AB":
            await (await connection.queue(name)).on_message(take, syncpoint=True)
        await connection.start()
        for number in range(20):
            await put_all(qmgr, "AB"[number % 2], [b"%d" % number])
        await seen.until(20)
        await connection.stop()
        async with await qmgr.queue("SYSTEM.DEFAULT.LOCAL.QUEUE") as answers:
            assert sorted([one.data async for one in answers]) == sorted(numbered(20))


@in_loop
async def test_verb_of_another_task_while_started_then_2500(opened: Opened) -> None:
    async with opened() as qmgr, await prepared(qmgr) as connection:
        seen = Seen()
        queue = await connection.queue("A")
        consumer = await queue.on_message(seen.take)
        await connection.start()
        works = (
            lambda: connection.put("B", b"x"),
            queue.get,
            queue.close,
            connection.commit,
            connection.log_status,
            consumer.suspend,
            consumer.close,
            connection.start,
            connection.resume,
        )
        for work in works:
            with pytest.raises(MQError) as caught:
                await work()
            assert caught.value.reason == rc.MQRC_HCONN_ASYNC_ACTIVE
        await connection.suspend()
        await connection.put("A", b"x")
        await connection.resume()
        await seen.until(1)
        await connection.stop()
        await connection.stop()
        await connection.put("B", b"x")


@in_loop
async def test_start_that_waits_then_stop_by_a_callback_or_another_task_ends_it(
    opened: Opened,
) -> None:
    async with opened() as qmgr, await prepared(qmgr) as connection:
        seen = Seen()

        async def take(message: ternmq.Message) -> None:
            await seen.take(message)
            if message.data == b"stop":
                await connection.stop()
                await connection.put("B", b"still inside")

        await (await connection.queue("A")).on_message(take)
        await put_all(qmgr, "A", [b"0", b"stop", b"2"])
        await connection.start(wait=True)
        assert seen.data == [b"0", b"stop"]
        waiting = asyncio.create_task(connection.start(wait=True))
        await seen.until(3)
        await connection.stop()
        await waiting
        async with await qmgr.queue("B") as other:
            assert await other.depth() == 1


@in_loop
async def test_task_that_is_cancelled_while_it_waits_then_nothing_is_lost(opened: Opened) -> None:
    async with opened() as qmgr, await prepared(qmgr) as connection:
        seen = Seen()
        await (await connection.queue("A")).on_message(seen.take_at_once)
        for number in range(10):
            waiting = asyncio.create_task(connection.start(wait=True))
            await asyncio.sleep(0)
            await put_all(qmgr, "A", [b"%d" % number])
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        await connection.start()
        await seen.until(10)
        await connection.stop()
        assert sorted(seen.data) == numbered(10)


@in_loop
async def test_task_that_is_cancelled_inside_a_callback_then_its_unit_is_backed_out(
    opened: Opened,
) -> None:
    async with opened() as qmgr, await prepared(qmgr) as connection:
        inside = asyncio.Event()

        async def take(message: ternmq.Message) -> None:
            inside.set()
            await asyncio.Event().wait()

        async with await connection.queue("A") as queue:
            await queue.on_message(take, syncpoint=True)
            await put_all(qmgr, "A", [b"x"])
            waiting = asyncio.create_task(connection.start(wait=True))
            await inside.wait()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            again = await queue.get()
            assert (again.data, again.backout_count) == (b"x", 1)


@in_loop
async def test_stop_when_a_callback_is_under_way_then_it_is_not_cancelled(opened: Opened) -> None:
    async with opened() as qmgr, await prepared(qmgr) as connection:
        inside, go_on = asyncio.Event(), asyncio.Event()
        ended: list[str] = []

        async def take(message: ternmq.Message) -> None:
            inside.set()
            await go_on.wait()
            ended.append("callback")

        await (await connection.queue("A")).on_message(take)
        await connection.start()
        await put_all(qmgr, "A", [b"x"])
        await inside.wait()
        stopping = asyncio.create_task(connection.stop())
        for _ in range(10):
            await asyncio.sleep(0)
        assert not stopping.done()
        go_on.set()
        await stopping
        assert ended == ["callback"]


@in_loop
async def test_stop_of_another_task_when_the_callback_starts_again_then_it_stops_all_the_same(
    opened: Opened,
) -> None:
    async with opened() as qmgr, await prepared(qmgr) as connection:
        inside, go_on = asyncio.Event(), asyncio.Event()

        async def take(message: ternmq.Message) -> None:
            inside.set()
            await go_on.wait()
            await connection.start()  # takes back its own stop alone

        await (await connection.queue("A")).on_message(take)
        await connection.start()
        await put_all(qmgr, "A", [b"x"])
        await inside.wait()
        stopping = asyncio.create_task(connection.stop())
        await asyncio.sleep(0)
        go_on.set()
        async with asyncio.timeout(10):
            await stopping


@in_loop
async def test_callback_that_raises_then_backed_out_and_raised_by_stop(opened: Opened) -> None:
    async with opened() as qmgr, await prepared(qmgr) as connection:
        seen = Seen()

        async def fail(message: ternmq.Message) -> None:
            await seen.take(message)
            raise ZeroDivisionError

        queue = await connection.queue("A")
        consumer = await queue.on_message(fail, syncpoint=True)
        await put_all(qmgr, "A", [b"x"])
        await connection.start()
        await seen.until(1)
        with pytest.raises(ZeroDivisionError):
            await connection.stop()
        assert consumer.state == USER_ACTION
        again = await queue.get()
        assert (again.data, again.backout_count) == (b"x", 1)


@in_loop
async def test_events_then_the_functions_hear_of_them(opened: Opened) -> None:
    async with opened() as qmgr, await prepared(qmgr) as connection:
        seen, of_connection = Seen(), Seen()
        every = mq.MQCBDO_REGISTER_CALL | mq.MQCBDO_START_CALL
        every |= mq.MQCBDO_STOP_CALL | mq.MQCBDO_DEREGISTER_CALL

        async def event(context: ternmq.CallContext) -> None:
            await asyncio.sleep(0)
            seen.event(context)

        await connection.on_event(of_connection.event)
        async with await connection.queue("A") as queue:
            await queue.on_message(seen.take, on_event=event, callback_options=every)
            await connection.start()
            async with await qmgr.queue("A") as other:
                await other.set({mq.MQIA_INHIBIT_GET: mq.MQQA_GET_INHIBITED})
                await seen.until(0, 3)
                await other.set({mq.MQIA_INHIBIT_GET: mq.MQQA_GET_ALLOWED})
                await seen.until(0, 4)
            await connection.stop()
        assert seen.calls == [
            ("REGISTER_CALL", 0, 0),
            ("START_CALL", 0, 0),
            ("EVENT_CALL", rc.MQRC_GET_INHIBITED, mq.MQCS_SUSPENDED_TEMPORARY),
            ("EVENT_CALL", rc.MQRC_GET_ENABLED, 0),
            ("STOP_CALL", 0, 0),
            ("DEREGISTER_CALL", 0, 0),
        ]
        assert of_connection.calls == []


@in_loop
async def test_connection_ended_inside_a_callback_then_no_more_calls(opened: Opened) -> None:
    async with opened() as qmgr, await prepared(qmgr) as connection:
        seen = Seen()

        async def take(message: ternmq.Message) -> None:
            await connection.disconnect()
            await seen.take(message)

        await (await connection.queue("A")).on_message(take)
        await put_all(qmgr, "A", numbered(2))
        await connection.start(wait=True)
        assert seen.data == [b"0"]
        assert not connection.connected
