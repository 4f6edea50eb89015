"""G4: the machine stops inside a restart, up to three times in a row.

A workload is crashed; its restart, up to the end of its first checkpoint, is stopped at a call that
changes the disk, with a power loss; so is the restart after that, and the one after that. The last
one must find what the first would have found.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ternmq.testing.chance import Chance
from ternmq.testing.crash_walk import at_random, check, places
from ternmq.testing.disk_faults import CHANGES
from ternmq.testing.machine import Machine
from ternmq.testing.model import Snapshot
from ternmq.testing.sim_disk import Crash, Image, SimDisk
from ternmq.testing.wreck import any_fate
from tests.proof.goal import Goal, Point
from tests.proof.stages import small

# Every so many-th place of a workload; of its restart's changes every so many-th.
PLACES = {1: 71, 2: 13, 3: 3}
CALLS = {1: 3, 2: 1, 3: 1}
DEPTH_MAX = 3


def inside_restart(tier: int, shard: int, shards: int) -> Iterator[Point]:
    seed = shard
    for number, place in enumerate(places(small(seed))):
        if number % PLACES[tier] != seed % PLACES[tier]:
            continue
        chance = Chance(f"G4/{seed}/{place.at}")
        image = place.wreck.disk(any_fate(chance), lambda: chance.random() < 0.5).base  # noqa: B023
        calls = changing_calls(SimDisk(image))
        for call in calls[seed % CALLS[tier] :: CALLS[tier]]:
            depth = 1 + (call + number) % DEPTH_MAX
            label = f"seed {seed}, operation {place.at}, call {call}, {depth} deep"
            luck = Chance(f"G4/{label}")
            yield Point(label, partial(stop_inside, image, call, depth, place.possible, luck))


def changing_calls(disk: SimDisk) -> list[int]:
    """The numbers of the calls with which a whole restart changes the disk."""
    found: list[int] = []

    def note(call: str, path: str, count: int) -> None:
        if call in CHANGES:
            found.append(count)

    disk.faults = note
    begin(disk)
    return found


def begin(disk: SimDisk) -> Machine:
    """A restart, to the end of its first checkpoint."""
    machine = Machine(disk)
    machine.checkpoint(full=True)
    return machine


def stop_inside(
    image: Image, call: int, depth: int, possible: list[Snapshot], chance: Chance
) -> str:
    disk = SimDisk(image)
    stops = 0
    for _ in range(depth):
        disk.stop_at = call
        try:
            begin(disk)
            break  # the last crash left nothing to do at that call
        except Crash:
            stops += 1
        disk = at_random(disk, chance)
        call = chance.randrange(1, 120)
    else:
        check(disk, possible)
        return f"{stops} deep"
    check(at_random(disk, chance), possible)
    return f"{stops} deep"


GOAL = Goal(
    "G4",
    "the machine stops inside restart, up to three times in a row",
    ("P2",),
    shards={1: 4, 2: 24, 3: 60},
    needed={1: 500, 2: 20_000, 3: 200_000},
    points=inside_restart,
    unit="stopped restarts",
)
