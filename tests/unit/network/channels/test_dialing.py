"""Goal: a channel's call finds its partner by CONNAME, LOCLADDR and TLS, or says why it does not.

Method: servers of asyncio on loopback; certificates made for the run; both loops where TLS is.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any, cast

import pytest

from ternmq.base import constants as mq
from ternmq.base.object_types import SENDER
from ternmq.kernel.channel_instance import FORCE
from ternmq.network.channels.dialing import Dialer, DialFailed
from ternmq.network.edge.admission import Peer
from ternmq.network.edge.channel_tls import TlsContexts
from ternmq.store.catalog import Catalog, Definition
from tests.unit.network.certificates import Certificates
from tests.unit.network.channels.two_managers import two_managers, until

uvloop = pytest.importorskip("uvloop")
ANY = "ANY_TLS12_OR_HIGHER"


class Caller(asyncio.Protocol):
    """What a dialled socket is given to."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.transport: asyncio.Transport | None = None
        self.data = b""
        self.came = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(b"hello")

    def data_received(self, data: bytes) -> None:
        self.data += data
        self.came.set()


class Server:
    """Sends back what comes, and remembers from where."""

    def __init__(self) -> None:
        self.ports: list[int] = []
        self.names: list[str] = []
        self.port = 0
        self.served = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.ports.append(writer.get_extra_info("peername")[1])
        self.served += 1
        with contextlib.suppress(OSError):
            while data := await reader.read(100):
                writer.write(data)
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        self.served -= 1


@contextlib.asynccontextmanager
async def listening(context: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    made = Server()
    if context is not None:
        context.sni_callback = lambda _one, name, _context: made.names.append(name or "")
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0, ssl=context)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        while made.served:  # noqa: ASYNC110 - the loop itself is what is waited for
            await asyncio.sleep(0)


def channel(conn: str, **given: str) -> Definition:
    texts = {"local_address": "", "cipher": "", "ssl_peer": "", "certificate_label": ""}
    attributes = {"connection_name": conn, **texts, **given}
    return Definition(SENDER, "TO.QM2", 0, dict(attributes), 0)


def dialer(folder: str = "", connect_s: float = 5.0) -> Dialer:
    catalog = Catalog()
    catalog.qmgr["key_repository"] = folder
    return Dialer(TlsContexts(catalog, "QM1", folder), connect_s, False)


async def dialled(one: Dialer, definition: Definition) -> Caller:
    made = cast("Caller", await one.dial(definition, Caller))
    await asyncio.wait_for(made.came.wait(), 5)
    assert made.data == b"hello"
    assert made.transport is not None
    made.transport.abort()
    return made


async def failed(one: Dialer, definition: Definition) -> DialFailed:
    with pytest.raises(DialFailed) as found:
        await one.dial(definition, Caller)
    return found.value


def closed_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(params=["asyncio", "uvloop"])
def play(request: pytest.FixtureRequest) -> Any:
    def run(main: Coroutine[Any, Any, None]) -> None:
        uvloop.run(main) if request.param == "uvloop" else asyncio.run(main)

    return run


def test_dial_when_the_first_address_does_not_answer_then_the_next_is_tried(play: Any) -> None:
    async def main() -> None:
        async with listening() as server:
            conn = f"127.0.0.1({closed_port()}),127.0.0.1({server.port})"
            made = await dialled(dialer(), channel(conn))
            assert (made.peer.address, made.peer.port) == ("127.0.0.1", server.port)
            assert made.peer.local_address == f"127.0.0.1({server.ports[0]})"

    play(main())


def test_dial_when_no_address_answers_then_the_last_one_is_named() -> None:
    async def main() -> None:
        port = closed_port()
        found = await failed(dialer(), channel(f"127.0.0.1({closed_port()}),127.0.0.1({port})"))
        assert (found.message_id, found.may_heal) == ("AMQ9202E", True)
        assert found.inserts[0] == f"127.0.0.1({port})"
        assert "refused" in str(found.inserts[1]).lower()

    asyncio.run(main())


def test_dial_when_the_name_is_unknown_then_another_attempt_may_find_it() -> None:
    async def main() -> None:
        found = await failed(dialer(), channel("no-such-host.invalid(1414)"))
        assert (found.message_id, found.may_heal) == ("AMQ9202E", True)

    asyncio.run(main())


