"""Goal: a get by its step, whose task will not take the answer, leaves its message on the queue.

Method: a task that waits without end is given a message, and cancelled or dropped before it runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.host.loop_shell import loop_shell_of
from ternmq.host.tasks import LoopTransport
from ternmq.mqi.getting import get_request
from ternmq.mqi.sharing import NO_BLOCK
from ternmq.runtime.embedded import QueueManager
from ternmq.values.calls import messages, objects
from ternmq.values.get_request import UNLIMITED_LENGTH


@pytest.fixture
def qmgr() -> Iterator[QueueManager]:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("Q")
        yield qmgr


async def endless_get(qmgr: QueueManager) -> tuple[LoopTransport, messages.Get]:
    transport = LoopTransport(loop_shell_of(qmgr.started.shell), "ann", "test", NO_BLOCK)
    opening = objects.Open(ObjectDescriptor(object_name="Q"), mq.MQOO_INPUT_AS_Q_DEF)
    await transport.run(opening)
    gmo = GetOptions(options=mq.MQGMO_WAIT, wait_interval=mq.MQWI_UNLIMITED)
    request = get_request(Descriptor(), gmo, UNLIMITED_LENGTH)
    return transport, messages.Get(opening.opened(), request)


def test_get_as_a_call_when_its_task_is_cancelled_then_the_message_is_back(
    qmgr: QueueManager,
) -> None:
    """The message was given to the waiting get, and its task is cancelled before it goes on."""
    shell = qmgr.started.shell

    async def program() -> None:
        transport, call = await endless_get(qmgr)
        task = asyncio.ensure_future(transport.run(call))
        await asyncio.sleep(0)
        assert len(shell.engine.kernel.waiting) == 1
        qmgr.queue("Q").put(b"kept")
        assert not shell.engine.kernel.waiting
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert call.message is None
        await transport.end(False)

    asyncio.run(program())
    assert [message.data for message in qmgr.queue("Q")] == [b"kept"]


def test_get_as_a_call_when_its_task_is_dropped_then_it_is_an_orphan(qmgr: QueueManager) -> None:
    shell = qmgr.started.shell

    async def program() -> None:
        transport, call = await endless_get(qmgr)
        running = transport.run(call)
        assert running.send(None) is not None
        qmgr.queue("Q").put(b"kept")
        with shell.lock:  # as if the collector ran in the middle of a step
            running.close()
        shell.return_orphans()
        await transport.end(False)

    asyncio.run(program())
    assert [message.data for message in qmgr.queue("Q")] == [b"kept"]
