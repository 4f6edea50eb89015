"""The wildcards of patterns, and what stands before them.

By topic level: "+" stands for one level, "#" for any number of levels, also none, each only as a
whole level. By character: "*" stands for any characters, also none and also "/", "?" for one, "%"
makes the next one ordinary.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from ternmq.pubsub.topic_tree import SEPARATOR

ONE_LEVEL: Final = "+"
ANY_LEVELS: Final = "#"
ANY_CHARACTERS: Final = "*"
ONE_CHARACTER: Final = "?"
ESCAPE: Final = "%"
NO_WILDCARD: Final = 1 << 30


def wildcard_position(pattern: str) -> int:
    """Where the first wildcard stands; -1 if there is none."""
    at = 0
    while at < len(pattern):
        one = pattern[at]
        if one in (ANY_CHARACTERS, ONE_CHARACTER):
            return at
        at += 2 if one == ESCAPE else 1
    return -1


def plain_text(pattern: str) -> str:
    """A pattern, or a part of one, without wildcards: what its escapes stand for."""
    if ESCAPE not in pattern:
        return pattern
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern[at] == ESCAPE and at + 1 < len(pattern):
            at += 1
        parts.append(pattern[at])
        at += 1
    return "".join(parts)


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
