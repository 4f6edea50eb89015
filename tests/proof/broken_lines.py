"""NET: a client's connection breaks anywhere, and nothing is lost or doubled.

One dialogue with a queue manager, over TCP and through a proxy that cuts, resets or stalls it: at
every segment in each direction, before it or inside it. The dialogue has units of work with puts
and gets, asynchronous puts, a browse, read-ahead, messages of several segments, puts and gets
outside syncpoint and an MQDISC that commits.

Whatever breaks: the call that meets it ends, with MQRC_CONNECTION_BROKEN, or if it was the one that
connects with MQRC_Q_MGR_NOT_AVAILABLE; all later calls of that connection end with
MQRC_CONNECTION_BROKEN too. Afterwards the queues hold what the application was told, message by
message. Where the answer to a commit was lost, its unit has happened or not, but whole.
"""

from __future__ import annotations

import asyncio
import functools
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

import ternmq
import ternmq.aio
from ternmq.base import constants as mq
from ternmq.base.reasons import (
    MQRC_CONNECTION_BROKEN,
    MQRC_Q_MGR_NOT_AVAILABLE,
    MQRC_SSL_INITIALIZATION_ERROR,
)
from ternmq.testing.proxy import (
    CUT,
    DIRECTIONS,
    RESET,
    STALL,
    Fault,
    Proxy,
    record_length,
    segment_length,
)
from tests.proof.broken_reconnects import reconnected, segments_of
from tests.proof.broken_stage import CHANNEL, CIPHER, SECURE, Stage
from tests.proof.goal import Goal, Point, mine
from tests.unit.api.faces import Call
from tests.unit.api.served import Served

# Why a connection did not come about; with TLS, the handshake may be what failed.
NOT_CONNECTED = {
    False: (MQRC_Q_MGR_NOT_AVAILABLE,),
    True: (MQRC_Q_MGR_NOT_AVAILABLE, MQRC_SSL_INITIALIZATION_ERROR),
}
THREADS = "threads"  # the blocking client
TASKS = "tasks"  # that of asyncio
CLIENTS = (THREADS, TASKS)
RECONNECTS = "reconnecting"  # another dialogue: see `broken_reconnects`
CHANNELS = (CHANNEL, "ONE.SVRCONN", "ALONE.SVRCONN")  # SHARECNV 10, 1 and 0
BEATS = "BEAT.SVRCONN"  # stalls are found by heartbeats
TRIES_MAX = 5
TOO_SLOW = "the machine was too slow"
LONG = 70_000  # bytes of a message of three segments
WAITING = 10  # messages that wait on the queue of requests
AHEAD = 12  # messages that read-ahead may take
# How many bytes of the segment pass: none, a part of its head, head and a little more.
BYTES = (0, 1, 7, 8, 27, 28, 36, 60, 400)


