"""A stream read over the local socket and over TCP, by an application in another process.

The queue manager has a process of its own (strmqm); the application reads the whole stream with
reads of 1 and of 8 MiB. Goal over the Unix socket: 200 MB/s, of heads and bodies, 2 KB a body. The
baseline sends as many bytes over a Unix socket from another process, 1 MiB at a time. "As columns"
makes a NumPy array of the heads of each block; "as messages" makes every message an object.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import ternmq
from benchmarks.bench_served import command
from benchmarks.contest import Contest
from benchmarks.figures import AT_LEAST, Figure, Goal, Settings

BODY = bytes(2048)
HEAD_BYTES = 416
QUEUE = "STREAMED"
CHANNEL = "BENCH.SVRCONN"
UNIT = 500
GOAL = 200
SOURCE = """
import socket, sys
listener = socket.socket(socket.AF_UNIX); listener.bind(sys.argv[1]); listener.listen()
print("up", flush=True)
peer, _ = listener.accept()
block = bytes(1 << 20)
while True:
    asked = peer.recv(4)
    if not asked: break
    peer.sendall(block)
"""


class Source:
    """The baseline: a process that sends what is asked for, 1 MiB at a time."""

    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", SOURCE, str(path)], stdout=subprocess.PIPE
        )
        if self.process.stdout is not None:
            self.process.stdout.readline()
            self.process.stdout.close()
        self.peer = socket.socket(socket.AF_UNIX)
        self.peer.connect(str(path))

    def once(self, size: int) -> float:
        """Megabytes a second."""
        begin = time.perf_counter()
        for _ in range(max(size >> 20, 1)):
            self.peer.sendall(b"more")
            left = 1 << 20
            while left:
                left -= len(self.peer.recv(min(left, 1 << 18)))
        return size / (time.perf_counter() - begin) / 1e6

    def close(self) -> None:
        self.peer.close()
        self.process.wait()


def fill(connection: ternmq.Connection, count: int) -> None:
    """Messages in units of work, so that filling is quick."""
    connection.define_queue(QUEUE, max_depth=999_999_999)
    connection.cursor("BENCH", QUEUE)
    with connection.queue(QUEUE) as queue:
        for start in range(0, count, UNIT):
            with connection.unit_of_work():
                for _ in range(min(UNIT, count - start)):
                    queue.put(BODY, persistent=False)


def read_all(
    connection: ternmq.Connection, read_bytes: int, look: Callable[[ternmq.StreamBlock], None]
) -> float:
    """Megabytes a second of the whole stream."""
    stream = connection.stream(QUEUE)
    bounds = stream.bounds()
    size = 0
    begin = time.perf_counter()
    for block in stream.blocks(bounds.earliest, bounds.next, max_bytes=read_bytes):
        look(block)
        size += len(block) * (HEAD_BYTES + len(BODY))
    took = time.perf_counter() - begin
    if not size:
        raise RuntimeError("nothing was read")
    return size / took / 1e6


def as_bytes(block: ternmq.StreamBlock) -> None:
    """Nothing is done with it."""


def as_messages(block: ternmq.StreamBlock) -> None:
    """Every message an object."""
    for message in block:
        len(message.data)


def as_columns(block: ternmq.StreamBlock) -> None:
    """Heads as an array of NumPy, where that is installed."""
    import numpy

    numpy.frombuffer(block.heads, numpy.dtype(ternmq.HEAD_COLUMNS))["number"].max()


def measured(
    settings: Settings,
    name: str,
    once: Callable[[], float],
    source: Source,
    count: int,
    goal: int,
) -> Figure:
    """One line of the table."""
    size = count * (HEAD_BYTES + len(BODY))
    contest = Contest({"read": once, "socket": partial(source.once, size)}).run(settings.few)
    return Figure(
        name,
        contest.value("read"),
        "MB/s",
        "a bare socket",
        contest.value("socket"),
        contest.ratio("read", "socket"),
        Goal(AT_LEAST, goal) if goal else None,
        f"{count:,} messages of 2 KB",
        contest.rounds["read"],
    )


def run(settings: Settings) -> list[Figure]:
    """Over the local socket, then over TCP."""
    data = settings.place("stream-socket")
    count = settings.scaled(40_000, 10_000)
    command(data, "crtmqm", "BENCH")
    command(data, "strmqm", "BENCH")
    source = Source(data / "source")
    found: list[Figure] = []
    try:
        connection = ternmq.connect("BENCH", data=data)
        fill(connection, count)
        for name, read_bytes, look, goal in (
            ("stream over the local socket, reads of 1 MiB", 1 << 20, as_bytes, GOAL),
            ("stream over the local socket, reads of 8 MiB", 8 << 20, as_bytes, GOAL),
            ("stream over the local socket, as columns", 1 << 20, as_columns, GOAL),
            ("stream over the local socket, as messages", 1 << 20, as_messages, 0),
        ):
            once = partial(read_all, connection, read_bytes, look)
            found.append(measured(settings, name, once, source, count, goal))
        found.append(over_tcp(settings, connection, source, count))
        connection.disconnect()
    finally:
        source.close()
        command(data, "endmqm", "-i", "BENCH")
    return found


def over_tcp(
    settings: Settings, connection: ternmq.Connection, source: Source, count: int
) -> Figure:
    """The same over MQ's protocol."""
    connection.mqsc(
        f"ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')\n"
        f"DEFINE CHANNEL('{CHANNEL}') CHLTYPE(SVRCONN) MAXMSGL(104857600)\n"
        "REFRESH SECURITY TYPE(CONNAUTH)\n"
        "DEFINE LISTENER(BENCH) TRPTYPE(TCP) PORT(0) IPADDR('127.0.0.1')\n"
        "START LISTENER(BENCH)"
    )
    (shown,) = connection.mqsc("DISPLAY LSSTATUS(BENCH) PORT")
    way = {"channel": CHANNEL, "conn": f"127.0.0.1({shown['PORT']})"}
    with ternmq.connect("BENCH", **way) as remote:  # type: ignore[arg-type]
        once = partial(read_all, remote, 1 << 20, as_bytes)
        return measured(settings, "stream over TCP, reads of 1 MiB", once, source, count, 0)
