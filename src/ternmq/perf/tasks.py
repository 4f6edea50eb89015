"""What tasks of a workload do: one coroutine a task, one connection a task.

A task is opened before any of them begins, so that connecting and opening cost nothing that is
measured; it works until its end, or until `stop` when it only serves others.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from typing import Any, Final

import ternmq
from ternmq import aio
from ternmq.perf.queues import queue_name
from ternmq.perf.workload import (
    GETTER,
    IDLE,
    LOCAL,
    LOOPER,
    PUTTER,
    REQUESTER,
    SERVER,
    SHORT,
    Crew,
)

REPLY_S: Final = 60.0  # a reply that takes longer will not come
LOOK_S: Final = 0.2  # how long a server waits before it asks whether it is to stop
LOOK_EVERY: Final = 64  # puts between two looks at the depth
DEPTH_MAX: Final = 500  # a putter that is this far ahead of its getter waits
AHEAD_S: Final = 0.002


class Place:
    """Where the queue manager is, for a process of tasks."""

    def __init__(self, name: str, data: str, port: int) -> None:
        self.name: Final = name
        self.data: Final = data
        self.port: Final = port

    async def connected(self, binding: str) -> aio.Connection:
        """A connection by the local socket or by a channel."""
        if binding == LOCAL:
            return await aio.connect(self.name, data=self.data)
        conn = f"127.0.0.1({self.port})"
        return await aio.connect(self.name, channel=binding, conn=conn)


def body_of(crew: Crew) -> bytes:
    """What a message of the crew has in it."""
    if not crew.is_random:
        return bytes(crew.size)
    zeros = crew.size * crew.compressible // 100
    return os.urandom(crew.size - zeros) + bytes(zeros)


class Task:
    """One task; `number` from 0 on within its crew."""

    serves = False  # works until it is stopped

    def __init__(self, place: Place, crew: Crew, number: int) -> None:
        self.place: Final = place
        self.crew: Final = crew
        self.number: Final = crew.after + (number + 1 if crew.each_its_own else 1)
        self.body: Final = body_of(crew)
        self.done = 0
        self.stopping = False
        self.link: aio.Connection | None = None
        self.kept: list[aio.Queue] = []

    async def connect(self) -> aio.Connection:
        """Its connection."""
        if self.link is None:
            self.link = await self.place.connected(self.crew.binding)
        return self.link

    async def opened(self, family: str) -> aio.Queue:
        """A queue of its number, open until the task is closed."""
        queue = await (await self.connect()).queue(queue_name(family, self.number))
        self.kept.append(queue)
        return queue

    async def open(self) -> None:
        """Connect, open."""
        raise NotImplementedError

    async def work(self, end: float) -> None:
        """Until `end` by the clock, or until it is stopping."""
        raise NotImplementedError

    def has_time(self, end: float) -> bool:
        """Whether it goes on; every task does at least one thing."""
        return self.done == 0 or time.perf_counter() < end

    async def close(self) -> None:
        """What it holds goes with its connection."""
        if self.link is not None:
            await self.link.disconnect()


class Requester(Task):
    """Puts a request and gets the reply to it, one after the other."""

    async def open(self) -> None:
        self.requests = await self.opened(self.crew.queue)
        self.replies = await self.opened(self.crew.reply)

    async def work(self, end: float) -> None:
        crew = self.crew
        link = await self.connect()
        inside = crew.syncpoint
        while self.has_time(end):
            msg_id = await self.requests.put(
                self.body, persistent=crew.persistent, reply_to=self.replies.name, syncpoint=inside
            )
            if inside:
                await link.commit()
            wanted = None if crew.any_reply else msg_id
            await self.replies.get(correl_id=wanted, wait=REPLY_S, syncpoint=inside)
            if inside:
                await link.commit()
            self.done += 1


class Server(Task):
    """Answers requests with what they said."""

    serves = True

    async def open(self) -> None:
        self.requests = await self.opened(self.crew.queue)
        self.replies = await self.opened(self.crew.reply)

    async def work(self, end: float) -> None:
        crew = self.crew
        link = await self.connect()
        inside = crew.syncpoint
        while not self.stopping:
            message = await self.requests.try_get(wait=LOOK_S, syncpoint=inside)
            if message is None:
                continue
            await self.replies.put(
                message.data,
                persistent=crew.persistent,
                correl_id=message.msg_id,
                syncpoint=inside,
            )
            if inside:
                await link.commit()
            self.done += 1


class Getter(Task):
    """Takes whatever comes."""

    serves = True

    async def open(self) -> None:
        self.queue = await self.opened(self.crew.queue)

    async def work(self, end: float) -> None:
        while not self.stopping:
            if self.crew.ahead:
                await self._consume()
            elif await self.queue.try_get(wait=LOOK_S) is not None:
                self.done += 1

    async def _consume(self) -> None:
        async for _ in self.queue.consume(wait=LOOK_S):
            self.done += 1
            if self.stopping:
                return


class Putter(Task):
    """Puts, and waits while the getters are far behind."""

    async def open(self) -> None:
        self.queue = await self.opened(self.crew.queue)

    async def work(self, end: float) -> None:
        persistent = self.crew.persistent
        depth_max = max(4, min(DEPTH_MAX, (32 << 20) // len(self.body)))
        while self.has_time(end):
            for _ in range(min(LOOK_EVERY, depth_max)):
                await self.queue.put(self.body, persistent=persistent)
                self.done += 1
            # A getter is another process: its progress can only be asked for.
            while await self.queue.depth() > depth_max and time.perf_counter() < end:  # noqa: ASYNC110
                await asyncio.sleep(AHEAD_S)


class Looper(Task):
    """Puts a message and gets one, from a queue that others use too."""

    async def open(self) -> None:
        self.queue = await self.opened(self.crew.queue)

    async def work(self, end: float) -> None:
        while self.has_time(end):
            await self.queue.put(self.body, persistent=self.crew.persistent)
            await self.queue.get(wait=REPLY_S)
            self.done += 1


class Short(Task):
    """A new task for each transaction: connects, opens, puts, gets, closes, disconnects."""

    async def open(self) -> None:
        return

    async def work(self, end: float) -> None:
        name = queue_name(self.crew.queue, self.number)
        while self.has_time(end):
            async with (
                aio.connect(self.place.name, data=self.place.data) as link,
                link.queue(name) as queue,
            ):
                await queue.put(self.body)
                await queue.get(wait=REPLY_S)
            self.done += 1


class Idle(Task):
    """A connection that has put and got a message, and then does nothing."""

    serves = True

    async def open(self) -> None:
        queue = await self.opened(self.crew.queue)
        await queue.put(self.body)
        await queue.get(wait=REPLY_S)

    async def work(self, end: float) -> None:
        return


ROLES: Final[dict[str, Callable[[Place, Crew, int], Task]]] = {
    REQUESTER: Requester,
    SERVER: Server,
    GETTER: Getter,
    PUTTER: Putter,
    LOOPER: Looper,
    SHORT: Short,
    IDLE: Idle,
}


def crew_from(values: dict[str, Any]) -> Crew:
    """A crew as this process received it."""
    return Crew(**values)


def build() -> str:
    """compiled or plain."""
    return "compiled" if ternmq.build_info().compiled else "plain"
