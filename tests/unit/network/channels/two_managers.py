"""Two queue managers in one loop, with listeners on loopback and message channels between them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import ternmq
from ternmq.base.object_types import SENDER
from ternmq.channel.agent import End
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.network.channels.channel_events import ChannelEvents
from ternmq.network.channels.message_channels import MessageChannels
from ternmq.network.edge.admission import Refused
from ternmq.network.edge.network_settings import NetworkSettings
from ternmq.network.edge.partner_socket import PartnerSocket
from ternmq.network.edge.tcp_listener import Network
from ternmq.runtime.embedded import embedded
from ternmq.server.host import Host
from ternmq.server.parts import ServerParts
from ternmq.store.catalog import Definition
from ternmq.wire.fap.vocabulary import MAX_CONNS_LIMIT_REACHED

WAIT_S = 10.0


class Seen(ChannelEvents):
    """What the network reported."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.statuses: list[tuple[str, str]] = []
        self.ends: list[End] = []
        self.most = 100  # instances, before a partner is refused

    def may_enter(self, definition: Definition, qmgr_name: str, address: str) -> Refused | None:
        if len(self.node.parts.instances) >= self.most:
            return Refused(MAX_CONNS_LIMIT_REACHED, "AMQ9513E")
        return None

    def changed(self, instance: ChannelInstance) -> None:
        self.statuses.append((instance.name, instance.status))

    def ended(self, instance: ChannelInstance, end: End) -> None:
        self.ends.append(end)

    def callback_wanted(self, definition: Definition) -> None:
        self.node.channels.start(definition)


class Node:
    """One queue manager in memory, its listener and its channels."""

    def __init__(
        self, manager: ternmq.QueueManager, folder: str, settings: NetworkSettings | None
    ) -> None:
        self.manager = manager
        self.logged: list[tuple[str, tuple[object, ...]]] = []
        self.faults: list[BaseException] = []
        self.host = Host(manager.started)
        self.kernel = self.host.engine.kernel
        self.host.fault = self._fault  # type: ignore[method-assign]
        self.parts = ServerParts(self.host, self._log, {})
        self.kernel.parts = self.parts
        self.network = Network(
            self.host, folder, self._log, lambda peer: PartnerSocket(self.host, peer), settings
        )
        self.channels = MessageChannels(self.host, self.network)
        self.seen = Seen(self)
        self.channels.events = self.seen
        self.port = self.network.listen("127.0.0.1").port

    def _log(self, message: str, *inserts: object) -> None:
        self.logged.append((message, inserts))

    def _fault(self, error: BaseException, doing: str) -> None:
        self.faults.append(error)

    @property
    def ids(self) -> list[str]:
        """What was logged, by id."""
        return [one for one, _ in self.logged]

    @property
    def conn(self) -> str:
        """As CONNAME has it."""
        return f"127.0.0.1({self.port})"

    def run(self, *commands: str) -> None:
        """Commands that must succeed."""
        for command in commands:
            for answer in self.manager.mqsc(command):
                assert answer.ok, (command, answer)

    def start(self, name: str) -> ChannelInstance:
        """Start a channel of this end."""
        definition = self.kernel.catalog.find(SENDER, name)
        assert definition is not None
        return self.channels.start(definition)

    def instance(self, name: str) -> ChannelInstance:
        """The only one of a channel."""
        (found,) = self.channels.instances_of(name)
        return found

    def status(self, name: str) -> str:
        """Of the only instance; "" if there is none."""
        found = self.channels.instances_of(name)
        return found[0].status if len(found) == 1 else ""

    def depth(self, queue: str) -> int:
        """How many messages a queue has."""
        (shown,) = self.manager.mqsc(f"DISPLAY QLOCAL({queue}) CURDEPTH")
        return int(str(shown["CURDEPTH"]))

    def put(self, queue: str, *data: bytes, **how: Any) -> None:
        """Persistent messages."""
        with self.manager.connect() as connection, connection.queue(queue) as opened:
            for one in data:
                opened.put(one, persistent=True, **how)

    def get_all(self, queue: str) -> list[bytes]:
        """The data of all messages."""
        found: list[bytes] = []
        with self.manager.connect() as connection, connection.queue(queue) as opened:
            while (message := opened.try_get()) is not None:
                found.append(message.data)
        return found

    def pair(self, other: Node, more: str = "", queue: str = "T", receiver: str = "RCVR") -> None:
        """A channel from here to there, and a remote queue R for a queue there."""
        name = f"{self.kernel.name}.{other.kernel.name}"
        there = other.kernel.name
        self.run(
            f"DEFINE QLOCAL({there}) USAGE(XMITQ)",
            f"DEFINE QREMOTE(R) RNAME({queue}) RQMNAME({there}) XMITQ({there})",
            f"DEFINE CHANNEL({name}) CHLTYPE(SDR) CONNAME('{other.conn}') XMITQ({there}) {more}",
        )
        other.run(f"DEFINE QLOCAL({queue})", f"DEFINE CHANNEL({name}) CHLTYPE({receiver})")

    async def close(self) -> None:
        self.network.close()
        await self.channels.end(False)
        for sock in list(self.host.channel_sockets):
            sock.abort()


async def until(condition: Callable[[], bool], what: str = "") -> None:
    """Wait for something that the loop does."""
    loop = asyncio.get_running_loop()
    late = loop.time() + WAIT_S
    while not condition():
        assert loop.time() < late, what or condition
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def two_managers(
    folder: str = "",
    settings: NetworkSettings | None = None,
    disk: Path | None = None,
    users: dict[str, list[str]] | None = None,
) -> AsyncIterator[tuple[Node, Node]]:
    """QMA and QMB, which may be on disk, or check the authority of these users."""
    with (
        ternmq.memory("QMA") as first,
        ternmq.memory("QMB", security=False if users is None else users)
        if disk is None
        else embedded(disk, "QMB", create=True) as second,
    ):
        one = Node(first, folder, settings)
        other = Node(second, folder, settings)
        try:
            yield one, other
        finally:
            await one.close()
            await other.close()
        for fault in one.faults + other.faults:
            raise fault
