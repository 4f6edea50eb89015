"""Goal (P8, G19): a disk that puts have filled, with a full log besides, can be drained: every get
succeeds, inside and outside syncpoint, before and after a kill; nothing is lost or doubled; puts
are refused until there is space. Method: a simulated disk of a fixed size, filled by puts, and
killed at any of its calls.
"""

from contextlib import suppress

import pytest

from ternmq.base.errors import Full
from ternmq.kernel.connection import Connection
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.testing.chance import Chance
from ternmq.testing.crash_walk import at_random, nothing_kept
from ternmq.testing.machine import Machine, create
from ternmq.testing.model import name_of
from ternmq.testing.sim_disk import Crash, SimDisk
from ternmq.testing.simulation import Simulation
from ternmq.testing.stream_verbs import StreamClient

pytestmark = [pytest.mark.core, pytest.mark.promise("P8")]

QUEUES = ("A", "B")


def fill(disk: SimDisk, data_bytes: int, spare_bytes: int) -> list[str]:
    """Put until nothing is taken any more; what was acknowledged."""
    machine = Machine(disk)
    for queue in QUEUES:
        machine.define(queue, 20_000)
    machine.checkpoint()
    disk.capacity = disk.used() + spare_bytes
    names: list[str] = []
    refused = 0
    while refused < 20:
        name = f"m{len(names)}"
        try:
            machine.put(QUEUES[len(names) % 2], name.encode() + b" " + bytes(data_bytes))
        except Full:
            refused += 1
        else:
            names.append(name)
        assert len(names) < 20_000, "the disk is never full"
    return names


def put_until_refused(machine: Machine, data_bytes: int) -> list[str]:
    names: list[str] = []
    while True:
        try:
            machine.put("A", f"m{len(names)} ".encode() + bytes(data_bytes))
        except Full:
            return names
        names.append(f"m{len(names)}")


def again(disk: SimDisk, spare_bytes: int = 0) -> SimDisk:
    """The disk as it is after a kill, as full as before."""
    after = disk.survivor()
    after.capacity = max(disk.capacity, after.used() + spare_bytes)
    return after


def made(primary: int = 3, secondary: int = 2, pages: int = 16, kind: int = CIRCULAR) -> SimDisk:
    disk = SimDisk()
    create(disk, LogParameters(kind, primary, secondary, pages, False))
    return disk


def drained(machine: Machine, sync: int = 0, last_first: bool = False) -> list[str]:
    """Get everything: one by one, or so many in each unit of work."""
    names: list[str] = []
    queues = tuple(reversed(QUEUES)) if last_first else QUEUES
    for queue in queues:
        while True:
            entry = machine.get(queue, sync=sync > 0)
            if entry is None:
                break
            names.append(name_of(entry.data))
            if sync and len(names) % sync == 0:
                machine.commit(machine.link)
    if sync:
        machine.commit(machine.link)
    return names


@pytest.mark.parametrize("data_bytes", [10, 1000, 9000])
@pytest.mark.parametrize("sync", [0, 7])
def test_gets_when_disk_and_log_are_full_then_all_succeed(data_bytes: int, sync: int) -> None:
    disk = made()
    names = fill(disk, data_bytes, 200_000)
    after = again(disk)
    machine = Machine(after)
    assert sorted(drained(machine, sync, last_first=True)) == sorted(names)
    assert drained(Machine(again(after))) == []


@pytest.mark.parametrize("data_bytes", [10, 1000, 9000])
def test_gets_of_units_when_a_linear_log_is_full_then_all_succeed(data_bytes: int) -> None:
    disk = made(secondary=0, pages=32, kind=LINEAR)
    names = fill(disk, data_bytes, 400_000)
    assert sorted(drained(Machine(again(disk)), sync=20)) == sorted(names)


