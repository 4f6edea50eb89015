"""Retained publications on SYSTEM.RETAINED.PUB.QUEUE at a start: which of a topic's messages is the
one, and removing the others.

A publication that takes the place of another one is put first, in the publisher's unit of work, and
the other one is removed when that has ended: a crash may leave both. The later one counts. Those
that are not persistent do not outlive the queue manager, however it ended.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base.constants import MQ_TOPIC_STR_LENGTH
from ternmq.base.errors import IntegrityError, MQError, mq_error
from ternmq.base.object_types import LOCAL
from ternmq.base.reasons import MQRC_RETAINED_MSG_Q_ERROR
from ternmq.codec.property_area import find_value
from ternmq.kernel.connection import Connection
from ternmq.pubsub.own_messages import Reader, find_message, is_parked, take_message
from ternmq.pubsub.retained import RETAINED_QUEUE, RetainedPublication
from ternmq.txn.unit import CHANGE_PUT
from ternmq.values.entry import PERSISTENT, Entry

if TYPE_CHECKING:
    from ternmq.pubsub.publish_subscribe import PublishSubscribe
    from ternmq.pubsub.topic_tree import TopicNode

REMOVED_A_TICK: Final = 128  # fewer than copies that a queue keeps for those who wait
NOT_RETAINED: Final = "AMQ7592W"
_TOPIC_STRING: Final = b"mqps.Top"


def topic_of(entry: Entry) -> str | None:
    """The topic that a message of the queue is the retained publication of; None: it is not one."""
    if not entry.properties:
        return None
    try:
        value = find_value(entry.properties, _TOPIC_STRING)
    except (IntegrityError, ValueError, IndexError, struct.error):
        return None
    return value if isinstance(value, str) else None


@final
class RetainedReading(Reader):
    """Retained publications that the queue has."""

    def __init__(self, pubsub: PublishSubscribe) -> None:
        self._pubsub = pubsub
        self._found: dict[str, RetainedPublication] = {}

    def take(self, entry: Entry) -> None:
        topic_string = topic_of(entry)
        if topic_string is None or len(topic_string) > MQ_TOPIC_STR_LENGTH:
            inserts = (RETAINED_QUEUE, entry.msg_id.hex())
            self._pubsub.kernel.notices.add(NOT_RETAINED, inserts)
            return
        if not entry.flags & PERSISTENT:
            self._pubsub.retained_waste.append(entry.msg_id)
            return
        before = self._found.get(topic_string)
        if before is not None and before.sequence > entry.sequence:
            self._pubsub.retained_waste.append(entry.msg_id)
            return
        if before is not None:
            self._pubsub.retained_waste.append(before.msg_id)
        self._found[topic_string] = RetainedPublication(
            entry.msg_id, entry.sequence, True, entry.expiry_at
        )

    def finish(self) -> None:
        """All were read: their nodes have them."""
        for topic_string, one in self._found.items():
            node = self._pubsub.tree.ensure(topic_string)
            if node.retained is None:  # else one came while the queue could not be read
                node.retained = one
            elif node.retained.msg_id != one.msg_id:
                self._pubsub.retained_waste.append(one.msg_id)
        self._expect_prepared()

    def _expect_prepared(self) -> None:
        """Those of units in doubt count when they are committed."""
        pubsub = self._pubsub
        for unit in pubsub.kernel.coordinator.prepared.values():
            for change in unit.changes:
                if change.kind == CHANGE_PUT and change.queue.name == RETAINED_QUEUE:
                    topic_string = topic_of(change.entry)
                    if topic_string is not None:
                        node = pubsub.tree.ensure(topic_string)
                        pubsub.retained.was_put(node, change.entry, unit)


def remove_retained(pubsub: PublishSubscribe, msg_id: bytes) -> i64:
    """A publication is not the retained one any more; what must be forced so that a crash does not
    bring it back. Nobody waits for its removal: if it is not in memory, or the log has no room, a
    tick does it, or the next start finds that it is outdated."""
    connection = Connection(0, bytes(24), "", pubsub.kernel.name)
    if not _remove(pubsub, msg_id, connection):
        pubsub.retained_waste.append(msg_id)
    return connection.durable_at


def clear_retained(
    pubsub: PublishSubscribe, connection: Connection, node: TopicNode, verb: str
) -> bool:
    """A topic retains nothing any more, also after a crash: what is outdated goes first, or a start
    would take it for what is retained. False: parked, or `again` is set."""
    found = node.retained
    if found is None:
        return True
    if not pubsub.kernel.can_log_object(connection, verb, RETAINED_QUEUE):
        return False
    waste = pubsub.retained_waste
    left = REMOVED_A_TICK
    while waste and left:
        if not _remove(pubsub, waste[0], connection):
            return _goes_on(pubsub, connection, verb)
        waste.pop(0)
        left -= 1
    if waste or not _remove(pubsub, found.msg_id, connection):
        return _goes_on(pubsub, connection, verb)
    node.retained = None
    return True


def _goes_on(pubsub: PublishSubscribe, connection: Connection, verb: str) -> bool:
    """False: in another step. MQRC_RETAINED_MSG_Q_ERROR if none will do."""
    if not is_parked(connection):
        catalog = pubsub.kernel.catalog
        queue = catalog.queues.get(catalog.definitions[RETAINED_QUEUE].object_id)
        if queue is None or queue.damaged:
            detail = "it cannot be read" if queue is None else queue.damaged
            raise mq_error(
                MQRC_RETAINED_MSG_Q_ERROR, verb=verb, object=RETAINED_QUEUE, detail=detail
            )
        connection.again = True
    return False


def remove_waste(pubsub: PublishSubscribe) -> None:
    """Time has passed: remove a bounded number of those that were left. What has to be read first
    goes at the next tick."""
    connection = Connection(0, bytes(24), "", pubsub.kernel.name)
    tried = pubsub.retained_waste[:REMOVED_A_TICK]
    left = [one for one in tried if not _remove(pubsub, one, connection)]
    pubsub.retained_waste = left + pubsub.retained_waste[len(tried) :]


def _remove(pubsub: PublishSubscribe, msg_id: bytes, connection: Connection) -> bool:
    """False: not now."""
    kernel = pubsub.kernel
    definition = kernel.catalog.definitions.get(RETAINED_QUEUE)
    if definition is None or definition.object_type != LOCAL:
        return True
    try:
        local = kernel.local_queue(connection, definition)
    except MQError:
        return False
    if local is None or local.queue.damaged or not kernel.coordinator.has_room(None, 0):
        return False
    entry = find_message(kernel, connection, local.queue, msg_id)
    if entry is None:
        return not is_parked(connection)
    connection.depends_on(take_message(kernel, None, local.queue, entry))
    return True
