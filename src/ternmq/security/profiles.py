"""Profiles: the names that authority is given for, and which of several counts.

    ?     any one character of a qualifier
    *     inside a qualifier: any characters, also none; as a qualifier: exactly one
    **    once, as a qualifier: any number of qualifiers, also none; alone: every name

A qualifier is what stands between the dots of a name. Where several profiles of one user or group
match a name, only the most specific counts: one without wildcards before any other; then, compared
from left to right, where two differ first, a character is more specific than ?, ? than *, and *
than **.
"""

from __future__ import annotations

from typing import Final

from ternmq.base.limits import OBJECT_NAME_BYTES_MAX
from ternmq.base.names import is_name
from ternmq.security.authorities import CLASS_PROFILE, SELF_PROFILE

MANY: Final = "**"
_WILD: Final = "?*"
_LITERAL: Final = 0
_END: Final = 1
_ONE: Final = 2
_ANY: Final = 3
_ANY_QUALIFIERS: Final = 4


def is_generic(profile: str) -> bool:
    """Whether a profile stands for more than one name."""
    return "*" in profile or "?" in profile


def fixed_part(profile: str) -> str:
    """How every name begins that the profile stands for: most profiles are passed over by that.
    The dot before ** is not part of it, which may stand for no qualifier at all."""
    for place, character in enumerate(profile):
        if character in _WILD:
            return profile[:place].removesuffix(".")
    return profile


def fault_of(profile: str) -> str:
    """Why a text is not a profile; "" if it is one."""
    if profile in (CLASS_PROFILE, SELF_PROFILE):
        return ""
    if not 0 < len(profile) <= OBJECT_NAME_BYTES_MAX:
        return f"a profile has 1 to {OBJECT_NAME_BYTES_MAX} characters"
    if not is_name(profile.replace("*", "A").replace("?", "A")):
        return "it has a character that no name has"
    many = 0
    for qualifier in profile.split("."):
        if qualifier == MANY:
            many += 1
        elif MANY in qualifier:
            return "** stands for whole qualifiers"
    return "** may stand once" if many > 1 else ""


def matches(profile: str, name: str) -> bool:
    """Whether the profile stands for the name."""
    if not is_generic(profile):
        return profile == name
    wanted = profile.split(".")
    given = name.split(".")
    if MANY not in wanted:
        return len(wanted) == len(given) and _all_match(wanted, given)
    before = wanted.index(MANY)
    after = len(wanted) - before - 1
    if len(given) < before + after:
        return False
    return _all_match(wanted[:before], given[:before]) and _all_match(
        wanted[before + 1 :], given[len(given) - after :]
    )


def _all_match(wanted: list[str], given: list[str]) -> bool:
    return all(
        qualifier_matches(pattern, text) for pattern, text in zip(wanted, given, strict=True)
    )


def qualifier_matches(pattern: str, text: str) -> bool:
    """Whether a text without dots fits a pattern of characters, ? and *."""
    at = 0
    place = 0
    star = -1  # the last * in the pattern, and what of the text it has taken so far
    taken = 0
    while place < len(text):
        if at < len(pattern) and pattern[at] == "*":
            star = at
            taken = place
            at += 1
        elif at < len(pattern) and (pattern[at] == "?" or pattern[at] == text[place]):
            at += 1
            place += 1
        elif star >= 0:
            taken += 1
            place = taken
            at = star + 1
        else:
            return False
    while at < len(pattern) and pattern[at] == "*":
        at += 1
    return at == len(pattern)


def specificity(profile: str) -> tuple[int, ...]:
    """A key: of two profiles that match one name, the one with the smaller key counts."""
    key = [1 if is_generic(profile) else 0]
    place = 0
    while place < len(profile):
        if profile.startswith(MANY, place):
            key.append(_ANY_QUALIFIERS)
            place += 2
            continue
        character = profile[place]
        key.append(_LITERAL if character not in _WILD else _ONE if character == "?" else _ANY)
        place += 1
    key.append(_END)
    return tuple(key)
