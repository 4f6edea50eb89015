"""The topic tree: a node for each topic string that is or was used, and for those on the way to it.

A string is cut at each "/"; an empty level counts, so "a", "/a" and "a/" are three topics. The root
stands for the empty string, where SYSTEM.BASE.TOPIC sits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64, mypyc_attr

if TYPE_CHECKING:
    from ternmq.pubsub.retained import RetainedPublication
    from ternmq.pubsub.topic_attributes import TopicAttributes
    from ternmq.store.catalog import Definition

SEPARATOR: Final = "/"
BASE_TOPIC: Final = "SYSTEM.BASE.TOPIC"
SYSTEM_TOPICS: Final = "$SYS/MQ"  # a tree of its own: it inherits nothing, and blocks wildcards


@final
@mypyc_attr(acyclic=True)  # there may be millions; `TopicTree.end` undoes their cycles
class TopicNode:
    """One topic string."""

    __slots__ = (
        "attributes",
        "children",
        "definition",
        "level",
        "parent",
        "publishers",
        "retained",
        "subscribers",
        "used_ns",
    )

    def __init__(self, parent: TopicNode | None, level: str) -> None:
        self.parent = parent
        self.level = level
        self.children: dict[str, TopicNode] | None = None
        self.definition: Definition | None = None  # the topic object that sits here
        self.attributes: TopicAttributes | None = None  # of an object's node; `topic_attributes`
        self.retained: RetainedPublication | None = None
        self.publishers: i64 = 0  # handles open for output
        self.subscribers: i64 = 0  # subscriptions with this string, wildcards as characters
        self.used_ns: i64 = 0  # monotonic, for TREELIFE

    def topic_string(self) -> str:
        """In full."""
        levels: list[str] = []
        node: TopicNode | None = self
        while node is not None and node.parent is not None:
            levels.append(node.level)
            node = node.parent
        levels.reverse()
        return SEPARATOR.join(levels)

    def depth(self) -> i64:
        """How many levels it is below the root."""
        depth: i64 = 0
        node = self.parent
        while node is not None:
            depth += 1
            node = node.parent
        return depth


@final
class TopicTree:
    """All nodes of a queue manager."""

    def __init__(self) -> None:
        self.root = TopicNode(None, "")
        self.nodes: i64 = 1
        self.version: i64 = 1  # rises when a topic object comes, goes or changes
        self.system = self.ensure(SYSTEM_TOPICS)

    def place(self, definition: Definition) -> None:
        """A topic object is new or has changed."""
        self.version += 1
        topic_string = definition.text("topic_string")
        if topic_string or definition.name == BASE_TOPIC:  # SYSTEM.DEFAULT.TOPIC sits nowhere
            self.ensure(topic_string).definition = definition

    def displace(self, definition: Definition, now_ns: i64) -> None:
        """A topic object is gone; its node stays while it is used."""
        self.version += 1
        node = self.find(definition.text("topic_string"))
        if node is not None and node.definition is definition:
            node.definition = None
            node.attributes = None
            node.used_ns = now_ns

    def end(self) -> None:
        """Take all nodes apart: children refer to their parents, which no garbage collector sees.
        The root stays."""
        nodes = [self.root]
        while nodes:
            node = nodes.pop()
            children = node.children
            node.children = None
            if node is not self.root:
                node.parent = None
            if children is not None:
                nodes.extend(children.values())

    def remove(self, node: TopicNode) -> None:
        """A node without children that nothing needs."""
        parent = node.parent
        if parent is None or parent.children is None or parent.children.get(node.level) is not node:
            return  # it is not in the tree any more
        del parent.children[node.level]
        if not parent.children:
            parent.children = None
        self.nodes -= 1

    def find(self, topic_string: str) -> TopicNode | None:
        """The node of a string, if it has one."""
        node: TopicNode | None = self.root
        if topic_string == "":
            return node
        for level in topic_string.split(SEPARATOR):
            if node is None or node.children is None:
                return None
            node = node.children.get(level)
        return node

    def ensure(self, topic_string: str) -> TopicNode:
        """The node of a string, made if need be."""
        node = self.root
        if topic_string == "":
            return node
        return self.ensure_levels(topic_string.split(SEPARATOR))

    def ensure_levels(self, levels: list[str]) -> TopicNode:
        """The same, of a string that was cut."""
        node = self.root
        for level in levels:
            children = node.children
            if children is None:
                children = {}
                node.children = children
            child = children.get(level)
            if child is None:
                child = TopicNode(node, level)
                children[level] = child
                self.nodes += 1
            node = child
        return node

    def nearest(self, topic_string: str) -> TopicNode:
        """The node of a string, or the last one that there is on the way to it."""
        node = self.root
        if topic_string == "":
            return node
        for level in topic_string.split(SEPARATOR):
            if node.children is None:
                return node
            child = node.children.get(level)
            if child is None:
                return node
            node = child
        return node
