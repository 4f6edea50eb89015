"""TernMQ: `strmqm` with a TCP listener, and its own client.

Persistent messages are forced before they are confirmed. The queue of the stream has
DEFPRESP(ASYNC), so puts are not answered, and DEFREADA(YES), so messages are sent before they are
asked for.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import ternmq
from benchmarks.brokers import BODY, LAST, Once, Party, Server, Tally

QMGR = "BENCH"
CHANNEL = "BENCH.SVRCONN"
SINGLE = "BENCH.SINGLE"  # a socket for each connection
BATCH = 64
SLICE_S = 0.1
DEEP = "MAXDEPTH(999999999)"
# Nobody gets these; rivals keep them in memory, and so do we with a larger buffer than usual.
UNREAD = f"{DEEP} PBUFFER(268435456)"
SCRIPT = f"""
ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')
REFRESH SECURITY TYPE(CONNAUTH)
DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN)
DEFINE CHANNEL({SINGLE}) CHLTYPE(SVRCONN) SHARECNV(1)
DEFINE QLOCAL(DURABLE) {UNREAD} DEFPSIST(YES)
DEFINE QLOCAL(STREAM) {DEEP} DEFPRESP(ASYNC) DEFREADA(YES)
DEFINE QLOCAL(REQUEST) DEFPRESP(ASYNC)
DEFINE QMODEL(REPLY) DEFPRESP(ASYNC)
"""


class BrokerServer(Server):
    """strmqm."""

    name = "TernMQ"
    durable_name = "TernMQ"

    @classmethod
    def check(cls) -> None:
        return

    def start(self) -> None:
        self.command("crtmqm", QMGR)
        self.command("strmqm", QMGR)
        listener = f"DEFINE LISTENER(TCP) TRPTYPE(TCP) IPADDR('127.0.0.1') PORT({self.port})\n"
        self.command("runmqsc", QMGR, text=SCRIPT + listener + "START LISTENER(TCP)\n")
        self.await_port()

    def command(self, *words: str, text: str = "") -> str:
        environment = {**os.environ, "TERNMQ_DATA": str(self.folder)}
        done = subprocess.run(
            [sys.executable, "-m", "ternmq.cli", *words],
            env=environment,
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    @property
    def pid(self) -> int:
        words = Path(self.folder, "qmgrs", QMGR, "lock").read_text().split()
        return int(words[1])

    def empty(self) -> None:
        with ternmq.connect(QMGR, data=self.folder) as connection:
            for name in ("DURABLE", "STREAM", "REQUEST"):
                connection.clear_queue(name)

    def stop(self) -> None:
        self.command("endmqm", "-i", QMGR)


class BrokerParty(Party):
    """ternmq.aio."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self._conn = f"127.0.0.1({port})"
        self._links: list[ternmq.aio.Connection] = []

    async def _connected(self, channel: str = CHANNEL) -> ternmq.aio.Connection:
        link = await ternmq.aio.connect(QMGR, channel=channel, conn=self._conn)
        self._links.append(link)
        return link

    async def durable_putter(self) -> Once:
        queue = await (await self._connected()).queue("DURABLE")
        return partial(queue.put, BODY, persistent=True)

    async def open_sender(self) -> Callable[[float], Awaitable[int]]:
        queue = await (await self._connected()).queue("STREAM")

        async def send(seconds: float) -> int:
            sent = 0
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                for _ in range(BATCH):
                    await queue.put(BODY)
                sent += BATCH
            await queue.put(LAST)
            return sent + 1

        return send

    async def open_receiver(self) -> Callable[[], Awaitable[tuple[int, float]]]:
        queue = await (await self._connected()).queue("STREAM")

        async def receive() -> tuple[int, float]:
            tally = Tally()
            await queue.get(wait=60)
            tally.begin()
            async for message in queue.consume(wait=60):
                tally.count += 1
                if message.data[:4] == b"LAST":
                    break
            return tally.stop()

        return receive

    async def requester(self) -> Once:
        link = await self._connected()
        requests = await link.queue("REQUEST")
        replies = await link.queue("REPLY")
        name = replies.name

        async def ask() -> None:
            msg_id = await requests.put(BODY, reply_to=name)
            await replies.get(correl_id=msg_id, wait=10)

        return ask

    async def open_replier(self) -> Callable[[], Awaitable[None]]:
        link = await self._connected()
        requests = await link.queue("REQUEST")
        replies: dict[str, ternmq.aio.Queue] = {}

        async def reply() -> None:
            async for message in requests.consume(wait=60):
                name = message.descriptor.reply_to_queue
                queue = replies.get(name)
                if queue is None:
                    queue = replies[name] = await link.queue(name)
                await queue.put(message.data, correl_id=message.msg_id)

        return reply

    async def idle_connection(self) -> object:
        return await self._connected(SINGLE)

    async def close(self) -> None:
        for link in self._links:
            await link.disconnect()


class BlockingParty(BrokerParty):
    """ternmq.connect: a process that does one thing at a time needs no event loop."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self._blocking: list[ternmq.Connection] = []

    def _connected_here(self) -> ternmq.Connection:
        link = ternmq.connect(QMGR, channel=CHANNEL, conn=self._conn)
        self._blocking.append(link)
        return link

    async def close(self) -> None:
        for link in self._blocking:
            link.disconnect()

    async def requester(self) -> Once:
        link = self._connected_here()
        requests = link.queue("REQUEST")
        replies = link.queue("REPLY")
        name = replies.name

        async def ask() -> None:
            msg_id = requests.put(BODY, reply_to=name)
            replies.get(correl_id=msg_id, wait=10)

        return ask

    async def open_replier(self) -> Callable[[], Awaitable[None]]:
        link = self._connected_here()
        requests = link.queue("REQUEST")
        replies: dict[str, ternmq.Queue] = {}

        async def reply() -> None:
            while True:
                await asyncio.sleep(0)  # so that it can be cancelled
                for message in requests.consume(wait=SLICE_S):
                    name = message.descriptor.reply_to_queue
                    queue = replies.get(name)
                    if queue is None:
                        queue = replies[name] = link.queue(name)
                    queue.put(message.data, correl_id=message.msg_id)

        return reply
