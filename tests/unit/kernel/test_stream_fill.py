"""A cursor that starts with the earliest message, on a queue that holds some: all of them are in
the stream, in the order in which they became visible, whatever happens to them meanwhile and
wherever the power goes.
"""

from __future__ import annotations

import pytest

from ternmq.kernel.cursors import EARLIEST, LATEST
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.chance import Chance
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.stream_verbs import StreamClient
from ternmq.testing.wreck import FATES, last_of

pytestmark = pytest.mark.core


def begun(buffer: int = 0, chance: Chance | None = None) -> tuple[Machine, StreamClient]:
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 64, False))
    machine = Machine(disk, chance)
    machine.define("Q", buffer)
    return machine, StreamClient(machine)


def crashed(machine: Machine) -> tuple[Machine, StreamClient]:
    disk = machine.disk
    assert isinstance(disk, SimDisk)
    wreck = last_of(disk)
    again = Machine(wreck.disk_of([FATES["dropped"]] * len(wreck.pending)))
    return again, StreamClient(again)


def fill(machine: Machine, first: int, after: int, size: int = 0) -> list[tuple[int, bytes]]:
    """Persistent messages of all priorities; their numbers and data."""
    put = []
    for number in range(first, after):
        data = b"%d " % number + bytes(size)
        entry = machine.put("Q", data, priority=number % 10)
        put.append((int(entry.sequence), data))
    return put


@pytest.mark.parametrize("buffer", [0, 3_000])
def test_earliest_when_queue_has_messages_then_they_are_in_the_stream(buffer: int) -> None:
    machine, client = begun(buffer)
    put = fill(machine, 1, 60, 300)
    cursor = client.define("C", "Q", EARLIEST)
    assert cursor.position == 1
    put += fill(machine, 60, 80)
    assert client.read_all("Q", 1) == put
    assert client.bounds("Q").earliest == 1
    again, client = crashed(machine)
    assert client.read_all("Q", 1) == put
    again.checkpoint()
    again, client = crashed(again)
    assert client.read_all("Q", 1) == put


def test_latest_when_queue_has_messages_then_begins_with_the_next() -> None:
    machine, client = begun()
    fill(machine, 1, 4)
    assert client.define("C", "Q", LATEST).position == 4
    assert client.read_all("Q", 4) == []
