"""Segment file: an immutable file that holds messages of one queue in order, each checksummed.

Little-endian. CRC is CRC-32C. `identity` is the CRC of (u64 queue id, u64 incarnation, u64 segment
number); every other CRC starts from it, so bytes of another segment are never taken for ours. That
of a record starts from it XOR the place of the message in the file, from 0 (its ordinal).

    header, 64 bytes at 0
         0  8 bytes  "TERNSEG" and 0
         8  u32      version, 3
        12  u32      flags: the store's
        16  u64      queue id
        24  u64      incarnation of the queue
        32  u64      segment number
        40  u32      count of messages (n below)
        44  16 B     zero
        60  u32      CRC of bytes 0 to 59, from identity

    records, from 64, one after the other, each on a multiple of 8 (zeros between)
         0  u32      CRC of the head of the image: header, MQMD and properties, from identity XOR
                     ordinal
         4  u32      CRC of the whole image, from identity XOR ordinal
         8  u32      length of the image
        12  image    see `message_image`; the number in it says which message this is

    index, on a multiple of 8: columns one after the other, in this order
            u64 x n  number
            u64 x n  sequence
            u64 x n  offset of the record in the file
            i64 x n  expiry_at
            u32 x n  length of the image
            u32 x n  length of its properties
            u8  x n  priority
            u8  x n  flags
                     zeros to a multiple of 8
        and then for MsgId, for CorrelId and for GroupId, the k messages whose id is not all zero,
        by rising hash, equal hashes by rising ordinal:
            u64 x k  hash of the id (`hash_id`)
            u32 x k  ordinal: place of the message in the file, from 0
                     zeros to a multiple of 8
        and at last, for the k messages with a GroupId, in the order of its hashes:
            24 B x k GroupId
            u32 x k  MsgSeqNumber
            u32 x k  Offset
            u32 x k  MsgFlags
                     zeros to a multiple of 8

    footer, 64 bytes, the last of the file
         0  8 bytes  "TERNFOOT"
         8  u64      offset of the index
        16  u64      bytes of the index
        24  u64      bytes of the file
        32  u32      count of messages
        36  u32 x 3  k for MsgId, CorrelId, GroupId
        48  u32      CRC of the index, from identity
        52  8 bytes  zero
        60  u32      CRC of bytes 0 to 59, from identity

Reading without bodies: offset and length of the properties, both in the index, say where the head
of each message is, and the head has a CRC of its own. So descriptors and properties of a file are
read, and trusted, without a byte of a body (`segment_file.read_head`).

Validity: header, footer and index must have their CRC, agree with each other and with the size of
the file; then a record is what its CRC, its length in the index and its number in the index say.
Ordering: the whole file is written once, forced, and its name forced, before anything names it
(`segment_file.write_segment`). It is never changed, only unlinked.
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_left
from typing import Final, final

from mypy_extensions import i64

from ternmq.base.checksum import crc32c
from ternmq.base.errors import IntegrityError, other_format
from ternmq.codec.message_image import FIXED_BYTES, HEADER_BYTES, ID_BYTES, MQMD_BYTES
from ternmq.codec.mqi.mqmd import MSG_SEQ_NUMBER_AT

SEGMENT_HEADER_BYTES: Final = 64
SEGMENT_FOOTER_BYTES: Final = 64
SEGMENT_VERSION: Final = 3  # 1 had no properties beside the data, 2 no columns of groups
RECORD_PREFIX_BYTES: Final = 12

# Kinds of id, as `find` takes them.
MSG_ID: Final = 0
CORREL_ID: Final = 1
GROUP_ID: Final = 2
ID_KINDS: Final = 3
GROUP_FIELDS_BYTES: Final = ID_BYTES + 12  # GroupId, MsgSeqNumber, Offset, MsgFlags
HASH_BITS: Final = 62  # a compiled int of 62 bits needs no object

_MAGIC: Final = b"TERNSEG\x00"
_FOOTER_MAGIC: Final = b"TERNFOOT"
_NO_ID: Final = bytes(ID_BYTES)
_IDENTITY: Final = struct.Struct("<QQQ")
_HEADER: Final = struct.Struct("<8sIIQQQI16s")
_FOOTER: Final = struct.Struct("<8sQQQIIIII8s")
_PREFIX: Final = struct.Struct("<III")
_CRC: Final = struct.Struct("<I")
_HEADER_ZEROS: Final = bytes(16)
_FOOTER_ZEROS: Final = bytes(8)
_GROUP_NUMBERS: Final = struct.Struct("<III")  # MsgSeqNumber, Offset, MsgFlags
_PADS: Final = [bytes(n) for n in range(8)]

_HASH_MASK: Final = (1 << HASH_BITS) - 1
_HASH_START: Final = 0x2BF29CE484222325
_HASH_FACTOR: Final = 0x100000001B3
_MIX_FACTOR: Final = 0x2545F4914F6CDD1D


def hash_id(identifier: bytes) -> int:
    """62 bits from a 24-byte id, the same in every process: FNV-1a, then mixed.

    The mixing is for ids that differ only in their last bytes, which FNV-1a leaves close together.
    """
    if len(identifier) != ID_BYTES:
        raise IntegrityError(f"an identifier of {len(identifier)} bytes")
    value: i64 = _HASH_START
    at: i64 = 0
    while at < ID_BYTES:
        # The product may wrap at 64 bits when compiled; the 62 that are kept are the same.
        value = ((value ^ identifier[at]) * _HASH_FACTOR) & _HASH_MASK
        at += 1
    value = ((value ^ (value >> 31)) * _MIX_FACTOR) & _HASH_MASK
    value = ((value ^ (value >> 29)) * _MIX_FACTOR) & _HASH_MASK
    return value ^ (value >> 32)


def identity_crc(queue_id: int, incarnation: int, segment_number: int) -> int:
    """Where every CRC of a segment starts; see the head of this file."""
    return crc32c(_IDENTITY.pack(queue_id, incarnation, segment_number))


def damaged(path: str, offset: int, what: str) -> IntegrityError:
    """The error for a segment file that cannot be believed at this place."""
    return IntegrityError(f"segment {path} is damaged at offset {offset}: {what}")


@final
class SegmentIndex:
    """Header and index of one segment, in memory; each column is one array."""

    __slots__ = (
        "path",
        "queue_id",
        "incarnation",
        "segment_number",
        "flags",
        "count",
        "identity",
        "index_offset",
        "file_bytes",
        "numbers",
        "sequences",
        "offsets",
        "expiries",
        "lengths",
        "area_lengths",
        "priorities",
        "message_flags",
        "hashes",
        "ordinals",
        "group_ids",
        "group_numbers",
        "group_offsets",
        "group_flags",
    )

    def __init__(
        self,
        path: str,
        queue_id: int,
        incarnation: int,
        segment_number: int,
        flags: int,
        count: int,
    ) -> None:
        self.path = path
        self.queue_id = queue_id
        self.incarnation = incarnation
        self.segment_number = segment_number
        self.flags = flags
        self.count = count
        self.identity = identity_crc(queue_id, incarnation, segment_number)
        self.index_offset = 0
        self.file_bytes = 0
        self.numbers: array[int] = array("Q")
        self.sequences: array[int] = array("Q")
        self.offsets: array[int] = array("Q")
        self.expiries: array[int] = array("q")
        self.lengths: array[int] = array("I")
        self.area_lengths: array[int] = array("I")
        self.priorities: bytes = b""
        self.message_flags: bytes = b""
        self.hashes: list[array[int]] = []
        self.ordinals: list[array[int]] = []
        # Of the messages with a GroupId, at the places of `ordinals[GROUP_ID]`.
        self.group_ids: bytes = b""
        self.group_numbers: array[int] = array("I")  # MsgSeqNumber
        self.group_offsets: array[int] = array("I")
        self.group_flags: array[int] = array("I")

    def group_id(self, place: int) -> bytes:
        """The GroupId at a place of the columns of groups."""
        return self.group_ids[place * ID_BYTES : (place + 1) * ID_BYTES]

    def group_fields(self, place: int) -> bytes:
        """The four fields at a place of the columns of groups, as an MQMD has them."""
        return self.group_id(place) + _GROUP_NUMBERS.pack(
            self.group_numbers[place], self.group_offsets[place], self.group_flags[place]
        )

    def data_length(self, ordinal: int) -> int:
        """How long the body of a message is."""
        return self.lengths[ordinal] - self.area_lengths[ordinal] - FIXED_BYTES

    def expect(self, queue_id: int, incarnation: int, segment_number: int) -> None:
        """Refuse a sound file that is another segment's."""
        found = (self.queue_id, self.incarnation, self.segment_number)
        if found != (queue_id, incarnation, segment_number):
            raise damaged(
                self.path,
                16,
                f"it is segment {found[2]} of queue {found[0]} incarnation {found[1]}, not "
                f"{segment_number} of {queue_id} incarnation {incarnation}",
            )

    def find(self, kind: int, id_hash: int) -> list[int]:
        """Ordinals, rising, of the messages whose id of this kind has this hash."""
        hashes = self.hashes[kind]
        ordinals = self.ordinals[kind]
        found: list[int] = []
        place = bisect_left(hashes, id_hash)
        while place < len(hashes) and hashes[place] == id_hash:
            found.append(ordinals[place])
            place += 1
        return found


