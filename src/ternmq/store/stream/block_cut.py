"""A smaller stream block out of a larger one, for a reader who asked for some of its messages and
should not be sent all of them."""

from __future__ import annotations

from ternmq.codec.stream_block_format import (
    BLOCK_HEADER_BYTES,
    HEAD_BYTES,
    area_at,
    body_at,
    number_at,
    pack_block,
    parts_offset,
    unpack_block_header,
)


def cut_block(block: bytes, start: int, stop: int) -> bytes:
    """A block of the messages from place `start` to before `stop`."""
    return block_of(block, list(range(start, stop)))


def block_of(block: bytes, places: list[int]) -> bytes:
    """A block of the messages at these places, at least one, in their order."""
    header = unpack_block_header(block)
    count = header.count
    heads: list[bytes] = []
    areas: list[bytes] = []
    bodies: list[bytes] = []
    for at in places:
        head = BLOCK_HEADER_BYTES + at * HEAD_BYTES
        heads.append(block[head : head + HEAD_BYTES])
        areas.append(area_at(block, count, at))
        bodies.append(body_at(block, count, at))
    return pack_block(
        header.queue_id,
        header.incarnation,
        number_at(block, places[0]),
        number_at(block, places[-1]),
        header.newest_ns,
        heads,
        areas,
        bodies,
    )


def part_bytes(block: bytes, start: int, stop: int) -> int:
    """How long that would be, about."""
    count = unpack_block_header(block).count
    size = parts_offset(block, count, stop) - parts_offset(block, count, start)
    return BLOCK_HEADER_BYTES + (stop - start) * (HEAD_BYTES + 4) + size
