"""Goal: whatever a partner sends instead of what it should, only its own channel ends: no fault of
ours, no message, and others are served.

Method: the segments of a real sender, taken from a proxy in between, with bytes changed, left out
or doubled by chance, sent to a listener; then a real sender.
"""

from __future__ import annotations

import asyncio
import contextlib
import random

import pytest

from tests.unit.network.channels.two_managers import Node, two_managers, until

NAME = "QMA.QMB"


async def conversation(one: Node, other: Node) -> tuple[list[bytes], list[bytes]]:
    """What a sender with two messages and its receiver send, in segments."""
    carried = bytearray()
    answered = bytearray()

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", other.port)

        async def backwards() -> None:
            with contextlib.suppress(OSError):
                while data := await there.read(65_536):
                    answered.extend(data)
                    writer.write(data)
            writer.close()

        task = asyncio.create_task(backwards())
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                carried.extend(data)
                back.write(data)
        back.close()
        await task

    server = await asyncio.start_server(carry, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    one.run(f"ALTER CHANNEL({NAME}) CHLTYPE(SDR) CONNAME('127.0.0.1({port})')")
    one.put("R", b"1", b"2")
    instance = one.start(NAME)
    await until(lambda: other.depth("T") == 2 and one.depth("QMB") == 0)
    one.channels.stop(instance, 1)
    await until(lambda: one.channels.is_idle and other.channels.is_idle)
    server.close()
    other.get_all("T")
    return segments_of(carried), segments_of(answered)


def segments_of(data: bytearray) -> list[bytes]:
    """Cut where their lengths say."""
    found: list[bytes] = []
    at = 0
    while at < len(data):
        length = int.from_bytes(data[at + 4 : at + 8], "big")
        found.append(bytes(data[at : at + length]))
        at += length
    return found


def changed(segments: list[bytes], chance: random.Random) -> bytes:
    """The same with something wrong in it."""
    found = list(segments)
    which = chance.randrange(len(found))
    kind = chance.randrange(4)
    if kind == 0:
        del found[which]
    elif kind == 1:
        found.insert(which, found[which])
    elif kind == 2:
        found[which] = found[which][: chance.randrange(len(found[which]))]
    else:
        one = bytearray(found[which])
        for _ in range(chance.randrange(1, 4)):
            one[chance.randrange(len(one))] = chance.randrange(256)
        found[which] = bytes(one)
    return b"".join(found)


async def tried(other: Node, data: bytes) -> None:
    """Send it all at once, then go."""
    reader, writer = await asyncio.open_connection("127.0.0.1", other.port)
    with contextlib.suppress(OSError):
        writer.write(data)
        writer.write_eof()
        await asyncio.wait_for(reader.read(), 5)
    writer.transport.abort()


@pytest.mark.parametrize("seed", range(4))
def test_partner_when_it_sends_what_is_wrong_then_only_its_channel_ends(seed: int) -> None:
    async def main() -> None:
        chance = random.Random(seed)
        async with two_managers() as (one, other):
            one.pair(other, "HBINT(2)")
            segments, _ = await conversation(one, other)
            for _ in range(60):
                await tried(other, changed(segments, chance))
                await until(lambda: other.channels.is_idle, f"{other.logged[-5:]}")
                other.get_all("T")  # what was wrong may have been harmless
            assert not other.host.channel_sockets
            other.run("DEFINE CHANNEL(GOOD) CHLTYPE(RCVR)")
            one.run(f"DEFINE CHANNEL(GOOD) CHLTYPE(SDR) CONNAME('{other.conn}') XMITQ(QMB)")
            one.put("R", b"good")
            one.start("GOOD")
            await until(lambda: other.depth("T") == 1, f"{one.logged[-5:]} {other.logged[-5:]}")
            assert other.get_all("T") == [b"good"]

    asyncio.run(main())


@pytest.mark.parametrize("seed", range(4))
def test_sender_when_its_partner_answers_what_is_wrong_then_only_its_channel_ends(
    seed: int,
) -> None:
    async def main() -> None:
        chance = random.Random(seed)
        async with two_managers() as (one, other):
            one.pair(other, "HBINT(1)")
            _, answers = await conversation(one, other)

            served: list[asyncio.StreamWriter] = []

            async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                served.append(writer)
                with contextlib.suppress(OSError):
                    await reader.read(65_536)
                    writer.write(changed(answers, chance))
                    await writer.drain()
                    writer.write_eof()
                    await reader.read()
                writer.transport.abort()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
                served.remove(writer)

            server = await asyncio.start_server(answer, "127.0.0.1", 0)
            port = server.sockets[0].getsockname()[1]
            one.run(f"ALTER CHANNEL({NAME}) CHLTYPE(SDR) CONNAME('127.0.0.1({port})')")
            one.put("R", b"kept")
            for _ in range(40):
                one.start(NAME)
                await until(lambda: one.channels.is_idle, f"{one.logged[-5:]}")
            server.close()
            await until(lambda: not served)
            assert not one.host.channel_sockets

    asyncio.run(main())