@final
class SegmentBuilder:
    """Collects messages of one queue and gives the file as parts; bodies are not copied."""

    __slots__ = (
        "queue_id",
        "incarnation",
        "segment_number",
        "flags",
        "count",
        "bytes",
        "_identity",
        "_parts",
        "_pad",
        "_numbers",
        "_sequences",
        "_offsets",
        "_expiries",
        "_lengths",
        "_area_lengths",
        "_priorities",
        "_message_flags",
        "_hashes",
        "_ordinals",
        "_group_ids",
        "_group_numbers",
    )

    def __init__(
        self, queue_id: int, incarnation: int, segment_number: int, flags: int = 0
    ) -> None:
        self.queue_id = queue_id
        self.incarnation = incarnation
        self.segment_number = segment_number
        self.flags = flags
        self.count = 0
        self.bytes = SEGMENT_HEADER_BYTES  # of header and records so far
        self._identity = identity_crc(queue_id, incarnation, segment_number)
        self._parts: list[bytes] = []
        self._pad = b""
        self._numbers: list[int] = []
        self._sequences: list[int] = []
        self._offsets: list[int] = []
        self._expiries: list[int] = []
        self._lengths: list[int] = []
        self._area_lengths: list[int] = []
        self._priorities: list[int] = []
        self._message_flags: list[int] = []
        self._hashes: list[list[int]] = [[] for _ in range(ID_KINDS)]
        self._ordinals: list[list[int]] = [[] for _ in range(ID_KINDS)]
        self._group_ids: list[bytes] = []
        self._group_numbers: list[tuple[int, int, int]] = []

    def add(
        self,
        header_bytes: bytes,
        mqmd: bytes,
        properties: bytes,
        data: bytes,
        number: int,
        sequence: int,
        expiry_at: int,
        priority: int,
        flags: int,
        msg_id: bytes,
        correl_id: bytes,
        group_id: bytes,
    ) -> None:
        """Take one message; header and the arguments after the data must say the same."""
        if len(header_bytes) != HEADER_BYTES or len(mqmd) != MQMD_BYTES:
            raise IntegrityError(
                f"message {number}: header of {len(header_bytes)} and MQMD of {len(mqmd)} bytes"
            )
        head = header_bytes + mqmd
        length = FIXED_BYTES + len(properties) + len(data)
        head_crc = crc32c(head, self._identity ^ self.count)
        if properties:
            head_crc = crc32c(properties, head_crc)
        prefix = _PREFIX.pack(head_crc, crc32c(data, head_crc), length)
        self._parts.append(self._pad + prefix + head)
        if properties:
            self._parts.append(properties)
        self._parts.append(data)
        size = RECORD_PREFIX_BYTES + length
        self._pad = _PADS[-size & 7]
        self._numbers.append(number)
        self._sequences.append(sequence)
        self._offsets.append(self.bytes)
        self._expiries.append(expiry_at)
        self._lengths.append(length)
        self._area_lengths.append(len(properties))
        self._priorities.append(priority)
        self._message_flags.append(flags)
        if msg_id != _NO_ID:
            self._pair(MSG_ID, msg_id)
        if correl_id != _NO_ID:
            self._pair(CORREL_ID, correl_id)
        if group_id != _NO_ID:
            self._pair(GROUP_ID, group_id)
            self._group_ids.append(group_id)
            number, offset, msg_flags = _GROUP_NUMBERS.unpack_from(mqmd, MSG_SEQ_NUMBER_AT)
            self._group_numbers.append((number, offset, msg_flags))
        self.count += 1
        self.bytes += (size + 7) & -8

    def file_bytes(self) -> int:
        """Size of the whole file if it ended here."""
        pairs = [len(hashes) for hashes in self._hashes]
        return self.bytes + index_bytes(self.count, pairs) + SEGMENT_FOOTER_BYTES

    def parts(self) -> list[bytes]:
        """The whole file."""
        index = self._index()
        crc = crc32c(index, self._identity)
        tail = self._footer(len(index), crc)
        return [self._header(), *self._parts, self._pad, index, tail]

    def _pair(self, kind: int, identifier: bytes) -> None:
        self._hashes[kind].append(hash_id(identifier))
        self._ordinals[kind].append(self.count)

    def _header(self) -> bytes:
        head = _HEADER.pack(
            _MAGIC,
            SEGMENT_VERSION,
            self.flags,
            self.queue_id,
            self.incarnation,
            self.segment_number,
            self.count,
            _HEADER_ZEROS,
        )
        return head + _CRC.pack(crc32c(head, self._identity))

    def _index(self) -> bytes:
        columns = [
            _packed("Q", self._numbers),
            _packed("Q", self._sequences),
            _packed("Q", self._offsets),
            _packed("q", self._expiries),
            _packed("I", self._lengths),
            _packed("I", self._area_lengths),
            bytes(self._priorities),
            bytes(self._message_flags),
            _PADS[-2 * self.count & 7],
        ]
        for kind in range(ID_KINDS):
            hashes = self._hashes[kind]
            ordinals = self._ordinals[kind]
            order = sorted(range(len(hashes)), key=hashes.__getitem__)
            columns.append(_packed("Q", [hashes[place] for place in order]))
            columns.append(_packed("I", [ordinals[place] for place in order]))
            columns.append(_PADS[-4 * len(order) & 7])
            if kind == GROUP_ID:
                columns += self._groups(order)
        return b"".join(columns)

    def _groups(self, order: list[int]) -> list[bytes]:
        rows = [self._group_numbers[place] for place in order]
        columns = [self._group_ids[place] for place in order]
        columns += [_packed("I", [row[column] for row in rows]) for column in range(3)]
        columns.append(_PADS[-GROUP_FIELDS_BYTES * len(order) & 7])
        return columns

    def _footer(self, index_length: int, index_crc: int) -> bytes:
        foot = _FOOTER.pack(
            _FOOTER_MAGIC,
            self.bytes,
            index_length,
            self.bytes + index_length + SEGMENT_FOOTER_BYTES,
            self.count,
            len(self._hashes[MSG_ID]),
            len(self._hashes[CORREL_ID]),
            len(self._hashes[GROUP_ID]),
            index_crc,
            _FOOTER_ZEROS,
        )
        return foot + _CRC.pack(crc32c(foot, self._identity))


