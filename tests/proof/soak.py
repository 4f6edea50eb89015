"""G24: the same work for a long time: memory, descriptors and threads stay as they are.

    python -m tests.proof.soak --minutes 30 [--data FOLDER] [--keep FOLDER]

Four threads put and get, in and out of units of work, on queues that fill and empty, with
checkpoints, browses, connections that come and go, and messages that expire. After a warm-up the
resident memory is taken every second; its slope is that of a straight line through the points.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import ternmq
from tests.proof.run import git_name

ROOT = Path(__file__).resolve().parent.parent.parent
SLOPE_KIB_MAX = 1024.0  # in ten minutes
QUEUES = ("SOAK.A", "SOAK.B", "SOAK.C")
PAGE_KIB = os.sysconf("SC_PAGE_SIZE") / 1024


def resident_kib() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * PAGE_KIB


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@dataclass
class Counts:
    """What one worker has done."""

    puts: int = 0
    gets: int = 0
    units: int = 0
    refused: int = 0


@dataclass
class Samples:
    """Resident memory over time, after the warm-up."""

    at_s: list[float] = field(default_factory=list)
    kib: list[float] = field(default_factory=list)

    def add(self, at_s: float) -> None:
        self.at_s.append(at_s)
        self.kib.append(resident_kib())

    def slope_kib_in_ten_minutes(self) -> float:
        """Of the straight line through the points (least squares)."""
        count = len(self.kib)
        if count < 2:
            return 0.0
        mean_at, mean_kib = sum(self.at_s) / count, sum(self.kib) / count
        spread = sum((at - mean_at) ** 2 for at in self.at_s)
        both = sum((at - mean_at) * (kib - mean_kib) for at, kib in zip(self.at_s, self.kib))
        return 600.0 * both / spread if spread else 0.0


class Worker(threading.Thread):
    """One application: puts, gets, units of work, on connections that come and go."""

    def __init__(self, qmgr: ternmq.QueueManager, seed: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.qmgr = qmgr
        self.chance = random.Random(seed)
        self.stop = stop
        self.counts = Counts()
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            while not self.stop.is_set():
                with self.qmgr.connect() as connection:
                    for _ in range(500):
                        if self.stop.is_set():
                            break
                        self.step(connection)
        except Exception as error:
            self.failure = error

    def step(self, connection: ternmq.Connection) -> None:
        with connection.queue(self.chance.choice(QUEUES)) as queue:
            try:
                if self.chance.random() < 0.4:
                    self.unit(connection, queue)
                else:
                    for _ in range(8):
                        self.put(queue)
                        self.get(queue)
            except ternmq.MQError as error:
                if not isinstance(error, ternmq.Full | ternmq.BackedOut):
                    raise
                self.counts.refused += 1
                if connection.in_unit:
                    connection.backout()

    def put(self, queue: ternmq.Queue) -> None:
        persistent = self.chance.random() < 0.5
        expiry = 1.0 if self.chance.random() < 0.02 else None
        data = bytes(self.chance.choice((50, 500, 2_000)))
        queue.put(data, persistent=persistent, expiry=expiry, priority=self.chance.randrange(3))
        self.counts.puts += 1

    def get(self, queue: ternmq.Queue) -> None:
        self.counts.gets += queue.try_get() is not None

    def unit(self, connection: ternmq.Connection, queue: ternmq.Queue) -> None:
        connection.begin()
        for _ in range(self.chance.randrange(1, 12)):
            self.put(queue)
            self.get(queue)
        self.counts.units += 1
        if self.chance.random() < 0.1:
            connection.backout()
        else:
            connection.commit()


def begin(data: str) -> ternmq.QueueManager:
    qmgr = ternmq.embedded(data, "SOAK", create=True, log_file_pages=512)
    for name in QUEUES:
        qmgr.define_queue(
            name, max_depth=20_000, persistent_buffer=1 << 18, nonpersistent_buffer=1 << 18
        )
    return qmgr


@dataclass
class Result:
    """What a soak has measured."""

    seconds: float
    messages: int
    units: int
    refused: int
    slope_kib: float
    descriptors: tuple[int, int]
    threads: tuple[int, int]
    problems: list[str]


def soak(data: str, seconds: float, warm_up_s: float, progress: bool = False) -> Result:
    """Work for so long; what was found."""
    qmgr = begin(data)
    stop = threading.Event()
    threads_before = threading.active_count()
    workers = [Worker(qmgr, seed, stop) for seed in range(4)]
    for worker in workers:
        worker.start()
    begun = time.monotonic()
    samples = Samples()
    open_before = 0
    while (passed := time.monotonic() - begun) < seconds and not any(w.failure for w in workers):
        stop.wait(1.0)
        if passed >= warm_up_s:
            open_before = open_before or descriptors()
            samples.add(passed)
        if progress:
            done = sum(worker.counts.puts for worker in workers)
            sys.stderr.write(
                f"\rG24 {passed:.0f} of {seconds:.0f} s, {done:,} messages, "
                f"{resident_kib():,.0f} KiB "
            )
    open_after = descriptors()
    stop.set()
    for worker in workers:
        worker.join(30)
    gc.collect()
    threads_after = threading.active_count()
    qmgr.close()
    counts = [worker.counts for worker in workers]
    result = Result(
        time.monotonic() - begun,
        sum(one.puts for one in counts),
        sum(one.units for one in counts),
        sum(one.refused for one in counts),
        samples.slope_kib_in_ten_minutes(),
        (open_before, open_after),
        (threads_before, threads_after),
        [repr(worker.failure) for worker in workers if worker.failure],
    )
    judge(result)
    return result


def judge(result: Result) -> None:
    """Add what is wrong."""
    if result.threads[1] > result.threads[0]:
        result.problems.append(f"threads: {result.threads[0]}, then {result.threads[1]}")
    if result.descriptors[1] > result.descriptors[0] + 4:  # segments that are being read
        result.problems.append(f"descriptors: {result.descriptors}")
    # A short run says nothing of ten minutes.
    if result.seconds >= 300 and result.slope_kib > SLOPE_KIB_MAX:
        result.problems.append(f"memory grows by {result.slope_kib:.0f} KiB in ten minutes")


def report(result: Result, tier: int) -> dict[str, object]:
    return {
        "goal": "G24",
        "tier": tier,
        "unit": "messages",
        "points": result.messages,
        "outcomes": {
            "units of work": result.units,
            "refused": result.refused,
            "KiB in 10 min": round(result.slope_kib),
            "descriptors more": result.descriptors[1] - result.descriptors[0],
            "threads more": result.threads[1] - result.threads[0],
        },
        "failed": len(result.problems),
        "seconds": round(result.seconds),
        "build": str(ternmq.build_info()).partition(",")[0],
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "source": git_name("HEAD"),
    }


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--data", default="")
    parser.add_argument("--keep", type=Path, default=ROOT / "proof")
    given = parser.parse_args(arguments)
    seconds = given.minutes * 60
    with tempfile.TemporaryDirectory(prefix="ternmq-soak-") as folder:
        result = soak(given.data or folder, seconds, min(120.0, seconds / 4), progress=True)
    reported = report(result, 2 if given.minutes >= 30 else 1)
    sys.stdout.write(f"\n{json.dumps(reported, indent=2)}\n")
    for problem in result.problems:
        sys.stdout.write(f"{problem}\nagain: make soak MINUTES={given.minutes:g}\n")
    if not result.problems:
        given.keep.mkdir(parents=True, exist_ok=True)
        path = given.keep / f"G24.T{reported['tier']}.json"
        path.write_text(json.dumps(reported, indent=2) + "\n", encoding="utf-8")
    return 1 if result.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
