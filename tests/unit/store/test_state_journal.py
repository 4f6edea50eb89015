"""The state journal: round trips, cuts at every byte, torn appends, and damage (P6).

A few batches are written and the state after each is kept. Whatever then happens to the file,
`load` gives one of those states, the right one, or raises IntegrityError with file and offset.
"""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.base.checksum import crc32c
from ternmq.base.errors import IntegrityError
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.store.state_journal import (
    BATCH_HEADER_BYTES,
    MARK,
    PRIORITY_MIXED,
    REWRITE_FLOOR_BYTES,
    SECTOR_BYTES,
    QueueState,
    StateBatch,
    StateJournal,
    live_bytes,
    pack_entry,
    should_rewrite,
)
from tests.unit.store.segment_samples import OrderDisk, get_file, put_file

pytestmark = pytest.mark.core

PATH = "queues/APP.IN/state"
NAMED = rf"^state journal {PATH} is damaged at offset \d+: "


def folder() -> MemoryDisk:
    disk = MemoryDisk()
    disk.make_dir("queues/APP.IN")
    return disk


def summary(state: QueueState) -> object:
    """All that a state says, to compare."""
    segments = [
        (
            (segment.number, segment.count, segment.first_sequence, segment.last_sequence),
            (segment.priority, segment.min_expiry, segment.flags),
            (segment.file_bytes, segment.persistent, segment.dead),
            sorted(segment.backouts.items()),
        )
        for _, segment in sorted(state.segments.items())
    ]
    counters = (state.next_number, state.next_sequence, state.next_segment)
    return (state.queue_id, state.incarnation, state.lsn, counters, segments)


def sample_batches() -> list[StateBatch]:
    """Four checkpoints; the second is longer than a sector."""
    first = StateBatch(77, 5, 5000)
    first.counters(101, 1101, 2)
    first.segment_added(1, 20, 1001, 1020, 4, 0, 1, 9000, 20)
    second = StateBatch(77, 5, 6000)
    second.segment_added(2, 9000, 1021, 10020, PRIORITY_MIXED, 12345, 0)
    second.segment_bits(1, 20, b"\x0f\0\x08", [(2, 1), (19, 70_000)])
    second.segment_bits(2, 9000, b"\xff" * 100 + bytes(1025), [])
    third = StateBatch(77, 5, 7000)
    third.segment_gone(1)
    third.segment_gone(99)
    third.counters(20000, 30000, 3)
    fourth = StateBatch(77, 5, 8000)
    fourth.segment_added(3, 1, 5, 5, 0, 0, 0)
    fourth.segment_bits(3, 1, b"\x01", [(0, 2)])
    fourth.segment_bits(3, 1, b"\0", [(0, 3)])
    return [first, second, third, fourth]


def sample_journal() -> tuple[MemoryDisk, list[object], list[int]]:
    """A disk with the sample, the state after each batch, and where each batch begins."""
    disk = folder()
    states = [summary(StateJournal.load(disk, PATH))]
    starts = [0]
    position = None
    for batch in sample_batches():
        position = StateJournal.append(disk, PATH, batch.parts(), position)
        starts.append(position.offset)
        states.append(summary(StateJournal.load(disk, PATH)))
    return disk, states, starts


def test_later_entries_win() -> None:
    disk, _, starts = sample_journal()
    state = StateJournal.load(disk, PATH)
    assert (state.queue_id, state.incarnation, state.lsn) == (77, 5, 8000)
    assert (state.next_number, state.next_sequence, state.next_segment) == (20000, 30000, 3)
    assert sorted(state.segments) == [2, 3]
    assert state.segments[2].priority == PRIORITY_MIXED
    assert state.segments[2].min_expiry == 12345
    assert state.segments[2].dead == b"\xff" * 100 + bytes(1025)
    assert (state.segments[3].dead, state.segments[3].backouts) == (b"\0", {0: 3})
    assert (state.position.offset, state.position.batch_number) == (starts[-1], 5)
    assert disk.size(PATH) == starts[-1]


NUMBERS = st.integers(0, 2**62)