def index_bytes(count: int, pairs: list[int]) -> int:
    """Size of the index of `count` messages with so many ids of each kind."""
    total = 40 * count + (2 * count + 7 & -8)
    for pair_count in pairs:
        total += 8 * pair_count + (4 * pair_count + 7 & -8)
    if len(pairs) > GROUP_ID:
        total += (GROUP_FIELDS_BYTES * pairs[GROUP_ID] + 7) & -8
    return total


def unpack_segment_header(path: str, block: bytes) -> SegmentIndex:
    """The header as an index that has no columns yet."""
    if len(block) < SEGMENT_HEADER_BYTES:
        raise damaged(path, len(block), "the file ends inside the header")
    magic, version, flags, queue_id, incarnation, number, count, _ = _HEADER.unpack_from(block)
    if magic != _MAGIC:
        raise damaged(path, 0, "it does not begin as a segment")
    index = SegmentIndex(path, queue_id, incarnation, number, flags, count)
    if crc32c(block[:60], index.identity) != _CRC.unpack_from(block, 60)[0]:
        raise damaged(path, 0, "the header fails its checksum")
    if version != SEGMENT_VERSION:
        raise IntegrityError(other_format(f"segment {path}", version, SEGMENT_VERSION))
    return index


def unpack_segment_footer(index: SegmentIndex, block: bytes, file_bytes: int) -> list[int]:
    """Take the footer into the index; returns [index bytes, index CRC, k, k, k]."""
    at = file_bytes - SEGMENT_FOOTER_BYTES
    if at < SEGMENT_HEADER_BYTES or len(block) != SEGMENT_FOOTER_BYTES:
        raise damaged(index.path, file_bytes, "the file ends before its footer")
    magic, offset, length, total, count, msgs, correls, groups, index_crc, _ = _FOOTER.unpack_from(
        block
    )
    if (
        magic != _FOOTER_MAGIC
        or crc32c(block[:60], index.identity) != _CRC.unpack_from(block, 60)[0]
    ):
        raise damaged(index.path, at, "the footer fails its checksum, or the file is cut")
    pairs = [msgs, correls, groups]
    if count != index.count or total != file_bytes or length != index_bytes(count, pairs):
        raise damaged(index.path, at, "header, footer and size of the file do not agree")
    if offset + length != at or offset < SEGMENT_HEADER_BYTES + count * FIXED_BYTES:
        raise damaged(index.path, at, f"the index cannot be at {offset}")
    index.index_offset = offset
    index.file_bytes = file_bytes
    return [length, index_crc, msgs, correls, groups]


