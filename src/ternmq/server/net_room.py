"""Room for answers: what was written for partners and has not left yet is bounded, for each socket
and for all of them together.

A socket that cannot be written gets no new answers: its calls wait where they are (`net_line`).
Beside that, all sockets together hold at most `ANSWER_BYTES_MAX`: while they hold more, nobody
gets or browses a message. Who reads makes room in milliseconds. Who does not, while others wait for
room, is cut off after `STALL_S`: one that has taken less than `PROGRESS_BYTES` in that time counts
as one that does not read.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final, final

from ternmq.base.limits import ANSWER_BYTES_MAX

if TYPE_CHECKING:
    from ternmq.server.loop_verbs import Job, Turns
    from ternmq.server.net_line import Line

OUT_BYTES_MAX: Final = 1 << 19  # of one socket, written in a turn, before calls and consumers pause
STALL_S: Final = 2.0
PROGRESS_BYTES: Final = 65_536
COUNT_S: Final = 0.05  # all is not counted more often than this


@final
class Room:
    """What the sockets of one loop hold together."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self.bytes_max = ANSWER_BYTES_MAX
        self.held_bytes = 0
        self._held: dict[Line, int] = {}
        self._waiting: deque[tuple[Line, Job]] = deque()
        self._counted_s = 0.0  # in the loop's time: when all was counted
        self._timer: asyncio.TimerHandle | None = None
        self._before: dict[Line, int] = {}  # what they held at the last look

    def hold(self, line: Line, size: int) -> None:
        """A socket holds so many bytes now."""
        before = self._held.get(line, 0)
        if size == before:
            return
        if size:
            self._held[line] = size
        else:
            del self._held[line]
        self.held_bytes += size - before
        if self._waiting and size < before:
            self._wake()

    def add(self, line: Line, size: int) -> None:
        """More was written for a socket; it is sent at the end of the turn."""
        self._held[line] = self._held.get(line, 0) + size
        self.held_bytes += size

    def has_room(self, line: Line, job: Job) -> bool:
        """Whether another answer may be made; if not, the job goes on when there is room."""
        if self.held_bytes < self.bytes_max:
            return True
        now_s = self._turns.loop.time()
        if now_s - self._counted_s >= COUNT_S:
            self._count(now_s)
            if self.held_bytes < self.bytes_max:
                return True
        self._waiting.append((line, job))
        if self._timer is None:
            self._before = dict(self._held)
            self._timer = self._turns.loop.call_later(STALL_S, self._look)
        return False

    def leave(self, line: Line) -> list[Job]:
        """A socket ends: it holds nothing, and these of its jobs wait for nothing any more."""
        jobs = [job for one, job in self._waiting if one is line]
        if jobs:
            self._waiting = deque([one for one in self._waiting if one[0] is not line])
        self.hold(line, 0)
        return jobs

    def _count(self, now_s: float) -> None:
        """Sockets tell that they hold more; that they hold less is found by looking."""
        self._counted_s = now_s
        for line in list(self._held):
            self.hold(line, line.held_bytes())

    def _wake(self) -> None:
        """Those that wait look again, one by one, as each may make an answer."""
        if self.held_bytes < self.bytes_max:
            waiting, self._waiting = self._waiting, deque()
            for _line, job in waiting:
                self._turns.post(job)

    def _look(self) -> None:
        """Some have waited for a while: who did not read is cut off."""
        self._timer = None
        before, self._before = self._before, {}
        self._count(self._turns.loop.time())
        if not self._waiting:
            return
        for line, size in before.items():
            left = self._held.get(line, 0)
            if self.held_bytes >= self.bytes_max and left and left > size - PROGRESS_BYTES:
                line.cut_stalled(left)
        if self._waiting and self._timer is None:
            self._before = dict(self._held)
            self._timer = self._turns.loop.call_later(STALL_S, self._look)
