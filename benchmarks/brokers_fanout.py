"""The client halves of the fan-out: one publisher, SUBSCRIBERS subscribers, each in its process.

A publisher may be WINDOW publications ahead of its subscribers, on average: each of them confirms
after every CREDIT_STEP messages, in the way that its broker has for small messages. Without that a
broker would drop what slow subscribers have not taken (NATS, Redis) or hold all of it. The clients
in natsput/fan.go and fanclients do the same.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

import ternmq
from benchmarks import brokers_nats, brokers_redis
from benchmarks.brokers import BODY, LAST, StreamParty, Tally, client_library
from benchmarks.brokers_ternmq import CHANNEL, QMGR

SUBSCRIBERS: Final = 10
WINDOW: Final = 1024
CREDIT_STEP: Final = 256
BATCH: Final = 64
LIMIT: Final = 1 << 30
TOPIC: Final = "fan"
CREDIT: Final = "credit"
WAIT_S: Final = 60.0
Sender = Callable[[float], Awaitable[int]]
Receiver = Callable[[], Awaitable[tuple[int, float]]]


class Credits:
    """What subscribers have confirmed."""

    def __init__(self) -> None:
        self._confirmed = 0
        self._more = asyncio.Event()

    def add(self) -> None:
        """One subscriber has taken CREDIT_STEP more."""
        self._confirmed += CREDIT_STEP
        self._more.set()

    def is_ahead(self, sent: int) -> bool:
        """Whether the publisher has to wait."""
        return (sent - WINDOW) * SUBSCRIBERS > self._confirmed

    def has_all(self, sent: int) -> bool:
        """Whether every subscriber has confirmed what it can."""
        return self._confirmed >= sent // CREDIT_STEP * CREDIT_STEP * SUBSCRIBERS

    async def wait(self, sent: int) -> None:
        """Return when it may go on."""
        while self.is_ahead(sent):
            self._more.clear()
            await asyncio.wait_for(self._more.wait(), WAIT_S)


class TernMQParty(StreamParty):
    """ternmq.aio: a managed subscription whose model queue has DEFREADA(YES); the topic object has
    DEFPRESP(ASYNC)."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self._links: list[ternmq.aio.Connection] = []

    async def _connected(self) -> ternmq.aio.Connection:
        link = await ternmq.aio.connect(QMGR, channel=CHANNEL, conn=f"127.0.0.1({self.port})")
        self._links.append(link)
        return link

    async def open_sender(self) -> Sender:
        topic = await (await self._connected()).topic(object_name=TOPIC.upper())
        credit = await (await self._connected()).queue(CREDIT.upper())
        credits = Credits()

        async def send(seconds: float) -> int:
            sent = 0
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                for _ in range(BATCH):
                    await topic.put(BODY)
                sent += BATCH
                while credits.is_ahead(sent):
                    await credit.get(wait=WAIT_S)
                    credits.add()
            await topic.put(LAST)
            return sent + 1

        return send

    async def open_receiver(self) -> Receiver:
        link = await self._connected()
        subscription = await link.subscribe(object_name=TOPIC.upper())
        credit = await link.queue(CREDIT.upper())

        async def receive() -> tuple[int, float]:
            tally = Tally()
            async for message in subscription.consume(wait=WAIT_S):
                if tally.count == 0:
                    tally.begin()
                tally.count += 1
                if tally.count % CREDIT_STEP == 0:
                    await credit.put(b"x")
                if message.data[:4] == b"LAST":
                    break
            return tally.stop()

        return receive

    async def close(self) -> None:
        for link in self._links:
            await link.disconnect()


