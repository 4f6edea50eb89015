"""Goal: whatever breaks and wherever, a message under syncpoint arrives once and in order.

Method: a run without a fault shows how many bytes pass and how many wants there are. Then the link
is cut after each byte, each want fails, each end crashes after each want; the channel is started
again until the queue is empty. At the end nothing is missing, twice, or out of order.
"""

from __future__ import annotations

import random

import pytest

from ternmq.base.object_types import RECEIVER, REQUESTER, SENDER, SERVER
from ternmq.channel.agent import QUIESCE
from ternmq.channel.settings import ChannelSettings
from ternmq.channel.transmission_message import is_persistent
from tests.unit.channel.model import Engine, Pair, message, settings

pytestmark = pytest.mark.core

SENT = [message(b"m%d" % n * (n + 1)) for n in range(3)]
KINDS = {"sender": (SENDER, RECEIVER), "requester": (REQUESTER, SERVER)}


def ends_of(kind: str, pipelined: bool = False, batch: int = 2) -> list[ChannelSettings]:
    made = [settings(one, name) for one, name in zip(KINDS[kind], ("QMA", "QMB"), strict=True)]
    for one in made:
        one.batch_messages = batch
        one.pipelines = pipelined
        one.started_s = 1000
    return made


class Channel:
    """A channel that is started again and again."""

    def __init__(self, kind: str, pipelined: bool, sent: list[bytes]) -> None:
        self.ends = ends_of(kind, pipelined)
        sends_left = kind == "sender"
        self.engines = (Engine(sends_left), Engine(not sends_left))
        self.source = self.engines[0 if sends_left else 1]
        self.target = self.engines[1 if sends_left else 0]
        self.source.queue = list(sent)
        self.sent = sent
        self.starts = 0

    def pair(self) -> Pair:
        self.starts += 1
        for engine in self.engines:
            engine.restart()
        return Pair(self.ends[0], self.ends[1], self.engines)

    def is_done(self) -> bool:
        return not self.source.queue and self.source.prepared is None

    def check(self) -> None:
        """Nothing lost, doubled or out of order, once it has run without a fault."""
        pair = self.pair()
        pair.start()
        assert pair.ends == [None, None], [end and end.message_id for end in pair.ends]
        assert self.is_done()
        assert self.target.queue == self.sent
        assert self.source.state.last_sequence == len(self.sent)
        assert self.target.state.last_sequence == len(self.sent)

    def check_between(self) -> None:
        """What has arrived is a beginning of what was sent, and the rest is still here."""
        arrived = self.target.queue
        assert arrived == self.sent[: len(arrived)]
        held = list(self.source.queue)
        if self.source.prepared is not None:
            held[:0] = self.source.prepared[2]
        assert len(held) + len(arrived) >= len(self.sent)
        assert held == self.sent[len(self.sent) - len(held) :]


def measured(kind: str, pipelined: bool) -> tuple[list[int], int]:
    """Where segments end, in bytes from the start, and how many wants there are."""
    channel = Channel(kind, pipelined, SENT)
    pair = channel.pair()
    pair.start()
    assert channel.is_done()
    ends = [0]
    for _side, data in pair.carried:
        ends.append(ends[-1] + len(data))
    return ends, sum(len(engine.log) for engine in channel.engines)


def check_cut(kind: str, pipelined: bool, at: int) -> None:
    channel = Channel(kind, pipelined, SENT)
    pair = channel.pair()
    pair.bytes_left = at
    pair.start()
    assert pair.is_cut
    assert None not in pair.ends
    channel.check_between()
    channel.check()


def test_link_when_it_is_cut_at_any_byte_then_each_message_arrives_once() -> None:
    ends, _wants = measured("sender", False)
    for at in range(ends[-1]):
        check_cut("sender", False, at)


