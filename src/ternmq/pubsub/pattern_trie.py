"""The trie of patterns by topic level.

A pattern is a path. A branch that leads to one subscription only is that subscription: a hundred
thousand of them have few nodes. `match_index` goes through it.
"""

from __future__ import annotations

from sys import intern
from typing import Final, final

from mypy_extensions import i64, mypyc_attr

from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.topic_tree import SEPARATOR
from ternmq.pubsub.wildcards import ANY_LEVELS, ONE_LEVEL, plain_text

_ANY_TWICE: Final = "#/#"


@final
@mypyc_attr(acyclic=True)
class PatternNode:
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
        self.only: PatternNode | Subscription | None = None
        self.children: dict[str, PatternNode | Subscription] | None = None
        self.one_level: PatternNode | Subscription | None = None
        self.any_levels: PatternNode | Subscription | None = None
        self.found: Subscription | list[Subscription] | None = None  # that end here
        self.stamp: i64 = 0  # of the step at which it was last entered

    def branch(self, level: str) -> PatternNode | Subscription | None:
        """What stands behind a level that is not a wildcard."""
        if self.children is not None:
            return self.children.get(level)
        return self.only if self.level == level else None

    def set_branch(self, level: str, place: PatternNode | Subscription) -> None:
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


def levels_of(subscription: Subscription) -> list[str]:
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


def ends_with(subscription: Subscription, levels: list[str], at: i64) -> bool:
    """Whether the rest of a pattern matches the rest of the levels."""
    pattern = levels_of(subscription)
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


def insert(root: PatternNode, subscription: Subscription, levels: list[str], at: i64) -> None:
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
        if not isinstance(place, PatternNode):
            inner = PatternNode(is_any)
            if place is not None:  # it was the only one there, and now goes on below
                if is_any:
                    inner.found = place
                else:
                    if place is not displaced:
                        displaced = place
                        its_levels = levels_of(place)
                    insert(inner, place, its_levels, at)
            _put_behind(node, level, is_any, is_one, inner)
            place = inner
        node = place
        may_end = may_end and not is_any
    _append(node, subscription)


def _append(node: PatternNode, subscription: Subscription) -> None:
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
    node: PatternNode, level: str, is_any: bool, is_one: bool
) -> PatternNode | Subscription | None:
    if is_any:
        return node.any_levels
    return node.one_level if is_one else node.branch(level)


def _put_behind(
    node: PatternNode, level: str, is_any: bool, is_one: bool, place: PatternNode | Subscription
) -> None:
    if is_any:
        node.any_levels = place
    elif is_one:
        node.one_level = place
    else:
        node.set_branch(level, place)


def _clear_behind(node: PatternNode, level: str, is_any: bool, is_one: bool) -> None:
    if is_any:
        node.any_levels = None
    elif is_one:
        node.one_level = None
    else:
        node.drop_branch(level)


def take_out(root: PatternNode, subscription: Subscription) -> None:
    """Remove a subscription, and every node that is empty then."""
    levels = levels_of(subscription)
    is_plain = subscription.terms.by_character
    way: list[PatternNode] = [root]
    for level in levels:
        is_any = not is_plain and level == ANY_LEVELS
        is_one = not is_plain and level == ONE_LEVEL
        place = _behind(way[-1], level, is_any, is_one)
        if place is subscription:
            _clear_behind(way[-1], level, is_any, is_one)
            break
        if not isinstance(place, PatternNode):
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


def _drop(node: PatternNode, subscription: Subscription) -> None:
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
