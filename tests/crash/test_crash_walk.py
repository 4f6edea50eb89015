"""Goal: after several crashes in one disk's life, in a killed process, while segments are
compacted, restart finds what was acknowledged, exactly once and in order. Method: a seeded
workload on a small log and small buffers; its history of operations is cut. CRASH_SEEDS chooses
more workloads. A crash at every operation, with everything that may be left: tests/proof.
"""

import os

import pytest

from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.testing.both_modes import in_both_modes
from ternmq.testing.chance import Chance
from ternmq.testing.crash_walk import (
    at_random,
    check,
    compare,
    nothing_kept,
    places,
    restart_twice,
    verify,
    wrecks,
)
from ternmq.testing.machine import Machine, create
from ternmq.testing.model import Chronicle, Snapshot
from ternmq.testing.operations import Unname
from ternmq.testing.sim_disk import Crash, SimDisk
from ternmq.testing.workload import Workload
from ternmq.testing.wreck import Wreck, any_fate
from tests.model.audit import audit_files

pytestmark = [pytest.mark.promise("P1"), pytest.mark.promise("P2")]

SEEDS = int(os.environ.get("CRASH_SEEDS", "1"))
STEPS = 150


def parameters(seed: int) -> LogParameters:
    kind = LINEAR if seed % 5 == 4 else CIRCULAR
    return LogParameters(kind, 3, 2, 8, seed % 3 == 2)


def workload(seed: int) -> Workload:
    """Every other one lets effects of the disk take their time."""

    def make(fast: bool) -> Workload:
        made = Workload(seed, parameters(seed), lazy=seed % 2 == 1, fast=fast)
        made.go(STEPS)
        return made

    return in_both_modes(make)


def test_restart_again_then_nothing_has_changed() -> None:
    for seed in range(3):
        run = workload(seed)
        for number, place in enumerate(places(run)):
            if number % 97 == seed:
                for _, disk in wrecks(place, seed):
                    restart_twice(disk, place.possible)


def test_kill_without_power_loss_then_unsynced_names_and_writes_still_count_as_such() -> None:
    """What a killed process left in the system's memory is relied on by the next one; then the
    power goes."""
    for seed in range(4):
        run = workload(seed)
        disk = run.disk.survivor()
        machine = Machine(disk)
        machine.put("A", b"afterwards ")
        machine.checkpoint(full=True)
        machine.put("B", b"afterwards ")
        queues, prepared = run.snapshots[-1].state
        state = ({name: [*names, "afterwards"] for name, names in queues.items()}, prepared)
        chance = Chance(seed)
        for _ in range(10):
            check(at_random(disk, chance), [Snapshot.of(state)])


def test_folder_of_a_queue_when_its_maker_was_killed_then_its_name_is_forced_by_the_next() -> None:
    """ORDER: the name of a queue's folder before the control file that relies on its journal."""
    disk = SimDisk()
    create(disk, parameters(0))
    machine = Machine(disk)
    machine.define("A")
    machine.put("A", b"kept ")

    folder = machine.kernel.catalog.definitions["A"].folder

    def stop(call: str, path: str, count: int) -> None:
        if call == "sync_dir" and path == "queues" and disk.exists(folder):
            disk.stopped = True
            raise Crash

    disk.faults = stop
    with pytest.raises(Crash):
        machine.checkpoint(full=True)
    assert disk.exists(folder)
    disk = disk.survivor()
    Machine(disk).checkpoint(full=True)
    check(nothing_kept(disk), [Snapshot.of(({"A": ["kept"]}, {}))])


@pytest.mark.core
@pytest.mark.parametrize("seed", range(2 * SEEDS))
def test_crash_when_files_of_dead_segments_went_then_restart_wants_none_and_leaves_none(
    seed: int,
) -> None:
    """Files go without a checkpoint; after a crash a folder has what its journal names and what
    lives."""
    run = Workload(seed, LogParameters(CIRCULAR, 3, 2, 96, False), lazy=seed % 2 == 1)
    for _ in range(10):
        for _ in range(8):
            run.step()
        for _ in range(30):
            run.put(run.links[1], False, False)
        there = run.available("A") + run.available("B")
        plain = [one for one in there if not one.persistent]
        for message in run.chance.sample(plain, len(plain)):
            run.get(run.links[2], False, message)
    removed = sum(1 for one in run.disk.history if isinstance(one, Unname) and ".seg" in one.path)
    assert removed > 10
    for number, place in enumerate(places(run)):
        if number % 41 == seed:
            for _, disk in wrecks(place, seed):
                machine = check(disk, place.possible)
                machine.settle()
                audit_files(machine.engine, disk)


@pytest.mark.core
@pytest.mark.parametrize("group", range(4))
def test_lives_ended_by_crashes_then_each_begins_where_the_last_one_was(group: int) -> None:
    """What one restart has mended is relied on by the next life and crashed again."""
    for seed in range(group * SEEDS * 8, (group + 1) * SEEDS * 8):
        chance = Chance(seed)
        run = Workload(seed, parameters(seed), lazy=seed % 2 == 1)
        for life in range(8):
            run.go(chance.randrange(5, 70))
            cut = chance.randrange(run.begun, len(run.disk.history) + 1)
            disk, possible = crashed(run, cut, chance)
            try:
                run.resume(disk, compare(Machine(disk.survivor()), possible))
            except Exception as error:
                raise AssertionError(f"seed {seed}, life {life}, cut {cut}: {error}") from error


@pytest.mark.core
@pytest.mark.parametrize("seed", range(2 * SEEDS))
def test_crash_when_segments_are_compacted_then_restart_finds_what_was_acknowledged(
    seed: int,
) -> None:
    chance = Chance(seed)
    run = Workload(
        seed, LogParameters(CIRCULAR, 3, 2, 96, False), lazy=seed % 2 == 1, buffer_bytes=120_000
    )
    run.sizes, run.priorities = [0], [0]
    link = run.links[0]
    for number in range(1200):
        run.put(link, True)
        if number % 50 == 49:
            run.commit(link)
    run.machine.checkpoint(full=True)
    run.begun = len(run.disk.history)
    # Few are left in the middle; the front is long enough for nothing to be fetched ahead.
    middle = run.available("A")[90:-20]
    for message in chance.sample(middle, len(middle) * 9 // 10):
        run.get(run.links[2], False, message)
    compacted = 0
    for _ in range(6):
        run.machine.engine.keeper.begin(False, False)
        for _ in range(8):
            compacted += sum(one.compacting for one in run.machine.kernel.catalog.queues.values())
            run.get(link, chance.random() < 0.5, chance.choice(run.available("A")[90:]))
        run.commit(link) if chance.random() < 0.5 else run.back_out(link)
    assert compacted
    for _ in range(12):
        disk, possible = crashed(run, chance.randrange(run.begun, len(run.disk.history)), chance)
        verify(disk, possible)


def crashed(run: Workload, cut: int, chance: Chance) -> tuple[SimDisk, list[Snapshot]]:
    """The disk after a crash at an operation, and what may be found on it."""
    chronicle = Chronicle(run.snapshots).take_all(run.disk.history[:cut])
    wreck = Wreck(run.disk).advance(cut)
    return wreck.disk(any_fate(chance), lambda: chance.random() < 0.5), chronicle.possible()
