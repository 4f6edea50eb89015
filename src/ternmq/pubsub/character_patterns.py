"""Subscriptions with patterns by character.

They are found by what stands before the first wildcard, of which up to `PREFIX_MAX` characters
count. A pattern is cut at each "*" into pieces, which are looked for one after the other. A long
piece with a "?" would be compared at every place: such a pattern is an automaton.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.pubsub.pattern_automaton import PatternAutomaton
from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.wildcards import (
    ANY_CHARACTERS,
    ESCAPE,
    ONE_CHARACTER,
    plain_text,
    wildcard_position,
)

PREFIX_MAX: Final = 64
LONG_PIECE: Final = 16  # characters


@final
class _Piece:
    """What stands between two "*"."""

    __slots__ = ("is_free", "text")

    def __init__(self, text: str, is_free: list[bool]) -> None:
        self.text = text
        self.is_free = is_free  # by character: any one will do; empty if that is nowhere so

    def is_at(self, topic_string: str, at: int) -> bool:
        """Whether it stands there."""
        if not self.is_free:
            return topic_string.startswith(self.text, at)
        if at + len(self.text) > len(topic_string):
            return False
        for place, free in enumerate(self.is_free):
            if not free and self.text[place] != topic_string[at + place]:
                return False
        return True

    def find(self, topic_string: str, at: int, end: int) -> int:
        """Where it stands first between two places; -1: nowhere."""
        if not self.is_free:
            return topic_string.find(self.text, at, end)
        while at + len(self.text) <= end:
            if self.is_at(topic_string, at):
                return at
            at += 1
        return -1


def _pieces(pattern: str) -> list[_Piece]:
    found: list[_Piece] = []
    text: list[str] = []
    free: list[bool] = []
    at = 0
    while at < len(pattern):
        one = pattern[at]
        if one == ANY_CHARACTERS:
            found.append(_Piece("".join(text), free if any(free) else []))
            text = []
            free = []
        else:
            if one == ESCAPE and at + 1 < len(pattern):
                at += 1
            text.append(pattern[at])
            free.append(one == ONE_CHARACTER)
        at += 1
    found.append(_Piece("".join(text), free if any(free) else []))
    return found


@final
class CharacterPattern:
    """A pattern, cut into pieces."""

    __slots__ = ("_pieces", "is_hard", "subscription")

    def __init__(self, pattern: str, subscription: Subscription) -> None:
        self.subscription = subscription
        self._pieces = _pieces(pattern)
        self.is_hard = any(one.is_free and len(one.text) > LONG_PIECE for one in self._pieces)

    def matches(self, topic_string: str) -> bool:
        """The first piece stands at the beginning, the last one at the end, the others somewhere
        between, each behind the one before."""
        if self.is_hard:
            return PatternAutomaton(self.subscription.topic_string, True).matches(topic_string)
        first = self._pieces[0]
        if not first.is_at(topic_string, 0):
            return False
        if len(self._pieces) == 1:
            return len(first.text) == len(topic_string)
        last = self._pieces[-1]
        end = len(topic_string) - len(last.text)
        at = len(first.text)
        if end < at or not last.is_at(topic_string, end):
            return False
        for place in range(1, len(self._pieces) - 1):
            piece = self._pieces[place]
            at = piece.find(topic_string, at, end)
            if at < 0:
                return False
            at += len(piece.text)
        return True


_NO_PATTERNS: Final[list[CharacterPattern]] = []


def _prefix(pattern: str) -> str:
    return plain_text(pattern[: wildcard_position(pattern)])[:PREFIX_MAX]


@final
class CharacterIndex:
    """The subscriptions with such patterns."""

    def __init__(self) -> None:
        self._by_prefix: dict[str, dict[bytes, CharacterPattern]] = {}
        self._lengths: list[int] = []  # of prefixes that there are
        self._with_length: list[i64] = [0] * (PREFIX_MAX + 1)  # how many prefixes of each length

    def is_empty(self) -> bool:
        """There is none."""
        return not self._by_prefix

    def add(self, subscription: Subscription) -> None:
        """Let it match."""
        prefix = _prefix(subscription.topic_string)
        patterns = self._by_prefix.get(prefix)
        if patterns is None:
            patterns = {}
            self._by_prefix[prefix] = patterns
            self._count(len(prefix), 1)
        pattern = CharacterPattern(subscription.topic_string, subscription)
        patterns[subscription.sub_id] = pattern

    def remove(self, subscription: Subscription) -> None:
        """It matches nothing any more."""
        prefix = _prefix(subscription.topic_string)
        patterns = self._by_prefix.get(prefix)
        if patterns is None:
            return
        patterns.pop(subscription.sub_id, None)
        if not patterns:
            del self._by_prefix[prefix]
            self._count(len(prefix), -1)

    def _count(self, length: int, by: i64) -> None:
        self._with_length[length] += by
        self._lengths = [one for one, many in enumerate(self._with_length) if many]

    def candidates(self, topic_string: str) -> list[CharacterPattern]:
        """Those that may match a topic, as far as their beginning shows."""
        if not self._lengths:
            return _NO_PATTERNS
        found: list[CharacterPattern] = []
        for length in self._lengths:
            if length > len(topic_string):
                break
            patterns = self._by_prefix.get(topic_string[:length])
            if patterns is not None:
                found.extend(patterns.values())
        return found
