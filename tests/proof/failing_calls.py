"""G5: the n-th call on the disk fails: EIO, ENOSPC, EINTR, or a write is short; once, or from then
on; for every n of a small workload.

After a failed force everything is refused. Then the disk works again, and a restart on what the
process left, and on what a power loss makes of that, finds what was acknowledged.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from functools import partial

from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CONNECTION_BROKEN,
    MQRC_OBJECT_DAMAGED,
    MQRC_Q_SPACE_NOT_AVAILABLE,
    MQRC_RESOURCE_PROBLEM,
)
from ternmq.testing.chance import Chance
from ternmq.testing.crash_walk import at_random, nothing_kept, verify
from ternmq.testing.disk_faults import Failing, Short
from ternmq.testing.model import Chronicle, Snapshot
from ternmq.testing.sim_disk import Faults
from ternmq.testing.workload import Workload
from tests.proof.goal import Goal, Point
from tests.proof.stages import parameters

STEPS = {1: 60, 2: 100, 3: 150}
REFUSALS = (MQRC_RESOURCE_PROBLEM, MQRC_Q_SPACE_NOT_AVAILABLE, MQRC_BACKED_OUT)

Make = Callable[[int], Faults]
KINDS: dict[str, Make] = {
    "EIO once": lambda at: Failing(errno.EIO, at=at),
    "EIO for ever": lambda at: Failing(errno.EIO, at=at, for_ever=True),
    "ENOSPC once": lambda at: Failing(errno.ENOSPC, at=at),
    "ENOSPC for ever": lambda at: Failing(errno.ENOSPC, at=at, for_ever=True),
    "EINTR once": lambda at: Failing(errno.EINTR, at=at),
    "EINTR for ever": lambda at: Failing(errno.EINTR, at=at, for_ever=True),
    "short once": lambda at: Short(100, at=at),
    "short for ever": lambda at: Short(700, at=at, for_ever=True),
    "nothing written": lambda at: Short(0, at=at, for_ever=True),
}


class FaultRun:
    """One workload on one disk that fails."""

    def __init__(self, seed: int, faults: Faults | None) -> None:
        self.seed = seed
        self.workload = Workload(seed, parameters(seed), lazy=seed % 2 == 1, fast=seed % 4 < 2)
        self.disk = self.workload.disk
        self.first_call = self.disk.calls
        self.disk.faults = faults
        self.broken = False
        self.damaged = False

    def go(self, steps: int) -> None:
        for _ in range(steps):
            if not self.step():
                break

    def step(self) -> bool:
        """One verb; False when the queue manager is of no use any more."""
        try:
            self.workload.step()
        except MQError as error:
            self.broken = error.reason == MQRC_CONNECTION_BROKEN
            self.damaged = error.reason == MQRC_OBJECT_DAMAGED
            if self.broken or self.damaged:
                return False
            if error.reason not in REFUSALS:
                raise
            self.workload.change = None
            self.workload.forget_victims()
        return True

    def possible(self) -> list[Snapshot]:
        return Chronicle(self.workload.snapshots).take_all(self.disk.history).possible()

    def refuse_everything(self) -> None:
        """After a failed force nothing is acknowledged, whatever is tried."""
        machine = self.workload.machine
        acknowledged = len(self.possible())
        tries: list[Callable[[], object]] = [
            lambda: machine.put("A", b"late "),
            lambda: machine.put("A", b"late ", persistent=False),
            lambda: machine.get("A"),
            lambda: machine.commit(self.workload.links[0]),
        ]
        self.workload.change = None
        for one in tries:
            try:
                one()
            except MQError as error:
                if error.reason == MQRC_CONNECTION_BROKEN:
                    continue
            raise AssertionError("something was answered after a failed force")
        assert len(self.possible()) >= acknowledged

    def recover(self, chance: Chance) -> None:
        """Restart on what the process left, and on what a power loss may make of that."""
        possible = self.possible()
        self.disk.faults = None
        verify(nothing_kept(self.disk), possible, drain=False)
        if chance.happens(0.5):
            verify(at_random(self.disk, chance), possible, drain=False)
        else:
            verify(self.disk.survivor(), possible, drain=False)


def calls_of(seed: int, steps: int, writes: bool) -> int:
    """How many calls, or writes, the workload makes when nothing fails."""
    counted = Short(0, at=-1) if writes else Failing(at=-1)
    FaultRun(seed, counted).go(steps)
    return counted.seen


def failing_calls(tier: int, shard: int, shards: int) -> Iterator[Point]:
    """Seeds and kinds of faults are spread over the shards; a shard has every n of its own."""
    kinds = list(KINDS)
    seed, kind = shard // len(kinds), kinds[shard % len(kinds)]
    steps = STEPS[tier]
    total = calls_of(seed, steps, "short" in kind or "nothing" in kind)
    for at in range(1, total + 1):
        yield Point(f"seed {seed}, {kind}, call {at}", partial(fail_at, seed, kind, at, steps))


def fail_at(seed: int, kind: str, at: int, steps: int) -> str:
    run = FaultRun(seed, KINDS[kind](at))
    run.go(steps)
    if run.broken:
        run.refuse_everything()
    run.recover(Chance(f"G5/{seed}/{kind}/{at}"))
    return "stopped" if run.broken else "confined" if run.damaged else "went on"


GOAL = Goal(
    "G5",
    "the n-th call fails: EIO, ENOSPC, EINTR, short; once and for ever; every n",
    ("P8", "P9"),
    shards={1: 18, 2: 72, 3: 360},
    needed={1: 1_500, 2: 10_000, 3: 100_000},
    points=failing_calls,
    unit="failing calls",
)
