"""From bytes to whole calls and back: the reader of segments, splitting, putting together.

A call that is longer than the negotiated segment size is sent in several segments: the first has
FIRST, the last LAST, one alone both. Only the first has the header of the call and the structures;
the others continue its bytes, and a cut may fall anywhere. ASYNC_MESSAGE differs: each further
segment begins with the first 24 bytes of its own head (version, handle, index of the message twice,
bytes of data here, number of the segment u16, selection u16), then data.

The size counts the header (IBM's Java client fills segments so); reading allows for partners that
do not count it. That all segments of a call have the same ids, and that segments of other calls
may come between them, is a guess. No I/O here.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, final

from ternmq.base.errors import LocalProtocolError
from ternmq.codec.mqi.layout import LITTLE
from ternmq.wire.fap.segment import (
    BYTES_MIN,
    TSHM_BYTES,
    Header,
    Segment,
    SegmentError,
    read_segment,
    segment_length,
    segment_variant,
)
from ternmq.wire.fap.vocabulary import (
    ASYNC_MESSAGE,
    FIRST,
    FIRST_AND_LAST,
    LAST,
    MESSAGE_LENGTH_ERROR,
    MQPUT,
    MQPUT1,
    PROTOCOL_SEGMENT_ERROR,
    can_split,
    type_name,
)

ASYNC_HEAD_BYTES: Final = 24
# What is read at once: of a partner that says little, and of one that says much.
ROOM_BYTES_MIN: Final = 4096
ROOM_BYTES_MAX: Final = 262_144
_ASYNC_BIG: Final = struct.Struct(">iiiiiHH")
_ASYNC_LITTLE: Final = struct.Struct("<iiiiiHH")
_ASYNC_DATA_BYTES_AT: Final = 16
_BIG_LONG: Final = struct.Struct(">i")
_LITTLE_LONG: Final = struct.Struct("<i")


def bytes_allowed(segment_bytes_max: int) -> int:
    """How long a segment may come, given the negotiated size: with a header if it counts none."""
    return segment_bytes_max + TSHM_BYTES


@final
class SegmentReader:
    """Takes bytes as they come and gives whole segments.

    It keeps no more than it was fed: a length that is too large is refused when it is read, before
    anything is kept for it. A socket that can read into memory of its owner is given `room`, which
    grows while reads fill it, and shrinks again.
    """

    def __init__(self, bytes_max: int) -> None:
        self._buffer = bytearray()
        self._at = 0  # the bytes before it were given out
        self._end = 0  # room begins here
        self._bytes_max = bytes_max
        self._room_bytes = ROOM_BYTES_MIN

    def allow(self, bytes_max: int) -> None:
        """From now on a segment may have that many bytes."""
        self._bytes_max = bytes_max

    def feed(self, data: bytes) -> None:
        """More bytes."""
        if self._end < len(self._buffer):
            del self._buffer[self._end :]
        if self._at:
            del self._buffer[: self._at]
            self._at = 0
        self._buffer += data
        self._end = len(self._buffer)

    def room(self) -> memoryview:
        """Where the next bytes may be read to; `filled` says how many came. It is to be let go
        before this is called again."""
        buffer = self._buffer
        kept = self._end - self._at
        if self._at:
            if kept:
                buffer[:kept] = buffer[self._at : self._end]
            self._at = 0
            self._end = kept
        size = kept + self._room_bytes
        if len(buffer) < size:
            buffer += bytes(size - len(buffer))
        elif not kept and len(buffer) > size:
            buffer = bytearray(size)
            self._buffer = buffer
        return memoryview(buffer)[kept:size]

    def filled(self, count: int) -> None:
        """So many bytes were read into the room."""
        self._end += count
        if count >= self._room_bytes:
            self._room_bytes = min(self._room_bytes * 4, ROOM_BYTES_MAX)
        elif count < ROOM_BYTES_MIN:
            self._room_bytes = ROOM_BYTES_MIN

    def newest(self, count: int) -> bytes:
        """So many bytes that came last."""
        return bytes(self._buffer[self._end - count : self._end])

    @property
    def kept_bytes(self) -> int:
        """Bytes of a segment that has not come whole."""
        return self._end - self._at

    @property
    def missing(self) -> int:
        """How many bytes the next segment lacks, as far as that is known."""
        have = self._end - self._at
        if have < BYTES_MIN:
            return BYTES_MIN - have
        return max(self._length() - have, 0)

    def next(self) -> Segment | None:
        """The next segment; None if it has not come whole."""
        data = self.next_bytes()
        return None if data is None else read_segment(data)

    def next_bytes(self) -> bytes | None:
        """The bytes of the next segment, whose eye-catcher and length were looked at: a send exit
        may have changed what is behind them."""
        have = self._end - self._at
        if have < BYTES_MIN:
            if have >= 4:
                segment_variant(self._buffer, self._at)  # an unknown eye-catcher is refused
            return None
        length = self._length()
        if have < length:
            return None
        with memoryview(self._buffer) as view:
            data = bytes(view[self._at : self._at + length])
        self._at += length
        return data

    def _length(self) -> int:
        variant = segment_variant(self._buffer, self._at)
        return segment_length(self._buffer, self._at, variant, self._bytes_max)


@final
class Assembler:
    """Puts the segments of a call together, for any number of conversations on one socket."""

    def __init__(self, call_bytes_max: int, calls_max: int) -> None:
        self._call_bytes_max = call_bytes_max
        self._calls_max = calls_max
        self._drains = False
        self._open: dict[tuple[int, int, int], _Pieces] = {}

    def allow(self, call_bytes_max: int) -> None:
        """From now on a call may have that many bytes; a put that has more is read to its end, and
        only its first segment is kept, so that it can be refused."""
        self._call_bytes_max = call_bytes_max
        self._drains = True

    @property
    def kept_bytes(self) -> int:
        """Bytes of calls that have not come whole."""
        return sum(pieces.size for pieces in self._open.values())

    def add(self, one: Segment) -> Segment | None:
        """The call that this segment completes, as if it had come in one; None if there is more."""
        header = one.header
        if not can_split(header.type):
            return one
        key = (header.conversation, header.request, header.type)
        pieces = self._open.get(key)
        if header.is_first:
            if pieces is not None:
                raise _wrong(header, "FIRST, and the call before is not complete")
            if header.is_last:
                return one
            if len(self._open) >= self._calls_max:
                raise _wrong(header, f"{self._calls_max} calls are not complete")
            pieces = _Pieces(one)
            self._open[key] = pieces
        elif pieces is None:
            raise _wrong(header, "no FIRST, and there is nothing to go on with")
        else:
            pieces.add(one)
        if pieces.size > self._call_bytes_max:
            if self._drains and header.type in (MQPUT, MQPUT1):
                pieces.cut()
            else:
                self._refuse(header)
        if not header.is_last:
            return None
        del self._open[key]
        return pieces.whole()

    def _refuse(self, header: Header) -> None:
        detail = f"more than the {self._call_bytes_max} bytes that are allowed"
        raise SegmentError(f"{type_name(header.type)}: {detail}", MESSAGE_LENGTH_ERROR)

    def forget(self, conversation: int) -> None:
        """A conversation has ended: drop what came of its calls."""
        for key in [key for key in self._open if key[0] == conversation]:
            del self._open[key]


@final
class _Pieces:
    def __init__(self, first: Segment) -> None:
        self.header: Final = first.header
        self.parts: list[bytes] = [first.body]
        self.size = first.body_bytes
        self.async_head: tuple[int, ...] = ()
        self.async_data_bytes = 0
        self.is_cut = False
        if self.header.type == ASYNC_MESSAGE:
            self.async_head = _async_head(first)
            self.async_data_bytes = self.async_head[4]

    def add(self, one: Segment) -> None:
        header = one.header
        if header.order != self.header.order:
            raise _wrong(header, "a call goes on in another byte order")
        body = self._async_data(one) if self.async_head else one.body
        if not body and not header.is_last:
            # Else a peer could have us keep ever more of nothing.
            raise _wrong(header, "a segment in the middle of a call is empty")
        if not self.is_cut:
            self.parts.append(body)
            self.size += len(body)

    def cut(self) -> None:
        """It is too long: what follows is read and dropped."""
        self.is_cut = True
        del self.parts[1:]
        self.size = len(self.parts[0])

    def _async_data(self, one: Segment) -> bytes:
        head = _async_head(one)
        if head[:4] != self.async_head[:4]:
            raise _wrong(one.header, "another message comes before this one is complete")
        if head[5] != len(self.parts):
            raise _wrong(one.header, f"segment {head[5]} of a message, not {len(self.parts)}")
        data = one.data[one.body_at + ASYNC_HEAD_BYTES :]
        if not 0 <= head[4] <= len(data):
            raise _wrong(one.header, f"{head[4]} bytes of data, {len(data)} are present")
        self.async_data_bytes += head[4]
        return data[: head[4]]

    def whole(self) -> Segment:
        """As if it had come in one segment: in ASYNC_MESSAGE the count is that of all data."""
        header = self.header
        if self.async_head:
            codec = _LITTLE_LONG if header.order == LITTLE else _BIG_LONG
            first = bytearray(self.parts[0])
            codec.pack_into(first, _ASYNC_DATA_BYTES_AT, self.async_data_bytes)
            self.parts[0] = bytes(first)
        header.flags_1 |= FIRST_AND_LAST
        made = Segment(header, b"".join(self.parts), 0)
        made.is_cut = self.is_cut
        return made


def _async_head(one: Segment) -> tuple[int, ...]:
    if one.body_bytes < ASYNC_HEAD_BYTES:
        raise _wrong(one.header, f"{one.body_bytes} bytes, its head has {ASYNC_HEAD_BYTES}")
    codec = _ASYNC_LITTLE if one.header.order == LITTLE else _ASYNC_BIG
    head: tuple[int, ...] = codec.unpack_from(one.data, one.body_at)
    return head


def _wrong(header: Header, detail: str) -> SegmentError:
    return SegmentError(f"{type_name(header.type)}: {detail}", PROTOCOL_SEGMENT_ERROR)


def split(
    header: Header, body: bytes, segment_bytes_max: int, front: bytes = b""
) -> Iterator[bytes]:
    """The segments of a call, none longer than the negotiated size; the header's FIRST and LAST
    are set for each, its other flags stay. What is in `front` comes before the body, which is long:
    so it need not be copied to be put behind."""
    room = segment_bytes_max - header.size
    if len(front) >= room or (front and len(front) + len(body) <= room):
        body = front + body
        front = b""
    if len(body) <= room and not front:
        # Most calls; types that never split keep the flags that they were given.
        if can_split(header.type):
            header.flags_1 |= FIRST_AND_LAST
        yield header.pack(len(body)) + body
        return
    if not can_split(header.type) or room <= ASYNC_HEAD_BYTES:
        detail = f"{len(body)} bytes do not fit segments of {segment_bytes_max}"
        raise LocalProtocolError(f"{type_name(header.type)}: {detail}")
    if header.type == ASYNC_MESSAGE:
        yield from _split_async(header, front, body, room)
        return
    end = len(body)
    view = memoryview(body)
    at = 0
    while at < end:
        size = min(room - len(front), end - at)
        yield _piece(header, front, view[at : at + size], at == 0, at + size == end)
        front = b""
        at += size


def _split_async(header: Header, front: bytes, body: bytes, room: int) -> Iterator[bytes]:
    codec = _ASYNC_LITTLE if header.order == LITTLE else _ASYNC_BIG
    long = _LITTLE_LONG if header.order == LITTLE else _BIG_LONG
    version, handle, index, global_index, data_bytes, _number, selection = codec.unpack_from(
        front or body
    )
    whole = len(front) + len(body)
    data_at = whole - int(data_bytes)
    if not ASYNC_HEAD_BYTES <= data_at <= room:
        raise LocalProtocolError(f"ASYNC_MESSAGE: {data_bytes} bytes of data of {whole}")
    view = memoryview(body)
    at = room - len(front)
    first = bytearray(front)
    first += view[:at]
    long.pack_into(first, _ASYNC_DATA_BYTES_AT, room - data_at)
    yield _piece(header, b"", memoryview(first), True, False)
    number = 1
    while at < len(body):
        size = min(room - ASYNC_HEAD_BYTES, len(body) - at)
        if number > 0xFFFF:
            raise LocalProtocolError("ASYNC_MESSAGE: more than 65536 segments")
        head = codec.pack(version, handle, index, global_index, size, number, selection)
        yield _piece(header, head, view[at : at + size], False, at + size == len(body))
        at += size
        number += 1


def _piece(header: Header, head: bytes, data: memoryview, is_first: bool, is_last: bool) -> bytes:
    header.flags_1 = (header.flags_1 & ~FIRST_AND_LAST) | (FIRST if is_first else 0)
    header.flags_1 |= LAST if is_last else 0
    return b"".join((header.pack(len(head) + len(data)), head, data))
