"""Streams: queues that publications are put to, and what they are in the topic tree.

The namelist SYSTEM.QPUBSUB.QUEUE.NAMELIST has their names. A stream has a topic object of its name,
whose topic string stands before its topics. The default stream has none before them: its topics are
those of the whole tree. Subscription points of MQRFH2 commands work alike: the topic string of an
object in SYSTEM.QPUBSUB.SUBPOINT.NAMELIST is the name of the point, and stands before the topics.
"""

from __future__ import annotations

from typing import Final

from ternmq.base.object_types import NAMELIST, TOPIC
from ternmq.kernel.kernel import Kernel
from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.topic_tree import SEPARATOR

CONTROL_QUEUE: Final = "SYSTEM.BROKER.CONTROL.QUEUE"
DEFAULT_STREAM: Final = "SYSTEM.BROKER.DEFAULT.STREAM"
STREAM_NAMES: Final = "SYSTEM.QPUBSUB.QUEUE.NAMELIST"
POINT_NAMES: Final = "SYSTEM.QPUBSUB.SUBPOINT.NAMELIST"
DEFAULT_POINT: Final = "SYSTEM.BROKER.DEFAULT.SUBPOINT"


def listed_names(kernel: Kernel, namelist: str) -> list[str]:
    """The names in a namelist; none if it is not there."""
    definition = kernel.catalog.find(NAMELIST, namelist)
    if definition is None:
        return []
    return [name for name in definition.text("names").split(",") if name]


def stream_names(kernel: Kernel) -> list[str]:
    """The streams; the default stream is always one."""
    names = listed_names(kernel, STREAM_NAMES)
    return names if DEFAULT_STREAM in names else [DEFAULT_STREAM, *names]


def stream_prefix(kernel: Kernel, stream: str) -> str | None:
    """What stands before the topics of a stream; None if there is no such stream."""
    if stream in ("", DEFAULT_STREAM):
        return ""
    definition = kernel.catalog.find(TOPIC, stream)
    if definition is None or stream not in listed_names(kernel, STREAM_NAMES):
        return None
    return definition.text("topic_string")


def point_prefix(kernel: Kernel, point: str) -> str | None:
    """What stands before the topics of a subscription point; None if there is no such point."""
    if point in ("", DEFAULT_POINT):
        return ""
    for name in listed_names(kernel, POINT_NAMES):
        definition = kernel.catalog.find(TOPIC, name)
        if definition is not None and definition.text("topic_string") == point:
            return point
    return None


def prefixed(prefix: str, topic: str) -> str:
    """A topic of a stream or point, in full."""
    return f"{prefix}{SEPARATOR}{topic}" if prefix else topic


def shown_topic(kernel: Kernel, subscription: Subscription, topic_string: str) -> str:
    """The topic as a publication's header names it: on a stream, without what stands before."""
    stream = subscription.terms.topic_object
    if not stream or not subscription.terms.registration:
        return topic_string
    prefix = stream_prefix(kernel, stream)
    if prefix and topic_string.startswith(prefix + SEPARATOR):
        return topic_string[len(prefix) + 1 :]
    return topic_string
