"""G15: every step of the protocol of message channels, with every fault, for every shape of a batch
and every kind of channel: 15 x 12 x 4 x 3 cells. What becomes of the batch must be what the table
of `channel_expected` says, and after everything is healed all has arrived, once and in order.

Tier 2 strikes a second fault while the channel recovers from the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import permutations, product

from tests.proof.channel_cell import Cell
from tests.proof.channel_expected import EXPECTED, IMPOSSIBLE
from tests.proof.channel_setting import KINDS, LONG, SHAPES, Shape
from tests.proof.channel_steps import Fault, Step
from tests.proof.goal import Goal, Point, mine

SEGMENTED = SHAPES[2]


def cells(tier: int) -> Iterator[Point]:
    """All of them, in their order."""
    for kind, shape, step, fault in product(KINDS, SHAPES, Step, Fault):
        if tier > 1 and shape is SEGMENTED:
            shape = LONG
        yield Point(
            f"{kind}, {shape.name}, {step.value}, {fault.value}",
            partial(play, kind, shape, step, fault),
        )
    if tier > 1:
        for kind, shape, step, (one, two) in product(KINDS, SHAPES, Step, permutations(Fault, 2)):
            if shape is not SEGMENTED:
                yield Point(
                    f"{kind}, {shape.name}, {step.value}, {one.value}, then {two.value}",
                    partial(play_pair, kind, shape, step, one, two),
                )


def channel_matrix(tier: int, shard: int, shards: int) -> Iterator[Point]:
    return (point for at, point in enumerate(cells(tier)) if mine(at, shard, shards))


def play(kind: str, shape: Shape, step: Step, fault: Fault) -> str:
    if (step, fault) in IMPOSSIBLE:
        return "cannot be"
    outcome = Cell(kind, shape, step, fault).run()
    expected = EXPECTED[step, fault]
    assert outcome == expected, f"{outcome!r}, and {expected!r} is expected"
    return outcome


def play_pair(kind: str, shape: Shape, step: Step, one: Fault, two: Fault) -> str:
    if (step, one) in IMPOSSIBLE or (step, two) in IMPOSSIBLE:
        return "cannot be"
    outcome = Cell(kind, shape, step, one, two).run()
    assert outcome == EXPECTED[step, one], f"{outcome!r}"
    return "two faults"


GOAL = Goal(
    "G15",
    "message channels: 15 steps of the protocol, 12 faults, 4 shapes of a batch, 3 kinds",
    ("P3", "P4", "P5"),
    shards={1: 8, 2: 60, 3: 60},
    needed={1: 2_160, 2: 10_000, 3: 10_000},
    points=channel_matrix,
    unit="cells",
)
