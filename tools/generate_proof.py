"""Writes docs/proof.md: what was shown, how often, and when.

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
PAGE = ROOT / "docs" / "proof.md"
HEAD = """# The proof

What was tried against the [promises](promises.md), how often, and with what outcome. Made by
`tools/generate_proof.py` from the files in `proof/`, which the runs themselves write. *Tier 1* (T1)
is what `make test` does every time; *tier 2* (T2) are the long runs of `make crash`, `make sim` and
`make soak`. A run that finds one message lost, doubled, out of order or wrong writes no count: it
fails, and tells the command that does it again. What runs like these have found is in
[TRACK_RECORD.md](../tests/TRACK_RECORD.md).

## Goals

"""


def reports() -> dict[str, dict[int, dict[str, Any]]]:
    """By goal and tier what the last run of it counted."""
    found: dict[str, dict[int, dict[str, Any]]] = {}
    for path in sorted(PROOF.glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        found.setdefault(told["goal"], {})[told["tier"]] = told
    return found


def counted(told: dict[str, Any] | None) -> str:
    """What one run counted, in a cell of the table."""
    if told is None:
        return "not run yet"
    outcomes = ", ".join(f"{name} {count:,}" for name, count in told["outcomes"].items())
    return (
        f"**{told['points']:,} {told['unit']}** ({outcomes}); failed {told['failed']}; "
        f"{told['date']}, {told['build']}, {told['seconds']:,} s"
    )


def tests_of(goal: dict[str, Any]) -> str:
    return ", ".join(f"[{Path(path).stem}](../{path})" for path in goal["tests"])


def goal_rows(goals: dict[str, Any], told: dict[str, dict[int, dict[str, Any]]]) -> list[str]:
    rows = [
        "| | what is tried | promises | tests | T1, in `make test` | T2 |\n",
        "| --- | --- | --- | --- | --- | --- |\n",
    ]
    for name, goal in goals.items():
        tiers = told.get(name, {})
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
    told = reports()
    unknown = sorted(set(told) - set(goals))
    if unknown:
        raise SystemExit(f"proof/goals.toml has no {', '.join(unknown)}")
    return HEAD + "".join([*goal_rows(goals, told), *promise_rows(goals)])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 on a difference")
    check_only: bool = parser.parse_args(arguments).check
    content = page()
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == content:
        return 0
    sys.stdout.write(f"{'differs' if check_only else 'written'}: {PAGE.name}\n")
    if check_only:
        return 1
    PAGE.write_text(content, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
