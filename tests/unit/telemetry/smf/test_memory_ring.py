"""Goal: the in-memory stream is bounded, numbered without gaps, and tells a reader what it missed.

Method: rings of a few records; a stream with a thread that follows.
"""

import threading

import pytest

from ternmq.outlets.smf_memory import FROM_NOW, MemoryStream
from ternmq.telemetry.smf.memory_ring import SmfRing

pytestmark = pytest.mark.core


def record(kind: int, number: int, size: int = 24) -> bytes:
    return bytes([0, size, 0, 0, 0x5E, kind, number]) + bytes(size - 7)


def test_ring_when_room_is_used_up_then_the_oldest_go_and_are_reported_as_missed() -> None:
    ring = SmfRing(100)
    for number in range(1, 7):
        ring.append(record(115, number))
    assert (ring.first, ring.next, ring.bytes) == (3, 7, 96)
    found = ring.read(1, 10, 1000)
    assert found.missed == 2
    assert [one[6] for one in found.records] == [3, 4, 5, 6]
    assert found.next == 7
    assert ring.read(7, 10, 1000).records == []


def test_ring_when_limits_are_given_then_at_least_one_record_is_read() -> None:
    ring = SmfRing(1000)
    for number in range(1, 6):
        ring.append(record(115, number))
    assert len(ring.read(1, 2, 1000).records) == 2
    assert len(ring.read(1, 10, 1).records) == 1
    assert len(ring.read(1, 10, 50).records) == 2


def test_ring_when_position_is_beyond_the_end_then_reading_goes_on_from_the_end() -> None:
    ring = SmfRing(1000)
    ring.append(record(115, 1))
    found = ring.read(400, 10, 1000)
    assert (found.records, found.next, found.missed) == ([], 2, 0)


def test_ring_when_a_record_is_larger_than_all_then_it_is_counted_and_gone() -> None:
    ring = SmfRing(10)
    ring.append(record(115, 1))
    assert (ring.first, ring.next, ring.bytes) == (2, 2, 0)
    assert ring.read(1, 1, 1).missed == 1


def test_stream_when_followed_by_a_thread_then_every_record_arrives_in_order() -> None:
    stream = MemoryStream("MEM")
    seen: list[int] = []
    reader = threading.Thread(
        target=lambda: seen.extend(one[6] for found in stream.follow(1) for one in found.records)
    )
    reader.start()
    for number in range(1, 101):
        stream.give([record(116, number)])
    stream.end()
    reader.join()
    assert seen == list(range(1, 101))


def test_stream_when_types_are_named_then_others_are_not_kept() -> None:
    stream = MemoryStream("MEM", types=frozenset({116}))
    stream.give([record(115, 1), record(116, 2)])
    assert [one[6] for one in stream.read(1).records] == [2]


def test_stream_when_read_from_now_then_older_records_are_left_out() -> None:
    stream = MemoryStream("MEM")
    stream.give([record(115, 1)])
    assert stream.read(FROM_NOW).next == 2
    assert stream.bounds == (1, 2)
    assert not stream.wait(2, 0.0)
    called: list[int] = []
    watcher = lambda: called.append(1)  # noqa: E731 - it is taken off by identity
    stream.watch(watcher)
    stream.give([record(115, 2)])
    stream.unwatch(watcher)
    stream.give([record(115, 3)])
    assert called == [1]
    assert stream.held_bytes == 72
