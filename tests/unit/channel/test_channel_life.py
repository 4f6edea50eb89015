"""Goal: batches, time, stopping, retries, what cannot be sent, resets, pings and callbacks are as
the attributes of a channel say.

Method: two agents joined in memory, with a clock that the test moves; see `model`.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from ternmq.base.object_types import RECEIVER, REQUESTER, SENDER, SERVER
from ternmq.channel.agent import CALL_BACK, GET, NO_RETRY, NORMAL, PREPARE, QUIESCE, RETRY, Want
from ternmq.channel.agents import make_agent, ping_agent
from ternmq.channel.channel_agent import timeout_s
from ternmq.channel.ping import PingingAgent, ping_data
from ternmq.channel.receiver import ReceivingAgent
from ternmq.channel.sender import SendingAgent
from ternmq.channel.settings import ChannelSettings
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.segment import read_segment
from tests.unit.channel.model import Pair, message, settings

pytestmark = pytest.mark.core

FORCE = 2


def pair_of(
    left: int = SENDER, right: int = RECEIVER, **values: int | bool
) -> tuple[Pair, ChannelSettings, ChannelSettings]:
    """A pair whose ends both have these values."""
    ends = settings(left, "QMA"), settings(right, "QMB")
    for one in ends:
        for name, value in values.items():
            setattr(one, name, value)
    return Pair(*ends), *ends


def types(pair: Pair, side: int) -> list[int]:
    return [read_segment(data).header.type for who, data in pair.carried if who == side]


def some(count: int, persistent: bool = True) -> list[bytes]:
    return [message(b"m%d" % n, persistent) for n in range(count)]


# ---- pairs


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (SENDER, RECEIVER),
        (SERVER, RECEIVER),
        (SENDER, REQUESTER),
        (SERVER, REQUESTER),
        (REQUESTER, SERVER),
    ],
)
def test_pair_of_types_then_messages_flow(left: int, right: int) -> None:
    pair, _left, _right = pair_of(left, right)
    sent = some(3)
    pair.put(*sent)
    pair.start()
    target = pair.engines[pair.agents.index(pair.receiver)]
    assert target.queue == sent
    assert pair.ends == [None, None]


@pytest.mark.parametrize(
    ("left", "right"),
    [(SENDER, SENDER), (SENDER, SERVER), (REQUESTER, RECEIVER), (REQUESTER, REQUESTER)],
)
def test_pair_of_types_when_they_do_not_fit_then_both_ends_say_so(left: int, right: int) -> None:
    ends = settings(left, "QMA"), settings(right, "QMB")
    one, other = make_agent(ends[0], True), make_agent(ends[1], False)
    one.start(1)
    other.start(1)
    other.received(read_segment(one.take_segments()[0]), 2)
    assert other.end is not None
    assert (other.end.kind, other.end.message_id) == (NO_RETRY, "AMQ9502E")
    one.received(read_segment(other.take_segments()[0]), 3)
    assert one.end is not None
    assert (one.end.kind, one.end.message_id) == (NO_RETRY, "AMQ9547E")
    assert one.end.status == other.end.status == fap.CHANNEL_WRONG_TYPE


def test_requester_when_a_sender_answers_then_it_is_called_back() -> None:
    one = make_agent(settings(REQUESTER, "QMA"), True)
    other = make_agent(settings(SENDER, "QMB"), False)
    one.start(1)
    other.start(1)
    for data in one.take_segments():
        other.received(read_segment(data), 2)
    for data in other.take_segments():
        one.received(read_segment(data), 3)
    assert [end and end.kind for end in (one.end, other.end)] == [CALL_BACK, CALL_BACK]
    assert other.want is None


# ---- what is agreed


def test_values_then_each_is_agreed_by_its_rule() -> None:
    pair, left, right = pair_of()
    left.batch_messages, right.batch_messages = 10, 3
    left.message_bytes_max, right.message_bytes_max = 5000, 3000
    left.heartbeat_s, right.heartbeat_s = 10, 40
    left.is_fast, right.is_fast = True, False
    left.segment_bytes_max = 2000
    left.message_compression = [mq.MQCOMPRESS_ZLIBHIGH, mq.MQCOMPRESS_RLE]
    right.message_compression = [mq.MQCOMPRESS_RLE, mq.MQCOMPRESS_NONE, mq.MQCOMPRESS_ZLIBHIGH]
    pair.start()
    for agent in pair.agents:
        assert agent.batch_messages == 3
        assert agent.message_bytes_max == 3000
        assert agent.heartbeat_s == 40
        assert agent.segment_bytes_max == 2000
        assert not agent.is_fast
        assert agent.has_lists
        assert agent.has_properties
        assert agent.message_compression == mq.MQCOMPRESS_ZLIBHIGH
        assert agent.header_compression == mq.MQCOMPRESS_NONE
        assert agent.partner_product == "MQMM09040000"


@pytest.mark.parametrize("kinds", [(SENDER, RECEIVER), (REQUESTER, SERVER)])
def test_compression_then_the_order_of_the_message_sender_counts(kinds: tuple[int, int]) -> None:
    pair, left, right = pair_of(*kinds)
    sender, receiver = (left, right) if kinds[0] == SENDER else (right, left)
    sender.message_compression = [mq.MQCOMPRESS_RLE, mq.MQCOMPRESS_ZLIBFAST]
    receiver.message_compression = [mq.MQCOMPRESS_ZLIBFAST, mq.MQCOMPRESS_RLE]
    pair.start()
    assert {agent.message_compression for agent in pair.agents} == {mq.MQCOMPRESS_RLE}


@pytest.mark.parametrize("kinds", [(SENDER, RECEIVER), (REQUESTER, SERVER)])
def test_conversion_when_the_sender_converts_then_the_engine_gets_the_partners_set(
    kinds: tuple[int, int],
) -> None:
    pair, left, right = pair_of(*kinds, converts=True)
    left.ccsid, right.ccsid = 819, 437
    wants: list[tuple[int, int]] = []
    engine = pair.engines[pair.agents.index(pair.sender)]
    run = engine.run

    def watched(want: Want) -> None:
        if want.kind == GET:
            wants.append((want.ccsid, want.encoding))
        run(want)

    engine.run = watched  # type: ignore[method-assign]
    pair.start()
    assert wants == [(437 if kinds[0] == SENDER else 819, 546)]


@pytest.mark.parametrize(("one", "other"), [(0, 300), (300, 0)])
def test_heartbeats_when_one_end_wants_none_then_there_are_none(one: int, other: int) -> None:
    pair, left, right = pair_of()
    left.heartbeat_s, right.heartbeat_s = one, other
    left.disconnect_s = 0
    pair.start()
    assert [agent.heartbeat_s for agent in pair.agents] == [0, 0]
    pair.pass_time(100_000)
    assert pair.ends == [None, None]


def test_sender_when_it_only_waits_for_messages_then_its_substate_says_so() -> None:
    pair, left, _right = pair_of(heartbeat_s=5)
    left.disconnect_s = 0
    pair.start()
    for _ in range(2):
        pair.put(*some(1))
        pair.run()
        assert pair.sender.batches > 0
        assert pair.sender.substate == mq.MQCHSSTATE_IN_MQGET
        pair.pass_time(6)
        assert fap.HEARTBEAT in types(pair, 0)
        assert pair.sender.substate == mq.MQCHSSTATE_IN_MQGET


def test_maxumsgs_then_it_bounds_the_batch() -> None:
    for side in (0, 1):
        pair, *ends = pair_of()
        ends[side].uncommitted_max = 2
        pair.put(*some(5))
        pair.start()
        assert [agent.batch_messages for agent in pair.agents] == [2, 2]
        assert pair.sender.batches == 3


def test_sequence_wrap_when_it_differs_then_neither_end_runs_and_nothing_is_taken() -> None:
    pair, left, _right = pair_of()
    left.sequence_wrap = 1000
    pair.put(*some(1))
    pair.start()
    found = [(end.kind, end.message_id, end.status) for end in pair.ends if end is not None]
    assert found == [(NO_RETRY, "AMQ9505E", 21)] * 2
    assert len(pair.engines[0].queue) == 1
    assert pair.engines[0].log == []


# ---- batches


def test_batches_when_the_size_is_three_then_ten_messages_make_four() -> None:
    pair, *_ = pair_of(batch_messages=3)
    pair.put(*some(10))
    pair.start()
    assert (pair.sender.batches, pair.receiver.batches) == (4, 4)
    assert pair.sender.messages == pair.receiver.messages == 10


def test_batches_when_fast_messages_are_among_them_then_they_count() -> None:
    pair, *_ = pair_of(batch_messages=2)
    for engine in pair.engines:
        engine.fast = True
    pair.put(*[message(b"%d" % n, n % 2 == 0) for n in range(4)])
    pair.start()
    assert pair.sender.batches == 2
    assert pair.engines[0].state.last_sequence == 2


def test_batch_when_it_has_fast_messages_alone_then_nothing_is_forced() -> None:
    pair, *_ = pair_of()
    for engine in pair.engines:
        engine.fast = True
    pair.put(*some(3, persistent=False))
    pair.start()
    assert pair.engines[1].queue == some(3, persistent=False)
    assert pair.sender.batches == pair.receiver.batches == 1
    assert PREPARE not in pair.engines[0].log
    assert pair.engines[1].state.last_sequence == 0


@pytest.mark.parametrize("persistent", [True, False])
def test_message_when_its_two_descriptors_differ_then_it_is_put_as_it_was_got(
    persistent: bool,
) -> None:
    """A program may make its own MQXQH: the queue's MQMD says one thing, the one inside another."""
    pair, *_ = pair_of()
    engine = pair.engines[0]
    run = engine.run

    def by_the_queue(want: Want) -> None:
        if want.kind == GET:
            engine.fast = False  # got under syncpoint
        run(want)
        if want.kind == GET and want.message is not None and not persistent:
            want.is_fast = True
            engine.unit.clear()

    engine.run = by_the_queue  # type: ignore[method-assign]
    pair.put(message(b"m", not persistent))
    pair.start()
    assert pair.engines[1].queue == [message(b"m", persistent)]
    assert pair.engines[1].state.last_sequence == int(persistent)
    assert (PREPARE in engine.log) == persistent


