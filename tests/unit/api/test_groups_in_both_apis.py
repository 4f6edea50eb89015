"""Groups in the blocking and the asyncio API: the same order, waits, warnings and figures."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import ternmq
from ternmq import aio
from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from tests.unit.api.faces import FACES, in_loop

pytestmark = pytest.mark.core

ORDER = mq.MQGMO_LOGICAL_ORDER
ALL = mq.MQGMO_ALL_MSGS_AVAILABLE
G = b"G" * 24


def member(number: int, last: int) -> Descriptor:
    flags = mq.MQMF_MSG_IN_GROUP | (mq.MQMF_LAST_MSG_IN_GROUP if number == last else 0)
    return Descriptor(group_id=G, msg_seq_number=number, msg_flags=flags)


@pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())
@in_loop
async def test_group_in_order_then_its_messages_statuses_figures_and_the_warning(
    api: Any,
) -> None:
    async with api.memory("QM1") as qmgr:
        await qmgr.define_queue("A")
        queue = await qmgr.queue("A")
        for number in (3, 1, 2):
            await queue.put(b"%d" % number, descriptor=member(number, 3))
        (figures,) = await queue.groups()
        assert (figures.messages, figures.first, figures.last) == (3, 1, 3)
        assert await queue.groups(incomplete=True) == []
        found = []
        for _ in range(2):
            message = await queue.get(options=ORDER | ALL)
            found.append((message.data, message.group_status, message.warning))
        assert found == [(b"1", "G", 0), (b"2", "G", 0)]
        assert await queue.close() == mq.MQRC_INCOMPLETE_GROUP


async def cancelled_inside_a_group() -> list[bytes]:
    """A get that waits inside a group is cancelled; the group goes on."""
    found = []
    async with aio.memory("QM1") as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            await queue.put(b"1", descriptor=member(1, 3))
            found.append((await queue.get(options=ORDER)).data)
            waiting = asyncio.create_task(queue.get(options=ORDER, wait=30))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            await queue.put(b"3", descriptor=member(3, 3))
            await queue.put(b"2", descriptor=member(2, 3))
            found += [(await queue.get(options=ORDER)).data for _ in range(2)]
            with pytest.raises(ternmq.NoMessage):
                await queue.get(options=ORDER)
    return found


def test_wait_inside_a_group_when_cancelled_then_the_group_goes_on() -> None:
    assert asyncio.run(cancelled_inside_a_group()) == [b"1", b"2", b"3"]