class NatsParty(brokers_nats.BrokerParty):
    """nats-py, core NATS."""

    async def open_sender(self) -> Sender:
        link = await self._connected()
        credits = Credits()

        async def credited(message: Any) -> None:
            credits.add()

        await link.subscribe(CREDIT, cb=credited)
        await link.flush()

        async def send(seconds: float) -> int:
            sent = 0
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                for _ in range(BATCH):
                    await link.publish(TOPIC, BODY)
                sent += BATCH
                await link.flush()
                await credits.wait(sent)
            await link.publish(TOPIC, LAST)
            await link.flush()
            return sent + 1

        return send

    async def open_receiver(self) -> Receiver:
        link = await self._connected()
        tally = Tally()
        ended = asyncio.Event()

        async def taken(message: Any) -> None:
            if tally.count == 0:
                tally.begin()
            tally.count += 1
            if tally.count % CREDIT_STEP == 0:
                await link.publish(CREDIT, b"x")
            if message.data[:4] == b"LAST":
                tally.stop()
                ended.set()

        limits = {"pending_bytes_limit": LIMIT, "pending_msgs_limit": 10**7}
        await link.subscribe(TOPIC, cb=taken, **limits)
        await link.flush()

        async def receive() -> tuple[int, float]:
            await asyncio.wait_for(ended.wait(), WAIT_S)
            return tally.result()

        return receive


class RedisParty(brokers_redis.BrokerParty):
    """redis-py: PUBLISH in pipelines, SUBSCRIBE."""

    async def open_sender(self) -> Sender:
        link = await self._connected()
        watched = (await self._connected()).pubsub(ignore_subscribe_messages=True)
        await watched.subscribe(CREDIT)
        credits = Credits()

        async def send(seconds: float) -> int:
            sent = 0
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                pipe = link.pipeline(transaction=False)
                for _ in range(BATCH):
                    pipe.publish(TOPIC, BODY)
                await pipe.execute()
                sent += BATCH
                while credits.is_ahead(sent):
                    if await watched.get_message(timeout=WAIT_S) is not None:
                        credits.add()
            await link.publish(TOPIC, LAST)
            return sent + 1

        return send

    async def open_receiver(self) -> Receiver:
        link = await self._connected()
        back = await self._connected()
        await link.config_set("client-output-buffer-limit", "pubsub 0 0 0")
        watched = link.pubsub(ignore_subscribe_messages=True)
        await watched.subscribe(TOPIC)

        async def receive() -> tuple[int, float]:
            tally = Tally()
            async for message in watched.listen():
                if tally.count == 0:
                    tally.begin()
                tally.count += 1
                if tally.count % CREDIT_STEP == 0:
                    await back.publish(CREDIT, b"x")
                if message["data"][:4] == b"LAST":
                    break
            return tally.stop()

        return receive


class MosquittoParty(StreamParty):
    """paho-mqtt, QoS 0. Its network loop runs in the calling thread: that is quicker than beside
    it."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self._library = client_library("paho.mqtt.client", "paho-mqtt")
        self._links: list[Any] = []

    def _subscribed(self, topic: str, taken: Callable[[Any, Any, Any], None]) -> Any:
        ready: list[int] = []
        link = self._library.Client(self._library.CallbackAPIVersion.VERSION2)
        link.on_message = taken
        link.on_subscribe = lambda *_: ready.append(1)
        link.max_queued_messages_set(0)
        link.connect("127.0.0.1", self.port)
        link.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._links.append(link)
        while not link.is_connected():
            link.loop(0.1)
        link.subscribe(topic, 0)
        while not ready:
            link.loop(0.1)
        return link

    async def open_sender(self) -> Sender:
        credits = Credits()
        link = self._subscribed(CREDIT, lambda *_: credits.add())

        async def send(seconds: float) -> int:
            sent = 0
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                for _ in range(BATCH):
                    link.publish(TOPIC, BODY)
                sent += BATCH
                link.loop(0)
                while link.want_write() or credits.is_ahead(sent):
                    link.loop(0.1)
            link.publish(TOPIC, LAST)
            # A socket that is closed with unread bytes loses what it has not sent.
            while link.want_write() or not credits.has_all(sent + 1):
                link.loop(0.1)
            return sent + 1

        return send

    async def open_receiver(self) -> Receiver:
        tally = Tally()
        ended: list[int] = []

        def taken(link: Any, _: Any, message: Any) -> None:
            if tally.count == 0:
                tally.begin()
            tally.count += 1
            if tally.count % CREDIT_STEP == 0:
                link.publish(CREDIT, b"x")
            if message.payload[:4] == b"LAST":
                tally.stop()
                ended.append(1)

        link = self._subscribed(TOPIC, taken)

        async def receive() -> tuple[int, float]:
            while not ended:
                link.loop(1.0)
            return tally.result()

        return receive

    async def close(self) -> None:
        for link in self._links:
            link.disconnect()