def test_batch_when_its_bytes_reach_the_limit_then_it_ends() -> None:
    pair, *_ = pair_of(batch_kilobytes=2)
    pair.put(*[message(b"x" * 600) for _ in range(4)])
    pair.start()
    assert pair.sender.batches == 2


def test_interval_when_messages_come_late_then_they_are_one_batch() -> None:
    pair, *_ = pair_of(batch_interval_ms=5000)
    pair.put(*some(1))
    pair.start()
    pair.pass_time(2)
    pair.put(*some(1))
    pair.run()
    pair.pass_time(2.9)
    assert pair.engines[1].queue == []
    pair.pass_time(0.2)
    assert len(pair.engines[1].queue) == 2
    assert pair.sender.batches == 1


def test_interval_when_time_is_spent_sending_then_it_does_not_count() -> None:
    pair, *_ = pair_of(batch_interval_ms=3000, batch_messages=9999)
    pair.put(*some(1))
    pair.start()
    pair.pass_time(1)
    for _ in range(5):  # each takes a second to send
        pair.put(*some(1))
        pair.now += 1_000_000_000
        pair.run()
    assert pair.engines[1].queue == []
    pair.pass_time(1.9)
    assert pair.engines[1].queue == []
    pair.pass_time(0.2)
    assert len(pair.engines[1].queue) == 6


