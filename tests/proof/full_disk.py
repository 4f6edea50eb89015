"""G19: the disk is full at any moment.

A workload on a disk with room for so many blocks of 4 KiB more. The queue manager goes on: work
that needs room is refused with a reason of a full resource, units of work that are under way can
be committed and backed out. Then puts fill what is left, of the log too, and everything can be
got, by the running queue manager and by one that is started on the full disk; after that puts are
taken again. When there is room, work goes on without a restart; and a restart finds what was
acknowledged.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_BACKED_OUT
from ternmq.testing.chance import Chance
from ternmq.testing.machine import Machine
from ternmq.testing.model import name_of
from tests.proof.failing_calls import REFUSALS, FaultRun
from tests.proof.goal import Goal, Point
from tests.proof.stages import parameters

STEPS = 90
BLOCK = 4096
BLOCKS = {1: 16, 2: 64, 3: 128}
REFUSED_AFTERWARDS_MAX = 2
REFUSED_MIN = 5  # puts, before the disk counts as full
QUEUES = "AB"


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
    if not parameters(seed).is_linear:  # which needs room for each get, and more than is set aside
        fill_and_drain(run)
        if has_room(run):
            run.workload.put(run.workload.links[2], False)
    run.disk.capacity = 0
    before = run.workload.refused
    run.go(STEPS)
    assert not run.broken
    refused = run.workload.refused - before
    assert refused <= REFUSED_AFTERWARDS_MAX, f"there is room, but {refused} verbs were refused"
    run.recover(Chance(f"G19/{seed}/{blocks}"))
    return "was full" if was_full else "had room"


def has_room(run: FaultRun) -> bool:
    """Whether the disk, with all messages gone, suffices for the journals of the queues in use and
    for a put."""
    reserve = run.workload.machine.engine.coordinator.reserve
    return run.disk.free_bytes() + reserve.size > reserve.margin + BLOCK


def fill_and_drain(run: FaultRun) -> None:
    """Puts until the disk and the log are full, then gets until nothing is left."""
    work = run.workload
    link = work.links[2]
    refused = 0
    while refused < REFUSED_MIN:
        try:
            work.put(link, False)
        except MQError as error:
            if error.reason not in REFUSALS:
                raise
            work.change = None
            work.forget_victims()
            refused += 1
    for key in sorted(work.model.prepared):
        work.end_prepared(key, True)
    drain_elsewhere(run)
    number = 0
    for queue in QUEUES:
        while work.available(queue):
            number += 1
            work.get(link, number % 3 == 0, work.available(queue)[0])
            if number % 3 == 0:
                work.commit(link)


def drain_elsewhere(run: FaultRun) -> None:
    """A queue manager that is started on the disk as it is, without a free byte."""
    disk = run.disk.survivor()
    disk.capacity = max(run.disk.capacity, disk.used())
    machine = Machine(disk)
    for queue in QUEUES:
        expected = [one.name for one in run.workload.available(queue) if one.persistent]
        found = [name_of(data) for data in machine.drain(queue)]
        assert found == expected, f"{queue} has {found}, expected {expected}"


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
    "the disk is full at every 4 KiB of a workload, and is drained",
    ("P8",),
    shards={1: 4, 2: 16, 3: 40},
    needed={1: 50, 2: 1_000, 3: 5_000},
    points=full_disk,
    unit="full disks",
)
