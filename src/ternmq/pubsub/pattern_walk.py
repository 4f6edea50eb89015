"""The nodes of the topic tree that a pattern matches: for retained publications and commands."""

from __future__ import annotations

from typing import final

from ternmq.pubsub.pattern_automaton import BEGIN, NOTHING, PatternAutomaton
from ternmq.pubsub.topic_tree import SEPARATOR, TopicNode, TopicTree
from ternmq.pubsub.wildcards import literal_prefix, wildcard_level


@final
class PatternWalk:
    """The part of the tree where a pattern may match, from its literal prefix on down."""

    def __init__(
        self,
        tree: TopicTree,
        topic_string: str,
        by_character: bool,
        without: TopicNode | None = None,
    ) -> None:
        """`without` is a node that is left out, with all below it."""
        self._without = without
        self.wildcard_level = wildcard_level(topic_string, by_character)
        self._automaton = PatternAutomaton(topic_string, by_character)
        # Nodes to look at, and the state of the node above each.
        self._nodes: list[TopicNode] = []
        self._above: list[int] = []
        self._begin(tree, literal_prefix(topic_string, by_character))

    def _begin(self, tree: TopicTree, prefix: str) -> None:
        node: TopicNode | None = tree.root
        if prefix == "":
            self._go_below(tree.root, BEGIN)
            return
        state = BEGIN
        is_first = True
        levels = prefix.split(SEPARATOR)
        for level in levels[:-1]:
            node = None if node is None or node.children is None else node.children.get(level)
            state = self._automaton.after_level(state, level, is_first)
            is_first = False
        if node is not None and node.children is not None and levels[-1] in node.children:
            self._nodes.append(node.children[levels[-1]])
            self._above.append(state)

    def is_done(self) -> bool:
        """All were looked at."""
        return not self._nodes

    def look(self) -> TopicNode | None:
        """Look at the next node; the node if it matches."""
        node = self._nodes.pop()
        above = self._above.pop()
        if node is self._without:
            return None
        parent = node.parent
        is_first = parent is None or parent.parent is None
        state = self._automaton.after_level(above, node.level, is_first)
        if state == NOTHING:
            return None
        self._go_below(node, state)
        return node if self._automaton.is_match(state) else None

    def _go_below(self, node: TopicNode, state: int) -> None:
        if node.children is not None:
            below = list(node.children.values())
            below.reverse()
            self._nodes.extend(below)
            self._above.extend([state] * len(below))
