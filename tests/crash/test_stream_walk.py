"""Goal: wherever the power goes, cursors are where they were told to be, streams have every
persistent message from there on under its number, and no number that was told comes again.

Method: puts, units of work, gets, reads and cursors on small streams; the history of the disk is
cut at operations, with every fate of what was pending. CRASH_SEEDS walks through every operation of
more workloads.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from ternmq.testing.chance import Chance
from ternmq.testing.machine import Machine
from ternmq.testing.model import Chronicle
from ternmq.testing.operations import Mark
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.stream_workload import StreamWorkload, check_found
from ternmq.testing.wreck import FATES, Wreck, any_fate

pytestmark = [
    pytest.mark.core,
    pytest.mark.walk,
    pytest.mark.promise("P1"),
    pytest.mark.promise("P2"),
]

SEEDS = int(os.environ.get("CRASH_SEEDS", "0"))


def wrecks(wreck: Wreck, seed: str) -> Iterator[SimDisk]:
    if wreck.is_settled:
        yield wreck.disk_of([])
        return
    for fate in FATES.values():
        yield wreck.disk_of([fate] * len(wreck.pending))
    chance = Chance(seed)
    yield wreck.disk(any_fate(chance), lambda: chance.random() < 0.5)


def walk(seed: int, steps: int, every: int) -> int:
    """Cut at each `every`-th operation; how many restarts there were."""
    run = StreamWorkload(seed)
    run.go(steps)
    wreck = Wreck(run.disk)
    chronicle = Chronicle(run.snapshots)
    restarts = 0
    places = 0
    for at, operation in enumerate(run.disk.history):
        chronicle.take(operation)
        if at < run.begun or isinstance(operation, Mark):
            continue
        wreck.advance(at + 1)
        places += 1
        if places % every != seed % every:
            continue
        for number, disk in enumerate(wrecks(wreck, f"{seed}/{at}")):
            reported = run.reported_at[chronicle.acknowledged]
            try:
                check_found(Machine(disk), chronicle.possible(), reported, run.plain)
            except Exception as error:
                text = f"seed {seed}, operation {at}, fate {number}: {error}"
                raise AssertionError(text) from error
            restarts += 1
    return restarts


@pytest.mark.parametrize("seed", range(5))
def test_streams_when_cut_off_then_cursors_and_ranges_are_as_reported(seed: int) -> None:
    assert walk(seed, 60, 9) > 20


@pytest.mark.timeout(600)
@pytest.mark.skipif(SEEDS == 0, reason="CRASH_SEEDS chooses how many")
@pytest.mark.parametrize("seed", range(100, 100 + SEEDS))
def test_streams_when_cut_off_anywhere_then_cursors_and_ranges_are_as_reported(seed: int) -> None:
    assert walk(seed, 120, 1) > 100
