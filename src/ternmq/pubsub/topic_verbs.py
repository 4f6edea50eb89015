"""MQPUT to a topic and MQCLOSE, as `PublishSubscribe` calls them."""

from __future__ import annotations

from typing import final

from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.requests import PutRequest
from ternmq.pubsub.opening import close_topic
from ternmq.pubsub.publish_subscribe import PublishSubscribe, TopicVerbs
from ternmq.pubsub.publishing import publish
from ternmq.pubsub.subscribing import close_subscription
from ternmq.values.entry import Entry


@final
class Verbs(TopicVerbs):
    """The functions of the modules."""

    def publish(
        self,
        pubsub: PublishSubscribe,
        connection: Connection,
        handle: Handle,
        request: PutRequest,
        data: bytes,
    ) -> Entry | None:
        return publish(pubsub, connection, handle, request, data)

    def close(self, pubsub: PublishSubscribe, handle: Handle, options: int) -> bool:
        if handle.topic is not None:
            return close_topic(pubsub, handle, options)
        return close_subscription(pubsub, handle, options)