@pytest.mark.parametrize("pipelined", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_link_when_it_is_cut_around_any_segment_then_each_message_arrives_once(
    kind: str, pipelined: bool
) -> None:
    ends, _wants = measured(kind, pipelined)
    for end in ends[:-1]:
        for at in {max(end - 1, 0), end, end + 1, end + 30}:
            check_cut(kind, pipelined, min(at, ends[-1] - 1))


@pytest.mark.parametrize("pipelined", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_machine_when_it_fails_after_a_want_then_each_message_arrives_once(
    kind: str, pipelined: bool
) -> None:
    _ends, wants = measured(kind, pipelined)
    for at in range(wants):
        channel = Channel(kind, pipelined, SENT)
        pair = channel.pair()
        pair.crash_after = at
        pair.start()
        assert any(pair.is_crashed)
        channel.check_between()
        channel.check()


@pytest.mark.parametrize("pipelined", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_want_when_it_fails_then_each_message_arrives_once(kind: str, pipelined: bool) -> None:
    _passed, wants = measured(kind, pipelined)
    for at in range(wants):
        channel = Channel(kind, pipelined, SENT)
        pair = channel.pair()
        pair.wants_left = at
        pair.start()
        assert None not in pair.ends, at
        channel.check_between()
        channel.check()


@pytest.mark.parametrize("seed", range(60))
def test_faults_in_a_row_then_each_message_arrives_once(seed: int) -> None:
    chance = random.Random(seed)
    kind = chance.choice(list(KINDS))
    sent = [message(bytes([n]) * chance.choice([1, 10, 3000])) for n in range(12)]
    channel = Channel(kind, chance.random() < 0.5, sent)
    for one in channel.ends:
        one.segment_bytes_max = 1024
    for _again in range(10):
        pair = channel.pair()
        if chance.random() < 0.7:
            pair.bytes_left = chance.randrange(20_000)
        if chance.random() < 0.4:
            pair.wants_left = chance.randrange(40)
        if chance.random() < 0.4:
            pair.crash_after = chance.randrange(40)
        pair.start()
        channel.check_between()
    channel.check()


@pytest.mark.parametrize("seed", range(80))
def test_faults_when_messages_are_mixed_then_none_comes_twice_and_only_fast_ones_are_lost(
    seed: int,
) -> None:
    chance = random.Random(seed)
    sent: list[bytes] = []
    for n in range(20):
        one = message(b"%02d" % n, chance.random() < 0.5)
        sent.append(b"junk%02d" % n if chance.random() < 0.2 else one)
    channel = Channel("sender", chance.random() < 0.7, sent)
    for engine in channel.engines:
        engine.fast = True
    for end in channel.ends:
        end.batch_messages = chance.choice([1, 2, 3, 5])
    for _again in range(8):
        pair = channel.pair()
        if chance.random() < 0.7:
            pair.bytes_left = chance.randrange(8_000)
        if chance.random() < 0.3:
            pair.wants_left = chance.randrange(40)
        if chance.random() < 0.3:
            pair.crash_after = chance.randrange(40)
        pair.start()
    last = channel.pair()
    last.start()
    assert last.ends == [None, None]
    assert channel.is_done()
    arrived = channel.target.queue
    assert len(set(arrived)) == len(arrived)
    good = [one for one in sent if one[:4] == b"XQH "]
    counted = [one for one in good if is_persistent(one)]
    assert [one for one in arrived if is_persistent(one)] == counted
    fast = [one for one in arrived if not is_persistent(one)]
    assert fast == sorted(fast, key=good.index)
    assert channel.target.state.last_sequence == len(counted)
    buried = [one for one, _reason in channel.source.dead_letters]
    assert buried == [one for one in sent if one[:4] == b"junk"]


@pytest.mark.parametrize("seed", range(60))
def test_stops_time_and_cuts_in_any_order_then_each_message_arrives_once(seed: int) -> None:
    chance = random.Random(seed)
    kind = chance.choice(list(KINDS))
    channel = Channel(kind, chance.random() < 0.5, [])
    sent: list[bytes] = []
    for end in channel.ends:
        end.batch_messages = chance.choice([2, 5])
        end.batch_interval_ms = chance.choice([0, 500])
        end.heartbeat_s = chance.choice([0, 1])
        end.disconnect_s = chance.choice([0, 2])
        end.message_retry_ms = 300
    for _start in range(6):
        pair = channel.pair()
        pair.start()
        for _event in range(8):
            what = chance.randrange(8)
            if what < 3:
                made = [message(b"%03d" % (len(sent) + n)) for n in range(chance.randrange(1, 4))]
                sent += made
                pair.put(*made)
            elif what == 3:
                channel.target.full_for = chance.randrange(3)
            elif what == 4:
                chance.choice(pair.agents).stop(chance.choice([QUIESCE, 2]), pair.now)
            elif what == 5 and chance.random() < 0.3:
                pair.cut()
            pair.pass_time(chance.choice([0, 0.1, 0.6, 3]))
            pair.run()
        pair.cut()
        pair.run()
    channel.target.full_for = 0
    last = channel.pair()
    last.start()
    last.pass_time(1)
    assert channel.target.queue == sent
    assert channel.is_done()
