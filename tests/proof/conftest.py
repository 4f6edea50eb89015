"""Prints what the walks of this folder counted, at the end of a run."""

from collections import Counter

import pytest

from tests.proof.registry import GOALS


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts: Counter[str] = Counter()
    shards: Counter[str] = Counter()
    for report in terminalreporter.stats.get("passed", []):
        for name, value in getattr(report, "user_properties", []):
            if name in GOALS and isinstance(value, int):
                counts[name] += value
                shards[name] += 1
    if not counts:
        return
    terminalreporter.section("counts of the proof (T1)")
    for name, goal in GOALS.items():
        if counts[name]:
            whole = "" if shards[name] == goal.shards[1] else " (in part)"
            terminalreporter.write_line(
                f"{name:>4} {counts[name]:>7,} {goal.unit}, {goal.needed[1]:,} wanted{whole}: "
                f"{goal.about}"
            )
