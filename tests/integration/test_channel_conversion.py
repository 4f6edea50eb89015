"""Goal: CONVERT(YES): the sender converts data for its partner; what it cannot is buried here.
Method: two queue managers in one loop whose CCSIDs differ; dead-letter headers are read.
"""

from __future__ import annotations

import asyncio

from ternmq.base.reasons import MQRC_FORMAT_ERROR
from tests.unit.network.channels.two_managers import Node, two_managers, until

CHANNEL = "QMA.QMB"
DEAD = "SYSTEM.DEAD.LETTER.QUEUE"
LATIN_1 = 819


def put(one: Node) -> None:
    one.put("R", "héllo".encode(), format="MQSTR")
    one.put("R", b"\x01\x02", format="MYFMT")
    one.put("R", b"last", format="MQSTR")


def got(other: Node) -> list[tuple[bytes, int]]:
    found: list[tuple[bytes, int]] = []
    with other.manager.connect() as connection, connection.queue("T") as queue:
        while (message := queue.try_get()) is not None:
            found.append((message.data, message.descriptor.ccsid))
    return found


def test_sender_when_it_converts_then_the_partner_gets_its_own_set() -> None:
    async def run() -> None:
        async with two_managers() as (one, other):
            other.run(f"ALTER QMGR CCSID({LATIN_1})")
            one.run(f"ALTER QMGR DEADQ({DEAD})")
            one.pair(other, "CONVERT(YES)")
            put(one)
            one.start(CHANNEL)
            await until(lambda: other.depth("T") == 2, "delivery")
            assert got(other) == [("héllo".encode("latin-1"), LATIN_1), (b"last", LATIN_1)]
            found: list[bytes] = []

            def buried() -> bool:
                found.extend(one.get_all(DEAD))
                return bool(found)

            await until(buried, "burial")
            (dead,) = found
            assert int.from_bytes(dead[8:12], "little") == MQRC_FORMAT_ERROR
            assert dead.endswith(b"\x01\x02")
            await until(lambda: one.depth("QMB") == 0, "the end of the batch")

    asyncio.run(run())


def test_sender_when_it_does_not_convert_then_data_arrive_as_they_were_put() -> None:
    async def run() -> None:
        async with two_managers() as (one, other):
            other.run(f"ALTER QMGR CCSID({LATIN_1})")
            one.pair(other, "CONVERT(NO)")
            put(one)
            one.start(CHANNEL)
            await until(lambda: other.depth("T") == 3, "delivery")
            assert got(other)[0] == ("héllo".encode(), 1208)

    asyncio.run(run())


def test_sender_when_nothing_can_be_buried_then_the_channel_stops_and_messages_stay() -> None:
    async def run() -> None:
        async with two_managers() as (one, other):
            other.run(f"ALTER QMGR CCSID({LATIN_1})")
            one.pair(other, "CONVERT(YES)")
            put(one)
            one.start(CHANNEL)
            await until(lambda: not one.channels.instances_of(CHANNEL), "its end")
            assert one.depth("QMB") == 3
            assert other.depth("T") == 0

    asyncio.run(run())
