"""Compares two checkouts by their own benchmarks, in turns, in one run.

    python benchmarks/compare.py BEFORE [NAME ...] [--rounds 7] [--seconds 0.5] [--json FILE]

BEFORE is a checkout of another revision with its own `.venv` (`make setup` there). In each round
both sides run each benchmark once, and the side that begins changes from round to round, so that a
machine that becomes slower does so for both. The table shows the medians of both sides and the
median of the ratios of the rounds; above 1, this checkout is better.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_NAMES = ["pairs", "forced", "network", "served"]
HIGHER_IS_BETTER = ("/s", "a second", "per second")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compares two checkouts, in turns.")
    parser.add_argument("before", type=Path, help="a checkout of another revision, with its .venv")
    parser.add_argument("names", nargs="*", metavar="NAME", default=DEFAULT_NAMES)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--json", type=Path, metavar="FILE")
    chosen = parser.parse_args()
    if not (chosen.before / ".venv" / "bin" / "python").exists():
        parser.error(f"{chosen.before} has no .venv: run make setup there")
    return chosen


def figures(checkout: Path, name: str, seconds: float) -> dict[str, dict[str, Any]]:
    """The figures of one benchmark of one side, by their names."""
    python = checkout / ".venv" / "bin" / "python"
    environment = {key: value for key, value in os.environ.items() if key != "TERNMQ_PURE"}
    environment["PYTHONPATH"] = str(checkout)
    with tempfile.TemporaryDirectory(prefix="ternmq-compare-") as folder:
        command = [str(python), str(checkout / "benchmarks" / "run.py"), name, "--quick"]
        command += ["--rounds", "1", "--seconds", str(seconds), "--worker", folder]
        done = subprocess.run(
            command, cwd=checkout, env=environment, stdout=subprocess.PIPE, check=False
        )
    if done.returncode:
        raise SystemExit(f"{name} failed in {checkout}")
    output: dict[str, Any] = json.loads(done.stdout)
    if not output["compiled"]:
        raise SystemExit(f"{checkout} has no compiled build: run make setup there")
    return {one["name"]: one for one in output["figures"] if one["value"]}


def advantage(unit: str, before: float, after: float) -> float:
    """Above 1 where the second is better."""
    if any(unit.endswith(end) for end in HIGHER_IS_BETTER):
        return after / before
    return before / after


def compare(chosen: argparse.Namespace) -> list[dict[str, Any]]:
    """A row for each figure that both sides have."""
    sides = (chosen.before.resolve(), ROOT)
    seen: dict[tuple[str, str], list[tuple[float, float]]] = {}
    units: dict[tuple[str, str], str] = {}
    for number in range(chosen.rounds):
        for name in chosen.names:
            order = sides if number % 2 == 0 else sides[::-1]
            found = {side: figures(side, name, chosen.seconds) for side in order}
            for figure, after in found[ROOT].items():
                before = found[sides[0]].get(figure)
                if before is not None and before["unit"] == after["unit"]:
                    units[name, figure] = after["unit"]
                    pair = (float(before["value"]), float(after["value"]))
                    seen.setdefault((name, figure), []).append(pair)
            sys.stderr.write(f"round {number + 1} of {chosen.rounds}: {name}\n")
            sys.stderr.flush()
    return [row(key, units[key], pairs) for key, pairs in seen.items()]


def row(key: tuple[str, str], unit: str, pairs: list[tuple[float, float]]) -> dict[str, Any]:
    ratios = [advantage(unit, before, after) for before, after in pairs]
    return {
        "benchmark": key[0],
        "figure": key[1],
        "unit": unit,
        "before": statistics.median(before for before, _ in pairs),
        "after": statistics.median(after for _, after in pairs),
        "ratio": statistics.median(ratios),
        "lowest": min(ratios),
        "highest": max(ratios),
        "rounds": len(pairs),
    }


def main() -> None:
    chosen = arguments()
    rows = compare(chosen)
    sys.stdout.write(f"{'':<52} {'before':>12} {'after':>12} {'ratio':>6}  lowest to highest\n")
    for one in rows:
        what = f"{one['benchmark']}: {one['figure']}"
        sys.stdout.write(
            f"{what:<52.52} {one['before']:>12,.1f} {one['after']:>12,.1f} {one['ratio']:>6.2f}"
            f"  {one['lowest']:.2f} to {one['highest']:.2f}  {one['unit']}\n"
        )
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
