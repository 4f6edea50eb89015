"""A queue manager that listens on a port of loopback, in a thread of this process, for tests.

`Networked` has channels for any client: no CHLAUTH rules, no passwords, the user that the client
says. `NetworkedQueueManager` and its asyncio twin are connections over the network that take it
along, so that tests written for embedded queue managers run over it.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

import ternmq
import ternmq.aio
from ternmq.network.edge.partner_socket import PartnerSocket
from ternmq.network.edge.tcp_listener import Network
from ternmq.runtime.starting import Started
from ternmq.server.command_server import start_command_server
from ternmq.server.host import Host
from ternmq.server.listener import listen
from tests.unit.api.served import Served, started_in_folder

CHANNEL = "APP.SVRCONN"
CHANGED = {"channel_rules": 0, "authentication": ""}  # attributes of the queue manager
SETUP = f"""
ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')
DEFINE CHANNEL('{CHANNEL}') CHLTYPE(SVRCONN) MAXMSGL(104857600) SHARECNV(10) REPLACE
DEFINE CHANNEL('ONE.SVRCONN') CHLTYPE(SVRCONN) MAXMSGL(104857600) SHARECNV(1) REPLACE
DEFINE CHANNEL('ALONE.SVRCONN') CHLTYPE(SVRCONN) MAXMSGL(104857600) SHARECNV(0) REPLACE
DEFINE CHANNEL('SHORT.SVRCONN') CHLTYPE(SVRCONN) MAXMSGL(50000) REPLACE
DEFINE CHANNEL('BEAT.SVRCONN') CHLTYPE(SVRCONN) HBINT(1) REPLACE
"""


class Networked(Served):
    """Hosts a queue manager with a TCP listener until it is closed."""

    def __init__(
        self, data: Path, name: str = "QM1", started: Started | None = None, port: int = 0
    ) -> None:
        self.port = port
        self.logged: list[tuple[str, tuple[object, ...]]] = []
        self.network: Network | None = None
        super().__init__(data, name, started)
        with super().connect() as connection:
            for answer in connection.mqsc(SETUP):
                assert answer.ok, answer

    def _log_message(self, message: str, *inserts: object) -> None:
        self.logged.append((message, inserts))

    async def _serve(self) -> None:
        host = self.host = Host(self.started)
        listener = await listen(host, str(self.folder))
        await start_command_server(self.started)
        network = Network(
            host, str(self.folder), self._log_message, lambda peer: PartnerSocket(host, peer)
        )
        self.network = network
        self.port = network.listen("127.0.0.1", self.port).port
        self._up.set()
        await host.run()
        await listener.close()
        network.close()
        await host.stop()

    @property
    def conn(self) -> str:
        return f"127.0.0.1({self.port})"

    @property
    def way(self) -> dict[str, Any]:
        """The arguments that lead to it."""
        return {"channel": CHANNEL, "conn": self.conn}

    def connect(self, **options: Any) -> ternmq.Connection:
        return ternmq.connect(self.name, **{**self.way, **options})

    def connect_task(self, **options: Any) -> ternmq.aio.Opening[ternmq.aio.Connection]:
        return ternmq.aio.connect(self.name, **{**self.way, **options})

    def cut(self) -> None:
        """Cut all sockets of clients, as a broken network would."""
        host = self.host

        def abort() -> None:
            if host is not None:
                for one in list(host.sockets):
                    one.abort()

        self._loop.call_soon_threadsafe(abort)


def in_memory(name: str = "QM1") -> Networked:
    """A queue manager in memory; its socket is in a folder that goes with it."""
    folder = tempfile.TemporaryDirectory(prefix="tmq")
    served = Networked(Path(folder.name), name)
    served.remove = folder.cleanup
    return served


def in_folder(path: Path, name: str, create: bool = False, **log: Any) -> Networked:
    """A queue manager in a data folder."""
    return Networked(path, name, started_in_folder(path, name, create, **log))


async def for_tasks(served: Networked) -> NetworkedTaskQueueManager:
    """Connect a task to it."""
    return NetworkedTaskQueueManager(served, await served.connect_task())


class NetworkedQueueManager(ternmq.Connection):
    """A connection that ends its queue manager with itself."""

    def __init__(self, served: Networked, **options: Any) -> None:
        super().__init__(served.connect(**options)._transport)
        self.served = served
        self.started = served.started

    def connect(self, **options: Any) -> ternmq.Connection:
        return self.served.connect(**options)

    def close(self) -> None:
        if self.connected:
            self.disconnect()
        self.served.close()

    def __enter__(self) -> NetworkedQueueManager:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        self.served.close()


class NetworkedTaskQueueManager(ternmq.aio.Connection):
    """The same for tasks."""

    def __init__(self, served: Networked, inner: ternmq.aio.Connection) -> None:
        super().__init__(inner.transport)
        self.served = served

    def connect(self, **options: Any) -> Any:
        return self.served.connect_task(**options)

    async def close(self) -> None:
        if self.connected:
            await self.disconnect()
        await asyncio.to_thread(self.served.close)

    async def __aenter__(self) -> NetworkedTaskQueueManager:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await super().__aexit__(kind, error, trace)
        await asyncio.to_thread(self.served.close)
