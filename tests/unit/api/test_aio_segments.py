"""Goal: tasks put and get split messages as threads do, and one that is cancelled leaves nothing
half done.

Method: a queue manager in memory, messages of so many segments that they take several steps.
"""

from __future__ import annotations

import asyncio

import pytest

import ternmq
import ternmq.aio
from ternmq import constants as mq
from tests.battery.test_segments import allowed, body
from tests.unit.api.faces import in_loop
from tests.unit.api.test_aio_cancel import cancelled, set_aside

pytestmark = pytest.mark.core

COMPLETE = mq.MQGMO_COMPLETE_MSG
SEGMENTS = 2000
DATA = body(16 * SEGMENTS)


async def depth(queue: ternmq.aio.Queue) -> int:
    return int((await queue.inquire(mq.MQIA_CURRENT_Q_DEPTH))[0])


@in_loop
async def test_task_puts_and_gets_a_split_message_then_others_have_their_turn() -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A", max_message_length=16)
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        counter = asyncio.create_task(count())
        async with qmgr.queue("A") as queue:
            await queue.put(DATA, descriptor=allowed(), persistent=True)
            assert turns > SEGMENTS // 256 - 1
            message = await queue.get(options=COMPLETE)
            assert message.data == DATA
            assert await depth(queue) == 0
        await cancelled(counter)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("pauses", [1, 3])
@in_loop
async def test_put_of_a_task_when_cancelled_between_steps_then_nothing_is_put(
    pauses: int, persistent: bool
) -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A", max_message_length=16)
        async with qmgr.queue("A") as queue:
            await queue.put(b"x")
            before = set_aside(qmgr)
            put = queue.put(DATA, descriptor=allowed(), persistent=persistent)
            task = asyncio.ensure_future(put)
            for _ in range(pauses):
                await asyncio.sleep(0)
            await cancelled(task)
            assert await depth(queue) == 1
            assert set_aside(qmgr) == before


@pytest.mark.parametrize("pauses", [1, 3])
@in_loop
async def test_get_of_a_task_when_cancelled_between_steps_then_the_message_is_whole(
    pauses: int,
) -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A", max_message_length=16)
        async with qmgr.queue("A") as queue:
            await queue.put(DATA, descriptor=allowed(), persistent=True)
            before = set_aside(qmgr)
            task = asyncio.ensure_future(queue.get(options=COMPLETE))
            for _ in range(pauses):
                await asyncio.sleep(0)
            await cancelled(task)
            assert await depth(queue) == SEGMENTS
            assert set_aside(qmgr) == before
            message = await queue.get(options=COMPLETE)
            assert (message.data, message.backout_count) == (DATA, 0)


@in_loop
async def test_group_of_a_task_then_its_messages_are_numbered() -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            async with queue.group() as group:
                await group.put("head")
                await group.put("total", last=True)
            order = mq.MQGMO_LOGICAL_ORDER | mq.MQGMO_ALL_MSGS_AVAILABLE
            first, second = await queue.get(options=order), await queue.get(options=order)
            assert [first.text, second.text] == ["head", "total"]
            assert first.group_id == second.group_id == group.group_id
