"""Patterns of channel authentication: names with *, addresses with * and ranges, distinguished
names; which match, and which of two is more specific.

Names      * stands for any characters, also none. A character is more specific than *.
Addresses  IPv4 or IPv6 in parts (192.0.2.7, 2001:db8::7); a part may be a number, a range (3-9) or
           *, and a last * stands for all parts that follow. Anything with a letter that is no IPv6
           address is a host name with *. Addresses are more specific than host names, and * alone
           is less than both.
Peers      the attributes of a distinguished name, CN="app*", OU=Sales, between commas or
           semicolons: each that the pattern has must be there with a value that matches, in
           whatever letters; several of one kind in their order, the largest unit first.
"""

from __future__ import annotations

import ipaddress
from typing import Final

from ternmq.security.profiles import qualifier_matches

_EXACT: Final = 0
_LITERAL: Final = 0
_RANGE: Final = 1
_ANY: Final = 2
_END: Final = 3
_HOST: Final = 4  # before the key of a host name: behind every address
_EVERYWHERE: Final = (8,)
# Two names of one attribute.
_KEYS: Final[dict[str, str]] = {"E": "MAIL", "USERID": "UID", "SP": "ST", "S": "ST"}
PEER_KEYS: Final = (
    "SERIALNUMBER", "MAIL", "UID", "CN", "T", "OU", "DC", "O", "STREET", "L", "ST", "PC", "C",
    "UNSTRUCTUREDNAME", "UNSTRUCTUREDADDRESS", "DNQ",
)  # fmt: skip
NOTHING: Final = (9,)


# ---- names


def name_matches(pattern: str, name: str) -> bool:
    """Whether a name with * stands for a name."""
    return qualifier_matches(pattern.replace("?", "\0"), name.replace("?", "\0"))


def patterns_meet(one: str, other: str) -> bool:
    """Whether there is a name that both patterns stand for."""
    # meets[j]: what is left of `one` from the place at hand, and of `other` from j, can meet
    meets = [other[place:].strip("*") == "" for place in range(len(other) + 1)]
    for place in range(len(one) - 1, -1, -1):
        later = meets
        star = one[place] == "*"
        meets = [star and later[len(other)]] * (len(other) + 1)
        for at in range(len(other) - 1, -1, -1):
            if star or other[at] == "*":
                meets[at] = later[at] or meets[at + 1]
            else:
                meets[at] = one[place] == other[at] and later[at + 1]
    return meets[0]


def name_key(pattern: str) -> tuple[int, ...]:
    """Of two patterns that match one name, the one with the smaller key is more specific."""
    if "*" not in pattern:
        return (_EXACT,)
    return (1, *[_ANY if character == "*" else _LITERAL for character in pattern], _END)


# ---- addresses


def is_host_pattern(pattern: str) -> bool:
    """Whether it is a host name and no address."""
    if ":" in pattern:
        return False
    return any(character.isalpha() for character in pattern)


def address_fault(pattern: str) -> str:
    """Why a text is not a pattern of addresses or hosts; "" if it is one."""
    if not pattern:
        return "it is empty"
    if is_host_pattern(pattern):
        allowed = all(one.isalnum() or one in "*.-_" for one in pattern)
        return "" if allowed else "it has a character that no host name has"
    parts, width, base = _parts(pattern)
    if len(parts) > width or (len(parts) < width and parts[-1] != "*"):
        return f"an address has {width} parts"
    highest = 255 if base == 10 else 65535
    for part in parts:
        if part == "*":
            continue
        bounds = _bounds(part, base)
        if bounds is None or not 0 <= bounds[0] <= bounds[1] <= highest:
            return f"'{part}' is not a part of an address"
    return ""


def _parts(pattern: str) -> tuple[list[str], int, int]:
    """The parts of an address, how many it should have, and their base."""
    if ":" not in pattern:
        return pattern.split("."), 4, 10
    if "::" in pattern:
        before, after = pattern.split("::", 1)
        head = before.split(":") if before else []
        tail = after.split(":") if after else []
        return head + ["0"] * (8 - len(head) - len(tail)) + tail, 8, 16
    return pattern.split(":"), 8, 16


def _bounds(part: str, base: int) -> tuple[int, int] | None:
    low, dash, high = part.partition("-")
    try:
        lowest = int(low, base)
        return lowest, int(high, base) if dash else lowest
    except ValueError:
        return None


def address_matches(pattern: str, address: str, host: str = "") -> bool:
    """Whether the pattern stands for an address, or for the host name of it."""
    if not pattern or pattern == "*":
        return True
    if is_host_pattern(pattern):
        return bool(host) and name_matches(pattern.lower(), host.lower())
    numbers = _numbers(address)
    parts, width, base = _parts(pattern)
    if numbers is None or len(numbers) != width:
        return False
    for place, number in enumerate(numbers):
        if place >= len(parts):
            return parts[-1] == "*"
        if parts[place] == "*":
            continue
        bounds = _bounds(parts[place], base)
        if bounds is None or not bounds[0] <= number <= bounds[1]:
            return False
    return True


def _numbers(address: str) -> list[int] | None:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    data = parsed.packed
    if len(data) == 4:
        return list(data)
    return [data[place] << 8 | data[place + 1] for place in range(0, 16, 2)]


def address_key(pattern: str) -> tuple[int, ...]:
    """Of two patterns that match one address, the one with the smaller key is more specific."""
    if not pattern:
        return NOTHING
    if pattern == "*":
        return _EVERYWHERE
    if is_host_pattern(pattern):
        return (_HOST, *name_key(pattern))
    parts, width, base = _parts(pattern)
    key: list[int] = []
    for place in range(width):
        part = parts[place] if place < len(parts) else "*"
        bounds = None if part == "*" else _bounds(part, base)
        if bounds is None:
            key += [_ANY, 0]
        elif bounds[0] == bounds[1]:
            key += [_LITERAL, 0]
        else:
            key += [_RANGE, bounds[1] - bounds[0]]
    return tuple(key)


# ---- distinguished names


def peer_attributes(name: str) -> list[tuple[str, str]]:
    """The attributes of a distinguished name: CN="a, b",OU=c; a quote may stand doubled."""
    return _parsed_peer(name)[0]


def _parsed_peer(name: str) -> tuple[list[tuple[str, str]], str]:
    """The attributes, and the first text that is not an attribute with its value, or ""."""
    found: list[tuple[str, str]] = []
    place = 0
    while True:
        while place < len(name) and name[place] in " ,;":
            place += 1
        if place == len(name):
            return found, ""
        equals = name.find("=", place)
        end = _next_separator(name, place)
        if equals < 0 or equals > end:
            return found, name[place:end].strip()
        key = name[place:equals].strip().upper()
        place = equals + 1
        if name[place : place + 1] == '"':
            value, place = _quoted(name, place + 1)
            end = _next_separator(name, place)
            if name[place:end].strip():
                return found, name[place:end].strip()
        else:
            value = name[place:end].strip()
        place = end
        found.append((_KEYS.get(key, key), value))


def _next_separator(name: str, place: int) -> int:
    while place < len(name) and name[place] not in ",;":
        place += 1
    return place


def _quoted(name: str, place: int) -> tuple[str, int]:
    """What stands up to the closing quote, and where that is."""
    value = ""
    while place < len(name):
        if name[place] == '"':
            if name[place + 1 : place + 2] != '"':
                return value, place + 1
            place += 1
        value += name[place]
        place += 1
    return value, place


def peer_fault(pattern: str) -> str:
    """Why a text is not a pattern of distinguished names; "" if it is one."""
    attributes, wrong = _parsed_peer(pattern)
    if wrong:
        return f"'{wrong}' is not an attribute with its value, such as CN=name"
    for key, _ in attributes:
        if key not in PEER_KEYS:
            return f"'{key}' is not an attribute of a distinguished name"
    return "" if attributes or not pattern else "it has no attribute, such as CN=name"


def peer_matches(pattern: str, name: str) -> bool:
    """Whether a distinguished name matches a pattern; an invalid pattern matches none."""
    if not pattern:
        return True
    if peer_fault(pattern):
        return False
    given = peer_attributes(name)
    place_of: dict[str, int] = {}
    for key, value in peer_attributes(pattern):
        place = place_of.get(key, 0)
        while place < len(given) and given[place][0] != key:
            place += 1
        if place >= len(given) or not name_matches(value.lower(), given[place][1].lower()):
            return False
        place_of[key] = place + 1
    return True


def peer_key(pattern: str) -> tuple[int, ...]:
    """More attributes first, then those with fewer wildcards."""
    if not pattern:
        return NOTHING
    attributes = peer_attributes(pattern)
    key = [-len(attributes)]
    for _, value in attributes:
        key += [1 if "*" in value else 0, -len(value.replace("*", ""))]
    return tuple(key)
