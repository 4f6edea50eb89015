"""Goal: exits of message channels, as the conformance rows K1 to K8 have them, and the examples.
Method: two queue managers in one loop with real sockets between them; exits in a folder of files.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from ternmq.kernel.channel_instance import QUIESCE
from ternmq.network.edge.network_settings import NetworkSettings
from tests.unit.network.channels.two_managers import Node, two_managers, until

EXAMPLES = Path(__file__).parents[2] / "examples" / "exits"
CHANNEL = "QMA.QMB"

# Notes every call; what it does is written in its data.
NOTING = """
import builtins
calls = builtins.__dict__.setdefault("_exit_calls", [])
NAMES = {11: "INIT", 12: "TERM", 13: "MSG", 14: "XMIT", 15: "SEC_MSG", 16: "INIT_SEC", 17: "RETRY"}

def note(mqcxp, mqcd, data):
    calls.append((mqcd.QMgrName, mqcxp.ExitData, NAMES[mqcxp.ExitReason], mqcxp.ExitNumber,
                  len(data), mqcxp.PartnerName, mqcxp.FAPLevel, mqcxp.HeaderLength))

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
        return b"me" if data == b"who" else b"?"

def other_queue(mqcxp, mqcd, data):
    if mqcxp.ExitReason == 13:
        return data[:8] + b"U".ljust(48) + data[56:] + b" and more"

def suppress(mqcxp, mqcd, data):
    if mqcxp.ExitReason == 13 and b"bad" in data:
        mqcxp.ExitResponse = -1
        mqcxp.Feedback = int(mqcxp.ExitData or 0)

def strange(mqcxp, mqcd, data):
    if mqcxp.ExitReason == 13:
        mqcxp.ExitResponse = 77

def raises(mqcxp, mqcd, data):
    if mqcxp.ExitReason == 13:
        raise RuntimeError("no such customer")

def once(mqcxp, mqcd, data):
    note(mqcxp, mqcd, data)
    if mqcxp.ExitReason == 13:
        mqcxp.ExitResponse = -5

def retries(mqcxp, mqcd, data):
    note(mqcxp, mqcd, data)
    if mqcxp.ExitReason == 17:
        mqcxp.MsgRetryInterval = 1
        if mqcxp.MsgRetryCount >= 3:
            mqcxp.ExitResponse = -1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    exits = tmp_path / "exits"
    exits.mkdir(mode=0o755)
    (exits / "noting.py").write_text(NOTING)
    for example in EXAMPLES.glob("*.py"):
        shutil.copy(example, exits)
    for one in exits.iterdir():
        one.chmod(0o644)
    return exits


def calls() -> list[tuple[Any, ...]]:
    import builtins

    found: list[tuple[Any, ...]] = vars(builtins).setdefault("_exit_calls", [])
    return found


def ran(folder: Path, work: Callable[[Node, Node], Awaitable[None]]) -> None:
    async def run() -> None:
        calls().clear()
        settings = NetworkSettings(exits_path=str(folder))
        async with two_managers(settings=settings) as (one, other):
            await work(one, other)

    asyncio.run(run())


async def delivered(one: Node, other: Node, *data: bytes, queue: str = "T") -> list[bytes]:
    one.put("R", *data)
    one.start(CHANNEL)
    return await arrived(other, queue, len(data))


async def arrived(node: Node, queue: str, count: int) -> list[bytes]:
    """So many messages of a queue. CURDEPTH would count what no batch has committed yet."""
    found: list[bytes] = []

    def has_all() -> bool:
        found.extend(node.get_all(queue))
        return len(found) >= count

    await until(has_all, "delivery")
    return found


