"""TLS on a socket of the loop: bytes come through whole in both directions, reading stops when the
protocol inside wants no more, the end is told, and what was tampered with ends the connection.

Method: a protocol that sends back what it gets, behind the link, on loopback; Python's own TLS as
the client; both loops.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Callable, Coroutine
from typing import Any, cast

import pytest

from ternmq.network.edge.tls_link import TlsLink
from tests.unit.network.certificates import Certificates, client_context

uvloop = pytest.importorskip("uvloop")

V12 = ssl.TLSVersion.TLSv1_2
V13 = ssl.TLSVersion.TLSv1_3


@pytest.fixture(scope="module")
def certificates() -> Certificates:
    return Certificates()


class Echo(asyncio.Protocol):
    """Sends back what comes."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.received = 0
        self.lost: list[Exception | None] = []
        self.backpressure = False
        self.pauses = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        assert self.transport is not None
        assert not self.backpressure
        self.received += len(data)
        if self.received == len(b"hold"):
            self.backpressure = True
            self.transport.pause_reading()
        self.transport.write(data)

    def pause_writing(self) -> None:
        self.pauses += 1

    def resume_writing(self) -> None:
        pass

    def connection_lost(self, error: Exception | None) -> None:
        self.lost.append(error)


class Stage:
    """A port with the link behind it."""

    def __init__(self, certificates: Certificates) -> None:
        self.certificates = certificates
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificates.queue_manager.configure_cert(self.context)
        self.echo = Echo()
        self.failed: list[BaseException] = []
        self.plain: asyncio.Transport | None = None
        self.port = 0

    def _link(self) -> asyncio.Protocol:
        stage = self

        class Front(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                stage.plain = cast("asyncio.Transport", transport)
                link = TlsLink(stage.plain, stage.context, stage._made, stage.failed.append)
                stage.plain.set_protocol(link)

        return Front()

    def _made(self, transport: asyncio.Transport) -> asyncio.Protocol:
        self.echo.connection_made(transport)
        return self.echo

    async def connect(
        self, highest: ssl.TLSVersion = V13
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        context = client_context(self.certificates, highest=highest)
        return await asyncio.open_connection(
            "127.0.0.1", self.port, ssl=context, server_hostname="localhost"
        )


def on_stage(
    test: Callable[[Stage], Coroutine[Any, Any, None]],
    certificates: Certificates,
    run: Callable[[Coroutine[Any, Any, None]], None] = asyncio.run,
) -> None:
    async def play() -> None:
        stage = Stage(certificates)
        server = await asyncio.get_running_loop().create_server(stage._link, "127.0.0.1", 0)
        stage.port = server.sockets[0].getsockname()[1]
        try:
            await test(stage)
        finally:
            server.close()
            if stage.plain is not None:
                stage.plain.abort()
            await until(lambda: stage.plain is None or bool(stage.echo.lost or stage.failed))

    run(play())


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - the loop itself is what is waited for
        await asyncio.sleep(0)


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize("highest", [V12, V13])
@pytest.mark.parametrize("size", [1, 16_384, 16_385, 3_000_000])
def test_bytes_come_through_whole_in_both_directions(
    size: int,
    highest: ssl.TLSVersion,
    run: Callable[[Coroutine[Any, Any, None]], None],
    certificates: Certificates,
) -> None:
    async def play(stage: Stage) -> None:
        reader, writer = await stage.connect(highest)
        data = os.urandom(size)
        writer.write(data)
        assert await reader.readexactly(size) == data
        assert stage.echo.transport is not None
        assert stage.echo.transport.get_extra_info("ssl_object").version() == (
            "TLSv1.2" if highest == V12 else "TLSv1.3"
        )
        writer.transport.abort()

    on_stage(play, certificates, run)


def test_a_protocol_that_wants_no_more_gets_no_more_until_it_does(
    certificates: Certificates,
) -> None:
    async def play(stage: Stage) -> None:
        reader, writer = await stage.connect()
        writer.write(b"hold")
        assert await reader.readexactly(4) == b"hold"
        assert stage.echo.transport is not None
        assert not stage.echo.transport.is_reading()
        writer.write(b"later")
        await writer.drain()
        for _ in range(50):
            await asyncio.sleep(0)
        assert stage.echo.received == 4
        stage.echo.backpressure = False
        stage.echo.transport.resume_reading()
        assert await reader.readexactly(5) == b"later"
        writer.transport.abort()

    on_stage(play, certificates)


def test_records_that_came_while_reading_was_paused_are_not_lost(
    certificates: Certificates,
) -> None:
    async def play(stage: Stage) -> None:
        reader, writer = await stage.connect()
        # In one write, so that all of it is with the link when the protocol has had enough.
        inner = writer.transport.get_extra_info("ssl_object")
        assert inner is not None
        writer.writelines([b"hold"])
        writer.write(b"second")
        writer.write(b"third")
        assert await reader.readexactly(4) == b"hold"
        stage.echo.backpressure = False
        assert stage.echo.transport is not None
        stage.echo.transport.resume_reading()
        assert await reader.readexactly(11) == b"secondthird"
        writer.transport.abort()

    on_stage(play, certificates)


def test_close_sends_what_was_written_and_sends_close_notify(certificates: Certificates) -> None:
    async def play(stage: Stage) -> None:
        reader, writer = await stage.connect()
        writer.write(b"x")
        assert await reader.readexactly(1) == b"x"
        assert stage.echo.transport is not None
        stage.echo.transport.write(b"y" * 100_000)
        stage.echo.transport.close()
        assert await reader.read(-1) == b"y" * 100_000
        await until(lambda: bool(stage.echo.lost))
        stage.echo.transport.write(b"too late")  # nobody is there, and nothing happens
        writer.transport.abort()

    on_stage(play, certificates)


def test_a_client_that_sends_close_notify_is_gone(certificates: Certificates) -> None:
    async def play(stage: Stage) -> None:
        reader, writer = await stage.connect()
        writer.write(b"x")
        assert await reader.readexactly(1) == b"x"
        writer.close()
        await until(lambda: stage.echo.lost == [None])

    on_stage(play, certificates)


def test_bytes_that_were_tampered_with_end_the_connection(certificates: Certificates) -> None:
    async def play(stage: Stage) -> None:
        reader, writer = await stage.connect()
        writer.write(b"x")
        assert await reader.readexactly(1) == b"x"
        assert stage.plain is not None
        link = stage.plain.get_protocol()
        assert isinstance(link, TlsLink)
        link.data_received(b"\x17\x03\x03\x00\x20" + bytes(32))
        await until(lambda: bool(stage.echo.lost))
        assert stage.echo.received == 1
        writer.transport.abort()

    on_stage(play, certificates)


def test_a_client_that_goes_during_the_handshake_is_reported_as_a_failure(
    certificates: Certificates,
) -> None:
    async def play(stage: Stage) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", stage.port)
        writer.write(b"\x16\x03\x01\x02\x00\x01")
        await writer.drain()
        writer.transport.abort()
        await until(lambda: bool(stage.failed))
        assert isinstance(stage.failed[0], ConnectionError)
        assert stage.echo.transport is None

    on_stage(play, certificates)
