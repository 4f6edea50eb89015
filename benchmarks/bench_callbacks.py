"""Messages by callbacks beside a loop of gets, in the same run.

2 KB non-persistent messages outside syncpoint are put first, then taken: by `queue.get` in a loop,
by one callback, and by callbacks of two queues. In process, and over TCP from a queue manager in
another process; for threads and for tasks. Goal: 90 % of the loop.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

import ternmq
import ternmq.aio
from benchmarks.brokers_ternmq import CHANNEL, QMGR, BrokerServer
from benchmarks.contest import Contest
from benchmarks.figures import AT_LEAST, Figure, Goal, Settings

BODY: Final = bytes(2048)
QUEUES: Final = ("CALLS.1", "CALLS.2")
WAIT_S: Final = 5.0
GOAL: Final = Goal(AT_LEAST, 0.9, of_ratio=True)


class Filled:
    """A connection, and queues that are filled before each round."""

    def __init__(self, connection: ternmq.Connection, count: int) -> None:
        self.connection = connection
        self.count = count
        for name in QUEUES:
            connection.define_queue(name, replace=True, max_depth=999_999)

    def fill(self, queues: int) -> None:
        """Put the messages, in equal parts."""
        for name in QUEUES[:queues]:
            with self.connection.queue(name) as queue:
                for _ in range(self.count // queues):
                    queue.put(BODY, options=ternmq.constants.MQPMO_ASYNC_RESPONSE)

    def loop(self) -> float:
        """Messages a second by gets."""
        self.fill(1)
        with self.connection.queue(QUEUES[0]) as queue:
            start = time.perf_counter()
            for _ in range(self.count):
                queue.get(wait=WAIT_S)
            return self.count / (time.perf_counter() - start)

    def callbacks(self, queues: int) -> float:
        """Messages a second by callbacks of so many queues."""
        self.fill(queues)
        left = self.count

        def take(message: ternmq.Message) -> None:
            nonlocal left
            left -= 1
            if not left:
                self.connection.stop()

        opened = [self.connection.queue(name) for name in QUEUES[:queues]]
        for queue in opened:
            queue.on_message(take)
        start = time.perf_counter()
        self.connection.start(wait=True)
        took = time.perf_counter() - start
        for queue in opened:
            queue.close()
        return self.count / took


async def loop_of_tasks(connection: ternmq.aio.Connection, count: int) -> float:
    """Messages a second by gets of a task."""
    async with await connection.queue(QUEUES[0]) as queue:
        start = time.perf_counter()
        for _ in range(count):
            await queue.get(wait=WAIT_S)
        return count / (time.perf_counter() - start)


async def callbacks_of_tasks(connection: ternmq.aio.Connection, count: int) -> float:
    """Messages a second by a coroutine function."""
    left = count

    async def take(message: ternmq.Message) -> None:
        nonlocal left
        left -= 1
        if not left:
            await connection.stop()

    async with await connection.queue(QUEUES[0]) as queue:
        await queue.on_message(take)
        start = time.perf_counter()
        await connection.start(wait=True)
        return count / (time.perf_counter() - start)


def figure(name: str, contest: Contest, which: str, loop: str) -> Figure:
    """One of them beside its loop."""
    return Figure(
        name,
        contest.value(which),
        "messages/s",
        "loop of gets",
        contest.value(loop),
        contest.ratio(which, loop),
        GOAL,
        rounds=contest.rounds[which],
    )


def threads(filled: Filled, how: str, settings: Settings) -> list[Figure]:
    """By one thread."""
    contest = Contest(
        {
            "loop": filled.loop,
            "one": lambda: filled.callbacks(1),
            "two": lambda: filled.callbacks(2),
        }
    ).run(settings.rounds)
    return [
        figure(f"one callback, {how}", contest, "one", "loop"),
        figure(f"callbacks of two queues, {how}", contest, "two", "loop"),
    ]


async def tasks(conn: str, filled: Filled, settings: Settings) -> Figure:
    """By one task, over TCP."""
    async with ternmq.aio.connect(QMGR, channel=CHANNEL, conn=conn) as connection:
        loops: list[float] = []
        called: list[float] = []
        for _ in range(settings.rounds):
            filled.fill(1)
            loops.append(await loop_of_tasks(connection, filled.count))
            filled.fill(1)
            called.append(await callbacks_of_tasks(connection, filled.count))
    contest = Contest({})
    contest.rounds = {"loop": loops, "one": called}
    return figure("one coroutine function, over TCP", contest, "one", "loop")


def run(settings: Settings) -> list[Figure]:
    """Messages a second."""
    count = settings.scaled(100_000, 10_000)
    with ternmq.embedded(settings.place("callbacks"), "BENCH", create=True) as qmgr:
        found = threads(Filled(qmgr.connect(), count), "in process", settings)
    server = BrokerServer(settings.place("tcp"))
    server.start()
    try:
        conn = f"127.0.0.1({server.port})"
        with ternmq.connect(QMGR, channel=CHANNEL, conn=conn) as connection:
            filled = Filled(connection, settings.scaled(20_000, 5_000))
            found += threads(filled, "over TCP", settings)
            found.append(asyncio.run(tasks(conn, filled, settings)))
    finally:
        server.stop()
    return found
