"""A queue manager in a process of its own: applications over the local socket, its start, its size.

Put + get of 2 KB, non-persistent, against as many round trips of 2 KB to an echo process on a Unix
socket. `strmqm` from the shell until applications can connect (goal: 0.5 s), resident memory of an
idle queue manager (goal: 80 MB); the same start, and DISPLAY QLOCAL(*) through runmqsc, with 10,000
queues (goal: 3 s each).
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import ternmq
from benchmarks.contest import Contest, Work, rate_of, timed
from benchmarks.figures import AT_MOST, Figure, Goal, Settings

BODY = bytes(2048)
QUEUE = "SERVED"
TASKS = 32
MANY = 10_000
FEW = 1_000
ECHO = """
import socket, sys
listener = socket.socket(socket.AF_UNIX); listener.bind(sys.argv[1]); listener.listen()
print("up", flush=True)
peer, _ = listener.accept()
while True:
    data = peer.recv(65536)
    if not data: break
    peer.sendall(data)
"""


def command(data: Path, *words: str, text: str = "") -> str:
    """A control command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "ternmq.cli", *words],
        env={**os.environ, "TERNMQ_DATA": str(data)},
        input=text,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


class Echo:
    """The baseline: bytes to another process and back."""

    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", ECHO, str(path)], stdout=subprocess.PIPE
        )
        if self.process.stdout is not None:
            self.process.stdout.readline()
            self.process.stdout.close()
        self.peer = socket.socket(socket.AF_UNIX)
        self.peer.connect(str(path))

    def work(self, times: int) -> None:
        """Two round trips are a put and a get."""
        for _ in range(2 * times):
            self.peer.sendall(BODY)
            left = len(BODY)
            while left:
                left -= len(self.peer.recv(left))

    def close(self) -> None:
        self.peer.close()
        self.process.wait()


def pairs(queue: ternmq.Queue) -> Work:
    """One caller."""

    def work(times: int) -> None:
        for _ in range(times):
            queue.put(BODY)
            queue.get()

    return work


async def by_tasks(data: Path, seconds: float) -> float:
    """Each task has its own connection."""
    loop = asyncio.get_running_loop()
    counts = [0] * TASKS
    connections = [await ternmq.aio.connect("BENCH", data=data) for _ in range(TASKS)]
    queues = [await connection.queue(QUEUE) for connection in connections]
    start = loop.time()

    async def body(number: int) -> None:
        queue = queues[number]
        while loop.time() < start + seconds:
            await queue.put(BODY)
            await queue.get()
            counts[number] += 1

    await asyncio.gather(*(body(number) for number in range(TASKS)))
    took = loop.time() - start
    for connection in connections:
        await connection.disconnect()
    return sum(counts) / took


def resident_mb(data: Path, name: str) -> float:
    """Of the process that runs a queue manager."""
    words = (data / "qmgrs" / name / "lock").read_text().split()
    for line in Path(f"/proc/{words[1]}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def start_ms(data: Path, name: str) -> float:
    """Milliseconds of strmqm; it is ended again."""
    took = timed(lambda: command(data, "strmqm", name))
    command(data, "endmqm", "-i", name)
    return 1000 * took


def rates(settings: Settings, data: Path) -> list[Figure]:
    """Pairs a second."""
    command(data, "strmqm", "BENCH")
    memory = resident_mb(data, "BENCH")
    echo = Echo(data / "echo")
    try:
        with ternmq.connect("BENCH", data=data) as connection:
            connection.define_queue(QUEUE, replace=True, max_depth=999_999)
            with connection.queue(QUEUE) as queue:
                contest = Contest(
                    {
                        "one": lambda: rate_of(pairs(queue), settings.seconds),
                        "echo": lambda: rate_of(echo.work, settings.seconds),
                        "tasks": lambda: asyncio.run(by_tasks(data, settings.seconds)),
                    }
                ).run(settings.rounds)
    finally:
        echo.close()
        command(data, "endmqm", "-i", "BENCH")
    text = "echo process, round trips / 2"
    return [
        Figure(
            name,
            contest.value(key),
            "pairs/s",
            text,
            contest.value("echo"),
            contest.ratio(key, "echo"),
            rounds=contest.rounds[key],
        )
        for name, key in (("one thread", "one"), (f"{TASKS} tasks", "tasks"))
    ] + [Figure("idle, resident", memory, "MB", goal=Goal(AT_MOST, 80))]


def starts(settings: Settings, data: Path) -> list[Figure]:
    """Milliseconds."""
    contest = Contest({"start": lambda: start_ms(data, "BENCH")}).run(settings.rounds)
    idle = Figure(
        "strmqm",
        contest.value("start"),
        "ms",
        goal=Goal(AT_MOST, 500),
        rounds=contest.rounds["start"],
    )
    return [idle, *with_many_queues(settings, data)]


def with_many_queues(settings: Settings, data: Path) -> list[Figure]:
    """Milliseconds."""
    queues = settings.scaled(MANY, FEW)
    with ternmq.embedded(data, "MANY") as qmgr:
        for number in range(queues):
            qmgr.define_queue(f"Q.{number:05}")
    started = 1000 * timed(lambda: command(data, "strmqm", "MANY"))
    shown: list[str] = []
    took = timed(lambda: shown.append(command(data, "runmqsc", "MANY", text="DISPLAY QLOCAL(*)\n")))
    command(data, "endmqm", "-i", "MANY")
    note = "" if shown[0].count("AMQ8409I") >= queues else "not all were shown"
    return [
        Figure(f"strmqm, {queues} queues", started, "ms", goal=Goal(AT_MOST, 3000)),
        Figure(
            f"DISPLAY QLOCAL(*), {queues} queues",
            1000 * took,
            "ms",
            goal=Goal(AT_MOST, 3000),
            note=note,
        ),
    ]


def run(settings: Settings) -> list[Figure]:
    """Rates, sizes, starts."""
    data = settings.place("served")
    for name in ("BENCH", "MANY"):
        command(data, "crtmqm", name)
    return [*rates(settings, data), *starts(settings, data)]
