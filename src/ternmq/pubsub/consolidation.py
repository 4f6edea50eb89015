"""Many messages of SYSTEM.DURABLE.SUBSCRIBER.QUEUE become few: each got, and one put that holds
what they held, in one unit of work. At a tick, a bounded number of subscriptions each time.

A unit that waits for messages to be read stays open until the next tick; a change of a subscription
backs it out (`give_up`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from ternmq.kernel.connection import Connection
from ternmq.kernel.ending import back_out_some
from ternmq.kernel.kernel import RUNNING
from ternmq.kernel.objects import LocalQueue
from ternmq.ports.effect import Effect
from ternmq.pubsub.own_messages import find_message, is_parked, take_message
from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.subscription_message import SUBSCRIBER_QUEUE, pack_subscriptions
from ternmq.pubsub.subscription_store import UNIT_BYTES, StoredMessage, known, put_messages
from ternmq.txn.reserves import CHANGE_RESERVE
from ternmq.txn.unit import ACTIVE, ENDED, UnitOfWork

if TYPE_CHECKING:
    from ternmq.pubsub.publish_subscribe import PublishSubscribe

BODY_BYTES_MAX: Final = 64 * 1024  # about; one subscription alone may be longer
MESSAGES_A_TICK: Final = 4  # that are put


@final
class Consolidation:
    """A unit of work that joins messages."""

    def __init__(self, unit: UnitOfWork, messages: list[StoredMessage]) -> None:
        self.unit = unit
        self.messages = messages
        self.got = 0
        self.parked: Effect | None = None

    def give_up(self, pubsub: PublishSubscribe) -> None:
        """The messages are as before."""
        while self.unit.state != ENDED and not back_out_some(pubsub.kernel, self.unit):
            pass
        pubsub.store.consolidation = None


def consolidate(pubsub: PublishSubscribe) -> None:
    """Time has passed: join some messages, if there are enough."""
    kernel = pubsub.kernel
    store = pubsub.store
    if store.consolidation is None and len(store.small) < store.together and not store.outdated:
        return
    local = kernel.locals.get(SUBSCRIBER_QUEUE)
    if local is None or local.deleted or local.queue.damaged or kernel.status != RUNNING:
        if store.consolidation is not None:
            store.consolidation.give_up(pubsub)
        return
    connection = Connection(0, bytes(24), "", kernel.name)
    for _ in range(MESSAGES_A_TICK):
        current = store.consolidation
        if current is None:
            current = _begin(pubsub)
            if current is None:
                return
            store.consolidation = current
        if not _go_on(pubsub, connection, local, current):
            return


def _begin(pubsub: PublishSubscribe) -> Consolidation | None:
    """Choose the messages; None if there are too few, or the log has no room now. One with an
    outdated subscription is put again in any case: if the newer one is removed, the older must not
    come back."""
    kernel = pubsub.kernel
    store = pubsub.store
    choice = _Choice(pubsub)
    choice.add(store.outdated)
    if len(store.small) >= store.together:
        choice.add(store.small)
    if not choice.messages:
        return None
    changes = 2 * len(choice.messages)
    if not kernel.coordinator.has_room(None, choice.bytes + CHANGE_RESERVE * changes):
        return None
    return Consolidation(kernel.coordinator.begin(), choice.messages)


@final
class _Choice:
    """Messages that fit into one."""

    def __init__(self, pubsub: PublishSubscribe) -> None:
        self._pubsub = pubsub
        self.messages: list[StoredMessage] = []
        self.subscriptions = 0
        self.bytes = UNIT_BYTES

    def add(self, some: dict[bytes, StoredMessage]) -> None:
        """Take as many of these as fit."""
        for message in some.values():
            if message in self.messages:
                continue
            count = len(message.sub_ids)
            length = sum([_size(one) for one in known(self._pubsub, message.sub_ids)])
            if self.messages and (
                self.subscriptions + count > self._pubsub.store.together
                or self.bytes + length > BODY_BYTES_MAX
            ):
                return
            self.messages.append(message)
            self.subscriptions += count
            self.bytes += length


def _size(one: Subscription) -> int:
    """About what it takes, in a message whose terms are few."""
    texts = len(one.name) + 2 * len(one.topic_string) + len(one.user_data)
    return 256 + 2 * (texts + len(one.terms.selector))


def _send_for_rest(
    pubsub: PublishSubscribe, connection: Connection, local: LocalQueue, current: Consolidation
) -> None:
    """Let all that is not in memory be read until the next tick."""
    for message in current.messages[current.got :]:
        find_message(pubsub.kernel, connection, local.queue, message.msg_id)
        if is_parked(connection):
            current.parked = connection.park


def _go_on(
    pubsub: PublishSubscribe, connection: Connection, local: LocalQueue, current: Consolidation
) -> bool:
    """Get what is left to get, then put; False: it waits."""
    kernel = pubsub.kernel
    queue = local.queue
    if current.unit.state != ACTIVE:  # backed out to make room in the log
        current.give_up(pubsub)
        return False
    if current.parked is not None and not current.parked.done:
        return False
    current.parked = None
    while current.got < len(current.messages):
        entry = find_message(kernel, connection, queue, current.messages[current.got].msg_id)
        if is_parked(connection):
            _send_for_rest(pubsub, connection, local, current)
            return False
        if entry is not None:
            take_message(kernel, current.unit, queue, entry)
        current.got += 1
    store = pubsub.store
    kept: list[Subscription] = []
    for message in current.messages:
        kept.extend(known(pubsub, message.sub_ids))
        store.drop(message)
    if kept:
        bodies = [pack_subscriptions(kept)]
        put_messages(pubsub, connection, queue, current.unit, [kept], bodies)
    kernel.coordinator.commit(current.unit)
    store.consolidation = None
    return True
