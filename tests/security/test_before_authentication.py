"""G11: what a partner can take of the queue manager before it has shown who it is.

Method: the real listener and the real client protocol on loopback, and hundreds of connections that
announce the largest length, stop in the middle, begin a dialogue over and over, or say nothing;
some of them after a handshake of TLS. All are closed by their deadline, the memory that they took
is bounded, and somebody else is served meanwhile.
"""

from __future__ import annotations

import asyncio
import gc
import resource
import struct
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.base import limits
from ternmq.network.edge.partner_socket import PartnerSocket
from ternmq.network.edge.tcp_listener import Network
from ternmq.server.error_log.log_throttle import MESSAGES_MAX
from ternmq.server.host import Host
from ternmq.server.parts import ServerParts
from ternmq.wire.fap.initial_data import InitialData, write_initial_data
from ternmq.wire.fap.segment import Header, segment
from ternmq.wire.fap.vocabulary import CAP_MQI, INITIAL_DATA
from tests.unit.network.certificates import Certificates, client_context

COUNT = 500
GROWTH_BYTES_MAX = COUNT * 80 * 1024  # the goal is 80 MiB for a thousand


class Wall:
    """A queue manager behind its real listener."""

    def __init__(self, manager: ternmq.QueueManager, folder: str, deadline_s: float) -> None:
        self.logged: list[str] = []
        self.host = Host(manager.started)
        self.host.engine.kernel.parts = ServerParts(self.host, self._log_message, {})
        self.network = Network(
            self.host, folder, self._log_message, lambda peer: PartnerSocket(self.host, peer)
        )
        self.network.acceptor.authenticate_s = deadline_s
        self.port = self.network.listen("127.0.0.1").port

    def _log_message(self, message: str, *inserts: object) -> None:
        self.logged.append(message)

    async def close(self) -> None:
        self.network.close()
        for one in list(self.host.sockets):
            one.abort()
        while self.host.sockets:  # noqa: ASYNC110 - the loop itself is what is waited for
            await asyncio.sleep(0)


def initial_data(channel: str) -> bytes:
    header = Header(INITIAL_DATA)
    data = InitialData(10)
    data.capabilities_1 = CAP_MQI
    data.channel_name = channel
    data.segment_bytes_max = 32748
    data.message_bytes_max = 104857600
    data.heartbeat_s = 300
    return segment(header, write_initial_data(header, data))


HUGE = b"TSH " + struct.pack(">I", 0x7FFFFFFF) + bytes(20)
LARGEST = b"TSH " + struct.pack(">I", 32768) + b"\x02\x01\x31\x00" + bytes(16)
HALF = initial_data("APP")[:100]
UNKNOWN = initial_data("NOT.THERE")
OPENED = initial_data("APP")  # an answer comes, and nothing follows
AGAIN = initial_data("APP") * 8
NOTHING = b""
ONE_BYTE = b"T"
HELLO = b"\x16\x03\x01\x40\x00"  # the largest record of TLS, announced
SHAPES = {
    "the largest length there is": HUGE,
    "the largest segment there may be": LARGEST,
    "half a segment": HALF,
    "an unknown channel": UNKNOWN,
    "half a dialogue": OPENED,
    "the same over and over": AGAIN,
    "nothing": NOTHING,
    "one byte": ONE_BYTE,
    "a record of TLS, announced": HELLO,
    "another protocol": b"GET / HTTP/1.1\r\n\r\n",
}


# Those who say nothing wrong, and not enough: only their deadline ends them.
PATIENT = (
    "half a segment",
    "half a dialogue",
    "nothing",
    "one byte",
    "a record of TLS, announced",
)


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - the loop itself is what is waited for
        await asyncio.sleep(0)


def on_wall(
    test: Callable[[Wall], Coroutine[Any, Any, None]], folder: str = "", deadline_s: float = 1.0
) -> None:
    async def play() -> None:
        with ternmq.memory("QM1") as manager:
            manager.mqsc("ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')")
            manager.mqsc("DEFINE CHANNEL(APP) CHLTYPE(SVRCONN)")
            wall = Wall(manager, folder, deadline_s)
            try:
                await test(wall)
            finally:
                await wall.close()

    asyncio.run(play())


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


