"""Goal: a task that is cancelled loses no message, at whatever moment it happens.

Method: cancel while the get waits, in the instant in which it is served, while it waits for its
force, inside and outside units of work; then look where the message is, also after a restart.
"""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

import ternmq
import ternmq.aio
from ternmq import constants as mq
from tests.mqi import link_of
from tests.unit.api.faces import in_loop
from tests.unit.api.held_disk import HeldDisk

pytestmark = pytest.mark.core


async def settle() -> None:
    """Let every task that is ready come to its next wait."""
    for _ in range(5):
        await asyncio.sleep(0)


async def cancelled(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def set_aside(qmgr: ternmq.aio.QueueManager) -> int:
    """Log space for units of work and for gets that may be taken back."""
    return qmgr.started.shell.engine.coordinator.space.reserved


@in_loop
async def test_get_when_cancelled_while_it_waits_then_it_is_no_waiter_any_more() -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            await cancelled(await started(queue.get(wait=-1)))
            await cancelled(await started(queue.get(wait=60, correl_id=b"mine")))
            await queue.put("one", correl_id=b"mine")
            assert await queue.depth() == 1
            assert (await queue.get()).text == "one"


@in_loop
async def test_consume_in_syncpoint_when_cancelled_while_it_waits_then_no_unit_is_left() -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            before = set_aside(qmgr)
            messages = queue.consume(syncpoint=True)
            await cancelled(await started(messages.__anext__()))
            assert not qmgr.in_unit
            await queue.put("one")
            assert (await messages.__anext__()).text == "one"
            await qmgr.commit()
            assert set_aside(qmgr) == before


async def started(verb: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    task = asyncio.create_task(verb)
    await settle()
    return task


@pytest.mark.parametrize("persistent", [False, True])
@in_loop
async def test_get_when_cancelled_in_the_instant_of_the_put_then_the_message_is_back(
    persistent: bool,
) -> None:
    async with ternmq.aio.memory() as qmgr, qmgr.connect() as other:
        await qmgr.define_queue("A")
        before = set_aside(qmgr)
        async with qmgr.queue("A") as queue, other.queue("A") as waiting:
            getter = await started(waiting.get(wait=-1))
            msg_id = await queue.put("handed over", persistent=persistent)
            assert await queue.depth() == 0
            await cancelled(getter)
            assert await queue.depth() == 1
            await queue.put("later", persistent=persistent)
            message = await waiting.get()
            assert (message.text, message.msg_id) == ("handed over", msg_id)
            assert (message.backout_count, message.persistent) == (0, persistent)
            assert (await waiting.get()).text == "later"
            assert set_aside(qmgr) == before


@pytest.mark.parametrize("persistent", [False, True])
@in_loop
async def test_get_when_cancelled_in_the_instant_of_a_commit_then_the_message_is_back(
    persistent: bool,
) -> None:
    async with ternmq.aio.memory() as qmgr, qmgr.connect() as other:
        await qmgr.define_queue("A")
        before = set_aside(qmgr)
        async with qmgr.queue("A") as queue, other.queue("A") as waiting:
            getter = await started(waiting.get(wait=-1))
            async with qmgr.unit_of_work():
                await queue.put("first", persistent=persistent)
                await queue.put("second", persistent=persistent)
            await cancelled(getter)
            assert [message.text async for message in queue] == ["first", "second"]
            assert set_aside(qmgr) == before


@in_loop
async def test_get_when_cancelled_and_another_waits_then_that_one_gets_the_message() -> None:
    async with ternmq.aio.memory() as qmgr, qmgr.connect() as one, qmgr.connect() as two:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue, one.queue("A") as first, two.queue("A") as second:
            tasks = [await started(first.get(wait=-1)), await started(second.get(wait=-1))]
            await queue.put("for one of you", persistent=True)
            await settle()
            [done] = [task for task in tasks if task.done()]
            [left] = [task for task in tasks if not task.done()]
            assert (await done).text == "for one of you"
            again = await started((first if done is tasks[0] else second).get(wait=-1))
            await queue.put("next", persistent=True)  # the newest waiter has it, and not yet run
            await cancelled(again)
            assert (await left).text == "next"
            assert await queue.depth() == 0


@pytest.mark.parametrize("persistent", [False, True])
@in_loop
async def test_get_when_cancelled_in_a_unit_that_goes_on_then_its_commit_takes_nothing(
    persistent: bool,
) -> None:
    async with ternmq.aio.memory() as qmgr, qmgr.connect() as other:
        await qmgr.define_queue("A")
        before = set_aside(qmgr)
        async with qmgr.queue("A") as queue, other.queue("A") as waiting:
            await queue.put("before", persistent=persistent)

            async def work() -> None:
                async with other.unit_of_work():
                    assert (await waiting.get()).text == "before"
                    try:
                        await waiting.get(wait=-1)
                    except asyncio.CancelledError:
                        await waiting.put("instead", persistent=persistent)

            worker = await started(work())
            await queue.put("never seen", persistent=persistent)
            worker.cancel()
            await worker
            found = [message async for message in queue]
            assert [message.text for message in found] == ["never seen", "instead"]
            assert found[0].backout_count == 0
            assert set_aside(qmgr) == before


@in_loop
async def test_unit_when_its_task_is_cancelled_then_it_is_backed_out() -> None:
    async with ternmq.aio.memory() as qmgr, qmgr.connect() as other:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue, other.queue("A") as waiting:
            await queue.put("one", persistent=True)

            async def work() -> None:
                async with other.unit_of_work():
                    await waiting.get()
                    await waiting.put("two", persistent=True)
                    await waiting.get(wait=-1, correl_id=b"nobody puts it")

            await cancelled(await started(work()))
            [message] = [message async for message in queue]
            assert (message.text, message.backout_count) == ("one", 1)
            assert not other.in_unit
            await asyncio.create_task(waiting.put("others may use the connection"))


@in_loop
async def test_timeout_when_a_message_comes_with_it_then_it_is_got_or_there() -> None:
    async with ternmq.aio.memory() as qmgr, qmgr.connect() as other:
        await qmgr.define_queue("A")
        got = 0
        async with qmgr.queue("A") as queue, other.queue("A") as waiting:
            for turn in range(50):

                async def get_in_time() -> int:
                    try:
                        async with asyncio.timeout(0.001):
                            await waiting.get(wait=-1)
                    except TimeoutError:
                        return 0
                    return 1

                getter = asyncio.create_task(get_in_time())
                if turn % 2:
                    await asyncio.sleep(0)
                await queue.put("x", persistent=turn % 3 == 0)
                got += await getter
            assert got + await queue.depth() == 50


@in_loop
async def test_get_when_cancelled_while_it_is_forced_then_the_message_outlives_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = HeldDisk(monkeypatch)
    async with ternmq.aio.embedded(tmp_path, "QM1", create=True) as qmgr:
        await qmgr.define_queue("A")
        before = set_aside(qmgr)
        other = await qmgr.connect()
        async with qmgr.queue("A") as queue, other.queue("A") as waiting:
            await queue.put("first", persistent=True)
            await queue.put("second", persistent=True)
            await waiting.try_get(correl_id=b"none")
            disk.hold()
            getter = asyncio.create_task(waiting.get())
            await disk.force_has_begun()
            await cancelled(getter)
            getter = asyncio.create_task(waiting.get(correl_id=b"handed over", wait=-1))
            putter = asyncio.create_task(
                queue.put("third", persistent=True, correl_id=b"handed over")
            )
            await settle()
            await cancelled(getter)
            disk.release()
            await putter
            assert await queue.depth() == 3
            assert set_aside(qmgr) == before
    async with ternmq.aio.embedded(tmp_path, "QM1") as qmgr, qmgr.queue("A") as queue:
        assert [message.text async for message in queue] == ["first", "second", "third"]


@in_loop
async def test_put_when_cancelled_while_it_is_forced_then_it_is_there_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = HeldDisk(monkeypatch)
    async with ternmq.aio.embedded(tmp_path, "QM1", create=True) as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            await queue.put("first", persistent=True)
            disk.hold()
            putter = asyncio.create_task(queue.put("second", persistent=True))
            await disk.force_has_begun()
            await cancelled(putter)
            disk.release()
            await queue.put("third", persistent=True)
            assert [message.text async for message in queue] == ["first", "second", "third"]


@in_loop
async def test_commit_when_cancelled_while_it_is_forced_then_it_has_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = HeldDisk(monkeypatch)
    async with ternmq.aio.embedded(tmp_path, "QM1", create=True) as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:

            async def work() -> None:
                async with qmgr.unit_of_work():
                    await queue.put("one", persistent=True)
                    disk.hold()

            worker = asyncio.create_task(work())
            await disk.force_has_begun()
            await cancelled(worker)
            assert not qmgr.in_unit
            disk.release()
            assert [message.text async for message in queue] == ["one"]


@in_loop
async def test_open_when_cancelled_while_it_is_forced_then_no_handle_and_no_queue_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = HeldDisk(monkeypatch)
    async with ternmq.aio.embedded(tmp_path, "QM1", create=True) as qmgr:
        await qmgr.define_model("MODEL", definition_type="PERMDYN")

        async def work() -> None:
            async with qmgr.queue("MODEL", dynamic_name="MINE.*"):
                pass

        disk.hold()
        worker = asyncio.create_task(work())
        await disk.force_has_begun()
        await cancelled(worker)
        disk.release()
        assert link_of(qmgr).handles == {}
        assert [name for name in await qmgr.queue_names() if name.startswith("MINE.")] == []


@in_loop
async def test_start_when_cancelled_then_the_folder_is_free(tmp_path: Path) -> None:
    async def start() -> None:
        async with ternmq.aio.embedded(tmp_path, "QM1", create=True):
            pass

    for turns in range(3):
        task = asyncio.create_task(start())
        for _ in range(turns):
            await asyncio.sleep(0)
        await cancelled(task)
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr:
        assert qmgr.connected


@in_loop
async def test_close_when_cancelled_then_it_is_closed(tmp_path: Path) -> None:
    qmgr = await ternmq.aio.embedded(tmp_path, "QM1", create=True)
    closing = await started(qmgr.close())
    await cancelled(closing)
    async with ternmq.aio.embedded(tmp_path, "QM1") as again:
        assert again.connected


@in_loop
async def test_close_when_gets_are_forced_then_they_are_answered_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = HeldDisk(monkeypatch)
    qmgr = await ternmq.aio.embedded(tmp_path, "QM1", create=True)
    await qmgr.define_queue("A")
    other = await qmgr.connect()
    queue = await other.queue("A")
    await queue.put("first", persistent=True)
    await queue.try_get(correl_id=b"none")
    disk.hold()
    getter = asyncio.create_task(queue.get())
    await disk.force_has_begun()
    closing = await started(qmgr.close())
    assert not closing.done()
    disk.release()
    assert (await getter).text == "first"
    await closing


def test_loop_when_closed_with_a_waiter_then_its_message_goes_back() -> None:
    with ternmq.memory() as shared:
        shared.define_queue("A")
        loop = asyncio.new_event_loop()

        async def wait() -> None:
            connection = await ternmq.aio.connect(shared)
            queue = await connection.queue("A")
            await queue.get(wait=-1)

        task = loop.create_task(wait())
        for _ in range(5):
            loop.run_until_complete(asyncio.sleep(0))
        loop.close()
        with shared.queue("A") as queue:
            queue.put("nobody is there", persistent=True)
            shared.started.shell.return_orphans()
            assert queue.get().text == "nobody is there"
            thread = threading.Thread(target=lambda: shared.put("A", "from another thread"))
            thread.start()
            thread.join()
            shared.started.shell.return_orphans()
            assert queue.get(wait=5).text == "from another thread"
        assert not task.done()
        task._log_destroy_pending = False  # type: ignore[attr-defined]
        del task
        gc.collect()


def test_coroutine_when_dropped_while_it_waits_then_it_is_no_waiter_any_more() -> None:
    with ternmq.memory() as shared:
        shared.define_queue("A")

        async def drop() -> None:
            connection = await ternmq.aio.connect(shared)
            queue = await connection.queue("A")
            await queue.try_get()
            get = queue.get(wait=-1)
            asyncio.current_task()
            future = get.send(None)
            assert isinstance(future, asyncio.Future)
            get.close()
            shared.started.shell.return_orphans()
            shared.put("A", "still here")
            assert await queue.depth() == 1
            assert (await queue.get()).text == "still here"

        asyncio.run(drop())


@in_loop
async def test_second_cancel_when_a_backout_is_under_way_then_it_goes_to_its_end() -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A")
        other = await qmgr.connect()
        filled = asyncio.Event()
        async with qmgr.queue("A") as queue, other.queue("A") as filling:

            async def work() -> None:
                async with other.unit_of_work():
                    for number in range(1000):
                        await filling.put(str(number), persistent=True)
                    filled.set()
                    await filling.get(wait=-1, correl_id=b"never")

            worker = asyncio.create_task(work())
            await filled.wait()
            await settle()
            worker.cancel()
            await asyncio.sleep(0)
            assert not worker.done()
            await cancelled(worker)
            assert await queue.depth() == 0
            with pytest.raises(ternmq.NoMessage) as none:
                await queue.get()
            assert none.value.reason == mq.MQRC_NO_MSG_AVAILABLE