def test_gets_without_a_restart_when_disk_and_log_are_full_then_all_succeed() -> None:
    disk = made()
    machine = Machine(disk)
    machine.define("A", 20_000)
    machine.define("B", 20_000)
    disk.capacity = disk.used() + 100_000
    names = put_until_refused(machine, 700)
    assert drained(machine) == names
    machine.put("A", b"after ")  # what the gets have freed is used again
    assert drained(machine) == ["after"]


def test_starts_on_a_full_disk_then_they_take_nothing_from_it() -> None:
    disk = made()
    names = fill(disk, 300, 50_000)
    for _ in range(60):
        disk = again(disk)
        Machine(disk)
    assert sorted(drained(Machine(again(disk)))) == sorted(names)


def test_puts_when_space_is_free_again_then_taken() -> None:
    disk = made()
    names = fill(disk, 500, 50_000)
    disk = again(disk)
    machine = Machine(disk)
    names += put_until_refused(machine, 5000)
    notice = machine.kernel.notices.take()[-1]
    assert notice.message_id == "AMQ7002E"
    assert "disk is full" in str(notice.inserts[0])
    disk.capacity = 0
    machine.put("A", b"late ")
    assert len(drained(machine)) == len(names) + 1


def test_puts_when_no_log_file_could_be_made_and_space_is_free_again_then_taken() -> None:
    with Simulation() as simulation:
        manager = simulation.start()
        manager.define_queue("A", default_persistence="YES")
        with manager.queue("A") as queue:
            queue.put(b"first")
            simulation.disk.capacity = simulation.disk.used()
            with suppress(Full):
                while queue.depth < 1000:
                    queue.put(bytes(4000))
            before = queue.depth
            assert before < 1000
            simulation.disk.capacity = 0
            queue.put(b"late")
            assert queue.depth == before + 1


def test_journal_without_its_last_seal_on_a_full_disk_then_a_checkpoint_writes_it_whole() -> None:
    disk = made()
    machine = Machine(disk)
    machine.define("A", 20_000)
    machine.put("A", b"one ")
    machine.checkpoint(full=True)
    disk = disk.settled()
    path = next(name for name in disk.names if name.startswith("queues/A~") and "state" in name)
    disk.spoil(path, lambda content: content[:-512])
    disk.capacity = disk.used()
    machine = Machine(disk)
    assert machine.get("A") is not None
    machine.checkpoint()
    assert machine.engine.keeper.last_failure == ""
    assert machine.engine.keeper.checkpoints == 1


def test_queue_with_a_stream_when_the_disk_is_full_then_got_and_read() -> None:
    disk = made(pages=32)
    machine = Machine(disk)
    for queue in QUEUES:
        machine.define(queue, 20_000)
    StreamClient(machine).define("C", "A")
    disk.capacity = disk.used() + 50_000
    names = put_until_refused(machine, 700)
    with pytest.raises(Full):  # its stream would take it
        machine.put("A", bytes(200_000), persistent=False)
    machine = Machine(again(disk))
    assert drained(machine) == names
    assert len(StreamClient(machine).read_all("A", 1)) == len(names)


def test_copies_on_a_streaming_queue_when_the_disk_is_full_then_all_are_got() -> None:
    disk = made()
    machine = Machine(disk)
    machine.define("B", 20_000)
    machine.define("A", 20_000, stream_queue="B", stream_quality=1)
    disk.capacity = disk.used() + 50_000
    names = put_until_refused(machine, 700)
    assert drained(Machine(again(disk))) == names + names


def test_log_file_when_the_reserve_cannot_grow_with_it_then_not_made() -> None:
    disk = made(primary=2, secondary=6)
    machine = Machine(disk)
    machine.define("A", 20_000)
    machine.define("B", 20_000)
    reserve = machine.engine.coordinator.reserve
    before = reserve.wanted
    owner = machine.connect()
    for _ in range(20):  # a unit of work that cannot leave the log
        machine.put("A", bytes(5000), link=owner, sync=True)
    assert machine.engine.keeper.space.ready - machine.engine.keeper.space.oldest > 2
    assert reserve.is_whole
    assert reserve.size == disk.size("reserve") > before
    machine.back_out(owner)
    machine.checkpoint(full=True)
    machine.checkpoint(full=True)
    disk.capacity = disk.used()
    names = put_until_refused(machine, 700)
    assert drained(Machine(again(disk))) == names


