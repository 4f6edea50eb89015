"""Goal (X4): tens of megabytes go in segments of 4 MiB and come back whole, by every binding, and
the queue manager needs less memory than the message four times.

Method: queue managers in memory with a log that holds the message, served by this process; Python's
own account of memory, while the program is in another process.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.runtime.starting import start
from tests.battery.bindings import bindings_of
from tests.battery.test_segments import PROPERTIES, allowed
from tests.bindings import bound
from tests.bindings.elsewhere import Elsewhere, connected
from tests.unit.api.networked import Networked

MEGABYTE = 1 << 20
LIMIT = 4 * MEGABYTE
DATA = bytes(range(256)) * (40 * MEGABYTE // 256)
OWN = ("local", "tcp")


@pytest.fixture(params=bound.as_parameters((*OWN, *bindings_of(__name__))))
def large(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Networked]]:
    """A binding, and a queue manager whose queue A takes messages of 4 MiB."""
    bound.need(request.param)
    parameters = LogParameters(CIRCULAR, 6, 2, 8192, False)
    started = start(MemoryDisk(), "QM1", True, parameters, "tester", "large")
    with Networked(tmp_path, "QM1", started) as served:
        buffer = 256 * MEGABYTE
        with served.connect() as admin:
            admin.define_queue(
                "A", max_message_length=LIMIT, nonpersistent_buffer=buffer, persistent_buffer=buffer
            )
        yield request.param, served


@pytest.fixture
def connection(large: tuple[str, Networked]) -> Iterator[ternmq.Connection]:
    with connected(*large) as made:
        yield made


@pytest.mark.parametrize(
    ("persistent", "inside", "put1"),
    [(False, False, False), (False, True, True), (True, True, False), (True, False, True)],
    ids=["put", "put1-inside", "persistent-put-inside", "persistent-put1"],
)
def test_large_message_when_put_and_got_complete_then_it_is_whole(
    connection: ternmq.Connection, persistent: bool, inside: bool, put1: bool
) -> None:
    given: dict[str, Any] = {"descriptor": allowed(), "properties": PROPERTIES}
    given["persistent"] = persistent
    with connection.queue("A") as queue:
        if put1:
            connection.put("A", DATA, syncpoint=inside, **given)
        else:
            queue.put(DATA, syncpoint=inside, **given)
        if inside:
            connection.commit()
        assert queue.depth == 11
        message = queue.get(options=mq.MQGMO_COMPLETE_MSG, syncpoint=inside)
        if inside:
            connection.commit()
        assert message.data == DATA
        assert dict(message.properties) == PROPERTIES
        assert queue.depth == 0


def put_and_get(connection: ternmq.Connection) -> None:
    """What the program in the other process does."""
    with connection.queue("A") as queue:
        queue.put(DATA, descriptor=allowed(), persistent=False)
        assert queue.get(options=mq.MQGMO_COMPLETE_MSG).data == DATA


def test_large_message_when_put_and_got_complete_then_memory_stays_below_four_times_its_length(
    large: tuple[str, Networked],
) -> None:
    """Of the queue manager: the program is in another process."""
    binding, served = large
    tracemalloc.start()
    try:
        with Elsewhere(binding, served, f"{__name__}.put_and_get"):
            peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * len(DATA)
