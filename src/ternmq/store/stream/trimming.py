"""Restart: a stream lets go of what it had let go of before, although a block begins elsewhere now.

What is trimmed is not logged, and where blocks end is recorded only of those that a checkpoint
has written. So a stream that is redone may have more than it had. That does no harm until the
messages on the queue come before a certain number (`fill`), and then it has to begin just there.
"""

from __future__ import annotations

from mypy_extensions import i64

from ternmq.base.errors import IntegrityError
from ternmq.codec.stream_block_format import (
    BLOCK_HEADER_BYTES,
    HEAD_BYTES,
    area_at,
    body_at,
    check_block,
    first_ordinal,
)
from ternmq.ports.disk import Disk
from ternmq.store.stream.inventory import Lying, lying_of
from ternmq.store.stream.numbered_stream import Stream
from ternmq.store.stream.open_block import OpenBlock
from ternmq.store.stream.range_reading import block_from
from ternmq.store.stream.stream_file import check_owner, read_index


def cut_below(disk: Disk, stream: Stream, number: i64) -> list[Lying]:
    """The stream has no lower numbers any more. The block that has the number goes as a whole;
    what it had from there on is returned. A block that is damaged stays, and all behind it."""
    if stream.earliest >= number:
        return []
    try:
        data = _block_with(disk, stream, number)
    except IntegrityError:
        return []
    rest: list[Lying] = []
    if data:
        header = check_block(data)
        if header.first_number < number:
            for at in range(first_ordinal(data, header.count, int(number)), header.count):
                head = BLOCK_HEADER_BYTES + at * HEAD_BYTES
                area = area_at(data, header.count, at)
                body = body_at(data, header.count, at)
                rest.append(lying_of(data[head : head + HEAD_BYTES], area, body))
            stream.trim_below(header.last_number + 1)
            if stream.open.count and stream.open.first < number:
                _drop_open(stream)
    stream.trim_below(number)
    stream.earliest = number
    return rest


def _block_with(disk: Disk, stream: Stream, number: i64) -> bytes:
    """The first block that has this number or a higher one; nothing if no block has."""
    for file in stream.files:
        if file.last < number:
            continue
        opened = disk.borrow(file.path)
        try:
            if file.blocks is None:
                file.blocks = read_index(opened, stream, int(file.start), int(file.end))
            found = block_from(file.blocks, number)
            if found is None:
                return b""
            data = found.data or opened.pread(int(found.offset), int(found.length))
            check_owner(check_block(data), stream)
            return data
        finally:
            disk.give_back(opened)
    sealed = block_from(stream.recent, number)
    if sealed is not None:
        return sealed.data or b""
    block = stream.open
    if block.count == 0 or block.numbers[-1] < number:
        return b""
    return block.pack(int(stream.queue_id), int(stream.incarnation), 0, int(block.count))


def _drop_open(stream: Stream) -> None:
    memory = stream.memory
    if memory is not None:
        memory.bytes -= stream.open.bytes
    stream.open = OpenBlock()
