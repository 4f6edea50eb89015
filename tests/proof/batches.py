"""LEDGER: a batch of prepared units and its row of the ledger are committed together or not at all.

Tasks prepare, a driver commits, orphans are left behind, batches are repeated, with checkpoints
between; the history stops at its operations on the disk with all that a power loss may leave. What
restart finds must be a state of the model; then the sink asks again for what it has no answer to,
and each of its messages must be there exactly once, and nothing in doubt.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from functools import partial

from ternmq.testing.batch_workload import BatchWorkload, check_batches
from ternmq.testing.both_modes import in_both_modes
from ternmq.testing.chance import Chance
from ternmq.testing.model import Chronicle, Snapshot
from ternmq.testing.operations import Mark
from ternmq.testing.wreck import Outcome, Wreck, crashes
from tests.proof.goal import Goal, Point

BATCHES = 6
STRIDES = {1: 97, 2: 11, 3: 3}
DECIDING = {1: 5, 2: 1, 3: 1}  # strides while a batch is being committed
SAMPLES = {1: 16, 2: 60, 3: 200}


@functools.lru_cache(maxsize=4)
def workload(seed: int) -> BatchWorkload:
    def make(fast: bool) -> BatchWorkload:
        made = BatchWorkload(seed, fast)
        made.go(BATCHES)
        return made

    return in_both_modes(make)


def batches(tier: int, shard: int, shards: int) -> Iterator[Point]:
    run = workload(shard)
    wreck = Wreck(run.disk)
    chronicle = Chronicle(run.snapshots)
    number = 0
    for at, operation in enumerate(run.disk.history):
        chronicle.take(operation)
        if at < run.begun or isinstance(operation, Mark):
            continue
        wreck.advance(at + 1)
        possible = chronicle.possible()
        stride = DECIDING[tier] if is_deciding(possible) else STRIDES[tier]
        for outcome in crashes(wreck, Chance(f"LEDGER/{shard}"), SAMPLES[tier]):
            number += 1
            if number % stride == shard % stride:
                label = f"seed {shard}, operation {at}, {outcome.name}"
                yield Point(label, partial(as_reported, outcome, possible, run))


def is_deciding(possible: list[Snapshot]) -> bool:
    """Whether a batch is being committed just there: then more outcomes are looked at."""
    return len({len(one.state[0]["ledger"]) for one in possible}) > 1


def as_reported(outcome: Outcome, possible: list[Snapshot], run: BatchWorkload) -> str:
    in_doubt = check_batches(outcome.disk(), possible, run)
    return "with units in doubt" if in_doubt else "with none"


GOAL = Goal(
    "LEDGER",
    "a batch of prepared units and its row of the ledger: a power loss at any operation leaves all "
    "or nothing, and a sink that asks again writes each batch exactly once",
    ("P1", "P2"),
    shards={1: 8, 2: 30, 3: 100},
    needed={1: 400, 2: 20_000, 3: 200_000},
    points=batches,
    unit="crash states",
)