def test_exits_when_a_channel_runs_then_they_are_called_in_order(folder: Path) -> None:
    async def work(one: Node, other: Node) -> None:
        lists = (
            "SCYEXIT('noting(note)') SCYDATA('{0}sec') MSGEXIT('noting(note)','noting:note') "
            "MSGDATA('{0}A','{0}B') SENDEXIT('noting(note)') SENDDATA('{0}send') "
            "RCVEXIT('noting(note)') RCVDATA('{0}rcv')"
        )
        one.pair(other, lists.format("s") + " DISCINT(1)")
        other.run(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) {lists.format('r')}")
        assert await delivered(one, other, b"x" * 10) == [b"x" * 10]
        await until(lambda: not one.channels.instances_of(CHANNEL), "DISCINT")
        await until(lambda: not other.channels.instances_of(CHANNEL), "its end there")

    ran(folder, work)
    seen = calls()
    for qmgr, side in (("QMA", "s"), ("QMB", "r")):
        own = [one for one in seen if one[0] == qmgr]
        assert [one[1:4] for one in own[:5]] == [
            (f"{side}sec", "INIT", 1),
            (f"{side}A", "INIT", 1),
            (f"{side}B", "INIT", 2),
            (f"{side}send", "INIT", 1),
            (f"{side}rcv", "INIT", 1),
        ]
        assert [one[1] for one in own[-5:]] == [one[1] for one in own[:5]]
        assert {one[2] for one in own[-5:]} == {"TERM"}
    # The receiver's security exit begins; then the sender's, as that one declines.
    assert [one[1] for one in seen if one[2] == "INIT_SEC"] == ["rsec", "ssec"]
    messages = [one for one in seen if one[2] == "MSG"]
    assert [one[1] for one in messages] == ["sA", "sB", "rA", "rB"]
    assert {one[4] for one in messages} == {438}  # MQXQH, and ten bytes
    assert {one[5:] for one in messages} == {("QMB", 13, 428), ("QMA", 13, 428)}
    sent = [one for one in seen if one[2] == "XMIT"]
    assert len([one for one in sent if one[1] == "ssend"]) == len(
        [one for one in sent if one[1] == "rrcv"]
    )
    assert len([one for one in sent if one[1] == "rsend"]) == len(
        [one for one in sent if one[1] == "srcv"]
    )


def test_security_exits_when_they_exchange_messages_then_the_channel_runs(folder: Path) -> None:
    async def work(one: Node, other: Node) -> None:
        one.pair(other, "SCYEXIT('noting(answers)')")
        other.run(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) SCYEXIT('noting(asks)')")
        assert await delivered(one, other, b"x") == [b"x"]
        reasons = [(call[0], call[2], call[4]) for call in calls()]
        assert ("QMA", "SEC_MSG", 3) in reasons
        assert ("QMB", "SEC_MSG", 2) in reasons

    ran(folder, work)


