"""The open block of a stream: messages that became visible and are not in a block yet.

It keeps references to bodies, not copies; `pack` makes a block (`stream_block`) of all of it, when
it is sealed, or of a part, for a reader that is close behind.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from typing import Final, final

from mypy_extensions import i64

from ternmq.base.ids import put_stamp
from ternmq.codec.message_image import pack_header
from ternmq.codec.stream_block_format import HEAD_BYTES, pack_block
from ternmq.values.entry import OWN_DATE, Entry

MESSAGE_BYTES: Final = HEAD_BYTES + 4  # of a message in a block, but for properties and body
_I32: Final = struct.Struct("<i")
_NONE: Final = bytes(4)


@final
class OpenBlock:
    """Messages by rising number."""

    __slots__ = (
        "_base",
        "_end",
        "_front",
        "_middle",
        "_rear",
        "areas",
        "bodies",
        "bytes",
        "count",
        "first",
        "heads",
        "lsn",
        "newest_ns",
        "numbers",
    )

    def __init__(self) -> None:
        self.heads: list[bytes] = []
        self.areas: list[bytes] = []
        self.bodies: list[bytes] = []
        self.numbers: list[int] = []
        self.count: i64 = 0
        self.bytes: i64 = 0  # of heads, properties and bodies
        self.first: i64 = 0
        self.newest_ns: i64 = 0
        self.lsn: i64 = 0  # what a reader of it depends on
        self._base = b""  # a packed descriptor, and what is the same in all that have it
        self._front = b""
        self._middle = b""
        self._rear = b""
        self._end = b""

    def add(self, entry: Entry) -> i64:
        """A message has become visible; returns what it takes."""
        head = pack_header(
            int(entry.number),
            int(entry.sequence),
            int(entry.put_ns),
            int(entry.expiry_at),
            int(entry.length),
            int(entry.priority),
            int(entry.flags),
            int(entry.backout_count),
            0,
            len(entry.properties),
        )
        if entry.visible_lsn > self.lsn:
            self.lsn = entry.visible_lsn
        whole = self._head(head, entry)
        return self.append(entry.sequence, entry.put_ns, whole, entry.properties, entry.data)

    def append(self, number: i64, put_ns: i64, head: bytes, area: bytes, body: bytes) -> i64:
        """The same for a message of which the head is there."""
        size: i64 = len(body) + len(area) + MESSAGE_BYTES
        if self.count == 0:
            self.first = number
        self.heads.append(head)
        self.areas.append(area)
        self.bodies.append(body)
        self.numbers.append(int(number))
        self.count += 1
        self.bytes += size
        if put_ns > self.newest_ns:
            self.newest_ns = put_ns
        return size

    def _head(self, header: bytes, entry: Entry) -> bytes:
        """The header and `entry.packed_descriptor`; what many messages share is cut once."""
        base = entry.base
        if base is not self._base:
            self._base = base
            self._front = base[:48]
            self._middle = base[100:304]
            self._rear = base[320:324]
            self._end = base[348:]
        flags = entry.flags
        backouts = _NONE if entry.backout_count == 0 else _I32.pack(int(entry.backout_count))
        return b"".join(
            (
                header,
                self._front,
                entry.msg_id,
                entry.correl_id,
                backouts,
                self._middle,
                base[304:320] if flags & OWN_DATE else put_stamp(entry.put_ns),
                self._rear,
                entry.group_id,
                self._end,
            )
        )

    def place_of(self, number: int) -> int:
        """The place of the first message whose number is not below `number`."""
        return bisect_left(self.numbers, number)

    def fitting(self, start: int, stop: int, bytes_max: int) -> int:
        """Where a part from `start` has to end before `stop` to be of about so many bytes."""
        size = 0
        at = start
        while at < stop and (size < bytes_max or at == start):
            size += len(self.bodies[at]) + len(self.areas[at]) + HEAD_BYTES
            at += 1
        return at

    def pack(self, queue_id: int, incarnation: int, start: int, stop: int) -> bytes:
        """A block of the messages from place `start` to before `stop`."""
        return pack_block(
            queue_id,
            incarnation,
            self.numbers[start],
            self.numbers[stop - 1],
            int(self.newest_ns),
            self.heads[start:stop],
            self.areas[start:stop],
            self.bodies[start:stop],
        )
