"""CURSOR: streams and cursors outlive a power loss.

Queues with streams, cursors that come, go forward and are reset, non-persistent messages between,
prepared units, small files of blocks, streams that are filled with what lies on a queue while it is
got; the history stops at its operations on the disk with all
that a power loss may leave. After restart cursors must be where a state of the model has them, each
stream has every persistent message from the lowest cursor on under its number, whatever was told
has its number still, and a new message has a number that nobody was told.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from functools import partial

from ternmq.testing.both_modes import in_both_modes
from ternmq.testing.chance import Chance
from ternmq.testing.machine import Machine
from ternmq.testing.model import Chronicle, Disagreement, Snapshot
from ternmq.testing.operations import Mark
from ternmq.testing.stream_workload import StreamWorkload, check_found
from ternmq.testing.wreck import Outcome, Wreck, crashes
from tests.proof.goal import Goal, Point

STEPS = 120
STRIDES = {1: 137, 2: 17, 3: 3}
SAMPLES = {1: 16, 2: 60, 3: 200}


@functools.lru_cache(maxsize=4)
def streamed(seed: int) -> StreamWorkload:
    def make(fast: bool) -> StreamWorkload:
        made = StreamWorkload(seed, fast)
        made.go(STEPS)
        return made

    made = in_both_modes(make)
    if not any(made.reported.values()):
        raise Disagreement(f"seed {seed} reads nothing")
    return made


def stream_cursors(tier: int, shard: int, shards: int) -> Iterator[Point]:
    run = streamed(shard)
    wreck = Wreck(run.disk)
    chronicle = Chronicle(run.snapshots)
    number = 0
    for at, operation in enumerate(run.disk.history):
        chronicle.take(operation)
        if at < run.begun or isinstance(operation, Mark):
            continue
        wreck.advance(at + 1)
        reported = run.reported_at[chronicle.acknowledged]
        for outcome in crashes(wreck, Chance(f"CURSOR/{shard}"), SAMPLES[tier]):
            number += 1
            if number % STRIDES[tier] == shard % STRIDES[tier]:
                label = f"seed {shard}, operation {at}, {outcome.name}"
                possible = chronicle.possible()
                yield Point(label, partial(as_reported, outcome, possible, reported, run.plain))


def as_reported(
    outcome: Outcome, possible: list[Snapshot], reported: dict[str, dict[int, str]], plain: set[str]
) -> str:
    machine = Machine(outcome.disk())
    check_found(machine, possible, reported, plain)
    return "with cursors" if machine.kernel.catalog.cursors.by_name else "without"


GOAL = Goal(
    "CURSOR",
    "streams, filled ones too: a power loss at any operation leaves cursors where they were "
    "acknowledged to be, ranges as they were read, and no number that was returned comes again",
    ("P1", "P2"),
    shards={1: 8, 2: 17, 3: 40},
    needed={1: 800, 2: 50_000, 3: 500_000},
    points=stream_cursors,
    unit="crash states",
)
