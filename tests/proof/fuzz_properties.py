"""PROPS: selection strings are judged as a second evaluator judges them, and folders of properties
are read as a second reader reads them. A point is a batch of seeds of one target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ternmq.testing.chance import Chance
from tests.proof.fuzz import batch_points
from tests.proof.fuzz_folders import folders_by_chance
from tests.proof.goal import Goal, Point, mine
from tests.unit.codec.selector.selector_samples import compare_by_chance

TARGETS: Final[dict[str, Callable[[Chance], str]]] = {
    "selectors": compare_by_chance,
    "folders": folders_by_chance,
}
# Batches of each target, by tier.
BATCHES: Final = {1: 24, 2: 2_000, 3: 20_000}


def fuzz(tier: int, shard: int, shards: int) -> Iterator[Point]:
    number = 0
    for batch in range(BATCHES[tier]):
        for point in batch_points(TARGETS, batch):
            if mine(number, shard, shards):
                yield point
            number += 1


GOAL = Goal(
    "PROPS",
    "selection strings and folders with properties, right and spoiled: a second evaluator of "
    "selectors and expat find the same, and what was put comes back byte by byte",
    ("P10",),
    shards={1: 1, 2: 40, 3: 399},
    needed={1: 12_000, 2: 1_000_000, 3: 10_000_000},
    points=fuzz,
    unit="inputs",
)
