"""What others can do to the ends of a multicast group: packets that were recorded and are sent
again, from elsewhere too, transmitters without end, numbers that cannot be.

Nothing comes twice, nobody becomes deaf, and work is bounded. Time is a number.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from ternmq.wire.multicast.packet import (
    AGE_MAX,
    DATA,
    HEARTBEAT,
    SEQUENCE_MAX,
    Packet,
    unpack,
)
from ternmq.wire.multicast.receiver import FORGOTTEN_MAX, SOURCES_MAX, Receiver
from ternmq.wire.multicast.transmitter import Transmitter
from tests.unit.wire.multicast.simulated_group import KEY, PLACE, Group

ELSEWHERE = ("192.0.2.66", 666)


def taken(receiver: Receiver, datagrams: list[bytes], now: int) -> None:
    """Datagrams arrive."""
    for data in datagrams:
        packet = unpack(data, KEY)
        assert packet is not None
        receiver.take(packet, PLACE, now)


def test_transmitter_when_it_was_forgotten_and_comes_back_then_nothing_comes_twice() -> None:
    group = Group()
    group.join(timeout_ms=20_000)
    group.publish(b"1")
    group.publish(b"2")
    group.turn(100)
    group.loss = 1.0  # the network is cut for longer than the receiver waits
    group.turn(25_000)
    assert group.receivers[0].sources == 0
    group.publish(b"3")
    group.loss = 0.0
    group.turn(3000)
    group.publish(b"4")
    group.turn(100)
    assert group.got == [[b"1", b"2", b"3", b"4"]]
    assert mq.MQMCEV_PACKET_LOSS not in [code for code, _ in group.events[0]]


def test_packets_when_recorded_and_sent_after_the_transmitter_has_gone_then_ignored() -> None:
    receiver = Receiver(KEY, False, 20_000, 0)
    one = Transmitter(KEY, 7, 1 << 20, 2000, 10)
    recorded = one.publish(b"pay 100", 11) + one.end(12)
    taken(receiver, recorded, 12)
    assert receiver.publications == [b"pay 100"]
    receiver.tick(30_000)
    assert receiver.sources == 0
    taken(receiver, recorded, 40_000)
    assert receiver.publications == [b"pay 100"]
    assert receiver.sources == 0


def test_packet_when_recorded_and_sent_from_elsewhere_then_naks_go_where_they_went() -> None:
    receiver = Receiver(KEY, False, 20_000, 0)
    one = Transmitter(KEY, 7, 1 << 20, 2000, 10)
    first = one.publish(b"1", 20)
    taken(receiver, first, 20)
    one.publish(b"2", 30)
    taken(receiver, one.publish(b"3", 40), 40)
    again = unpack(first[0], KEY)
    assert again is not None
    receiver.take(again, ELSEWHERE, 41)
    receiver.tick(50)
    assert [place for place, _ in receiver.naks] == [PLACE]


def test_transmitter_when_its_place_changes_then_naks_follow() -> None:
    receiver = Receiver(KEY, False, 20_000, 0)
    one = Transmitter(KEY, 7, 1 << 20, 2000, 10)
    taken(receiver, one.publish(b"1", 20), 20)
    one.publish(b"2", 30)
    third = unpack(one.publish(b"3", 40)[0], KEY)
    assert third is not None
    receiver.take(third, ELSEWHERE, 40)
    receiver.tick(50)
    assert [place for place, _ in receiver.naks] == [ELSEWHERE]


@pytest.mark.parametrize("timeout_ms", [0, 20_000])
def test_transmitters_when_each_has_ended_then_any_number_is_heard(timeout_ms: int) -> None:
    receiver = Receiver(KEY, False, timeout_ms, 0)
    count = SOURCES_MAX * 2
    for number in range(count):
        one = Transmitter(KEY, number + 1, 1000, 0, number)
        taken(receiver, one.publish(b"x", number) + one.end(number), number)
    assert len(receiver.publications) == count
    assert receiver.sources <= SOURCES_MAX


def test_transmitters_when_very_many_were_forgotten_then_memory_is_bounded() -> None:
    receiver = Receiver(KEY, False, 20_000, 0)
    for number in range(FORGOTTEN_MAX + SOURCES_MAX + 100):
        one = Transmitter(KEY, number + 1, 1000, 0, 0)
        taken(receiver, one.publish(b"x", 0) + one.end(0), 0)
    assert receiver.forgotten == FORGOTTEN_MAX


@pytest.mark.parametrize("kind", [DATA, HEARTBEAT])
@pytest.mark.parametrize(("sequence", "oldest"), [(SEQUENCE_MAX + 1, 1), (9, 11), (9, 1 << 63)])
def test_packet_when_its_numbers_cannot_be_then_is_ignored(
    kind: int, sequence: int, oldest: int
) -> None:
    packet = Packet(kind, 1)
    packet.sequence, packet.oldest = sequence, oldest
    if kind == DATA:
        packet.count, packet.body = 1, b"x"
    assert unpack(packet.pack(KEY), KEY) is None
    packet.sequence, packet.oldest = SEQUENCE_MAX, SEQUENCE_MAX
    assert unpack(packet.pack(KEY), KEY) is not None


def test_receiver_when_gaps_are_huge_then_its_counts_stay_numbers_of_64_bits() -> None:
    receiver = Receiver(KEY, False, 0, 0)
    now = 0
    for source in range(1, 40):
        for sequence in (1, SEQUENCE_MAX):
            packet = Packet(HEARTBEAT, source)
            packet.sequence, packet.oldest = sequence, 1
            taken(receiver, [packet.pack(KEY)], now)
        for _ in range(20):
            now += 600
            receiver.tick(now)
    assert 0 < receiver.lost < 1 << 63
    assert all(event.packets < 1 << 63 for event in receiver.events)


def test_transmitter_when_older_than_ages_count_then_a_receiver_begins_with_the_next() -> None:
    receiver = Receiver(KEY, False, 20_000, 0)
    one = Transmitter(KEY, 7, 1 << 20, 2000, -(AGE_MAX + 10_000))
    one.publish(b"1", 0)
    taken(receiver, one.publish(b"2", 1), AGE_MAX + 1)  # it has been there for as long
    receiver.tick(AGE_MAX + 100)
    assert receiver.publications == [b"2"]
    assert receiver.naks == []
