"""Transmitter and receiver of a multicast group, on a network that loses, repeats and reorders.

What was published arrives whole, once and in order as long as the history has it; what is lost
is reported, and what follows goes on. Time is a number that the test turns.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from ternmq.wire.multicast.packet import NAK, PACKET_BYTES_MAX, Packet, unpack
from ternmq.wire.multicast.receiver import HELD_PACKETS_MAX, SOURCES_MAX, TRIES_MAX, Receiver
from ternmq.wire.multicast.transmitter import (
    PUBLICATION_BYTES_MAX,
    REPAIRS_AT_ONCE,
    Transmitter,
)
from tests.unit.wire.multicast.simulated_group import KEY, PLACE, Group

LOST = mq.MQMCEV_PACKET_LOSS


def numbered(count: int, size: int = 20) -> list[bytes]:
    return [f"{number:06}".encode() * (size // 6 + 1) for number in range(count)]


def test_publications_when_nothing_is_lost_then_arrive_in_order() -> None:
    group = Group()
    group.join()
    for one in numbered(50):
        group.publish(one)
    group.turn(5)
    assert group.got == [numbered(50)]
    assert group.events == [[(mq.MQMCEV_NEW_SOURCE, 1)]]
    assert group.receivers[0].sent_naks == 0


@pytest.mark.parametrize("seed", range(12))
def test_publications_when_network_is_bad_then_all_arrive_once_and_in_order(seed: int) -> None:
    group = Group(seed, loss=0.2, repeats=0.2, reorders=0.4, history_kb=1000)
    for _ in range(3):
        group.join()
    sent = numbered(60, 20) + numbered(20, 5000)
    for one in sent:
        group.publish(one)
        group.turn(2)
    group.turn(8000)
    for got, events, receiver in zip(group.got, group.events, group.receivers, strict=True):
        assert got == sent
        assert LOST not in [code for code, _ in events]
        assert receiver.repaired > 0
        assert receiver.duplicates > 0


def test_last_packet_when_lost_then_a_heartbeat_shows_it() -> None:
    group = Group()
    group.join()
    group.loss = 1.0
    group.publish(b"only one")
    group.loss = 0.0
    group.turn(10)
    assert group.got == [[]]
    group.turn(60)
    assert group.got == [[b"only one"]]


def test_transmitter_when_idle_then_heartbeats_become_rare() -> None:
    group = Group(heartbeat_ms=2000)
    group.publish(b"x")
    group.turn(700)
    assert group.datagrams == 1 + 3
    group.turn(4000)
    assert group.datagrams == 1 + 3 + 2
    quiet = Group(heartbeat_ms=0)
    quiet.turn(10_000)
    assert quiet.datagrams == 0
    quiet.publish(b"x")
    quiet.turn(10_000)
    assert quiet.datagrams == 1 + 3


def test_history_when_too_small_then_loss_is_reported_and_the_rest_goes_on() -> None:
    group = Group(history_kb=2)
    group.join()
    group.publish(b"first")
    group.turn(3)
    group.loss = 1.0
    for one in numbered(100, 200):
        group.publish(one)
    group.loss = 0.0
    group.turn(100)
    group.publish(b"last")
    group.turn(200)
    got = group.got[0]
    assert got[0] == b"first"
    assert got[-1] == b"last"
    assert 2 < len(got) < 20
    kept = len(got) - 2
    assert got[1:-1] == numbered(100, 200)[-kept:]
    assert [count for code, count in group.events[0] if code == LOST] == [100 - kept]
    assert group.receivers[0].lost == 100 - kept


def test_history_of_zero_when_a_packet_is_lost_then_it_is_gone() -> None:
    group = Group(history_kb=0)
    group.join()
    group.publish(b"1")
    group.turn(1)
    group.loss = 1.0
    group.publish(b"2")
    group.loss = 0.0
    group.publish(b"3")
    group.turn(50)
    assert group.got == [[b"1", b"3"]]
    assert group.transmitter.repairs == 0
    assert group.transmitter.history_packets == 0


def test_transmitter_when_it_vanishes_then_naks_end() -> None:
    group = Group()
    group.join()
    group.publish(b"1")
    group.turn(1)
    group.loss = 1.0
    group.publish(b"2")
    group.loss = 0.0
    group.publish(b"3")
    group.turn(1)
    group.transmitter = Transmitter(KEY, 5, 0, 0, group.now)  # nobody answers for the first one
    group.turn(25_000)
    assert group.got == [[b"1", b"3"]]
    assert group.receivers[0].sent_naks == TRIES_MAX
    codes = [code for code, _ in group.events[0]]
    assert codes == [mq.MQMCEV_NEW_SOURCE, LOST, mq.MQMCEV_HEARTBEAT_TIMEOUT]
    assert group.receivers[0].sources == 0


def test_late_joiner_when_without_history_then_begins_with_the_next() -> None:
    group = Group()
    group.join()
    for one in numbered(10):
        group.publish(one)
    group.turn(100)
    late = group.join()
    group.publish(b"new")
    group.turn(100)
    assert group.got[0] == [*numbered(10), b"new"]
    assert group.got[late] == [b"new"]


def test_late_joiner_when_it_wants_history_then_gets_what_is_kept() -> None:
    group = Group(history_kb=2)
    for one in numbered(100, 200):
        group.publish(one)
    group.turn(100)
    late = group.join(history=True)
    group.publish(b"new")
    group.turn(100)
    got = group.got[late]
    assert got[-1] == b"new"
    assert 3 < len(got) < 20
    assert got[:-1] == numbered(100, 200)[101 - len(got) :]
    assert LOST not in [code for code, _ in group.events[late]]


def test_late_joiner_when_it_comes_inside_a_publication_then_that_one_is_not_its() -> None:
    group = Group()
    group.turn(50)
    first, second = group.transmitter.publish(bytes(2000), group.now)
    group.join()
    group.turn(1)
    group.send([second])
    group.publish(b"next")
    group.turn(100)
    assert group.got == [[b"next"]]
    assert first != second


def test_first_packet_when_lost_then_who_was_there_before_asks_for_it() -> None:
    group = Group()
    group.join()
    group.turn(10)
    group.transmitter = Transmitter(KEY, 77, 100_000, 2000, group.now)
    group.loss = 1.0
    group.publish(b"1")
    group.loss = 0.0
    group.publish(b"2")
    group.turn(100)
    assert group.got == [[b"1", b"2"]]


def test_end_when_said_then_the_rest_is_still_repaired_and_silence_is_no_event() -> None:
    group = Group()
    group.join()
    group.publish(b"1")
    group.turn(1)
    group.loss = 1.0
    group.publish(b"2")
    group.loss = 0.0
    group.send(group.transmitter.end(group.now))
    group.turn(25_000)
    assert group.got == [[b"1", b"2"]]
    assert [code for code, _ in group.events[0]] == [mq.MQMCEV_NEW_SOURCE]
    assert group.receivers[0].sources == 0


def test_publication_when_long_then_is_cut_and_joined() -> None:
    group = Group(history_kb=100_000)
    group.join()
    whole = bytes(range(256)) * (PUBLICATION_BYTES_MAX // 256)
    datagrams = group.transmitter.publish(whole, group.now)
    assert len(datagrams) > 2900
    assert max(map(len, datagrams)) == PACKET_BYTES_MAX
    group.send(datagrams)
    group.turn(2)
    assert group.got == [[whole]]
    group.publish(whole + b"more than a receiver takes")
    group.publish(b"after")
    group.turn(2)
    assert group.got == [[whole, b"after"]]
    assert (mq.MQMCEV_MESSAGE_LOSS, 1) in group.events[0]


def test_receiver_when_far_behind_then_its_memory_is_bounded() -> None:
    group = Group(history_kb=100_000)
    group.join()
    group.publish(b"0")
    group.turn(1)
    group.transmitter.publish(b"lost", group.now)
    for number in range(HELD_PACKETS_MAX + 10):
        group.publish(f"{number}".encode())
    group.turn(1)
    got = group.got[0]
    assert got == [b"0", *[f"{number}".encode() for number in range(HELD_PACKETS_MAX + 10)]]
    assert group.receivers[0].lost == 1


def test_transmitters_when_too_many_then_further_ones_are_ignored() -> None:
    receiver = Receiver(KEY, False, 20_000, 0)
    for source in range(SOURCES_MAX + 5):
        one = Transmitter(KEY, source + 1, 1000, 0, 0)
        packet = unpack(one.publish(b"x", 0)[0], KEY)
        assert packet is not None
        receiver.take(packet, PLACE, 0)
    assert receiver.sources == SOURCES_MAX
    assert len(receiver.publications) == SOURCES_MAX


def test_naks_when_a_flood_then_repairs_are_bounded() -> None:
    transmitter = Transmitter(KEY, 9, 10 << 20, 0, 0)
    for one in numbered(2000):
        transmitter.publish(one, 0)
    nak = Packet(NAK, 9)
    nak.ranges = [(1, 0xFFFFFFFF)] * 64
    repairs = [len(transmitter.asked(nak, 0)) for _ in range(100)]
    assert sum(repairs) == REPAIRS_AT_ONCE
    assert len(transmitter.asked(nak, 5)) <= 5 * 4
    assert transmitter.naks == 101
    other = Packet(NAK, 10)
    other.ranges = [(1, 1)]
    assert transmitter.asked(other, 1000) == []