def unpack_segment_index(index: SegmentIndex, block: bytes, footer: list[int]) -> None:
    """Fill the columns of the index from its bytes."""
    if len(block) != footer[0] or crc32c(block, index.identity) != footer[1]:
        raise damaged(index.path, index.index_offset, "the index fails its checksum")
    n = index.count
    view = memoryview(block)
    index.numbers = _column("Q", view[: 8 * n])
    index.sequences = _column("Q", view[8 * n : 16 * n])
    index.offsets = _column("Q", view[16 * n : 24 * n])
    index.expiries = _column("q", view[24 * n : 32 * n])
    index.lengths = _column("I", view[32 * n : 36 * n])
    index.area_lengths = _column("I", view[36 * n : 40 * n])
    index.priorities = block[40 * n : 41 * n]
    index.message_flags = block[41 * n : 42 * n]
    at = index_bytes(n, [])
    for pairs in footer[2:]:
        index.hashes.append(_column("Q", view[at : at + 8 * pairs]))
        at += 8 * pairs
        index.ordinals.append(_column("I", view[at : at + 4 * pairs]))
        at += 4 * pairs + 7 & -8
    k = footer[-1]
    index.group_ids = block[at : at + ID_BYTES * k]
    at += ID_BYTES * k
    index.group_numbers = _column("I", view[at : at + 4 * k])
    index.group_offsets = _column("I", view[at + 4 * k : at + 8 * k])
    index.group_flags = _column("I", view[at + 8 * k : at + 12 * k])


