"""Whether a subscription to a topic may be made: attributes of the topic, authority of the user."""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_DURABILITY_NOT_ALLOWED,
    MQRC_SUB_INHIBITED,
)
from ternmq.kernel.connection import Connection
from ternmq.pubsub.multicast import only_multicast
from ternmq.pubsub.publish_subscribe import PublishSubscribe
from ternmq.pubsub.subscription import SubscriptionTerms
from ternmq.pubsub.topic_attributes import TopicAttributes, attributes_at
from ternmq.pubsub.topic_authority import check_subscribe
from ternmq.pubsub.wildcards import literal_prefix


def permit(
    pubsub: PublishSubscribe,
    connection: Connection,
    user: str | None,
    topic_string: str,
    terms: SubscriptionTerms,
    options: int,
    verb: str = "MQSUB",
) -> TopicAttributes:
    """The attributes that hold for the topic, if they and the user's authority allow the
    subscription; `user` is None if no authority is asked."""
    asked = literal_prefix(topic_string, terms.by_character)
    attributes = attributes_at(pubsub.tree, asked)
    by_character = terms.by_character
    check_subscribe(pubsub, connection, user, topic_string, by_character, options)
    shown = topic_string[: mq.MQ_TOPIC_NAME_LENGTH]
    if not attributes.subscribe:
        raise mq_error(MQRC_SUB_INHIBITED, verb=verb, object=shown, detail="SUB(DISABLED)")
    if terms.is_durable and not attributes.durable_allowed:
        raise mq_error(MQRC_DURABILITY_NOT_ALLOWED, verb=verb, object=shown, detail="DURSUB(NO)")
    if terms.is_durable and attributes.multicast == mq.MQMC_ONLY:
        raise mq_error(MQRC_DURABILITY_NOT_ALLOWED, verb=verb, object=shown, detail="MCAST(ONLY)")
    if attributes.multicast == mq.MQMC_ONLY and not connection.takes_multicast:
        raise only_multicast(topic_string, verb)
    return attributes