def test_numbers_when_they_wrap_then_all_arrive_and_go_on_from_one() -> None:
    pair, *_ = pair_of(sequence_wrap=100, batch_messages=7)
    sent = some(250)
    pair.put(*sent)
    pair.start()
    assert pair.engines[1].queue == sent
    assert [engine.state.last_sequence for engine in pair.engines] == [50, 50]


def test_batch_heartbeat_when_the_partner_is_gone_then_nothing_is_in_doubt() -> None:
    pair, *_ = pair_of(batch_heartbeat_ms=1000, batch_interval_ms=5000, heartbeat_s=2)
    pair.start()
    pair.pass_time(1.5)
    pair.put(*some(1))
    pair.bytes_left = 10_000_000
    pair.is_cut = False
    sender, receiver = pair.agents
    # The receiver hears nothing any more, and says nothing.
    pair.is_crashed[1] = True
    pair.run()
    for _ in range(20):
        pair.now += 1_000_000_000
        sender.tick(pair.now)
        pair.run()
    assert receiver.end is None
    assert sender.end is not None
    assert (sender.end.kind, sender.end.message_id) == (RETRY, "AMQ9259E")
    assert pair.engines[0].prepared is None
    assert len(pair.engines[0].queue) == 1


def test_batch_heartbeat_when_the_partner_answers_then_the_batch_ends() -> None:
    pair, *_ = pair_of(batch_heartbeat_ms=1000, batch_interval_ms=3000)
    pair.put(*some(1))
    pair.start()
    pair.pass_time(3.1)
    assert fap.HEARTBEAT in types(pair, 0)
    assert len(pair.engines[1].queue) == 1


