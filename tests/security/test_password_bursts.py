"""Goal: who floods the queue manager with passwords does not lock others out.

Method: checks that the test lets go one by one, from addresses that behave well and badly; and a
partner of the network that goes away while its password waits.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

import ternmq
from ternmq.base import reasons as rc
from ternmq.base.limits import (
    CHECKS_AT_ONCE_MAX,
    CHECKS_OF_ORIGIN_MAX,
    CHECKS_WAITING_MAX,
)
from ternmq.network.edge import password_checks
from ternmq.network.edge.admission import Peer
from ternmq.network.edge.password_checks import PasswordChecks
from ternmq.server import identity
from ternmq.wire.fap import vocabulary as fap
from tests.unit.network.partner import Partner, Place, run_story

GOOD = "192.0.2.1"
BAD = "192.0.2.66"


class Stage:
    """Checks that end when the test says so, and the order in which they began."""

    def __init__(self) -> None:
        self.checks = PasswordChecks()
        self.began: list[str] = []
        self._may_end = threading.Semaphore(0)
        self.tasks: list[asyncio.Task[bool]] = []

    def ask(self, origin: str, is_right: bool = False) -> asyncio.Task[bool]:
        def check() -> bool:
            self.began.append(origin)
            self._may_end.acquire()
            return is_right

        task = asyncio.create_task(self.checks.is_right(origin, check))
        self.tasks.append(task)
        return task

    async def let(self, count: int = 1) -> None:
        """So many checks end, and others begin."""
        for _ in range(count):
            began = len(self.began)
            more = self.checks.waiting > 0
            self._may_end.release()
            while more and len(self.began) == began:  # noqa: ASYNC110 - threads begin
                await asyncio.sleep(0)

    async def until_running(self) -> None:
        while len(self.began) < CHECKS_AT_ONCE_MAX:  # noqa: ASYNC110 - threads begin
            await asyncio.sleep(0)

    async def end(self) -> None:
        for _ in range(len(self.tasks)):
            self._may_end.release()
        await asyncio.gather(*self.tasks, return_exceptions=True)


def played(play: Callable[[Stage], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        stage = Stage()
        try:
            await play(stage)
        finally:
            await stage.end()

    asyncio.run(run())


def refused(task: asyncio.Task[bool]) -> bool:
    error = task.exception() if task.done() else None
    return isinstance(error, ternmq.MQError) and error.reason == rc.MQRC_MAX_CONNS_LIMIT_REACHED


async def turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def test_checks_when_one_address_floods_then_its_number_is_bounded_and_others_are_next() -> None:
    async def play(stage: Stage) -> None:
        flood = [stage.ask(BAD) for _ in range(500)]
        await turns()
        assert stage.checks.waiting == CHECKS_OF_ORIGIN_MAX
        assert sum(map(refused, flood)) == 500 - CHECKS_OF_ORIGIN_MAX - CHECKS_AT_ONCE_MAX
        good = stage.ask(GOOD, True)
        await stage.until_running()
        await stage.let()
        assert stage.began[CHECKS_AT_ONCE_MAX] == GOOD, "before all others that wait"
        await stage.let(2)
        assert await good

    played(play)


def test_checks_when_many_addresses_flood_then_all_wait_within_a_bound_and_good_ones_first() -> (
    None
):
    async def play(stage: Stage) -> None:
        first = stage.ask(GOOD, True)
        await stage.let()
        assert await first  # from there came a right password
        stage.began.clear()
        flood = [stage.ask(f"198.51.100.{number % 250}") for number in range(2000)]
        await turns()
        assert stage.checks.waiting == CHECKS_WAITING_MAX
        assert sum(map(refused, flood)) == 2000 - CHECKS_WAITING_MAX - CHECKS_AT_ONCE_MAX
        good = stage.ask(GOOD, True)
        await turns()
        assert not good.done()
        assert stage.checks.waiting == CHECKS_WAITING_MAX, "another gave way"
        await stage.until_running()
        await stage.let()
        assert stage.began[CHECKS_AT_ONCE_MAX] == GOOD

    played(play)


def test_checks_when_a_password_was_wrong_then_that_address_is_served_after_new_ones() -> None:
    async def play(stage: Stage) -> None:
        wrong = stage.ask(BAD)
        await stage.let()
        assert not await wrong
        stage.began.clear()
        stage.ask("a")
        stage.ask("b")
        await stage.until_running()
        stage.ask(BAD)
        stage.ask(GOOD)
        await turns()
        await stage.let()
        assert stage.began[2:] == [GOOD]

    played(play)


def test_checks_when_many_addresses_were_wrong_then_good_ones_are_not_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(password_checks, "_ORIGINS_KEPT_MAX", 10)

    async def play(stage: Stage) -> None:
        first = stage.ask(GOOD, True)
        await stage.let()
        assert await first
        for number in range(30):
            wrong = stage.ask(f"198.51.100.{number}")
            await stage.let()
            assert not await wrong
        stage.began.clear()
        for number in range(5):
            stage.ask(f"203.0.113.{number}")
        await stage.until_running()
        stage.ask(GOOD, True)
        await turns()
        await stage.let()
        assert stage.began[CHECKS_AT_ONCE_MAX] == GOOD

    played(play)


def test_origin_when_addresses_are_of_one_network_of_ipv6_then_it_is_the_same() -> None:
    first, second = Peer("2001:db8:1:2::3", 1), Peer("2001:db8:1:2:ffff::4", 2)
    assert first.origin == second.origin == "2001:db8:1:2::/64"
    assert Peer("2001:db8:1:3::3", 1).origin != first.origin
    assert Peer("192.0.2.1", 1).origin == "192.0.2.1"


def test_checks_when_those_who_wait_are_cancelled_then_they_take_nobodys_turn() -> None:
    async def play(stage: Stage) -> None:
        flood = [stage.ask(BAD) for _ in range(CHECKS_OF_ORIGIN_MAX)]
        await stage.until_running()
        for task in flood:
            task.cancel()
        await turns()
        assert stage.checks.waiting == 0
        assert stage.checks.running == CHECKS_AT_ONCE_MAX, "threads go to their end"
        good = stage.ask(GOOD, True)
        await turns()
        assert stage.began == [BAD] * CHECKS_AT_ONCE_MAX
        await stage.let()
        assert stage.began[-1] == GOOD
        await stage.let(2)
        assert await good

    played(play)


def test_partner_when_it_is_lost_then_its_password_is_not_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_end = threading.Event()
    checked: list[str] = []

    def check(account: object, password: str) -> bool:
        checked.append(password)
        return may_end.wait(10)

    monkeypatch.setattr(identity, "is_password", check)

    async def story(place: Place, partner: Partner) -> None:
        checks = place.host.identity.checks

        async def user(*given: Any) -> str:
            await place.host.identity.is_right("app", str(given[-1]), "192.0.2.9")
            return "joe"

        monkeypatch.setattr(place.acceptor.admission, "user", user)
        others: list[Partner] = []
        for number in range(6):
            other = Partner(place.host)
            await other.open_channel()
            other.send_flow(fap.USERID_DATA, {"user_id": "joe", "long_user_id": "joe"})
            given = {"qmgr_name": "QM1", "appl_name": f"{number}", "appl_type": 28, "fcno": {}}
            other.send_flow(fap.MQCONN, given)
            others.append(other)
        await turns()
        assert checks.waiting == 6 - CHECKS_AT_ONCE_MAX
        for other in others:
            await other.lose()
        assert checks.waiting == 0
        may_end.set()
        while checks.running:  # noqa: ASYNC110 - threads end
            await asyncio.sleep(0)
        assert len(checked) == CHECKS_AT_ONCE_MAX

    run_story(story)