def unpack_record(index: SegmentIndex, ordinal: int, buffer: bytes, at: int) -> bytes:
    """The image of a message whose record begins at `at` of the buffer, checked."""
    offset = index.offsets[ordinal]
    end = at + RECORD_PREFIX_BYTES + index.lengths[ordinal]
    if len(buffer) < end:
        raise damaged(index.path, offset, "the file ends inside a record")
    _, crc, length = _PREFIX.unpack_from(buffer, at)
    image = buffer[at + RECORD_PREFIX_BYTES : end]
    if length != len(image) or crc32c(image, index.identity ^ ordinal) != crc:
        raise damaged(index.path, offset, f"message {ordinal} fails its checksum")
    _check_lengths(index, ordinal, image)
    return image


def head_bytes(index: SegmentIndex, ordinal: int) -> int:
    """How long a record is up to where its body begins."""
    return RECORD_PREFIX_BYTES + FIXED_BYTES + index.area_lengths[ordinal]


def unpack_head(index: SegmentIndex, ordinal: int, buffer: bytes, at: int) -> bytes:
    """The image of a message but for its body, from the beginning of its record at `at` of the
    buffer, checked."""
    offset = index.offsets[ordinal]
    end = at + head_bytes(index, ordinal)
    if len(buffer) < end:
        raise damaged(index.path, offset, "the file ends inside a record")
    crc, _, length = _PREFIX.unpack_from(buffer, at)
    head = buffer[at + RECORD_PREFIX_BYTES : end]
    if length != index.lengths[ordinal] or crc32c(head, index.identity ^ ordinal) != crc:
        raise damaged(index.path, offset, f"the head of message {ordinal} fails its checksum")
    _check_lengths(index, ordinal, head)
    return head


