"""Goal: the lists of a lane stay in order, and no step walks a list as long as the queue.

Method: a lane with entries and segments by hand: what a step touched shows in the entries, and how
long a merge takes in processor time, against a bound that a walk for each message would miss by
far. A random walk compares the lists with plain ones.
"""

from __future__ import annotations

import random
import time

import pytest

from ternmq.store.lane import Lane
from ternmq.store.segment import Segment
from ternmq.values.entry import Entry
from tests.model.audit import audit_lane, chain_entries

pytestmark = pytest.mark.core


def entry_at(sequence: int) -> Entry:
    entry = Entry(sequence, 0, 0, 0, 0, b"", b"", b"", b"", b"", 0)
    entry.sequence = sequence
    entry.state = 1
    return entry


def segment_of(first: int, last: int) -> Segment:
    segment = Segment(first, "", 0, 1)
    segment.first_sequence = first
    segment.last_sequence = last
    segment.swept = True
    return segment


def sequences(lane: Lane) -> list[int]:
    return [int(entry.sequence) for entry in chain_entries(lane.front)]


def test_last_segment_when_it_leaves_then_no_message_behind_it_is_touched() -> None:
    lane = Lane()
    segment = segment_of(1, 10)
    lane.chain(segment, False)
    behind = [entry_at(number) for number in range(100, 5_100)]
    for entry in behind:
        lane.arrive(entry)
    places = [entry.place for entry in behind]
    lane.unsweep(segment, [entry_at(1), entry_at(10)])
    assert sequences(lane) == [1, 10, *range(100, 5_100)]
    assert [entry.place for entry in behind] == places
    assert all(lane.has_in_front(entry) for entry in behind)
    assert lane.rear.count == 0


def test_rear_when_it_has_joined_the_front_then_the_next_rear_is_another() -> None:
    lane = Lane()
    for first in (1, 100, 200):
        segment = segment_of(first, first + 10)
        lane.chain(segment, False)
        behind = entry_at(first + 50)
        lane.arrive(behind)
        assert lane.has_in_rear(behind)
        lane.drop(segment)
        assert lane.has_in_front(behind)
        audit_lane(lane, 0)
    assert sequences(lane) == [51, 150, 250]
    for entry in chain_entries(lane.front):
        lane.leave(entry)
    assert lane.in_memory == 0


@pytest.mark.parametrize("count", [50_000])
def test_strays_when_their_segment_is_fetched_then_they_are_merged_and_not_sought_one_by_one(
    count: int,
) -> None:
    lane = Lane()
    segment = segment_of(0, 2 * count)
    lane.chain(segment, False)
    strays = [entry_at(2 * at + 1) for at in range(count)]
    for stray in strays:
        lane.come_back(stray)
    fetched = [entry_at(2 * at) for at in range(count + 1)]
    begun = time.process_time()
    lane.unsweep(segment, fetched)
    assert time.process_time() - begun < 1.0
    assert sequences(lane) == list(range(2 * count + 1))
    audit_lane(lane, 0)


@pytest.mark.parametrize("seed", range(40))
def test_lists_when_messages_come_go_and_come_back_then_they_are_in_order(seed: int) -> None:
    chance = random.Random(seed)
    lane = Lane()
    taken: list[Entry] = []  # got in a unit of work
    swept: dict[int, list[Entry]] = {}  # by the first sequence of their segment
    number = 0
    for _ in range(300):
        action = chance.randrange(6)
        living = [*chain_entries(lane.front), *chain_entries(lane.rear)]
        if action <= 1:
            number += 1
            lane.arrive(entry_at(number))
        elif action == 2 and living:
            entry = chance.choice(living)
            lane.leave(entry)
            taken.append(entry)
        elif action == 3 and taken:
            lane.come_back(taken.pop(chance.randrange(len(taken))))
        elif action == 4:
            _sweep(lane, chance, swept)
        elif action == 5 and lane.swept:
            segment = lane.swept[0] if chance.random() < 0.7 else lane.swept[-1]
            entries = swept.pop(int(segment.first_sequence))
            if segment is lane.swept[0]:
                lane.unsweep(segment, entries)
            else:
                lane.drop(segment)
        audit_lane(lane, 0)


def _sweep(lane: Lane, chance: random.Random, swept: dict[int, list[Entry]]) -> None:
    """The tail of the rear, or of the front, goes to a segment."""
    chain = lane.rear if lane.swept else lane.front
    some = chain_entries(chain)
    some = some[: chance.randint(1, 4)] if lane.swept else some[-chance.randint(1, 4) :]
    if not some:
        return
    for entry in some:
        lane.leave(entry)
    segment = segment_of(int(some[0].sequence), int(some[-1].sequence))
    swept[int(segment.first_sequence)] = some
    lane.chain(segment, False)
