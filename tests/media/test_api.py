"""Media recovery as programs use it: in a real folder, from threads that work meanwhile, and from
tasks."""

from __future__ import annotations

import asyncio
import shutil
import threading
from pathlib import Path

import pytest

import ternmq
from ternmq import aio
from tests.battery.places import Task, until

pytestmark = [pytest.mark.core, pytest.mark.promise("P7"), pytest.mark.timeout(60)]


def new(folder: Path, name: str = "QM1") -> ternmq.QueueManager:
    return ternmq.embedded(folder, name, create=True, log_type="linear", log_file_pages=64)


def lose(folder: Path, queue: str) -> None:
    for place in (folder / "qmgrs" / "QM1" / "queues").glob(f"{queue}~*"):
        shutil.rmtree(place)


class Worker(threading.Thread):
    """Puts and gets on its own queue, in units of work, until it is told to end."""

    def __init__(self, qmgr: ternmq.QueueManager, name: str) -> None:
        super().__init__(daemon=True)
        self.connection = qmgr.connect()
        self.name = name
        self.rounds = 0
        self.ending = False
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            with self.connection, self.connection.queue(self.name) as queue:
                while not self.ending:
                    with self.connection.unit_of_work():
                        queue.put(f"{self.rounds}", persistent=True)
                        queue.put(f"{self.rounds}", persistent=False)
                    with self.connection.unit_of_work():
                        assert [queue.get().text, queue.get().text] == [f"{self.rounds}"] * 2
                    self.rounds += 1
        except Exception as error:
            self.error = error


def test_queue_re_created_while_threads_work(tmp_path: Path) -> None:
    with new(tmp_path) as qmgr:
        for name in ("A", "W0", "W1", "W2"):
            qmgr.define_queue(name, max_depth=100_000, persistent_buffer=65_536)
        workers = [Worker(qmgr, f"W{number}") for number in range(3)]
        for worker in workers:
            worker.start()
        with qmgr.queue("A") as queue, qmgr.unit_of_work():
            for number in range(500):
                queue.put(b"%d" % number + bytes(700), persistent=True)
        assert "A" in qmgr.record_image()
        with qmgr.queue("A") as queue:
            for _ in range(40):
                queue.get()
        for _ in range(3):
            qmgr.checkpoint()  # nobody has it open: it is written out, and leaves memory
        lose(tmp_path, "A")
        with pytest.raises(ternmq.Damaged):
            qmgr.queue("A")
        before = [worker.rounds for worker in workers]
        qmgr.recreate("A")
        after = [worker.rounds for worker in workers]
        for worker in workers:
            worker.ending = True
            worker.join()
            assert worker.error is None
        assert sum(after) > sum(before)
        with qmgr.queue("A") as queue:
            found = [int(message.data.rstrip(b"\0")) for message in queue]
        assert found == list(range(40, 500))
    with ternmq.embedded(tmp_path, "QM1") as qmgr:
        qmgr.recreate("A")
        with qmgr.queue("A") as queue:
            assert queue.depth == 0


def test_get_that_waits_while_its_queue_is_re_created_then_it_gets(tmp_path: Path) -> None:
    with new(tmp_path) as qmgr:
        qmgr.define_queue("A")
        waiter = Task(lambda: qmgr.connect().queue("A").get(wait=30).text)
        shell = qmgr.started.shell
        kernel = shell.engine.kernel
        until(lambda: len(kernel.waiting) > 0)
        with shell.lock:
            kernel.locals["A"].queue.damaged = "a test says so"
        qmgr.recreate("A")
        assert len(kernel.waiting) == 1
        qmgr.put("A", "after")
        waiter.join()
        assert waiter.error is None
        assert waiter.result == "after"


def test_from_tasks(tmp_path: Path) -> None:
    async def main() -> None:
        opening = aio.embedded(tmp_path, "QM1", create=True, log_type="linear", log_file_pages=64)
        async with opening as qmgr:
            await qmgr.define_queue("A", max_depth=10_000)
            async with qmgr.queue("A") as queue:
                for number in range(300):
                    await queue.put(b"%d" % number + bytes(700), persistent=True)
            assert await qmgr.record_image("A") == ["A"]
            with pytest.raises(ternmq.MQError) as refused:
                await qmgr.record_image("B")
            assert refused.value.reason_name == "MQRC_UNKNOWN_OBJECT_NAME"
            for _ in range(3):
                await qmgr.checkpoint()
            lose(tmp_path, "A")
            with pytest.raises(ternmq.Damaged):
                await qmgr.queue("A")
            await qmgr.recreate("A")
            async with qmgr.queue("A") as queue:
                assert (await queue.get()).data.startswith(b"0\0")
            await qmgr.record_image()
            await qmgr.checkpoint()
            extents = await qmgr.log_extents()
            assert list(extents.superfluous) == await qmgr.delete_log_extents()
            assert (await qmgr.log_extents()).superfluous == ()
            assert extents.current in extents.stored

    asyncio.run(main())


def test_extents_of_a_circular_log_then_there_is_nothing_to_report() -> None:
    with ternmq.memory("QM1") as qmgr:
        assert qmgr.log_extents().stored == ()
        with pytest.raises(ternmq.MQError, match="MQRCCF_LOG_TYPE_ERROR"):
            qmgr.delete_log_extents()
