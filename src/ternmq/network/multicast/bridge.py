"""The bridge of a COMMINFO object with BRIDGE(ENABLED): what others publish goes to the group, and
what comes from the group is published for others.

It begins when the first client joins the group, on the network interface that the client came by.
Towards the group it is a subscriber of the topic objects with MCAST(ENABLED) that use the COMMINFO
object, and a transmitter; the other way it is a receiver, and publishes outside syncpoint. One
connection has the subscriptions and publishes (with MQPMO_NOT_OWN_SUBS, so nothing comes back to
the group), another gets from the queue of each subscription. Topics with MCAST(ONLY) have no
bridge. Nothing that fails here reaches a publisher.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Final, final

from ternmq.api.aio import Connection
from ternmq.api.topic_arguments import publish_call
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.object_types import COMMINFO, TOPIC
from ternmq.base.reasons import MQRC_CONNECTION_BROKEN, MQRC_Q_MGR_QUIESCING, MQRC_Q_MGR_STOPPING
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.publication_area import published_properties
from ternmq.host.tasks import task_transport
from ternmq.network.channels.trigger_monitor import end_quietly
from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.pubsub.topic_attributes import attributes_at
from ternmq.remote.fap.client_channel import MulticastSettings
from ternmq.remote.multicast.group_receiver import GroupReceiver
from ternmq.remote.multicast.group_sockets import interface_of
from ternmq.remote.multicast.publisher import Publisher
from ternmq.remote.multicast.socket_thread import SOCKETS
from ternmq.values.message import Message
from ternmq.values.multicast_terms import MULTICAST_TOPIC_CHARACTERS_MAX, MulticastTerms
from ternmq.values.put_form import PUBLICATION_LEVEL_MAX
from ternmq.wire.multicast.publication import RETAINED, Publication
from ternmq.wire.multicast.receiver import Event

if TYPE_CHECKING:
    from ternmq.kernel.kernel import Kernel
    from ternmq.network.edge.network_host import NetworkHost

APPLICATION: Final = "ternmq multicast bridge"
# Publications from the group that were not published yet: how many, and their bytes.
WAITING_MAX: Final = 10_000
WAITING_BYTES_MAX: Final = 64 << 20
_ENDINGS: Final = (MQRC_Q_MGR_QUIESCING, MQRC_Q_MGR_STOPPING, MQRC_CONNECTION_BROKEN)
_LEVEL: Final = "mqps.Pbl"


class Bridges:
    """The bridges of one queue manager. Everything is called in the loop's thread."""

    def __init__(self, host: NetworkHost) -> None:
        self._host = host
        self._bridges: dict[tuple[str, str, int, str], Bridge] = {}

    def joined(self, terms: MulticastTerms, local_host: str) -> None:
        """A client uses a group, and has come by this address."""
        kernel = self._host.engine.kernel
        definition = kernel.catalog.find(COMMINFO, terms.name)
        if definition is None or definition.number("bridge") != mq.MQMCB_ENABLED:
            return
        interface = interface_of(MulticastSettings(), local_host)
        key = (terms.name, terms.group, terms.port, interface)
        bridge = self._bridges.get(key)
        try:
            if bridge is None:
                bridge = self._bridges[key] = Bridge(self._host, terms, interface)
            bridge.serve(topics_of(kernel, terms.name))
        except MQError as error:
            kernel.notices.add("AMQ7989W", (terms.name, str(error)))

    async def end(self) -> None:
        """No bridge any more."""
        for bridge in self._bridges.values():
            await bridge.end()
        self._bridges.clear()


def is_bridged(kernel: Kernel, topic: str, name: str) -> bool:
    """Whether publications of a topic pass between a COMMINFO object's group and everybody else."""
    attributes = attributes_at(pubsub_of(kernel).tree, topic)
    return attributes.multicast == mq.MQMC_ENABLED and attributes.communication == name


def topics_of(kernel: Kernel, name: str) -> list[str]:
    """The topic strings from which on a COMMINFO object is used; none is below another."""
    found: list[str] = []
    for definition in list(kernel.catalog.table_of(TOPIC).values()):
        topic = definition.text("topic_string")
        if is_bridged(kernel, topic, name):
            found.append(topic)
    return [one for one in found if not any(_is_below(one, other) for other in found)]


def _is_below(topic: str, other: str) -> bool:
    return topic != other and (other == "" or topic.startswith(other + "/"))


@final
class Backlog:
    """How much has come from the group and was not published yet: bounded, what comes then is
    dropped. The thread of the sockets admits, the loop's thread releases."""

    def __init__(self, count_max: int = WAITING_MAX, bytes_max: int = WAITING_BYTES_MAX) -> None:
        self._count_max = count_max
        self._bytes_max = bytes_max
        self._lock = threading.Lock()
        self._count = 0
        self._bytes = 0
        self.dropped = 0

    def admitted(self, came: list[Publication]) -> list[Publication]:
        """Those that there is room for."""
        with self._lock:
            for at, one in enumerate(came):
                if self._count >= self._count_max or self._bytes >= self._bytes_max:
                    self.dropped += len(came) - at
                    return came[:at]
                self._count += 1
                self._bytes += _size(one)
        return came

    def release(self, one: Publication) -> None:
        """One is published."""
        with self._lock:
            self._count -= 1
            self._bytes -= _size(one)


