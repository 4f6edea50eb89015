"""Goal: wherever a batch is cut off, all of its units and its row of the ledger are there, or none;
what was acknowledged is; and to ask again then does each batch exactly once.

Method: batches of several prepared units, with orphans, repetitions and checkpoints, on a small
log; the history of the disk is cut at operations, with every fate of what was pending. More of it,
at more operations: tests/proof/batches.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ternmq.testing.batch_workload import BatchWorkload, check_batches
from ternmq.testing.chance import Chance
from ternmq.testing.model import Chronicle
from ternmq.testing.operations import Mark
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.wreck import FATES, Wreck, any_fate

pytestmark = [
    pytest.mark.core,
    pytest.mark.walk,
    pytest.mark.promise("P1"),
    pytest.mark.promise("P2"),
]


def wrecks(wreck: Wreck, seed: str) -> Iterator[SimDisk]:
    if wreck.is_settled:
        yield wreck.disk_of([])
        return
    for fate in FATES.values():
        yield wreck.disk_of([fate] * len(wreck.pending))
    chance = Chance(seed)
    yield wreck.disk(any_fate(chance), lambda: chance.random() < 0.5)


def walk(seed: int, batches: int, every: int) -> int:
    """Cut at each `every`-th operation; how many restarts there were."""
    run = BatchWorkload(seed)
    run.go(batches)
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
        for disk in wrecks(wreck, f"{seed}/{at}"):
            try:
                check_batches(disk, chronicle.possible(), run)
            except Exception as error:
                raise AssertionError(f"seed {seed}, operation {at}: {error}") from error
            restarts += 1
    return restarts


@pytest.mark.parametrize("seed", range(4))
def test_a_batch_when_cut_off_then_all_of_it_is_there_or_nothing(seed: int) -> None:
    assert walk(seed, 4, 9) > 20
