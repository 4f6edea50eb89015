"""NATS: nats-server with JetStream, and nats-py.

JetStream's confirmation says that the message is in a file, not that the file was forced. The
sender flushes after every so many messages: 64 to 256 make no difference, 1,024 are slower.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from benchmarks.brokers import (
    BODY,
    IDLE_S,
    LAST,
    Once,
    Party,
    Server,
    Tally,
    client_library,
    program,
    until_cancelled,
)
from benchmarks.rival_tools import forcing_nats_server

BATCH = 128
LIMIT = 1 << 30  # of what may lie in the client


class BrokerServer(Server):
    """nats-server."""

    name = "NATS"
    durable_name = "NATS JetStream, not forced"

    @classmethod
    def check(cls) -> None:
        program("nats-server", "nats-server", "/usr/sbin/nats-server")
        client_library("nats", "nats-py")

    def start(self) -> None:
        words = [program("nats-server", "nats-server", "/usr/sbin/nats-server")]
        words += ["-a", "127.0.0.1", "-p", str(self.port), "-js", "-sd", str(self.folder)]
        self.launch(*words)
        self.await_port()


class ForcedServer(BrokerServer):
    """nats-server with `sync_interval: always`, which it knows from 2.11 on: built from the module
    proxy of Go, for Debian 12 has 2.9."""

    name = "NATS, forced"
    durable_name = "NATS JetStream, sync_interval always"

    @classmethod
    def check(cls) -> None:
        forcing_nats_server()
        client_library("nats", "nats-py")

    def start(self) -> None:
        settings = self.folder / "nats.conf"
        settings.write_text(
            f'listen: "127.0.0.1:{self.port}"\n'
            f'jetstream {{ store_dir: "{self.folder}", sync_interval: always }}\n'
        )
        self.launch(forcing_nats_server(), "-c", str(settings))
        self.await_port()


class BrokerParty(Party):
    """nats-py."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self._library = client_library("nats", "nats-py")
        self._links: list[Any] = []
        self._stream: Any = None

    async def _connected(self) -> Any:
        link = await self._library.connect(f"nats://127.0.0.1:{self.port}", pending_size=LIMIT)
        self._links.append(link)
        return link

    async def durable_putter(self) -> Once:
        if self._stream is None:
            self._stream = (await self._connected()).jetstream()
            await self._stream.add_stream(name="durable", subjects=["durable"])
            await self._stream.purge_stream("durable")
        return partial(self._stream.publish, "durable", BODY)

    async def open_sender(self) -> Callable[[float], Awaitable[int]]:
        link = await self._connected()

        async def send(seconds: float) -> int:
            sent = 0
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                for _ in range(BATCH):
                    await link.publish("stream", BODY)
                sent += BATCH
                await link.flush()
            await link.publish("stream", LAST)
            await link.flush()
            return sent + 1

        return send

    async def open_receiver(self) -> Callable[[], Awaitable[tuple[int, float]]]:
        link = await self._connected()
        tally = Tally()
        ended = asyncio.Event()

        async def taken(message: Any) -> None:
            if tally.count == 0:
                tally.begin()
            tally.count += 1
            if message.data[:4] == b"LAST":
                tally.stop()
                ended.set()

        limits = {"pending_bytes_limit": LIMIT, "pending_msgs_limit": 10**7}
        await link.subscribe("stream", cb=taken, **limits)
        await link.flush()

        async def receive() -> tuple[int, float]:
            seen = -1
            while not ended.is_set() and (seen != tally.count or not seen):
                seen = tally.count
                try:
                    await asyncio.wait_for(ended.wait(), IDLE_S)
                except TimeoutError:
                    tally.last = time.perf_counter() - IDLE_S
            return tally.result()

        return receive

    async def requester(self) -> Once:
        return partial((await self._connected()).request, "request", BODY, timeout=10)

    async def open_replier(self) -> Callable[[], Awaitable[None]]:
        link = await self._connected()

        async def reply(message: Any) -> None:
            await message.respond(message.data)

        await link.subscribe("request", queue="repliers", cb=reply)
        await link.flush()
        return until_cancelled

    async def idle_connection(self) -> object:
        return await self._connected()

    async def close(self) -> None:
        for link in self._links:
            await link.close()
