"""Goal: CHAD defines channels for partners that call them, as conformance row L1 has it.
Method: two queue managers in one loop with real sockets; a client over TCP; event messages as PCF.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import ternmq
from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_UNKNOWN_CHANNEL_NAME
from ternmq.codec.pcf.structures import unpack_pcf
from ternmq.network.edge.auto_definition import stamped
from ternmq.network.edge.network_settings import NetworkSettings
from tests.unit.api.networked import Networked
from tests.unit.api.served import started_in_folder
from tests.unit.network.channels.two_managers import Node, two_managers, until

EXAMPLES = Path(__file__).parents[2] / "examples" / "exits"
EVENTS = "SYSTEM.ADMIN.CHANNEL.EVENT"


def ran(work: Callable[[Node, Node], Awaitable[None]], exits: str = "") -> None:
    async def run() -> None:
        settings = NetworkSettings(exits_path=exits)
        async with two_managers(settings=settings) as (one, other):
            other.run("DEFINE QLOCAL(T)")
            await work(one, other)

    asyncio.run(run())


def call(one: Node, other: Node, channel: str, more: str = "") -> None:
    """A sender whose receiver is not defined."""
    one.run(
        "DEFINE QLOCAL(QMB) USAGE(XMITQ)",
        "DEFINE QREMOTE(R) RNAME(T) RQMNAME(QMB) XMITQ(QMB)",
        f"DEFINE CHANNEL({channel}) CHLTYPE(SDR) CONNAME('{other.conn}') XMITQ(QMB) {more}",
    )
    one.put("R", b"x")
    one.start(channel)


def events(node: Node) -> list[tuple[int, dict[int, object]]]:
    found = [unpack_pcf(data) for data in node.get_all(EVENTS)]
    return [
        (one.reason, {parameter.parameter: parameter.value for parameter in one.parameters})
        for one in found
    ]


def test_sender_when_its_receiver_is_unknown_then_one_is_defined_and_runs() -> None:
    async def work(one: Node, other: Node) -> None:
        other.run("ALTER QMGR CHAD(ENABLED) CHADEV(ENABLED)")
        call(one, other, "NEW.ONE", "SEQWRAP(5000)")
        await until(lambda: other.depth("T") == 1, "delivery")
        shown = other.manager.mqsc("DISPLAY CHANNEL(NEW.ONE) ALL")[0]
        assert (shown["CHLTYPE"], shown["SEQWRAP"]) == ("RCVR", 5000)
        text = str(shown["DESCR"]).ljust(64)
        assert text[:44].rstrip() == "Auto-defined by QMB"
        assert time.strptime(text[44:].strip(), "%Y-%m-%d %H:%M:%S")
        ((reason, facts),) = events(other)
        assert reason == 2233
        assert facts[mq.MQCACH_CHANNEL_NAME] == "NEW.ONE"
        assert facts[mq.MQIACH_CHANNEL_TYPE] == mq.MQCHT_RECEIVER

    ran(work)


def test_sender_when_chad_is_disabled_then_no_channel_and_amq9519() -> None:
    async def work(one: Node, other: Node) -> None:
        call(one, other, "NEW.ONE")
        await until(lambda: "AMQ9519E" in other.ids, "its message")
        assert not other.manager.mqsc("DISPLAY CHANNEL(NEW.ONE)")[0].ok
        assert one.depth("QMB") == 1

    ran(work)


def test_sender_when_a_rule_refuses_it_then_nothing_is_defined() -> None:
    async def work(one: Node, other: Node) -> None:
        other.run(
            "ALTER QMGR CHAD(ENABLED) CHLAUTH(ENABLED)",
            "SET CHLAUTH(NEW.*) TYPE(QMGRMAP) QMNAME(QMA) USERSRC(NOACCESS)",
        )
        call(one, other, "NEW.ONE")
        await until(lambda: "AMQ9519E" in other.ids, "its message")
        assert not other.manager.mqsc("DISPLAY CHANNEL(NEW.ONE)")[0].ok

    ran(work)


def test_exit_when_it_changes_or_suppresses_then_that_counts(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    shutil.copy(EXAMPLES / "audit.py", tmp_path / "audit.py")
    (tmp_path / "audit.py").chmod(0o644)

    async def work(one: Node, other: Node) -> None:
        other.run("ALTER QMGR CHAD(ENABLED) CHADEV(ENABLED) CHADEXIT('audit(new_channel)')")
        call(one, other, "STRANGE.ONE")
        await until(lambda: "AMQ9519E" in other.ids, "its message")
        ((reason, facts),) = events(other)
        assert reason == 2234
        assert facts[mq.MQIACF_ERROR_IDENTIFIER] == 4085
        assert facts[mq.MQIACF_AUX_ERROR_DATA_INT_1] == mq.MQFB_STOPPED_BY_CHAD_EXIT
        one.run(f"DEFINE CHANNEL(HOUSE.A) CHLTYPE(SDR) CONNAME('{other.conn}') XMITQ(QMB)")
        one.start("HOUSE.A")
        await until(lambda: other.depth("T") == 1, "delivery")
        shown = other.manager.mqsc("DISPLAY CHANNEL(HOUSE.A) MAXMSGL")[0]
        assert shown["MAXMSGL"] == 1_000_000

    ran(work, str(tmp_path))


def test_exit_when_it_cannot_be_loaded_then_nothing_is_defined(tmp_path: Path) -> None:
    async def work(one: Node, other: Node) -> None:
        other.run("ALTER QMGR CHAD(ENABLED) CHADEXIT('absent(f)')")
        call(one, other, "NEW.ONE")
        await until(lambda: "AMQ9519E" in other.ids, "its message")
        assert "AMQ9535E" in other.ids

    ran(work, str(tmp_path))


def test_client_when_its_channel_is_unknown_then_it_is_defined_and_lasts(tmp_path: Path) -> None:
    first = started_in_folder(tmp_path, "QM1", True)
    with Networked(tmp_path, "QM1", first) as served:
        with pytest.raises(ternmq.MQError) as caught:
            served.connect(channel="NEW.CLIENTS")
        assert caught.value.reason == MQRC_UNKNOWN_CHANNEL_NAME
        with served.connect() as connection:
            assert connection.mqsc("ALTER QMGR CHAD(ENABLED)")[0].ok
            connection.define_queue("A")
        with served.connect(channel="NEW.CLIENTS") as connection:
            connection.put("A", b"x", persistent=True)
    again = started_in_folder(tmp_path, "QM1")
    with Networked(tmp_path, "QM1", again) as served, served.connect() as connection:
        shown = connection.mqsc("DISPLAY CHANNEL(NEW.CLIENTS) ALL")[0]
        assert shown["CHLTYPE"] == "SVRCONN"
        assert str(shown["DESCR"]).startswith("Auto-defined by QM1")


def test_stamp_when_the_model_has_another_description_then_it_stays() -> None:
    now = time.strptime("2026-11-17 19:05:33", "%Y-%m-%d %H:%M:%S")
    assert stamped("Auto-defined by", "QM1", now) == (
        "Auto-defined by QM1".ljust(44) + "2026-11-17 19:05:33"
    )
    assert stamped("ours", "QM1", now) == "ours".ljust(44) + "2026-11-17 19:05:33"
    full = "x" * 64
    assert stamped(full, "QM1", now) == full
    assert stamped("Auto-defined by", "Q" * 48, now)[:44] == f"Auto-defined by {'Q' * 28}"
