"""Batches: what belongs to one, sequence numbers that wrap, and LUWIDs that never come twice."""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.channel.channel_state import NO_LUWID

_LUWID: Final = struct.Struct("<II")
_U32: Final = 0xFFFFFFFF


@final
class Batch:
    """One batch at either end, until its answer is sent or has come."""

    def __init__(self, luwid: bytes) -> None:
        self.luwid: Final = luwid
        self.waited_ns: i64 = 0  # for messages, while the queue was empty
        self.messages = 0  # that were sent, or came
        self.counted = 0  # of them under syncpoint: these have numbers
        self.buried = 0  # that were not sent
        self.bytes: i64 = 0
        self.sequence = 0  # of the last that was counted
        self.has_unit = False  # the engine holds something that is not committed
        self.is_prepared = False
        self.used_dead_letters = False


@final
class Numbers:
    """Sequence numbers: 1 to the wrap value, then 1 again. 0 is before the first."""

    def __init__(self, wrap: int) -> None:
        self.wrap: Final = wrap
        self.last = 0

    def following(self) -> int:
        """The number of the next message."""
        return 1 if self.last >= self.wrap else self.last + 1

    def before(self, number: int) -> int:
        """The last number, so that this one is next."""
        return number - 1 if number > 1 else 0


@final
class Luwids:
    """Seconds and a counter, in the byte order of this machine: each higher than those before, also
    after a restart and when the clock was set back."""

    def __init__(self, started_s: int) -> None:
        self._seconds = started_s & _U32
        self._counter = 0
        self._avoided = NO_LUWID

    def known(self, luwid: bytes) -> None:
        """This one was used before."""
        if luwid == NO_LUWID:
            return
        seconds, counter = _LUWID.unpack(luwid)
        if (seconds, counter) > (self._seconds, self._counter):
            self._seconds = seconds
            self._counter = counter

    def avoid(self, luwid: bytes) -> None:
        """The partner has this one as the last. A queue manager that was restored from a backup
        does not know it, and may start its channel in the same second as before."""
        self._avoided = luwid

    def next(self) -> bytes:
        """A new one."""
        luwid = self._following()
        return luwid if luwid != self._avoided else self._following()

    def _following(self) -> bytes:
        self._counter += 1
        if self._counter > _U32:
            self._counter = 1
            self._seconds = (self._seconds + 1) & _U32
        return _LUWID.pack(self._seconds, self._counter)
