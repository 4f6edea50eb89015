"""The index of groups by itself: order, equal ones,
completeness and expiry, against a recount.
"""

import struct
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.store.group_index import RUN_MAX, WHOLE, Group, GroupIndex
from ternmq.store.group_member import OFFSET_BITS, Member, key_of
from ternmq.store.segment import Segment
from ternmq.values.entry import ZERO_ID, Entry
from tests.model.group_audit import Row, audit_levels, is_group_there, is_message_there, rows_in

pytestmark = pytest.mark.core

IN_GROUP, LAST_IN_GROUP, SEGMENT, LAST_SEGMENT = 8, 16, 2, 4
GROUP = b"G" * 24


def message(number: int, offset: int, flags: int, length: int = 10, expiry_at: int = 0) -> Entry:
    base = bytes(348) + struct.pack("<iiii", number, offset, flags, -1)
    data = b"." * length
    return Entry(1, 4, 0, 0, expiry_at, ZERO_ID, ZERO_ID, GROUP, base, data, length)


def arrived(index: GroupIndex, entries: list[Entry]) -> Group:
    for sequence, entry in enumerate(entries, 1):
        entry.sequence = sequence
        index.add(entry)
    return index.groups[GROUP]


def entry_of(member: Member | None) -> Entry | None:
    return None if member is None else member.entry


messages = st.builds(
    message,
    st.integers(1, 4),
    st.sampled_from([0, 0, 10, 20]),
    st.sampled_from([8, 8, 24, 10, 14, 26, 30, 2, 6]),
    st.sampled_from([10, 10, 5]),
)


@given(st.lists(messages, max_size=30), st.randoms(use_true_random=False))
def test_counts_after_each_change_are_those_of_a_recount(
    entries: list[Entry], random: Random
) -> None:
    index = GroupIndex()
    here: list[Entry] = []
    waiting = list(entries)
    sequence = 0
    while waiting or here:
        if waiting and (not here or random.random() < 0.6):
            entry = waiting.pop()
            sequence += 1
            entry.sequence = sequence
            index.add(entry)
            here.append(entry)
        else:
            index.discard(here.pop(random.randrange(len(here))))
        if not here:
            assert not index.groups
            assert not index.by_serial
            continue
        group = index.groups[GROUP]
        rows: list[Row] = rows_in(group)
        assert [row[:3] for row in rows] == sorted(row[:3] for row in rows)
        assert {row[7] for row in rows} == set(here)
        for number in range(1, 6):
            assert group.has_message(number) == is_message_there(rows, number)
        assert group.is_whole == is_group_there(rows)
        audit_levels(index, {GROUP: rows})


def test_large_group_when_taken_in_order_then_each_step_is_found() -> None:
    count = RUN_MAX * 5
    entries = [message(at, 0, IN_GROUP) for at in range(1, count)]
    entries.append(message(count, 0, IN_GROUP | LAST_IN_GROUP))
    index = GroupIndex()
    group = arrived(index, entries[::-1])
    assert group.is_whole
    member = group.at(1 << OFFSET_BITS)
    for entry in entries:
        assert member is not None
        assert member.entry is entry
        following = group.following(member)
        index.discard(entry)
        assert group.level < WHOLE
        member = following
    assert not index.groups


def test_following_when_message_is_segmented_then_segments_come_in_order() -> None:
    entries = [
        message(1, 10, IN_GROUP | SEGMENT | LAST_SEGMENT),
        message(2, 0, IN_GROUP | LAST_IN_GROUP),
        message(1, 0, IN_GROUP | SEGMENT),
    ]
    group = arrived(GroupIndex(), entries)
    first = group.at(1 << OFFSET_BITS)
    assert first is not None
    second = group.following(first)
    assert entry_of(second) is entries[0]
    assert second is not None
    assert entry_of(group.following(second)) is entries[1]
    assert group.message_length(1) == 20
    assert (group.complete, group.last_number, group.is_whole) == (2, 2, True)


def test_equal_messages_then_the_first_that_arrived_counts() -> None:
    entries = [message(1, 0, IN_GROUP), message(1, 0, IN_GROUP)]
    index = GroupIndex()
    group = arrived(index, entries)
    assert group.complete == 1
    assert entry_of(group.at(1 << OFFSET_BITS)) is entries[0]
    index.discard(entries[0])
    assert entry_of(group.at(1 << OFFSET_BITS)) is entries[1]
    assert group.complete == 1


def test_offset_of_message_that_is_no_segment_does_not_count() -> None:
    assert key_of(3, 50, IN_GROUP) == key_of(3, 0, IN_GROUP)


