"""Goal: tasks wait for messages, forces and effects, and the loop for nothing.

Method: several tasks on one queue manager; a disk whose forces the test holds back.
"""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

import ternmq
import ternmq.aio
from ternmq import constants as mq
from tests.unit.api.faces import in_loop
from tests.unit.api.held_disk import HeldDisk, forbid_disk_in_loop

pytestmark = pytest.mark.core


async def settle() -> None:
    """Let every task that is ready come to its next wait."""
    for _ in range(5):
        await asyncio.sleep(0)


@in_loop
async def test_get_when_a_task_puts_then_the_waiting_one_is_served() -> None:
    async with ternmq.aio.memory() as qmgr, qmgr.connect() as other:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue, other.queue("A") as waiting:
            for persistent in (False, True):
                getter = asyncio.create_task(waiting.get(wait=-1))
                await settle()
                await queue.put("for you", persistent=persistent)
                assert (await getter).text == "for you"
            getter = asyncio.create_task(waiting.get(wait=10, correl_id=b"mine"))
            await settle()
            await queue.put("not for you")
            await queue.put("for you", correl_id=b"mine")
            assert (await getter).text == "for you"
            assert [message.text async for message in queue] == ["not for you"]


@in_loop
async def test_get_when_the_unit_of_the_putter_ends_then_served_in_its_own() -> None:
    async with ternmq.aio.memory() as qmgr, qmgr.connect() as other:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue, other.queue("A") as waiting:

            async def work() -> str:
                async with other.unit_of_work():
                    return (await waiting.get(wait=-1)).text

            worker = asyncio.create_task(work())
            await settle()
            async with qmgr.unit_of_work():
                await queue.put("inside", persistent=True)
                await settle()
                assert not worker.done()
            assert await worker == "inside"
            assert await queue.depth() == 0


@in_loop
async def test_wait_when_nothing_comes_then_it_ends_in_time() -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            with pytest.raises(ternmq.NoMessage):
                await queue.get(wait=0.01)
            await queue.put("late")
            assert (await queue.get(wait=0.01)).text == "late"


@in_loop
async def test_waiters_when_there_are_many_then_each_gets_one() -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A")

        async def consumer() -> str:
            async with qmgr.connect() as connection, connection.queue("A") as queue:
                return (await queue.get(wait=-1)).text

        consumers = [asyncio.create_task(consumer()) for _ in range(100)]
        await settle()
        async with qmgr.queue("A") as queue:
            for number in range(100):
                await queue.put(str(number))
            got = await asyncio.gather(*consumers)
            assert sorted(got, key=int) == [str(number) for number in range(100)]
            assert await queue.depth() == 0


@in_loop
async def test_second_task_when_a_verb_is_under_way_then_call_in_progress() -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            getter = asyncio.create_task(queue.get(wait=-1))
            await settle()
            refused = [queue.put("x"), queue.get(), qmgr.begin(), qmgr.commit(), qmgr.disconnect()]
            for verb in refused:
                with pytest.raises(ternmq.MQError) as error:
                    await verb
                assert error.value.reason == mq.MQRC_CALL_IN_PROGRESS
            async with qmgr.connect() as other:
                await other.put("A", "x")
            assert (await getter).text == "x"


@in_loop
async def test_second_task_when_a_unit_of_work_is_open_then_call_in_progress() -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue:
            async with qmgr.unit_of_work():
                for _ in range(2):  # before and after its first change
                    with pytest.raises(ternmq.MQError) as error:
                        await asyncio.create_task(queue.put("theirs"))
                    assert error.value.reason == mq.MQRC_CALL_IN_PROGRESS
                    await queue.put("mine")
            await asyncio.create_task(queue.put("theirs"))
            assert [message.text async for message in queue] == ["mine", "mine", "theirs"]