@st.composite
def any_batch(draw: st.DrawFn) -> list[tuple[int, int, list[int], list[tuple[int, int]]]]:
    segments = []
    for number in draw(st.lists(st.integers(0, 5), unique=True, max_size=4)):
        count = draw(st.integers(1, 70))
        dead = draw(st.lists(st.integers(0, count - 1), unique=True))
        ordinals = st.integers(0, count - 1)
        backouts = draw(st.dictionaries(ordinals, st.integers(1, 2**31), max_size=5))
        segments.append((number, count, dead, sorted(backouts.items())))
    return segments


@settings(max_examples=50)
@given(st.lists(any_batch(), min_size=1, max_size=4), NUMBERS, NUMBERS, NUMBERS)
def test_state_written_comes_back_and_survives_a_rewrite(
    batches: list[list[tuple[int, int, list[int], list[tuple[int, int]]]]],
    number: int,
    sequence: int,
    expiry: int,
) -> None:
    disk = folder()
    model: dict[int, tuple[int, bytes, list[tuple[int, int]]]] = {}
    for n, segments in enumerate(batches):
        batch = StateBatch(1, 2, 100 + n)
        batch.counters(number, sequence, n)
        for segment, count, dead, backouts in segments:
            bitmap = sum(1 << bit for bit in dead).to_bytes((count + 7) // 8, "little")
            batch.segment_added(segment, count, number, sequence, 3, expiry, 1)
            batch.segment_bits(segment, count, bitmap, backouts)
            model[segment] = (count, bitmap, backouts)
        StateJournal.append(disk, PATH, batch.parts())
    state = StateJournal.load(disk, PATH)
    found = {
        key: (segment.count, segment.dead, sorted(segment.backouts.items()))
        for key, segment in state.segments.items()
    }
    assert found == model
    assert (state.next_number, state.next_sequence) == (number, sequence)
    assert state.next_segment == len(batches) - 1
    StateJournal.rewrite(disk, PATH, state.whole_batch(state.lsn).parts())
    again = StateJournal.load(disk, PATH)
    assert summary(again) == summary(state)
    assert again.position.batch_number == 2


@pytest.mark.promise("P1")
def test_cut_at_any_byte_gives_the_last_complete_mark() -> None:
    disk, states, starts = sample_journal()
    content = get_file(disk, PATH)
    ends = [batch_end(content, start) for start in starts[:-1]]
    for length in range(len(content) + 1):
        put_file(disk, PATH, content[:length])
        complete = sum(end <= length for end in ends)
        assert summary(StateJournal.load(disk, PATH)) == states[complete]


def batch_end(content: bytes, start: int) -> int:
    """Where the body of the batch ends."""
    length = int.from_bytes(content[start + 32 : start + 40], "little")
    return start + BATCH_HEADER_BYTES + length


@pytest.mark.promise("P6")
def test_flip_of_any_byte_is_found_and_named_or_without_effect() -> None:
    disk, states, starts = sample_journal()
    content = get_file(disk, PATH)
    found = 0
    for at in range(len(content)):
        flipped = bytearray(content)
        flipped[at] ^= 1 << at % 8
        put_file(disk, PATH, bytes(flipped))
        try:
            assert summary(StateJournal.load(disk, PATH)) == states[-1]
        except IntegrityError as error:
            found += 1
            message = str(error)
            start = max(start for start in starts if start <= at)
            assert message.startswith(f"state journal {PATH} is damaged at offset {start}: ")
    # Every byte of header and body was found; zeros and seals are without effect alone.
    assert found == sum(batch_end(content, start) - start for start in starts[:-1])


def crash_states(before: bytes, after: bytes, start: int) -> list[bytes]:
    """Files a crash may leave of an unforced append: each sector old, new, zeros or noise."""
    sectors = range(start, len(after), SECTOR_BYTES)
    results = []
    for choice in itertools.product(range(4), repeat=len(sectors)):
        content = bytearray(before.ljust(len(after), b"\0"))
        for at, what in zip(sectors, choice, strict=True):
            new = after[at : at + SECTOR_BYTES]
            noise = bytes(byte ^ 0x5A for byte in new)
            old = bytes(content[at : at + SECTOR_BYTES])
            content[at : at + SECTOR_BYTES] = (old, new, bytes(SECTOR_BYTES), noise)[what]
        results.append(bytes(content))
    return results


def unsealed(content: bytes, start: int) -> bytes:
    """The batch as it is before its seal is written."""
    seal = batch_end(content, start) + SECTOR_BYTES - 1 & -SECTOR_BYTES
    return content[:seal] + bytes(SECTOR_BYTES)


def long_batch(lsn: int, byte: bytes) -> StateBatch:
    """A batch of three sectors and a seal."""
    batch = StateBatch(77, 5, lsn)
    batch.segment_added(7, 8000, 1, 2, 3, 4, 5)
    batch.segment_bits(7, 8000, byte * 1000, [])
    return batch


@pytest.mark.promise("P1")
def test_torn_append_leaves_the_state_before_or_after_and_can_be_followed() -> None:
    """All combinations of lost and torn sectors; then another append over what was left."""
    disk = folder()
    StateJournal.append(disk, PATH, sample_batches()[0].parts())
    before = get_file(disk, PATH)
    old = summary(StateJournal.load(disk, PATH))
    StateJournal.append(disk, PATH, long_batch(6000, b"\x55").parts())
    after = unsealed(get_file(disk, PATH), len(before))
    new = summary(StateJournal.load(disk, PATH))
    put_file(disk, PATH, before)
    StateJournal.append(disk, PATH, long_batch(6500, b"\x33").parts())
    third = summary(StateJournal.load(disk, PATH))
    complete = 0
    for content in crash_states(before, after, len(before)):
        put_file(disk, PATH, content)
        state = StateJournal.load(disk, PATH)
        assert summary(state) in (old, new)
        complete += summary(state) == new
        if state.lsn == 5000:
            StateJournal.append(disk, PATH, long_batch(6500, b"\x33").parts(), state.position)
            assert summary(StateJournal.load(disk, PATH)) == third
    assert complete == 4  # all but the sector of the seal


@pytest.mark.promise("P6")
def test_leftovers_of_a_torn_append_are_never_taken_for_a_batch() -> None:
    """Two appends tear at one place, one after the other: no mixture of theirs is believed."""
    disk = folder()
    StateJournal.append(disk, PATH, sample_batches()[0].parts())
    before = get_file(disk, PATH)
    allowed = [summary(StateJournal.load(disk, PATH))]
    attempts = []
    for lsn, byte in ((6000, b"\x55"), (6500, b"\x33")):
        put_file(disk, PATH, before)
        StateJournal.append(disk, PATH, long_batch(lsn, byte).parts())
        allowed.append(summary(StateJournal.load(disk, PATH)))
        attempts.append(unsealed(get_file(disk, PATH), len(before)))
    sectors = range(len(before), len(attempts[0]), SECTOR_BYTES)
    for choice in itertools.product((0, 1), repeat=len(sectors)):
        content = bytearray(attempts[0])
        for at, which in zip(sectors, choice, strict=True):
            content[at : at + SECTOR_BYTES] = attempts[which][at : at + SECTOR_BYTES]
        put_file(disk, PATH, bytes(content))
        assert summary(StateJournal.load(disk, PATH)) in allowed


@pytest.mark.promise("P6")
def test_damage_with_a_later_batch_but_no_seals_is_found() -> None:
    disk, _, starts = sample_journal()
    content = bytearray(get_file(disk, PATH))
    for start in starts[1:]:
        content[start - SECTOR_BYTES : start] = bytes(SECTOR_BYTES)
    content[starts[1] + 200] ^= 1
    put_file(disk, PATH, bytes(content))
    with pytest.raises(IntegrityError, match=f"offset {starts[1]}: batch 2 is not whole"):
        StateJournal.load(disk, PATH)


@pytest.mark.promise("P6")
def test_end_before_a_proven_lsn_is_damage() -> None:
    disk, _, starts = sample_journal()
    assert StateJournal.load(disk, PATH, proven_lsn=8000).lsn == 8000
    put_file(disk, PATH, get_file(disk, PATH)[: starts[3]])
    with pytest.raises(IntegrityError, match=f"offset {starts[3]}: it ends at LSN 7000"):
        StateJournal.load(disk, PATH, proven_lsn=8000)
    disk.unlink(PATH)
    with pytest.raises(IntegrityError, match=NAMED):
        StateJournal.load(disk, PATH, proven_lsn=1)
    assert StateJournal.load(disk, PATH).lsn == 0


def test_append_forces_batch_before_seal() -> None:
    disk = OrderDisk()
    disk.make_dir("queues/APP.IN")
    position = StateJournal.append(disk, PATH, sample_batches()[0].parts())
    sync = "sync_dir queues/APP.IN"
    assert disk.calls == ["create", "pwritev 0", "datasync", sync, "pwritev 512"]
    disk.calls.clear()
    StateJournal.append(disk, PATH, sample_batches()[2].parts(), position)
    assert disk.calls == ["pwritev 1024", "datasync", "pwritev 1536"]


@pytest.mark.promise("P6")
@pytest.mark.parametrize("length", [0, 1023])
def test_append_to_a_file_that_lost_its_end_is_refused(length: int) -> None:
    disk = folder()
    position = StateJournal.append(disk, PATH, sample_batches()[0].parts())
    put_file(disk, PATH, get_file(disk, PATH)[:length])
    with pytest.raises(IntegrityError, match=f"offset {length}: it ended at 1024 before"):
        StateJournal.append(disk, PATH, sample_batches()[2].parts(), position)


def test_rewrite_forces_content_before_name_before_seal() -> None:
    disk = OrderDisk()
    disk.make_dir("queues/APP.IN")
    position = StateJournal.rewrite(disk, PATH, sample_batches()[0].parts())
    sync = "sync_dir queues/APP.IN"
    assert disk.calls == ["create", "pwritev 0", "datasync", "rename", sync, "pwritev 512"]
    assert (position.offset, position.batch_number) == (1024, 2)
    assert disk.list("queues/APP.IN") == ["state"]


def test_append_over_a_file_without_content_forces_its_name() -> None:
    disk = OrderDisk()
    disk.make_dir("queues/APP.IN")
    disk.create(PATH)
    disk.calls.clear()
    StateJournal.append(disk, PATH, sample_batches()[0].parts())
    assert "sync_dir queues/APP.IN" in disk.calls
    assert "create" not in disk.calls


def test_settle_writes_a_journal_without_seal_again_and_only_once() -> None:
    disk = OrderDisk()
    disk.make_dir("queues/APP.IN")
    StateJournal.append(disk, PATH, sample_batches()[0].parts())
    sealed = get_file(disk, PATH)
    put_file(disk, PATH, unsealed(sealed, 0))
    disk.calls.clear()
    state = StateJournal.load(disk, PATH)
    assert not state.is_sealed
    StateJournal.settle(disk, PATH, state)
    # ORDER: never in place, for the batch may be the only copy.
    assert disk.calls == [
        "create",
        "pwritev 0",
        "datasync",
        "rename",
        "sync_dir queues/APP.IN",
        "pwritev 512",
    ]
    again = StateJournal.load(disk, PATH)
    assert again.is_sealed
    assert (again.lsn, sorted(again.segments)) == (state.lsn, sorted(state.segments))
    assert again.position.offset == state.position.offset
    disk.calls.clear()
    StateJournal.settle(disk, PATH, again)
    assert disk.calls == []


@pytest.mark.parametrize(
    ("kind", "payload", "text"),
    [
        (9, b"", "not known"),
        (2, b"short", "entry of kind 2"),
        (3, bytes(8) + b"\x08\0\0\0\0\0\0\0\0", "is not there"),
        (MARK, b"\x07\0\0\0\0\0\0\0", "entries came before"),
    ],
)
def test_impossible_entry_is_damage(kind: int, payload: bytes, text: str) -> None:
    """Sound checksums around content that no one here writes."""
    disk = folder()
    parts = StateBatch(1, 1, 10).parts()
    parts.insert(1, pack_entry(kind, 10, payload))
    StateJournal.append(disk, PATH, parts)
    with pytest.raises(IntegrityError, match=text) as caught:
        StateJournal.load(disk, PATH)
    assert str(caught.value).startswith(f"state journal {PATH} is damaged at offset 104: ")


@pytest.mark.parametrize(
    ("count", "dead", "backouts"),
    [(12, bytes(3), []), (12, b"\0\x10", []), (12, b"\0\0", [(12, 1)]), (13, b"\0\0", [])],
)
def test_bits_that_do_not_fit_the_segment_are_damage(
    count: int, dead: bytes, backouts: list[tuple[int, int]]
) -> None:
    disk = folder()
    batch = StateBatch(1, 1, 10)
    batch.segment_added(4, 12, 1, 12, 0, 0, 0)

    def write_and_load() -> None:
        batch.segment_bits(4, count, dead, backouts)
        StateJournal.append(disk, PATH, batch.parts())
        StateJournal.load(disk, PATH)

    with pytest.raises(IntegrityError, match="segment 4"):
        write_and_load()


def test_batch_without_mark_or_with_more_after_it_is_damage() -> None:
    disk = folder()
    parts = StateBatch(1, 1, 10).parts()
    StateJournal.append(disk, PATH, parts[:1])
    with pytest.raises(IntegrityError, match="a batch without a mark"):
        StateJournal.load(disk, PATH)
    StateJournal.rewrite(disk, PATH, [*parts, parts[0]])
    with pytest.raises(IntegrityError, match="after the mark"):
        StateJournal.load(disk, PATH)


@pytest.mark.parametrize(
    ("at", "value", "text"),
    [(4, b"\x17", "an entry of 23 bytes"), (5, b"\x40", "an entry of"), (0, b"", "an entry fails")],
)
def test_impossible_frame_of_an_entry_is_damage(at: int, value: bytes, text: str) -> None:
    disk = folder()
    entry, mark = StateBatch(1, 1, 10).parts()
    broken = bytearray(entry)
    broken[at : at + len(value)] = value
    broken[30] ^= 1
    StateJournal.append(disk, PATH, [bytes(broken), mark])
    with pytest.raises(IntegrityError, match=f"offset 64: {text}"):
        StateJournal.load(disk, PATH)


def test_unknown_version_is_damage() -> None:
    disk, _, _ = sample_journal()
    content = bytearray(get_file(disk, PATH))
    content[8] = 2
    content[60:64] = crc32c(bytes(content[:60])).to_bytes(4, "little")
    put_file(disk, PATH, bytes(content))
    with pytest.raises(IntegrityError, match="offset 0: format version 2 is not known"):
        StateJournal.load(disk, PATH)


@pytest.mark.promise("P6")
def test_batch_in_another_place_or_out_of_turn_is_not_taken() -> None:
    """A stale copy of the first batch after the last, and the third where the second belongs."""
    disk, states, starts = sample_journal()
    content = get_file(disk, PATH)
    put_file(disk, PATH, content + content[: starts[1]])
    assert summary(StateJournal.load(disk, PATH)) == states[-1]
    put_file(disk, PATH, content[: starts[1]] + content[starts[2] :])
    with pytest.raises(IntegrityError, match=f"offset {starts[1]}: batch 2 is not whole"):
        StateJournal.load(disk, PATH)


def test_journal_of_another_queue_in_the_middle_is_damage() -> None:
    disk = folder()
    StateJournal.append(disk, PATH, StateBatch(1, 1, 10).parts())
    StateJournal.append(disk, PATH, StateBatch(2, 1, 20).parts())
    with pytest.raises(IntegrityError, match="queue 2 incarnation 1 is another queue"):
        StateJournal.load(disk, PATH)


def test_rewrite_is_due_when_more_than_half_is_old() -> None:
    assert not should_rewrite(REWRITE_FLOOR_BYTES, 0)
    assert should_rewrite(REWRITE_FLOOR_BYTES + 1, REWRITE_FLOOR_BYTES // 2)
    assert not should_rewrite(4 * REWRITE_FLOOR_BYTES, 2 * REWRITE_FLOOR_BYTES)


def test_live_bytes_is_about_the_size_of_a_rewritten_journal() -> None:
    disk = folder()
    batch = StateBatch(1, 1, 10)
    batch.counters(1, 2, 3)
    for number in range(50):
        batch.segment_added(number, 1000, 1, 2, 3, 4, 5)
        batch.segment_bits(number, 1000, bytes(125), [])
    StateJournal.rewrite(disk, PATH, batch.parts())
    assert disk.size(PATH) == pytest.approx(live_bytes(50, 50_000), rel=0.1)
