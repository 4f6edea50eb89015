"""What MONQ keeps of a queue: when it was last used, and how long messages are on it.

The two averages follow the last few gets and the last many, as moving averages do: each get moves
them by a fixed part of its distance.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

_SHORT: Final = 8  # gets
_LONG: Final = 1024


@final
class Watch:
    """Kept while MONQ is on."""

    __slots__ = ("gets", "last_get_ns", "last_put_ns", "long_ns", "short_ns")

    def __init__(self) -> None:
        self.last_put_ns: i64 = 0
        self.last_get_ns: i64 = 0
        self.gets: i64 = 0
        self.short_ns: i64 = 0  # time on the queue
        self.long_ns: i64 = 0

    def got(self, now_ns: i64, put_ns: i64) -> None:
        """A message was taken."""
        lay_ns = now_ns - put_ns
        if lay_ns < 0:  # the clock was set back
            lay_ns = 0
        self.last_get_ns = now_ns
        self.gets += 1
        if self.gets == 1:
            self.short_ns = lay_ns
            self.long_ns = lay_ns
            return
        self.short_ns += (lay_ns - self.short_ns) // _SHORT
        self.long_ns += (lay_ns - self.long_ns) // (self.gets if self.gets < _LONG else _LONG)
