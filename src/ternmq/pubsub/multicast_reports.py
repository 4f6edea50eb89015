"""What clients report of their multicast handles: kept for DISPLAY TPSTATUS, and an event message
if COMMEV of the COMMINFO object wants one."""

from __future__ import annotations

from typing import Final

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_MCAST_PUB_STATUS, MQRC_MCAST_SUB_STATUS
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.pubsub.multicast import communication_of
from ternmq.pubsub.publish_subscribe import SubscriptionInUse, TopicInUse, pubsub_of
from ternmq.pubsub.topic_attributes import attributes_at
from ternmq.pubsub.wildcards import literal_prefix
from ternmq.values.multicast_figures import NO_FIGURES, MulticastFigures

RELIABILITY_MIN: Final = 90  # below it COMMEV(EXCEPTION) wants an event
_ENABLED: Final = 1
_EXCEPTION: Final = 2


def report_figures(
    kernel: Kernel, connection: Connection, handle: Handle, figures: MulticastFigures, verb: str
) -> None:
    """A report of one handle; one that is not used by multicast is ignored."""
    in_use, topic = handle.subscription, handle.topic
    now_ns = kernel.clock.now_ns()
    if isinstance(in_use, SubscriptionInUse) and in_use.subscription.is_multicast:
        one = in_use.subscription
        now = figures.reliability(in_use.figures)
        in_use.reliability = f"{now}, {figures.reliability(NO_FIGURES)}"
        in_use.figures = figures
        one.messages = figures.messages
        one.last_ns = now_ns
        prefix = literal_prefix(one.topic_string, one.terms.by_character)
        reason = MQRC_MCAST_SUB_STATUS
        _report(kernel, connection, reason, one.topic_string, prefix, figures, now, verb)
    elif isinstance(topic, TopicInUse) and topic.is_multicast:
        now = figures.reliability(topic.figures)
        topic.reliability = f"{now}, {figures.reliability(NO_FIGURES)}"
        topic.figures = figures
        topic.published = figures.messages
        topic.last_ns = now_ns
        string = topic.topic_string
        _report(kernel, connection, MQRC_MCAST_PUB_STATUS, string, string, figures, now, verb)


def _report(
    kernel: Kernel,
    connection: Connection,
    reason: int,
    topic_string: str,
    prefix: str,
    figures: MulticastFigures,
    reliability: int,
    verb: str,
) -> None:
    attributes = attributes_at(pubsub_of(kernel).tree, prefix)
    try:
        wanted = communication_of(kernel, attributes, verb).number("communication_event")
    except MQError:
        return  # it was deleted meanwhile
    is_exception = wanted == _EXCEPTION and reliability < RELIABILITY_MIN
    if wanted == _ENABLED or is_exception:
        name = attributes.communication
        kernel.event_sink.multicast_status(
            connection, reason, topic_string, name, figures, reliability
        )