@in_loop
async def test_stop_when_tasks_wait_then_they_are_notified() -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A")
        other = await qmgr.connect()
        queue = await other.queue("A")
        getters = [asyncio.create_task(queue.get(wait=-1))]
        await settle()
        await qmgr.close()
        for getter in getters:
            with pytest.raises(ternmq.Unavailable) as error:
                await getter
            assert error.value.reason == mq.MQRC_Q_MGR_STOPPING
        assert not other.connected
        await qmgr.close()


@in_loop
async def test_disconnect_when_its_task_has_gone_then_the_waiter_is_notified() -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A")
        with pytest.raises(ZeroDivisionError):  # noqa: PT012
            async with qmgr.connect() as other:
                queue = await other.queue("A")
                getter = asyncio.create_task(queue.get(wait=-1))
                await settle()
                raise ZeroDivisionError
        with pytest.raises(ternmq.MQError) as error:
            await getter
        assert error.value.reason == mq.MQRC_HCONN_ERROR


@in_loop
async def test_puts_when_nothing_has_to_wait_then_the_loop_still_has_its_turns() -> None:
    async with ternmq.aio.memory() as qmgr:
        await qmgr.define_queue("A", max_depth=10_000)
        turns = 0
        ended = False

        async def count() -> None:
            nonlocal turns
            while not ended:
                turns += 1
                await asyncio.sleep(0)

        counter = asyncio.create_task(count())
        async with qmgr.queue("A") as queue:
            for _ in range(1000):
                await queue.put(b"x")
            seen = 0
            async for _ in queue:
                seen += 1
        ended = True
        await counter
        assert seen == 1000
        assert turns >= 10


@in_loop
async def test_puts_when_many_tasks_wait_for_a_force_then_one_does_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = HeldDisk(monkeypatch)
    async with ternmq.aio.embedded(tmp_path, "QM1", create=True) as qmgr:
        await qmgr.define_queue("A")
        loop = asyncio.get_running_loop()
        calls = 0
        real = loop.call_soon_threadsafe

        def counted(*args: object) -> object:
            nonlocal calls
            calls += 1
            return real(*args)  # type: ignore[arg-type]

        connections = [await qmgr.connect() for _ in range(64)]
        queues = [await connection.queue("A") for connection in connections]
        plain = await qmgr.queue("A")
        await plain.put("first")
        before = (await qmgr.log_status()).forces
        disk.hold()
        putters = [asyncio.create_task(queue.put(b"x", persistent=True)) for queue in queues]
        await disk.force_has_begun()
        assert not any(putter.done() for putter in putters)
        await plain.put("non-persistent, waits for nothing")
        monkeypatch.setattr(loop, "call_soon_threadsafe", counted)
        disk.release()
        await asyncio.gather(*putters)
        monkeypatch.undo()
        assert calls <= 2
        assert (await qmgr.log_status()).forces - before <= 2
        async with qmgr.queue("A") as queue:
            assert await queue.depth() == 66


@in_loop
async def test_loop_when_messages_are_forced_swept_and_loaded_then_it_never_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ternmq.aio.embedded(tmp_path, "QM1", create=True, log_file_pages=64) as qmgr:
        await qmgr.define_queue("A", max_depth=100_000, persistent_buffer=64 << 10)
    found = forbid_disk_in_loop(monkeypatch)
    async with ternmq.aio.embedded(tmp_path, "QM1") as qmgr:

        async def work(number: int) -> None:
            async with qmgr.connect() as connection, connection.queue("A") as queue:
                for turn in range(40):
                    async with connection.unit_of_work():
                        await queue.put(bytes(3000), persistent=True, correl_id=b"%d" % number)
                    if turn % 3 == 0:
                        await queue.get(correl_id=b"%d" % number)

        await asyncio.gather(*(work(number) for number in range(8)))
        await qmgr.checkpoint()
        async with qmgr.queue("A") as queue:
            seen = [message async for message in queue.browse()]
            assert len(seen) == 8 * 26
            assert len([message async for message in queue]) == 8 * 26
    async with ternmq.aio.embedded(tmp_path, "QM1") as qmgr, qmgr.queue("A") as queue:
        assert await queue.try_get() is None
    monkeypatch.undo()
    assert found == []


