"""Goal (X4): tens of megabytes go in segments of 4 MiB and come back whole; in memory that takes
less than the message twice.

Method: queue managers in memory with a log that holds the message; Python's own account of memory.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.runtime.starting import start
from tests.battery.test_segments import PROPERTIES, allowed

pytestmark = pytest.mark.core

MEGABYTE = 1 << 20
LIMIT = 4 * MEGABYTE
DATA = bytes(range(256)) * (40 * MEGABYTE // 256)
COMPLETE = mq.MQGMO_COMPLETE_MSG


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    parameters = LogParameters(CIRCULAR, 6, 2, 8192, False)
    started = start(MemoryDisk(), "QM1", True, parameters, "tester", "large")
    with ternmq.QueueManager(started) as qmgr:
        buffer = 256 * MEGABYTE
        qmgr.define_queue(
            "A", max_message_length=LIMIT, nonpersistent_buffer=buffer, persistent_buffer=buffer
        )
        yield qmgr


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("inside", [False, True], ids=["outside", "inside"])
@pytest.mark.parametrize("put1", [False, True], ids=["put", "put1"])
def test_large_message_when_put_and_got_complete_then_it_is_whole(
    qmgr: ternmq.QueueManager, persistent: bool, inside: bool, put1: bool
) -> None:
    """X4."""
    with qmgr.connect() as connection, connection.queue("A") as queue:
        if inside:
            connection.begin()
        if put1:
            connection.put(
                "A", DATA, descriptor=allowed(), properties=PROPERTIES, persistent=persistent
            )
        else:
            queue.put(DATA, descriptor=allowed(), properties=PROPERTIES, persistent=persistent)
        if inside:
            connection.commit()
            connection.begin()
        assert queue.depth == 11
        message = queue.get(options=COMPLETE)
        if inside:
            connection.commit()
        assert message.data == DATA
        assert dict(message.properties) == PROPERTIES


def test_large_message_when_put_and_got_complete_then_memory_stays_below_twice_its_length(
    qmgr: ternmq.QueueManager,
) -> None:
    """X4: beside the data that the application has put."""
    with qmgr.queue("A") as queue:
        tracemalloc.start()
        try:
            queue.put(DATA, descriptor=allowed(), persistent=False)
            message = queue.get(options=COMPLETE)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert len(message.data) == len(DATA)
    assert peak < 2.05 * len(DATA)
