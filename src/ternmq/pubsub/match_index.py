"""Which subscriptions a topic string matches.

By topic level: a topic string goes through the trie of patterns (`pattern_trie`) level by level,
with all nodes that are still possible. A long pattern that may begin at any level would have as
many possible nodes as it has levels: such patterns are apart, each an automaton
(`pattern_automaton`), and only a topic of as many levels asks them. Whoever must not take long goes
through the index in steps (`Matching`).
By character: `character_patterns`.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.pubsub.character_patterns import CharacterIndex
from ternmq.pubsub.pattern_automaton import PatternAutomaton
from ternmq.pubsub.pattern_trie import (
    PatternNode,
    ends_with,
    insert,
    levels_of,
    take_out,
)
from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.topic_tree import SEPARATOR
from ternmq.pubsub.wildcards import ANY_LEVELS, NO_WILDCARD, wildcard_level

LONG_LEVELS: Final = 16  # more behind a "#" that is not the last level: not in the trie
STEP_NODES: Final = 4096  # of the trie, or levels that an automaton takes


@final
class LongPattern:
    """A subscription that is not in the trie."""

    __slots__ = ("levels", "subscription")

    def __init__(self, subscription: Subscription, levels: i64) -> None:
        self.subscription = subscription
        self.levels: i64 = levels  # that a topic has at least


_NO_LONG: Final[list[LongPattern]] = []


@final
class MatchIndex:
    """The subscriptions of a queue manager by what they match."""

    def __init__(self) -> None:
        self.version: i64 = 0  # rises with every change
        self.root = PatternNode(False)
        self.by_character = CharacterIndex()
        self.long: dict[bytes, LongPattern] = {}  # by SubId
        self.stamp: i64 = 0

    def is_empty(self) -> bool:
        """Nothing is left, not even an empty node."""
        return self.root.is_empty() and self.by_character.is_empty() and not self.long

    def add(self, subscription: Subscription) -> None:
        """Let it match."""
        self.version += 1
        by_character = subscription.terms.by_character
        subscription.wildcard_level = wildcard_level(subscription.topic_string, by_character)
        if by_character and subscription.wildcard_level != NO_WILDCARD:
            self.by_character.add(subscription)
            return
        levels = levels_of(subscription)
        if not by_character and _is_long(levels):
            needed = len(levels) - levels.count(ANY_LEVELS)
            self.long[subscription.sub_id] = LongPattern(subscription, needed)
        else:
            insert(self.root, subscription, levels, 0)

    def remove(self, subscription: Subscription) -> None:
        """It matches nothing any more."""
        self.version += 1
        by_character = subscription.terms.by_character
        if by_character and subscription.wildcard_level != NO_WILDCARD:
            self.by_character.remove(subscription)
        elif self.long.pop(subscription.sub_id, None) is None:
            take_out(self.root, subscription)

    def match(self, topic_string: str, block_level: i64 = 0) -> list[Subscription]:
        """The subscriptions that match a topic, each once: see `Matching`."""
        matching = Matching(self, topic_string, topic_string.split(SEPARATOR), block_level)
        while not matching.step():
            pass
        return matching.found


def _is_long(levels: list[str]) -> bool:
    if len(levels) <= LONG_LEVELS:
        return False
    any_levels = levels.count(ANY_LEVELS)
    if any_levels == 0 or (any_levels == 1 and levels[-1] == ANY_LEVELS):
        return False
    return len(levels) - any_levels > LONG_LEVELS


@final
class Matching:
    """A topic string on its way through the index.

    Subscriptions that are added or removed between two steps may or may not be found."""

    def __init__(
        self, index: MatchIndex, topic_string: str, levels: list[str], block_level: i64
    ) -> None:
        """Those whose first wildcard stands above the level of a node with WILDCARD(BLOCK) on the
        way, `block_level` levels below the root, do not match."""
        self.found: list[Subscription] = []  # each once
        self._index = index
        self._topic_string = topic_string
        self._block_level: i64 = block_level
        self._levels = levels
        self._at: i64 = 0
        self._active: list[PatternNode] = []
        self._long = _NO_LONG  # still to be asked
        count: i64 = len(self._levels)
        if count > LONG_LEVELS and index.long:
            self._long = [one for one in index.long.values() if one.levels <= count]
        self._by_character = index.by_character.candidates(topic_string)  # still to be asked
        index.stamp += 1
        self._enter(index.root, self._active, index.stamp)

    def step(self) -> bool:
        """Go some levels; True: all are found."""
        left = self._go(STEP_NODES)
        if left > 0 and self._long:
            left = self._ask_long(left)
        if left > 0 and self._by_character:
            left = self._ask_by_character(left)
        if left <= 0 and self._has_more():
            return False
        self._end()
        return True

    def _has_more(self) -> bool:
        if self._active and self._at < len(self._levels):
            return True
        return len(self._long) + len(self._by_character) > 0

    def _ask_long(self, left: i64) -> i64:
        asked = self._long
        cost: i64 = len(self._levels)
        while asked and left > 0:
            left -= cost
            one = asked.pop().subscription
            if PatternAutomaton(one.topic_string, False).matches(self._topic_string):
                self.found.append(one)
        return left

    def _ask_by_character(self, left: i64) -> i64:
        asked = self._by_character
        while asked and left > 0:
            one = asked.pop()
            left -= len(self._topic_string) if one.is_hard else 1
            if one.matches(self._topic_string):
                self.found.append(one.subscription)
        return left

    def _go(self, left: i64) -> i64:
        """Take as many nodes as are left; how many are left then. Between two levels only: the
        stamps of nodes are of one level."""
        levels = self._levels
        count: i64 = len(levels)
        active = self._active
        index = self._index
        at = self._at
        while at < count and active and left > 0:
            left -= len(active)
            level = levels[at]
            at += 1
            index.stamp += 1
            stamp = index.stamp
            following: list[PatternNode] = []
            for node in active:
                if node.is_any:
                    self._enter(node, following, stamp)
                if node.children is not None:
                    place = node.children.get(level)
                    if place is not None:
                        self._follow(place, at, following, stamp)
                elif node.only is not None and node.level == level:
                    self._follow(node.only, at, following, stamp)
                if node.one_level is not None:
                    self._follow(node.one_level, at, following, stamp)
            active = following
        self._active = active
        self._at = at
        return left

    def _end(self) -> None:
        """Those that end where all levels lead to, without those that are blocked."""
        out = self.found
        for node in self._active:
            found = node.found
            if found is None:
                continue
            if isinstance(found, list):
                out.extend(found)
            else:
                out.append(found)
        block_level = self._block_level
        if block_level and out:
            self.found = [one for one in out if one.wildcard_level >= block_level]

    def _follow(
        self,
        place: PatternNode | Subscription,
        at: i64,
        following: list[PatternNode],
        stamp: i64,
    ) -> None:
        if isinstance(place, PatternNode):
            self._enter(place, following, stamp)
        elif ends_with(place, self._levels, at):
            self.found.append(place)

    def _enter(self, node: PatternNode, following: list[PatternNode], stamp: i64) -> None:
        """A node is possible after this level. So is a "#" behind it, which may match no level."""
        if node.is_any:
            if node.stamp == stamp:
                return
            node.stamp = stamp
        following.append(node)
        behind = node.any_levels
        if behind is None:
            return
        if isinstance(behind, PatternNode):
            self._enter(behind, following, stamp)
        else:
            self.found.append(behind)
