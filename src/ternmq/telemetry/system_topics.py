"""What subscriptions below $SYS/MQ set in motion: metadata is published before the first of them,
resources are counted while one may match them, calls are traced while one may match those.

Nothing is published before, so a queue manager whose system topics interest nobody has no cost.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.constants import MQCNO_ACTIVITY_TRACE_DISABLED
from ternmq.base.errors import MQError
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.pubsub.own_publications import OwnPublisher
from ternmq.pubsub.publish_subscribe import PublishSubscribe
from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.system_topics import SYSTEM_ROOT, SystemTopics

_ROOT: Final = "$SYS/MQ/INFO/QMGR/"
_WILDCARD_LEVELS: Final = ("+", "#")


def level_of(name: str) -> str:
    """A name as a level of a topic string: a "/" would begin the next level."""
    return name.replace("/", "&")


def plain_part(subscription: Subscription) -> str:
    """What stands before the first wildcard of a subscription; all of it if there is none."""
    text = subscription.topic_string
    if subscription.terms.by_character:
        for at, letter in enumerate(text):
            if letter in "*?%":
                return text[:at]
        return text
    at = 0
    for level in text.split("/"):
        if level in _WILDCARD_LEVELS:
            return text[:at]
        at += len(level) + 1
    return text


def may_reach(subscription: Subscription, root: str) -> bool:
    """Whether it may match a topic below a root."""
    plain = plain_part(subscription)
    if len(plain) == len(subscription.topic_string):
        return plain.startswith(root)
    return plain.startswith(root) or root.startswith(plain)


def activity_topics(qmgr_name: str, connection: Connection) -> list[str]:
    """Where calls of a connection are published. An application is named by what follows the last
    slash of its name."""
    root = f"{_ROOT}{level_of(qmgr_name)}/ActivityTrace"
    application = connection.application.rstrip()
    application = application[max(application.rfind("/"), application.rfind("\\")) + 1 :]
    topics = [f"{root}/ConnectionId/{connection.tag.hex().upper()}"]
    if application:
        topics.append(f"{root}/ApplName/{application}")
    if connection.channel_name:
        topics.append(f"{root}/ChannelName/{level_of(connection.channel_name)}")
    return topics


@final
class ResourceTopics(SystemTopics):
    """The system topics of one queue manager."""

    def __init__(self, kernel: Kernel, pubsub: PublishSubscribe) -> None:
        self.kernel = kernel
        self.publisher = OwnPublisher(pubsub)
        root = f"{_ROOT}{level_of(kernel.name)}"
        self._monitor = f"{root}/Monitor/"
        self._metadata = f"{root}/Monitor/METADATA/"
        self._queues = f"{root}/Monitor/STATQ/"
        self._trace = f"{root}/ActivityTrace/"
        self._left: list[tuple[str, PCFMessage]] | None = (
            None  # metadata to be published; None: not begun
        )
        for subscription in list(pubsub.by_id.values()):
            if subscription.topic_string.startswith(SYSTEM_ROOT):
                self.added(subscription)

    # ---- metadata

    def prepare(self, connection: Connection) -> bool:
        if self._left is None:
            from ternmq.telemetry.monitor.monitor_messages import metadata

            self._left = metadata(self.kernel.name)
        while self._left:
            topic_string, message = self._left[0]
            try:
                if not self.publisher.publish(topic_string, message, retain=True):
                    link = self.publisher.link
                    connection.park = link.park
                    connection.again = connection.again or link.again
                    link.park = None
                    return False
            except MQError:
                # Whoever looks for it finds nothing. A subscription must not fail by that, and
                # the next one tries again.
                self._left = None
                return True
            self._left.pop(0)
        return True

    # ---- who listens

    def added(self, subscription: Subscription) -> None:
        self._count(subscription, 1)

    def removed(self, subscription: Subscription) -> None:
        self._count(subscription, -1)

    def _count(self, subscription: Subscription, by: int) -> None:
        meter = self.kernel.meter
        wants = may_reach(subscription, self._monitor)
        if wants and not plain_part(subscription).startswith(self._metadata):
            before = meter.monitors
            meter.monitors += by
            if may_reach(subscription, self._queues):
                meter.queue_monitors += by
            if (before > 0) != (meter.monitors > 0):
                self.kernel.measure()
        if may_reach(subscription, self._trace):
            before = meter.tracers
            meter.tracers += by
            meter.trace_version += 1
            if (before > 0) != (meter.tracers > 0):
                meter.traced_since_ns = self.kernel.clock.now_ns()
                self.kernel.measure()

    def is_traced(self, connection: Connection) -> bool:
        """Whether a subscription matches the trace of a connection, which may have forbidden
        it."""
        if connection.connection_id == 0 or _forbids(self.kernel, connection):
            return False
        topics = activity_topics(self.kernel.name, connection)
        return any(self.publisher.is_wanted(one) for one in topics)


def _forbids(kernel: Kernel, connection: Connection) -> bool:
    """MQCNO_ACTIVITY_TRACE_DISABLED, where ACTVCONO lets that count."""
    if not connection.connect_options & MQCNO_ACTIVITY_TRACE_DISABLED:
        return False
    return kernel.number("activity_override") != 0
