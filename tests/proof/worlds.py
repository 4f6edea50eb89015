"""SIM: several queue managers, their clients and a bridge between them, in one simulated world with
a plan of faults from its seed; healed, everything comes to its end and is accounted for.

One seed in ten is run twice and must do the same twice, two in ten are run by the fast paths of put
and get and by their steps. A seed that fails is told with the faults
that it needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ternmq.testing.scenario import run, shrink
from tests.proof.goal import Goal, Point

SEEDS = {1: 150, 2: 5_000, 3: 50_000}


def worlds(tier: int, shard: int, shards: int) -> Iterator[Point]:
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
    if seed % 5 == 1:
        other = run(seed, fast=False)
        assert not other.problems, other.problems[:5]
        assert other.digest == result.digest, "by their steps, puts and gets do something else"
        return "the same by steps"
    return "all accounted for"


GOAL = Goal(
    "SIM",
    "several queue managers with clients and a bridge, faults by swarm, then healed",
    ("P1", "P2", "P4", "P5"),
    shards={1: 5, 2: 100, 3: 500},
    needed=SEEDS,
    points=worlds,
    unit="seeds",
)
