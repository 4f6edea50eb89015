"""RETAIN(CURSORS) on a queue that others have used before: what the stream has let go of leaves the
queue wherever it lies, and nothing else does.
"""

from __future__ import annotations

import pytest

from ternmq.kernel.cursors import LATEST
from ternmq.kernel.retention import retain
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.machine import Machine, create
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.stream_verbs import StreamClient
from ternmq.testing.wreck import FATES, last_of

pytestmark = pytest.mark.core


def begun() -> tuple[Machine, StreamClient]:
    """39 messages, then a stream with messages 40 to 199; most of all are swept."""
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 64, False))
    machine = Machine(disk)
    machine.define("Q", 4_000)
    client = StreamClient(machine)
    put(machine, 1, 40)
    client.define("C", "Q", LATEST)
    definition = machine.kernel.catalog.definitions["Q"]
    definition.attributes["retain"] = 1
    machine.kernel.coordinator.define(machine.kernel.catalog, definition)
    put(machine, 40, 200)
    assert machine.kernel.locals["Q"].queue.swept_alive > 100
    return machine, client


def put(machine: Machine, first: int, after: int) -> None:
    for number in range(first, after):
        machine.put("Q", b"%d " % number + bytes(100), persistent=number % 3 > 0)


def purged(machine: Machine) -> list[int]:
    for _ in range(100):
        retain(machine.kernel)
        machine.settle()
    return [int(data.split()[0]) for data in machine.browse("Q")]


def test_purge_when_older_messages_lie_before_them_then_those_behind_leave() -> None:
    machine, client = begun()
    client.advance("C", 200)
    assert purged(machine) == list(range(1, 40))
    assert machine.kernel.expired_total == 160
    disk = machine.disk
    assert isinstance(disk, SimDisk)
    wreck = last_of(disk)
    again = Machine(wreck.disk_of([FATES["dropped"]] * len(wreck.pending)))
    left = [int(data.split()[0]) for data in again.browse("Q")]
    assert left == [number for number in range(1, 40) if number % 3]


def test_purge_when_some_are_passed_then_only_those_leave() -> None:
    machine, client = begun()
    client.advance("C", 150)
    left = purged(machine)
    assert left[:39] == list(range(1, 40))
    assert set(range(150, 200)) <= set(left)
    assert len(left) < 150


def test_purge_when_a_unit_of_work_holds_one_then_that_leaves_when_it_comes_back() -> None:
    machine, client = begun()
    held = list(machine.drive(machine.verbs.browse(machine.link, "Q")))[99]
    link = machine.connect()
    machine.get("Q", link=link, sync=True, msg_id=held.msg_id)
    client.advance("C", 200)
    assert purged(machine) == list(range(1, 40))
    machine.back_out(link)
    assert purged(machine) == list(range(1, 40))


def stream_files(machine: Machine) -> list[str]:
    folder = machine.kernel.catalog.queues[
        int(machine.kernel.catalog.definitions["Q"].object_id)
    ].folder
    return [name for name in machine.disk.list(folder) if name.endswith(".stream")]


def passed(start: int = LATEST) -> tuple[Machine, StreamClient]:
    """A stream of 20 MiB in files, all of non-persistent messages."""
    disk = SimDisk()
    create(disk, LogParameters(CIRCULAR, 3, 2, 64, False))
    machine = Machine(disk)
    machine.define("Q", 4_000)
    client = StreamClient(machine)
    client.define("C", "Q", start)
    for number in range(80):
        machine.put("Q", b"%d " % number + bytes(1 << 18), persistent=False)
        machine.get("Q")
        machine.settle()
    assert stream_files(machine)
    return machine, client


def test_stream_files_when_all_cursors_have_passed_them_then_they_go_without_logged_work() -> None:
    machine, client = passed()
    checkpoints = machine.engine.keeper.checkpoints
    client.advance("C", int(client.bounds("Q").next))
    machine.engine.tick()
    machine.settle()
    assert stream_files(machine) == []
    assert machine.engine.keeper.checkpoints == checkpoints + 1
    machine.engine.tick()
    machine.settle()
    assert machine.engine.keeper.checkpoints == checkpoints + 1


def test_stream_files_when_the_last_cursor_is_deleted_then_they_go_without_logged_work() -> None:
    machine, client = passed()
    client.delete("C")
    machine.engine.sweeper.cycle()
    machine.engine.tick()
    machine.settle()
    assert stream_files(machine) == []


def test_stream_files_when_the_queue_is_deleted_then_its_folder_goes() -> None:
    machine, client = passed()
    folder = machine.kernel.catalog.queues[
        int(machine.kernel.catalog.definitions["Q"].object_id)
    ].folder
    client.delete("C")
    machine.delete("Q")
    machine.settle()
    assert machine.disk.list(folder) == []
