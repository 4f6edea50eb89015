"""The network of a queue manager that is inside this process: listeners, clients, message channels.

    with ternmq.embedded(folder) as qmgr, ternmq.open_network(qmgr, port=0) as network:
        print(network.port)
        qmgr.mqsc("START CHANNEL(TO.QM2)")

A thread with an event loop of its own serves it; in it are the same parts as in the process of a
queue manager, so that START and STOP of listeners, services, channels and the channel initiator
work as there. Without it these commands are refused. What the error log of such a process has goes
to `on_message`.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Final, Protocol

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_OBJECT_IN_USE, MQRC_UNEXPECTED_ERROR
from ternmq.kernel.parts import Parts
from ternmq.network.channels.initiator import Initiator
from ternmq.network.channels.message_channels import MessageChannels
from ternmq.network.edge.network_settings import NetworkSettings
from ternmq.network.edge.partner_socket import PartnerSocket
from ternmq.network.edge.tcp_listener import Network
from ternmq.runtime.starting import Started
from ternmq.server.host import IMMEDIATE, Host
from ternmq.server.loop import run
from ternmq.server.parts import ServerParts

OnMessage = Callable[[str, tuple[object, ...]], None]
NAME: Final = "EMBEDDED.TCP"  # of the listener that the caller asks for


class HasStarted(Protocol):
    """A queue manager inside this process, for threads or for tasks."""

    started: Started


class EmbeddedNetwork:
    """A running network; a context manager that ends it. It ends with its queue manager, too."""

    def __init__(
        self,
        started: Started,
        port: int | None,
        address: str,
        settings: NetworkSettings | None,
        on_message: OnMessage | None,
    ) -> None:
        self.port = 0  # of its listener
        self._started = started
        self._wanted = port
        self._address = address
        self._settings = settings
        self._on_message = on_message
        self._failed: MQError | None = None
        self._is_up = False
        self._up = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None
        self._thread = threading.Thread(
            target=self._run, name=f"ternmq-{started.shell.engine.name}-network", daemon=True
        )
        self._thread.start()
        self._wait_until_up()
        started.before_stop.append(self.close)

    def _wait_until_up(self) -> None:
        self._up.wait()
        if self._failed is not None:
            self._thread.join()
            raise self._failed
        if not self._is_up:
            self._thread.join()
            raise RuntimeError("the thread of the network has failed")

    def close(self) -> None:
        """End channels, connections and the thread. What was not committed is backed out."""
        if self.close in self._started.before_stop:
            self._started.before_stop.remove(self.close)
        loop, over = self._loop, self._over
        if loop is not None and over is not None and self._thread.is_alive():
            with contextlib.suppress(RuntimeError):  # it has ended meanwhile
                loop.call_soon_threadsafe(over.set)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def __repr__(self) -> str:
        place = f" on {self._address}({self.port})" if self.port else ""
        state = "" if self._thread.is_alive() else ", closed"
        return f"<EmbeddedNetwork of {self._started.shell.engine.name}{place}{state}>"

    def __enter__(self) -> EmbeddedNetwork:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # ---- in the thread

    def _run(self) -> None:
        try:
            run(self._serve())
        finally:
            self._up.set()

    def _log_message(self, message_id: str, *inserts: object) -> None:
        if self._on_message is not None:
            self._on_message(message_id, inserts)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._over = asyncio.Event()
        started = self._started
        kernel = started.shell.engine.kernel
        before = kernel.parts
        if isinstance(before, ServerParts):
            detail = "it has a network already: close that one first"
            self._failed = mq_error(
                MQRC_OBJECT_IN_USE, verb="open_network", object=kernel.name, detail=detail
            )
            return
        host = Host(started)
        parts = ServerParts(host, self._log_message, {})
        with started.shell.lock:
            kernel.parts = parts
        network = Network(
            host, "", self._log_message, lambda peer: PartnerSocket(host, peer), self._settings
        )
        channels = MessageChannels(host, network)
        initiator = Initiator(host, channels, started.user, self._log_message)
        channels.events = initiator
        parts.initiator = initiator
        try:
            if self._wanted is not None:
                self.port = network.listen(self._address, self._wanted, NAME).port
            initiator.begin()
            parts.begin()
            self._is_up = True
            self._up.set()
            await self._over.wait()
        except OSError as error:
            detail = f"port {self._wanted} of {self._address or 'all addresses'}: {error.strerror}"
            self._failed = mq_error(
                MQRC_UNEXPECTED_ERROR, verb="open_network", object=kernel.name, detail=detail
            )
        finally:
            await self._end(host, network, initiator, parts, before)

    async def _end(
        self,
        host: Host,
        network: Network,
        initiator: Initiator,
        parts: ServerParts,
        before: Parts,
    ) -> None:
        host.state = IMMEDIATE
        network.close()
        await initiator.end()
        await parts.end()
        await host.close_sockets()
        with self._started.shell.lock:
            host.engine.kernel.parts = before


def open_network(
    qmgr: HasStarted,
    *,
    port: int | None = None,
    address: str = "127.0.0.1",
    settings: NetworkSettings | None = None,
    on_message: OnMessage | None = None,
) -> EmbeddedNetwork:
    """Let a queue manager inside this process have a network: see the head of this module.

    With `port` it listens there at once, on `address`; 0 is a port that the system chooses, which
    `port` of the result says. Listeners with CONTROL(QMGR) are started as well.
    """
    return EmbeddedNetwork(qmgr.started, port, address, settings, on_message)
