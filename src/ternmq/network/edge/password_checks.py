"""Whose password is checked next. A check takes memory and time on purpose, so two run at once, in
threads, and the others wait.

Clients that wait are not authenticated yet. So there may be `CHECKS_WAITING_MAX` in all and
`CHECKS_OF_ORIGIN_MAX` from one origin (an address, or a user of this machine). If all places are
taken, an origin that behaves better than another, or has fewer that wait, takes a place of that
one's. Origins are served in turn: those whose last password was right first, then unknown ones,
then those whose last one was wrong. A waiter that is cancelled, because its socket is lost,
waits no more; a check that runs already keeps its thread to its end.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from functools import partial
from typing import Final

from ternmq.base.errors import mq_error
from ternmq.base.limits import (
    CHECKS_AT_ONCE_MAX,
    CHECKS_OF_ORIGIN_MAX,
    CHECKS_WAITING_MAX,
)
from ternmq.base.reasons import MQRC_MAX_CONNS_LIMIT_REACHED

_GOOD: Final = 0
_UNKNOWN: Final = 1
_BAD: Final = 2
_NEW: Final = (_UNKNOWN, 0)
_ORIGINS_KEPT_MAX: Final = 4096

Check = Callable[[], bool]


class _Waiter:
    def __init__(self, origin: str, check: Check) -> None:
        self.origin = origin
        self.check = check
        self.answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()


class PasswordChecks:
    """One for all connections of a queue manager. Used in the loop's thread."""

    def __init__(self) -> None:
        self.running = 0
        self._waiting: dict[str, deque[_Waiter]] = {}
        self._count = 0
        # of origins: how they behaved, and when one of theirs had its turn; the last one last
        self._known: OrderedDict[str, tuple[int, int]] = OrderedDict()
        self._turn = 0

    @property
    def waiting(self) -> int:
        """How many wait."""
        return self._count

    async def is_right(self, origin: str, check: Check) -> bool:
        """What a check says when it has had its turn; MQRC_MAX_CONNS_LIMIT_REACHED if there are
        too many."""
        waiter = _Waiter(origin, check)
        self._queue(waiter)
        self._go_on()
        try:
            return await waiter.answer
        finally:
            self._leave(waiter)

    # ---- waiters

    def _queue(self, waiter: _Waiter) -> None:
        origin = waiter.origin
        own = len(self._waiting.get(origin, ()))
        if own >= CHECKS_OF_ORIGIN_MAX:
            raise self._too_many(f"{own} passwords from there wait to be checked")
        if self._count >= CHECKS_WAITING_MAX:
            self._make_room(origin, own)
        self._waiting.setdefault(origin, deque()).append(waiter)
        self._count += 1

    def _make_room(self, origin: str, own: int) -> None:
        """The newest of the worst origin gives way, if that is worse than the one that comes."""
        worst = max(self._waiting, key=self._badness)
        if self._badness(worst) <= (self._standing(origin), own + 1):
            raise self._too_many(f"{self._count} passwords wait to be checked")
        last = self._waiting[worst][-1]
        self._leave(last)
        last.answer.set_exception(self._too_many("others wait to be checked"))

    def _badness(self, origin: str) -> tuple[int, int]:
        return self._standing(origin), len(self._waiting[origin])

    def _standing(self, origin: str) -> int:
        return self._known.get(origin, _NEW)[0]

    def _leave(self, waiter: _Waiter) -> None:
        """It waits no more, if it did."""
        others = self._waiting.get(waiter.origin)
        if others is None or waiter not in others:
            return
        others.remove(waiter)
        self._count -= 1
        if not others:
            del self._waiting[waiter.origin]

    def _too_many(self, detail: str) -> Exception:
        return mq_error(MQRC_MAX_CONNS_LIMIT_REACHED, verb="MQCONN", detail=detail)

    # ---- checks

    def _go_on(self) -> None:
        while self._waiting and self.running < CHECKS_AT_ONCE_MAX:
            origin = min(self._waiting, key=self._order)
            waiter = self._waiting[origin][0]
            self._turn += 1
            self._know(origin, self._standing(origin), self._turn)
            self._leave(waiter)
            self.running += 1
            run = asyncio.get_running_loop().run_in_executor(None, waiter.check)
            run.add_done_callback(partial(self._checked, waiter))

    def _order(self, origin: str) -> tuple[int, int]:
        """The best behaved origin first, then the one that has waited longest for a turn."""
        return self._known.get(origin, _NEW)

    def _checked(self, waiter: _Waiter, done: asyncio.Future[bool]) -> None:
        self.running -= 1
        error = None if done.cancelled() else done.exception()
        if error is None and not done.cancelled():
            turn = self._known.get(waiter.origin, _NEW)[1]
            self._know(waiter.origin, _GOOD if done.result() else _BAD, turn)
        if not waiter.answer.done():
            if error is not None:
                waiter.answer.set_exception(error)
            elif done.cancelled():
                waiter.answer.cancel()
            else:
                waiter.answer.set_result(done.result())
        self._go_on()

    def _know(self, origin: str, standing: int, turn: int) -> None:
        self._known[origin] = (standing, turn)
        self._known.move_to_end(origin)
        if len(self._known) > _ORIGINS_KEPT_MAX:
            del self._known[self._least_known()]

    def _least_known(self) -> str:
        """The origin to forget: an attacker with many addresses must not push out good ones."""
        for origin, (standing, _) in self._known.items():
            if standing != _GOOD:
                return origin
        return next(iter(self._known))
