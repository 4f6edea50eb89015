"""Goal: no partner gets by the exits of a server-connection channel, and exits that answer what
cannot be end their own channel.
Method: a queue manager in a loop, exits that note their calls in a folder of files, and a partner
that sends what it wants in the order that it wants.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.network.edge.network_settings import NetworkSettings
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.flow import read_body
from ternmq.wire.fap.part import Values
from tests.unit.network.channels.two_managers import Node, two_managers, until
from tests.unit.network.partner import Partner

EXITS = """
import builtins
calls = builtins._exit_calls

class Odd(BaseException):
    pass

def note(mqcxp, mqcd, data):
    calls.append((mqcxp.ExitReason, mqcd.RemoteUserIdentifier, bytes(data)))

def robot_for_joe(mqcxp, mqcd, data):
    note(mqcxp, mqcd, data)
    if mqcxp.ExitReason == 16 and mqcd.RemoteUserIdentifier == "joe":
        mqcd.MCAUserIdentifier = "robot"

def odd(mqcxp, mqcd, data):
    if mqcxp.ExitReason == int(mqcxp.ExitData):
        raise Odd("not an Exception")

def interrupted(mqcxp, mqcd, data):
    if mqcxp.ExitReason == int(mqcxp.ExitData):
        raise KeyboardInterrupt("not by a user")

def reserves(mqcxp, mqcd, data):
    if mqcxp.ExitReason == 11:
        mqcxp.ExitSpace = eval(mqcxp.ExitData)

def is_a_number(mqcxp, mqcd, data):
    if mqcxp.ExitReason == 16:
        mqcd.MCAUserIdentifier = 5
