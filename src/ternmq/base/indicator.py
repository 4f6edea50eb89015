"""An indicator, as DISPLAY CHSTATUS shows them: a short-term and a long-term average. The last
value counts an eighth in the one, a 1024th in the other."""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

_SHORT: Final = 8
_LONG: Final = 1024


@final
class Indicator:
    """A short-term and a long-term average."""

    def __init__(self) -> None:
        self.times: i64 = 0
        self.short: i64 = 0
        self.long: i64 = 0

    def add(self, value: i64) -> None:
        """One more value."""
        self.times += 1
        if self.times == 1:
            self.short = value
            self.long = value
            return
        self.short += (value - self.short) // _SHORT
        self.long += (value - self.long) // (self.times if self.times < _LONG else _LONG)
