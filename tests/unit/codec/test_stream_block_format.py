"""Stream blocks: what is packed is found again, by number and by place, and no changed byte is
believed."""

from __future__ import annotations

import struct

import pytest

from ternmq.base.checksum import crc32c
from ternmq.base.errors import IntegrityError
from ternmq.base.ids import put_stamp
from ternmq.codec.stream_block_format import (
    BLOCK_HEADER_BYTES,
    HEAD_BYTES,
    area_at,
    area_bytes_of,
    block_bytes_of,
    body_at,
    body_offset,
    check_block,
    first_ordinal,
    number_at,
    pack_block,
    parts_offset,
    unpack_block_header,
)
from ternmq.ports.effect import Outbox
from ternmq.store.queue import Queue
from ternmq.store.state_journal import StateBatch, StateJournal
from ternmq.store.stream.block_cut import cut_block
from ternmq.store.stream.memory import StreamMemory
from ternmq.store.stream.numbered_stream import Stream
from ternmq.store.stream.open_block import OpenBlock
from ternmq.store.stream.stream_state import check_stream, load_stream, pack_stream, recorded_bounds
from ternmq.testing.sim_disk import SimDisk
from ternmq.values.entry import Entry, packed_descriptor
from ternmq.values.stream_block import StreamBlock

pytestmark = pytest.mark.core


def entry(number: int, data: bytes, put_ns: int = 7_000_000_000) -> Entry:
    made = Entry(
        number * 10, 3, 1, put_ns, 0, b"m" * 24, b"c" * 24, b"g" * 24, bytes(364), data, len(data)
    )
    made.sequence = number
    return made


def block_of(numbers: list[int]) -> bytes:
    block = OpenBlock()
    for number in numbers:
        block.add(entry(number, b"%d" % number * number))
    return block.pack(5, 77, 0, len(numbers))


def test_block_when_packed_then_found_again() -> None:
    numbers = [1, 2, 5, 9, 10]
    block = block_of(numbers)
    header = check_block(block)
    assert (header.queue_id, header.incarnation, header.count) == (5, 77, 5)
    assert (header.first_number, header.last_number) == (1, 10)
    assert header.block_bytes == len(block) == block_bytes_of(5, 0, 1 + 2 + 5 + 9 + 20)
    assert [number_at(block, at) for at in range(5)] == numbers
    assert [first_ordinal(block, 5, number) for number in (0, 1, 3, 5, 10, 11)] == [
        0,
        0,
        2,
        2,
        4,
        5,
    ]
    assert [body_at(block, 5, at) for at in range(5)] == [b"%d" % n * n for n in numbers]
    assert body_offset(block, 5, 5) == 37
    head = block[BLOCK_HEADER_BYTES + 2 * HEAD_BYTES : BLOCK_HEADER_BYTES + 3 * HEAD_BYTES]
    assert struct.unpack_from("<QQqqIBBHQI", head) == (50, 5, 7_000_000_000, 0, 5, 3, 1, 0, 0, 0)
    assert head[52:] == packed_descriptor(entry(5, b""))
    assert head[52 + 304 : 52 + 320] == put_stamp(7_000_000_000)


def test_heads_when_descriptors_differ_then_each_is_that_of_its_message() -> None:
    block = OpenBlock()
    made = []
    for number, base in ((1, bytes(364)), (2, bytes(range(182)) * 2), (3, b"x" * 364)):
        one = entry(number, b"")
        one.base = base
        one.backout_count = number - 1
        one.flags = number  # the last two carry their date
        made.append(one)
        block.add(one)
    packed = block.pack(5, 77, 0, 3)
    for at, one in enumerate(made):
        start = BLOCK_HEADER_BYTES + at * HEAD_BYTES
        assert packed[start + 52 : start + HEAD_BYTES] == packed_descriptor(one)


def test_block_when_a_byte_is_changed_or_missing_then_refused() -> None:
    block = block_of([1, 2, 3])
    for at in range(len(block)):
        with pytest.raises(IntegrityError):
            check_block(block[:at] + bytes([block[at] ^ 0x41]) + block[at + 1 :])
    for length in (0, 7, 95, 96, 400, len(block) - 1):
        with pytest.raises(IntegrityError):
            check_block(block[:length])
    with pytest.raises(IntegrityError):
        check_block(block + b"\0")


def test_block_when_some_messages_have_properties_then_they_lie_before_the_bodies() -> None:
    block = OpenBlock()
    areas = [b"", b"properties", b"", b"p"]
    for number, area in enumerate(areas, 1):
        one = entry(number, b"%d" % number)
        one.properties = area
        assert block.add(one) == HEAD_BYTES + 4 + 1 + len(area)
    packed = block.pack(5, 77, 0, 4)
    header = check_block(packed)
    assert header.block_bytes == len(packed) == block_bytes_of(4, 11, 4)
    assert area_bytes_of(packed) == 11
    assert [area_at(packed, 4, at) for at in range(4)] == areas
    assert [body_at(packed, 4, at) for at in range(4)] == [b"1", b"2", b"3", b"4"]
    assert [parts_offset(packed, 4, at) for at in range(5)] == [0, 1, 12, 13, 15]
    heads = [
        packed[start : start + HEAD_BYTES]
        for start in range(BLOCK_HEADER_BYTES, BLOCK_HEADER_BYTES + 4 * HEAD_BYTES, HEAD_BYTES)
    ]
    assert [struct.unpack_from("<I", head, 48)[0] for head in heads] == [0, 10, 0, 1]
    part = cut_block(packed, 1, 3)
    assert check_block(part).count == 2
    assert [area_at(part, 2, at) for at in range(2)] == [b"properties", b""]
    assert [body_at(part, 2, at) for at in range(2)] == [b"2", b"3"]
    view = StreamBlock(packed, 1, 4)
    assert view.has_properties
    assert [view.area(at) for at in range(3)] == [b"properties", b"", b"p"]
    assert [view.data(at) for at in range(3)] == [b"2", b"3", b"4"]
    plain = StreamBlock(cut_block(packed, 2, 3), 0, 1)
    assert (plain.has_properties, plain.area(0), len(plain.area_offsets)) == (False, b"", 0)
    for at in range(len(packed)):
        with pytest.raises(IntegrityError):
            check_block(packed[:at] + bytes([packed[at] ^ 0x41]) + packed[at + 1 :])


