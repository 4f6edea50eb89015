"""MQOPEN of topics: by topic object, by topic string, by both, by an alias; MQCLOSE of them."""

from __future__ import annotations

from ternmq.base.errors import mq_error
from ternmq.base.object_types import TOPIC
from ternmq.base.reasons import (
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_TOPIC_STRING_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.resolve import new_handle
from ternmq.pubsub.publish_subscribe import PublishSubscribe, TopicInUse
from ternmq.pubsub.topic_tree import SEPARATOR

TOPIC_STRING_MAX = 10_240  # characters


def full_topic_string(pubsub: PublishSubscribe, object_name: str, given: str, verb: str) -> str:
    """The topic string of an object and a string beside it."""
    if not object_name:
        if not given:
            raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=verb, detail="no topic was named")
        return given
    definition = pubsub.kernel.catalog.find(TOPIC, object_name)
    if definition is None:
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=verb, object=object_name)
    of_object = definition.text("topic_string")
    if not of_object and not given:
        raise mq_error(MQRC_TOPIC_STRING_ERROR, verb=verb, object=object_name)
    if not of_object or not given:
        return of_object or given
    return of_object + SEPARATOR + given


def open_topic(
    pubsub: PublishSubscribe,
    connection: Connection,
    object_name: str,
    object_string: str,
    options: int,
    verb: str,
    alternate_user: str = "",
) -> Handle | None:
    """MQOPEN of a topic for output, also as a part of MQPUT1; None: parked."""
    connection.begin_verb()
    topic_string = full_topic_string(pubsub, object_name, object_string, verb)
    handle = new_handle(pubsub.kernel, connection, options)
    node = pubsub.tree.ensure(topic_string)
    node.publishers += 1
    handle.topic = TopicInUse(node, topic_string, object_name)
    handle.resolved_name = object_name
    handle.is_put1 = verb == "MQPUT1"
    return handle


def close_topic(pubsub: PublishSubscribe, handle: Handle, options: int) -> bool:
    """MQCLOSE of a topic."""
    topic = handle.topic
    if options:
        raise mq_error(MQRC_OPTION_NOT_VALID_FOR_TYPE, verb="MQCLOSE", object=handle.resolved_name)
    if isinstance(topic, TopicInUse):
        topic.node.publishers -= 1
    return True