# ---- time


@pytest.mark.parametrize(
    ("heartbeat", "timeout"), [(0, 0), (1, 2), (59, 118), (60, 120), (300, 360)]
)
def test_timeout_then_it_is_twice_the_interval_or_a_minute_more(
    heartbeat: int, timeout: int
) -> None:
    assert timeout_s(heartbeat) == timeout


def test_heartbeats_when_the_channel_is_idle_then_both_ends_live_on() -> None:
    pair, *_ = pair_of(heartbeat_s=5, disconnect_s=0)
    pair.start()
    pair.pass_time(51)
    assert pair.ends == [None, None]
    assert types(pair, 0).count(fap.HEARTBEAT) in (9, 10)
    assert types(pair, 1).count(fap.HEARTBEAT) == types(pair, 0).count(fap.HEARTBEAT)


@pytest.mark.parametrize("silent", [0, 1])
def test_partner_when_it_is_frozen_then_the_other_end_gives_up(silent: int) -> None:
    pair, *_ = pair_of(heartbeat_s=1, disconnect_s=0)
    pair.start()
    pair.is_crashed[silent] = True
    other = pair.agents[1 - silent]
    began = pair.now
    while other.end is None:
        pair.now = other.deadline_ns
        other.tick(pair.now)
        pair.run()
    assert pair.now - began <= 3_100_000_000
    assert (other.end.kind, other.end.message_id) == (RETRY, "AMQ9259E")


def test_opening_when_the_partner_says_nothing_then_it_is_given_up() -> None:
    for role, agent in ((0, SendingAgent), (1, ReceivingAgent)):
        kind = SENDER if role == 0 else RECEIVER
        made = agent(settings(kind, "QMA"), role)
        made.start(5)
        assert made.deadline_ns > 5
        made.tick(made.deadline_ns)
        assert made.end is not None
        assert made.end.kind == RETRY


def test_disconnect_interval_when_nothing_comes_then_both_ends_end_normally() -> None:
    pair, *_ = pair_of(disconnect_s=60)
    pair.put(*some(1))
    pair.start()
    pair.pass_time(59)
    assert pair.ends == [None, None]
    pair.put(*some(1))
    pair.run()
    pair.pass_time(59)
    assert pair.ends == [None, None]
    pair.pass_time(2)
    found = [(end.kind, end.message_id) for end in pair.ends if end is not None]
    assert found == [(NORMAL, "AMQ9545I"), (NORMAL, "AMQ9001I")]


# ---- stopping


