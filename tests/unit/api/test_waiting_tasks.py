"""Goal: asyncio.wait_for around a verb is the verb of the task that waits, on every Python; a task
that a program makes itself is another. Method: units of work in process and over the network.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

import ternmq
import ternmq.aio
from ternmq.base.reasons import MQRC_CALL_IN_PROGRESS
from tests.unit.api.networked import in_memory

pytestmark = pytest.mark.core

Story = Callable[[ternmq.aio.Connection], Awaitable[None]]


async def in_process(story: Story) -> None:
    async with ternmq.aio.memory("QM1") as manager:
        await manager.define_queue("Q")
        async with await manager.connect() as connection:
            await story(connection)


async def by_network(story: Story) -> None:
    with in_memory() as served:
        async with served.connect_task() as connection:
            await connection.define_queue("Q")
            await story(connection)


BINDINGS = pytest.mark.parametrize("binding", [in_process, by_network])


async def unit_with_waits(connection: ternmq.aio.Connection) -> None:
    async with connection.queue("Q") as queue:
        for _ in range(2):
            await connection.begin()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(queue.get(wait=30.0), 0.02)
            await queue.put("x")
            await connection.commit()
            await connection.begin()
            inner = asyncio.wait_for(queue.get(wait=30.0), 10.0)
            assert (await asyncio.wait_for(inner, 10.0)).text == "x"
            await asyncio.wait_for(connection.backout(), 10.0)
            await asyncio.wait_for(connection.begin(), 10.0)
            assert (await queue.get()).text == "x"
            await connection.commit()


async def other_task_in_a_unit(connection: ternmq.aio.Connection) -> None:
    async with connection.queue("Q") as queue:
        await connection.begin()
        await queue.put("x")
        other = asyncio.get_running_loop().create_task(queue.put("y"))
        with pytest.raises(ternmq.MQError) as refused:
            await other
        assert refused.value.reason == MQRC_CALL_IN_PROGRESS
        await connection.backout()


@BINDINGS
def test_wait_for_in_a_unit_then_the_verb_is_the_waiting_tasks(
    binding: Callable[[Story], Awaitable[None]],
) -> None:
    async def play() -> None:
        await binding(unit_with_waits)

    asyncio.run(play())


@BINDINGS
def test_task_of_its_own_in_a_unit_then_still_refused(
    binding: Callable[[Story], Awaitable[None]],
) -> None:
    async def play() -> None:
        await binding(other_task_in_a_unit)

    asyncio.run(play())