def _check_lengths(index: SegmentIndex, ordinal: int, head: bytes) -> None:
    """The number and the lengths in a head against the index."""
    offset = index.offsets[ordinal]
    number = int.from_bytes(head[:8], "little")
    if number != index.numbers[ordinal]:
        raise damaged(index.path, offset, f"message {number} is where another belongs")
    data = int.from_bytes(head[32:36], "little")
    area = int.from_bytes(head[48:52], "little")
    if data + area + FIXED_BYTES != index.lengths[ordinal] or area != index.area_lengths[ordinal]:
        raise damaged(index.path, offset, f"message {number} has another length than its record")


def scan_records(path: str, content: bytes) -> list[tuple[int, bytes]]:
    """Ordinal and image of the messages that can be found without an index: one record after the
    other from the header on, each by its own checksum, up to the first that does not hold."""
    index = unpack_segment_header(path, content[:SEGMENT_HEADER_BYTES])
    found: list[tuple[int, bytes]] = []
    at = SEGMENT_HEADER_BYTES
    for ordinal in range(index.count):
        if at + RECORD_PREFIX_BYTES > len(content):
            break
        _, crc, length = _PREFIX.unpack_from(content, at)
        image = content[at + RECORD_PREFIX_BYTES : at + RECORD_PREFIX_BYTES + length]
        if len(image) < max(length, FIXED_BYTES):
            break
        if crc32c(image, index.identity ^ ordinal) != crc:
            break
        found.append((ordinal, image))
        at += RECORD_PREFIX_BYTES + length + 7 & -8
    return found


def _packed(code: str, values: list[int]) -> bytes:
    return _swapped(array(code, values)).tobytes()


def _column(code: str, view: memoryview) -> array[int]:
    column: array[int] = array(code)
    column.frombytes(view)
    return _swapped(column)


def _swapped(column: array[int]) -> array[int]:
    """From the machine's byte order to little-endian, or back."""
    if sys.byteorder == "big":
        column.byteswap()
    return column
