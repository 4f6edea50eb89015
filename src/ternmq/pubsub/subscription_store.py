"""Durable subscriptions of applications on SYSTEM.DURABLE.SUBSCRIBER.QUEUE: stored, replaced,
removed, each in a unit of work of its own that is forced before the caller is answered.

A subscription is in exactly one message. One that holds several is got, and the others are put
back, where one of them changes; `consolidation` makes few messages of many. What is in memory is
the caller's: `subscribing` adds and removes, `stored_loading` adds at a start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import LOCAL
from ternmq.base.reasons import (
    MQRC_DURABILITY_NOT_ALLOWED,
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_MSG_TOO_BIG_FOR_Q_MGR,
    MQRC_OBJECT_DAMAGED,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_Q_SPACE_NOT_AVAILABLE,
)
from ternmq.kernel.acceptance import check_queue, must_wait, relieve
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.pubsub.own_messages import find_message, is_parked, take_message
from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.subscription_message import (
    SUBSCRIBER_QUEUE,
    pack_subscriptions,
    subscription_descriptor,
)
from ternmq.store.queue import Queue
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import PERSISTENT, ZERO_ID, Entry

if TYPE_CHECKING:
    from ternmq.pubsub.consolidation import Consolidation
    from ternmq.pubsub.publish_subscribe import PublishSubscribe

TOGETHER: Final = 64  # subscriptions in a message, at most
FEW: Final = 4  # a message with a fourth of that, or less, is to be joined with others
UNIT_BYTES: Final = 3 * 4096  # of log for the ends of a unit and the gets in it
_NOT_ALLOWED: Final = (
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_Q_SPACE_NOT_AVAILABLE,
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_MSG_TOO_BIG_FOR_Q_MGR,
    MQRC_OBJECT_DAMAGED,
)


@final
class StoredMessage:
    """A message, and the subscriptions in it that count."""

    __slots__ = ("msg_id", "sub_ids")

    def __init__(self, msg_id: bytes, sub_ids: list[bytes]) -> None:
        self.msg_id = msg_id
        self.sub_ids = sub_ids


@final
class SubscriptionStore:
    """The messages that hold durable subscriptions of applications, as far as they need work."""

    def __init__(self) -> None:
        self.small: dict[bytes, StoredMessage] = {}  # by MsgId: those with few
        self.outdated: dict[bytes, StoredMessage] = {}  # also with one that another has newer
        self.together = TOGETHER
        self.consolidation: Consolidation | None = None  # one that is under way
        self.is_complete = True  # no message was damaged; else nothing is taken for left behind

    def place(self, message: StoredMessage) -> None:
        """A message is on the queue."""
        if len(message.sub_ids) <= max(self.together // FEW, 1):
            self.small[message.msg_id] = message

    def drop(self, message: StoredMessage) -> None:
        """It is not there any more; its subscriptions are put again, or gone."""
        self.small.pop(message.msg_id, None)
        self.outdated.pop(message.msg_id, None)


def store_subscription(
    pubsub: PublishSubscribe, connection: Connection, subscription: Subscription
) -> bool:
    """A durable subscription of an application is new or was altered; False: the connection is
    parked and nothing has changed. 2436 if the queue does not take it."""
    return _change(pubsub, connection, subscription, True)


def remove_subscription(
    pubsub: PublishSubscribe, connection: Connection, subscription: Subscription
) -> bool:
    """A durable subscription of an application goes; False: parked, and nothing has changed."""
    if subscription.stored is None:
        return True
    return _change(pubsub, connection, subscription, False)


def _change(
    pubsub: PublishSubscribe, connection: Connection, subscription: Subscription, is_kept: bool
) -> bool:
    """Let the queue hold a subscription as it is now, or not at all."""
    kernel = pubsub.kernel
    store = pubsub.store
    consolidation = store.consolidation
    if consolidation is not None:
        consolidation.give_up(pubsub)
    local = _queue_of(pubsub, connection)
    if local is None:
        return False
    old = subscription.stored
    groups: list[list[Subscription]] = []
    if is_kept:
        groups.append([subscription])
    if old is not None and len(old.sub_ids) > 1:
        groups.append(known(pubsub, [one for one in old.sub_ids if one != subscription.sub_id]))
    bodies = [pack_subscriptions(group) for group in groups]
    if not _has_room(kernel, connection, local, bodies, is_kept):
        return False
    taken = None if old is None else find_message(kernel, connection, local.queue, old.msg_id)
    if old is not None and is_parked(connection):
        return False
    if local.queue.damaged:
        raise _not_allowed(MQRC_OBJECT_DAMAGED, local.queue.damaged)
    if old is not None:
        store.drop(old)
        subscription.stored = None
    _exchange(pubsub, connection, local.queue, taken, groups, bodies)
    relieve(kernel, local.queue)
    return True


def _exchange(
    pubsub: PublishSubscribe,
    connection: Connection,
    queue: Queue,
    taken: Entry | None,
    groups: list[list[Subscription]],
    bodies: list[bytes],
) -> None:
    """Get a message and put others, all or nothing; a single change needs no unit of work."""
    coordinator = pubsub.kernel.coordinator
    unit: UnitOfWork | None = None
    if len(bodies) + (0 if taken is None else 1) > 1:
        unit = coordinator.begin()
    if taken is not None:
        connection.depends_on(take_message(pubsub.kernel, unit, queue, taken))
    put_messages(pubsub, connection, queue, unit, groups, bodies)
    if unit is not None:
        connection.depends_on(coordinator.commit(unit))


def known(pubsub: PublishSubscribe, sub_ids: list[bytes]) -> list[Subscription]:
    """Those of them that are there."""
    return [pubsub.by_id[one] for one in sub_ids if one in pubsub.by_id]


def put_messages(
    pubsub: PublishSubscribe,
    connection: Connection,
    queue: Queue,
    unit: UnitOfWork | None,
    groups: list[list[Subscription]],
    bodies: list[bytes],
) -> None:
    """Put a message for each group, and note where its subscriptions are."""
    kernel = pubsub.kernel
    queue.idle_checkpoints = 0
    base = subscription_descriptor(kernel.name, kernel.number("ccsid")).pack()
    for at, body in enumerate(bodies):
        msg_id = kernel.new_id()
        entry = Entry(
            0,
            0,
            PERSISTENT,
            kernel.clock.now_ns(),
            0,
            msg_id,
            ZERO_ID,
            ZERO_ID,
            base,
            body,
            len(body),
        )
        connection.depends_on(kernel.coordinator.put(unit, queue, entry))
        message = StoredMessage(msg_id, [one.sub_id for one in groups[at]])
        for one in groups[at]:
            one.stored = message
        pubsub.store.place(message)


def _queue_of(pubsub: PublishSubscribe, connection: Connection) -> LocalQueue | None:
    """The queue; None: parked until it is loaded."""
    kernel = pubsub.kernel
    definition = kernel.catalog.definitions.get(SUBSCRIBER_QUEUE)
    if SUBSCRIBER_QUEUE in pubsub.unread_queues:
        raise _not_allowed(0, "the subscriptions that it holds are not read yet")
    if definition is None or definition.object_type != LOCAL:
        detail = "there is no local queue of that name; make it again (strmqm -c)"
        raise _not_allowed(0, detail)
    try:
        return kernel.local_queue(connection, definition)
    except MQError as refusal:
        raise _not_allowed(refusal.reason, refusal.detail) from None


def _has_room(
    kernel: Kernel, connection: Connection, local: LocalQueue, bodies: list[bytes], is_checked: bool
) -> bool:
    """Whether queue and log take what is to be put; the connection is parked if not. What only
    makes the queue smaller is not refused by its attributes."""
    size: i64 = UNIT_BYTES
    for body in bodies:
        size += len(body)
    if is_checked:
        try:
            length: i64 = len(bodies[0])
            check_queue(kernel, connection, local, [], length, 0, PERSISTENT)
        except MQError as refusal:
            if refusal.reason not in _NOT_ALLOWED:
                raise
            raise _not_allowed(refusal.reason, refusal.detail) from None
    return not must_wait(kernel, connection, local, None, size, PERSISTENT)


def _not_allowed(reason: int, detail: str) -> MQError:
    why = f"reason {reason}: {detail}" if reason else detail
    return mq_error(MQRC_DURABILITY_NOT_ALLOWED, verb="MQSUB", object=SUBSCRIBER_QUEUE, detail=why)
