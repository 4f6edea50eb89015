"""A local connection's part of the room for answers (`answer_room`): applications of this machine
that do not read count like those of the network, wait like them and are cut off like them.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from ternmq.host.jobs import Job, Outlet, Turns

if TYPE_CHECKING:
    from ternmq.server.session import Session

COUNTED_BYTES: Final = 65_536  # an answer of less is not counted


class _Wait(Job):
    """A session waits for room."""

    def __init__(self, turns: Turns) -> None:
        super().__init__(turns)
        self.is_there: asyncio.Future[None] = turns.loop.create_future()

    def go_on(self) -> None:
        if not self.is_there.done():
            self.is_there.set_result(None)


class LocalOutlet(Outlet):
    """What one session has written."""

    def __init__(self, session: Session, turns: Turns, owner: str) -> None:
        super().__init__()
        self._session = session
        self._room = turns.room
        self._turns = turns
        self._written_bytes = 0
        self._largest_bytes = 0  # of the answers, since all had left
        self._room.enter(self, owner)

    @property
    def is_full(self) -> bool:
        """Whether there may be no room for another answer."""
        return self._room.held_bytes >= self._room.common_bytes_max

    async def wait(self) -> None:
        """Until there is room."""
        job = _Wait(self._turns)
        while not self._room.has_room(self, job):
            await job.is_there
            job = _Wait(self._turns)

    def wrote(self, size: int) -> None:
        """An answer was written."""
        self._written_bytes += size
        self._largest_bytes = max(self._largest_bytes, size)
        self._room.hold(self, self.held_bytes())

    def leave(self) -> None:
        """The session ends."""
        for job in self._room.leave(self):
            self._turns.post(job)

    # ---- for the room

    def unsent_bytes(self) -> int:
        return self._session.unsent_bytes

    def sent_bytes(self) -> int:
        return self._written_bytes - self.unsent_bytes()

    def held_bytes(self) -> int:
        left = self.unsent_bytes()
        if left == 0:
            self._largest_bytes = 0
        return left + self._largest_bytes

    def cut_stalled(self, left_bytes: int) -> None:
        self._session.cut_stalled(left_bytes)