@pytest.mark.parametrize(("feedback", "expected"), [("", 268), ("300", 300)])
def test_message_exit_when_it_suppresses_then_the_dead_letter_queue_has_it(
    folder: Path, feedback: str, expected: int
) -> None:
    async def work(one: Node, other: Node) -> None:
        one.pair(other)
        other.run("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
        given = f"MSGEXIT('noting(suppress)') MSGDATA('{feedback}')"
        other.run(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) {given}")
        one.put("R", b"one", b"bad", b"two")
        one.start(CHANNEL)
        assert await arrived(other, "T", 2) == [b"one", b"two"]
        (dead,) = other.get_all("SYSTEM.DEAD.LETTER.QUEUE")
        assert int.from_bytes(dead[8:12], "little") == expected
        assert dead.endswith(b"bad")

    ran(folder, work)


def test_message_exit_when_it_changes_queue_and_length_then_that_arrives(folder: Path) -> None:
    async def work(one: Node, other: Node) -> None:
        one.pair(other, "MSGEXIT('noting(other_queue)')")
        other.run("DEFINE QLOCAL(U)")
        assert await delivered(one, other, b"data", queue="U") == [b"data and more"]

    ran(folder, work)


@pytest.mark.parametrize(
    ("function", "message_id"),
    [("strange", "AMQ9181E"), ("raises", "AMQ9190E"), ("absent", "AMQ9535E")],
)
def test_exit_when_it_fails_then_only_its_channel_ends(
    folder: Path, function: str, message_id: str
) -> None:
    async def work(one: Node, other: Node) -> None:
        one.pair(other, f"MSGEXIT('noting({function})')")
        one.put("R", b"x")
        one.start(CHANNEL)
        await until(lambda: message_id in one.ids, "its message")
        await until(lambda: not other.channels.instances_of(CHANNEL), "its end there")
        assert one.depth("QMB") == 1
        # The same channel without the exit goes on.
        one.run(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) MSGEXIT(' ')")
        one.start(CHANNEL)
        await until(lambda: other.depth("T") == 1, "delivery")

    ran(folder, work)


def test_exit_when_it_suppresses_itself_then_it_sees_one_message(folder: Path) -> None:
    async def work(one: Node, other: Node) -> None:
        one.pair(other, "MSGEXIT('noting(once)') DISCINT(1)")
        await delivered(one, other, b"1", b"2", b"3")
        await until(lambda: not one.channels.instances_of(CHANNEL), "DISCINT")
        assert [call[2] for call in calls()] == ["INIT", "MSG", "TERM"]

    ran(folder, work)


def test_retry_exit_when_a_queue_is_full_then_it_decides(folder: Path) -> None:
    async def work(one: Node, other: Node) -> None:
        one.pair(other)
        other.run(
            "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)",
            "ALTER QLOCAL(T) MAXDEPTH(1)",
            f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) MREXIT('noting(retries)') MRRTY(0)",
        )
        one.put("R", b"1", b"2")
        one.start(CHANNEL)
        await until(lambda: other.depth("SYSTEM.DEAD.LETTER.QUEUE") == 1, "burial")
        assert [call[2] for call in calls() if call[2] == "RETRY"] == ["RETRY"] * 4

    ran(folder, work)


# ---- the examples


def test_example_when_segments_are_sealed_then_messages_arrive_and_nothing_is_readable(
    folder: Path,
) -> None:
    async def work(one: Node, other: Node) -> None:
        sealed = (
            "SENDEXIT('seal(send)') SENDDATA('secret') RCVEXIT('seal(receive)') RCVDATA('secret')"
        )
        one.pair(other, sealed)
        other.run(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) {sealed}")
        long = b"a line of an order\n" * 10_000
        assert await delivered(one, other, b"short", long) == [b"short", long]
        one.channels.stop(one.instance(CHANNEL), QUIESCE)
        await until(lambda: not one.channels.instances_of(CHANNEL), "its end")
        # With another key the first segment is refused.
        other.run(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) RCVDATA('other')")
        one.start(CHANNEL)
        await until(lambda: "AMQ9536E" in other.ids, "its message")

    ran(folder, work)


def test_example_when_messages_are_squeezed_then_they_arrive_whole(folder: Path) -> None:
    async def work(one: Node, other: Node) -> None:
        one.pair(other, "MSGEXIT('squeeze(shrink)')")
        other.run(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) MSGEXIT('squeeze(grow)')")
        long = b"a line of an order\n" * 10_000
        assert await delivered(one, other, b"short", long) == [b"short", long]
        assert int(one.instance(CHANNEL).agent.bytes_sent) < 20_000  # type: ignore[union-attr]

    ran(folder, work)


def test_example_when_audited_then_lines_are_written_and_strangers_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    log = folder.parent / "audit.log"

    async def work(one: Node, other: Node) -> None:
        one.pair(other, "DISCINT(1)")
        given = "MSGEXIT('audit(message)') MSGDATA('audit.log') SCYEXIT('audit(partner)')"
        other.run(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) {given} SCYDATA('QMX QMA')")
        await delivered(one, other, b"12345")
        await until(lambda: not other.channels.instances_of(CHANNEL), "DISCINT")
        lines = [line.split(" ", 2)[2] for line in log.read_text().splitlines()]
        assert lines == [f"{CHANNEL} begins", f"{CHANNEL} QMA T 5", f"{CHANNEL} ends"]
        other.run(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) SCYDATA('QMX')")
        one.start(CHANNEL)
        await until(lambda: "AMQ9536E" in other.ids, "its message")

    ran(folder, work)