class Dialogue:
    """What an application does, and what it was told."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.names = stage.new_names("IN", "OUT", "AHEAD")
        self.sent: Counter[str] = Counter()  # on OUT for certain
        self.taken: set[str] = set()  # gone from IN for certain
        self.maybe: list[tuple[set[str], set[str]]] = []  # puts and gets that went together
        self.ahead: list[str] = []  # got by read-ahead
        self.unit: tuple[set[str], set[str]] = (set(), set())
        self.is_connected = False
        with Served.connect(stage.served) as here:
            here.define_queue(self.names[0], max_message_length=200_000)
            here.define_queue(self.names[1], max_message_length=200_000)
            here.mqsc(f"DEFINE QLOCAL({self.names[2]}) DEFREADA(YES)")
            for number in range(WAITING):
                here.put(self.names[0], f"in {number} " + "x" * (LONG if number == 4 else 10))
            for number in range(AHEAD):
                here.put(self.names[2], f"ahead {number}")

    # ---- what the application does

    async def play(self, client: str, channel: str, conn: str) -> None:
        """The dialogue, to its end or to where it breaks."""
        patience_s = 1 if channel == BEATS else 30
        way: dict[str, Any] = {"channel": channel, "conn": conn, "heartbeat": patience_s}
        way["connect_timeout"] = patience_s
        if channel == SECURE:
            way |= {"cipher": CIPHER, "key_repository": self.stage.keys}
        async with opening(client, way) as connection:
            self.is_connected = True
            try:
                await self._work(connection)
            except ternmq.MQError as error:
                await check_broken(error, connection)
                raise

    async def _work(self, connection: Any) -> None:
        await self._units(connection)
        async with connection.queue(self.names[0]) as waiting:
            assert len([one.text async for one in waiting.browse()]) > 3
            assert await waiting.depth() > 0
        await self._backed_out(connection)
        await self._outside(connection)
        await self._asynchronous(connection)
        await self._read_ahead(connection)
        await self._ended(connection)

    async def _units(self, connection: Any) -> None:
        async with (
            connection.queue(self.names[1]) as out,
            connection.queue(self.names[0]) as waiting,
        ):
            await connection.begin()
            for number in range(3):
                await self._put(out, f"first {number}")
            await self._commit(connection)
            for _ in range(2):
                await connection.begin()
                for _ in range(2):
                    await self._put(out, f"copy of {await self._get(waiting)}")
                await self._commit(connection)
            await connection.begin()
            await self._put(out, "long " + "y" * LONG)
            await self._put(out, f"copy of {await self._get(waiting)}")  # it was a long one too
            await self._commit(connection)

    async def _backed_out(self, connection: Any) -> None:
        async with (
            connection.queue(self.names[1]) as out,
            connection.queue(self.names[0]) as waiting,
        ):
            await connection.begin()
            await self._put(out, "never")
            await self._get(waiting)
            await connection.backout()
            self.unit = (set(), set())

    async def _outside(self, connection: Any) -> None:
        async with (
            connection.queue(self.names[1]) as out,
            connection.queue(self.names[0]) as waiting,
        ):
            with Lost(self, {"outside"}, set()):
                await out.put("outside", persistent=True)
            self.sent["outside"] += 1
            # A get outside syncpoint is the application's risk: it may be gone.
            with Lost(self, set(), {"in 5"}):
                message = await waiting.get(wait=1)
            self.taken.add(message.text[:4])

    async def _asynchronous(self, connection: Any) -> None:
        async with connection.queue(self.names[1]) as out:
            await connection.begin()
            for number in range(4):
                await self._put(out, f"asynchronous {number}", mq.MQPMO_ASYNC_RESPONSE)
            await self._commit(connection)

    async def _read_ahead(self, connection: Any) -> None:
        async with connection.queue(self.names[2]) as ahead:
            for _ in range(AHEAD // 2):
                self.ahead.append((await ahead.get(wait=1)).text)

    async def _ended(self, connection: Any) -> None:
        async with connection.queue(self.names[1]) as out:
            await connection.begin()
            await self._put(out, "at the end")
        with Lost(self, *self.unit):
            await connection.disconnect()  # commits
        self._committed()

    async def _put(self, queue: Any, text: str, options: int = 0) -> None:
        self.unit[0].add(text[:20])
        await queue.put(text, options=options)

    async def _get(self, queue: Any) -> str:
        text: str = (await queue.get()).text[:4]
        self.unit[1].add(text)
        return text

    async def _commit(self, connection: Any) -> None:
        with Lost(self, *self.unit):
            await connection.commit()
        self._committed()

    def _committed(self) -> None:
        self.sent.update(self.unit[0])
        self.taken |= self.unit[1]
        self.unit = (set(), set())

    # ---- what the queue manager has

    def check(self) -> str:
        """Compare, and delete the queues; a word for the outcome."""
        with Served.connect(self.stage.served) as here:
            waiting, out, ahead = (self._content(here, name) for name in self.names)
            for name in self.names:
                here.delete_queue(name, purge=True)
        everything = {f"in {number}" for number in range(WAITING)}
        possible = [(self.sent, everything - self.taken)]
        for puts, gets in self.maybe:
            possible.append((self.sent + Counter(puts), everything - self.taken - gets))
        found = (Counter(text[:20] for text in out), Counter(text[:4] for text in waiting))
        matches = [
            number for number, (puts, left) in enumerate(possible) if found == (puts, Counter(left))
        ]
        assert matches, f"found {found}, told {possible}"
        self._check_ahead(ahead)
        if not self.is_connected:
            return "not connected"
        if not self.maybe:
            return "outside a commit"
        return "committed, not answered" if matches[-1] else "not committed, not answered"

    def _content(self, here: ternmq.Connection, name: str) -> list[str]:
        with here.queue(name) as queue:
            return [one.text for one in queue]

    def _check_ahead(self, left: list[str]) -> None:
        """What read-ahead had taken may be lost with the connection, but nothing comes twice or
        in another order."""
        order = [f"ahead {number}" for number in range(AHEAD)]
        assert self.ahead == order[: len(self.ahead)]
        assert left == order[AHEAD - len(left) :] or set(left) <= set(order) - set(self.ahead)
        assert len(set(left)) == len(left)
        assert not set(left) & set(self.ahead)


class Lost:
    """`with Lost(...)`: if the answer is lost, these puts and gets have happened or not."""

    def __init__(self, dialogue: Dialogue, puts: set[str], gets: set[str]) -> None:
        self._dialogue = dialogue
        self._puts = set(puts)
        self._gets = set(gets)

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is not None:
            self._dialogue.maybe.append((self._puts, self._gets))


def opening(client: str, way: dict[str, Any]) -> Any:
    """A connection of one of the clients, to be awaited or entered."""
    if client == TASKS:
        return ternmq.aio.connect("QM1", **way)
    return Call(lambda: ternmq.connect("QM1", **way))


async def check_broken(error: ternmq.MQError, connection: Any) -> None:
    """The call that met it, and every later one."""
    assert error.reason == MQRC_CONNECTION_BROKEN, error
    for again in (connection.commit, partial(connection.queue, "ANY"), connection.begin):
        with pytest.raises(ternmq.MQError) as later:
            await again()
        assert later.value.reason == MQRC_CONNECTION_BROKEN, later.value
    assert not connection.connected


def between(stage: Stage, channel: str) -> Proxy:
    """The proxy for a channel."""
    length = record_length if channel == SECURE else segment_length
    return Proxy(("127.0.0.1", stage.served.port), length)


def broken(stage: Stage, client: str, channel: str, fault: Fault) -> str:
    """One point. Where heartbeats are short, a busy machine may be too slow for them before the
    fault strikes; then it is tried again."""
    for _ in range(TRIES_MAX if channel == BEATS else 0):
        outcome = broken_once(stage, client, channel, fault)
        if outcome != TOO_SLOW:
            return outcome
    return broken_once(stage, client, channel, fault)


def broken_once(stage: Stage, client: str, channel: str, fault: Fault) -> str:
    dialogue = Dialogue(stage)
    with between(stage, channel) as proxy:
        proxy.break_at(fault)
        met: ternmq.MQError | None = None
        try:
            asyncio.run(dialogue.play(client, channel, proxy.conn))
        except ternmq.MQError as error:
            met = error
        is_slow = channel == BEATS and not proxy.has_struck
        assert met is None or is_slow or proxy.has_struck, f"nothing was broken, but {met}"
    stage.settle()
    outcome = dialogue.check()
    if met is None:
        return "not met"
    if is_slow:
        return TOO_SLOW
    # Whoever was connected has checked the reason already.
    assert dialogue.is_connected or met.reason in NOT_CONNECTED[channel == SECURE], met
    return outcome


@functools.cache
def lengths(channel: str) -> tuple[int, int]:
    """How many segments the dialogue has in each direction."""
    if channel == BEATS:  # as many, but for heartbeats, which a busy machine may be too slow for
        return lengths(CHANNEL)
    stage = Stage()
    try:
        dialogue = Dialogue(stage)
        with between(stage, channel) as proxy:
            asyncio.run(dialogue.play(THREADS, channel, proxy.conn))
            found = proxy.segments
        stage.settle()
        dialogue.check()
        return found
    finally:
        stage.close()


@functools.cache
def reconnect_lengths() -> tuple[int, int]:
    """The same for those who reconnect."""
    stage = Stage()
    try:
        return segments_of(stage)
    finally:
        stage.close()


def places(channel: str) -> Iterator[tuple[int, int]]:
    """Every segment of the dialogue: direction and number."""
    counts = reconnect_lengths() if channel == RECONNECTS else lengths(channel)
    for direction, count in zip(DIRECTIONS, counts, strict=True):
        for segment in range(count):
            yield direction, segment


def daily() -> Iterator[tuple[str, str, Fault]]:
    """Every segment is cut; the rest is sampled."""
    for number, (direction, segment) in enumerate(places(CHANNEL)):
        yield THREADS, CHANNEL, Fault(direction, segment, CUT)
        if number % 3 == 0:
            yield THREADS, CHANNEL, Fault(direction, segment, CUT, 30)
        if number % 4 == 1:
            yield THREADS, CHANNEL, Fault(direction, segment, RESET)
        if number % 3 == 1:
            yield TASKS, CHANNEL, Fault(direction, segment, CUT)
        if number % 12 == 2:
            yield CLIENTS[number % 8 // 4], SECURE, Fault(direction, segment, CUT, number % 7)
        if number % 40 == 5:
            yield CLIENTS[number % 2], BEATS, Fault(direction, segment, STALL)

    for direction, segment in places(RECONNECTS):
        yield RECONNECTS, CHANNEL, Fault(direction, segment, CUT)


def everywhere() -> Iterator[tuple[str, str, Fault]]:
    """Both clients, every way to share, every place in the head of a segment, and beyond."""
    for client in CLIENTS:
        for channel in CHANNELS:
            yield from in_segments(client, channel, places(channel))
        for direction, segment in places(SECURE):
            for byte in (0, 3, 5, 20):
                yield client, SECURE, Fault(direction, segment, CUT, byte)
        for number, (direction, segment) in enumerate(places(BEATS)):
            if number % 2 == 0:  # they take a heartbeat's time each
                yield client, BEATS, Fault(direction, segment, STALL)
    yield from in_segments(RECONNECTS, CHANNEL, places(RECONNECTS))


def in_segments(
    client: str, channel: str, where: Iterator[tuple[int, int]]
) -> Iterator[tuple[str, str, Fault]]:
    """Before and inside of every segment."""
    for direction, segment in where:
        for byte in BYTES:
            yield client, channel, Fault(direction, segment, CUT, byte)
        yield client, channel, Fault(direction, segment, RESET)


def broken_lines(tier: int, shard: int, shards: int) -> Iterator[Point]:
    stages: list[Stage] = []

    def run(client: str, channel: str, fault: Fault) -> str:
        if not stages:
            stages.append(Stage())
        if client == RECONNECTS:
            return reconnected(stages[0], fault)
        return broken(stages[0], client, channel, fault)

    try:
        for number, one in enumerate(daily() if tier == 1 else everywhere()):
            if mine(number, shard, shards):
                yield Point(f"{one[0]}, {one[1]}, {one[2]}", partial(run, *one))
    finally:
        for stage in stages:
            stage.close()


GOAL = Goal(
    "NET",
    "a client's connection is cut, reset or stalled at every segment",
    ("P1", "P2"),
    shards={1: 8, 2: 24},
    needed={1: 300, 2: 8_000},
    points=broken_lines,
    unit="broken connections",
)
