"""TOPIC: publications reach every durable subscription exactly once, a subscription that was
acknowledged is there and one that was removed is not, and a topic retains what was committed last.

A workload with topics stops at its operations on the disk, with all that a power loss may leave.
What restart finds must be a state of the model; then what is in doubt is decided and compared
again, and a few ticks leave no message and no queue that belongs to nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from functools import partial

from ternmq.testing.both_modes import in_both_modes
from ternmq.testing.chance import Chance
from ternmq.testing.crash_walk import places
from ternmq.testing.machine import Machine
from ternmq.testing.model import Disagreement, Snapshot
from ternmq.testing.topic_state import check_waste, compare, decide
from ternmq.testing.topic_workload import TopicWorkload
from ternmq.testing.wreck import Outcome, crashes
from tests.proof.goal import Goal, Point
from tests.proof.stages import STEPS, parameters

STRIDES = {1: 211, 2: 5, 3: 1}
SAMPLES = {1: 8, 2: 40, 3: 150}


@functools.lru_cache(maxsize=4)
def with_topics(seed: int) -> TopicWorkload:
    def make(fast: bool) -> TopicWorkload:
        made = TopicWorkload(seed, parameters(seed), lazy=seed % 2 == 1, fast=fast)
        made.go(STEPS)
        return made

    made = in_both_modes(make)
    if made.delivered < STEPS // 5 or made.made < 5:
        raise Disagreement(f"seed {seed}: {made.delivered} copies, {made.made} subscriptions")
    return made


def topic_crashes(tier: int, shard: int, shards: int) -> Iterator[Point]:
    run = with_topics(shard)
    number = 0
    for place in places(run):
        chance = Chance(f"TOPIC/{shard}")
        for outcome in crashes(place.wreck, chance, SAMPLES[tier]):
            number += 1
            if number % STRIDES[tier] == shard % STRIDES[tier]:
                label = f"seed {shard}, operation {place.at}, {outcome.name}"
                yield Point(label, partial(recovered, outcome, place.possible))


def recovered(outcome: Outcome, possible: list[Snapshot]) -> str:
    machine = Machine(outcome.disk())
    snapshot = compare(machine, possible)
    decide(machine, snapshot)
    check_waste(machine)
    return "in doubt" if snapshot.state[1] else "recovered"


GOAL = Goal(
    "TOPIC",
    "publications, durable subscriptions and retained publications: a power loss at any operation "
    "leaves what was acknowledged, once",
    ("P1", "P2"),
    shards={1: 5, 2: 9, 3: 30},
    needed={1: 300, 2: 20_000, 3: 200_000},
    points=topic_crashes,
    unit="crash states",
)
