"""Writes docs/internals/proof.md: what was shown, how often, and when; and a short table in
README.md.

The goals are in proof/goals.toml, the counts in the JSON files beside it, which the long runs
write. `--check` writes nothing and exits 1 when the page differs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PROOF = ROOT / "proof"
PAGE = ROOT / "docs" / "internals" / "proof.md"
FRONT = ROOT / "README.md"
BEGIN = "<!-- proof: begin; made by tools/generate_proof.py -->\n"
END = "<!-- proof: end -->\n"
# What the README says: a promise, and the goals whose counts stand beside it.
SHORT = (
    ("A message that was acknowledged survives a kill and a power loss.", ("G1", "G2", "G3", "G9")),
    ("A unit of work happens whole or not at all.", ("G4", "G18", "LEDGER")),
    ("A message crosses to another queue manager once and once only.", ("G15", "G16", "G17")),
    ("Damage is found and named; wrong bytes are never returned.", ("G8",)),
    ("A full disk loses nothing; commit and backout always have room.", ("G5", "G19")),
    ("The first failed force stops the queue manager.", ("G7",)),
    ("A lost queue is made again from a linear log.", ("G20",)),
    ("Nothing that a partner sends, or a broken network does, does harm.", ("G10", "G11", "NET")),
    ("From queue to lake to queue with Spark, exactly once.", ("FIRE", "CLUSTER")),
)
HEAD = """# The proof

What was tried against the [promises](../reference/promises.md), how often, and with what outcome.
Made by `tools/generate_proof.py` from the files in `proof/`, which the runs themselves write.
*Tier 1* (T1) is what `make test` does every time; *tier 2* (T2) are the long runs of `make crash`,
`make sim` and `make soak`. A run that finds one message lost, doubled, out of order or wrong writes
no count: it fails, and prints the command that runs it again. What runs like these have found is in
[TRACK_RECORD.md](../../tests/TRACK_RECORD.md).

## Goals

"""


def reports() -> dict[str, dict[int, dict[str, Any]]]:
    """By goal and tier what the last run of it counted."""
    found: dict[str, dict[int, dict[str, Any]]] = {}
    for path in sorted(PROOF.glob("*.json")):
        recorded = json.loads(path.read_text(encoding="utf-8"))
        found.setdefault(recorded["goal"], {})[recorded["tier"]] = recorded
    return found


def counted(recorded: dict[str, Any] | None) -> str:
    """What one run counted, in a cell of the table."""
    if recorded is None:
        return "not run yet"
    outcomes = ", ".join(f"{name} {count:,}" for name, count in recorded["outcomes"].items())
    return (
        f"**{recorded['points']:,} {recorded['unit']}** ({outcomes}); failed {recorded['failed']}; "
        f"{recorded['date']}, {recorded['build']}, {recorded['seconds']:,} s"
    )


def tests_of(goal: dict[str, Any]) -> str:
    return ", ".join(f"[{Path(path).stem}](../../{path})" for path in goal["tests"])


def goal_rows(goals: dict[str, Any], recorded: dict[str, dict[int, dict[str, Any]]]) -> list[str]:
    rows = [
        "| | what is tried | promises | tests | T1, in `make test` | T2 |\n",
        "| --- | --- | --- | --- | --- | --- |\n",
    ]
    for name, goal in goals.items():
        tiers = recorded.get(name, {})
        rows.append(
            f"| {name} | {goal['about']} | {', '.join(goal['promises'])} | {tests_of(goal)} "
            f"| {counted(tiers.get(1))} | {counted(tiers.get(3, tiers.get(2)))} |\n"
        )
    return rows


def promise_rows(goals: dict[str, Any]) -> list[str]:
    rows = ["\n## Promises\n\n", "| promise | goals |\n", "| --- | --- |\n"]
    promises = sorted({p for goal in goals.values() for p in goal["promises"]}, key=_number)
    for promise in promises:
        names = [name for name, goal in goals.items() if promise in goal["promises"]]
        rows.append(f"| {promise} | {', '.join(names)} |\n")
    return rows


def _number(promise: str) -> int:
    return int(promise[1:])


def page() -> str:
    goals = tomllib.loads((PROOF / "goals.toml").read_text(encoding="utf-8"))
    recorded = reports()
    unknown = sorted(set(recorded) - set(goals))
    if unknown:
        raise SystemExit(f"proof/goals.toml has no {', '.join(unknown)}")
    return HEAD + "".join([*goal_rows(goals, recorded), *promise_rows(goals)])


def front() -> str:
    """The README as it should be: the largest run of each goal."""
    recorded = reports()
    rows = ["| promise | tried | failed |\n", "| --- | --- | --- |\n"]
    for promise, goals in SHORT:
        runs = [recorded[goal][max(recorded[goal])] for goal in goals]
        points: dict[str, int] = {}
        for run in runs:
            points[run["unit"]] = points.get(run["unit"], 0) + run["points"]
        tried = ", ".join(f"{count:,} {unit}" for unit, count in points.items())
        rows.append(f"| {promise} | {tried} | {sum(run['failed'] for run in runs)} |\n")
    text = FRONT.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{FRONT.name}: the marks of tools/generate_proof.py are missing")
    return before + begin + "".join(rows) + end + after


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 on a difference")
    check_only: bool = parser.parse_args(arguments).check
    status = 0
    for path, content in ((PAGE, page()), (FRONT, front())):
        if path.exists() and path.read_text(encoding="utf-8") == content:
            continue
        sys.stdout.write(f"{'differs' if check_only else 'written'}: {path.name}\n")
        if check_only:
            status = 1
        else:
            path.write_text(content, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
