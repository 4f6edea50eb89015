"""Retained publications on SYSTEM.RETAINED.PUB.QUEUE at a start: which of a topic's messages is the
one, and removing the others.

A publication that takes the place of another one is put first, in the publisher's unit of work, and
the other one is removed when that has ended: a crash may leave both. The later one counts. Those
that are not persistent do not outlive the queue manager, however it ended.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, final

from ternmq.base.constants import MQ_TOPIC_STR_LENGTH
from ternmq.base.errors import IntegrityError, MQError
from ternmq.base.object_types import LOCAL
from ternmq.codec.property_area import find_value
from ternmq.kernel.connection import Connection
from ternmq.pubsub.own_messages import Reader, find_message, is_parked, take_message
from ternmq.pubsub.retained import RETAINED_QUEUE, RetainedPublication
from ternmq.txn.unit import CHANGE_PUT
from ternmq.values.entry import PERSISTENT, Entry

if TYPE_CHECKING:
    from ternmq.pubsub.publish_subscribe import PublishSubscribe

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


def remove_retained(pubsub: PublishSubscribe, msg_id: bytes) -> None:
    """A publication is not the retained one any more. Nobody waits for its removal: if it is not in
    memory, or the log has no room, a tick does it, or the next start finds that it is outdated."""
    if not _remove(pubsub, msg_id, Connection(0, bytes(24), "", pubsub.kernel.name)):
        pubsub.retained_waste.append(msg_id)


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
    take_message(kernel, None, local.queue, entry)
    return True
