"""Goal: SCYEXIT, SENDEXIT and RCVEXIT of server-connection channels are called as IBM MQ documents.
Method: a queue manager in a loop with a real listener; clients over TCP in other threads; exits in
a folder of files that note their calls.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import ternmq
from ternmq.network.edge.network_settings import NetworkSettings
from ternmq.wire.fap.vocabulary import OWN_CLIENT
from tests.unit.network.channels.two_managers import Node, two_managers, until

EXAMPLES = Path(__file__).parents[2] / "examples" / "exits"
EXITS = """
import builtins
calls, gate = builtins._client_exits
REASONS = {11: "INIT", 12: "TERM", 14: "XMIT", 15: "SEC_MSG", 16: "INIT_SEC", 29: "SEC_PARMS"}

def note(mqcxp, mqcd, data):
    seen = int.from_bytes(mqcxp.ExitUserArea, "big") + 1
    mqcxp.ExitUserArea = seen.to_bytes(16, "big")
    calls.append({
        "reason": REASONS[mqcxp.ExitReason], "data": mqcxp.ExitData, "number": mqcxp.ExitNumber,
        "id": mqcxp.ExitId, "seen": seen, "bytes": len(data), "level": mqcxp.FAPLevel,
        "shared": mqcxp.SharingConversations, "type": mqcd.ChannelType, "user":
        mqcd.RemoteUserIdentifier, "address": mqcd.ConnectionName, "partner": mqcxp.PartnerName,
        "conversation": int.from_bytes(data[8:12], "big"), "product": mqcxp.RemoteProduct,
        "csp": mqcxp.SecurityParms and (mqcxp.SecurityParms.CSPUserIdPtr,
                                        mqcxp.SecurityParms.CSPPasswordPtr),
    })

def refuse(mqcxp, mqcd, data):
    if mqcxp.ExitReason == 16 and mqcd.RemoteUserIdentifier != mqcxp.ExitData:
        mqcxp.ExitResponse = -1

def become(mqcxp, mqcd, data):
    if mqcxp.ExitReason == 16:
        mqcd.MCAUserIdentifier = mqcxp.ExitData

def translate(mqcxp, mqcd, data):
    if mqcxp.ExitReason == 29:
        mqcxp.SecurityParms.CSPUserIdPtr = "real"
        mqcxp.SecurityParms.CSPPasswordPtr = "secret"

def speak(mqcxp, mqcd, data):
    if mqcxp.ExitReason == 16:
        mqcxp.ExitResponse = -3
        return b"who are you"

def late_error(mqcxp, mqcd, data):
    if mqcxp.ExitReason == 14 and b"bad" in data:
        raise RuntimeError("bad data")

def changes_ids(mqcxp, mqcd, data):
    if mqcxp.ExitReason == 14:
        return data[:8] + bytes(4) + data[12:]

def asks(mqcxp, mqcd, data):
    note(mqcxp, mqcd, data)
    if mqcxp.ExitReason == 16:
        mqcxp.ExitResponse = -3
        return b"who"
    if mqcxp.ExitReason == 15:
        mqcxp.ExitResponse = 0 if data == b"me" else -6

def answers(mqcxp, mqcd, data):
    note(mqcxp, mqcd, data)
    if mqcxp.ExitReason == 15:
        mqcxp.ExitResponse = -4
        return mqcxp.ExitData.encode() if data == b"who" else b"?"

def logs_in(mqcxp, mqcd, data):
    if mqcxp.ExitReason == 29:
        mqcxp.SecurityParms.AuthenticationType = 1
        mqcxp.SecurityParms.CSPUserIdPtr = "robot"
        mqcxp.SecurityParms.CSPPasswordPtr = "r2d2"

def closes(mqcxp, mqcd, data):
    if mqcxp.ExitReason == int(mqcxp.ExitData):
        mqcxp.ExitResponse = -6

def strips(mqcxp, mqcd, data):
    if mqcxp.ExitReason == int(mqcxp.ExitData):
        del mqcxp.ExitUserArea

def slow(mqcxp, mqcd, data):
    if mqcxp.ExitReason == 14 and b"slow" in data:
        calls.append({"reason": "WAITS"})
        calls.append({"reason": "OPENED" if gate.wait(4) else "NOT OPENED"})
