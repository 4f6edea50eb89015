"""A pattern as an automaton: a text goes through it item by item, a level or a character at a time,
and no text takes more than one operation an item.

A state is a number, of which bit i says that the items so far may be what stands before the i-th
item of the pattern. So all ways to match are followed at once, and a pattern of thousands of levels
is one long number. The state of a topic is also where those below it begin: see `pattern_walk`.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.pubsub.topic_tree import SEPARATOR
from ternmq.pubsub.wildcards import (
    ANY_CHARACTERS,
    ANY_LEVELS,
    ESCAPE,
    ONE_CHARACTER,
    ONE_LEVEL,
)

BEGIN: Final = 1  # the state before the first item
NOTHING: Final = 0  # the state from which nothing can match any more


@final
class PatternAutomaton:
    """One pattern."""

    def __init__(self, pattern: str, by_character: bool) -> None:
        self.by_character = by_character
        self.items: i64 = 0  # of the pattern; those that stand for any number do not count
        self._any = 0  # before which "#" stands, also before the end
        self._one = 0  # where any item will do
        self._of: dict[str, int] = {}  # item: where it will do
        if by_character:
            self._take_characters(pattern)
        else:
            for level in pattern.split(SEPARATOR):
                self._take(level, level == ANY_LEVELS, level == ONE_LEVEL)
        self._last = 1 << int(self.items)
        if self._one:
            for item in self._of:
                self._of[item] |= self._one

    def _take_characters(self, pattern: str) -> None:
        at = 0
        while at < len(pattern):
            one = pattern[at]
            if one == ESCAPE and at + 1 < len(pattern):
                at += 1
            self._take(pattern[at], one == ANY_CHARACTERS, one == ONE_CHARACTER)
            at += 1

    def _take(self, item: str, is_any: bool, is_one: bool) -> None:
        place = 1 << int(self.items)
        if is_any:
            self._any |= place
            return
        self.items += 1
        if is_one:
            self._one |= place
        else:
            self._of[item] = self._of.get(item, 0) | place

    def after(self, state: int, item: str) -> int:
        """The state after one more item."""
        return ((state & self._of.get(item, self._one)) << 1) | (state & self._any)

    def after_level(self, state: int, level: str, is_first: bool) -> int:
        """The state of a topic, from that of the topic above it."""
        if not self.by_character:
            return self.after(state, level)
        if not is_first:
            state = self.after(state, SEPARATOR)
        for one in level:
            state = self.after(state, one)
        return state

    def is_match(self, state: int) -> bool:
        """Whether what led to this state matches."""
        return state & self._last != NOTHING

    def matches(self, topic_string: str) -> bool:
        """Whether it matches a topic."""
        state = BEGIN
        is_first = True
        for level in topic_string.split(SEPARATOR):
            state = self.after_level(state, level, is_first)
            is_first = False
            if state == NOTHING:
                return False
        return self.is_match(state)
