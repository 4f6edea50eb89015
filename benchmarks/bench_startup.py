"""Start-up: importing the package, creating a queue manager, opening an existing one, making one
in memory.

Baselines: `import asyncio` in a fresh interpreter; writing and forcing as many zeros as the new
log has; opening a SQLite database that exists and reading from it. No goal in the issue; a test
suite makes a memory queue manager for each test.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import count
from pathlib import Path

import ternmq
from benchmarks.contest import Contest, timed
from benchmarks.figures import Figure, Settings
from benchmarks.raw_disk import RawFile

LOG_BYTES = 3 * 4097 * 4096
IMPORT = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


def import_ms(module: str) -> float:
    """Milliseconds that an import takes in a fresh interpreter."""
    command = [sys.executable, "-c", IMPORT.format(module)]
    return 1000 * float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def database(path: Path) -> None:
    """Open and read."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT count(*) FROM queue").fetchone()


def run(settings: Settings) -> list[Figure]:
    """Milliseconds."""
    folder = settings.place("startup")
    numbers = count()
    existing = folder / "existing"
    with ternmq.embedded(existing, "BENCH", create=True) as qmgr:
        qmgr.define_queue("ONE")
    with closing(sqlite3.connect(folder / "queue.db")) as connection:
        connection.execute("CREATE TABLE queue (id INTEGER PRIMARY KEY, body BLOB)")

    def create() -> float:
        path = folder / f"new{next(numbers)}"
        opened: list[ternmq.QueueManager] = []
        took = timed(lambda: opened.append(ternmq.embedded(path, "BENCH", create=True)))
        opened[0].close()
        shutil.rmtree(path)
        return 1000 * took

    def open_and_close() -> float:
        return 1000 * timed(lambda: ternmq.embedded(existing, "BENCH").close())

    def zeros() -> float:
        path = folder / f"zeros{next(numbers)}"
        took = timed(lambda: RawFile(path, LOG_BYTES).close())
        path.unlink()
        return 1000 * took

    contest = Contest(
        {
            "import": lambda: import_ms("ternmq"),
            "asyncio": lambda: import_ms("asyncio"),
            "create": create,
            "zeros": zeros,
            "open": open_and_close,
            "sqlite": lambda: 1000 * timed(lambda: database(folder / "queue.db")),
            "memory": lambda: 1000 * timed(lambda: ternmq.memory("BENCH").close()),
        }
    ).run(settings.rounds)
    lines = []
    for name, key, baseline, text in (
        ("import ternmq", "import", "asyncio", "import asyncio"),
        ("create, log of 48 MB", "create", "zeros", "48 MB of zeros, forced"),
        ("open and close again", "open", "sqlite", "SQLite open, read, close"),
        ("memory(), open and close", "memory", "sqlite", "SQLite open, read, close"),
    ):
        lines.append(
            Figure(
                name,
                contest.value(key),
                "ms",
                text,
                contest.value(baseline),
                contest.ratio(key, baseline),
                None,
                "",
                contest.rounds[key],
            )
        )
    return lines
