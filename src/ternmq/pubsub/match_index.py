"""Which subscriptions a topic string matches.

By topic level: "+" stands for one level, "#" for any number of levels, also none, each only as a
whole level. By character: "*" stands for any characters, "?" for one, "%" makes the next one
ordinary. A pattern by level, and one without wildcards, is a path in a trie.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.pubsub.topic_tree import SEPARATOR

if TYPE_CHECKING:
    from ternmq.pubsub.subscription import Subscription

ONE_LEVEL: Final = "+"
ANY_LEVELS: Final = "#"
NO_WILDCARD: Final = 1 << 30


@final
class _PatternNode:
    __slots__ = ("any_levels", "children", "found", "one_level")

    def __init__(self) -> None:
        self.children: dict[str, _PatternNode] | None = None
        self.one_level: _PatternNode | None = None
        self.any_levels: _PatternNode | None = None
        self.found: list[Subscription] | None = None


def wildcard_level(topic_string: str, by_character: bool) -> i64:
    """How many whole levels stand before the first wildcard."""
    if by_character:
        plain = re.match(r"(?:[^*?%]|%.)*", topic_string, re.DOTALL)
        end = plain.end() if plain is not None else 0
        return NO_WILDCARD if end == len(topic_string) else topic_string[:end].count(SEPARATOR)
    for at, level in enumerate(topic_string.split(SEPARATOR)):
        if level in (ONE_LEVEL, ANY_LEVELS):
            return at
    return NO_WILDCARD


def character_pattern(topic_string: str) -> re.Pattern[str]:
    """A pattern by character."""
    parts: list[str] = []
    is_escaped = False
    for one in topic_string:
        if is_escaped:
            parts.append(re.escape(one))
            is_escaped = False
        elif one == "%":
            is_escaped = True
        elif one == "*":
            parts.append(".*")
        elif one == "?":
            parts.append(".")
        else:
            parts.append(re.escape(one))
    return re.compile("".join(parts), re.DOTALL)


@final
class MatchIndex:
    """The subscriptions of a queue manager by what they match."""

    def __init__(self) -> None:
        self.version: i64 = 0  # rises with every change
        self._root = _PatternNode()
        self._repeats = False  # a subscription may be found on more than one path
        self._by_character: dict[bytes, tuple[re.Pattern[str], Subscription]] = {}

    def add(self, subscription: Subscription) -> None:
        """Let it match."""
        self.version += 1
        by_character = subscription.terms.by_character
        subscription.wildcard_level = wildcard_level(subscription.topic_string, by_character)
        if by_character and subscription.wildcard_level != NO_WILDCARD:
            pattern = character_pattern(subscription.topic_string)
            self._by_character[subscription.sub_id] = (pattern, subscription)
            return
        node = self._path(subscription)
        if node.found is None:
            node.found = [subscription]
        else:
            node.found.append(subscription)

    def remove(self, subscription: Subscription) -> None:
        """It matches nothing any more."""
        self.version += 1
        if self._by_character.pop(subscription.sub_id, None) is not None:
            return
        found = self._path(subscription).found
        if found is not None and subscription in found:
            found.remove(subscription)

    def _path(self, subscription: Subscription) -> _PatternNode:
        node = self._root
        is_plain = subscription.terms.by_character  # then "+" and "#" are ordinary
        was_any = False
        for level in _levels(subscription):
            if level == ANY_LEVELS and not is_plain:
                if node.any_levels is None:
                    node.any_levels = _PatternNode()
                node = node.any_levels
                was_any = True
                continue
            self._repeats = self._repeats or was_any
            if level == ONE_LEVEL and not is_plain:
                if node.one_level is None:
                    node.one_level = _PatternNode()
                node = node.one_level
                continue
            if node.children is None:
                node.children = {}
            child = node.children.get(level)
            if child is None:
                child = _PatternNode()
                node.children[level] = child
            node = child
        return node

    def match(self, topic_string: str, block_level: i64 = 0) -> list[Subscription]:
        """The subscriptions that match a topic. Those whose first wildcard stands above the level
        of a node with WILDCARD(BLOCK) on the way, `block_level` levels below the root, do not."""
        out: list[Subscription] = []
        levels = topic_string.split(SEPARATOR)
        self._collect(self._root, levels, 0, out)
        for pattern, subscription in self._by_character.values():
            if pattern.fullmatch(topic_string) is not None:
                out.append(subscription)
        if self._repeats and len(out) > 1:
            out = list({one.sub_id: one for one in out}.values())
        if block_level:
            out = [one for one in out if one.wildcard_level >= block_level]
        return out

    def _collect(
        self, node: _PatternNode, levels: list[str], at: i64, out: list[Subscription]
    ) -> None:
        any_levels = node.any_levels
        if any_levels is not None:
            if any_levels.found is not None:
                out.extend(any_levels.found)
            self._collect_later(any_levels, levels, at, out)
        if at == len(levels):
            if node.found is not None:
                out.extend(node.found)
            return
        if node.children is not None:
            child = node.children.get(levels[at])
            if child is not None:
                self._collect(child, levels, at + 1, out)
        if node.one_level is not None:
            self._collect(node.one_level, levels, at + 1, out)

    def _collect_later(
        self, node: _PatternNode, levels: list[str], at: i64, out: list[Subscription]
    ) -> None:
        """What goes on behind a "#", from every level on."""
        if node.children is None and node.one_level is None and node.any_levels is None:
            return
        while at <= len(levels):
            if at < len(levels):
                if node.children is not None:
                    child = node.children.get(levels[at])
                    if child is not None:
                        self._collect(child, levels, at + 1, out)
                if node.one_level is not None:
                    self._collect(node.one_level, levels, at + 1, out)
            inner = node.any_levels
            if inner is not None:
                if inner.found is not None:
                    out.extend(inner.found)
                self._collect_later(inner, levels, at, out)
            at += 1


def _levels(subscription: Subscription) -> list[str]:
    """The levels of a pattern that is a path; an escaped character of one by character is
    ordinary."""
    text = subscription.topic_string
    if subscription.terms.by_character:
        text = re.sub(r"%(.)", r"\1", text, flags=re.DOTALL)
    return text.split(SEPARATOR)
