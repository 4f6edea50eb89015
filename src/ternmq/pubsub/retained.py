"""The retained publication of a topic: which message of SYSTEM.RETAINED.PUB.QUEUE it is.

Each is a message of its own there, put in the publisher's unit of work: descriptor and data as
published, properties those of the publisher and mqps.Top, Pub and Pbl (`publication_properties`).
When the unit is committed the node switches to the new message, and the old one is removed outside
any unit; of several that a crash leaves, the one with the highest stream number counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64, mypyc_attr

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import LOCAL
from ternmq.base.reasons import MQRC_PUT_NOT_RETAINED
from ternmq.codec.mqi.mqmd import PUT_APPL_TYPE_AT, USER_ID_AT
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.pubsub.delivery_plan import Style
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import AVAILABLE, PERSISTENT, ZERO_ID, Entry

if TYPE_CHECKING:
    from ternmq.pubsub.publish_subscribe import PublishSubscribe
    from ternmq.pubsub.topic_tree import TopicNode

RETAINED_QUEUE: Final = "SYSTEM.RETAINED.PUB.QUEUE"


@final
@mypyc_attr(acyclic=True)
class RetainedPublication:
    """Which message it is, and what DISPLAY and expiry need of it."""

    __slots__ = ("expires_at_ns", "index_version", "is_persistent", "msg_id", "sequence")

    def __init__(
        self,
        msg_id: bytes,
        sequence: i64,
        is_persistent: bool,
        expires_at_ns: i64,
        index_version: i64 = 0,
    ) -> None:
        self.msg_id = msg_id
        self.sequence: i64 = sequence
        self.is_persistent = is_persistent
        self.expires_at_ns: i64 = expires_at_ns  # Unix time; 0: never
        # Which subscriptions it was sent to: those that the index had then. 0: before the start.
        self.index_version: i64 = index_version


@final
class _Pending:
    """A retained publication in a unit of work that has not ended."""

    __slots__ = ("entry", "index_version", "node")

    def __init__(self, node: TopicNode, entry: Entry, index_version: i64) -> None:
        self.node = node
        self.entry = entry
        self.index_version: i64 = index_version


@final
class Retained:
    """What the topics retain, and what waits for the end of units of work."""

    def __init__(self, pubsub: PublishSubscribe) -> None:
        self._pubsub = pubsub
        self._pending: dict[int, list[_Pending]] = {}

    def refused(self, refusal: MQError) -> MQError:
        """The reason of a publication that cannot be retained: nobody gets it."""
        detail = f"{RETAINED_QUEUE} does not take it: {refusal}"
        return mq_error(MQRC_PUT_NOT_RETAINED, verb="MQPUT", object=RETAINED_QUEUE, detail=detail)

    def was_put(
        self, node: TopicNode, entry: Entry, unit: UnitOfWork | None, index_version: i64 = 0
    ) -> i64:
        """A publication to be retained was put on its queue; what must be forced with it."""
        if unit is None:
            return self._switch(node, entry, index_version)
        number = int(unit.unit_id)
        pending = self._pending.get(number)
        if pending is None:
            pending = []
            self._pending[number] = pending
        pending.append(_Pending(node, entry, index_version))
        self._pubsub.in_units = True
        return 0

    def unit_ended(self, number: int, is_committed: bool) -> i64:
        """Switch to what the unit has retained; what must be forced with it."""
        pending = self._pending.pop(number, None)
        if not self._pending:
            self._pubsub.in_units = False
        durable_at: i64 = 0
        if pending is None or not is_committed:
            return durable_at
        for one in pending:
            if one.entry.state == AVAILABLE:  # else this publication was undone alone
                switched_at = self._switch(one.node, one.entry, one.index_version)
                durable_at = max(durable_at, switched_at)
        return durable_at

    def _switch(self, node: TopicNode, entry: Entry, index_version: i64) -> i64:
        """What must be forced with it: a persistent one would come back after a crash if nothing
        that is there then says that it is outdated."""
        old = node.retained
        persistent = entry.flags & PERSISTENT != 0
        node.retained = RetainedPublication(
            entry.msg_id, entry.sequence, persistent, entry.expiry_at, index_version
        )
        if old is None:
            return 0
        from ternmq.pubsub.retained_store import remove_retained

        removed_at = remove_retained(self._pubsub, old.msg_id)
        return 0 if persistent else removed_at

    def current(self, node: TopicNode) -> RetainedPublication | None:
        """What a topic retains now: one that has expired counts no more."""
        found = node.retained
        if found is not None and found.expires_at_ns:
            if found.expires_at_ns <= self._pubsub.kernel.clock.now_ns():
                node.retained = None
                return None
        return found


def retained_queue(pubsub: PublishSubscribe, connection: Connection) -> LocalQueue | None:
    """The queue for a put; None: it must be loaded first, and the verb is parked."""
    kernel: Kernel = pubsub.kernel
    definition = kernel.catalog.definitions.get(RETAINED_QUEUE)
    if definition is None or definition.object_type != LOCAL:
        detail = "it is not a local queue of this queue manager; define it"
        raise mq_error(MQRC_PUT_NOT_RETAINED, verb="MQPUT", object=RETAINED_QUEUE, detail=detail)
    try:
        return kernel.local_queue(connection, definition)
    except MQError as unfit:
        raise pubsub.retained.refused(unfit) from unfit


def retained_entry(
    pubsub: PublishSubscribe,
    topic_string: str,
    published: Entry,
    area: bytes,
    level: i64,
    has_replies: bool,
) -> Entry:
    """The message on the queue, with the publisher's identity; `area` has the publisher's
    properties that are published."""
    identity = published.base[USER_ID_AT:PUT_APPL_TYPE_AT]
    style = Style(identity, -1, mq.MQPSPROP_MSGPROP, "")
    style.make_base(published.base, published.priority, pubsub.origin, has_replies)
    style.make_area(area, topic_string, mq.MQPUBO_RETAIN_PUBLICATION, level)
    return Entry(
        0,
        published.priority,
        published.flags & PERSISTENT,
        published.put_ns,
        published.expiry_at,
        pubsub.kernel.new_id(),
        published.correl_id,
        ZERO_ID,
        style.base,
        published.data,
        published.length,
        style.area,
    )