def test_gap_between_segments_with_the_right_total_then_not_complete() -> None:
    entries = [
        message(1, 0, SEGMENT, 10),
        message(1, 5, SEGMENT, 10),
        message(1, 20, SEGMENT | LAST_SEGMENT, 5),
    ]
    group = arrived(GroupIndex(), entries)
    assert not group.has_message(1)


def test_expiry_when_the_time_has_come_then_found_and_when_it_left_forgotten() -> None:
    index = GroupIndex()
    entries = [message(at, 0, IN_GROUP, 10, 0 if at % 7 else at * 100) for at in range(1, 1000)]
    group = arrived(index, entries)
    everything = 1 << 61
    assert not group.has_expired(699, 0, everything)
    assert group.has_expired(700, 0, everything)
    assert not group.has_expired(700, 8 << OFFSET_BITS, everything)
    index.discard(entries[6])
    assert not group.has_expired(700, 0, everything)
    assert group.min_expiry == 1400


def test_swept_message_when_forgotten_twice_then_nothing_happens() -> None:
    index = GroupIndex()
    segment = Segment(5, "S5", 4, 3)
    entry = message(2, 0, IN_GROUP)
    entry.sequence = 9
    index.add_swept(entry, segment, 1)
    assert segment.grouped == 1
    member = index.groups[GROUP].at(2 << OFFSET_BITS)
    assert member is not None
    assert member.location == segment.location(1)
    other = Segment(6, "S6", 4, 1)
    index.move(segment, 1, other, 0)
    assert (segment.grouped, other.grouped) == (0, 1)
    index.forget(segment, 1)
    assert index.groups
    index.forget(other, 0)
    index.forget(other, 0)
    assert not index.groups


def test_group_when_a_queue_has_had_very_many_then_its_serial_fits_and_is_its_own() -> None:
    index = GroupIndex()
    first = message(1, 0, IN_GROUP)
    index.add(first)
    taken = index.groups[GROUP].serial
    index.next_serial = (1 << 31) - 1
    for sequence, name in enumerate((b"H", b"I", b"J"), 1):
        entry = message(1, 0, IN_GROUP)
        entry.group_id = name * 24
        entry.sequence = sequence
        index.add(entry)
    serials = [int(group.serial) for group in index.groups.values()]
    assert len(set(serials)) == 4
    assert serials[0] == taken
    assert max(serials) < 1 << 31


def test_messages_when_they_come_in_order_then_counts_are_those_of_a_recount() -> None:
    index = GroupIndex()
    rows = [message(1, 10 * at, SEGMENT | IN_GROUP) for at in range(2 * RUN_MAX)]
    rows.append(message(1, 20 * RUN_MAX, SEGMENT | LAST_SEGMENT | IN_GROUP))
    rows += [message(number, 0, IN_GROUP, expiry_at=number) for number in range(2, 3 * RUN_MAX)]
    rows.append(message(3 * RUN_MAX, 0, IN_GROUP | LAST_IN_GROUP))
    for sequence, entry in enumerate(rows, 1):
        entry.sequence = sequence
        index.add(entry)
        if sequence % 97 == 0 or sequence > len(rows) - 2:
            group = index.groups[GROUP]
            found = rows_in(group)
            assert group.has_message(1) == is_message_there(found, 1)
            assert group.is_whole == is_group_there(found)
            audit_levels(index, {GROUP: found})
    assert index.groups[GROUP].level == WHOLE
    assert index.groups[GROUP].min_expiry == 2
    assert index.count == len(rows)


def test_message_when_it_is_swept_then_its_place_in_the_group_stays() -> None:
    index = GroupIndex()
    segment = Segment(5, "S5", 4, 3)
    equal = message(2, 0, IN_GROUP)
    entries = [message(1, 0, IN_GROUP), message(2, 0, IN_GROUP), equal]
    group = arrived(index, entries)
    member = group.at(2 << OFFSET_BITS)
    index.sweep(entries[1], segment, 1)
    assert group.at(2 << OFFSET_BITS) is member is segment.members[1]
    assert member is not None
    assert (member.entry, int(member.location)) == (None, segment.location(1))
    assert (segment.grouped, index.count, group.count) == (1, 3, 3)
    index.unsweep(entries[1], segment, 1)
    assert (entry_of(group.at(2 << OFFSET_BITS)), segment.grouped) == (entries[1], 0)
    index.sweep(entries[1], segment, 1)
    index.forget(segment, 1)
    assert entry_of(group.at(2 << OFFSET_BITS)) is equal
