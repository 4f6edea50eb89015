"""Room for answers: what was written for partners and has not left yet is bounded, for each socket
and for all of them together.

A socket that cannot be written gets no new answers: its calls wait where they are (`segment_line`).
Beside that, all sockets together hold at most `ANSWER_BYTES_MAX`: while they hold more, no call
gets or browses a message. A quarter is kept for those that hold little, which are users at an
address whose sockets together hold less than a sixteenth: the user that holds most cannot take it.
Jobs that wait go on in turn, those of the user that holds least first.

A socket that reads makes room in milliseconds. One that does not, while others wait for room, is
cut off after `STALL_S`, the largest first, until half of the room is free: one that has taken less
in that time than `PROGRESS_BYTES` and a 64th of what it holds counts as one that does not read.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, final

from ternmq.base.limits import ANSWER_BYTES_MAX

if TYPE_CHECKING:
    from ternmq.host.jobs import Job, Outlet, Turns

OUT_BYTES_MAX: Final = 1 << 19  # of one socket, written in a turn, before calls and consumers pause
STALL_S: Final = 2.0
PROGRESS_BYTES: Final = 65_536
COUNT_S: Final = 0.05  # all is not counted more often than this


@final
class Share:
    """What the sockets of one user at one address hold together, and which of its jobs wait."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.sockets = 0
        self.held_bytes = 0
        self.waiting: dict[Job, Outlet] = {}  # in the order in which they came


@final
class Room:
    """What the sockets of one loop hold together."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self.bytes_max = 0
        self.common_bytes_max = 0  # of it, for all shares
        self._kept_bytes = 0  # the rest
        self._little_bytes = 0  # a share that holds less may have that, too
        self._most_bytes = 0  # that a share held when all was counted
        self.held_bytes = 0
        self._held: dict[Outlet, int] = {}
        self._shares: dict[str, Share] = {}
        self._waiting: dict[Share, None] = {}  # that have jobs which wait
        self._counted_s = 0.0  # in the loop's time: when all was counted
        self._timer: asyncio.TimerHandle | None = None
        self._look_at_s = 0.0  # when those are looked for that do not read
        self._before: dict[Outlet, tuple[int, int]] = {}  # sent and unsent at the last look
        self.limit(ANSWER_BYTES_MAX)

    def limit(self, bytes_max: int) -> None:
        """All may hold so much."""
        self.bytes_max = bytes_max
        self._kept_bytes = bytes_max // 4
        self.common_bytes_max = bytes_max - self._kept_bytes
        self._little_bytes = bytes_max // 16

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return sum([len(share.waiting) for share in self._waiting])

    # ---- who

    def enter(self, outlet: Outlet, owner: str) -> None:
        """It is known whose a socket is."""
        share = self._shares.get(owner)
        if share is None:
            share = Share(owner)
            self._shares[owner] = share
        share.sockets += 1
        share.held_bytes += self._held.get(outlet, 0)
        outlet.share = share

    def leave(self, outlet: Outlet) -> list[Job]:
        """A socket ends: it holds nothing, and these of its jobs wait for nothing any more."""
        self.hold(outlet, 0)
        self._before.pop(outlet, None)
        share = outlet.share
        if share is None:
            return []
        outlet.share = None
        share.sockets -= 1
        if not share.sockets:
            self._shares.pop(share.owner, None)
        jobs = [job for job, one in share.waiting.items() if one is outlet]
        for job in jobs:
            del share.waiting[job]
        if not share.waiting:
            self._waiting.pop(share, None)
        return jobs

    # ---- how much

    def hold(self, outlet: Outlet, size: int) -> None:
        """A socket holds so many bytes now."""
        before = self._held.get(outlet, 0)
        if size == before:
            return
        if size:
            self._held[outlet] = size
        else:
            del self._held[outlet]
        self.held_bytes += size - before
        share = outlet.share
        if share is not None:
            share.held_bytes += size - before
        if self._waiting and size < before:
            self._wake()

    def add(self, outlet: Outlet, size: int) -> None:
        """More was written for a socket; it is sent at the end of the turn."""
        self._held[outlet] = self._held.get(outlet, 0) + size
        self.held_bytes += size
        share = outlet.share
        if share is not None:
            share.held_bytes += size

    def has_room(self, outlet: Outlet, job: Job) -> bool:
        """Whether another answer may be made; if not, the job goes on when there is room."""
        share = outlet.share
        if share is None:  # it ends, or has shown nothing yet
            return self.held_bytes < self.common_bytes_max
        if self._fits(share):
            return True
        now_s = self._turns.loop.time()
        if now_s - self._counted_s >= COUNT_S:
            self._count(now_s)
            if self._fits(share):
                return True
        share.waiting[job] = outlet
        self._waiting[share] = None
        if self._timer is None:
            self._remember(now_s)
            self._timer = self._turns.loop.call_later(COUNT_S, self.tick)
        return False

    def _fits(self, share: Share) -> bool:
        if self.held_bytes < self.common_bytes_max:
            return True
        if share.held_bytes >= self._little_bytes:
            return False
        others = self.held_bytes - self._most_bytes
        return self.held_bytes < self.bytes_max or others < self._kept_bytes

    def _count(self, now_s: float) -> None:
        """Sockets report that they hold more; that they hold less is found by looking."""
        self._counted_s = now_s
        for outlet in list(self._held):
            self.hold(outlet, outlet.held_bytes())
        self._most_bytes = max([one.held_bytes for one in self._shares.values()], default=0)

    def _wake(self) -> None:
        """Those that wait look again, one by one, as each may make an answer: one of each share,
        then the next."""
        shares = [share for share in self._waiting if self._fits(share)]
        shares.sort(key=_held_bytes)
        queues = [list(share.waiting) for share in shares]
        for share in shares:
            share.waiting.clear()
            del self._waiting[share]
        at = 0
        while queues:
            for jobs in queues:
                self._turns.post(jobs[at])
            at += 1
            queues = [jobs for jobs in queues if len(jobs) > at]

    # ---- sockets that do not read

    def tick(self) -> None:
        """Jobs wait: perhaps there is room by now, or a socket does not read."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        now_s = self._turns.loop.time()
        self._count(now_s)
        if self._waiting:
            self._wake()
        if self._waiting and now_s >= self._look_at_s:
            self.look()
        if self._waiting:
            self._timer = self._turns.loop.call_later(COUNT_S, self.tick)

    def look(self) -> None:
        """Some have waited for a while: who did not read is cut off."""
        stalled = [one for one, then in self._before.items() if self._does_not_read(one, then)]
        stalled.sort(key=self._size_of, reverse=True)
        excess = self.held_bytes - self.bytes_max // 2
        for outlet in stalled:
            if excess <= 0:
                break
            excess -= self._size_of(outlet)
            outlet.cut_stalled(outlet.unsent_bytes())
        self._remember(self._turns.loop.time())

    def _remember(self, now_s: float) -> None:
        self._look_at_s = now_s + STALL_S
        self._before = {one: (one.sent_bytes(), one.unsent_bytes()) for one in self._held}

    def _does_not_read(self, outlet: Outlet, then: tuple[int, int]) -> bool:
        sent, unsent = then
        expected = min(max(PROGRESS_BYTES, self._size_of(outlet) >> 6), unsent)
        return outlet.unsent_bytes() > 0 and outlet.sent_bytes() - sent < expected

    def _size_of(self, outlet: Outlet) -> int:
        return self._held.get(outlet, 0)


def _held_bytes(share: Share) -> int:
    return share.held_bytes
