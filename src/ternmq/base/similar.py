"""Names that a mistyped one may have meant, for the texts of errors.

`is_near` is for many names, which an engine has: it costs no more than a comparison of two texts.
`similar` is for the words of a table.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

SIMILAR_MAX: Final = 3
_LIKENESS: Final = 0.7
_DIFFERENT_MAX: Final = 2  # characters that a slip changes: one, or two that changed places


def is_near(wrong: str, name: str) -> bool:
    """Whether the two differ in one place, by one slip of the fingers, or only in case. The names
    must have more in common than not."""
    ours = wrong.casefold()
    theirs = name.casefold()
    shorter = min(len(ours), len(theirs))
    if max(len(ours), len(theirs)) - shorter > _DIFFERENT_MAX:
        return False
    begin = 0
    while begin < shorter and ours[begin] == theirs[begin]:
        begin += 1
    end = 0
    while end < shorter - begin and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    different = max(len(ours), len(theirs)) - begin - end
    return different <= _DIFFERENT_MAX and different < shorter


def is_turned(wrong: str, name: str) -> bool:
    """Whether the two have the same words in another order: depth_max for max_depth."""
    ours = wrong.casefold().split("_")
    theirs = name.casefold().split("_")
    return ours != theirs and sorted(ours) == sorted(theirs)


def similar(wrong: str, known: Collection[str]) -> list[str]:
    """The most similar word, and others that are as near, whatever their case."""
    from difflib import SequenceMatcher  # few make a mistake

    # A word is as long as the one who sends it likes: one that nothing can be near costs nothing.
    size = len(wrong)
    near = [name for name in known if name != wrong and _is_as_long(size, len(name))]
    if not near:
        return []
    turned = [name for name in near if is_turned(wrong, name)]
    if turned:
        return turned[:SIMILAR_MAX]
    matcher = SequenceMatcher(b=wrong.casefold())
    found: list[tuple[float, str]] = []
    for name in near:
        matcher.set_seq1(name.casefold())
        if matcher.quick_ratio() >= _LIKENESS:
            found.append((-round(matcher.ratio(), 3), name))
    found.sort()
    nearest = [name for likeness, name in found if likeness == found[0][0] <= -_LIKENESS]
    return list(dict.fromkeys(nearest))[:SIMILAR_MAX]


def _is_as_long(size: int, other: int) -> bool:
    """Whether two words of these lengths can be alike at all."""
    return 2 * min(size, other) >= _LIKENESS * (size + other)


def did_you_mean(wrong: str, known: Collection[str]) -> str:
    """A question with the similar words: Did you mean A1 or A2? Nothing if nothing is near."""
    return question(similar(wrong, known))


def question(names: list[str]) -> str:
    """Did you mean one of them? Nothing if there is none."""
    return f"Did you mean {' or '.join(names)}?" if names else ""
