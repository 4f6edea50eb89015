"""Managed queues that no subscription has any more: what a crash left between the end of a
subscription and that of its queue, or between the queue and its subscription, and what was in use
when the subscription ended.

At a start all are looked for and deleted; later those that are noted in `left_queues`, as soon as
nothing holds them. If durable subscriptions could not be read, queues of durable ones are not
touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base.errors import MQError
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.ports.disk import Disk
from ternmq.pubsub.managed_queues import OF_DURABLE, OF_NONDURABLE, is_managed, remove_now
from ternmq.pubsub.own_messages import load_now
from ternmq.pubsub.subscription_message import SUBSCRIBER_QUEUE
from ternmq.store.catalog import Definition

if TYPE_CHECKING:
    from ternmq.pubsub.publish_subscribe import PublishSubscribe

DELETED_A_TICK: Final = 16


def scavenge_at_start(pubsub: PublishSubscribe, disk: Disk) -> None:
    """Look for all of them, and delete those that can be."""
    kernel = pubsub.kernel
    connection = Connection(0, bytes(24), "", kernel.name)
    for definition in _left_behind(pubsub):
        load_now(kernel.catalog, disk, definition)
        if not _delete(kernel, connection, definition.name):
            pubsub.left_queues.append(definition.name)


def scavenge(pubsub: PublishSubscribe) -> None:
    """Time has passed: try those that are noted, a bounded number."""
    left = pubsub.left_queues
    if not left:
        return
    kernel = pubsub.kernel
    connection = Connection(0, bytes(24), "", kernel.name)
    tried = left[:DELETED_A_TICK]
    del left[: len(tried)]
    for name in tried:
        if not _delete(kernel, connection, name):
            left.append(name)


def _left_behind(pubsub: PublishSubscribe) -> list[Definition]:
    used = {one.destination for one in pubsub.by_id.values()}
    is_complete = pubsub.store.is_complete and SUBSCRIBER_QUEUE not in pubsub.unread_queues
    prefixes = (OF_DURABLE, OF_NONDURABLE) if is_complete else (OF_NONDURABLE,)
    return [
        one
        for one in pubsub.kernel.catalog.definitions.values()
        if one.name.startswith(prefixes) and one.name not in used and is_managed(one)
    ]


def _delete(kernel: Kernel, connection: Connection, name: str) -> bool:
    """False: not now."""
    definition = kernel.catalog.definitions.get(name)
    if definition is None or not is_managed(definition):
        return True
    try:
        local = kernel.local_queue(connection, definition)
    except MQError:  # it is damaged, and an administrator's
        return True
    if local is None or local.handles or not kernel.coordinator.has_room(None, 4096):
        return False
    if local.queue.uncommitted_puts or local.queue.uncommitted_gets:
        return False
    remove_now(kernel, connection, local)
    return True