def _size(one: Publication) -> int:
    return len(one.topic) + len(one.descriptor) + len(one.area) + len(one.data)


class Bridge(GroupReceiver):
    """One COMMINFO object, by one interface."""

    def __init__(self, host: NetworkHost, terms: MulticastTerms, interface: str) -> None:
        settings = MulticastSettings()
        super().__init__(terms, interface, settings.timeout_ms, False)
        self._host = host
        self._loop = asyncio.get_running_loop()
        self._publisher = Publisher(terms, interface, settings)
        self.own_source = self._publisher.source
        # publications of the group, and topic strings to subscribe to
        self._came: asyncio.Queue[Publication | str] = asyncio.Queue()
        self._backlog = Backlog()
        self._topics: set[str] = set()
        self._senders: set[asyncio.Task[None]] = set()
        self._inward = self._loop.create_task(self._publish_all())
        self.dropped = 0  # publications that were refused
        SOCKETS.add(self)

    def dropped_publications(self) -> int:
        return self.dropped + self._backlog.dropped

    def serve(self, topics: list[str]) -> None:
        """Send to the group what others publish to these topics and below."""
        for topic in topics:
            if topic not in self._topics:
                self._topics.add(topic)
                self._came.put_nowait(topic)

    async def end(self) -> None:
        """Leave the group."""
        self.close()
        self._publisher.close()
        tasks = [self._inward, *self._senders]
        for one in tasks:
            one.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # ---- to the group

    async def _send_all(self, queue_name: str) -> None:
        """What comes to the queue of a subscription."""
        host = self._host
        transport = task_transport(host.loop_shell, host.own_user, APPLICATION, None)
        transport.warns = False
        options = mq.MQOO_INPUT_SHARED | mq.MQOO_FAIL_IF_QUIESCING
        try:
            async with Connection(transport).queue(queue_name, options=options) as queue:
                while True:
                    message = await queue.try_get(
                        wait=-1.0, options=mq.MQGMO_FAIL_IF_QUIESCING, syncpoint=False
                    )
                    if message is not None:
                        self._send(message)
        except MQError as error:
            self._report(error)
        finally:
            await end_quietly(transport)

    def _report(self, error: MQError) -> None:
        if error.reason not in _ENDINGS:
            notices = self._host.engine.kernel.notices
            notices.add("AMQ7989W", (self.terms.name, str(error)))

    def _send(self, message: Message) -> None:
        descriptor = message.descriptor.copy()
        topic = message.topic
        if not message.data or len(topic) > MULTICAST_TOPIC_CHARACTERS_MAX:
            return
        if not is_bridged(self._host.engine.kernel, topic, self.terms.name):
            return
        descriptor.persistence = mq.MQPER_NOT_PERSISTENT
        level = message.properties.get(_LEVEL, PUBLICATION_LEVEL_MAX)
        area = published_properties(message.property_area)
        one = Publication(topic, descriptor.pack(), area, message.data, int(str(level)))
        try:
            self._publisher.publish(one)
        except MQError:
            self.dropped += 1  # it is too long, or the network does not take it

    # ---- from the group

    def publications_came(self, came: list[Publication], events: list[Event], now: int) -> None:
        taken = self._backlog.admitted(came)
        if taken:
            try:
                self._loop.call_soon_threadsafe(self._queue_up, taken)
            except RuntimeError:
                return  # the loop has ended

    def _queue_up(self, came: list[Publication]) -> None:
        for one in came:
            self._came.put_nowait(one)

    async def _publish_all(self) -> None:
        host = self._host
        transport = task_transport(host.loop_shell, host.own_user, APPLICATION, None)
        transport.warns = False
        connection = Connection(transport)
        try:
            while True:
                one = await self._came.get()
                if isinstance(one, str):
                    await self._subscribe(connection, one)
                else:
                    self._backlog.release(one)
                    await self._publish(connection, one)
        except MQError as error:
            self._report(error)
        finally:
            await end_quietly(transport)

    async def _subscribe(self, connection: Connection, topic: str) -> None:
        # With no CorrelId of its own, that of the publisher goes through.
        pattern = f"{topic}/#" if topic else "#"
        subscription = await connection.subscribe(pattern, new_only=True, correl_id=mq.MQCI_NONE)
        task = self._loop.create_task(self._send_all(subscription.queue_name))
        self._senders.add(task)
        task.add_done_callback(self._senders.discard)

    async def _publish(self, connection: Connection, one: Publication) -> None:
        # A client that has the key can name any topic; the queue manager's authority is not its.
        if not is_bridged(self._host.engine.kernel, one.topic, self.terms.name):
            self.dropped += 1
            return
        transport = connection.transport
        options = mq.MQPMO_NO_SYNCPOINT | mq.MQPMO_SET_ALL_CONTEXT | mq.MQPMO_NOT_OWN_SUBS
        if one.flags & RETAINED:
            options |= mq.MQPMO_RETAIN
        try:
            form = transport.put_form(Descriptor.unpack(one.descriptor), options, "MQPUT1")
            if one.area:
                form = form.with_properties(one.area)
            if one.level != PUBLICATION_LEVEL_MAX:
                form = form.with_level(one.level)
            await transport.run(publish_call(one.topic, "", "", form, one.data))
        except MQError as error:
            if error.reason in _ENDINGS:
                raise
            self.dropped += 1  # PUB(DISABLED), say
