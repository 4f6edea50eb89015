"""G10: whatever a peer sends, the queue manager answers or refuses, and works on.

Seeds for each reader of bytes (`fuzz_bytes`), and dialogues with a listener (`fuzz_dialogues`).
A point is a batch of seeds of one target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from ternmq.testing.chance import Chance
from tests.proof.fuzz_bytes import TARGETS
from tests.proof.fuzz_dialogues import run_dialogues
from tests.proof.goal import Goal, Point, mine

BATCH: Final = 250
DIALOGUES: Final = 50  # in a row, with one listener
# Batches of each target, by tier.
BATCHES: Final = {1: 24, 2: 4_000, 3: 60_000}


def fuzz(tier: int, shard: int, shards: int) -> Iterator[Point]:
    number = 0
    for batch in range(BATCHES[tier]):
        first = batch * DIALOGUES
        dialogues = partial(run_dialogues, first, DIALOGUES)
        several = Point(f"wire dialogues, seeds from {first}", dialogues, DIALOGUES)
        for point in (*batch_points(TARGETS, batch), several):
            if mine(number, shard, shards):
                yield point
            number += 1


def batch_points(targets: dict[str, Callable[[Chance], str]], batch: int) -> list[Point]:
    """A batch of seeds of each target."""
    first = batch * BATCH
    return [
        Point(f"{name}, seeds from {first}", partial(run_batch, name, target, first), BATCH)
        for name, target in targets.items()
    ]


def run_batch(name: str, target: Callable[[Chance], str], first: int) -> str:
    """Seeds of one target; the one that fails is named."""
    for seed in range(first, first + BATCH):
        try:
            target(Chance(f"G10/{name}/{seed}"))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error
    return name


GOAL = Goal(
    "G10",
    "what a peer may send, spoiled in every way: read or refused, whole as byte by byte; dialogues "
    "with a listener, before and after MQCONN: no fault, no hang, nothing left behind",
    ("P10",),
    shards={1: 2, 2: 40, 3: 400},
    needed={1: 40_000, 2: 7_000_000, 3: 100_000_000},
    points=fuzz,
    unit="inputs",
)
