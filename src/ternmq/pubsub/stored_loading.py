"""At a start: durable subscriptions and retained publications from their queues, before any verb
runs. What is not as it must be is left where it is and reported; it never keeps the queue manager
from starting. A queue that is damaged then and re-created later is read when it is there again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from ternmq.base.errors import MQError
from ternmq.base.object_types import LOCAL
from ternmq.kernel.connection import Connection
from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect
from ternmq.pubsub.own_messages import (
    Reader,
    load_now,
    read_all,
    read_in_memory,
    read_swept,
)
from ternmq.pubsub.retained import RETAINED_QUEUE
from ternmq.pubsub.retained_store import RetainedReading
from ternmq.pubsub.scavenger import scavenge_at_start
from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.subscription_message import SUBSCRIBER_QUEUE, is_ours, read_subscriptions
from ternmq.pubsub.subscription_store import StoredMessage
from ternmq.store.catalog import Definition
from ternmq.store.queue import Queue
from ternmq.values.entry import PERSISTENT, Entry

if TYPE_CHECKING:
    from ternmq.pubsub.publish_subscribe import PublishSubscribe

NOT_A_SUBSCRIPTION: Final = "AMQ7590W"
NOT_LOADED: Final = "AMQ7591W"


@final
class SubscriptionReading(Reader):
    """Durable subscriptions of applications."""

    def __init__(self, pubsub: PublishSubscribe) -> None:
        self._pubsub = pubsub
        self._found: dict[bytes, Subscription] = {}  # by SubId; each knows its message
        self._messages: dict[bytes, StoredMessage] = {}  # by MsgId
        self._sequences: dict[bytes, int] = {}  # of the messages
        self._outdated: set[bytes] = set()  # MsgIds of messages with a subscription that is older
        self.is_damaged = False

    def take(self, entry: Entry) -> None:
        if not is_ours(entry) or not entry.flags & PERSISTENT:
            self._report(entry, "an application has put it")
            return
        try:
            subscriptions = read_subscriptions(entry.data)
        except ValueError as damage:
            self.is_damaged = True
            self._report(entry, str(damage))
            return
        sequence = int(entry.sequence)
        message = StoredMessage(entry.msg_id, [])
        self._messages[entry.msg_id] = message
        self._sequences[entry.msg_id] = sequence
        for one in subscriptions:
            sub_id = one.sub_id
            before = self._found.get(sub_id)
            if before is not None and before.stored is not None:
                if self._sequences[before.stored.msg_id] > sequence:
                    self._outdated.add(entry.msg_id)
                    continue
                self._outdated.add(before.stored.msg_id)
            one.stored = message
            self._found[sub_id] = one

    def _report(self, entry: Entry, why: str) -> None:
        inserts = (SUBSCRIBER_QUEUE, entry.msg_id.hex(), why)
        self._pubsub.kernel.notices.add(NOT_A_SUBSCRIPTION, inserts)

    def _check_selector(self, one: Subscription) -> None:
        try:
            self._pubsub.selection(one)
        except MQError as fault:  # a selector that an earlier release took
            inserts = (SUBSCRIBER_QUEUE, one.sub_id.hex(), f"{one.name}: {fault.detail}")
            self._pubsub.kernel.notices.add(NOT_A_SUBSCRIPTION, inserts)

    def finish(self) -> None:
        """All were read: subscriptions that are not there begin to match."""
        pubsub = self._pubsub
        store = pubsub.store
        definitions = pubsub.kernel.catalog.definitions
        for sub_id, one in self._found.items():
            message = one.stored
            if message is None:
                continue
            message.sub_ids.append(one.sub_id)
            there = pubsub.by_id.get(sub_id)
            if there is not None:
                there.stored = message
                continue
            self._check_selector(one)
            queue = definitions.get(one.destination)
            if queue is not None:
                one.destination = queue.name  # the name once, for there may be very many
            pubsub.add(one)
        for stored in self._messages.values():
            store.place(stored)
            if stored.msg_id in self._outdated:
                store.outdated[stored.msg_id] = stored
        if self.is_damaged:
            store.is_complete = False


def load_stored(pubsub: PublishSubscribe, disk: Disk) -> None:
    """Read both queues, and delete what has no subscription; at a start, before any verb."""
    for name in (SUBSCRIBER_QUEUE, RETAINED_QUEUE):
        reading = _reading(pubsub, name)
        if not _read(pubsub, disk, name, reading):
            pubsub.unread_queues.append(name)
        reading.finish()
    scavenge_at_start(pubsub, disk)


def _reading(pubsub: PublishSubscribe, name: str) -> Reader:
    return SubscriptionReading(pubsub) if name == SUBSCRIBER_QUEUE else RetainedReading(pubsub)


def _read(pubsub: PublishSubscribe, disk: Disk, name: str, reader: Reader) -> bool:
    """Hand all messages of a queue over; False: it cannot be read."""
    kernel = pubsub.kernel
    definition = _definition(pubsub, name)
    if definition is None:
        return True
    queue = load_now(kernel.catalog, disk, definition)
    if queue is not None and read_all(queue, disk, reader):
        kernel.local_queue(Connection(0, bytes(24), "", kernel.name), definition)
        return True
    kernel.notices.add(NOT_LOADED, (name,))
    return False


def _definition(pubsub: PublishSubscribe, name: str) -> Definition | None:
    definition = pubsub.kernel.catalog.definitions.get(name)
    return definition if definition is not None and definition.object_type == LOCAL else None


def read_later(pubsub: PublishSubscribe) -> None:
    """Time has passed: a queue that could not be read at the start is read if it is whole now."""
    kernel = pubsub.kernel
    unread = pubsub.unread_queues
    pubsub.unread_queues = []
    for name in unread:
        definition = _definition(pubsub, name)
        queue: Queue | None = None
        if definition is not None and definition.object_id not in kernel.catalog.damaged:
            queue = kernel.catalog.loaded(definition)
            if queue is None:
                kernel.load(definition)
        if queue is None or queue.damaged:
            pubsub.unread_queues.append(name)
        else:
            kernel.outbox.add(StoredReload(pubsub, queue, _reading(pubsub, name)))


@final
class StoredReload(Effect):
    """Reads a queue while the queue manager runs."""

    def __init__(self, pubsub: PublishSubscribe, queue: Queue, reading: Reader) -> None:
        super().__init__()
        self.pubsub = pubsub
        self.queue = queue
        self.segments = [one for one in queue.segments.values() if one.swept]
        self.reading = reading
        self.is_read = False

    def run(self, disk: Disk) -> None:
        for segment in self.segments:
            if not read_swept(self.queue, segment, disk, self.reading):
                return
        self.is_read = True

    def complete(self) -> None:
        if not self.is_read:
            self.pubsub.unread_queues.append(self.queue.name)
            return
        read_in_memory(self.queue, self.reading)
        self.reading.finish()

    def fail(self, error: OSError) -> None:
        self.pubsub.unread_queues.append(self.queue.name)

    def damage(self, text: str) -> None:
        self.pubsub.unread_queues.append(self.queue.name)
