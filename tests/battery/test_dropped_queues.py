"""Queues that a program drops without closing them, as `connection.queue("A").depth` does: their
handles are closed by the connection's next call that is not a put or a get."""

from __future__ import annotations

import asyncio
import gc

import pytest

import ternmq
from ternmq import Connection, QueueManager
from ternmq import constants as mq
from tests.battery.recorded import Recorded

pytestmark = pytest.mark.core

MORE_THAN_MAXHANDS = 300


@pytest.fixture
def connection(qmgr: QueueManager) -> Connection:
    for name in "AB":
        qmgr.define_queue(name)
    return qmgr.connect()


def test_queues_when_very_many_are_dropped_then_handles_do_not_run_out(
    connection: Connection,
) -> None:
    connection.put("A", b"one")
    for _ in range(MORE_THAN_MAXHANDS):
        assert connection.queue("A").depth == 1


def test_queue_when_dropped_then_it_can_be_cleared_and_deleted(connection: Connection) -> None:
    connection.queue("A", exclusive=True).put(b"one")
    connection.clear_queue("A")
    assert connection.queue("A").try_get() is None
    connection.delete_queue("A")
    assert "A" not in connection.queue_names()


def test_queue_when_dropped_inside_a_unit_of_work_then_the_unit_goes_on(
    connection: Connection,
) -> None:
    with connection.unit_of_work():
        connection.queue("A").put(b"one")
        connection.queue("B").put(b"two")
    assert connection.queue("A").get().data == b"one"
    assert connection.queue("B").get().data == b"two"


def test_browse_when_its_queue_is_dropped_then_it_goes_on(connection: Connection) -> None:
    for data in (b"one", b"two"):
        connection.put("A", data)
    browse = connection.queue("A").browse()
    assert next(browse).data == b"one"
    assert connection.queue("B").depth == 0
    assert next(browse).data == b"two"


def test_function_when_its_queue_is_dropped_then_it_is_still_called(
    qmgr: QueueManager, connection: Connection
) -> None:
    seen = Recorded()
    connection.queue("A").on_message(seen.take)
    gc.collect()
    assert connection.queue("B").depth == 0
    connection.start()
    qmgr.put("A", b"one")
    seen.until(1)
    connection.stop()


def test_dynamic_queue_when_dropped_then_it_stays(connection: Connection) -> None:
    name = connection.queue("SYSTEM.DEFAULT.MODEL.QUEUE").name
    assert connection.queue("A").depth == 0
    assert connection.queue(name, options=mq.MQOO_INQUIRE | mq.MQOO_OUTPUT).depth == 0


def test_queues_of_tasks_when_very_many_are_dropped_then_handles_do_not_run_out() -> None:
    async def work(qmgr: QueueManager) -> None:
        async with ternmq.aio.connect(qmgr) as connection:
            for _ in range(MORE_THAN_MAXHANDS):
                assert await (await connection.queue("A")).depth() == 0

    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("A")
        asyncio.run(work(qmgr))
