"""The edge of a queue manager without the client protocol: real sockets, the real listener, TLS and
admission, and a protocol that asks in one line of text for what the real one asks in segments:

    TSH channel client-user [csp-user password]   ->   OK user | REFUSED status | REASON number
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import ternmq
from ternmq.base.errors import MQError
from ternmq.network.edge.admission import ChannelInstance, Peer, Refused
from ternmq.network.edge.tcp_listener import Network, TcpListener
from ternmq.security.password_file import PATH, SALT_BYTES, text_of
from ternmq.security.passwords import make_account
from ternmq.server.host import Host
from ternmq.server.parts import ServerParts
from ternmq.server.settings.network_settings import NetworkSettings
from ternmq.wire.fap.initial_data import InitialData
from ternmq.wire.fap.vocabulary import CAP_MQI


class Guest(asyncio.Protocol):
    """What stands for the real protocol."""

    def __init__(self, edge: Edge, peer: Peer) -> None:
        self.edge = edge
        self.peer = peer
        self.instance: ChannelInstance | None = None
        self.stops: list[int] = []
        self._transport: asyncio.Transport | None = None
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.peer.connected(transport)
        self.edge.guests.append(self)

    def data_received(self, data: bytes) -> None:
        words = data.decode().split()
        if len(words) > 2:
            self._task = asyncio.get_running_loop().create_task(self._ask(words[1:]))

    async def _ask(self, words: list[str]) -> None:
        admission = self.edge.network.admission
        asked = InitialData(10)
        asked.channel_name = words[0]
        asked.capabilities_1 = CAP_MQI
        password = words[3] if len(words) > 3 else None
        client_user = "" if words[1] == "-" else words[1]
        csp_user = words[2] if len(words) > 2 else ""
        try:
            if self.instance is None:
                self.instance = admission.channel(asked, self.peer)
                self.instance.ask_to_stop = self._stop
            user = await admission.user(
                self.instance, self.peer, client_user, csp_user, password, "guest"
            )
            answer = f"OK {user}"
        except Refused as refused:
            answer = f"REFUSED {refused.status}"
        except MQError as error:
            answer = f"REASON {error.reason}"
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(f"{answer}\n".encode())

    def _stop(self, mode: int) -> None:
        self.stops.append(mode)
        if self._transport is not None:
            self._transport.abort()

    def connection_lost(self, error: Exception | None) -> None:
        if self._task is not None:
            self._task.cancel()
        if self.instance is not None:
            self.edge.network.admission.leave(self.instance)
        self.peer.lost()
        self.edge.guests.remove(self)


class Edge:
    """A queue manager in memory with a listener on a port of loopback."""

    def __init__(
        self, manager: ternmq.QueueManager, folder: str, settings: NetworkSettings | None
    ) -> None:
        self.manager = manager
        self.logged: list[tuple[str, tuple[object, ...]]] = []
        self.guests: list[Guest] = []
        self.writers: list[asyncio.StreamWriter] = []
        self.host = Host(manager.started)
        self.kernel = self.host.engine.kernel
        self.parts = ServerParts(self.host, self._log_message, {})
        self.kernel.parts = self.parts
        self.network = Network(
            self.host, folder, self._log_message, lambda peer: Guest(self, peer), settings
        )
        self.listener: TcpListener = self.network.listen("127.0.0.1")

    def _log_message(self, message: str, *inserts: object) -> None:
        self.logged.append((message, inserts))

    @property
    def ids(self) -> list[str]:
        """What was told, by id."""
        return [one for one, _ in self.logged]

    def run(self, *commands: str) -> None:
        """Commands that must succeed."""
        for command in commands:
            for answer in self.manager.mqsc(command):
                assert answer.ok, (command, answer)

    def add_account(self, user: str, password: str, is_default: bool = False) -> None:
        """A user of the password file."""
        disk = self.manager.started.shell.disk
        account = make_account(user, (), password, bytes(SALT_BYTES), is_default)
        file = disk.create(PATH)
        file.pwritev(0, [text_of({user: account}).encode()])
        file.datasync()
        file.close()

    async def connect(
        self, context: ssl.SSLContext | None = None, server_name: str | None = None
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A client's connection."""
        name = (server_name or "") if context is not None else None
        return await asyncio.open_connection(
            "127.0.0.1", self.listener.port, ssl=context, server_hostname=name
        )

    async def ask(
        self, line: str, context: ssl.SSLContext | None = None, server_name: str | None = None
    ) -> str:
        """What a client is answered: the line, or why it got none."""
        try:
            reader, writer = await self.connect(context, server_name)
        except ssl.SSLError as error:
            return f"HANDSHAKE {error.reason}"
        except OSError:
            return "CLOSED"
        try:
            writer.write(f"TSH {line}\n".encode())
            await writer.drain()
            answer = await reader.readline()
        except ssl.SSLError as error:
            return f"HANDSHAKE {error.reason}"
        except OSError:
            return "CLOSED"
        finally:
            writer.transport.abort()
        return answer.decode().strip() or "CLOSED"

    async def stay(
        self, line: str, context: ssl.SSLContext | None = None, server_name: str | None = None
    ) -> asyncio.StreamWriter:
        """A client that has come in and stays."""
        reader, writer = await self.connect(context, server_name)
        writer.write(f"TSH {line}\n".encode())
        answer = await reader.readline()
        assert answer.startswith(b"OK"), answer
        self.writers.append(writer)
        return writer

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something that the loop does."""
        while not condition():  # noqa: ASYNC110 - the loop itself is what is waited for
            await asyncio.sleep(0)

    async def close(self) -> None:
        self.network.close()
        for writer in self.writers:
            writer.transport.abort()
        for guest in list(self.guests):
            guest._stop(0)
        await self.until(lambda: not self.guests)


def on_edge(
    test: Callable[[Edge], Coroutine[Any, Any, None]],
    folder: Path | str = "",
    settings: NetworkSettings | None = None,
) -> None:
    """Run a test on an edge of its own."""

    async def play() -> None:
        users = {"alice": ["staff"], "bob": ["staff"], "mqm": ["mqm"]}
        with ternmq.memory("QM1", security=users) as manager:
            edge = Edge(manager, str(folder), settings)
            try:
                await test(edge)
            finally:
                await edge.close()

    asyncio.run(play())
