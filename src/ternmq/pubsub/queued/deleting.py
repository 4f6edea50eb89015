"""DeletePub: retained publications go, of one topic or of all that match a pattern.

The part of the tree where a pattern may match is walked in bounded steps.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.kernel.connection import Connection
from ternmq.pubsub.pattern_walk import PatternWalk
from ternmq.pubsub.publish_subscribe import PublishSubscribe
from ternmq.pubsub.queued.command import QueuedCommand
from ternmq.pubsub.queued.work import Work
from ternmq.pubsub.retained_store import clear_retained
from ternmq.pubsub.subscription_rules import check_pattern
from ternmq.pubsub.topic_attributes import attributes_at_node
from ternmq.pubsub.topic_authority import check_publish
from ternmq.pubsub.topic_tree import TopicNode
from ternmq.pubsub.wildcards import NO_WILDCARD, literal_prefix, wildcard_level

STEP_NODES: Final = 4096
_COST: Final = 64  # of a publication that goes, in nodes
_VERB: Final = "MQPUT1"


@final
class Deleting(Work):
    """DeletePub."""

    def __init__(
        self, pubsub: PublishSubscribe, connection: Connection, command: QueuedCommand
    ) -> None:
        super().__init__(pubsub, connection, command)
        self._walk: PatternWalk | None = None  # of the pattern under way
        self._node: TopicNode | None = None  # that matches, and is not done

    def attempt(self, topic: str) -> bool:
        pubsub = self.pubsub
        command = self.command
        topic_string = command.full(topic)
        by_character = command.is_version_1
        if self._walk is not None:
            return self._go_on(self._walk)
        check_pattern(topic_string, by_character)
        literal = literal_prefix(topic_string, by_character)
        user = None if self.connection.privileged else command.user
        check_publish(pubsub, self.connection, user, literal, mq.MQOO_OUTPUT, _VERB)
        node = pubsub.tree.find(literal)
        if node is None:
            return True
        if wildcard_level(topic_string, by_character) == NO_WILDCARD:
            return clear_retained(pubsub, self.connection, node, _VERB)
        self._walk = PatternWalk(pubsub.tree, topic_string, by_character)
        return self._go_on(self._walk)

    def _go_on(self, walk: PatternWalk) -> bool:
        """Some nodes; False: there are more."""
        left: i64 = STEP_NODES
        while left > 0 and (self._node is not None or not walk.is_done()):
            left -= 1
            node = walk.look() if self._node is None else self._node
            self._node = None
            if node is not None and node.retained is not None and self._matches(walk, node):
                self._node = node  # unless it is done
                if not clear_retained(self.pubsub, self.connection, node, _VERB):
                    return False
                self._node = None
                left -= _COST
        if not walk.is_done():
            self.connection.again = True
            return False
        self._walk = None
        return True

    def _matches(self, walk: PatternWalk, node: TopicNode) -> bool:
        """As a subscription would: WILDCARD(BLOCK) holds, and so does the border of $SYS/MQ, where
        authority that is given above does not count."""
        return walk.wildcard_level >= attributes_at_node(self.pubsub.tree, node).block_level
