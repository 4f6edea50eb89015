"""Commands about subscriptions and topic strings need authority in the tree of topics, as MQSUB
does: on the closest topic object at or above the topic, or on one further up."""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.base.object_types import SUB, TOPIC
from ternmq.kernel.kernel import Kernel
from ternmq.pubsub.publish_subscribe import PublishSubscribe, pubsub_of
from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.subscription_definition import topic_string_of
from ternmq.pubsub.topic_authority import topics_lacking
from ternmq.pubsub.topic_tree import BASE_TOPIC, SEPARATOR
from ternmq.pubsub.wildcards import literal_prefix
from ternmq.values.command import Command


def topics_refused(kernel: Kernel, command: Command, user: str, wanted: int) -> list[str]:
    """The closest topic object of each topic that a command is about and that the user lacks the
    authority for."""
    pubsub = pubsub_of(kernel)
    refused: list[str] = []
    for topic_string in _topics_of(pubsub, command):
        refused.extend(topics_lacking(pubsub, user, topic_string, wanted)[:1])
    return refused


def _topics_of(pubsub: PublishSubscribe, command: Command) -> list[str]:
    """The topics, of patterns what stands before the first wildcard; the root if there is none that
    is known."""
    if command.noun == "TOPICSTR":
        return [command.name]
    found: list[str] = []
    for name in (command.name, command.given.get("LIKE", "")):
        there = _existing(pubsub, name, command.given.get("SUBID", ""))
        if there is not None:
            found.append(literal_prefix(there.topic_string, there.terms.by_character))
        elif name:
            definition = pubsub.kernel.catalog.find(SUB, name)
            if definition is not None:
                by_character = definition.number("wildcard_schema") == mq.MQWS_CHAR
                text = topic_string_of(pubsub.kernel, definition)
                found.append(literal_prefix(text, by_character))
    if "TOPICSTR" in command.given or "TOPICOBJ" in command.given:
        found.append(_given(pubsub, command))
    return found or [""]


def _existing(pubsub: PublishSubscribe, name: str, sub_id: str) -> Subscription | None:
    if name:
        return pubsub.by_name.get(name)
    try:
        return pubsub.by_id.get(bytes.fromhex(sub_id)) if sub_id else None
    except ValueError:
        return None


def _given(pubsub: PublishSubscribe, command: Command) -> str:
    text = command.given.get("TOPICSTR", "")
    definition = pubsub.kernel.catalog.find(TOPIC, command.given.get("TOPICOBJ", BASE_TOPIC))
    of_object = "" if definition is None else definition.text("topic_string")
    full = of_object + SEPARATOR + text if of_object and text else of_object or text
    return literal_prefix(full, command.given.get("WSCHEMA", "") == "CHAR")
