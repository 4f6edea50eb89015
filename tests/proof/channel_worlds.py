"""G16: two to four queue managers that send each other messages over channels of every kind, with
settings and a plan of faults from a seed; healed, the channels run, their transmission queues are
empty, nothing is in doubt, and every message is accounted for.

One seed in ten is run twice and must do the same twice. A seed that fails is told with the faults
that it needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ternmq.testing.channel_scenario import EVENTS_MIN, run, shrink
from tests.proof.goal import Goal, Point

SEEDS = {1: 40, 2: 20_000, 3: 250_000}


def channel_worlds(tier: int, shard: int, shards: int) -> Iterator[Point]:
    for seed in range(shard, SEEDS[tier], shards):
        yield Point(f"seed {seed}", partial(play, seed))


def play(seed: int) -> str:
    result = run(seed)
    if result.problems:
        plan = "\n".join(str(fault) for fault in shrink(seed))
        raise AssertionError(f"{result.problems[:5]}; the faults it needs:\n{plan}")
    assert result.events >= EVENTS_MIN, f"only {result.events} events"
    if seed % 10 == 0:
        assert run(seed).digest == result.digest, "a second run of this seed does something else"
        return "twice the same"
    return "all accounted for"


GOAL = Goal(
    "G16",
    "message channels between several queue managers, faults by swarm, then healed",
    ("P3", "P4", "P5"),
    shards={1: 6, 2: 200, 3: 1000},
    needed=SEEDS,
    points=channel_worlds,
    unit="seeds",
)
