"""Goal: message channels compress what both ends agree on, and messages arrive as they were.
Method: two queue managers in one loop with real sockets between them; bytes and DISPLAY CHSTATUS.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable

import pytest

from ternmq.wire.fap.compression import available_messages
from ternmq.wire.fap.compression_lists import NAMES
from tests.unit.network.channels.two_managers import Node, two_managers, until

CHANNEL = "QMA.QMB"
KINDS = [NAMES[one] for one in available_messages()]
LINES = b"one line of an order".ljust(80) * 2000


def ran(work: Callable[[Node, Node], Awaitable[None]]) -> None:
    async def run() -> None:
        async with two_managers() as (one, other):
            await work(one, other)

    asyncio.run(run())


async def delivered(one: Node, other: Node, *data: bytes) -> list[bytes]:
    one.put("R", *data)
    one.start(CHANNEL)
    await until(lambda: other.depth("T") == len(data), "delivery")
    return other.get_all("T")


def sent_bytes(one: Node) -> int:
    agent = one.instance(CHANNEL).agent
    assert agent is not None
    return int(agent.bytes_sent)


def status(node: Node, keyword: str) -> list[str]:
    shown = node.manager.mqsc(f"DISPLAY CHSTATUS({CHANNEL}) ALL")[0]
    return str(shown[keyword]).split(",")


@pytest.mark.parametrize("kind", KINDS)
def test_channel_when_it_compresses_then_fewer_bytes_and_the_same_messages(kind: str) -> None:
    async def work(one: Node, other: Node) -> None:
        one.pair(other, f"COMPMSG({kind}) COMPHDR(SYSTEM) MONCHL(HIGH)")
        other.run(
            "ALTER QMGR MONCHL(HIGH)",
            f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) COMPMSG(ANY) COMPHDR(SYSTEM)",
        )
        one.run("ALTER QMGR MONCHL(HIGH)")
        messages = [b"", b"x", LINES, os.urandom(20_000), LINES[:5000]]
        assert await delivered(one, other, *messages) == messages
        plain = sum(len(data) + 428 for data in messages)
        assert sent_bytes(one) < plain // 2
        assert status(one, "COMPMSG") == [kind, kind]
        assert status(one, "COMPHDR") == ["SYSTEM", "SYSTEM"]
        assert status(other, "COMPMSG")[0] == kind
        assert int(status(one, "COMPRATE")[0]) > 0
        assert int(status(one, "COMPTIME")[0]) > 0

    ran(work)


def test_channel_when_headers_are_compressed_then_many_short_messages_need_less() -> None:
    async def work(one: Node, other: Node) -> None:
        one.pair(other, "COMPHDR(SYSTEM)")
        other.run(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) COMPHDR(SYSTEM)")
        messages = [b"%d" % number for number in range(200)]
        assert await delivered(one, other, *messages) == messages
        assert sent_bytes(one) < 200 * 428 // 2

    ran(work)


@pytest.mark.parametrize(
    ("sender", "receiver", "expected"),
    [
        ("ZLIBFAST,RLE", "RLE,ZLIBFAST", "ZLIBFAST"),
        ("RLE,ZLIBHIGH", "ANY", "RLE"),
        ("ZLIBHIGH", "RLE", "NONE"),
        ("ZLIBHIGH", "NONE", "NONE"),
        ("NONE", "ANY", "NONE"),
    ],
)
def test_channel_when_both_ends_have_lists_then_the_senders_order_counts(
    sender: str, receiver: str, expected: str
) -> None:
    async def work(one: Node, other: Node) -> None:
        one.pair(other, f"COMPMSG({sender})")
        other.run(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) COMPMSG({receiver})")
        assert await delivered(one, other, LINES) == [LINES]
        assert status(one, "COMPMSG")[0] == expected
        assert status(other, "COMPMSG")[0] == expected

    ran(work)


def test_channel_when_a_message_is_longer_than_many_segments_then_it_is_compressed_whole() -> None:
    async def work(one: Node, other: Node) -> None:
        one.run("ALTER QMGR MAXMSGL(20000000)")
        other.run("ALTER QMGR MAXMSGL(20000000)")
        one.pair(other, "COMPMSG(ZLIBFAST) MAXMSGL(20000000)")
        one.run("ALTER QLOCAL(QMB) MAXMSGL(20000000)")
        other.run(
            "ALTER QLOCAL(T) MAXMSGL(20000000)",
            f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) COMPMSG(ZLIBFAST) MAXMSGL(20000000)",
        )
        noise = os.urandom(1_000_000)
        messages = [noise + bytes(4_000_000), noise]
        assert await delivered(one, other, *messages) == messages
        assert 2_000_000 < sent_bytes(one) < 2_200_000

    ran(work)


def test_define_when_a_sending_end_leaves_the_choice_open_then_refused() -> None:
    async def work(one: Node, other: Node) -> None:
        text = "DEFINE CHANNEL(X) CHLTYPE({}) CONNAME(h) XMITQ(Q) COMPMSG(RLE,ANY)"
        for kind in ("SDR", "SVR"):
            assert not one.manager.mqsc(text.format(kind))[0].ok
        assert one.manager.mqsc("DEFINE CHANNEL(X) CHLTYPE(RCVR) COMPMSG(ANY)")[0].ok

    ran(work)
