"""G18: a unit of work is prepared, decided, ended; the machine stops at any operation on the way.

Before the prepare it is undone; after it, it is in doubt until a decision was forced, whoever made
it; a decision of an operator is remembered until it is forgotten. With and without checkpoints
between, which carry the unit on when the log has forgotten it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from functools import partial

from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.chance import Chance
from ternmq.testing.crash_walk import Place, check, compare, places
from ternmq.testing.machine import Machine
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.workload import Workload
from ternmq.testing.wreck import FATES, any_fate
from tests.proof.goal import Goal, Point

ENDS = ("commit", "back out", "operator commits", "operator backs out")
CHECKPOINTS = ("none", "after prepare", "after the decision", "after both")


class Scenario:
    """A workload, and where in its history the decision and the forgetting lie."""

    def __init__(self, run: Workload, key: bytes, decided: tuple[int, int]) -> None:
        self.run = run
        self.key = key
        self.decided = decided  # operations between which an operator's decision is forced
        self.forgotten = (1 << 30, 1 << 30)


@functools.lru_cache(maxsize=4)
def scenario(end: str, checkpoints: str) -> Scenario:
    run = Workload(3, LogParameters(CIRCULAR, 3, 2, 16, False))
    for _ in range(6):
        run.put(run.links[2], False)
    link = run.links[0]
    for _ in range(3):
        run.put(link, True)
        run.get(link, True)
    run.begun = len(run.disk.history)
    run.prepare(link)
    (key,) = run.model.prepared
    if checkpoints in ("after prepare", "after both"):
        go_round(run)
    before = len(run.disk.history)
    commits = "commit" in end
    xid_end = run.end_by_operator if end.startswith("operator") else run.end_prepared
    xid_end(key, commits)
    made = Scenario(run, key, (before, len(run.disk.history)))
    if checkpoints in ("after the decision", "after both"):
        go_round(run)
    if end.startswith("operator"):
        before = len(run.disk.history)
        run.forget(key)
        made.forgotten = (before, len(run.disk.history))
    run.put(run.links[2], False)
    return made


def go_round(run: Workload) -> None:
    """So much other work that the log has forgotten all before it, in checkpoints."""
    for _ in range(3):
        for _ in range(12):
            run.put(run.links[2], False)
            run.get(run.links[2], False)
        run.machine.checkpoint(full=True)


def prepared_units(tier: int, shard: int, shards: int) -> Iterator[Point]:
    end = ENDS[shard % len(ENDS)]
    for checkpoints in CHECKPOINTS:
        made = scenario(end, checkpoints)
        stride = 1 if checkpoints == "none" or tier > 1 else 25
        for number, place in enumerate(places(made.run)):
            if number % stride:
                continue
            label = f"{end}, checkpoints {checkpoints}, operation {place.at}"
            for fate, disk in outcomes(place):
                yield Point(f"{label}, {fate}", partial(in_doubt, made, place, disk))


def outcomes(place: Place) -> Iterator[tuple[str, SimDisk]]:
    count = len(place.wreck.pending)
    if count == 0:
        yield "settled", place.wreck.disk_of([])
        return
    for name, fate in FATES.items():
        yield name, place.wreck.disk_of([fate] * count)
    chance = Chance(f"G18/{place.at}")
    yield "at random", place.wreck.disk(any_fate(chance), lambda: chance.random() < 0.5)


def in_doubt(made: Scenario, place: Place, disk: SimDisk) -> str:
    machine = Machine(disk.survivor())
    _, prepared = compare(machine, place.possible)
    known = [key[1] for key in machine.engine.coordinator.heuristic]
    if place.at >= made.decided[1] and made.forgotten[0] < 1 << 30:
        if place.at < made.forgotten[0]:
            assert known == [made.key], "an operator's decision is not remembered"
        elif place.at >= made.forgotten[1]:
            assert known == [], "a decision that was forgotten is remembered"
    check(disk, place.possible)
    return "in doubt" if prepared else "decided or undone"


GOAL = Goal(
    "G18",
    "prepared units: a crash at every operation of prepare, decision, end and forgetting",
    ("P2", "P5"),
    shards={1: 4, 2: 4, 3: 4},
    needed={1: 60, 2: 60, 3: 60},
    points=prepared_units,
    unit="crash states",
)
