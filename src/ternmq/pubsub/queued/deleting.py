"""DeletePub: retained publications go, of one topic or of all that match a pattern.

The part of the tree where a pattern may match is walked in bounded steps.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.kernel.connection import Connection
from ternmq.pubsub.match_index import NO_WILDCARD, MatchIndex, literal_prefix, wildcard_level
from ternmq.pubsub.publish_subscribe import PublishSubscribe
from ternmq.pubsub.queued.command import QueuedCommand
from ternmq.pubsub.queued.work import Work
from ternmq.pubsub.retained_store import clear_retained
from ternmq.pubsub.subscription import Subscription, SubscriptionTerms
from ternmq.pubsub.subscription_rules import check_pattern
from ternmq.pubsub.topic_attributes import attributes_at_node
from ternmq.pubsub.topic_authority import check_publish
from ternmq.pubsub.topic_tree import TopicNode
from ternmq.values.entry import ZERO_ID

STEP_NODES: Final = 4096
_VERB: Final = "MQPUT1"


@final
class Deleting(Work):
    """DeletePub."""

    def __init__(
        self, pubsub: PublishSubscribe, connection: Connection, command: QueuedCommand
    ) -> None:
        super().__init__(pubsub, connection, command)
        self._matcher: MatchIndex | None = None  # of the pattern under way
        self._stack: list[TopicNode] = []

    def attempt(self, topic: str) -> bool:
        pubsub = self.pubsub
        command = self.command
        topic_string = command.full(topic)
        by_character = command.is_version_1
        if self._matcher is not None:
            return self._walk(self._matcher)
        check_pattern(topic_string, by_character)
        literal = literal_prefix(topic_string, by_character)
        user = None if self.connection.privileged else command.user
        check_publish(pubsub, self.connection, user, literal, mq.MQOO_OUTPUT, _VERB)
        node = pubsub.tree.find(literal)
        if node is None:
            return True
        if wildcard_level(topic_string, by_character) == NO_WILDCARD:
            return clear_retained(pubsub, self.connection, node, _VERB)
        self._stack = [node]
        self._matcher = MatchIndex()
        terms = SubscriptionTerms(by_character=by_character)
        self._matcher.add(Subscription(ZERO_ID, "", topic_string, terms))
        return self._walk(self._matcher)

    def _walk(self, matcher: MatchIndex) -> bool:
        """Some nodes; False: there are more."""
        stack = self._stack
        left: i64 = STEP_NODES
        while stack and left > 0:
            left -= 1
            node = stack[-1]
            if node.retained is not None and self._matches(matcher, node):
                if not clear_retained(self.pubsub, self.connection, node, _VERB):
                    return False
            stack.pop()
            if node.children is not None:
                stack.extend(node.children.values())
        if stack:
            self.connection.again = True
            return False
        self._matcher = None
        return True

    def _matches(self, matcher: MatchIndex, node: TopicNode) -> bool:
        """As a subscription would: WILDCARD(BLOCK) holds, and so does the border of $SYS/MQ, where
        authority that is given above does not count."""
        attributes = attributes_at_node(self.pubsub.tree, node)
        return len(matcher.match(node.topic_string(), attributes.block_level)) > 0
