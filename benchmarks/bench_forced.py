"""Puts of 2 KB persistent messages where each caller waits until its own message is forced.

One caller against a bare loop of pwrite + fdatasync of 2 KB to a file of real zeros (goal: 70 %
of it); 16 threads against a SQLite table (WAL, synchronous=FULL) used as a queue by 16 threads
(goal: 2 x); 64 asyncio tasks against the same (goal: 5 x). Puts alone, default buffers, log of 64
MB x 4: bodies move on to segments while puts go on, as in life.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ternmq
from benchmarks.contest import Contest, CpuMeter, Work, rate_of, rate_of_threads
from benchmarks.figures import AT_LEAST, Figure, Goal, Settings
from benchmarks.raw_disk import RawFile, force_loop
from benchmarks.sqlite_queue import SqliteQueue

BODY = bytes(2048)
QUEUE = "FORCED"
THREADS = 16
TASKS = 64
RAW_BYTES = 64 << 20
LOG: dict[str, Any] = {"log_primary_files": 4, "log_secondary_files": 2, "log_file_pages": 16384}


def single(target: ternmq.Queue) -> Work:
    """One caller."""

    def work(times: int) -> None:
        put = target.put
        for _ in range(times):
            put(BODY, persistent=True)

    return work


def by_threads(qmgr: ternmq.QueueManager, threads: int, seconds: float) -> float:
    """Each thread has its own connection."""
    connections: list[ternmq.Connection] = []

    def make(_: int) -> Callable[[], None]:
        connection = qmgr.connect()
        connections.append(connection)
        target = connection.queue(QUEUE)

        def once() -> None:
            target.put(BODY, persistent=True)

        return once

    try:
        return rate_of_threads(make, threads, seconds)
    finally:
        for connection in connections:
            connection.disconnect()
        empty(qmgr)


def empty(qmgr: ternmq.QueueManager) -> None:
    """Between rounds: each begins with an empty queue and a log that a checkpoint has trimmed."""
    qmgr.clear_queue(QUEUE)
    qmgr.checkpoint()


async def by_tasks(folder: Path, tasks: int, seconds: float) -> float:
    """Each task has its own connection, to a queue manager of the loop's own."""
    loop = asyncio.get_running_loop()
    counts = [0] * tasks
    async with ternmq.aio.embedded(folder, "AIO", create=True, **LOG) as qmgr:
        await qmgr.define_queue(QUEUE, replace=True, max_depth=999_999_999)
        connections = [await qmgr.connect() for _ in range(tasks)]
        targets = [await connection.queue(QUEUE) for connection in connections]
        start = loop.time()
        deadline = start + seconds

        async def body(number: int) -> None:
            target, done = targets[number], 0
            while loop.time() < deadline:
                await target.put(BODY, persistent=True)
                done += 1
            counts[number] = done

        await asyncio.gather(*(body(number) for number in range(tasks)))
        took = loop.time() - start
        for connection in connections:
            await connection.disconnect()
        await qmgr.clear_queue(QUEUE)
    return sum(counts) / took


def run(settings: Settings) -> list[Figure]:
    """Messages a second, acknowledged as forced."""
    seconds = settings.seconds
    folder = settings.place("forced")
    raw = RawFile(folder / "raw", RAW_BYTES)
    table = SqliteQueue(folder / "queue.db")
    meters = {"one": CpuMeter(), "raw": CpuMeter()}
    with ternmq.embedded(folder, "BENCH", create=True, **LOG) as qmgr:
        qmgr.define_queue(QUEUE, max_depth=999_999_999)

        def one_caller() -> float:
            with qmgr.queue(QUEUE) as target:
                rate = meters["one"].rate_of(single(target), seconds)
            empty(qmgr)
            return rate

        contest = Contest(
            {
                "one": one_caller,
                "raw": lambda: meters["raw"].rate_of(
                    lambda times: force_loop([raw], BODY, times), seconds
                ),
                "block": lambda: rate_of(lambda times: force_loop([raw], BODY * 2, times), seconds),
                "threads": lambda: by_threads(qmgr, THREADS, seconds),
                "sqlite": lambda: table.best_rate(BODY, THREADS, seconds),
                "tasks": lambda: asyncio.run(by_tasks(folder, TASKS, seconds)),
            }
        ).run(settings.rounds)
    table.close()
    raw.close()
    cpu = f"CPU {meters['one'].us:.0f} us a put, raw {meters['raw'].us:.0f} us"
    return figures(contest, cpu)


def figures(contest: Contest, cpu: str) -> list[Figure]:
    """The lines of the table."""
    block = contest.ratio("one", "block")
    return [
        Figure(
            "1 caller",
            contest.value("one"),
            "msg/s",
            "pwrite+fdatasync 2 KB",
            contest.value("raw"),
            contest.ratio("one", "raw"),
            Goal(AT_LEAST, 0.7, of_ratio=True),
            f"{block:.2f} of a 4 KB block, which is what the log writes; {cpu}",
            contest.rounds["one"],
        ),
        Figure(
            f"{THREADS} threads",
            contest.value("threads"),
            "msg/s",
            f"SQLite, {THREADS} threads",
            contest.value("sqlite"),
            contest.ratio("threads", "sqlite"),
            Goal(AT_LEAST, 2, of_ratio=True),
            "",
            contest.rounds["threads"],
        ),
        Figure(
            f"{TASKS} asyncio tasks",
            contest.value("tasks"),
            "msg/s",
            f"SQLite, {THREADS} threads",
            contest.value("sqlite"),
            contest.ratio("tasks", "sqlite"),
            Goal(AT_LEAST, 5, of_ratio=True),
            "",
            contest.rounds["tasks"],
        ),
    ]
