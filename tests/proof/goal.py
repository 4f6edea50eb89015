"""What a goal of the proof is: a walk over points, cut into shards, at sizes called tiers.

A goal lists its points; each point runs by itself and answers with a word for its outcome, or
raises. Points of one tier and shard always come in the same order, so that a number is enough to
run one of them again. `run_shard` counts; a point that fails tells the command that replays it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

# Called now and then, with how many points have been run.
Progress = Callable[[int], None]


@dataclass(frozen=True)
class Point:
    """One thing to try: its name, for people, and how to try it."""

    name: str
    run: Callable[[], str]
    weight: int = 1  # how many it counts for


@dataclass(frozen=True)
class Goal:
    """A walk. `points(tier, shard, shards)` lists the points of one shard."""

    id: str
    about: str
    promises: tuple[str, ...]
    shards: dict[int, int]  # tier: into how many parts it is cut
    needed: dict[int, int]  # tier: how many points it must have
    points: Callable[[int, int, int], Iterator[Point]]
    unit: str = "points"
    run_shards: dict[int, int] = field(default_factory=dict)  # tier: how many, if not all

    def to_run(self, tier: int) -> int:
        return self.run_shards.get(tier, self.shards[tier])


@dataclass
class Tally:
    """What was counted."""

    points: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        self.points += other.points
        self.outcomes.update(other.outcomes)


class PointFailed(AssertionError):
    """A point of a walk failed."""

    def __init__(self, key: str, name: str, error: BaseException) -> None:
        super().__init__(f"{key}, {name}: {error}\nreplay: make crash POINT={key}")
        self.key = key
        self.name = name
        self.text = str(error)

    def __reduce__(self) -> tuple[type[PointFailed], tuple[str, str, Exception]]:
        """So that it comes out of the process that it was raised in."""
        return PointFailed, (self.key, self.name, Exception(self.text))


def key_of(goal: Goal, tier: int, shard: int, number: int) -> str:
    return f"{goal.id}.{tier}.{shard}.{number}"


def run_shard(
    goal: Goal, tier: int, shard: int, *, only: int = -1, progress: Progress | None = None
) -> Tally:
    """Run the points of a shard, or one of them."""
    tally = Tally()
    for number, point in enumerate(goal.points(tier, shard, goal.shards[tier])):
        if only not in (-1, number):
            continue
        try:
            outcome = point.run()
        except Exception as error:
            raise PointFailed(key_of(goal, tier, shard, number), point.name, error) from error
        tally.points += point.weight
        tally.outcomes[outcome] += point.weight
        if progress is not None and tally.points % 16 == 0:
            progress(tally.points)
    return tally


def mine(number: int, shard: int, shards: int) -> bool:
    """Whether a point of a walk that all shards share is this one's."""
    return number % shards == shard
