"""G20: with a linear log, files are deleted, cut, emptied, flipped or zeroed at points between an
image and now; every object comes back up to the present.

Objects: a queue by its journal, by one segment, by all its files; both queues; the catalog; the
register; everything but the log; one copy of a dual log. A point is one disk, spoilt once, started,
recovered and compared with the model.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from functools import partial

from ternmq.testing.both_modes import in_both_modes
from ternmq.testing.machine import Machine
from ternmq.testing.model import Disagreement, Snapshot, State, difference
from ternmq.testing.sim_disk import SimDisk
from tests.media.bench import DUAL, SINGLE, SPOILS, MediaWorkload, files_of, recovered_state
from tests.proof.goal import Goal, Point

SEEDS = {1: 4, 2: 40, 3: 200}


@functools.lru_cache(maxsize=4)
def made(seed: int) -> tuple[SimDisk, State]:
    """A disk whose last images lie before the end of the log by more for some seeds than for
    others, and what is on it."""

    def make(fast: bool) -> MediaWorkload:
        run = MediaWorkload(seed, DUAL if seed % 3 == 2 else SINGLE, seed % 2 == 1, fast)
        run.go(60 + 11 * (seed % 9))
        while run.images == 0:
            run.go(5)
        run.go(8 * (seed % 7))
        run.machine.settle()
        return run

    run = in_both_modes(make)
    return run.disk.settled(), run.snapshots[-1].state


def targets(disk: SimDisk) -> dict[str, list[str]]:
    """What is spoilt together, by the object that it is."""
    found: dict[str, list[str]] = {}
    for queue in ("A", "B"):
        found[f"journal of {queue}"] = files_of(disk, queue, "/state")
        found[f"segment of {queue}"] = files_of(disk, queue, ".seg")[:1]
        found[f"queue {queue}"] = files_of(disk, queue)
    found["both queues"] = files_of(disk, "A") + files_of(disk, "B")
    found["catalog"] = ["catalog"]
    found["register and a queue"] = [
        *(path for path in disk.names if "/register." in path),
        *files_of(disk, "A"),
    ]
    found["all but the log"] = [path for path in disk.names if not path.startswith("log/")]
    if any(path.startswith("log/active2/") for path in disk.names):
        for copy in ("active", "active2"):
            lost = [path for path in disk.names if path.startswith(f"log/{copy}/")]
            found[f"{copy} and a queue"] = lost + files_of(disk, "B")
    return {name: sorted(paths) for name, paths in found.items() if paths}


def media(tier: int, shard: int, shards: int) -> Iterator[Point]:
    for seed in range(shard, SEEDS[tier], shards):
        disk, _ = made(seed)
        for name, paths in targets(disk).items():
            for how in SPOILS:
                yield Point(f"seed {seed}, {name} {how}", partial(recover, seed, paths, how))


def recover(seed: int, paths: list[str], how: str) -> str:
    sound, expected = made(seed)
    disk = sound.settled()
    for path in paths:
        SPOILS[how](disk, path)
    machine = Machine(disk)
    by_start = [line for line in machine.engine.report if line.startswith(("Re-cr", "Recov"))]
    found, by_order = recovered_state(machine, ["A", "B"])
    if found != expected:
        raise Disagreement(difference(found, [Snapshot.of(expected)]))
    if by_order:
        return "re-created by order"
    return "recovered by the start" if by_start else "nothing was needed of it"


GOAL = Goal(
    "G20",
    "media recovery: each object, its files lost or spoilt at points between its image and now",
    ("P7",),
    shards={1: 2, 2: 20, 3: 50},
    needed={1: 60, 2: 1_000, 3: 5_000},
    points=media,
    unit="recoveries",
)
