"""Goal: our own client over TCP is told when a put without an answer failed in its unit of work.

Method: the blocking client against a queue manager of this process, with a queue that is full.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ternmq
from ternmq.api.connection import Connection
from ternmq.api.queue import Queue
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from tests.unit.api.networked import Networked, in_memory

pytestmark = pytest.mark.core


@pytest.fixture
def served() -> Iterator[Networked]:
    """A queue manager with a queue A."""
    served = in_memory()
    with served:
        with served.connect() as connection:
            connection.define_queue("A")
        yield served


def put_one_too_many(connection: Connection, queue: Queue) -> None:
    connection.alter_queue("A", max_depth=1)
    connection.begin()
    for _ in range(2):
        queue.put(b"x", options=mq.MQPMO_ASYNC_RESPONSE)


def test_commit_when_a_put_failed_then_it_reports_and_all_is_backed_out(served: Networked) -> None:
    with served.connect() as connection, connection.queue("A") as queue:
        put_one_too_many(connection, queue)
        with pytest.raises(ternmq.MQError) as refused:
            connection.commit()
        reported = (refused.value.comp, refused.value.reason)
        assert reported == (mq.MQCC_WARNING, rc.MQRC_BACKED_OUT)
        assert list(queue) == []
        status = connection.status()
        assert (status.put_success_count, status.put_failure_count) == (1, 1)
        assert status.reason == rc.MQRC_Q_FULL
        with connection.unit_of_work():
            queue.put(b"next", options=mq.MQPMO_ASYNC_RESPONSE)
        assert [one.data for one in queue] == [b"next"]


def test_unit_of_work_when_a_put_failed_then_the_end_of_the_block_raises(served: Networked) -> None:
    with served.connect() as connection, connection.queue("A") as queue:
        connection.alter_queue("A", max_depth=1)
        unit = connection.unit_of_work()
        unit.__enter__()
        for _ in range(2):
            queue.put(b"x", options=mq.MQPMO_ASYNC_RESPONSE)
        with pytest.raises(ternmq.MQError) as refused:
            unit.__exit__(None, None, None)
        assert refused.value.reason == rc.MQRC_BACKED_OUT
        assert list(queue) == []
        assert not connection.in_unit


def test_disconnect_when_a_put_failed_then_it_reports(served: Networked) -> None:
    connection = served.connect()
    put_one_too_many(connection, connection.queue("A"))
    with pytest.raises(ternmq.MQError) as refused:
        connection.disconnect()
    assert refused.value.reason == rc.MQRC_BACKED_OUT
    connection.disconnect()  # nothing is left
    with served.connect() as other, other.queue("A") as queue:
        assert list(queue) == []


def test_prepare_when_a_put_failed_then_it_reports_and_nothing_is_in_doubt(
    served: Networked,
) -> None:
    with served.connect() as connection, connection.queue("A") as queue:
        put_one_too_many(connection, queue)
        with pytest.raises(ternmq.MQError) as refused:
            connection.prepare(ternmq.XID(1, b"one", b"b"))
        assert refused.value.reason == rc.MQRC_BACKED_OUT
        assert connection.in_doubt() == []
        assert list(queue) == []
        connection.backout()
