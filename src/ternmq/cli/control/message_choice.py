"""Which messages of a queue or file a tool takes: by their place, their identifiers, their age and
what their data holds."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from ternmq.codec.mqi.mqmd import Descriptor

EBCDIC: Final = "cp037"
_RANGE: Final = re.compile(r"(?:(\d+)\.\.(\d+)|(\d+)#(\d+)|#(\d+)|(\d+))")


class Choice:
    """What is wanted; nothing set wants everything."""

    def __init__(self) -> None:
        self.first = 1
        self.last: int | None = None
        self.msg_id: bytes | None = None
        self.correl_id: bytes | None = None
        self.group_id: bytes | None = None
        self.holding: list[bytes] = []
        self.not_holding: list[bytes] = []
        self.older_than: timedelta | None = None
        self.younger_than: timedelta | None = None

    def set_range(self, written: str) -> None:
        """`x`, `x..y`, `x#y` (y from x on) or `#x` (the first x)."""
        match = _RANGE.fullmatch(written)
        if match is None:
            raise ValueError(f"{written!r} is not a range: x, x..y, x#y or #x")
        low, high, start, count, head, only = match.groups()
        if low:
            self.first, self.last = int(low), int(high)
        elif start:
            self.first, self.last = int(start), int(start) + int(count) - 1
        elif head:
            self.first, self.last = 1, int(head)
        else:
            self.first = self.last = int(only)
        if self.first < 1 or self.last < self.first - 1:
            raise ValueError(f"{written!r} holds no message")

    def set_id(self, written: str) -> None:
        """`m`, `c` or `g` and the identifier; with `x` before, in hexadecimal."""
        is_hex = written.startswith("x")
        kind, value = written.removeprefix("x")[:1], written.removeprefix("x")[1:]
        raw = bytes.fromhex(value) if is_hex else value.encode()
        if kind not in ("m", "c", "g") or not raw or len(raw) > 24:
            raise ValueError(f"{written!r}: [x] and m, c or g, then up to 24 bytes")
        raw = raw.ljust(24, b"\0")
        if kind == "m":
            self.msg_id = raw
        elif kind == "c":
            self.correl_id = raw
        else:
            self.group_id = raw

    def set_age(self, written: str) -> None:
        """`old` or `old,young`, each [[DD:]HH:]MM: at least so old, and less than that."""
        old, comma, young = written.partition(",")
        if old:
            self.older_than = _span(old)
        if comma:
            self.younger_than = _span(young)

    @property
    def is_over(self) -> bool:
        """There is a last place."""
        return self.last is not None

    def beyond(self, place: int) -> bool:
        """Nothing at this place or later is wanted."""
        return self.last is not None and place > self.last

    def wants(self, place: int, md: Descriptor | None, data: bytes) -> bool:
        """Whether the message at this place, from 1, is wanted."""
        if place < self.first or self.beyond(place):
            return False
        if md is not None and not (self._has_ids(md) and self._has_age(md)):
            return False
        return all(one in data for one in self.holding) and not any(
            one in data for one in self.not_holding
        )

    def _has_ids(self, md: Descriptor) -> bool:
        return (
            self.msg_id in (None, md.msg_id)
            and self.correl_id in (None, md.correl_id)
            and self.group_id in (None, md.group_id)
        )

    def _has_age(self, md: Descriptor) -> bool:
        if self.older_than is None and self.younger_than is None:
            return True
        put = md.put_datetime
        if put is None:
            return False
        age = datetime.now(UTC) - put
        if self.older_than is not None and age < self.older_than:
            return False
        return self.younger_than is None or age < self.younger_than


def _span(written: str) -> timedelta:
    parts = written.split(":")
    if not 1 <= len(parts) <= 3 or not all(part.isdigit() for part in parts):
        raise ValueError(f"{written!r} is not an age: [[DD:]HH:]MM")
    days, hours, minutes = ([0, 0, 0] + [int(part) for part in parts])[-3:]
    return timedelta(days=days, hours=hours, minutes=minutes)
