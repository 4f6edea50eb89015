"""G15: every step of the protocol of message channels, with every fault, for every shape of a batch
and every kind of channel: 15 x 12 x 4 x 3 cells. What becomes of the batch must be what the table
of `channel_expected` says, and after everything is healed all has arrived, once and in order.

Tier 2 strikes a second fault while the channel recovers from the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tests.proof.channel_cell import Cell
from tests.proof.channel_expected import EXPECTED, IMPOSSIBLE
from tests.proof.channel_setting import KINDS, SHAPES, Shape
from tests.proof.channel_steps import Fault, Step
from tests.proof.goal import Goal, Point, mine


def channel_matrix(tier: int, shard: int, shards: int) -> Iterator[Point]:
    number = 0
    for kind in KINDS:
        for shape in SHAPES:
            for step in Step:
                for fault in Fault:
                    number += 1
                    if mine(number, shard, shards):
                        name = f"{kind}, {shape.name}, {step.value}, {fault.value}"
                        yield Point(name, partial(play, kind, shape, step, fault))


def play(kind: str, shape: Shape, step: Step, fault: Fault) -> str:
    if (step, fault) in IMPOSSIBLE:
        return "cannot be"
    outcome = Cell(kind, shape, step, fault).run()
    expected = EXPECTED[step, fault]
    assert outcome == expected, f"{outcome!r}, and {expected!r} is expected"
    return outcome


GOAL = Goal(
    "G15",
    "message channels: 15 steps of the protocol, 12 faults, 4 shapes of a batch, 3 kinds of channel",
    ("P3", "P4", "P5"),
    shards={1: 12, 2: 12, 3: 12},
    needed={1: 2_160, 2: 10_000, 3: 10_000},
    points=channel_matrix,
    unit="cells",
)
