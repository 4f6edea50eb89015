"""Goal (P1, P7, G20): a power loss at any moment while images are recorded, and while a queue is
re-created, at run time or by a restart, leaves a disk from which everything comes back.

Method: workloads that record images, crashed after operations on the disk, then started, then
damaged and re-created; recoveries stopped at every n-th call of the disk, then begun again.
"""

from __future__ import annotations

import os

import pytest

from ternmq.testing.chance import Chance
from ternmq.testing.crash_walk import at_random, places, wrecks
from ternmq.testing.machine import Machine
from ternmq.testing.model import State, found_state
from ternmq.testing.sim_disk import Crash, SimDisk
from tests.media.bench import (
    DUAL,
    SINGLE,
    MediaWorkload,
    deleted,
    files_of,
    record,
    recovered_state,
    recreate,
)

pytestmark = [pytest.mark.core, pytest.mark.walk, pytest.mark.promise("P7")]

EVERY = int(os.environ.get("MEDIA_CRASH_EVERY", "11"))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("seed", range(4))
def test_crash_while_images_are_recorded_then_restart_and_recovery_agree(seed: int) -> None:
    run = MediaWorkload(seed, DUAL if seed % 2 else SINGLE, lazy=seed > 1)
    run.go(60)
    tried = 0
    for place in places(run):
        if place.at % EVERY:
            continue
        for name, disk in wrecks(place, seed):
            if tried % 3 and name != "at random":
                tried += 1
                continue
            tried += 1
            found = found_state(Machine(disk.settled()))
            possible = [one.state for one in place.possible]
            assert found in possible, f"at {place.at}, {name}"
            for queue in ("A", "B"):
                spoilt = disk.settled()
                for path in files_of(spoilt, queue):
                    deleted(spoilt, path)
                state, _ = recovered_state(Machine(spoilt), [queue])
                assert state == found, f"at {place.at}, {name}, {queue} re-created"
    assert tried > 30


def spoilt_disk(seed: int) -> tuple[SimDisk, State]:
    """Both queues have lost their files; one of them at least is needed by a restart."""
    run = MediaWorkload(seed, SINGLE)
    run.go(70)
    record(run.machine, "A")
    run.go(20)
    run.machine.settle()
    disk = run.disk.settled()
    for path in files_of(disk, "A") + files_of(disk, "B"):
        deleted(disk, path)
    return disk, run.snapshots[-1].state


@pytest.mark.timeout(60)
@pytest.mark.parametrize("seed", range(3))
def test_crash_inside_recovery_then_it_is_done_again(seed: int) -> None:
    """Up to three crashes, one after the other."""
    made, expected = spoilt_disk(seed)
    chance = Chance(f"recovery {seed}")
    count = 0
    stop_at = 1
    whole = False
    while not whole:
        disk = made.settled()
        for depth in range(3):
            disk.calls = 0
            disk.stop_at = stop_at if depth == 0 else chance.randrange(stop_at) + 1
            try:
                machine = Machine(disk)
                recovered_state(machine, ["A", "B"], drain=False)
                machine.checkpoint()
            except Crash:
                count += 1
                disk = at_random(disk, chance)
            else:
                whole = depth == 0
                break
        state, _ = recovered_state(Machine(disk.settled()), ["A", "B"])
        assert state == expected, f"stopped at {stop_at}"
        stop_at += 7
    assert count > 60


@pytest.mark.parametrize("seed", range(3))
def test_crash_after_recovery_then_nothing_is_done_twice(seed: int) -> None:
    """Work goes on after a recovery; a power loss then takes what was not forced."""
    disk, expected = spoilt_disk(seed)
    machine = Machine(disk)
    recovered_state(machine, ["A", "B"], drain=False)
    for queue in expected[0]:
        machine.put(queue, b"later ")
    after = {queue: len(names) + 1 for queue, names in expected[0].items()}
    chance = Chance(f"after {seed}")
    for _ in range(8):
        again = Machine(at_random(disk, chance))
        found, _ = recovered_state(again, ["A", "B"])
        assert {queue: len(names) for queue, names in found[0].items()} == after


def test_crash_inside_a_recovery_by_command_then_the_queue_is_damaged_until_it_is_done_again() -> (
    None
):
    run = MediaWorkload(1, SINGLE)
    run.go(60)
    record(run.machine, "A")
    run.machine.workload = None
    expected = list(run.snapshots[-1].state[0]["A"])
    run.machine.close_handles()
    run.machine.checkpoint(full=True)
    disk = run.disk.settled()
    for path in files_of(disk, "A"):
        deleted(disk, path)
    for stop_at in range(1, 400, 9):
        tried = disk.settled()
        machine = Machine(tried)
        tried.calls = 0
        tried.stop_at = stop_at
        try:
            recreate(machine, "A")
        except Crash:
            tried = at_random(tried, Chance(stop_at))
        else:
            break
        state, _ = recovered_state(Machine(tried.settled()), ["A"])
        assert state[0]["A"] == expected
    assert stop_at > 40
