"""Where a subscription is kept so that it survives a restart.

A durable one of an application is a message on SYSTEM.DURABLE.SUBSCRIBER.QUEUE
(`subscription_store`), an administrative one is an object of the catalog, and a non-durable one is
kept nowhere. False means that the connection is parked and that nothing has changed.
"""

from __future__ import annotations

from ternmq.base.object_types import SUB
from ternmq.kernel.authority_records import records_bytes, undefine_with_records
from ternmq.kernel.connection import Connection
from ternmq.kernel.events import report_deleted, report_stored
from ternmq.kernel.kernel import OBJECT_RECORD_BYTES
from ternmq.pubsub import managed_queues
from ternmq.pubsub.publish_subscribe import PublishSubscribe
from ternmq.pubsub.subscription import ADMIN, Subscription
from ternmq.pubsub.subscription_definition import attributes_of
from ternmq.pubsub.subscription_store import (
    remove_subscription,
    store_subscription,
)

_BYTES_A_CHARACTER = 12


def keep(pubsub: PublishSubscribe, connection: Connection, subscription: Subscription) -> bool:
    """A new subscription of an application."""
    if not subscription.terms.is_durable:
        return True
    return store_subscription(pubsub, connection, subscription)


def keep_altered(
    pubsub: PublishSubscribe, connection: Connection, subscription: Subscription, verb: str
) -> bool:
    """It has other terms."""
    if not subscription.terms.is_durable:
        return True
    if subscription.terms.sub_type != ADMIN:
        return store_subscription(pubsub, connection, subscription)
    kernel = pubsub.kernel
    definition = kernel.catalog.find(SUB, subscription.name)
    if definition is None:
        return True
    texts = len(subscription.name) + len(subscription.user_data) + len(subscription.topic_string)
    size = OBJECT_RECORD_BYTES + texts * _BYTES_A_CHARACTER
    if not kernel.can_log_object(connection, verb, subscription.name[:48], size):
        return False
    before = dict(definition.attributes)
    definition.attributes.update(attributes_of(subscription))
    definition.altered_ns = kernel.clock.now_ns()
    connection.depends_on(kernel.coordinator.define(kernel.catalog, definition))
    report_stored(kernel, connection, definition, before)
    return True


def forget(
    pubsub: PublishSubscribe, connection: Connection, subscription: Subscription, verb: str
) -> bool:
    """It ends: what is kept of it goes, it matches nothing any more, and its managed queue goes
    too."""
    terms = subscription.terms
    if terms.is_durable and not subscription.is_removed:
        if terms.sub_type == ADMIN:
            if not _undefine(pubsub, connection, subscription, verb):
                return False
        elif not remove_subscription(pubsub, connection, subscription):
            return False
    if not subscription.is_removed:
        pubsub.remove(subscription)
    if not terms.is_managed:
        return True
    name = subscription.destination
    is_done = managed_queues.delete(pubsub.kernel, connection, name, verb)
    if name in pubsub.kernel.catalog.definitions and name not in pubsub.left_queues:
        pubsub.left_queues.append(name)  # a tick deletes it, if nothing else does
    return is_done


def _undefine(
    pubsub: PublishSubscribe, connection: Connection, subscription: Subscription, verb: str
) -> bool:
    kernel = pubsub.kernel
    definition = kernel.catalog.find(SUB, subscription.name)
    if definition is None:
        return True
    size = OBJECT_RECORD_BYTES + records_bytes(kernel, definition)
    size += len(subscription.name) * _BYTES_A_CHARACTER
    if not kernel.can_log_object(connection, verb, subscription.name[:48], size):
        return False
    connection.depends_on(undefine_with_records(kernel, definition, None, True))
    report_deleted(kernel, connection, definition)
    return True