def test_block_when_it_is_of_the_former_format_then_it_is_refused_with_a_sentence() -> None:
    block = bytearray(block_of([1, 2]))
    struct.pack_into("<I", block, 8, 1)
    struct.pack_into("<I", block, 92, crc32c(bytes(block[:92])))
    with pytest.raises(IntegrityError, match=r"format version 1.* reads version 2; use the build"):
        unpack_block_header(bytes(block))
    with pytest.raises(IntegrityError, match=r"format version 1.* reads version 2; use the build"):
        StreamBlock(bytes(block), 0, 1)


def test_header_when_it_is_of_another_version_or_impossible_then_refused() -> None:
    empty = pack_block(5, 77, 1, 1, 0, [], [], [])
    with pytest.raises(IntegrityError, match="0 messages"):
        unpack_block_header(empty)
    backwards = pack_block(5, 77, 2, 1, 0, [bytes(HEAD_BYTES)], [b""], [b""])
    with pytest.raises(IntegrityError, match="1 messages"):
        unpack_block_header(backwards)


def test_state_when_read_from_the_journal_then_the_stream_is_there_again() -> None:
    disk = SimDisk()
    disk.make_dir("q")
    queue = Queue(5, "Q", "q", 1)
    stream = Stream(5, "q", 77, 1)
    queue.stream = stream
    queue.numbering.had_stream = True
    queue.numbering.reserved = 500
    for number in (1, 2, 3):
        stream.append(entry(number, b"x" * number))
    stream.seal()
    stream.placed(stream.place(1 << 20))
    batch = StateBatch(5, 5, 9)
    batch.counters(31, 4, 1)
    batch.stream(pack_stream(queue))
    StateJournal.append(disk, "q/state", batch.parts())
    state = StateJournal.load(disk, "q/state")
    assert recorded_bounds(state.stream) == (77, 1, 4)
    again = Queue(5, "Q", "q", 1)
    again.next_sequence = 4
    load_stream(again, state.stream)
    assert again.stream is not None
    assert (again.next_sequence, again.stream.next, again.stream.bytes) == (500, 4, stream.bytes)
    assert [(one.path, one.first, one.last) for one in again.stream.files] == [
        ("q/0000000001.stream", 1, 3)
    ]
    whole = state.whole_batch(10)
    StateJournal.rewrite(disk, "q/state", whole.parts())
    assert StateJournal.load(disk, "q/state").stream == state.stream
    queue.stream = None
    load_stream(ended := Queue(5, "Q", "q", 1), pack_stream(queue))
    assert ended.stream is None
    for payload in (b"", state.stream[:-1], state.stream + bytes(8)):
        with pytest.raises(IntegrityError):
            check_stream(payload)


def test_memory_when_all_streams_have_too_much_then_they_write_and_let_go() -> None:
    memory = StreamMemory()
    memory.connect(Outbox())
    memory.bytes_max = 200_000
    disk = SimDisk()
    outbox = memory.outbox
    assert outbox is not None
    streams = []
    for number in range(1, 9):
        stream = Stream(number, f"q{number}", 1, 1)
        memory.join(stream)
        streams.append(stream)
    for number in range(1, 400):
        for stream in streams:
            stream.append(entry(number, bytes(500)))
        while outbox.effects:
            effect = outbox.effects.pop(0)
            effect.run(disk)
            effect.complete()
    assert memory.bytes < 2 * memory.bytes_max
    assert memory.bytes == sum(one.held + one.open.bytes for one in streams)
    assert all(one.files for one in streams)
    for stream in streams:
        memory.leave(stream)
    assert memory.bytes == 0


def test_large_message_when_appended_then_a_block_of_its_own() -> None:
    stream = Stream(5, "q", 77, 1)
    stream.append(entry(1, b"small"))
    stream.append(entry(2, bytes(3 << 20)))
    stream.append(entry(3, b"small"))
    assert [(block.first, block.last) for block in stream.recent] == [(1, 1), (2, 2)]
    assert stream.open.count == 1


def test_trim_by_age_when_times_do_not_rise_then_no_empty_file_is_left() -> None:
    stream = Stream(5, "q", 77, 1)
    for number, put_ns in ((1, 100), (2, 20), (3, 30)):
        stream.append(entry(number, b"x", put_ns))
        stream.seal()
    stream.placed(stream.place(1 << 20))
    stream.trim_below(2)
    stream.trim_older(50)
    assert stream.files == []
    assert stream.earliest == 4
    assert stream.bytes == 0
