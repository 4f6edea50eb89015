"""MQPUT to a topic: which subscriptions it matches, and a copy for each."""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_HOBJ_ERROR
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.copies import arrived
from ternmq.kernel.put import unit_for
from ternmq.kernel.requests import PutRequest
from ternmq.pubsub.publish_subscribe import PublishSubscribe, TopicInUse
from ternmq.pubsub.subscription import Subscription
from ternmq.values.entry import ZERO_ID, Entry


@final
class Publication:
    """One publication on its way, between its steps."""

    def __init__(self, subscriptions: list[Subscription]) -> None:
        self.subscriptions = subscriptions
        self.at: i64 = 0


def publish(
    pubsub: PublishSubscribe,
    connection: Connection,
    handle: Handle,
    request: PutRequest,
    data: bytes,
) -> Entry | None:
    """MQPUT on a handle of a topic; None: parked, or goes on later."""
    kernel = pubsub.kernel
    topic = handle.topic
    if not isinstance(topic, TopicInUse) or handle.connection is not connection:
        raise mq_error(MQRC_HOBJ_ERROR, verb="MQPUT", object=handle.resolved_name)
    kernel.refuse_if_ending(request.options & mq.MQPMO_FAIL_IF_QUIESCING != 0, "MQPUT")
    persistence = (
        0 if request.persistence == mq.MQPER_PERSISTENCE_AS_TOPIC_DEF else request.persistence
    )
    priority = max(request.priority, 0)
    matched = pubsub.index.match(topic.topic_string)
    unit = unit_for(kernel, connection, request)
    now_ns: i64 = kernel.clock.now_ns()
    base = request.resolved_base(priority, persistence)
    published = Entry(
        0,
        priority,
        persistence,
        now_ns,
        0,
        kernel.new_id(),
        ZERO_ID,
        ZERO_ID,
        base,
        data,
        len(data),
    )
    for subscription in matched:
        definition = kernel.catalog.definitions.get(subscription.destination)
        if definition is None:
            continue
        local = kernel.local_queue(connection, definition)
        if local is None:
            return None
        copy = Entry(
            0,
            priority,
            persistence,
            now_ns,
            0,
            kernel.new_id(),
            subscription.correl_id,
            ZERO_ID,
            base,
            data,
            len(data),
            request.properties,
        )
        connection.depends_on(kernel.coordinator.put(unit, local.queue, copy))
        arrived(kernel, local, copy, unit, True)
        subscription.messages += 1
        subscription.last_ns = now_ns
    topic.published += 1
    topic.last_ns = now_ns
    return published
