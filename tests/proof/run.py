"""Runs the walks of the proof at a chosen size, tells how far it is, and keeps the counts.

    python -m tests.proof.run [--tier 2] [--goals G1,G2] [--jobs 2] [--fresh] [--keep FOLDER]
    python -m tests.proof.run --point G1.2.0.17

What was done is noted shard by shard, so that a run that was cut off goes on where it was, unless
`--fresh` is given or the package's source has changed since: a count is of one source. When a goal
is whole, its counts are written to FOLDER (proof/), from which docs/internals/proof.md is made. A
point that fails is printed with the command that runs it again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import ternmq
from tests.proof.goal import Goal, Tally, run_shard
from tests.proof.registry import GOALS

ROOT = Path(__file__).resolve().parent.parent.parent
UNDER_WAY = ROOT / ".cache" / "proof"


def one_shard(goal: str, tier: int, shard: int) -> tuple[int, dict[str, int], float]:
    """In a process of its own."""
    begun = time.monotonic()
    tally = run_shard(GOALS[goal], tier, shard)
    return tally.points, dict(tally.outcomes), time.monotonic() - begun


class Ledger:
    """What has been done of one goal at one tier."""

    def __init__(self, goal: Goal, tier: int, fresh: bool) -> None:
        self.goal = goal
        self.tier = tier
        self.path = UNDER_WAY / f"{goal.id}.{tier}.{git_name('HEAD:src')}.json"
        self.shards: dict[str, dict[str, object]] = {}
        self.tally = Tally()
        self.seconds = 0.0
        if self.path.exists() and not fresh:
            for shard, reported in json.loads(self.path.read_text(encoding="utf-8")).items():
                self._count(shard, reported["points"], reported["outcomes"], reported["seconds"])

    def _count(self, shard: str, points: int, outcomes: dict[str, int], seconds: float) -> None:
        self.shards[shard] = {"points": points, "outcomes": outcomes, "seconds": round(seconds, 2)}
        self.tally.points += points
        self.tally.outcomes.update(outcomes)
        self.seconds += seconds

    def note(self, shard: int, points: int, outcomes: dict[str, int], seconds: float) -> None:
        self._count(str(shard), points, outcomes, seconds)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.shards), encoding="utf-8")

    def left(self) -> list[int]:
        return [n for n in range(self.goal.to_run(self.tier)) if str(n) not in self.shards]

    def report(self) -> dict[str, object]:
        """What is kept."""
        goal = self.goal
        return {
            "goal": goal.id,
            "about": goal.about,
            "promises": list(goal.promises),
            "tier": self.tier,
            "unit": goal.unit,
            "points": self.tally.points,
            "wanted": goal.needed[self.tier],
            "outcomes": dict(sorted(self.tally.outcomes.items())),
            "failed": 0,
            "seconds": round(self.seconds),
            "build": str(ternmq.build_info()).partition(",")[0],
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "source": git_name("HEAD"),
        }


def git_name(what: str) -> str:
    """The short name of a commit or of a folder in it; empty where there is no repository."""
    command = ["git", "-C", str(ROOT), "rev-parse", "--short", what]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()


class Bar:
    """One line on stderr that says how far it is."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.begun = time.monotonic()
        self.done_before = len(ledger.shards)

    def show(self, end: str = "") -> None:
        ledger = self.ledger
        whole = ledger.goal.to_run(ledger.tier)
        done = len(ledger.shards)
        filled = 30 * done // whole
        passed = time.monotonic() - self.begun
        fresh = done - self.done_before
        left = f", {passed / fresh * (whole - done):.0f} s left" if fresh and done < whole else ""
        sys.stderr.write(
            f"\r{ledger.goal.id:>4} [{'#' * filled}{'.' * (30 - filled)}] {done}/{whole} shards, "
            f"{ledger.tally.points:,} {ledger.goal.unit}, {passed:.0f} s{left}    {end}"
        )
        sys.stderr.flush()


@contextmanager
def workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that go when the run is cut off."""
    with ProcessPoolExecutor(jobs) as pool:
        try:
            yield pool
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def run_goal(goal: Goal, tier: int, jobs: int, fresh: bool, keep: Path) -> bool:
    """Run what is left of a goal; True if all of it is well."""
    ledger = Ledger(goal, tier, fresh)
    bar = Bar(ledger)
    bar.show()
    with workers(jobs) as pool:
        shards: dict[Future[tuple[int, dict[str, int], float]], int] = {
            pool.submit(one_shard, goal.id, tier, shard): shard for shard in ledger.left()
        }
        for future in as_completed(shards):
            try:
                ledger.note(shards[future], *future.result())
            except AssertionError as failure:
                sys.stderr.write(f"\n{failure}\n")
                return False
            bar.show()
    bar.show("\n")
    report = ledger.report()
    keep.mkdir(parents=True, exist_ok=True)
    text = json.dumps(report, indent=2) + "\n"
    (keep / f"{goal.id}.T{tier}.json").write_text(text, encoding="utf-8")
    ledger.path.unlink(missing_ok=True)
    if ledger.tally.points < goal.needed[tier]:
        sys.stderr.write(f"{goal.id}: {goal.needed[tier]:,} {goal.unit} were wanted\n")
        return False
    return True


def with_seeds(goal: Goal, tier: int, seeds: int) -> Goal:
    """The goal with so many of its shards that at least these seeds are in them."""
    whole = goal.shards[tier]
    shards = min(whole, -(-seeds * whole // goal.needed[tier]))
    return replace(
        goal, run_shards={tier: shards}, needed={**goal.needed, tier: min(seeds, goal.needed[tier])}
    )


def replay(key: str) -> int:
    """Run one point again, with everything it says."""
    goal, tier, shard, number = key.split(".")
    tally = run_shard(GOALS[goal], int(tier), int(shard), only=int(number))
    sys.stdout.write(f"{key}: {dict(tally.outcomes)}\n")
    return 0 if tally.points else 1


def summary(reports: list[Path]) -> None:
    sys.stdout.write(
        f"{'goal':>5} {'tier':>4} {'points':>10} {'wanted':>10} {'seconds':>8}  outcomes\n"
    )
    for path in reports:
        values = json.loads(path.read_text(encoding="utf-8"))
        outcomes = ", ".join(f"{name} {count:,}" for name, count in values["outcomes"].items())
        sys.stdout.write(
            f"{values['goal']:>5} {'T' + str(values['tier']):>4} {values['points']:>10,} "
            f"{values['wanted']:>10,} {values['seconds']:>8,}  {outcomes}\n"
        )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tier", type=int, choices=(1, 2, 3), default=2)
    parser.add_argument("--goals", default=",".join(GOALS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--keep", type=Path, default=ROOT / "proof")
    parser.add_argument("--point", default="")
    parser.add_argument("--seeds", type=int, default=0, help="how many, of goals that count seeds")
    given = parser.parse_args(arguments)
    if given.point:
        return replay(given.point)
    goals = [GOALS[name] for name in given.goals.split(",")]
    sys.stderr.write(f"{ternmq.build_info()}\n")
    if given.seeds:
        goals = [with_seeds(goal, given.tier, given.seeds) for goal in goals]
    well = [run_goal(goal, given.tier, given.jobs, given.fresh, given.keep) for goal in goals]
    kept = [given.keep / f"{goal.id}.T{given.tier}.json" for goal in goals]
    summary([path for path in kept if path.exists()])
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
