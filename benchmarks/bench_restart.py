"""Restart after a kill with 64 MB of log to replay.

Baseline: reading the same bytes of the log from its files and checksumming them. Goal: under 10
s. A child process fills a log that is large enough that no checkpoint comes, in units of work of
100 puts, gets some back, and is killed with SIGKILL; each start is timed in a child of its own
that is killed as well, so that each replays the same log.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import ternmq
from benchmarks.figures import AT_MOST, Figure, Goal, Settings
from ternmq.base.checksum import crc32c

QUEUE = "REPLAYED"
PRIMARY = 24
UNIT = 100
READ = 1 << 20


def fill(path: Path, size: int, megabytes: int, get_share: float) -> None:
    """Write so much log, tell how much it is, and die."""
    qmgr = ternmq.embedded(path, "BENCH", create=True, log_primary_files=PRIMARY)
    qmgr.define_queue(QUEUE, max_depth=999_999_999, persistent_buffer=1 << 32)
    log = qmgr.started.shell.engine.log
    begin = log.end_lsn
    body = bytes(size)
    target = qmgr.queue(QUEUE)
    while log.end_lsn - begin < megabytes << 20:
        with qmgr.unit_of_work():
            for _ in range(UNIT):
                target.put(body, persistent=True)
        with qmgr.unit_of_work():
            for _ in range(int(UNIT * get_share)):
                target.get()
    report({"lsn": log.end_lsn, "bytes": log.end_lsn - begin, "depth": target.depth})
    os.kill(os.getpid(), signal.SIGKILL)


def start_up(path: Path, depth: int) -> None:
    """Time one start, check it, and die."""
    begin = time.perf_counter()
    qmgr = ternmq.embedded(path, "BENCH")
    took = time.perf_counter() - begin
    found = qmgr.queue(QUEUE).depth
    if found != depth:
        raise SystemExit(f"{found} messages after restart, {depth} before")
    report({"seconds": took, "records": qmgr.started.shell.engine.records_replayed})
    os.kill(os.getpid(), signal.SIGKILL)


def report(facts: dict[str, float]) -> None:
    """To the parent, before the end."""
    sys.stdout.write(json.dumps(facts))
    sys.stdout.flush()


def child(arguments: list[str]) -> dict[str, float]:
    """Run this module in a process that kills itself, and take what it told."""
    command = [sys.executable, "-m", "benchmarks.bench_restart", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode != -signal.SIGKILL:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}")
    facts: dict[str, float] = json.loads(done.stdout)
    return facts


def read_back(path: Path, size: int) -> float:
    """Seconds to read so many bytes of the log's files and to checksum them."""
    begin = time.perf_counter()
    left = size
    for name in sorted((path / "qmgrs" / "BENCH" / "log" / "active").iterdir()):
        with name.open("rb", buffering=0) as file:
            while left > 0 and (data := file.read(min(READ, left))):
                crc32c(data)
                left -= len(data)
    return time.perf_counter() - begin


def measure(path: Path, settings: Settings, name: str, size: int, get_share: float) -> Figure:
    """Fill once, start several times."""
    megabytes = settings.scaled(64, 16)
    filled = child(["fill", str(path), str(size), str(megabytes), str(get_share)])
    seconds, raw, records = [], [], 0.0
    for _ in range(settings.few):
        started = child(["start", str(path), str(filled["depth"])])
        seconds.append(started["seconds"])
        records = started["records"]
        raw.append(read_back(path, int(filled["bytes"])))
    took = median(seconds)
    return Figure(
        name,
        took,
        "s",
        "read + CRC-32C",
        median(raw),
        median(one / other for one, other in zip(seconds, raw)),
        Goal(AT_MOST, 10.0, compiled_only=False),
        f"{megabytes} MB, {records:,.0f} records:"
        f" {records / took:,.0f}/s, {megabytes / took:.0f} MB/s;"
        f" {filled['depth']:,.0f} messages left",
        seconds,
    )


def run(settings: Settings) -> list[Figure]:
    """Seconds from the call of `embedded` to its return."""
    folder = settings.place("restart")
    return [
        measure(folder / "large", settings, "2 KB, puts alone", 2048, 0.0),
        measure(folder / "mixed", settings, "2 KB, half of it got", 2048, 0.5),
        measure(folder / "small", settings, "100 bytes, half of it got", 100, 0.5),
    ]


if __name__ == "__main__":
    if sys.argv[1] == "fill":
        fill(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]))
    else:
        start_up(Path(sys.argv[2]), int(sys.argv[3]))
