"""A stream by itself: what readers of its blocks depend on, what it keeps of those that went."""

from __future__ import annotations

import pytest

from ternmq.ports.memory_disk import MemoryDisk
from ternmq.store.stream.memory import StreamMemory
from ternmq.store.stream.numbered_stream import FILE_BYTES_MAX, Stream
from ternmq.store.stream.stream_file import spill
from ternmq.store.stream.trimming import cut_below
from ternmq.values.entry import PERSISTENT, Entry

pytestmark = pytest.mark.core

BODY = bytes(400_000)


def message(number: int, body: bytes = BODY) -> Entry:
    ids = bytes(24)
    entry = Entry(number, 0, PERSISTENT, number, 0, ids, ids, ids, bytes(364), body, len(body))
    entry.sequence = number
    return entry


def written(stream: Stream, first: int, after: int) -> None:
    for number in range(first, after):
        stream.append(message(number))
    stream.seal()
    stream.placed(stream.place(1 << 62))


def test_stamp_when_blocks_lie_in_two_files_then_readers_of_both_wait() -> None:
    stream = Stream(1, "queues/Q~1", 1, 1)
    written(stream, 1, 2)
    stream.files[-1].end = FILE_BYTES_MAX - 1_500_000
    for number in range(2, 9):  # a commit, whose record is not written yet
        stream.append(message(number))
    stream.seal()
    stream.place(1 << 62)
    assert len(stream.files) == 2
    for number in range(2, 9):
        stream.stamp(number, 77)
    lsns = [int(block.lsn) for file in stream.files for block in file.blocks or []]
    assert lsns == [0] + [77] * (len(lsns) - 1)


def test_blocks_when_dropped_in_another_order_than_written_then_none_is_remembered() -> None:
    stream = Stream(1, "queues/Q~1", 1, 1)
    written(stream, 1, 9)
    stream.written.reverse()  # as if the first had been written last, by a fill
    stream.trim_below(9)
    assert stream.written == []
    written(stream, 9, 11)
    assert len(stream.written) == 1


@pytest.mark.parametrize("where", ["file", "file unread", "recent", "open"])
def test_cut_when_number_lies_inside_a_block_then_the_rest_of_it_is_returned(where: str) -> None:
    disk = MemoryDisk()
    stream = Stream(1, "queues/Q~1", 1, 1)
    memory = StreamMemory()
    memory.join(stream)
    disk.make_dir("queues")
    for number in range(1, 4):
        stream.append(message(number, b"%d" % number))
    stream.seal()
    for number in range(4, 9):
        stream.append(message(number, b"%d" % number))
    if where != "open":
        stream.seal()
        for number in range(9, 11):
            stream.append(message(number, b"%d" % number))
    if where.startswith("file"):
        spill(disk, stream)
    if where == "file unread":
        stream.files[0].blocks = None
    rest = cut_below(disk, stream, 6)
    assert [(one.number, one.body) for one in rest] == [(6, b"6"), (7, b"7"), (8, b"8")]
    assert (stream.earliest, stream.bytes, stream.recent, stream.files) == (6, 0, [], [])
    assert stream.open.numbers == ([] if where == "open" else [9, 10])
    assert memory.bytes == stream.open.bytes
    assert cut_below(disk, stream, 6) == []
