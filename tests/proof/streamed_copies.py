"""COPY: a message and its copy on a streaming queue are never apart.

A workload whose queues stream, one of them with MUSTDUP, stops at its operations on the disk with
all that a power loss may leave. What restart finds must be a state of the model, which has both
messages of a put or neither; then what is in doubt is decided, and both come or go together.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from functools import partial

from ternmq.testing.both_modes import in_both_modes
from ternmq.testing.chance import Chance
from ternmq.testing.crash_walk import compare, places
from ternmq.testing.machine import Machine
from ternmq.testing.model import Disagreement, Snapshot, State, found_state
from ternmq.testing.streamed_workload import StreamedWorkload
from ternmq.testing.wreck import Outcome, crashes
from ternmq.values.xid import XID
from tests.proof.goal import Goal, Point
from tests.proof.stages import STEPS, parameters

STRIDES = {1: 211, 2: 5, 3: 1}
SAMPLES = {1: 16, 2: 60, 3: 200}


@functools.lru_cache(maxsize=4)
def streamed(seed: int) -> StreamedWorkload:
    def make(fast: bool) -> StreamedWorkload:
        made = StreamedWorkload(seed, parameters(seed), lazy=seed % 2 == 1, fast=fast)
        made.go(STEPS)
        return made

    made = in_both_modes(make)
    if made.copies_made < STEPS // 5:
        raise Disagreement(f"seed {seed} makes {made.copies_made} copies")
    return made


def streamed_copies(tier: int, shard: int, shards: int) -> Iterator[Point]:
    run = streamed(shard)
    number = 0
    for place in places(run):
        chance = Chance(f"COPY/{shard}")
        for outcome in crashes(place.wreck, chance, SAMPLES[tier]):
            number += 1
            if number % STRIDES[tier] == shard % STRIDES[tier]:
                label = f"seed {shard}, operation {place.at}, {outcome.name}"
                yield Point(label, partial(together, outcome, place.possible))


def together(outcome: Outcome, possible: list[Snapshot]) -> str:
    machine = Machine(outcome.disk())
    state = compare(machine, possible)
    decide(machine, state)
    return "in doubt" if state[1] else "recovered"


def decide(machine: Machine, state: State) -> None:
    """What is in doubt is committed or backed out: the names that it put come all or not at all."""
    for number, (key, (puts, _)) in enumerate(state[1].items()):
        xid = XID(1, key, b"")
        if number % 2:
            machine.back_out_prepared(xid)
            expected: Counter[str] = Counter(state[1][key][1])
        else:
            machine.commit_prepared(xid)
            expected = Counter(puts)
        found = found_state(machine)[0]
        came = Counter(name for names in found.values() for name in names)
        if came != expected:
            raise Disagreement(f"after the decision on {key!r}: {came}, expected {expected}")
        for name in puts if number % 2 == 0 else []:
            if puts.count(name) == 2 and name not in found["C"]:
                raise Disagreement(f"{name} came without its copy")


GOAL = Goal(
    "COPY",
    "a message and its copy on a streaming queue: a power loss at any operation leaves both or "
    "neither",
    ("P1", "P2"),
    shards={1: 8, 2: 9, 3: 30},
    needed={1: 800, 2: 50_000, 3: 500_000},
    points=streamed_copies,
    unit="crash states",
)
