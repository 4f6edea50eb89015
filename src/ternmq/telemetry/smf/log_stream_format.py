"""Segments of an SMF log stream.

A log stream is a folder of segments `<first record, 20 digits>.smfs`. A segment is a head and
blocks after it; all numbers are big-endian.

    head  0  magic          8   b"TMQSMFLS"
          8  version        u16 1
         10  compression    u16 0 none, 1 zlib
         12  reserved       u32 0
         16  first record   u64 number of the first record of the segment
         24  made           i64 nanoseconds since 1970
         32  CRC-32C        u32 of the 32 bytes before

    block 0  stored         u32 bytes of data that follow the block's head
          4  raw            u32 bytes of data when it is not compressed
          8  records        u32 how many
         12  CRC-32C        u32 of the data as stored
         16  first record   u64 number of the first one
         24  newest         i64 when the block was made, nanoseconds since 1970
         32  CRC-32C        u32 of the 32 bytes before
         36  data           SMF records with their RDWs, one after the other; zlib if the segment
                            says so

Validity: a segment ends before the first block that is not whole or whose checksums do not fit. The
writer writes a block with one call and begins a new segment at each start, so only the end of the
newest segment can be cut short. Numbers go up without gaps inside a stream; a gap is data that was
lost, and counted when it was.
"""

from __future__ import annotations

import struct
import zlib
from typing import Final, final

from ternmq.base.checksum import crc32c
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_FORMAT_ERROR

MAGIC: Final = b"TMQSMFLS"
VERSION: Final = 1
PLAIN: Final = 0
ZLIB: Final = 1
SUFFIX: Final = ".smfs"
RECORD_BYTES_MAX: Final = 32_756
BLOCK_BYTES_MAX: Final = 67_108_864  # raw; what is larger is damage
_ZLIB_LEVEL: Final = 1  # most of a record is zeros: more effort gains little

_HEAD: Final = struct.Struct(">8sHHIQq")
_BLOCK: Final = struct.Struct(">4IQq")
_CRC: Final = struct.Struct(">I")
HEAD_BYTES: Final = _HEAD.size + _CRC.size
BLOCK_HEAD_BYTES: Final = _BLOCK.size + _CRC.size


@final
class SegmentHead:
    """What a segment says about itself."""

    __slots__ = ("compression", "first", "made_ns")

    def __init__(self, compression: int, first: int, made_ns: int) -> None:
        self.compression = compression
        self.first = first
        self.made_ns = made_ns


@final
class Block:
    """Records that were written together."""

    __slots__ = ("first", "made_ns", "records")

    def __init__(self, first: int, made_ns: int, records: list[bytes]) -> None:
        self.first = first
        self.made_ns = made_ns
        self.records = records


def segment_name(first: int) -> str:
    """The name of the segment whose first record has that number."""
    return f"{first:020d}{SUFFIX}"


def pack_head(compression: int, first: int, made_ns: int) -> bytes:
    """The head of a new segment."""
    data = _HEAD.pack(MAGIC, VERSION, compression, 0, first, made_ns)
    return data + _CRC.pack(crc32c(data))


def pack_block(compression: int, block: Block) -> bytes:
    """A block with its head."""
    raw = b"".join(block.records)
    data = zlib.compress(raw, _ZLIB_LEVEL) if compression == ZLIB else raw
    head = _BLOCK.pack(
        len(data), len(raw), len(block.records), crc32c(data), block.first, block.made_ns
    )
    return head + _CRC.pack(crc32c(head)) + data


def unpack_head(data: bytes, name: str) -> SegmentHead:
    """The head of a segment; FormatError says why the bytes are not one."""
    if len(data) < HEAD_BYTES:
        raise _damaged(name, 0, f"{len(data)} bytes, its head has {HEAD_BYTES}")
    magic, version, compression, _, first, made_ns = _HEAD.unpack_from(data)
    if magic != MAGIC:
        raise _damaged(name, 0, "it is not a segment of a log stream")
    if _CRC.unpack_from(data, _HEAD.size)[0] != crc32c(data[: _HEAD.size]):
        raise _damaged(name, 0, "the checksum of its head is wrong")
    if version != VERSION or compression not in (PLAIN, ZLIB):
        raise _damaged(name, 0, f"version {version} with compression {compression} is not known")
    return SegmentHead(compression, first, made_ns)


def block_bytes(head: bytes) -> int:
    """How many bytes of data follow a block's head; -1 if it is not whole or not one."""
    if len(head) < BLOCK_HEAD_BYTES:
        return -1
    if _CRC.unpack_from(head, _BLOCK.size)[0] != crc32c(head[: _BLOCK.size]):
        return -1
    stored, raw = struct.unpack_from(">II", head)
    return -1 if max(stored, raw) > BLOCK_BYTES_MAX else int(stored)


def unpack_block(compression: int, head: bytes, data: bytes) -> Block | None:
    """A block whose head `block_bytes` has found good; None if its data is not what it was."""
    _, raw_bytes, count, crc, first, made_ns = _BLOCK.unpack_from(head)
    if crc32c(data) != crc:
        return None
    raw = data
    if compression == ZLIB:
        try:
            raw = zlib.decompressobj().decompress(data, raw_bytes + 1)
        except zlib.error:
            return None
    if len(raw) != raw_bytes:
        return None
    records = split_records(raw)
    if records is None or len(records) != count:
        return None
    return Block(first, made_ns, records)


def split_records(raw: bytes) -> list[bytes] | None:
    """Whole records by their RDWs; None if they do not fill the data exactly."""
    found: list[bytes] = []
    at = 0
    while at < len(raw):
        if len(raw) - at < 4:
            return None
        length = (raw[at] << 8) + raw[at + 1]
        if length < 4 or length > len(raw) - at:
            return None
        found.append(raw[at : at + length])
        at += length
    return found


def _damaged(name: str, at: int, why: str) -> MQError:
    return mq_error(MQRC_FORMAT_ERROR, object=name, detail=f"at {at}: {why}")
