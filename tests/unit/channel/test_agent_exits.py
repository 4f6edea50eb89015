"""Goal: exits see what passes through an agent, in their order, and may end the channel.

Method: chains of exits in Python on two agents that are joined in memory; see `model`.
"""

from __future__ import annotations

import pytest

from ternmq.base.object_types import RECEIVER, SENDER
from ternmq.channel.agent import NO_RETRY, QUIESCE
from ternmq.channel.exit_points import (
    PASS,
    SECURITY_OK,
    SECURITY_SEND,
    SUPPRESS,
    ExitChain,
    ExitEnds,
    Retry,
    SecurityTurn,
    Verdict,
)
from ternmq.channel.receiver import ReceivingAgent
from ternmq.channel.sender import SendingAgent
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.dialogue import ACCEPTOR, INITIATOR
from tests.unit.channel.model import Pair, message, settings

pytestmark = pytest.mark.core


def some(count: int) -> list[bytes]:
    return [message(b"m%d" % n) for n in range(count)]


class Seen(ExitChain):
    """Exits that note what they see."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.has_message = self.has_send = self.has_receive = True

    def initial(self) -> None:
        self.seen.append("initial")

    def message(self, message: bytes) -> Verdict:
        self.seen.append("message")
        if b"stop" in message:
            return Verdict(message, SUPPRESS, 300)
        return Verdict(message + b"!", PASS)

    def send(self, segment: bytes) -> bytes:
        self.seen.append("send")
        return segment[:8] + bytes(byte ^ 0x55 for byte in segment[8:])

    def receive(self, segment: bytes) -> bytes:
        self.seen.append("receive")
        return segment[:8] + bytes(byte ^ 0x55 for byte in segment[8:])

    def final(self) -> None:
        self.seen.append("final")


class Talking(ExitChain):
    """A security exit that says these things."""

    def __init__(self, *says: bytes) -> None:
        super().__init__()
        self.has_security = True
        self.says = list(says)
        self.heard: list[bytes | None] = []

    def security(self, received: bytes | None) -> SecurityTurn:
        self.heard.append(received)
        if received == b"no":
            raise ExitEnds("AMQ9536E", ("QMA.QMB", "here"), fap.SECURITY_FAILURE)
        if not self.says:
            return SecurityTurn(SECURITY_OK)
        return SecurityTurn(SECURITY_SEND, self.says.pop(0))


def with_exits(left: ExitChain | None, right: ExitChain | None) -> Pair:
    ends = settings(SENDER, "QMA"), settings(RECEIVER, "QMB")
    pair = Pair(*ends)
    pair.agents = [
        SendingAgent(ends[0], INITIATOR, left),
        ReceivingAgent(ends[1], ACCEPTOR, right),
    ]
    return pair


def test_exits_then_segments_and_messages_pass_through_them() -> None:
    left, right = Seen(), Seen()
    pair = with_exits(left, right)
    pair.put(message(b"a"), message(b"stop"), message(b"b"))
    pair.start()
    assert pair.engines[1].queue == [message(b"a!!"), message(b"b!!")]
    assert pair.engines[0].dead_letters == [(message(b"stop"), 300)]
    pair.sender.stop(QUIESCE, pair.now)
    pair.run()
    assert left.seen[0] == "initial"
    assert left.seen.count("message") == 3
    assert left.seen[-1] == right.seen[-1] == "final"
    assert left.seen.count("send") == right.seen.count("receive")
    assert all(end is not None for end in pair.ends)


@pytest.mark.parametrize(
    ("left", "right", "heard_left", "heard_right"),
    [
        (Talking(b"b"), Talking(b"a", b"c"), [b"a", b"c"], [None, b"b"]),
        (Talking(b"x"), Talking(), [None], [None, b"x"]),
        (Talking(), Talking(), [None], [None]),
        (Talking(), None, [None], []),
        (None, Talking(), [], [None]),
    ],
)
def test_security_exits_then_they_take_turns_before_messages_flow(
    left: Talking | None,
    right: Talking | None,
    heard_left: list[bytes | None],
    heard_right: list[bytes | None],
) -> None:
    pair = with_exits(left, right)
    pair.put(*some(1))
    pair.start()
    assert pair.ends == [None, None]
    assert pair.engines[1].queue == some(1)
    if left is not None:
        assert left.heard == heard_left
    if right is not None:
        assert right.heard == heard_right


def test_security_exit_when_it_refuses_then_the_channel_ends_with_its_message() -> None:
    pair = with_exits(Talking(b"no"), Talking())
    pair.start()
    found = [(end.kind, end.message_id) for end in pair.ends if end is not None]
    assert found == [(NO_RETRY, "AMQ9503E"), (NO_RETRY, "AMQ9536E")]


def test_security_exit_when_the_partner_has_none_then_it_cannot_talk() -> None:
    pair = with_exits(None, Talking(b"hello"))
    pair.start()
    assert [end and end.status for end in pair.ends] == [fap.SECURITY_FAILURE] * 2


class Patient(ExitChain):
    """A retry exit that tries everything twice."""

    def __init__(self) -> None:
        super().__init__()
        self.has_retry = True

    def retry(self, message: bytes, reason: int, tried: int, left: int, interval_ms: int) -> Retry:
        return Retry(tried <= 2, 100)


def test_retry_exit_then_it_decides_how_often() -> None:
    pair = with_exits(None, Patient())
    pair.engines[1].full_for = 100
    pair.put(*some(1))
    pair.start()
    pair.pass_time(1)
    assert pair.engines[1].full_for == 100 - 4
    assert len(pair.engines[1].dead_letters) == 1
