"""One datagram of a multicast group. The format is ours: IBM MQ's is not public.

Big endian. One datagram is one packet:

     0   4  magic      "TMQM"
     4   1  version    1
     5   1  kind       1 DATA, 2 HEARTBEAT, 3 NAK
     6   2  flags      1: DATA is sent again (REPAIR); 2: HEARTBEAT of a transmitter that ends (END)
     8   8  source     the transmitter, a random number; in a NAK the one that is asked
    16   8  sequence   of the packet, 1 to 2^48 - 1; in a HEARTBEAT of the last DATA, in a NAK 0
    24   8  oldest     the lowest sequence that the transmitter can still send again; in a NAK 0
    32   4  age        milliseconds since the transmitter began, at most 2^32 - 1; in a NAK 0
    36   4  index      DATA: which packet of its publication it is, from 0 on; else 0
    40   4  count      DATA: how many packets the publication has; NAK: how many ranges; else 0
    44  16  tag        BLAKE2s of bytes 0 to 43 and of the body, with the key of the group
    60      body       DATA: 1 to 1400 bytes of the publication; NAK: ranges, each u64 first and
                       u32 how many; HEARTBEAT: nothing

Validity: magic, version, kind and lengths are as above, index is less than count, oldest is at most
sequence + 1, the ranges of a NAK are 1 to 64, none is empty, and the tag is right. The queue
manager gives the key to those that it lets subscribe or publish, so a packet of anybody else, or of
another queue manager that uses the same group address, is not valid. Whatever is not valid is
ignored. Data is not encrypted.
"""

from __future__ import annotations

import struct
from hashlib import blake2s
from hmac import compare_digest
from typing import Final, final

from mypy_extensions import i64

MAGIC: Final = b"TMQM"
VERSION: Final = 1
DATA: Final = 1
HEARTBEAT: Final = 2
NAK: Final = 3
REPAIR: Final = 1
END: Final = 2
KEY_BYTES: Final = 32
BODY_BYTES_MAX: Final = 1400
RANGES_MAX: Final = 64
SEQUENCE_MAX: Final = (1 << 48) - 1
AGE_MAX: Final = 0xFFFFFFFF
_HEAD: Final = struct.Struct(">4sBBHQQQIII")
_RANGE: Final = struct.Struct(">QI")
_TAG_BYTES: Final = 16
HEAD_BYTES: Final = _HEAD.size + _TAG_BYTES
PACKET_BYTES_MAX: Final = HEAD_BYTES + BODY_BYTES_MAX

Range = tuple[int, int]  # the first sequence and how many


@final
class Packet:
    """What a valid packet says."""

    __slots__ = (
        "age_ms",
        "body",
        "count",
        "flags",
        "index",
        "kind",
        "oldest",
        "ranges",
        "sequence",
        "source",
    )

    def __init__(self, kind: i64, source: int) -> None:
        self.kind: i64 = kind
        self.flags: i64 = 0
        self.source = source  # all of 64 bits
        self.sequence: int = 0
        self.oldest: int = 0
        self.age_ms: i64 = 0
        self.index: i64 = 0
        self.count: i64 = 0
        self.body = b""
        self.ranges: list[Range] = []

    def pack(self, key: bytes) -> bytes:
        """The datagram."""
        body = self.body
        if self.kind == NAK:
            body = b"".join([_RANGE.pack(first, many) for first, many in self.ranges])
            self.count = len(self.ranges)
        head = _HEAD.pack(
            MAGIC,
            VERSION,
            self.kind,
            self.flags,
            self.source,
            self.sequence,
            self.oldest,
            min(self.age_ms, AGE_MAX),
            self.index,
            self.count,
        )
        return b"".join((head, _tag(key, head, body), body))


def _tag(key: bytes, head: bytes, body: bytes) -> bytes:
    made = blake2s(head, digest_size=_TAG_BYTES, key=key)
    made.update(body)
    return made.digest()


def unpack(data: bytes, key: bytes) -> Packet | None:
    """What a datagram says; None if it is not valid."""
    size = len(data)
    if size < HEAD_BYTES or size > PACKET_BYTES_MAX:
        return None
    magic, version, kind, flags, source, sequence, oldest, age, index, count = _HEAD.unpack_from(
        data
    )
    if magic != MAGIC or version != VERSION:
        return None
    head, tag, body = data[: _HEAD.size], data[_HEAD.size : HEAD_BYTES], data[HEAD_BYTES:]
    if not compare_digest(tag, _tag(key, head, body)):
        return None
    packet = Packet(kind, source)
    packet.flags = flags
    packet.sequence = sequence
    packet.oldest = oldest
    packet.age_ms = age
    packet.index = index
    packet.count = count
    packet.body = body
    return packet if _is_valid(packet) else None


def _is_valid(packet: Packet) -> bool:
    if packet.kind == NAK:
        return _has_ranges(packet)
    if packet.sequence > SEQUENCE_MAX or not 0 < packet.oldest <= packet.sequence + 1:
        return False
    if packet.kind == DATA:
        is_placed = packet.index < packet.count and packet.sequence > packet.index
        return is_placed and len(packet.body) > 0
    return packet.kind == HEARTBEAT and not packet.body


def _has_ranges(packet: Packet) -> bool:
    body = packet.body
    if not 0 < packet.count <= RANGES_MAX or len(body) != packet.count * _RANGE.size:
        return False
    packet.body = b""
    packet.ranges = list(_RANGE.iter_unpack(body))
    return all(first > 0 and many > 0 for first, many in packet.ranges)
