"""The attributes that hold for a topic: those of the closest topic object at or above it.

An object that says ASPARENT, or has a blank name of a model queue, leaves the answer to the next
one upwards. What nobody says has the delivered value of SYSTEM.BASE.TOPIC, also when that was
deleted. The branch $SYS/MQ looks no higher than itself. Kept at the node of the object until one
changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.kernel.objects import custom_cap
from ternmq.pubsub.topic_tree import BASE_TOPIC

if TYPE_CHECKING:
    from ternmq.pubsub.publish_subscribe import TopicInUse
    from ternmq.pubsub.topic_tree import TopicNode, TopicTree
    from ternmq.store.catalog import Definition

# PUB(DISABLED) and SUB(DISABLED) of SYSTEM.BASE.TOPIC do not stop it, as in IBM MQ.
_ALWAYS_ENABLED: Final = "SYSTEM.BROKER.ADMIN.STREAM"


@final
class TopicAttributes:
    """Resolved attributes; never ASPARENT. At first, the delivered ones of SYSTEM.BASE.TOPIC."""

    def __init__(self, version: i64) -> None:
        self.version: i64 = version  # of the tree
        self.names: list[str] = []  # the objects that were asked, the closest first
        self.publish = True  # PUB(ENABLED)
        self.subscribe = True  # SUB(ENABLED)
        self.durable_allowed = True  # DURSUB(YES)
        self.default_persistence: i64 = mq.MQPER_NOT_PERSISTENT
        self.default_priority: i64 = 0
        self.default_response: i64 = mq.MQPRT_SYNC_RESPONSE
        self.persistent_delivery: i64 = mq.MQDLV_ALL_DUR  # PMSGDLV
        self.nonpersistent_delivery: i64 = mq.MQDLV_ALL_AVAIL  # NPMSGDLV
        self.use_dead_letter = True  # USEDLQ(YES)
        self.durable_model = "SYSTEM.DURABLE.MODEL.QUEUE"
        self.nondurable_model = "SYSTEM.NDURABLE.MODEL.QUEUE"
        self.cap_expiry: i64 = -1  # CAPEXPRY in tenths of a second; -1: no limit
        self.multicast: i64 = mq.MQMC_DISABLED
        self.communication = "SYSTEM.DEFAULT.COMMINFO.MULTICAST"
        self.publish_scope: i64 = mq.MQSCOPE_ALL
        self.subscribe_scope: i64 = mq.MQSCOPE_ALL
        # How many levels the lowest node with WILDCARD(BLOCK) on the way stands below the root: a
        # pattern with a wildcard above it does not match. For `MatchIndex.match`.
        self.block_level: i64 = 0


def attributes_of(tree: TopicTree, topic: TopicInUse) -> TopicAttributes:
    """Of an open topic; what every publication asks."""
    found = topic.attributes
    if found is None or found.version != tree.version:
        found = attributes_at_node(tree, topic.node)
        topic.attributes = found
    return found


def attributes_at(tree: TopicTree, topic_string: str) -> TopicAttributes:
    """Of a topic string, whether it has a node or not."""
    return attributes_at_node(tree, tree.nearest(topic_string))


def attributes_at_node(tree: TopicTree, node: TopicNode) -> TopicAttributes:
    """Of a topic that has a node."""
    node = governing(tree, node)
    found = node.attributes
    if found is None or found.version != tree.version:
        found = _resolve(tree, node)
        node.attributes = found
    return found


def governing(tree: TopicTree, node: TopicNode) -> TopicNode:
    """The closest node upwards that has an object, else the top of its tree."""
    while node.definition is None and node is not tree.system and node.parent is not None:
        node = node.parent
    return node


def _resolve(tree: TopicTree, node: TopicNode) -> TopicAttributes:
    found = TopicAttributes(tree.version)
    chain: list[Definition] = []
    place: TopicNode | None = node
    while place is not None:
        definition = place.definition
        if definition is not None:
            chain.append(definition)
            found.names.append(definition.name)
            if not found.block_level and definition.number("wildcard") == mq.MQTA_BLOCK:
                found.block_level = place.depth()
        if place is tree.system:
            found.block_level = max(found.block_level, place.depth())
            break
        place = place.parent
    _resolve_switches(found, chain)
    _resolve_delivery(found, chain)
    _resolve_names(found, chain)
    return found


def _number(chain: list[Definition], name: str, as_parent: int, delivered: i64) -> i64:
    for definition in chain:
        value = definition.number(name)
        if value != as_parent:
            return value
    return delivered


def _text(chain: list[Definition], name: str, delivered: str) -> str:
    for definition in chain:
        value = definition.text(name)
        if value:
            return value
    return delivered


def _resolve_switches(found: TopicAttributes, chain: list[Definition]) -> None:
    asked = chain
    if _ALWAYS_ENABLED in found.names:
        asked = [one for one in chain if one.name != BASE_TOPIC]
    publish = _number(asked, "publish", mq.MQTA_PUB_AS_PARENT, mq.MQTA_PUB_ALLOWED)
    found.publish = publish == mq.MQTA_PUB_ALLOWED
    subscribe = _number(asked, "subscribe", mq.MQTA_SUB_AS_PARENT, mq.MQTA_SUB_ALLOWED)
    found.subscribe = subscribe == mq.MQTA_SUB_ALLOWED
    durable = _number(
        chain, "durable_allowed", mq.MQSUB_DURABLE_AS_PARENT, mq.MQSUB_DURABLE_ALLOWED
    )
    found.durable_allowed = durable == mq.MQSUB_DURABLE_ALLOWED
    dead = _number(chain, "use_dead_letter", mq.MQUSEDLQ_AS_PARENT, mq.MQUSEDLQ_YES)
    found.use_dead_letter = dead == mq.MQUSEDLQ_YES


def _resolve_delivery(found: TopicAttributes, chain: list[Definition]) -> None:
    found.default_persistence = _number(
        chain, "default_persistence", mq.MQPER_PERSISTENCE_AS_PARENT, found.default_persistence
    )
    found.default_priority = _number(
        chain, "default_priority", mq.MQPRI_PRIORITY_AS_PARENT, found.default_priority
    )
    found.default_response = _number(
        chain, "default_response", mq.MQPRT_RESPONSE_AS_PARENT, found.default_response
    )
    found.persistent_delivery = _number(
        chain, "persistent_delivery", mq.MQDLV_AS_PARENT, found.persistent_delivery
    )
    found.nonpersistent_delivery = _number(
        chain, "nonpersistent_delivery", mq.MQDLV_AS_PARENT, found.nonpersistent_delivery
    )
    found.multicast = _number(chain, "multicast", mq.MQMC_AS_PARENT, found.multicast)
    found.publish_scope = _number(chain, "publish_scope", mq.MQSCOPE_AS_PARENT, found.publish_scope)
    found.subscribe_scope = _number(
        chain, "subscribe_scope", mq.MQSCOPE_AS_PARENT, found.subscribe_scope
    )
    found.cap_expiry = _cap(chain)


def _cap(chain: list[Definition]) -> i64:
    """CAPEXPRY; what CUSTOM says of it comes first, as with a queue."""
    for definition in chain:
        value: i64 = custom_cap(definition.text("custom"))
        if value < 0:
            value = definition.number("cap_expiry")
        if value != mq.MQCEX_AS_PARENT:
            return value
    return -1


def _resolve_names(found: TopicAttributes, chain: list[Definition]) -> None:
    found.durable_model = _text(chain, "durable_model", found.durable_model)
    found.nondurable_model = _text(chain, "nondurable_model", found.nondurable_model)
    found.communication = _text(chain, "communication", found.communication)