@in_loop
async def test_force_when_it_fails_then_everybody_who_waits_is_notified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = HeldDisk(monkeypatch)
    qmgr = await ternmq.aio.embedded(tmp_path, "QM1", create=True)
    await qmgr.define_queue("A")
    connections = [await qmgr.connect() for _ in range(8)]
    queues = [await connection.queue("A") for connection in connections]
    await queues[0].try_get()
    disk.hold()
    waiting = asyncio.create_task(queues[0].get(wait=-1, correl_id=b"never"))
    putters = [asyncio.create_task(queue.put(b"x", persistent=True)) for queue in queues[1:]]
    await disk.force_has_begun()
    disk.error = OSError(5, "the disk is broken")
    disk.release()
    for task in (waiting, *putters):
        with pytest.raises(ternmq.Unavailable) as error:
            await task
        assert error.value.reason == mq.MQRC_CONNECTION_BROKEN
    await qmgr.close()


@in_loop
async def test_threads_and_tasks_when_they_share_a_queue_manager_then_both_are_served(
    tmp_path: Path,
) -> None:
    each = 50
    with ternmq.embedded(tmp_path, "QM1", create=True) as shared:
        shared.define_queue("A")

        def put_some(number: int) -> None:
            with shared.connect() as connection, connection.queue("A") as queue:
                for turn in range(each):
                    queue.put(f"{number}.{turn}", persistent=turn % 2 == 0)

        async def get_some() -> list[str]:
            async with ternmq.aio.connect(shared) as connection, connection.queue("A") as queue:
                return [(await queue.get(wait=10)).text for _ in range(each)]

        threads = [threading.Thread(target=put_some, args=(number,)) for number in range(4)]
        getters = [asyncio.create_task(get_some()) for _ in range(4)]
        await settle()
        for thread in threads:
            thread.start()
        got = [text for texts in await asyncio.gather(*getters) for text in texts]
        for thread in threads:
            thread.join()
        assert sorted(got) == sorted(f"{n}.{turn}" for n in range(4) for turn in range(each))


def test_queue_manager_when_loops_come_and_go_then_each_has_its_own_side() -> None:
    with ternmq.memory() as shared:
        shared.define_queue("A")

        async def put_one(text: str) -> None:
            async with ternmq.aio.connect(shared) as connection:
                await connection.put("A", text)

        for number in range(5):
            asyncio.run(put_one(str(number)))
        assert len(shared.started.shell.companions) == 1
        with shared.queue("A") as queue:
            assert [message.text for message in queue] == ["0", "1", "2", "3", "4"]


@in_loop
async def test_open_when_awaited_then_it_is_closed_by_hand() -> None:
    qmgr = await ternmq.aio.memory("QM7")
    assert repr(qmgr) == "<QueueManager QM7>"
    await qmgr.define_queue("A")
    queue = await qmgr.queue("A")
    assert repr(queue) == "<Queue A of QM7>"
    await queue.put("x")
    await queue.close()
    await qmgr.close()
    assert not qmgr.connected


@in_loop
async def test_verbs_when_given_to_asyncio_then_they_are_coroutines() -> None:
    async with ternmq.aio.memory() as qmgr, qmgr.connect() as other:
        await qmgr.define_queue("A")
        async with qmgr.queue("A") as queue, other.queue("A") as seen:
            ids = await asyncio.gather(queue.put("one"), seen.put("two"))
            assert len(set(ids)) == 2
            assert (await asyncio.wait_for(queue.get(wait=-1), 10)).text == "one"
            async with asyncio.TaskGroup() as group:
                got = group.create_task(queue.get(wait=-1))
                empty = group.create_task(seen.try_get(wait=0.001))
            assert got.result().text == "two"
            assert empty.result() is None
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(queue.get(wait=-1), 0.01)
            assert await asyncio.wait_for(asyncio.shield(queue.depth()), 10) == 0