def test_stop_when_it_quiesces_then_the_batch_is_confirmed_first() -> None:
    pair, *_ = pair_of(batch_interval_ms=60_000)
    pair.put(*some(3))
    pair.start()
    assert pair.engines[1].queue == []
    pair.sender.stop(QUIESCE, pair.now)
    pair.run()
    assert len(pair.engines[1].queue) == 3
    assert pair.engines[0].prepared is None
    assert [end and end.kind for end in pair.ends] == [NORMAL, NORMAL]
    assert pair.sender.status == mq.MQCHS_STOPPING


def test_stop_when_it_is_forced_then_the_batch_is_backed_out() -> None:
    pair, *_ = pair_of(batch_interval_ms=60_000)
    pair.put(*some(3))
    pair.start()
    pair.sender.stop(FORCE, pair.now)
    pair.run()
    assert pair.engines[1].queue == []
    assert pair.engines[0].queue == some(3)
    assert pair.ends[0] is not None
    assert pair.ends[0].kind == NORMAL


def test_stop_of_the_receiver_then_the_sender_ends_and_is_tried_again() -> None:
    pair, *_ = pair_of(heartbeat_s=2, disconnect_s=0)
    pair.put(*some(2))
    pair.start()
    pair.receiver.stop(QUIESCE, pair.now)
    pair.run()
    assert pair.ends == [None, None]
    pair.pass_time(2.1)
    found = [(end.kind, end.message_id) for end in pair.ends if end is not None]
    assert found == [(RETRY, "AMQ9558E"), (NORMAL, "AMQ9001I")]


def test_stop_of_the_receiver_when_there_are_no_heartbeats_then_it_does_not_wait() -> None:
    pair, *_ = pair_of(heartbeat_s=0)
    pair.start()
    pair.receiver.stop(QUIESCE, pair.now)
    pair.run()
    assert [end and end.kind for end in pair.ends] == [RETRY, NORMAL]


# ---- what cannot be put or sent


def test_message_retry_then_the_receiver_pauses_and_tries_again() -> None:
    pair, *_ = pair_of(message_retries=3, message_retry_ms=500)
    target = pair.engines[1]
    target.full_for = 100
    pair.put(*some(2))
    pair.start()
    assert pair.receiver.status == mq.MQCHS_PAUSED
    pair.pass_time(1.4)
    assert pair.receiver.status == mq.MQCHS_PAUSED
    assert target.full_for == 100 - 3
    pair.pass_time(0.2)
    assert target.full_for == 100 - 5  # the last attempt, and the first with the next message
    pair.pass_time(3)
    assert [reason for _message, reason in target.dead_letters] == [0, 0]
    assert pair.receiver.status == mq.MQCHS_RUNNING
    assert [notice[0] for notice in pair.sender.notices] == ["AMQ9544W"]
    assert pair.ends == [None, None]


def test_message_retry_when_the_queue_has_room_again_then_the_order_is_kept() -> None:
    pair, *_ = pair_of(message_retries=3, message_retry_ms=500)
    pair.engines[1].full_for = 2
    pair.put(*some(4))
    pair.start()
    pair.pass_time(2)
    assert pair.engines[1].queue == some(4)


def test_message_retry_when_it_takes_longer_than_the_timeout_then_the_sender_waits() -> None:
    pair, *_ = pair_of(message_retries=3, message_retry_ms=10_000, heartbeat_s=1)
    pair.engines[1].full_for = 3
    pair.put(*some(1))
    pair.start()
    pair.pass_time(31)
    assert pair.ends == [None, None]
    assert pair.engines[1].queue == some(1)


def test_message_when_no_queue_takes_it_then_the_batch_goes_back() -> None:
    pair, *_ = pair_of(message_retries=0)
    pair.engines[1].full_for = 100
    pair.engines[1].has_dead_letter_queue = False
    pair.put(*some(5))
    pair.start()
    found = [(end.kind, end.message_id) for end in pair.ends if end is not None]
    assert found == [(RETRY, "AMQ9506E"), (RETRY, "AMQ9511E")]
    assert pair.engines[0].queue == some(5)
    assert pair.engines[1].queue == []


