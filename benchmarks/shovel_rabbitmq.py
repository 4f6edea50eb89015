"""RabbitMQ as a channel: two brokers with a quorum queue each, and a shovel between them.

The shovel acknowledges a message at the source when the target has confirmed it (`on-confirm`), at
most 1,000 at a time. It runs in the target's broker.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any, Final

from benchmarks.brokers import client_library, program
from benchmarks.brokers_rabbitmq import PROGRAM, BrokerServer, _address
from benchmarks.network_crew import cpu_s

PREFETCH: Final = 1000
AT_ONCE: Final = 200
POLL_S: Final = 0.01
WAIT_S: Final = 300.0
SHOVEL: Final = "bench"


class Source(BrokerServer):
    """The broker that has the messages."""

    node = "source@localhost"


class Target(BrokerServer):
    """The broker that gets them, with the shovel."""

    node = "target@localhost"
    plugins = "rabbitmq_shovel"

    def control(self, *words: str) -> None:
        """rabbitmqctl for this broker."""
        beside = str(Path(PROGRAM).with_name("rabbitmqctl"))
        tool = beside if os.path.exists(beside) else program("rabbitmqctl", "rabbitmq-server")
        command = [tool, "-q", "-n", self.node, *words]
        subprocess.run(command, env=self.environment, check=True, stdout=subprocess.DEVNULL)


class Shovel:
    """Both brokers."""

    def __init__(self, folder: Path) -> None:
        self.ends: tuple[Source, Target] = (
            Source(_made(folder / "source")),
            Target(_made(folder / "target")),
        )

    @staticmethod
    def check() -> None:
        """Raise `Missing` if a program or the client is not there."""
        BrokerServer.check()

    def start(self) -> None:
        for end in self.ends:
            end.start()

    def stop(self) -> None:
        for end in self.ends:
            if end.process is not None:
                end.stop()

    def transfer(self, data: bytes, messages: int) -> tuple[float, list[float]]:
        """Seconds a message while the shovel runs, from the first that has arrived to the last, and
        CPU seconds of both brokers. Preloading and starting the shovel do not count."""
        return asyncio.run(self._transfer(data, messages))

    async def _transfer(self, data: bytes, messages: int) -> tuple[float, list[float]]:
        library = client_library("aio_pika", "aio-pika")
        links = [await library.connect(_address(end.port)) for end in self.ends]
        try:
            await self._preload(library, links[0], data, messages)
            channel = await links[1].channel()
            await _declare(channel, "target")
            return await self._carry(channel, messages)
        finally:
            for link in links:
                await link.close()

    async def _preload(self, library: Any, link: Any, data: bytes, messages: int) -> None:
        channel = await link.channel(publisher_confirms=True)
        await _declare(channel, "source")
        publish = channel.default_exchange.publish
        message = library.Message(data, delivery_mode=2)
        for first in range(0, messages, AT_ONCE):
            count = min(AT_ONCE, messages - first)
            await asyncio.gather(*(publish(message, "source") for _ in range(count)))

    async def _carry(self, channel: Any, messages: int) -> tuple[float, list[float]]:
        source, target = self.ends
        value = {
            "src-protocol": "amqp091",
            "src-uri": _address(source.port).rstrip("/"),  # with a slash it names a virtual host
            "src-queue": "source",
            "src-prefetch-count": PREFETCH,
            "dest-protocol": "amqp091",
            "dest-uri": _address(target.port).rstrip("/"),
            "dest-queue": "target",
            "ack-mode": "on-confirm",
        }
        asking = asyncio.create_task(
            asyncio.to_thread(target.control, "set_parameter", "shovel", SHOVEL, json.dumps(value))
        )
        cpu = [cpu_s(end.pid) for end in self.ends]
        first, begun = await _count(channel, 1)
        _, ended = await _count(channel, messages)
        used = [cpu_s(end.pid) - before for end, before in zip(self.ends, cpu)]
        await asking
        target.control("clear_parameter", "shovel", SHOVEL)
        return (ended - begun) / max(messages - first, 1), used


async def _declare(channel: Any, name: str) -> None:
    """A quorum queue without messages."""
    queue = await channel.declare_queue(name, durable=True, arguments={"x-queue-type": "quorum"})
    await queue.purge()


async def _count(channel: Any, wanted: int) -> tuple[int, float]:
    """How many messages the target has, once it has so many, and when that was seen."""
    limit = time.monotonic() + WAIT_S
    while time.monotonic() < limit:
        queue = await channel.declare_queue("target", passive=True)
        if queue.declaration_result.message_count >= wanted:
            return queue.declaration_result.message_count, time.perf_counter()
        await asyncio.sleep(POLL_S)
    raise TimeoutError(f"the shovel has not brought {wanted} messages in {WAIT_S:.0f} s")


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder
