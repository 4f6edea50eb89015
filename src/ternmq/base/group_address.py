"""Group addresses of multicast: IPv4, 224.0.0.0 to 239.255.255.255."""

from __future__ import annotations

from typing import Final

_FIRST: Final = 224
_LAST: Final = 239


def is_group_address(text: str) -> bool:
    """Whether it is one."""
    parts = text.split(".")
    if len(parts) != 4 or not all(one.isascii() and one.isdecimal() for one in parts):
        return False
    numbers = [int(one) for one in parts]
    return max(numbers) <= 255 and _FIRST <= numbers[0] <= _LAST


def without_leading_zeros(address: str) -> str:
    """A group address as every system reads it: some take 010 for 8."""
    return ".".join([str(int(one)) for one in address.split(".")])
