"""Redis: a stream with every write forced (`appendfsync always`), lists for the rest, and redis-py.

Transient messages need no file: it is switched off for them, and durable puts come first.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from benchmarks.brokers import BODY, LAST, Once, Party, Server, Tally, client_library, program

BATCH = 128
KEY_BYTES = 16


class BrokerServer(Server):
    """redis-server."""

    name = "Redis"
    durable_name = "Redis stream, appendfsync always"

    @classmethod
    def check(cls) -> None:
        program("redis-server", "redis-server")
        client_library("redis.asyncio", "redis")

    def start(self) -> None:
        words = [program("redis-server", "redis-server"), "--bind", "127.0.0.1"]
        words += ["--port", str(self.port), "--dir", str(self.folder), "--save", ""]
        words += ["--appendonly", "yes", "--appendfsync", "always", "--maxclients", "10000"]
        self.launch(*words)
        self.await_port()


class BrokerParty(Party):
    """redis-py."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self._library = client_library("redis.asyncio", "redis")
        self._links: list[Any] = []

    async def _connected(self) -> Any:
        link = self._library.Redis(host="127.0.0.1", port=self.port, single_connection_client=True)
        await link.ping()
        self._links.append(link)
        return link

    async def durable_putter(self) -> Once:
        link = await self._connected()
        if len(self._links) == 1:
            if (await link.config_get("appendonly"))["appendonly"] != "yes":
                raise RuntimeError("the append-only file was switched off")
            await link.delete("durable")
        return partial(link.xadd, "durable", {"body": BODY})

    async def open_sender(self) -> Callable[[float], Awaitable[int]]:
        link = await self._connected()
        body = [BODY] * BATCH

        async def send(seconds: float) -> int:
            sent = 0
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                pipe = link.pipeline(transaction=False)
                for one in body:
                    pipe.rpush("stream", one)
                await pipe.execute()
                sent += BATCH
            await link.rpush("stream", LAST)
            return sent + 1

        return send

    async def open_receiver(self) -> Callable[[], Awaitable[tuple[int, float]]]:
        link = await self._connected()
        await link.config_set("appendonly", "no")
        await link.delete("stream")
        tally = Tally()

        async def receive() -> tuple[int, float]:
            await link.blpop("stream", timeout=60)
            tally.begin()
            while True:
                found = await link.lpop("stream", BATCH)
                if not found:
                    found = [(await link.blpop("stream", timeout=60))[1]]
                tally.count += len(found)
                if found[-1][:4] == b"LAST":
                    return tally.stop()

        return receive

    async def requester(self) -> Once:
        link = await self._connected()
        key = b"%016x" % await link.incr("requesters")
        body = key + BODY[KEY_BYTES:]

        async def ask() -> None:
            await link.rpush("request", body)
            await link.blpop(key, timeout=10)

        return ask

    async def open_replier(self) -> Callable[[], Awaitable[None]]:
        link = await self._connected()
        await link.config_set("appendonly", "no")

        async def reply() -> None:
            while True:
                found = await link.blpop("request", timeout=60)
                if found is not None:
                    await link.rpush(found[1][:KEY_BYTES], found[1])

        return reply

    async def idle_connection(self) -> object:
        return await self._connected()

    async def close(self) -> None:
        for link in self._links:
            await link.aclose()
