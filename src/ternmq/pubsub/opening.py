"""MQOPEN of topics: by topic object, by topic string, by both, by an alias; MQCLOSE of them.

The topic string is that of the object, and behind a separator what was given beside it. An alias of
a topic needs put on the alias and pub on its topic, and its PUT(DISABLED) counts at each put.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import TOPIC
from ternmq.base.reasons import (
    MQRC_OBJECT_Q_MGR_NAME_ERROR,
    MQRC_OBJECT_STRING_ERROR,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_PUBSUB_INHIBITED,
    MQRC_TOPIC_STRING_ERROR,
    MQRC_UNKNOWN_ALIAS_BASE_Q,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.kernel.authority import acting_user, check_open
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.events import LOCAL_NAMES
from ternmq.kernel.metering_calls import was_opened
from ternmq.kernel.resolve import new_handle
from ternmq.pubsub.multicast import publishes_by_multicast
from ternmq.pubsub.publish_subscribe import PublishSubscribe, TopicInUse
from ternmq.pubsub.topic_attributes import attributes_of
from ternmq.pubsub.topic_authority import check_publish
from ternmq.pubsub.topic_tree import SEPARATOR
from ternmq.store.catalog import Definition
from ternmq.values.topic_string import refuse_unencodable

TOPIC_STRING_MAX: Final = 10_240  # characters
_NOT_FOR_TOPICS: Final = (
    mq.MQOO_INPUT_AS_Q_DEF
    | mq.MQOO_INPUT_SHARED
    | mq.MQOO_INPUT_EXCLUSIVE
    | mq.MQOO_BROWSE
    | mq.MQOO_INQUIRE
    | mq.MQOO_SET
    | mq.MQOO_SAVE_ALL_CONTEXT
    | mq.MQOO_CO_OP
)


def refuse_if_disabled(pubsub: PublishSubscribe, verb: str) -> None:
    """MQRC_PUBSUB_INHIBITED under PSMODE(DISABLED). COMPAT stops only the queued interface."""
    if pubsub.kernel.number("pubsub_mode") == mq.MQPSM_DISABLED:
        raise mq_error(MQRC_PUBSUB_INHIBITED, verb=verb, detail="PSMODE(DISABLED)")


def full_topic_string(pubsub: PublishSubscribe, object_name: str, given: str, verb: str) -> str:
    """The topic string of an object and a string beside it."""
    if len(given) > TOPIC_STRING_MAX:
        detail = f"{len(given)} characters, at most {TOPIC_STRING_MAX} are allowed"
        raise mq_error(MQRC_OBJECT_STRING_ERROR, verb=verb, object=object_name, detail=detail)
    refuse_unencodable(given, MQRC_TOPIC_STRING_ERROR, verb)
    if not object_name:
        if not given:
            raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=verb, detail="no topic was named")
        return given
    definition = pubsub.kernel.catalog.find(TOPIC, object_name)
    if definition is None:
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=verb, object=object_name)
    return _beside(definition, given, verb)


def _beside(definition: Definition, given: str, verb: str) -> str:
    of_object = definition.text("topic_string")
    full = of_object + SEPARATOR + given if of_object and given else of_object or given
    if not full:
        detail = "the topic object has no topic string, and none was given"
        raise mq_error(MQRC_TOPIC_STRING_ERROR, verb=verb, object=definition.name, detail=detail)
    if len(full) > TOPIC_STRING_MAX:
        detail = f"{len(full)} characters with TOPICSTR, at most {TOPIC_STRING_MAX} are allowed"
        raise mq_error(MQRC_TOPIC_STRING_ERROR, verb=verb, object=definition.name, detail=detail)
    return full


def open_topic(
    pubsub: PublishSubscribe,
    connection: Connection,
    object_name: str,
    object_string: str,
    options: int,
    verb: str,
    alternate_user: str = "",
    qmgr_name: str = "",
) -> Handle | None:
    """MQOPEN of a topic for output, also as a part of MQPUT1; None: parked."""
    kernel = pubsub.kernel
    connection.begin_verb()
    if qmgr_name not in ("", kernel.name):
        detail = "a topic belongs to the queue manager of the connection"
        raise mq_error(MQRC_OBJECT_Q_MGR_NAME_ERROR, verb=verb, object=qmgr_name, detail=detail)
    _check_options(options, verb, object_name or object_string)
    refuse_if_disabled(pubsub, verb)
    if object_name and kernel.events & LOCAL_NAMES:
        if kernel.catalog.find(TOPIC, object_name) is None:
            kernel.event_sink.unknown_topic(connection, object_name)
    topic_string = full_topic_string(pubsub, object_name, object_string, verb)
    user = acting_user(kernel, connection, options, alternate_user, verb)
    check_publish(pubsub, connection, user, topic_string, options, verb)
    return _opened(pubsub, connection, topic_string, object_name, options, verb, [])


def open_alias(
    pubsub: PublishSubscribe,
    connection: Connection,
    alias: Definition,
    options: int,
    verb: str,
    alternate_user: str,
    publishers: list[str] | None = None,
) -> Handle | None:
    """The same of an alias queue with TARGTYPE(TOPIC), whose connection has begun the verb."""
    kernel = pubsub.kernel
    user: str | None = None
    if publishers is None:
        user = acting_user(kernel, connection, options, alternate_user, verb)
        publishers = []
    if user is not None:
        check_open(kernel, connection, user, alias, options, verb)
    _check_options(options, verb, alias.name)
    refuse_if_disabled(pubsub, verb)
    target = kernel.catalog.find(TOPIC, alias.text("target"))
    if target is None:
        detail = f"TARGET({alias.text('target')}) is not a topic object"
        unknown = mq_error(MQRC_UNKNOWN_ALIAS_BASE_Q, verb=verb, object=alias.name, detail=detail)
        if kernel.events & LOCAL_NAMES:
            kernel.event_sink.refused(connection, unknown, alias.name, "")
        raise unknown
    topic_string = _beside(target, "", verb)
    check_publish(pubsub, connection, user, topic_string, options, verb)
    for one in publishers:
        check_publish(pubsub, connection, one, topic_string, mq.MQOO_OUTPUT, verb)
    return _opened(pubsub, connection, topic_string, target.name, options, verb, [alias])


def _check_options(options: int, verb: str, name: str) -> None:
    if options & _NOT_FOR_TOPICS:
        shown = name[: mq.MQ_OBJECT_NAME_LENGTH]
        detail = f"options 0x{options & _NOT_FOR_TOPICS:08X}: a topic can be opened for output only"
        raise mq_error(MQRC_OPTION_NOT_VALID_FOR_TYPE, verb=verb, object=shown, detail=detail)


def _opened(
    pubsub: PublishSubscribe,
    connection: Connection,
    topic_string: str,
    object_name: str,
    options: int,
    verb: str,
    via: list[Definition],
) -> Handle:
    kernel = pubsub.kernel
    handle = new_handle(kernel, connection, options)
    levels = topic_string.split(SEPARATOR)
    node = pubsub.tree.ensure_levels(levels)
    topic = TopicInUse(node, topic_string, object_name)
    topic.levels = levels  # for the plan, which is mostly made next
    try:
        topic.is_multicast = publishes_by_multicast(
            kernel,
            connection,
            attributes_of(pubsub.tree, topic),
            topic_string,
            options,
            verb,
            bool(via),
        )
    except MQError:
        connection.handles.pop(handle.handle_id)
        raise
    node.publishers += 1
    handle.topic = topic
    handle.object_type = mq.MQOT_TOPIC
    handle.via = via
    if via:  # a topic object may be deleted while handles are open by its name
        handle.definition = via[0]
    handle.resolved_name = object_name
    handle.is_put1 = verb == "MQPUT1"
    if kernel.measured:
        was_opened(kernel, handle)
    return handle


def close_topic(pubsub: PublishSubscribe, handle: Handle, options: int) -> bool:
    """MQCLOSE of a topic."""
    topic = handle.topic
    if options & ~mq.MQCO_QUIESCE:
        raise mq_error(MQRC_OPTION_NOT_VALID_FOR_TYPE, verb="MQCLOSE", object=handle.resolved_name)
    if isinstance(topic, TopicInUse):
        topic.node.publishers -= 1
        topic.node.used_ns = pubsub.kernel.clock.monotonic_ns()
    handle.topic = None  # a put on a closed handle finds no queue either
    return True
