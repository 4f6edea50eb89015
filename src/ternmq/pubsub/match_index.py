"""Which subscriptions a topic string matches.

By topic level: "+" stands for one level, "#" for any number of levels, also none, each only as a
whole level. A pattern is a path in a trie. A topic string goes through it level by level with all
nodes that are still possible, so that no pattern costs more than nodes times levels. A branch that
leads to one subscription only is that subscription: a hundred thousand of them have few nodes.
By character: `character_patterns`.
"""

from __future__ import annotations

from sys import intern
from typing import Final, final

from mypy_extensions import i64

from ternmq.pubsub.character_patterns import (
    CharacterIndex,
    plain_text,
    wildcard_position,
)
from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.topic_tree import SEPARATOR

ONE_LEVEL: Final = "+"
ANY_LEVELS: Final = "#"
NO_WILDCARD: Final = 1 << 30
_ANY_TWICE: Final = "#/#"


@final
class _PatternNode:
    __slots__ = (
        "any_levels",
        "children",
        "found",
        "is_any",
        "level",
        "one_level",
        "only",
        "stamp",
    )

    def __init__(self, is_any: bool) -> None:
        self.is_any = is_any  # stands behind a "#": it stays possible at every further level
        # By level: the only branch, or `children` with more. A branch that is a subscription has
        # no other below it; none is directly below a "#", where it could be found twice.
        self.level = ""
        self.only: _PatternNode | Subscription | None = None
        self.children: dict[str, _PatternNode | Subscription] | None = None
        self.one_level: _PatternNode | Subscription | None = None
        self.any_levels: _PatternNode | Subscription | None = None
        self.found: Subscription | list[Subscription] | None = None  # that end here
        self.stamp: i64 = 0  # of the step at which it was last entered

    def branch(self, level: str) -> _PatternNode | Subscription | None:
        """What stands behind a level that is no wildcard."""
        if self.children is not None:
            return self.children.get(level)
        return self.only if self.level == level else None

    def set_branch(self, level: str, place: _PatternNode | Subscription) -> None:
        """Put something behind it, or something else."""
        level = intern(level)  # the same names come back at many nodes
        if self.children is not None:
            self.children[level] = place
        elif self.only is None or self.level == level:
            self.level = level
            self.only = place
        else:
            self.children = {self.level: self.only, level: place}
            self.only = None
            self.level = ""

    def drop_branch(self, level: str) -> None:
        """Nothing stands behind it any more."""
        children = self.children
        if children is None:
            self.only = None
            self.level = ""
            return
        del children[level]
        if not children:
            self.children = None

    def is_empty(self) -> bool:
        """Nothing ends here or goes on from here."""
        return (
            self.only is None
            and self.children is None
            and self.one_level is None
            and self.any_levels is None
            and self.found is None
        )


def wildcard_level(topic_string: str, by_character: bool) -> i64:
    """How many whole levels stand before the first wildcard."""
    if by_character:
        end = wildcard_position(topic_string)
        return NO_WILDCARD if end < 0 else plain_text(topic_string[:end]).count(SEPARATOR)
    for at, level in enumerate(topic_string.split(SEPARATOR)):
        if level in (ONE_LEVEL, ANY_LEVELS):
            return at
    return NO_WILDCARD


def literal_prefix(topic_string: str, by_character: bool) -> str:
    """The levels of a pattern before its first wildcard, without escapes; all of it if it has
    none. What it matches is at or below that topic."""
    if by_character:
        end = wildcard_position(topic_string)
        if end < 0:
            return plain_text(topic_string)
        before = plain_text(topic_string[:end])
        return before[: max(before.rfind(SEPARATOR), 0)]
    level = wildcard_level(topic_string, False)
    if level == NO_WILDCARD:
        return topic_string
    return SEPARATOR.join(topic_string.split(SEPARATOR)[:level])


