"""A simulated history: 1,000 verbs on the simulated disk, a crash that keeps nothing un-synced, the
restart, and the check of what was found against everything possible.

Goal: under 100 ms, so that thousands of them fit into `make test`. Baseline: writing and reading as
many rows of SQLite in memory.
"""

from __future__ import annotations

import sqlite3
import time

from benchmarks.contest import Contest
from benchmarks.figures import AT_MOST, Figure, Goal, Settings
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.crash_walk import nothing_kept, verify
from ternmq.testing.model import Chronicle
from ternmq.testing.workload import Workload

VERBS = 1_000
SEEDS = 5
GOAL = Goal(AT_MOST, 100.0)


def history(seed: int) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    workload = Workload(seed, LogParameters(CIRCULAR, 3, 2, 8, False))
    workload.go(VERBS)
    wreck = nothing_kept(workload.disk)
    chronicle = Chronicle(workload.snapshots).take_all(workload.disk.history)
    verify(wreck, chronicle.possible())
    return (time.perf_counter() - start) * 1e3


def rows() -> float:
    """Milliseconds."""
    start = time.perf_counter()
    table = sqlite3.connect(":memory:")
    table.execute("create table queue (number integer primary key, data blob)")
    for _ in range(VERBS // 2):
        table.execute("insert into queue (data) values (?)", (bytes(200),))
        table.commit()
    for _ in range(VERBS // 2):
        table.execute("delete from queue where number = (select min(number) from queue)")
        table.commit()
    table.close()
    return (time.perf_counter() - start) * 1e3


def run(settings: Settings) -> list[Figure]:
    """The mean of several seeds, in rounds."""

    def several() -> float:
        return sum(history(seed) for seed in range(SEEDS)) / SEEDS

    contest = Contest({"history": several, "rows": rows}).run(settings.rounds)
    return [
        Figure(
            "history of 1,000 verbs, crash, restart, check",
            contest.value("history"),
            "ms",
            "SQLite rows",
            contest.value("rows"),
            contest.ratio("history", "rows"),
            GOAL,
            f"mean of {SEEDS} seeds",
            contest.rounds["history"],
        )
    ]
