"""G19: the disk is full at any moment.

A workload on a disk with room for so many blocks of 4 KiB more. The queue manager goes on: work
that needs room is refused with a reason of a full resource, units of work that are under way can
be committed and backed out. When there is room again, work goes on without a restart; and a
restart finds what was acknowledged.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_BACKED_OUT
from ternmq.testing.chance import Chance
from tests.proof.failing_calls import FaultRun
from tests.proof.goal import Goal, Point

STEPS = 90
BLOCK = 4096
BLOCKS = {1: 16, 2: 64, 3: 128}
REFUSED_AFTERWARDS_MAX = 2


def full_disk(tier: int, shard: int, shards: int) -> Iterator[Point]:
    seed = shard
    for blocks in range(BLOCKS[tier]):
        yield Point(f"seed {seed}, full after {blocks} blocks", partial(fill, seed, blocks))


def fill(seed: int, blocks: int) -> str:
    run = FaultRun(seed, None)
    run.disk.capacity = run.disk.used() + blocks * BLOCK + 1
    run.go(STEPS)
    assert not run.broken, "a full disk is no reason to stop"
    was_full = run.workload.refused > 0 or run.disk.free_bytes() < BLOCK
    end_units(run)
    run.disk.capacity = 0
    before = run.workload.refused
    run.go(STEPS)
    assert not run.broken
    refused = run.workload.refused - before
    assert refused <= REFUSED_AFTERWARDS_MAX, f"there is room, but {refused} verbs were refused"
    run.recover(Chance(f"G19/{seed}/{blocks}"))
    return "was full" if was_full else "had room"


def end_units(run: FaultRun) -> None:
    """What is under way can end, full disk or not."""
    work = run.workload
    for number, link in enumerate(work.links):
        try:
            if number % 2:
                work.commit(link)
            else:
                work.back_out(link)
        except MQError as error:
            if error.reason != MQRC_BACKED_OUT:  # by the queue manager, which needed the log
                raise
            work.change = None
            work.drop_unit(link)
        work.forget_victims()


GOAL = Goal(
    "G19",
    "the disk is full at every 4 KiB of a workload",
    ("P8",),
    shards={1: 4, 2: 16, 3: 40},
    needed={1: 50, 2: 1_000, 3: 5_000},
    points=full_disk,
    unit="full disks",
)