"""


class World:
    """One queue manager, and what its exits have seen."""

    def __init__(
        self, node: Node, calls: list[dict[str, Any]], gate: threading.Event, folder: Path
    ) -> None:
        self.node = node
        self.folder = folder
        self.calls = calls
        self.gate = gate

    def channel(self, more: str) -> None:
        self.node.run(f"DEFINE CHANNEL(APP) CHLTYPE(SVRCONN) REPLACE {more}")

    def table(self, exits: dict[str, Any]) -> str:
        """A CCDT for the channel, with exits of the client."""
        place = {"host": "127.0.0.1", "port": self.node.port}
        row = {
            "name": "APP",
            "type": "clientConnection",
            "clientConnection": {"connection": [place], "queueManager": "QMA"},
            "exits": exits,
        }
        path = self.folder / "ccdt.json"
        path.write_text(json.dumps({"channel": [row]}))
        return str(path)

    def connect(self, **more: Any) -> ternmq.Connection:
        return ternmq.connect("QMA", channel="APP", conn=self.node.conn, **more)

    def reasons(self) -> list[str]:
        return [one["reason"] for one in self.calls]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    folder = tmp_path / "exits"
    folder.mkdir(mode=0o755)
    (folder / "noting.py").write_text(EXITS)
    (folder / "noting.py").chmod(0o644)
    shutil.copy(EXAMPLES / "seal.py", folder)
    (folder / "seal.py").chmod(0o644)
    (tmp_path / "mqclient.ini").write_text(f"ClientExitPath:\n   ExitsDefaultPath={folder}\n")
    monkeypatch.setenv("MQCLNTCF", str(tmp_path / "mqclient.ini"))
    calls: list[dict[str, Any]] = []
    gate = threading.Event()
    monkeypatch.setattr("builtins._client_exits", (calls, gate), raising=False)

    def ran(work: Callable[[World], Awaitable[None]], users: Any = None) -> None:
        async def inner() -> None:
            settings = NetworkSettings(exits_path=str(folder))
            async with two_managers(settings=settings) as (one, _):
                one.run("ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')", "DEFINE QLOCAL(Q)")
                await work(World(one, calls, gate, tmp_path))
                gate.set()
                for sock in list(one.host.sockets):
                    sock.abort()
                await until(lambda: not one.host.sockets, "the end of the sockets")

        asyncio.run(inner())

    return ran


def put_and_get(world: World, data: str = "hello", **more: Any) -> str:
    if "ccdt" in more:
        with ternmq.connect("QMA", **more) as connection, connection.queue("Q") as queue:
            queue.put(data)
            return queue.get(wait=5).text
    with world.connect(**more) as connection, connection.queue("Q") as queue:
        queue.put(data)
        return queue.get(wait=5).text


def notices(world: World) -> list[str]:
    """What the error log gets."""
    return [one.message_id for one in world.node.kernel.notices.take()]


def test_exits_when_a_client_comes_then_all_are_called_in_order(run: Callable[..., None]) -> None:
    async def work(world: World) -> None:
        world.channel(
            "SCYEXIT('noting(note)') SCYDATA('sec') SENDEXIT('noting(note)','noting:note') "
            "SENDDATA('s1','s2') RCVEXIT('noting(note)') RCVDATA('rcv') SHARECNV(1)"
        )
        assert await asyncio.to_thread(put_and_get, world, user="clerk") == "hello"
        await until(lambda: world.reasons().count("TERM") == 4, "MQXR_TERM")
        calls = world.calls
        assert [one["data"] for one in calls[:4]] == ["sec", "s1", "s2", "rcv"]
        assert world.reasons()[:4] == ["INIT"] * 4
        assert [one["id"] for one in calls[:4]] == [11, 13, 13, 14]
        assert [one["number"] for one in calls[:4]] == [1, 1, 2, 1]
        (secured,) = [one for one in calls if one["reason"] == "INIT_SEC"]
        assert secured["user"] == "clerk"
        assert secured["address"] == "127.0.0.1"
        assert (secured["type"], secured["level"], secured["partner"]) == (7, 10, "")
        assert secured["product"] == OWN_CLIENT
        assert not any(one["shared"] for one in calls)
        sent = [one for one in calls if one["reason"] == "XMIT" and one["data"] == "s1"]
        again = [one for one in calls if one["reason"] == "XMIT" and one["data"] == "s2"]
        came = [one for one in calls if one["reason"] == "XMIT" and one["data"] == "rcv"]
        assert [one["bytes"] for one in sent] == [one["bytes"] for one in again]
        assert len(sent) >= 5
        assert len(came) >= 6  # USERID_DATA, MQCONN, MQOPEN, MQPUT, MQGET, MQCLOSE, MQDISC
        assert [one["seen"] for one in came] == list(range(2, 2 + len(came)))
        assert [one["data"] for one in calls[-4:]] == ["sec", "s1", "s2", "rcv"]

    run(work)


def test_exits_when_conversations_share_a_socket_then_each_has_its_own(
    run: Callable[..., None],
) -> None:
    def both(world: World) -> None:
        with world.connect() as one, world.connect() as other:
            one.put("Q", "1")
            other.put("Q", "2")

    async def work(world: World) -> None:
        world.channel("SCYEXIT('noting(note)') RCVEXIT('noting(note)') SHARECNV(10)")
        await asyncio.to_thread(both, world)
        await until(lambda: world.reasons().count("TERM") == 4, "MQXR_TERM of both")
        calls = world.calls
        assert world.reasons().count("INIT") == 4
        assert world.reasons().count("INIT_SEC") == 2
        numbers = {one["conversation"] for one in calls if one["reason"] == "XMIT"}
        assert len(numbers) == 2
        for number in numbers:
            mine = [one for one in calls if one["reason"] == "XMIT"]
            seen = [one["seen"] for one in mine if one["conversation"] == number]
            assert seen == list(range(2, 2 + len(seen)))
        assert all(one["shared"] for one in calls if one["reason"] == "XMIT")

    run(work)


def test_security_exit_when_it_refuses_then_not_authorized(run: Callable[..., None]) -> None:
    async def work(world: World) -> None:
        world.channel("SCYEXIT('noting(refuse)') SCYDATA('good')")
        assert await asyncio.to_thread(put_and_get, world, user="good") == "hello"
        with pytest.raises(ternmq.MQError) as refused:
            await asyncio.to_thread(put_and_get, world, user="evil")
        assert refused.value.reason == 2035
        assert "AMQ9536E" in notices(world)

    run(work)


def test_security_exit_when_it_sets_the_user_then_the_client_works_as_that(
    run: Callable[..., None],
) -> None:
    def user_of(world: World) -> str:
        with world.connect(user="clerk") as connection, connection.queue("Q") as queue:
            queue.put("x")
            return queue.get(wait=5).descriptor.user_id

    async def work(world: World) -> None:
        world.channel("SCYEXIT('noting(become)') SCYDATA('robot') MCAUSER('other')")
        assert await asyncio.to_thread(user_of, world) == "robot"

    run(work)


def test_security_exit_when_a_password_comes_then_it_sees_and_changes_it(
    run: Callable[..., None],
) -> None:
    async def work(world: World) -> None:
        world.channel("SCYEXIT('noting(note)')")
        await asyncio.to_thread(put_and_get, world, user="app", password="1234")
        (seen,) = [one for one in world.calls if one["reason"] == "SEC_PARMS"]
        assert seen["csp"] == ("app", "1234")
        asked: list[tuple[str, str | None]] = []
        users = world.node.host.admission.users
        found = users.user

        async def noted(*given: Any) -> str:
            asked.append((given[3], given[4]))
            return await found(*given)

        users.user = noted  # type: ignore[method-assign,assignment]
        world.channel("SCYEXIT('noting(translate)')")
        await asyncio.to_thread(put_and_get, world, user="app", password="1234")
        assert asked == [("real", "secret")]

    run(work)


def test_security_exit_when_it_speaks_and_the_client_has_none_then_refused(
    run: Callable[..., None],
) -> None:
    async def work(world: World) -> None:
        world.channel("SCYEXIT('noting(speak)')")
        with pytest.raises(ternmq.MQError) as refused:
            await asyncio.to_thread(put_and_get, world)
        assert refused.value.reason == 2035

    run(work)


@pytest.mark.parametrize(
    ("function", "message_id"), [("late_error", "AMQ9190E"), ("changes_ids", "AMQ9190E")]
)
def test_exit_when_it_fails_then_only_its_client_is_cut_off(
    run: Callable[..., None], function: str, message_id: str
) -> None:
    async def work(world: World) -> None:
        world.channel(f"RCVEXIT('noting({function})')")
        world.node.run("DEFINE CHANNEL(PLAIN) CHLTYPE(SVRCONN)")
        conn = world.node.conn
        other = await asyncio.to_thread(lambda: ternmq.connect("QMA", channel="PLAIN", conn=conn))
        with pytest.raises(ternmq.MQError) as broken:
            await asyncio.to_thread(put_and_get, world, "bad")
        assert broken.value.reason in (2009, 2537)
        assert message_id in notices(world)
        await asyncio.to_thread(other.put, "Q", "goes on")
        await asyncio.to_thread(other.disconnect)

    run(work)


def test_exit_when_it_cannot_be_loaded_then_the_client_is_refused(
    run: Callable[..., None],
) -> None:
    async def work(world: World) -> None:
        world.channel("SENDEXIT('absent(note)')")
        with pytest.raises(ternmq.MQError) as refused:
            await asyncio.to_thread(put_and_get, world)
        assert refused.value.reason == 2537
        assert "AMQ9535E" in notices(world)

    run(work)


def test_exit_when_it_is_slow_then_other_clients_go_on(run: Callable[..., None]) -> None:
    async def work(world: World) -> None:
        world.channel("RCVEXIT('noting(slow)') SHARECNV(1)")
        slow = asyncio.create_task(asyncio.to_thread(put_and_get, world, "slow"))
        await until(lambda: "WAITS" in world.reasons(), "the exit")
        assert await asyncio.to_thread(put_and_get, world, "fast") == "fast"
        assert "OPENED" not in world.reasons()
        assert "NOT OPENED" not in world.reasons()
        world.gate.set()
        assert await slow == "slow"

    run(work)


# ---- of our own client


async def by_tasks(data: str, ccdt: str) -> str:
    async with (
        ternmq.aio.connect("QMA", ccdt=ccdt) as connection,
        connection.queue("Q") as queue,
    ):
        await queue.put(data)
        return (await queue.get(wait=5)).text


async def by_either(world: World, is_asyncio: bool, data: str, ccdt: str) -> str:
    """The client in a thread, blocking or with a loop of its own."""
    if is_asyncio:
        return await asyncio.to_thread(lambda: asyncio.run(by_tasks(data, ccdt)))
    return await asyncio.to_thread(put_and_get, world, data, ccdt=ccdt)


def exit_of(function: str, data: str = "") -> dict[str, str]:
    return {"name": f"noting({function})", "userData": data}


@pytest.mark.parametrize("sharing", [0, 1, 10])
@pytest.mark.parametrize("is_asyncio", [False, True])
def test_segments_when_both_sides_seal_them_then_messages_arrive(
    run: Callable[..., None], is_asyncio: bool, sharing: int
) -> None:
    async def work(world: World) -> None:
        world.channel(
            "SENDEXIT('seal(send)') SENDDATA('secret') RCVEXIT('seal(receive)') "
            f"RCVDATA('secret') SHARECNV({sharing})"
        )
        seals = {
            "send": [{"name": "seal(send)", "userData": "secret"}],
            "receive": [{"name": "seal(receive)", "userData": "secret"}],
        }
        text = "a line of an order\n" * 20_000
        assert await by_either(world, is_asyncio, text, world.table(seals)) == text
        # Another key: the first segment is refused.
        seals["send"][0]["userData"] = "other"
        with pytest.raises(ternmq.MQError) as refused:
            await by_either(world, is_asyncio, text, world.table(seals))
        assert refused.value.reason in (2009, 2059, 2537)
        assert "AMQ9536E" in notices(world)

    run(work)


@pytest.mark.parametrize("is_asyncio", [False, True])
def test_security_exits_when_both_sides_have_one_then_they_take_turns(
    run: Callable[..., None], is_asyncio: bool
) -> None:
    async def work(world: World) -> None:
        world.channel("SCYEXIT('noting(asks)')")
        table = world.table({"security": exit_of("answers", "me")})
        assert await by_either(world, is_asyncio, "hello", table) == "hello"
        await until(lambda: world.reasons().count("TERM") == 2, "both ends")
        talk = [(one["type"], one["reason"], one["bytes"]) for one in world.calls]
        assert talk[:5] == [
            (6, "INIT", 0),
            (7, "INIT", 0),
            (7, "INIT_SEC", 0),
            (6, "SEC_MSG", 3),
            (7, "SEC_MSG", 2),
        ]
        assert {one["partner"] for one in world.calls if one["reason"] == "SEC_MSG"} == {"", "QMA"}
        with pytest.raises(ternmq.MQError) as refused:
            await by_either(
                world, is_asyncio, "x", world.table({"security": exit_of("answers", "you")})
            )
        assert refused.value.reason == 2035

    run(work)


def test_security_exit_when_it_gives_a_password_then_the_queue_manager_gets_it(
    run: Callable[..., None],
) -> None:
    async def work(world: World) -> None:
        world.channel("SCYEXIT('noting(note)')")
        table = world.table({"security": exit_of("logs_in")})
        assert await by_either(world, False, "hello", table) == "hello"
        seen = [one["csp"] for one in world.calls if one["reason"] == "SEC_PARMS"]
        assert seen == [("robot", "r2d2")]

    run(work)


@pytest.mark.parametrize("is_asyncio", [False, True])
@pytest.mark.parametrize(
    ("exits", "reason"),
    [
        ({"send": [exit_of("absent")]}, 2406),
        ({"send": [exit_of("closes", "11")]}, 2407),
        ({"receive": [exit_of("closes", "14")]}, 2009),
        ({"send": [exit_of("strips", "11")]}, 2407),
        ({"receive": [exit_of("strips", "14")]}, 2009),
        ({"message": [exit_of("note")]}, 2539),
    ],
)
def test_exit_of_a_client_when_it_fails_then_a_reason(
    run: Callable[..., None], is_asyncio: bool, exits: dict[str, Any], reason: int
) -> None:
    async def work(world: World) -> None:
        world.channel("")
        with pytest.raises(ternmq.MQError) as failed:
            await by_either(world, is_asyncio, "x", world.table(exits))
        # Before MQCONN is answered the queue manager is what is not available.
        assert failed.value.reason in (reason, 2059 if reason == 2009 else reason)
        assert "exit" in str(failed.value).lower()

    run(work)