def test_dial_when_nothing_answers_in_time_then_it_ends() -> None:
    async def main() -> None:
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen(0)
            port = silent.getsockname()[1]
            fillers = [socket.socket() for _ in range(8)]
            for one in fillers:
                one.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    one.connect(("127.0.0.1", port))
            try:
                found = await failed(dialer(connect_s=0.2), channel(f"127.0.0.1({port})"))
            finally:
                for one in fillers:
                    one.close()
        assert found.inserts == (f"127.0.0.1({port})", "it did not answer in time")

    asyncio.run(main())


@pytest.mark.parametrize(("conn", "local"), [("host(0)", ""), ("", ""), ("h(1)", "(2,1)")])
def test_dial_when_the_definition_is_wrong_then_nothing_is_tried_again(
    conn: str, local: str
) -> None:
    async def main() -> None:
        found = await failed(dialer(), channel(conn, local_address=local))
        assert (found.message_id, found.may_heal) == ("AMQ9203E", False)

    asyncio.run(main())


def test_dial_when_the_local_port_is_in_use_then_the_next_of_the_range_is_taken() -> None:
    async def main() -> None:
        async with listening() as server:
            with socket.socket() as taken:
                taken.bind(("127.0.0.1", 0))
                taken.listen()
                low = taken.getsockname()[1]
                local = f"127.0.0.1({low},{low + 50})"
                made = await dialled(
                    dialer(), channel(f"127.0.0.1({server.port})", local_address=local)
                )
                assert made is not None
                assert low < server.ports[0] <= low + 50
                found = await failed(
                    dialer(),
                    channel(f"127.0.0.1({server.port})", local_address=f"127.0.0.1({low})"),
                )
                assert (found.message_id, found.may_heal) == ("AMQ9248E", True)

    asyncio.run(main())


@pytest.fixture(scope="module")
def certificates() -> Certificates:
    return Certificates()


def server_context(certificates: Certificates) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificates.second.configure_cert(context)
    certificates.authority.configure_trust(context)
    context.verify_mode = ssl.CERT_OPTIONAL
    return context


def test_dial_when_a_cipher_is_set_then_tls_names_the_channel_and_checks_the_peer(
    certificates: Certificates, tmp_path: Path, play: Any
) -> None:
    folder = str(certificates.write_folder(tmp_path / "keys"))

    async def main() -> None:
        async with listening(server_context(certificates)) as server:
            conn = f"127.0.0.1({server.port})"
            made = await dialled(dialer(folder), channel(conn, cipher=ANY, ssl_peer="CN=SECOND"))
            assert made.peer.is_tls
            assert "CN=SECOND" in made.peer.certificate_subject
            assert server.names == ["to2e-qm2.chl.mq.ibm.com"]
            found = await failed(dialer(folder), channel(conn, cipher=ANY, ssl_peer="CN=THIRD"))
            assert (found.message_id, found.may_heal) == ("AMQ9636E", False)
            assert found.qualifier == mq.MQRQ_SSL_PEER_NAME_ERROR

    play(main())


def test_dial_when_the_certificate_is_of_a_stranger_then_it_is_not_tried_again(
    certificates: Certificates, tmp_path: Path, play: Any
) -> None:
    folder = str(certificates.write_folder(tmp_path / "keys"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificates.foreign.configure_cert(context)

    async def main() -> None:
        async with listening(context) as server:
            found = await failed(dialer(folder), channel(f"127.0.0.1({server.port})", cipher=ANY))
            assert (found.message_id, found.may_heal) == ("AMQ9633E", False)
            assert found.qualifier == mq.MQRQ_SSL_HANDSHAKE_ERROR

    play(main())


def test_dial_when_there_is_no_key_repository_then_nothing_is_dialled(tmp_path: Path) -> None:
    async def main() -> None:
        one = dialer(str(tmp_path / "nothing"))
        found = await failed(one, channel("127.0.0.1(1)", cipher=ANY))
        assert (found.message_id, found.may_heal) == ("AMQ9660E", False)

    asyncio.run(main())


def test_dial_when_it_is_cancelled_then_no_socket_is_left(play: Any) -> None:
    async def main() -> None:
        async with listening() as server:
            task = asyncio.create_task(dialer().dial(channel(f"127.0.0.1({server.port})"), Caller))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    play(main())


def test_channel_when_it_is_stopped_at_any_turn_of_its_call_then_its_socket_is_gone(
    play: Any,
) -> None:
    async def work() -> None:
        async with two_managers() as (one, other):
            one.pair(other)
            for turns in range(25):
                instance = one.start("QMA.QMB")
                for _ in range(turns):
                    await asyncio.sleep(0)
                one.channels.stop(instance, FORCE)
                await until(lambda: not one.channels.instances_of("QMA.QMB"))
                await until(lambda: not one.host.channel_sockets, f"after {turns} turns")

    play(work())
