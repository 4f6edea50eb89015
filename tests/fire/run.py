"""`make fire`: kills drivers and workers of Spark again and again, and counts messages.

python -m tests.fire.run [--kills 50] [--seed 1] [--keep FOLDER] [--record]

One queue manager and one set of checkpoints live through all of it. Each kill hits one of three
queries; when it has come to its end all the same, every message must be once where it puts them: in
a table, in the lake, or on another queue, there in order. A last round has all three at their ends,
and nothing in doubt. With --record the counts go to proof/, from which docs/internals/proof.md is
made.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import ternmq
from tests.fire.points import Order, orders
from tests.fire.world import NO_RETRIES, RETRIES, Fault, World
from tools.layers import ROOT

GOAL = "FIRE"
KILLS = 50


def report(text: str) -> None:
    sys.stderr.write(f"{datetime.now():%H:%M:%S} {text}\n")
    sys.stderr.flush()


def walk(world: World, kills: int, seed: int) -> Iterator[int]:
    """So many kills, then a round without; Fault if a message is not where it must be. Gives how
    many there were after each."""
    waiting = list(orders(kills, seed))
    done = 0
    while waiting:
        order = waiting.pop(0)
        begun = time.monotonic()
        if world.round(order, RETRIES if done % 2 else NO_RETRIES):
            done += 1
            world.outcomes[f"in {order.point.partition('.')[0]}"] += 1
            world.outcomes[f"victim {order.victim}"] += 1
            reported = f"{done} of {kills}: {order}"
        else:  # there were fewer batches than it waited for
            waiting.append(Order(order.query, order.point, order.victim))
            reported = f"not reached: {order}"
        report(f"{reported}, {world.put} messages, {time.monotonic() - begun:.0f} s")
        yield done
    world.last_round(RETRIES)


def record(world: World, kills: int, wanted: int, seconds: float, name: str = GOAL) -> Path:
    """What has been done so far; a run that is cut off leaves what it did."""
    goal = tomllib.loads((ROOT / "proof" / "goals.toml").read_text(encoding="utf-8"))[name]
    source = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    values = {
        "goal": name,
        "about": goal["about"],
        "promises": goal["promises"],
        "tier": 2,
        "unit": goal.get("unit", "kills"),
        "points": kills,
        "wanted": wanted,
        "outcomes": {**dict(sorted(world.outcomes.items())), "messages": world.put},
        "failed": 0,
        "seconds": round(seconds),
        "build": str(ternmq.build_info()).partition(",")[0],
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "source": source.stdout.strip(),
    }
    path = ROOT / "proof" / f"{name}.T2.json"
    path.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a new folder for everything, which stays")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fire") as scratch:
        try:
            with World(arguments.keep or Path(scratch) / "world") as world:
                for done in walk(world, arguments.kills, arguments.seed):
                    if arguments.record:
                        record(world, done, arguments.kills, time.monotonic() - begun)
        except Fault as fault:
            report(f"FAILED, seed {arguments.seed}: {fault}")
            return 1
    outcomes = ", ".join(f"{name} {count}" for name, count in sorted(world.outcomes.items()))
    report(f"{arguments.kills} kills, {world.put} messages, each once ({outcomes})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
