"""Goal: an embedded queue manager, for threads and for tasks, converts with functions that its
program registers, outside the engine's lock.

Method: an exit that uses the queue manager itself, which a lock that is held would not let it.
"""

from __future__ import annotations

import asyncio
import threading

import pytest

import ternmq
import ternmq.aio
from ternmq import constants as mq

HOST = ternmq.Descriptor(format="MYFMT", ccsid=500, encoding=273)


def text(mqdxp: ternmq.ExitParameters) -> bytes:
    return mqdxp.text(mqdxp.data)


def test_exit_when_registered_then_gets_use_it_until_it_is_removed() -> None:
    with ternmq.memory() as qmgr:
        qmgr.define_queue("A")
        qmgr.register_conversion("MYFMT", text)
        with qmgr.queue("A") as queue:
            for _ in range(2):
                queue.put(b"\xc1", descriptor=HOST)
            assert queue.get(options=mq.MQGMO_CONVERT).data == b"A"
            qmgr.register_conversion("MYFMT", None)
            message = queue.get(options=mq.MQGMO_CONVERT)
    assert (message.data, message.warning) == (b"\xc1", mq.MQRC_FORMAT_ERROR)


def test_exit_when_it_runs_then_the_engine_is_not_locked() -> None:
    with ternmq.memory() as qmgr:
        qmgr.define_queue("A")
        depths: list[int] = []

        def exit(mqdxp: ternmq.ExitParameters) -> bytes:
            def look() -> None:
                with qmgr.connect() as other, other.queue("A") as queue:
                    depths.append(queue.depth)

            thread = threading.Thread(target=look)
            thread.start()
            thread.join(10)
            return b"made"

        qmgr.register_conversion("MYFMT", exit)
        with qmgr.queue("A") as queue:
            queue.put(b"\xc1", descriptor=HOST)
            assert queue.get(options=mq.MQGMO_CONVERT).data == b"made"
    assert depths == [0]


def test_tasks_when_an_exit_is_registered_then_gets_use_it() -> None:
    async def run() -> None:
        async with ternmq.aio.memory() as qmgr:
            await qmgr.define_queue("A")
            qmgr.register_conversion("MYFMT", text)
            async with qmgr.queue("A") as queue:
                queue.convert_to(37, 273)
                await queue.put("A")
                assert (await queue.get(options=mq.MQGMO_CONVERT)).data == b"\xc1"
                queue.convert_to(0)
                await queue.put(b"\xc1", descriptor=HOST)
                message = await queue.get(options=mq.MQGMO_CONVERT)
                assert (message.data, message.warning) == (b"A", 0)

    asyncio.run(run())


@pytest.mark.parametrize("name", ["", "NINECHARS", "A B", "Ä"])
def test_format_when_it_is_not_a_name_then_it_is_refused(name: str) -> None:
    with ternmq.memory() as qmgr, pytest.raises(ternmq.FormatError, match="name of a format"):
        qmgr.register_conversion(name, text)
