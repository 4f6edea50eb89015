"""Goal: sockets of message channels: sizes, fairness, partners that do not read or have not shown
who they are, junk, the trace, keys of TLS.

Method: two queue managers in memory in one loop; a proxy where a line breaks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from ternmq.channel.agent import NORMAL, RETRY
from ternmq.network.channels.agent_driver import STEPS_A_TURN
from ternmq.network.edge.network_host import CallTrace
from ternmq.network.edge.network_settings import NetworkSettings
from ternmq.testing.proxy import STALL, TO_SERVER, Fault, Proxy
from tests.unit.network.certificates import Certificates
from tests.unit.network.channels.two_managers import Node, two_managers, until

Play = Callable[[Node, Node], Coroutine[Any, Any, None]]
NAME = "QMA.QMB"


def played(play: Play, settings: NetworkSettings | None = None) -> None:
    async def main() -> None:
        async with two_managers(settings=settings) as (one, other):
            await play(one, other)

    asyncio.run(main())


async def running(one: Node, other: Node, name: str = NAME) -> None:
    await until(
        lambda: one.status(name) == other.status(name) == "RUNNING",
        f"{one.logged} {other.logged}",
    )


async def arrived(other: Node, count: int, queue: str = "T") -> None:
    await until(lambda: other.depth(queue) == count, f"{count} messages on {queue}")


# ---- size and fairness


def test_message_when_it_is_long_then_its_segments_are_as_agreed() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "MAXMSGL(104857600)")
        other.run(
            "ALTER CHANNEL(QMA.QMB) CHLTYPE(RCVR) MAXMSGL(104857600)",
            "ALTER QLOCAL(T) MAXMSGL(104857600)",
            "ALTER QMGR MAXMSGL(104857600)",
        )
        one.run("ALTER QMGR MAXMSGL(104857600)", "ALTER QLOCAL(QMB) MAXMSGL(104857600)")
        data = bytes(range(256)) * 4096 * 8
        one.put("R", data)
        instance = one.start(NAME)
        await arrived(other, 1)
        assert other.get_all("T") == [data]
        agent = instance.agent
        assert agent is not None
        assert agent.buffers_sent >= len(data) // agent.segment_bytes_max
        assert agent.segment_bytes_max == 32_748

    played(play)


def test_sender_when_the_partner_does_not_read_then_little_is_kept_for_it() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "BATCHSZ(9999) BATCHLIM(0)")
        other.run("ALTER CHANNEL(QMA.QMB) CHLTYPE(RCVR) BATCHSZ(9999)")
        with Proxy(("127.0.0.1", other.port)) as proxy:
            one.run(f"ALTER CHANNEL(QMA.QMB) CHLTYPE(SDR) CONNAME('{proxy.conn}')")
            one.start(NAME)
            await running(one, other)
            proxy.break_at(Fault(TO_SERVER, proxy.segments[0], STALL))
            one.put("R", *[bytes(100_000)] * 300)
            await until(lambda: any(not s.is_writable for s in one.host.channel_sockets))
            for _ in range(50):
                await asyncio.sleep(0)
            (sock,) = one.host.channel_sockets
            assert sock.unsent_bytes() < 1_000_000
            agent = one.instance(NAME).agent
            assert agent is not None
            assert agent.current_messages < 200

    played(play)


def test_sender_when_the_partner_is_frozen_and_the_socket_full_then_it_gives_up() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "BATCHSZ(9999) BATCHLIM(0) HBINT(1)")
        other.run("ALTER CHANNEL(QMA.QMB) CHLTYPE(RCVR) BATCHSZ(9999) HBINT(1)")
        with Proxy(("127.0.0.1", other.port)) as proxy:
            one.run(f"ALTER CHANNEL(QMA.QMB) CHLTYPE(SDR) CONNAME('{proxy.conn}')")
            one.start(NAME)
            await running(one, other)
            proxy.break_at(Fault(TO_SERVER, proxy.segments[0], STALL))
            one.put("R", *[bytes(100_000)] * 300)
            await until(lambda: any(not s.is_writable for s in one.host.channel_sockets))
            await until(lambda: one.channels.is_idle)
        (end,) = one.seen.ends
        assert end.kind == RETRY
        assert one.depth("QMB") == 300

    played(play)


def test_channel_when_it_has_much_to_send_then_others_have_their_turn() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other, "BATCHSZ(9999) BATCHLIM(0)")
        one.put("R", *[bytes(100)] * 3000)
        instance = one.start(NAME)
        await running(one, other)
        loop = asyncio.get_running_loop()
        turns = 0
        longest_s = 0.0
        while other.depth("T") < 3000:
            begun_s = loop.time()
            await asyncio.sleep(0)
            longest_s = max(longest_s, loop.time() - begun_s)
            turns += 1
        assert instance.agent is not None
        assert turns >= 3000 // STEPS_A_TURN
        assert longest_s < 0.5

    played(play)


# ---- who has not shown who it is


def test_partner_when_it_says_nothing_more_then_it_is_cut_off() -> None:
    async def play(one: Node, other: Node) -> None:
        other.network.acceptor.authenticate_s = 0.2
        reader, writer = await asyncio.open_connection("127.0.0.1", other.port)
        writer.write(b"TSH ")
        assert await asyncio.wait_for(reader.read(), 5) == b""
        writer.close()
        assert other.network.acceptor.unauthenticated.count == 0
        assert "AMQ9271E" in other.ids

    played(play)


def test_partner_when_it_is_let_in_then_it_counts_no_more_among_strangers() -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        one.start(NAME)
        await running(one, other)
        assert other.network.acceptor.unauthenticated.count == 0
        assert other.network.acceptor.waiting == 0
        assert len(other.host.channel_sockets) == 1
        assert not other.host.sockets

    played(play)


@pytest.mark.parametrize("junk", [b"\xff" * 64, b"TSH \x7f\xff\xff\xff" + bytes(60)])
def test_partner_when_it_sends_junk_after_the_opening_then_only_its_channel_ends(
    junk: bytes,
) -> None:
    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        one.start(NAME)
        await running(one, other)
        (sock,) = one.host.channel_sockets
        sock.write([junk])
        await until(lambda: other.channels.is_idle and one.channels.is_idle)
        assert "AMQ9504E" in other.ids
        one.put("R", b"1")
        one.start(NAME)
        await arrived(other, 1)

    played(play)


def test_trace_when_it_is_on_then_it_has_the_segments_of_channels() -> None:
    class Trace(CallTrace):
        def __init__(self) -> None:
            self.on = True
            self.lines: list[tuple[str, str]] = []

        def record(self, component: str, verb: str, **facts: object) -> None:
            self.lines.append((verb, f"{facts['way']} {facts['channel']}"))

    async def play(one: Node, other: Node) -> None:
        one.pair(other)
        trace = Trace()
        one.host.trace = trace  # type: ignore[assignment]
        one.put("R", b"1")
        one.start(NAME)
        await arrived(other, 1)
        await until(lambda: one.depth("QMB") == 0)
        assert ("MESSAGE_DATA", f"sent {NAME}") in trace.lines
        assert ("RESYNC_DATA", f"received {NAME}") in trace.lines

    played(play)


# ---- keys of TLS


def secured(one: Node, other: Node, folder: Path) -> None:
    """A pair with TLS, both with one key repository."""
    keys = Certificates().write_folder(folder / "keys")
    for node in (one, other):
        node.run(f"ALTER QMGR SSLKEYR('{keys}') CERTLABL('Second')")
    one.pair(other, "SSLCIPH(ANY_TLS12_OR_HIGHER)")
    other.run("ALTER CHANNEL(QMA.QMB) CHLTYPE(RCVR) SSLCIPH(ANY_TLS12_OR_HIGHER)")


def test_keys_when_so_many_bytes_have_passed_then_the_channel_calls_again(tmp_path: Path) -> None:
    async def play(one: Node, other: Node) -> None:
        secured(one, other, tmp_path)
        one.run("ALTER QMGR SSLRKEYC(100000)")
        data = [bytes([number]) * 10_000 for number in range(100)]
        one.put("R", *data)
        one.start(NAME)
        await arrived(other, 100)
        assert other.get_all("T") == data
        await running(one, other)
        instance = one.instance(NAME)
        # a batch of 50 is 500 KB, and the reset waits for its end
        assert 1 <= instance.key_resets <= 10
        assert instance.key_reset_ns > 0
        assert {end.kind for end in one.seen.ends} == {NORMAL}

    played(play)
