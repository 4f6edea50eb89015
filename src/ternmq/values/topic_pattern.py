"""Whether a topic string matches the pattern of one subscription, for who has no match index.

By topic level "+" stands for one level and "#" for any number of levels, also none, each only as a
whole level. By character "*" stands for any characters, "?" for one, "%" makes the next ordinary.
"""

from __future__ import annotations

import re
from typing import Final, final

_ONE_LEVEL: Final = "+"
_ANY_LEVELS: Final = "#"
_SEPARATOR: Final = "/"


@final
class TopicPattern:
    """One pattern."""

    def __init__(self, pattern: str, by_character: bool) -> None:
        self._levels = [] if by_character else _without_repeats(pattern.split(_SEPARATOR))
        self._by_character = re.compile(_expression(pattern), re.DOTALL) if by_character else None

    def matches(self, topic: str) -> bool:
        """Whether it matches."""
        if self._by_character is not None:
            return self._by_character.fullmatch(topic) is not None
        possible = self._past_any({0})
        for level in topic.split(_SEPARATOR):
            possible = self._past_any(self._after(possible, level))
            if not possible:
                return False
        return len(self._levels) in possible

    def _after(self, possible: set[int], level: str) -> set[int]:
        """Where in the pattern one can be after one more level."""
        found: set[int] = set()
        for at in possible:
            if at == len(self._levels):
                continue
            wanted = self._levels[at]
            if wanted == _ANY_LEVELS:
                found.add(at)
            elif wanted in (_ONE_LEVEL, level):
                found.add(at + 1)
        return found

    def _past_any(self, possible: set[int]) -> set[int]:
        """The same if each "#" may also stand for no level."""
        found = set(possible)
        for at in sorted(possible):
            while at < len(self._levels) and self._levels[at] == _ANY_LEVELS:
                at += 1
                found.add(at)
        return found


def _without_repeats(levels: list[str]) -> list[str]:
    """Two "#" in a row say no more than one."""
    return [
        level
        for at, level in enumerate(levels)
        if level != _ANY_LEVELS or at == 0 or levels[at - 1] != _ANY_LEVELS
    ]


def _expression(pattern: str) -> str:
    """Each part between two "*" is taken where it first fits, and no other place is tried (an
    atomic group), so that a topic cannot make it try all ways; the last one is at the end."""
    parts = [""]
    characters = iter(pattern)
    for one in characters:
        if one == "*":
            parts.append("")
        elif one == "?":
            parts[-1] += "."
        else:
            parts[-1] += re.escape(next(characters, "%") if one == "%" else one)
    if len(parts) == 1:
        return parts[0]
    between = "".join([f"(?>.*?{part})" for part in parts[1:-1] if part])
    return f"{parts[0]}{between}.*{parts[-1]}"
