"""G23: random verbs against the model of tests/model, with stops, crashes and restarts as verbs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial

from tests.model.walk import walk_seeds
from tests.proof.goal import Goal, Point

# How many steps each walk has, and how many walks; the seeds begin where the other tests end.
LENGTHS = {1: 12, 2: 60, 3: 120}
SEEDS = {1: 2_000, 2: 50_000, 3: 500_000}
FIRST = 1_000_000


def model_walks(tier: int, shard: int, shards: int) -> Iterator[Point]:
    for seed in range(FIRST + shard, FIRST + SEEDS[tier], shards):
        yield Point(f"seed {seed}, {LENGTHS[tier]} steps", partial(walk, seed, LENGTHS[tier]))


def walk(seed: int, length: int) -> str:
    notes: Counter[str] = Counter()
    list(walk_seeds(seed, 1, length, notes))
    return "as the model"


GOAL = Goal(
    "G23",
    "random verbs against the model, with crash and restart as verbs",
    ("P2", "P4"),
    shards={1: 10, 2: 100, 3: 1_000},
    needed=SEEDS,
    points=model_walks,
    unit="histories",
)