@final
class MatchIndex:
    """The subscriptions of a queue manager by what they match."""

    def __init__(self) -> None:
        self.version: i64 = 0  # rises with every change
        self._root = _PatternNode(False)
        self._by_character = CharacterIndex()
        self._stamp: i64 = 0

    def is_empty(self) -> bool:
        """Nothing is left, not even an empty node."""
        return self._root.is_empty() and self._by_character.is_empty()

    def add(self, subscription: Subscription) -> None:
        """Let it match."""
        self.version += 1
        by_character = subscription.terms.by_character
        subscription.wildcard_level = wildcard_level(subscription.topic_string, by_character)
        if by_character and subscription.wildcard_level != NO_WILDCARD:
            self._by_character.add(subscription)
        else:
            _insert(self._root, subscription, _levels(subscription), 0)

    def remove(self, subscription: Subscription) -> None:
        """It matches nothing any more."""
        self.version += 1
        by_character = subscription.terms.by_character
        if by_character and subscription.wildcard_level != NO_WILDCARD:
            self._by_character.remove(subscription)
        else:
            _take_out(self._root, subscription)

    def match(self, topic_string: str, block_level: i64 = 0) -> list[Subscription]:
        """The subscriptions that match a topic, each once. Those whose first wildcard stands above
        the level of a node with WILDCARD(BLOCK) on the way, `block_level` levels below the root, do
        not."""
        out: list[Subscription] = []
        for node in self._at_the_end(topic_string.split(SEPARATOR), out):
            found = node.found
            if found is None:
                continue
            if isinstance(found, list):
                out.extend(found)
            else:
                out.append(found)
        self._by_character.match(topic_string, out)
        if block_level and out:
            return [one for one in out if one.wildcard_level >= block_level]
        return out

    def _at_the_end(self, levels: list[str], out: list[Subscription]) -> list[_PatternNode]:
        """The nodes to which all levels lead; what is found on the way is appended to `out`."""
        count: i64 = len(levels)
        active: list[_PatternNode] = []
        self._stamp += 1
        self._enter(self._root, active, out)
        at: i64 = 0
        while at < count and active:
            level = levels[at]
            at += 1
            self._stamp += 1
            following: list[_PatternNode] = []
            for node in active:
                if node.is_any:
                    self._enter(node, following, out)
                if node.children is not None:
                    place = node.children.get(level)
                    if place is not None:
                        self._follow(place, levels, at, following, out)
                elif node.only is not None and node.level == level:
                    self._follow(node.only, levels, at, following, out)
                if node.one_level is not None:
                    self._follow(node.one_level, levels, at, following, out)
            active = following
        return active

    def _follow(
        self,
        place: _PatternNode | Subscription,
        levels: list[str],
        at: i64,
        following: list[_PatternNode],
        out: list[Subscription],
    ) -> None:
        if isinstance(place, _PatternNode):
            self._enter(place, following, out)
        elif _ends_with(place, levels, at):
            out.append(place)

    def _enter(
        self, node: _PatternNode, following: list[_PatternNode], out: list[Subscription]
    ) -> None:
        """A node is possible after this level, and so is the "#" behind it, which may be none."""
        if node.is_any:
            if node.stamp == self._stamp:
                return
            node.stamp = self._stamp
        following.append(node)
        behind = node.any_levels
        if behind is None:
            return
        if isinstance(behind, _PatternNode):
            self._enter(behind, following, out)
        else:
            out.append(behind)


def _levels(subscription: Subscription) -> list[str]:
    """The levels of a pattern that is a path; an escaped character of one by character is
    ordinary. Several "#" in a row mean the same as one, and would only make a chain of nodes."""
    text = subscription.topic_string
    if subscription.terms.by_character:
        return plain_text(text).split(SEPARATOR)
    levels = text.split(SEPARATOR)
    if _ANY_TWICE not in text:
        return levels
    kept: list[str] = []
    for level in levels:
        if level != ANY_LEVELS or not kept or kept[-1] != ANY_LEVELS:
            kept.append(level)
    return kept


def _ends_with(subscription: Subscription, levels: list[str], at: i64) -> bool:
    """Whether the rest of a pattern matches the rest of the levels."""
    pattern = _levels(subscription)
    if subscription.terms.by_character:  # "+" and "#" are ordinary
        return pattern[at:] == levels[at:]
    return levels_match(pattern, levels, at)


