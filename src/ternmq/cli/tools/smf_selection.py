"""Which records and sections `ternmq smf` shows, from the words of its options."""

from __future__ import annotations

from typing import Final, NamedTuple

from ternmq.codec.smf.clock_values import level_of_release
from ternmq.codec.smf.record import KINDS
from ternmq.codec.smf.section_table import SECTIONS

_IN_HEADER: Final = ("SMF", "QWHS", "QWHC", "QWHX")
SECTION_NAMES: Final = tuple(row.name for row in SECTIONS if row.name not in _IN_HEADER)


class Selection(NamedTuple):
    """What is wanted; None is everything."""

    kinds: frozenset[tuple[int, int]] | None
    sections: frozenset[str] | None
    levels: tuple[int, int] | None

    def wants_level(self, level: int) -> bool:
        return self.levels is None or self.levels[0] <= level <= self.levels[1]


def kinds_of(words: list[str] | None) -> frozenset[tuple[int, int]] | None:
    """115, 116-1: types and subtypes."""
    if not words:
        return None
    found: set[tuple[int, int]] = set()
    for word in words:
        kind, _, subtype = word.partition("-")
        named = {key for key in KINDS if str(key[0]) == kind and subtype in ("", str(key[1]))}
        if not named:
            known = ", ".join(row.name for row in KINDS.values())
            raise ValueError(f"{word} is not a known type of record; those are {known}")
        found |= named
    return frozenset(found)


def sections_of(words: list[str] | None) -> frozenset[str] | None:
    """Names of sections, in any case; WQST is WQ."""
    if not words:
        return None
    found: set[str] = set()
    for word in words:
        name = "WQ" if word.upper() == "WQST" else word.upper()
        if name not in SECTION_NAMES:
            raise ValueError(f"{word} is not a section; those are {', '.join(SECTION_NAMES)}")
        found.add(name)
    return frozenset(found)


def level_range(text: str) -> tuple[int, int] | None:
    """One level or two with a hyphen between."""
    if not text:
        return None
    first, hyphen, last = text.partition("-")
    lowest = level_of(first)
    return lowest, level_of(last) if hyphen else lowest


def level_of(text: str) -> int:
    """8.0, 9.4.5, 945 or 100000."""
    if "." in text:
        parts = text.split(".")
        if len(parts) > 3 or not all(part.isdecimal() and len(part) < 3 for part in parts):
            raise ValueError(f"{text} is not a level")
        version, release, modification = [*(int(part) for part in parts), 0][:3]
        return version * 10_000 + release * 100 + modification
    level = level_of_release(text)
    if not level:
        raise ValueError(f"{text} is not a level; 8.0, 9.4.5, 945 and 100000 are")
    return level