async def until_closed(port: int, data: bytes) -> None:
    """Connect, say this, and stay until the other side has had enough."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        while await reader.read(65536):
            pass
    except ConnectionError:
        pass
    finally:
        writer.transport.abort()


@pytest.mark.parametrize("shape", SHAPES)
def test_unauthenticated_connections_are_closed_by_their_deadline(shape: str) -> None:
    async def play(wall: Wall) -> None:
        await asyncio.gather(*(until_closed(wall.port, SHAPES[shape]) for _ in range(20)))
        await until(lambda: not wall.host.sockets)
        assert wall.network.acceptor.unauthenticated.count == 0
        assert wall.network.channels.instances == {}
        assert not wall.network.acceptor.visitors

    on_wall(play, deadline_s=0.2)


@pytest.fixture
def descriptors() -> None:
    """As many files as the test needs, if the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4 * COUNT + 600  # a quarter of what sockets may be is for one address
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"{hard} descriptors, and {wanted} are needed")
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@pytest.mark.usefixtures("descriptors")
def test_hundreds_of_unauthenticated_connections_take_little_memory_and_are_all_closed() -> None:
    async def play(wall: Wall) -> None:
        unauthenticated = wall.network.acceptor.unauthenticated
        held = asyncio.ensure_future(until_closed(wall.port, OPENED))
        await until(lambda: unauthenticated.count == 1)
        gc.collect()
        before = resident_bytes()
        names = list(SHAPES)
        said = [names[number % len(names)] for number in range(COUNT)]
        crowd = [asyncio.ensure_future(until_closed(wall.port, SHAPES[one])) for one in said]
        stay = [one for one in said if one in PATIENT]
        await until(
            lambda: sum(not one.done() for one in crowd) == unauthenticated.count - 1 == len(stay)
        )
        grown = resident_bytes() - before
        assert grown <= GROWTH_BYTES_MAX, grown
        for visitor in list(wall.network.acceptor.visitors):
            visitor._late()  # as its timer would
        await asyncio.gather(held, *crowd)
        assert unauthenticated.count == 0
        assert MESSAGES_MAX <= wall.logged.count("AMQ9271E") < len(stay)  # not each of them

    on_wall(play, deadline_s=600.0)


def test_no_more_unauthenticated_connections_come_in_than_there_may_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ternmq.network.edge.accept.UNAUTHENTICATED_OF_ADDRESS_MAX", 5)

    async def play(wall: Wall) -> None:
        held = [asyncio.ensure_future(until_closed(wall.port, ONE_BYTE)) for _ in range(5)]
        await until(lambda: wall.network.acceptor.unauthenticated.count == 5)
        await until_closed(wall.port, ONE_BYTE)  # at once, long before its deadline
        assert wall.network.acceptor.unauthenticated.count == 5
        assert wall.logged == ["AMQ9513E"]
        wall.network.acceptor.close()
        await asyncio.gather(*held)
        assert wall.network.acceptor.unauthenticated.of_address == {}

    on_wall(play, deadline_s=60.0)


def test_unauthenticated_connections_behind_tls_have_the_same_deadline(tmp_path: Path) -> None:
    certificates = Certificates()
    certificates.write_folder(tmp_path / "ssl")

    async def play(wall: Wall) -> None:
        context = client_context(certificates)
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", wall.port, ssl=context, server_hostname="localhost"
        )
        assert wall.network.acceptor.unauthenticated.count == 1
        writer.write(HALF)
        assert await reader.read() == b""
        writer.transport.abort()
        assert wall.logged == ["AMQ9271E"]
        assert wall.network.acceptor.unauthenticated.count == 0

    on_wall(play, str(tmp_path), deadline_s=3.0)


def test_a_handshake_that_never_ends_is_cut_off(tmp_path: Path) -> None:
    """Each record is whole, so that the handshake goes on, and says nothing that ends it."""
    Certificates().write_folder(tmp_path / "ssl")

    async def play(wall: Wall) -> None:
        # A ClientHello that announces more than will ever come, record after record.
        body = b"\x01\xff\xff\xff" + bytes(16000)
        record = b"\x16\x03\x01" + struct.pack(">H", len(body)) + body
        more = b"\x16\x03\x01" + struct.pack(">H", 16000) + bytes(16000)
        await until_closed(wall.port, record + more * (limits.HANDSHAKE_BYTES_MAX // 16000 + 2))
        assert wall.logged[0] in ("AMQ9638E", "AMQ9616E")
        assert wall.network.acceptor.unauthenticated.count == 0

    on_wall(play, str(tmp_path), deadline_s=60.0)
