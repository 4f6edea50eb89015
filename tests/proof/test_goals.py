"""Goal: T1 of the proof: every walk at its daily size, with its counts printed at the end.

Method: the walks of this folder, a test a shard. `make crash` runs them at larger sizes.
"""

import tomllib
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from ternmq.txn.families.table import KIND_NAMES
from tests.proof.cut_log import log_writes, record_edges
from tests.proof.goal import Goal, Point, PointFailed, run_shard
from tests.proof.registry import GOALS, LIVE, TRACED
from tests.proof.stages import every_kind
from tests.proof.strace_runs import strace_works
from tools.layers import ROOT

# Kinds of records that nothing writes yet, or not to a circular log.
NOT_WRITTEN = {"MEDIA_IMAGE"}

SHARDS = [
    pytest.param(goal, shard, id=f"{goal.id}-{shard}")
    for goal in GOALS.values()
    if goal not in LIVE
    for shard in range(goal.shards[1])
]


def skip_without_strace(goal: Goal) -> None:
    if goal in TRACED and not strace_works():
        pytest.skip("strace is missing or may not trace here; not shown (make setup SYSTEM=1)")


@pytest.mark.core
@pytest.mark.walk
@pytest.mark.timeout(120)
@pytest.mark.promise("P1")
@pytest.mark.promise("P2")
@pytest.mark.promise("P3")
@pytest.mark.promise("P4")
@pytest.mark.promise("P5")
@pytest.mark.promise("P6")
@pytest.mark.promise("P7")
@pytest.mark.promise("P8")
@pytest.mark.promise("P9")
@pytest.mark.promise("P10")
@pytest.mark.parametrize(("goal", "shard"), SHARDS)
def test_walk_then_nothing_is_lost_doubled_or_wrong(
    goal: Goal, shard: int, record_property: Callable[[str, object], None]
) -> None:
    skip_without_strace(goal)
    tally = run_shard(goal, 1, shard)
    record_property(goal.id, tally.points)
    assert tally.points > 0


@pytest.mark.core
@pytest.mark.walk
@pytest.mark.timeout(60)
@pytest.mark.parametrize("goal", GOALS.values(), ids=list(GOALS))
def test_walk_then_it_has_as_many_points_as_were_promised(goal: Goal) -> None:
    skip_without_strace(goal)
    shards = goal.shards[1]
    points = [point for shard in range(shards) for point in goal.points(1, shard, shards)]
    assert sum(point.weight for point in points) >= goal.needed[1]


def test_goals_then_the_table_of_the_proof_has_them_with_their_promises_and_tests() -> None:
    table = tomllib.loads((ROOT / "proof" / "goals.toml").read_text(encoding="utf-8"))
    for name, goal in GOALS.items():
        assert tuple(table[name]["promises"]) == goal.promises, name
    missing = [
        path for goal in table.values() for path in goal["tests"] if not (ROOT / path).exists()
    ]
    assert missing == []


def test_log_that_is_cut_then_it_has_every_kind_of_record_two_switches_and_two_checkpoints() -> (
    None
):
    for seed in range(2):
        run = every_kind(seed)
        kinds: list[str] = []
        size = 0
        for _, write, _, _ in log_writes(run):
            kinds += record_edges(run, write)[1]
            size += len(write.data)
        assert set(kinds) == set(KIND_NAMES.values()) - NOT_WRITTEN
        assert size >= 65_536
        assert kinds.count("CHECKPOINT") >= 2
        assert run.machine.engine.log.end_lsn > 3 * 8 * 4096


def test_point_that_fails_then_its_command_is_reported_and_runs_it_alone() -> None:
    tried: list[int] = []

    def attempt(number: int) -> str:
        tried.append(number)
        if number == 3:
            raise ValueError("wrong")
        return "right"

    def points(tier: int, shard: int, shards: int) -> Iterator[Point]:
        return (Point(f"number {number}", partial(attempt, number)) for number in range(5))

    goal = Goal("G0", "a walk that fails", (), {1: 1}, {1: 5}, points)
    with pytest.raises(PointFailed, match=r"number 3: wrong\nreplay: make crash POINT=G0\.1\.0\.3"):
        run_shard(goal, 1, 0)
    assert tried == [0, 1, 2, 3]
    assert run_shard(goal, 1, 0, only=2).outcomes == {"right": 1}
    assert tried[4:] == [2]
