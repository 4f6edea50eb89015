"""G11: partners that have not shown who they are take little, and not for long.

A point is fifty connections at once to the real listener and the real protocol, all of one shape:
lengths that are announced and never come, halves of segments and dialogues, the same over and over,
nothing at all, other protocols, records of TLS. All are closed by their deadline, nothing is left
of them, and a client that comes in meanwhile is served. What all points of a shard leave in memory
is bounded.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from functools import partial

from tests.proof.goal import Goal, Point, mine
from tests.security.test_before_authentication import (
    OPENED,
    SHAPES,
    Wall,
    on_wall,
    resident_bytes,
    until_closed,
)

AT_ONCE = 50
DEADLINE_S = 0.5
TRIES = 10
GROWTH_BYTES_MAX = 80 * 1024 * 1024


async def opened(wall: Wall) -> None:
    """Somebody who speaks as he should is answered while the strangers are there. On a machine that
    stands still for longer than the deadline, at a later try."""
    answer = b""
    for _ in range(TRIES):
        reader, writer = await asyncio.open_connection("127.0.0.1", wall.port)
        writer.write(OPENED)
        try:
            answer = await reader.read(4)
        except ConnectionError:
            answer = b""
        writer.transport.abort()
        if answer:
            break
    if answer != b"TSH ":
        raise AssertionError(f"a client was answered {answer!r}")


def unauthenticated(before: list[int], shape: str) -> str:
    async def play(wall: Wall) -> None:
        crowd = [until_closed(wall.port, SHAPES[shape]) for _ in range(AT_ONCE)]
        await asyncio.gather(*crowd, opened(wall))
        while wall.host.sockets:  # noqa: ASYNC110 - the loop itself is what is waited for
            await asyncio.sleep(0)
        left = wall.network.acceptor.unauthenticated.count, len(wall.network.channels.instances)
        if left != (0, 0):
            raise AssertionError(f"{left} strangers and instances are left")

    on_wall(play, deadline_s=DEADLINE_S)
    gc.collect()
    now = resident_bytes()
    if not before:
        before.append(now)
    if now - before[0] > GROWTH_BYTES_MAX:
        raise AssertionError(f"{now - before[0]} bytes more than at the beginning")
    return "all closed"


def crowds(tier: int, shard: int, shards: int) -> Iterator[Point]:
    before: list[int] = []
    number = 0
    for _ in range(2 if tier == 1 else 400):
        for shape in SHAPES:
            if mine(number, shard, shards):
                yield Point(shape, partial(unauthenticated, before, shape), AT_ONCE)
            number += 1


GOAL = Goal(
    "G11",
    "connections that announce, stop, repeat or say nothing before they have shown who they are",
    ("P10",),
    shards={1: 4, 2: 8},
    needed={1: 1_000, 2: 200_000},
    points=crowds,
    unit="connections",
)
