"""Goal: a connection is the user that it proves to be; a password is checked beside the loop.

Method: every way to ask, under each CHCKLOCL, on a queue manager in memory; checks that are counted
while they run, and sleeps that are written down instead of slept.
"""

import asyncio
import os
import threading
from collections.abc import Iterator

import pytest

import ternmq
from ternmq import NotAuthorized
from ternmq.base import constants as mq
from ternmq.base.limits import CHECKS_AT_ONCE_MAX
from ternmq.codec.pcf.structures import unpack_pcf
from ternmq.security.password_file import PATH, Account, save_accounts
from ternmq.security.passwords import make_account
from ternmq.server import identity
from ternmq.server.identity import Identity

OTHER_UID = os.getuid() + 4711
USERS = {"joe": ("staff",), "boss": ("mqm",)}
APP = make_account("app", (), "s3cret", bytes(16))


class Bench:
    """Who comes in."""

    def __init__(self, qm: ternmq.QueueManager, slept: list[float]) -> None:
        self.qm = qm
        self.disk = qm.started.shell.disk
        self.slept = slept
        self.kernel = qm.started.shell.engine.kernel
        save_accounts(self.disk, {"app": APP})

    def mode(self, check: str, adopt: str = "YES") -> None:
        text = (
            "ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) "
            f"CHCKLOCL({check}) ADOPTCTX({adopt}) FAILDLAY(7)"
        )
        assert all(answer.ok for answer in self.qm.mqsc(text))

    def enter(
        self, name: str, asked: str = "", password: str | None = None, uid: int = OTHER_UID
    ) -> str:
        """The user that it becomes; "-" if it is refused."""

        async def ask() -> str:
            checks = Identity(self.qm.started.shell)
            return await checks.user(uid, name, asked, password, "program")

        try:
            return asyncio.run(ask())
        except NotAuthorized:
            return "-"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("ternmq.server.identity.asyncio.sleep", sleep)
    with ternmq.memory("QM1", security=USERS) as qm:
        yield Bench(qm, slept)


@pytest.mark.parametrize(
    ("check", "plain", "administrator", "right", "wrong"),
    [
        ("NONE", "joe", "boss", "-", "-"),
        ("OPTIONAL", "joe", "boss", "app", "-"),
        ("REQUIRED", "-", "-", "app", "-"),
        ("REQDADM", "joe", "-", "app", "-"),
    ],
)
def test_every_mode(
    check: str, plain: str, administrator: str, right: str, wrong: str, bench: Bench
) -> None:
    bench.mode(check)
    assert bench.enter("joe") == plain
    assert bench.enter("boss") == administrator
    assert bench.enter("joe", "app", "s3cret") == right
    assert bench.enter("joe", "app", "wrong") == wrong
    assert bench.enter("joe", "ghost", "s3cret") == "-"
    assert bench.enter("joe", "app") == "-"  # nobody is another without a password
    assert bench.enter("joe", "app", "") == "-"


def test_without_adoptctx_a_right_password_changes_nothing(bench: Bench) -> None:
    bench.mode("REQUIRED", adopt="NO")
    assert bench.enter("joe", "app", "s3cret") == "joe"
    assert bench.enter("joe", "app", "wrong") == "-"


def test_the_owner_may_speak_for_others(bench: Bench) -> None:
    assert bench.enter("owner", "joe", uid=os.getuid()) == "joe"
    assert bench.enter("root", "joe", uid=identity.ROOT) == "joe"
    assert bench.enter("joe", "boss") == "-"


def test_a_wrong_password_is_reported_and_answered_late(bench: Bench) -> None:
    bench.mode("OPTIONAL")
    bench.kernel.notices.take()
    assert bench.enter("joe", "app", "wrong") == "-"
    reported = [(one.message_id, one.inserts) for one in bench.kernel.notices.take()]
    assert reported == [("AMQ5534E", ("app",)), ("AMQ5541E", ("OPTIONAL",))]
    assert bench.slept == [7]
    bench.mode("REQUIRED")
    assert bench.enter("joe") == "-"
    reported = [(one.message_id, one.inserts) for one in bench.kernel.notices.take()]
    assert reported == [("AMQ5540E", ("program",)), ("AMQ5541E", ("REQUIRED",))]


def test_a_refusal_is_an_event_if_it_is_wanted(bench: Bench) -> None:
    bench.mode("OPTIONAL")
    bench.qm.mqsc("ALTER QMGR AUTHOREV(ENABLED)")
    with bench.qm.queue("SYSTEM.ADMIN.QMGR.EVENT") as events:
        while events.depth:
            events.get()
        bench.enter("joe", "app", "wrong")
        event = unpack_pcf(events.get().data)
        qualifier = event.find(mq.MQIACF_REASON_QUALIFIER)
        user = event.find(mq.MQCACF_USER_IDENTIFIER)
        assert qualifier is not None
        assert user is not None
        assert (qualifier.number, user.text) == (mq.MQRQ_CSP_NOT_AUTHORIZED, "app")


def test_at_most_two_are_checked_at_once_and_none_in_the_loop(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = 0
    most = 0
    threads: set[int] = set()
    lock = threading.Lock()
    both = threading.Barrier(CHECKS_AT_ONCE_MAX, timeout=10)

    def check(account: Account | None, password: str) -> bool:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            threads.add(threading.get_ident())
        both.wait()
        with lock:
            running -= 1
        return True

    monkeypatch.setattr(identity, "is_password", check)

    async def rush() -> list[str]:
        checks = Identity(bench.qm.started.shell)
        asking = [checks.user(OTHER_UID, "joe", "app", "x", "p") for _ in range(6)]
        return await asyncio.gather(*asking)

    assert asyncio.run(rush()) == ["app"] * 6
    assert most == CHECKS_AT_ONCE_MAX
    assert threading.get_ident() not in threads


def test_a_file_that_cannot_be_read_lets_nobody_in(bench: Bench) -> None:
    file = bench.disk.create(PATH)
    file.pwritev(0, [b"nonsense\n"])
    file.close()

    async def ask() -> None:
        checks = Identity(bench.qm.started.shell)
        await checks.user(OTHER_UID, "joe", "app", "s3cret", "program")

    with pytest.raises(ternmq.MQError, match="line 1") as refused:
        asyncio.run(ask())
    assert refused.value.reason_name == "MQRC_SECURITY_ERROR"