"""
INIT_SEC = 16
Work = Callable[[Node, Node], Awaitable[None]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str, bytes]]:
    noted: list[tuple[int, str, bytes]] = []
    monkeypatch.setattr("builtins._exit_calls", noted, raising=False)
    return noted


@pytest.fixture
def run(tmp_path: Path, calls: list[tuple[int, str, bytes]]) -> Callable[[Work], None]:
    folder = tmp_path / "exits"
    folder.mkdir(mode=0o755)
    (folder / "odd.py").write_text(EXITS)
    (folder / "odd.py").chmod(0o644)

    def ran(work: Work) -> None:
        async def inner() -> None:
            async with two_managers(settings=NetworkSettings(exits_path=str(folder))) as nodes:
                one, other = nodes
                one.run("ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')", "DEFINE QLOCAL(Q)")
                await work(one, other)
                for sock in list(one.host.sockets):
                    sock.abort()
                await until(lambda: not one.host.sockets, "the end of the sockets")

        asyncio.run(inner())

    return ran


def channel(node: Node, more: str) -> None:
    node.run(f"DEFINE CHANNEL(APP) CHLTYPE(SVRCONN) REPLACE {more}")


async def connected(partner: Partner, user: str, conversation: int = 1) -> Values:
    partner.send_flow(fap.USERID_DATA, {"user_id": user, "long_user_id": user}, conversation)
    given: Values = {"qmgr_name": "QMA", "appl_name": "app", "appl_type": 28, "fcno": {}}
    return await partner.call(fap.MQCONN, given, conversation)


def asked(calls: list[tuple[int, str, bytes]]) -> list[str]:
    """For whom the security exit was asked."""
    return [user for reason, user, _ in calls if reason == INIT_SEC]


def user_of(partner: Partner, conversation: int = 1) -> str:
    return partner.socket.line.conversations[conversation].connected().link.user


# ---- no way round the exits


def test_conversation_when_its_number_is_used_again_then_its_exit_is_asked(
    run: Callable[[Work], None], calls: list[tuple[int, str, bytes]]
) -> None:
    async def work(one: Node, other: Node) -> None:
        channel(one, "SCYEXIT('odd(note)') SHARECNV(10)")
        partner = Partner(one.host)
        await partner.open_channel()
        assert (await connected(partner, "first"))["reason"] == 0
        partner.action(fap.ACTION_START, 3)
        await partner.next(fap.SOCKET_ACTION)
        assert (await connected(partner, "joe", 3))["reason"] == 0
        partner.action(fap.ACTION_END, 3)
        await until(lambda: 3 not in partner.socket.line.conversations, "the end of the first")
        partner.action(fap.ACTION_START, 3)
        await partner.next(fap.SOCKET_ACTION)
        assert (await connected(partner, "root", 3))["reason"] == 0
        assert asked(calls) == ["first", "joe", "root"]

    run(work)


def test_conversation_when_it_connects_again_then_its_exit_is_asked_for_the_new_user(
    run: Callable[[Work], None], calls: list[tuple[int, str, bytes]]
) -> None:
    async def work(one: Node, other: Node) -> None:
        channel(one, "SCYEXIT('odd(robot_for_joe)') SHARECNV(10)")
        partner = Partner(one.host)
        await partner.open_channel()
        assert (await connected(partner, "joe"))["reason"] == 0
        assert user_of(partner) == "robot"
        await partner.call(fap.MQDISC, {"handle": 0})
        assert (await connected(partner, "clerk"))["reason"] == 0
        assert asked(calls) == ["joe", "clerk"]
        assert user_of(partner) == "clerk"

    run(work)


@pytest.mark.parametrize("kept", [None, 20])
def test_segments_when_they_come_with_initial_data_then_they_do_not_go_by_the_exits(
    run: Callable[[Work], None], calls: list[tuple[int, str, bytes]], kept: int | None
) -> None:
    async def work(one: Node, other: Node) -> None:
        channel(one, "RCVEXIT('odd(note)') SHARECNV(10)")
        partner = Partner(one.host)
        sends = partner.send
        rounds: list[int] = []

        def with_more(header: Any, body: bytes) -> None:
            """The second initial data are what both agree on: more comes with them."""
            rounds.append(header.type)
            if len(rounds) != 2:
                sends(header, body)
                return
            partner.held = []
            sends(header, body)
            partner.shared = True
            user = {"user_id": "joe", "long_user_id": "joe"}
            partner.send = sends  # type: ignore[method-assign]
            partner.send_flow(fap.USERID_DATA, user)
            held, partner.held = partner.held, None
            partner.socket.data_received(held[0] + held[1][:kept])

        partner.send = with_more  # type: ignore[method-assign]
        await partner.open_channel()
        status = await partner.next(fap.STATUS_DATA)
        assert read_body(status, 10).values["code"] == fap.PROTOCOL_SEGMENT_TYPE
        assert "AMQ9504E" in [one.message_id for one in one.kernel.notices.take()]
        await partner.socket.gone

    run(work)


# ---- exits that are odd


@pytest.mark.parametrize(
    ("attribute", "reason"), [("MSGEXIT", 13), ("MSGEXIT", 12), ("SCYEXIT", 16), ("RCVEXIT", 14)]
)
@pytest.mark.parametrize("function", ["odd", "interrupted"])
def test_exit_when_what_it_raises_is_no_exception_then_its_message_channel_ends(
    run: Callable[[Work], None], function: str, attribute: str, reason: int
) -> None:
    async def work(one: Node, other: Node) -> None:
        data = attribute.replace("EXIT", "DATA")
        one.pair(other, f"{attribute}('odd({function})') {data}('{reason}') DISCINT(1)")
        one.put("R", b"x")
        one.start("QMA.QMB")
        await until(lambda: len(one.seen.ends) == 1, "the end of the channel")
        expected = "AMQ9545I" if reason == 12 else "AMQ9190E"
        assert one.seen.ends[0].message_id == expected
        one.run("ALTER CHANNEL(QMA.QMB) CHLTYPE(SDR) " + f"{attribute}(' ')")
        one.start("QMA.QMB")
        await until(lambda: other.get_all("T") == [b"x"] or reason == 12, "delivery")

    run(work)


def put_and_get(node: Node) -> str:
    with (
        ternmq.connect("QMA", channel="APP", conn=node.conn, user="joe") as connection,
        connection.queue("Q") as queue,
    ):
        queue.put("hello")
        return queue.get(wait=5).text


@pytest.mark.parametrize(
    "exit",
    [
        *[f"SENDEXIT('odd(reserves)') SENDDATA('{n}')" for n in (10**6, 32_700, -1, "None")],
        "SENDEXIT('odd(odd)') SENDDATA('14')",
        "SCYEXIT('odd(interrupted)') SCYDATA('16')",
        "SCYEXIT('odd(is_a_number)')",
    ],
)
def test_exit_when_it_answers_what_cannot_be_then_its_client_is_told(
    run: Callable[[Work], None], exit: str
) -> None:
    async def work(one: Node, other: Node) -> None:
        channel(one, exit)
        with pytest.raises(ternmq.MQError) as refused:
            await asyncio.wait_for(asyncio.to_thread(put_and_get, one), 8)
        assert refused.value.reason in (2009, 2035, 2059, 2537)
        assert "AMQ9190E" in [one.message_id for one in one.kernel.notices.take()]

    run(work)


@pytest.mark.parametrize("space", [32_718, 32_700, 10**6, -1])
def test_send_exit_when_it_leaves_no_room_for_messages_then_its_channel_ends(
    run: Callable[[Work], None], space: int
) -> None:
    async def work(one: Node, other: Node) -> None:
        one.pair(other, f"SENDEXIT('odd(reserves)') SENDDATA('{space}')")
        one.put("R", b"x" * 100)
        one.start("QMA.QMB")
        await until(lambda: len(one.seen.ends) == 1, "the end of the channel")
        assert one.seen.ends[0].message_id == "AMQ9190E"

    run(work)
