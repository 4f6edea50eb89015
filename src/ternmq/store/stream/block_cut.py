"""A smaller stream block out of a larger one, for a reader who asked for some of its messages and
should not be sent all of them."""

from __future__ import annotations

import struct

from ternmq.codec.stream_block_format import (
    BLOCK_HEADER_BYTES,
    HEAD_BYTES,
    body_offset,
    number_at,
    pack_block,
    unpack_block_header,
)


def cut_block(block: bytes, start: int, stop: int) -> bytes:
    """A block of the messages from place `start` to before `stop`."""
    header = unpack_block_header(block)
    count = header.count
    bodies = BLOCK_HEADER_BYTES + count * HEAD_BYTES + (count + 1) * 4
    offsets = struct.unpack_from(
        f"<{stop - start + 1}I", block, BLOCK_HEADER_BYTES + count * HEAD_BYTES + start * 4
    )
    heads: list[bytes] = []
    data: list[bytes] = []
    for at in range(stop - start):
        head = BLOCK_HEADER_BYTES + (start + at) * HEAD_BYTES
        heads.append(block[head : head + HEAD_BYTES])
        data.append(block[bodies + offsets[at] : bodies + offsets[at + 1]])
    return pack_block(
        header.queue_id,
        header.incarnation,
        number_at(block, start),
        number_at(block, stop - 1),
        header.newest_ns,
        heads,
        data,
    )


def part_bytes(block: bytes, start: int, stop: int) -> int:
    """How long that would be, about."""
    count = unpack_block_header(block).count
    size = body_offset(block, count, stop) - body_offset(block, count, start)
    return BLOCK_HEADER_BYTES + (stop - start) * (HEAD_BYTES + 4) + size