def levels_match(pattern: list[str], levels: list[str], at: i64) -> bool:
    """Whether a pattern by level matches, from one level on."""
    patterns: i64 = len(pattern)
    count: i64 = len(levels)
    place = at
    any_at: i64 = -1  # where the last "#" stands, and up to where it reaches
    reached: i64 = 0
    while at < count:
        if place < patterns and pattern[place] == ANY_LEVELS:
            any_at = place
            reached = at
            place += 1
        elif place < patterns and (pattern[place] == ONE_LEVEL or pattern[place] == levels[at]):
            place += 1
            at += 1
        elif any_at >= 0:
            reached += 1
            at = reached
            place = any_at + 1
        else:
            return False
    while place < patterns and pattern[place] == ANY_LEVELS:
        place += 1
    return place == patterns


def _insert(root: _PatternNode, subscription: Subscription, levels: list[str], at: i64) -> None:
    """Put a subscription below a node, to which the levels before `at` have led."""
    node = root
    count: i64 = len(levels)
    is_plain = subscription.terms.by_character  # "+" and "#" are ordinary
    may_end = not node.is_any
    displaced: Subscription | None = None  # by this one, level for level, and its levels
    its_levels: list[str] = []
    while at < count:
        level = levels[at]
        at += 1
        is_any = not is_plain and level == ANY_LEVELS
        is_one = not is_plain and level == ONE_LEVEL
        place = _behind(node, level, is_any, is_one)
        if place is None and may_end and (not is_any or at == count):
            _put_behind(node, level, is_any, is_one, subscription)
            return
        if not isinstance(place, _PatternNode):
            inner = _PatternNode(is_any)
            if place is not None:  # it was the only one there, and now goes on below
                if is_any:
                    inner.found = place
                else:
                    if place is not displaced:
                        displaced = place
                        its_levels = _levels(place)
                    _insert(inner, place, its_levels, at)
            _put_behind(node, level, is_any, is_one, inner)
            place = inner
        node = place
        may_end = may_end and not is_any
    _append(node, subscription)


def _append(node: _PatternNode, subscription: Subscription) -> None:
    found = node.found
    if found is None:
        node.found = subscription
    elif isinstance(found, list):
        subscription.position = len(found)
        found.append(subscription)
    else:
        found.position = 0
        subscription.position = 1
        node.found = [found, subscription]


def _behind(
    node: _PatternNode, level: str, is_any: bool, is_one: bool
) -> _PatternNode | Subscription | None:
    if is_any:
        return node.any_levels
    return node.one_level if is_one else node.branch(level)


def _put_behind(
    node: _PatternNode, level: str, is_any: bool, is_one: bool, place: _PatternNode | Subscription
) -> None:
    if is_any:
        node.any_levels = place
    elif is_one:
        node.one_level = place
    else:
        node.set_branch(level, place)


def _clear_behind(node: _PatternNode, level: str, is_any: bool, is_one: bool) -> None:
    if is_any:
        node.any_levels = None
    elif is_one:
        node.one_level = None
    else:
        node.drop_branch(level)


def _take_out(root: _PatternNode, subscription: Subscription) -> None:
    """Remove a subscription, and every node that is empty then."""
    levels = _levels(subscription)
    is_plain = subscription.terms.by_character
    way: list[_PatternNode] = [root]
    for level in levels:
        is_any = not is_plain and level == ANY_LEVELS
        is_one = not is_plain and level == ONE_LEVEL
        place = _behind(way[-1], level, is_any, is_one)
        if place is subscription:
            _clear_behind(way[-1], level, is_any, is_one)
            break
        if not isinstance(place, _PatternNode):
            return  # it is not there
        way.append(place)
    else:
        _drop(way[-1], subscription)
    while len(way) > 1 and way[-1].is_empty():
        way.pop()
        level = levels[len(way) - 1]
        is_any = not is_plain and level == ANY_LEVELS
        is_one = not is_plain and level == ONE_LEVEL
        _clear_behind(way[-1], level, is_any, is_one)


def _drop(node: _PatternNode, subscription: Subscription) -> None:
    """Out of those that end at a node; the last takes its position."""
    found = node.found
    if found is subscription:
        node.found = None
    elif isinstance(found, list):
        at = subscription.position
        if at < len(found) and found[at] is subscription:
            last = found.pop()
            if last is not subscription:
                found[at] = last
                last.position = at
            if not found:
                node.found = None
