"""Goal: CHLAUTH rules for partner queue managers, as conformance row J4 has it.
Method: two queue managers in one loop; users, refusals, Channel Blocked events, RUNCHECK.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_CHANNEL_BLOCKED
from ternmq.channel.agent import NO_RETRY
from ternmq.codec.pcf.structures import unpack_pcf
from tests.unit.network.certificates import Certificates
from tests.unit.network.channels.two_managers import Node, two_managers, until

CHANNEL = "QMA.QMB"
EVENTS = "SYSTEM.ADMIN.CHANNEL.EVENT"
BLOCK_ALL = "SET CHLAUTH(*) TYPE(BLOCKUSER) USERLIST('*MQADMIN','app') ACTION(REPLACE)"


def ran(rule: str, work: Callable[[Node, Node], Awaitable[None]], keys: Path | None = None) -> None:
    async def run() -> None:
        async with two_managers() as (one, other):
            secured = ""
            if keys is not None:
                secured = "SSLCIPH(ANY_TLS13_OR_HIGHER)"
                for node in (one, other):
                    node.run(f"ALTER QMGR SSLKEYR('{keys}') CERTLABL('Second')")
            one.pair(other, secured)
            other.run(
                f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) {secured}",
                "ALTER QMGR CHLAUTH(ENABLED) CHLEV(ENABLED)",
                "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)",
                BLOCK_ALL,
                f"SET CHLAUTH({CHANNEL}) {rule} ACTION(REPLACE)",
            )
            one.put("R", b"x")
            one.start(CHANNEL)
            await work(one, other)

    asyncio.run(run())


def run_check(other: Node, more: str = "QMNAME(QMA)") -> str:
    text = f"DISPLAY CHLAUTH({CHANNEL}) MATCH(RUNCHECK) ADDRESS('127.0.0.1') {more} ALL"
    (shown,) = other.manager.mqsc(text)
    return str(shown["TYPE"])


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Certificates().write_folder(tmp_path_factory.mktemp("keys") / "keys")


MAPS = [
    ("TYPE(QMGRMAP) QMNAME(QMA)", "QMGRMAP", "QMNAME(QMA)"),
    ("TYPE(QMGRMAP) QMNAME(QM*) ADDRESS('127.0.0.*')", "QMGRMAP", "QMNAME(QMA)"),
    ("TYPE(ADDRESSMAP) ADDRESS('127.0.0.1')", "ADDRESSMAP", "QMNAME(QMA)"),
]


@pytest.mark.parametrize(("rule", "kind", "asked"), MAPS)
def test_partner_when_a_rule_maps_it_then_it_runs_as_that_user(
    rule: str, kind: str, asked: str
) -> None:
    async def work(one: Node, other: Node) -> None:
        await until(lambda: other.status(CHANNEL) == "RUNNING", "its start")
        assert other.instance(CHANNEL).user == "app"
        shown = other.manager.mqsc(f"DISPLAY CHSTATUS({CHANNEL}) MCAUSER")[0]
        assert shown["MCAUSER"] == "app"
        # The user would be blocked if it were a client's.
        assert run_check(other, asked) == kind

    ran(f"{rule} MCAUSER('app')", work)


@pytest.mark.parametrize(("rule", "kind", "asked"), MAPS)
def test_partner_when_a_rule_refuses_it_then_an_event_and_the_message_stays(
    rule: str, kind: str, asked: str
) -> None:
    async def work(one: Node, other: Node) -> None:
        await until(lambda: not one.channels.instances_of(CHANNEL), "its end")
        assert "AMQ9777E" in other.ids
        assert (one.depth("QMB"), other.depth("T")) == (1, 0)
        events = [unpack_pcf(data) for data in other.get_all(EVENTS)]
        (blocked,) = [event for event in events if event.reason == MQRC_CHANNEL_BLOCKED]
        facts = {parameter.parameter: parameter.value for parameter in blocked.parameters}
        assert facts[mq.MQIACF_REASON_QUALIFIER] == mq.MQRQ_CHANNEL_BLOCKED_NOACCESS
        assert facts[mq.MQCACH_CHANNEL_NAME] == CHANNEL
        assert facts[mq.MQCA_REMOTE_Q_MGR_NAME] == "QMA"
        assert run_check(other, asked) == kind

    ran(f"{rule} USERSRC(NOACCESS)", work)


def test_partner_when_its_certificate_is_mapped_then_that_user(keys: Path) -> None:
    async def work(one: Node, other: Node) -> None:
        await until(lambda: other.status(CHANNEL) == "RUNNING", "its start")
        assert other.instance(CHANNEL).user == "app"
        assert run_check(other, "QMNAME(QMA) SSLPEER('CN=SECOND')") == "SSLPEERMAP"

    ran("TYPE(SSLPEERMAP) SSLPEER('CN=SECOND') MCAUSER('app')", work, keys)


def test_partner_when_its_certificate_is_refused_then_its_channel_ends(keys: Path) -> None:
    async def work(one: Node, other: Node) -> None:
        await until(lambda: not one.channels.instances_of(CHANNEL), "its end")
        assert other.depth("T") == 0

    ran("TYPE(SSLPEERMAP) SSLPEER('CN=SEC*') USERSRC(NOACCESS)", work, keys)


def test_partner_when_only_users_are_blocked_then_it_runs() -> None:
    async def work(one: Node, other: Node) -> None:
        await until(lambda: other.depth("T") == 1, "delivery")

    ran("TYPE(QMGRMAP) QMNAME(OTHER) USERSRC(NOACCESS)", work)


def test_partner_when_its_user_may_not_connect_then_it_is_told_and_both_ends_log_it() -> None:
    async def run() -> None:
        async with two_managers(users={"app": ["staff"]}) as (one, other):
            one.pair(other)
            other.run(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) MCAUSER('app')")
            one.put("R", b"x")
            one.start(CHANNEL)
            await until(lambda: bool(one.seen.ends) and bool(other.seen.ends), "both ends")
            (sent,), (refused,) = one.seen.ends, other.seen.ends
            assert (sent.kind, sent.message_id, sent.status) == (NO_RETRY, "AMQ9503E", 20)
            assert (refused.kind, refused.message_id) == (NO_RETRY, "AMQ9508E")
            assert ("AMQ9557E", ("app", 2, 2035)) in other.logged
            assert "AMQ9999E" in other.ids
            assert one.depth("QMB") == 1

    asyncio.run(run())
