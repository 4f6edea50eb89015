"""Stream block: messages of one queue by rising stream number, all heads together, then all
properties, then all bodies.

Little-endian, no padding. CRC is CRC-32C. n is the count of messages.

    header, 96 bytes
         0  8 bytes  "TERNSTRM"
         8  u32      version, 2
        12  u32      zero
        16  u64      queue id
        24  u64      incarnation of the stream
        32  u64      first number: of the first message
        40  u64      last number: of the last message
        48  i64      newest put_ns in the block
        56  u32      count of messages
        60  u32      bytes of a head, 416
        64  u64      bytes of the whole block
        72  u64      bytes of all properties
        80  12 B     zero
        92  u32      CRC of bytes 0 to 91
    heads, from 96: n x 416 bytes, each the header (52 bytes) and the MQMD (364 bytes) of
        `message_image`; the stream number of the message is the `sequence` at 8 of its head,
        `visible_lsn` is 0
    offsets: (n + 1) x u32, from the beginning of the bodies: message i is from offset i to i + 1
    only if there are properties:
        offsets: (n + 1) x u32, the same from the beginning of the properties
        properties: areas (`property_area`), one after the other
    bodies: application data, one after the other
    the last four bytes: u32, CRC of all bytes before them

Numbers rise inside a block and from block to block. They need not follow one another: some were
given to messages that did not outlive a crash, some were reserved and never given.

Validity: a header counts if it has its magic, version and CRC, a block if it also has as many bytes
as its header says and the CRC at its end. Blocks never change. In a stream file (`stream_file`)
each begins on a multiple of 4096.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base.checksum import crc32c
from ternmq.base.errors import IntegrityError, other_format
from ternmq.codec.message_image import FIXED_BYTES

BLOCK_HEADER_BYTES: Final = 96
BLOCK_VERSION: Final = 2  # 1 had no properties beside the data
HEAD_BYTES: Final = FIXED_BYTES
CRC_BYTES: Final = 4

_MAGIC: Final = b"TERNSTRM"
_HEADER: Final = struct.Struct("<8sIIQQQQqIIQQ12s")
_CRC: Final = struct.Struct("<I")
_NUMBER: Final = struct.Struct("<Q")
_NUMBER_AT: Final = 8  # in a head
_OFFSET: Final = struct.Struct("<I")
_AREA_BYTES_AT: Final = 72


@final
class BlockHeader:
    """What a block says of itself."""

    __slots__ = (
        "block_bytes",
        "count",
        "first_number",
        "incarnation",
        "last_number",
        "newest_ns",
        "queue_id",
    )

    def __init__(
        self,
        queue_id: int,
        incarnation: int,
        first_number: int,
        last_number: int,
        newest_ns: int,
        count: int,
        block_bytes: int,
    ) -> None:
        self.queue_id = queue_id
        self.incarnation = incarnation
        self.first_number = first_number
        self.last_number = last_number
        self.newest_ns = newest_ns
        self.count = count
        self.block_bytes = block_bytes


def block_bytes_of(count: int, area_bytes: int, body_bytes: int) -> int:
    """The length of a block with so many messages, whose properties and bodies have so many bytes
    altogether."""
    properties = area_bytes + (count + 1) * 4 if area_bytes else 0
    return BLOCK_HEADER_BYTES + count * (HEAD_BYTES + 4) + 4 + properties + body_bytes + CRC_BYTES


def pack_block(
    queue_id: int,
    incarnation: int,
    first_number: int,
    last_number: int,
    newest_ns: int,
    heads: list[bytes],
    areas: list[bytes],
    bodies: list[bytes],
) -> bytes:
    """A block of these messages; the caller gives them in the order of their numbers."""
    offsets = _offsets(bodies)
    area_offsets = _offsets(areas)
    area_bytes = area_offsets[-1]
    count = len(heads)
    head = _HEADER.pack(
        _MAGIC,
        BLOCK_VERSION,
        0,
        queue_id,
        incarnation,
        first_number,
        last_number,
        newest_ns,
        count,
        HEAD_BYTES,
        block_bytes_of(count, area_bytes, offsets[-1]),
        area_bytes,
        b"",
    )
    parts = [head, _CRC.pack(crc32c(head))]
    parts.extend(heads)
    parts.append(struct.pack(f"<{count + 1}I", *offsets))
    if area_bytes:
        parts.append(struct.pack(f"<{count + 1}I", *area_offsets))
        parts.extend(areas)
    parts.extend(bodies)
    content = b"".join(parts)
    return content + _CRC.pack(crc32c(content))


def _offsets(parts: list[bytes]) -> list[int]:
    """Where each begins, and where the last ends."""
    offsets = [0]
    end = 0
    for part in parts:
        end += len(part)
        offsets.append(end)
    return offsets


def unpack_block_header(block: bytes) -> BlockHeader:
    """The header at the beginning of `block`; IntegrityError says what is wrong with it."""
    if len(block) < BLOCK_HEADER_BYTES or not block.startswith(_MAGIC):
        raise IntegrityError("no stream block begins here")
    if crc32c(block[:92]) != _CRC.unpack_from(block, 92)[0]:
        raise IntegrityError("the header of a stream block fails its checksum")
    fields = _HEADER.unpack_from(block)
    _, version, _, queue_id, incarnation, first, last, newest, count, head_bytes, length = fields[
        :11
    ]
    if version != BLOCK_VERSION or head_bytes != HEAD_BYTES:
        raise IntegrityError(other_format("a stream block", version, BLOCK_VERSION))
    if count == 0 or first > last or length < block_bytes_of(count, fields[11], 0):
        raise IntegrityError(f"a stream block of {count} messages in {length} bytes")
    return BlockHeader(queue_id, incarnation, first, last, newest, count, length)


def check_block(block: bytes) -> BlockHeader:
    """The header of a whole block; IntegrityError unless all of it has its checksum."""
    header = unpack_block_header(block)
    if len(block) != header.block_bytes:
        raise IntegrityError(
            f"a stream block of {header.block_bytes} bytes, {len(block)} are present"
        )
    end = header.block_bytes - CRC_BYTES
    if crc32c(block[:end]) != _CRC.unpack_from(block, end)[0]:
        raise IntegrityError(
            f"the stream block of numbers {header.first_number} to {header.last_number} fails its "
            "checksum"
        )
    return header


def number_at(block: bytes, ordinal: int) -> int:
    """The stream number of a message by its place in the block, from 0."""
    number: int = _NUMBER.unpack_from(
        block, BLOCK_HEADER_BYTES + ordinal * HEAD_BYTES + _NUMBER_AT
    )[0]
    return number


def first_ordinal(block: bytes, count: int, number: int) -> int:
    """The place of the first message whose number is not below `number`; `count` if none is."""
    low = 0
    high = count
    while low < high:
        middle = (low + high) // 2
        if number_at(block, middle) < number:
            low = middle + 1
        else:
            high = middle
    return low


def body_offset(block: bytes, count: int, ordinal: int) -> int:
    """Where a body begins, from the beginning of the bodies; `ordinal` may be `count`."""
    at = BLOCK_HEADER_BYTES + count * HEAD_BYTES + ordinal * 4
    offset: int = _OFFSET.unpack_from(block, at)[0]
    return offset


def area_bytes_of(block: bytes | memoryview) -> int:
    """The bytes of all properties in the block."""
    found: int = _NUMBER.unpack_from(block, _AREA_BYTES_AT)[0]
    return found


def areas_begin(count: int) -> int:
    """Where the properties begin, if the block has any."""
    return BLOCK_HEADER_BYTES + count * HEAD_BYTES + (count + 1) * 8


def bodies_begin(count: int, area_bytes: int) -> int:
    """Where the bodies begin."""
    if area_bytes:
        return areas_begin(count) + area_bytes
    return BLOCK_HEADER_BYTES + count * HEAD_BYTES + (count + 1) * 4


def parts_offset(block: bytes, count: int, ordinal: int) -> int:
    """How many bytes of properties and bodies belong to the messages before this one."""
    offset = body_offset(block, count, ordinal)
    if area_bytes_of(block):
        at = BLOCK_HEADER_BYTES + count * HEAD_BYTES + (count + 1 + ordinal) * 4
        offset += _OFFSET.unpack_from(block, at)[0]
    return offset


def area_at(block: bytes, count: int, ordinal: int) -> bytes:
    """The property area of one message; empty if it has none."""
    if area_bytes_of(block) == 0:
        return b""
    at = BLOCK_HEADER_BYTES + count * HEAD_BYTES + (count + 1 + ordinal) * 4
    start, end = _OFFSET.unpack_from(block, at)[0], _OFFSET.unpack_from(block, at + 4)[0]
    areas = areas_begin(count)
    return block[areas + start : areas + end]


def body_at(block: bytes, count: int, ordinal: int) -> bytes:
    """The application data of one message."""
    bodies = bodies_begin(count, area_bytes_of(block))
    start = bodies + body_offset(block, count, ordinal)
    return block[start : bodies + body_offset(block, count, ordinal + 1)]
