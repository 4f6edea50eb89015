"""BOARD: publishers, subscribers that last and others that come and go, in a simulated world with a
plan of faults from its seed; healed, every publication that was acknowledged has come once to every
durable subscription, each subscription is as it was answered, and topics retain what came last.

One seed in ten is run twice and must do the same twice. A seed that fails is reported with the
faults that it needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ternmq.testing.topic_scenario import run, shrink
from tests.proof.goal import Goal, Point

SEEDS = {1: 24, 2: 5_000, 3: 50_000}


def topic_worlds(tier: int, shard: int, shards: int) -> Iterator[Point]:
    for seed in range(shard, SEEDS[tier], shards):
        yield Point(f"seed {seed}", partial(play, seed))


def play(seed: int) -> str:
    result = run(seed)
    if result.problems:
        plan = "\n".join(str(fault) for fault in shrink(seed))
        raise AssertionError(f"{result.problems[:5]}; the faults it needs:\n{plan}")
    if seed % 10 == 0:
        assert run(seed).digest == result.digest, "a second run of this seed does something else"
        return "twice the same"
    return "all accounted for"


GOAL = Goal(
    "BOARD",
    "publishers and subscribers of a queue manager, faults by swarm, then healed",
    ("P1", "P2", "P4"),
    shards={1: 4, 2: 100, 3: 500},
    needed=SEEDS,
    points=topic_worlds,
    unit="seeds",
)