def test_message_when_it_is_too_long_for_the_channel_then_it_is_buried_and_the_next_is_sent() -> (
    None
):
    pair, _left, right = pair_of()
    right.message_bytes_max = 1000
    long, short = message(b"x" * 2000), message(b"y" * 1000)
    pair.put(long, short)
    pair.start()
    assert pair.engines[0].dead_letters == [(long, 2218)]
    assert pair.engines[1].queue == [short]
    assert pair.engines[1].state.last_sequence == 1


def test_message_when_it_is_too_long_and_there_is_no_dead_letter_queue_then_it_stays() -> None:
    pair, _left, right = pair_of()
    right.message_bytes_max = 1000
    pair.engines[0].has_dead_letter_queue = False
    long = message(b"x" * 2000)
    pair.put(*some(1), long)
    pair.start()
    assert pair.engines[0].queue == [*some(1), long]
    assert pair.ends[0] is not None
    assert pair.ends[0].message_id == "AMQ9565E"


@pytest.mark.parametrize("bad", [b"", b"junk", b"XQH " + bytes(424), message(b"")[:400]])
def test_message_when_it_is_no_transmission_message_then_it_is_buried(bad: bytes) -> None:
    pair, *_ = pair_of()
    pair.put(bad, *some(1))
    pair.start()
    assert pair.engines[0].dead_letters == [(bad, mq.MQFB_XMIT_Q_MSG_ERROR)]
    assert pair.engines[1].queue == some(1)


def test_batch_when_all_of_it_is_buried_then_it_is_committed_without_the_partner() -> None:
    pair, *_ = pair_of()
    pair.put(b"junk")
    pair.start()
    assert pair.engines[0].dead_letters == [(b"junk", mq.MQFB_XMIT_Q_MSG_ERROR)]
    assert fap.MESSAGE_DATA not in types(pair, 0)
    assert pair.sender.batches == 0
    pair.put(*some(1))
    pair.run()
    assert pair.engines[1].queue == some(1)


@pytest.mark.parametrize("size", [1, 700, 1_000_000])
def test_large_message_then_it_arrives_byte_for_byte_in_segments_of_the_agreed_size(
    size: int,
) -> None:
    pair, *_ = pair_of()
    sent = message(bytes(range(256)) * (size // 256) + b"x" * (size % 256))
    pair.put(sent)
    pair.start()
    assert pair.engines[1].queue == [sent]
    assert max(len(data) for _side, data in pair.carried) <= 32_748


# ---- reset, ping


def test_reset_then_both_ends_go_on_from_that_number() -> None:
    pair, *_ = pair_of()
    pair.engines[0].state.last_sequence = 5
    pair.engines[1].state.last_sequence = 9
    pair.engines[0].state.reset_sequence = 77
    pair.put(*some(1))
    pair.start()
    assert pair.ends == [None, None]
    assert [engine.state.last_sequence for engine in pair.engines] == [77, 77]
    assert pair.engines[0].state.reset_sequence == 0


def test_sender_when_restored_in_the_second_of_its_last_batch_then_its_ids_are_new() -> None:
    """What was restored from a backup does not know that batch; the partner does."""
    first, *_ = pair_of()
    first.put(*some(1))
    first.start()
    second, *_ = pair_of()
    second.engines = (second.engines[0], first.engines[1])
    second.engines[0].state.reset_sequence = 1
    second.put(*some(1))
    second.start()
    assert second.ends == [None, None]
    assert len(second.engines[1].queue) == 2


@pytest.mark.parametrize("size", [16, 64, 32_768])
def test_ping_then_its_data_comes_back_and_nothing_changes(size: int) -> None:
    pair = Pair(settings(SENDER, "QMA"), settings(RECEIVER, "QMB"))
    agent = ping_agent(settings(SENDER, "QMA"), ping_data(size))
    assert isinstance(agent, PingingAgent)
    pair.agents[0] = agent
    pair.start()
    assert agent.is_equal
    assert [end and end.kind for end in pair.ends] == [NORMAL, NORMAL]
    assert [engine.log for engine in pair.engines] == [[], []]
    assert max(len(data) for _side, data in pair.carried) <= 32_748
