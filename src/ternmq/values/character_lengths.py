"""How many characters each character attribute has in the answer to MQINQ."""

from __future__ import annotations

from typing import Final

from ternmq.base.attributes import ATTRIBUTES
from ternmq.base.limits import OBJECT_NAME_BYTES_MAX


def _lengths() -> dict[int, int]:
    found: dict[int, int] = {}
    for row in ATTRIBUTES:
        if row.text and row.selector:
            found[row.selector] = max(found.get(row.selector, 0), row.highest)
    return found


_LENGTHS: Final = _lengths()


def character_bytes(selector: int) -> int:
    """The length of one attribute; a name's where it has none of its own."""
    return _LENGTHS.get(selector, 0) or OBJECT_NAME_BYTES_MAX
