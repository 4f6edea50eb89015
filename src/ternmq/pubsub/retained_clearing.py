"""CLEAR TOPICSTR: the retained publication of a topic goes for good. Unlike the removal of one that
another has replaced, it is in the log before the command is answered: no restart brings it back."""

from __future__ import annotations

from ternmq.base.object_types import LOCAL
from ternmq.kernel.connection import Connection
from ternmq.pubsub.own_messages import find_message, is_parked, take_message
from ternmq.pubsub.publish_subscribe import PublishSubscribe
from ternmq.pubsub.retained import RETAINED_QUEUE
from ternmq.pubsub.retained_store import remove_waste
from ternmq.pubsub.topic_tree import TopicNode


def clear_retained(pubsub: PublishSubscribe, connection: Connection, node: TopicNode) -> bool:
    """False: parked, and nothing has changed."""
    kernel = pubsub.kernel
    retained = pubsub.retained.current(node)
    if retained is None:
        return True
    definition = kernel.catalog.definitions.get(RETAINED_QUEUE)
    if definition is not None and definition.object_type == LOCAL:
        local = kernel.local_queue(connection, definition)
        if local is None or not kernel.can_log_object(connection, "CLEAR", RETAINED_QUEUE):
            return False
        remove_waste(pubsub)  # an older one of this topic must not take its place at a restart
        entry = find_message(kernel, connection, local.queue, retained.msg_id)
        if is_parked(connection):
            return False
        if entry is not None:
            connection.depends_on(take_message(kernel, None, local.queue, entry))
    connection.depends_on(kernel.coordinator.log.end_lsn)
    node.retained = None
    return True
