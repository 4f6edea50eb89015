"""RabbitMQ: quorum queues with publisher confirms for durable messages, and aio-pika.

A confirmation of a quorum queue says that the message is in the forced log of a majority, here of
one node. Transient messages go to a classic queue, without confirms and acknowledgements.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from benchmarks.brokers import (
    BODY,
    LAST,
    Once,
    Party,
    Server,
    Tally,
    await_true,
    client_library,
    end,
    free_port,
    program,
    until_cancelled,
)

BATCH = 64
PROGRAM = "/usr/lib/rabbitmq/bin/rabbitmq-server"


class BrokerServer(Server):
    """rabbitmq-server with a port mapper of its own, so that nothing stays behind."""

    name = "RabbitMQ"
    durable_name = "RabbitMQ quorum queue"
    node = "bench@localhost"
    plugins = ""  # what its file of enabled plugins has

    @classmethod
    def check(cls) -> None:
        program("rabbitmq-server", "rabbitmq-server", PROGRAM)
        program("epmd", "rabbitmq-server")
        client_library("aio_pika", "aio-pika")

    def start(self) -> None:
        mapper_port = str(free_port())
        self._mapper = subprocess.Popen(
            [program("epmd", "rabbitmq-server"), "-port", mapper_port, "-address", "127.0.0.1"]
        )
        folder = str(self.folder)
        (self.folder / "plugins").write_text(f"[{self.plugins}].\n", encoding="ascii")
        self.environment = {
            **os.environ,
            "HOME": folder,
            "ERL_EPMD_PORT": mapper_port,
            "RABBITMQ_MNESIA_BASE": folder,
            "RABBITMQ_LOG_BASE": folder,
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins",
            "RABBITMQ_NODENAME": self.node,
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(free_port()),
        }
        server = (
            PROGRAM if os.path.exists(PROGRAM) else program("rabbitmq-server", "rabbitmq-server")
        )
        self.launch(server, environment=self.environment)
        self.await_port()
        asyncio.run(await_true(self._answers))

    async def _answers(self) -> bool:
        library = client_library("aio_pika", "aio-pika")
        try:
            await (await library.connect(_address(self.port))).close()
        except Exception:
            return False
        return True

    def stop(self) -> None:
        super().stop()
        end(self._mapper)


class BrokerParty(Party):
    """aio-pika."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self._library = client_library("aio_pika", "aio-pika")
        self._links: list[Any] = []

    async def _connected(self) -> Any:
        link = await self._library.connect(_address(self.port))
        self._links.append(link)
        return link

    async def _channel(self, confirms: bool) -> Any:
        return await (await self._connected()).channel(publisher_confirms=confirms)

    async def durable_putter(self) -> Once:
        if not self._links:
            channel = await self._channel(False)
            arguments = {"x-queue-type": "quorum"}
            queue = await channel.declare_queue("durable", durable=True, arguments=arguments)
            await queue.purge()
        channel = await self._links[0].channel(publisher_confirms=True)
        message = self._library.Message(BODY, delivery_mode=2)
        return partial(channel.default_exchange.publish, message, "durable")

    async def open_sender(self) -> Callable[[float], Awaitable[int]]:
        channel = await self._channel(False)
        await channel.declare_queue("stream")
        publish = channel.default_exchange.publish
        message = self._library.Message(BODY)

        async def send(seconds: float) -> int:
            sent = 0
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                await asyncio.gather(*(publish(message, "stream") for _ in range(BATCH)))
                sent += BATCH
            await publish(self._library.Message(LAST), "stream")
            return sent + 1

        return send

    async def open_receiver(self) -> Callable[[], Awaitable[tuple[int, float]]]:
        channel = await self._channel(False)
        queue = await channel.declare_queue("stream")
        await queue.purge()
        tally = Tally()
        ended = asyncio.Event()

        def taken(message: Any) -> None:
            if tally.count == 0:
                tally.begin()
            tally.count += 1
            if message.body[:4] == b"LAST":
                tally.stop()
                ended.set()

        await queue.consume(taken, no_ack=True)

        async def receive() -> tuple[int, float]:
            await ended.wait()
            return tally.result()

        return receive

    async def requester(self) -> Once:
        channel = await self._channel(False)
        await channel.declare_queue("request")
        replies = await channel.declare_queue(exclusive=True)
        inbox: asyncio.Queue[Any] = asyncio.Queue()
        await replies.consume(inbox.put_nowait, no_ack=True)
        publish = channel.default_exchange.publish
        message = self._library.Message(BODY, reply_to=replies.name)

        async def ask() -> None:
            await publish(message, "request")
            await inbox.get()

        return ask

    async def open_replier(self) -> Callable[[], Awaitable[None]]:
        channel = await self._channel(False)
        queue = await channel.declare_queue("request")
        publish = channel.default_exchange.publish

        async def reply(message: Any) -> None:
            await publish(self._library.Message(message.body), message.reply_to)

        await queue.consume(reply, no_ack=True)
        return until_cancelled

    async def idle_connection(self) -> object:
        return await self._connected()

    async def close(self) -> None:
        for link in self._links:
            await link.close()


def _address(port: int) -> str:
    return f"amqp://guest:guest@127.0.0.1:{port}/"
