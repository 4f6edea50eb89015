"""G22: somebody sets the wall clock, a day forwards or back, or it stands still.

A workload whose clock jumps between its verbs, crashed at random places and started again with the
clock as it is then; several lives. Nothing without an expiry may go, nothing come twice or out of
order, and a wait ends by the monotonic clock.

The same with message channels between queue managers, whose LUWIDs are made from the clock: each
clock jumps by itself and all of them together, with crashes and cuts between.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ternmq.testing.chance import Chance
from ternmq.testing.channel_scenario import run_with_clocks
from ternmq.testing.crash_walk import compare
from ternmq.testing.machine import Machine
from ternmq.testing.model import Chronicle
from ternmq.testing.sim_clock import DAY_S, SimClock
from ternmq.testing.workload import Workload
from ternmq.testing.wreck import Wreck, any_fate
from tests.proof.goal import Goal, Point
from tests.proof.stages import parameters

LIVES = 3
STEPS = 30
JUMPS_S = (-DAY_S, DAY_S, -1, 1, -3600, 0.001, -0.000001)


class JumpingWorkload(Workload):
    """Between two verbs anything may happen to the clock."""

    def step(self) -> None:
        clock = self.clock
        assert isinstance(clock, SimClock)
        luck = self.chance.random()
        if luck < 0.2:
            clock.jump(self.chance.choice(JUMPS_S))
        elif luck < 0.25:
            clock.freeze()
        elif luck < 0.35:
            clock.thaw()
        elif luck < 0.4:
            clock.advance(self.chance.choice((0.1, 3, 600)))
            self.machine.engine.tick()
            self.machine.settle()
        super().step()

    def expire(self) -> None:
        """Not here: what a restart finds would depend on the clock."""


def clock_jumps(tier: int, shard: int, shards: int) -> Iterator[Point]:
    seeds = SEEDS[tier]
    for seed in range(shard, seeds, shards):
        yield Point(f"seed {seed}", partial(jump, seed))
    for seed in range(shard, CHANNEL_SEEDS[tier], shards):
        yield Point(f"channels, seed {seed}", partial(jump_with_channels, seed))


def jump(seed: int) -> str:
    chance = Chance(f"G22/{seed}")
    clock = SimClock()
    run = JumpingWorkload(
        seed, parameters(seed), lazy=seed % 2 == 1, clock=clock, fast=seed % 4 < 2
    )
    for _ in range(LIVES):
        run.go(chance.randrange(5, STEPS))
        cut = chance.randrange(run.begun, len(run.disk.history) + 1)
        possible = Chronicle(run.snapshots).take_all(run.disk.history[:cut]).possible()
        wreck = Wreck(run.disk).advance(cut)
        disk = wreck.disk(any_fate(chance), lambda: chance.random() < 0.5)
        found = compare(Machine(disk.survivor(), None, clock), possible)
        clock.jump(chance.choice(JUMPS_S))
        run.resume(disk, found)
    return "went on"


def jump_with_channels(seed: int) -> str:
    result = run_with_clocks(seed + CHANNELS_FROM)
    assert not result.problems, result.problems[:5]
    return "channels went on"


SEEDS = {1: 120, 2: 2_000, 3: 20_000}
CHANNEL_SEEDS = {1: 16, 2: 500, 3: 5_000}
CHANNELS_FROM = 1_000_000  # other worlds than those of G16
GOAL = Goal(
    "G22",
    "the wall clock jumps a day forwards or back, or stands still, with crashes between",
    ("P1", "P3"),
    shards={1: 2, 2: 20, 3: 100},
    needed={1: 100, 2: 2_000, 3: 20_000},
    points=clock_jumps,
    unit="seeds",
)
