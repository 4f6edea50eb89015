"""Goal: an exit that takes long delays its own channel, and nothing else of its queue manager.
Method: two queue managers in one loop; an exit that waits for an event which the test sets later,
or gives up after a time that is longer than the test needs if nothing is blocked.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from ternmq.kernel.channel_instance import TERMINATE
from ternmq.network.channels.message_channels import BATCH_END_S, END_S
from ternmq.network.edge.network_settings import NetworkSettings
from tests.unit.network.channels.two_managers import Node, two_managers, until

CHANNEL = "QMA.QMB"
WAITING = """
import builtins
gate, seen = builtins._exit_gate

def slow(mqcxp, mqcd, data):
    seen.append(mqcxp.ExitReason)
    if mqcxp.ExitReason == {reason}:
        seen.append("opened" if gate.wait(4) else "not opened")
"""


class Gate:
    """The event, and what the exit has seen."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self.seen: list[object] = []

    @property
    def is_reached(self) -> bool:
        return bool({13, 14, 16} & set(self.seen))


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    made = Gate()
    monkeypatch.setattr("builtins._exit_gate", (made.event, made.seen), raising=False)
    yield made
    made.event.set()


def ran(tmp_path: Path, reason: int, work: Callable[[Node, Node], Awaitable[None]]) -> None:
    folder = tmp_path / "exits"
    folder.mkdir(mode=0o755)
    (folder / "waiting.py").write_text(WAITING.format(reason=reason))
    (folder / "waiting.py").chmod(0o644)

    async def run() -> None:
        settings = NetworkSettings(exits_path=str(folder))
        async with two_managers(settings=settings) as (one, other):
            await work(one, other)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("attribute", "reason"), [("MSGEXIT", 13), ("SENDEXIT", 14), ("RCVEXIT", 14), ("SCYEXIT", 16)]
)
def test_exit_when_it_is_slow_then_other_channels_go_on(
    tmp_path: Path, gate: Gate, attribute: str, reason: int
) -> None:
    async def work(one: Node, other: Node) -> None:
        one.pair(other, f"{attribute}('waiting(slow)')")
        other.pair(one, queue="BACK")
        one.put("R", b"slow")
        one.start(CHANNEL)
        await until(lambda: gate.is_reached, "the exit")
        other.put("R", b"fast")
        other.start("QMB.QMA")
        await until(lambda: one.depth("BACK") == 1, "the other channel")
        assert "opened" not in gate.seen
        assert "not opened" not in gate.seen
        gate.event.set()
        await until(lambda: other.get_all("T") == [b"slow"], "the slow one")

    ran(tmp_path, reason, work)


def test_stop_when_the_exit_does_not_return_then_terminate_ends_the_channel(
    tmp_path: Path, gate: Gate
) -> None:
    async def work(one: Node, other: Node) -> None:
        one.pair(other, "MSGEXIT('waiting(slow)')")
        one.put("R", b"x")
        one.start(CHANNEL)
        await until(lambda: gate.is_reached, "the exit")
        one.channels.stop(one.instance(CHANNEL), TERMINATE)
        await until(lambda: not one.channels.instances_of(CHANNEL), "its end")
        assert "opened" not in gate.seen
        assert "not opened" not in gate.seen
        assert one.ids[-1] == "AMQ9528I"
        one.run(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) MSGEXIT(' ')")
        one.start(CHANNEL)  # the transmission queue is free, and has the message
        await until(lambda: other.get_all("T") == [b"x"], "delivery")
        gate.event.set()
        await until(lambda: 12 in gate.seen, "MQXR_TERM, once the exit has returned")

    ran(tmp_path, 13, work)


def test_quiesce_when_the_exit_does_not_return_then_the_channel_ends_all_the_same(
    tmp_path: Path, gate: Gate
) -> None:
    async def work(one: Node, other: Node) -> None:
        one.pair(other, "MSGEXIT('waiting(slow)')")
        one.put("R", b"x")
        one.start(CHANNEL)
        await until(lambda: gate.is_reached, "the exit")
        one.channels.quiesce()
        assert one.channels.instances_of(CHANNEL)
        # As if the queue manager had begun to end long ago.
        one.channels._quiesced_s -= BATCH_END_S + END_S
        one.channels.quiesce()
        await until(lambda: not one.channels.instances_of(CHANNEL), "its end")
        assert "opened" not in gate.seen
        assert "not opened" not in gate.seen
        assert one.depth("QMB") == 1

    ran(tmp_path, 13, work)