# ---- at every call


class FullAt:
    """From the n-th call on the disk has no room for another byte."""

    def __init__(self, disk: SimDisk, at: int) -> None:
        self.disk = disk
        self.at = at
        self.seen = 0

    def __call__(self, call: str, path: str, count: int) -> None:
        self.seen += 1
        if self.seen == self.at:
            self.disk.capacity = self.disk.used()


class Work:
    """Puts of two sizes on two queues and some gets, until nothing is taken any more."""

    def __init__(self, disk: SimDisk) -> None:
        self.machine = Machine(disk)
        for queue in QUEUES:
            self.machine.define(queue, 20_000)
        self.there: dict[str, list[str]] = {queue: [] for queue in QUEUES}
        self.puts = 0

    def go(self, puts: int) -> None:
        """At most so many puts; gets in a unit of work that is not always committed."""
        link = self.machine.connect()
        while self.puts < puts:
            queue = QUEUES[self.puts % 2]
            self.puts += 1
            name = f"m{self.puts}"
            try:
                data = name.encode() + b" " + bytes(50 if self.puts % 3 else 6000)
                self.machine.put(queue, data)
            except Full:
                return
            self.there[queue].append(name)
            if self.puts % 5 == 0:
                self._get(queue, link)

    def _get(self, queue: str, link: Connection) -> None:
        entry = self.machine.get(queue, link=link, sync=True)
        assert entry is not None
        if self.puts % 2:
            self.machine.back_out(link)
        else:
            self.machine.commit(link)
            self.there[queue].remove(name_of(entry.data))


@pytest.mark.parametrize("shard", range(5))
def test_disk_full_at_every_call_then_the_rest_is_got(shard: int) -> None:
    at = 1 + 7 * shard
    while True:
        disk = made(pages=12)
        work = Work(disk)
        fault = FullAt(disk, at)
        disk.faults = fault
        work.go(120)
        if fault.seen < at:
            break
        disk.faults = None
        machine = Machine(again(disk))
        for queue in QUEUES:
            got = [name_of(data) for data in machine.drain(queue)]
            assert got == work.there[queue], f"full at call {at}"
        at += 35


def check_rest(disk: SimDisk, capacity: int, names: list[str], got: list[str], at: int) -> None:
    """What is left after a crash in a get: all that was not got, but perhaps for the last."""
    disk.capacity = max(capacity, disk.used())
    rest = drained(Machine(disk))
    assert len(set(rest)) == len(rest), f"doubled after a crash at call {at}"
    assert not set(rest) & set(got), f"got twice after a crash at call {at}"
    assert len(set(names) - set(rest) - set(got)) <= 1, f"lost by a crash at call {at}"


@pytest.mark.parametrize("shard", range(4))
def test_crash_at_every_call_of_a_drain_then_the_rest_is_got(shard: int) -> None:
    full = made(pages=12)
    names = fill(full, 400, 30_000)
    at = 1 + 5 * shard
    while True:
        disk = again(full)
        disk.stop_at = at
        got: list[str] = []
        crashed = False
        try:
            machine = Machine(disk)
            for queue in QUEUES:
                while (entry := machine.get(queue)) is not None:
                    got.append(name_of(entry.data))
        except Crash:
            crashed = True
        if not crashed:
            assert sorted(got) == sorted(names)
            break
        check_rest(disk.survivor(), full.capacity, names, got, at)
        check_rest(nothing_kept(disk), full.capacity, names, got, at)
        check_rest(at_random(disk, Chance(f"{at}")), full.capacity, names, got, at)
        at += 20 + 7 * shard
