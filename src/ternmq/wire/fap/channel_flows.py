"""Flows of message channels: their bodies and flags, and every guess about them.

    MESSAGE_DATA   one message, or a piece of one, behind an MSH:
                   at 0 "MSH ", 4 sequence number i32, 8 bytes of data here i32, 12 number of the
                   piece i32, 16 bytes of data of all pieces i32, 20 data: MQXQH and what follows
    STATUS_DATA    no body, flags say it: CONFIRM_REQUEST the batch is to be committed;
                   REQUEST_ACCEPTED it is, or the number of RESET_DATA was taken; CLOSE_CHANNEL the
                   sender ends the channel. With ERROR: length i32, code i32, and a value if the
                   length has room for it
    RESYNC_DATA    length i32, sequence number i32, LUWID 8 bytes: what was sent last; the answer
                   has what was committed last
    RESET_DATA     length i32, the number i32 that the next message has
    PING_DATA      length i32, data; comes back as it is
    SECURITY_DATA  what security exits say to each other; empty: the exit has nothing to say
    HEARTBEAT      no body; CONFIRM_REQUEST wants one back

IBM publishes none of this, and no capture of a real pair was at hand. Layouts of MSH, RESET_DATA,
PING_DATA and STATUS_DATA, LUWID, types and flags are from public sources. These are guesses:

 1. a batch ends with STATUS_DATA, CONFIRM_REQUEST, always (CONFIRM_REQUEST on the last piece of a
    message is understood); the answer is STATUS_DATA, REQUEST_ACCEPTED, with the same LUWID, and
    DLQ_USED if a message of the batch went to a dead-letter queue;
 2. every start begins with RESYNC_DATA from the sender, in doubt or not, with CONFIRM_REQUEST and
    the LUWID of its body in the header; the answer has the body's LUWID in the header too;
 3. the layout of RESYNC_DATA;
 4. RESET_DATA has CONFIRM_REQUEST and is answered; it comes after RESYNC_DATA, which then decides
    only about a batch in doubt;
 5. every piece of a message has an MSH; the word at 12 counts pieces from 0, the word at 16 is the
    same in all of them; segments are no longer than was agreed, header included;
 6. the length of PING_DATA counts itself; data that fits no segment goes in several, each of which
    comes back before the next is sent;
 7. a message outside syncpoint (nonpersistent by the MQMD in its MQXQH, and fast messages agreed)
    has the number of the last message under syncpoint and takes none;
 8. DUAL_UOW says that an end pipelines: a second batch may come before the first is answered;
 9. a receiver that wants to stop sets REQUEST_CLOSE in what it sends next; without heartbeats it
    sends a STATUS_DATA for it. The sender ends the batch, then the channel;
10. a sender that a requester has called accepts the initial data, then sends STATUS_DATA with
    CLOSE_CHANNEL and REQUEST_ACCEPTED, closes and calls back;
11. a receiver that is busy for longer than the heartbeat interval sends HEARTBEAT by itself;
12. REQUEST_SECURITY of the initiator says that it has a security exit. Then both ends take turns
    in SECURITY_DATA, the acceptor first, until both have sent an empty one in a row; on a client's
    channel each conversation does so, before USERID_DATA;
13. a message is compressed before it is split, and its MSH counts compressed bytes; HDRCOMP and
    MSGCOMP are on every piece;
14. the length of a message on a channel (MAXMSGL) does not count MQXQH.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.codec.mqi.layout import LITTLE
from ternmq.wire.fap.part import Data, Fixed, Part, eye, i32, raw
from ternmq.wire.fap.segment import (
    ENCODING_LITTLE,
    TSH_BYTES,
    Header,
    Segment,
    SegmentError,
    segment,
)
from ternmq.wire.fap.segment_number import i32 as read_i32
from ternmq.wire.fap.vocabulary import (
    CLOSE_CHANNEL,
    CONFIRM_REQUEST,
    ERROR,
    FIRST,
    LAST,
    MESSAGE_DATA,
    PING_DATA,
    PROTOCOL_LENGTH_ERROR,
    PROTOCOL_MSH_ERROR,
    REQUEST_ACCEPTED,
    RESET_DATA,
    RESYNC_DATA,
    SECURITY_DATA,
    STATUS_DATA,
    type_name,
)

CHANNEL_FLOWS: Final[dict[int, list[Part]]] = {
    RESYNC_DATA: [Fixed(i32("length", 16), i32("sequence"), raw("luwid", 8))],
    RESET_DATA: [Fixed(i32("length", 8), i32("sequence"))],
    MESSAGE_DATA: [
        Fixed(eye("MSH "), i32("sequence"), i32("data_length"), i32("piece"), i32("total")),
        Data("data", "data_length"),
    ],
    SECURITY_DATA: [],  # opaque: exits talk to each other
    PING_DATA: [Fixed(i32("length"))],
}

MSH_BYTES: Final = 20
_EYE_ASCII: Final = b"MSH "
_EYE_EBCDIC: Final = b"\xd4\xe2\xc8\x40"
_MSH: Final = struct.Struct("<4siiii")
_RESYNC: Final = struct.Struct("<ii8s")
_TWO: Final = struct.Struct("<ii")
_THREE: Final = struct.Struct("<iii")
_ONE: Final = struct.Struct("<i")
_LENGTH: Final = struct.Struct(">I")
_LAST_WORD: Final = ERROR | CLOSE_CHANNEL


@final
class Piece:
    """What one MESSAGE_DATA segment says."""

    def __init__(self, sequence: int, number: int, total: i64, segment: bytes, at: i64) -> None:
        self.sequence: Final = sequence
        self.number: Final = number
        self.total: Final = total
        self.size: Final[i64] = len(segment) - at
        self._segment: Final = segment
        self._at: Final = at

    def before(self, count: i64) -> bytes:
        """The first bytes of its part of the message."""
        return self._segment[self._at : self._at + count]

    def after(self, count: i64) -> bytes:
        """The others."""
        return self._segment[self._at + count :]

    def view_after(self, count: i64) -> memoryview:
        """The same, not copied."""
        return memoryview(self._segment)[self._at + count :]


@final
class Synchronized:
    """What RESYNC_DATA says."""

    def __init__(self, sequence: int, luwid: bytes) -> None:
        self.sequence: Final = sequence
        self.luwid: Final = luwid


@final
class Status:
    """What STATUS_DATA says beside its flags."""

    def __init__(self, code: int, value: int) -> None:
        self.code: Final = code
        self.value: Final = value


@final
class ChannelWriter:
    """Writes the segments of one end, in this machine's byte order."""

    def __init__(self, ccsid: int) -> None:
        self._ccsid: Final = ccsid
        # All of a header of MESSAGE_DATA but length, flags and LUWID.
        self._head: Final = struct.Struct("<4s4sBBBB8siHH4siiii")

    def plain(self, type: int, flags: int, luwid: bytes, body: bytes = b"") -> bytes:
        """A segment of any type."""
        header = Header(
            type, order=LITTLE, flags_1=flags, luwid=luwid, encoding=ENCODING_LITTLE,
            ccsid=self._ccsid,
        )  # fmt: skip
        return segment(header, body)

    def confirm(self, luwid: bytes) -> bytes:
        """The batch is complete: commit it and answer."""
        return self.plain(STATUS_DATA, CONFIRM_REQUEST, luwid)

    def accepted(self, luwid: bytes, flags: int = 0) -> bytes:
        """The batch is committed, or what was asked for is done."""
        return self.plain(STATUS_DATA, REQUEST_ACCEPTED | flags, luwid)

    def failure(self, code: int, value: int | None, luwid: bytes) -> bytes:
        """The last word: why the channel ends."""
        body = _TWO.pack(8, code) if value is None else _THREE.pack(12, code, value)
        return self.plain(STATUS_DATA, _LAST_WORD, luwid, body)

    def resync(self, flags: int, sequence: int, luwid: bytes) -> bytes:
        """What was sent, or committed, last."""
        return self.plain(RESYNC_DATA, flags, luwid, _RESYNC.pack(16, sequence, luwid))

    def reset(self, sequence: int) -> bytes:
        """The next message has this number."""
        return self.plain(RESET_DATA, CONFIRM_REQUEST, bytes(8), _TWO.pack(8, sequence))

    def ping(self, flags: int, data: bytes) -> bytes:
        """Data that comes back."""
        return self.plain(PING_DATA, flags, bytes(8), _ONE.pack(4 + len(data)) + data)

    def pieces(
        self, message: bytes, sequence: int, luwid: bytes, flags_2: int, segment_bytes_max: i64
    ) -> list[bytes]:
        """The segments of one message."""
        parts = self.parts(message, sequence, luwid, flags_2, segment_bytes_max)
        return [b"".join(parts[at : at + 2]) for at in range(0, len(parts), 2)]

    def parts(
        self, message: bytes, sequence: int, luwid: bytes, flags_2: int, segment_bytes_max: i64
    ) -> list[bytes | memoryview]:
        """The same, each as a header and the bytes of the message that belong to it, which are not
        copied."""
        room: i64 = segment_bytes_max - TSH_BYTES - MSH_BYTES
        total: i64 = len(message)
        made: list[bytes | memoryview] = []
        view = memoryview(message)
        number: i64 = 0
        at: i64 = 0
        while True:
            size: i64 = room if total - at > room else total - at
            flags = FIRST if at == 0 else 0
            if at + size == total:
                flags |= LAST
            length: i64 = TSH_BYTES + MSH_BYTES + size
            head = self._head.pack(
                b"TSH ", _LENGTH.pack(length), 2, MESSAGE_DATA, flags, flags_2, luwid,
                ENCODING_LITTLE, self._ccsid, 0, _EYE_ASCII, sequence, size, number, total,
            )  # fmt: skip
            made.append(head)
            made.append(message if size == total else view[at : at + size])
            number += 1
            at += size
            if at == total:
                return made


def read_piece(one: Segment) -> Piece:
    """The MSH of a segment and its data."""
    data = one.data
    at: i64 = one.body_at
    end: i64 = len(data)
    if end - at < MSH_BYTES:
        raise SegmentError(f"MESSAGE_DATA: {end - at} bytes hold no MSH", PROTOCOL_MSH_ERROR)
    eye_catcher = data[at : at + 4]
    if eye_catcher != _EYE_ASCII and eye_catcher != _EYE_EBCDIC:
        text = f"MESSAGE_DATA: '{eye_catcher.hex()}' is not the eye-catcher of an MSH"
        raise SegmentError(text, PROTOCOL_MSH_ERROR)
    is_little = one.header.order == LITTLE
    sequence = read_i32(data, at + 4, is_little)
    size = read_i32(data, at + 8, is_little)
    number = read_i32(data, at + 12, is_little)
    total = read_i32(data, at + 16, is_little)
    if size != end - at - MSH_BYTES or size > total:
        text = f"MESSAGE_DATA: {size} bytes of {total}, {end - at - MSH_BYTES} are present"
        raise SegmentError(text, PROTOCOL_MSH_ERROR)
    return Piece(sequence, number, total, data, at + MSH_BYTES)


def _body(one: Segment, size: int) -> int:
    if one.body_bytes < size:
        text = f"{type_name(one.header.type)}: {one.body_bytes} bytes, {size} are needed"
        raise SegmentError(text, PROTOCOL_LENGTH_ERROR)
    return one.body_at


def read_resync(one: Segment) -> Synchronized:
    """The body of RESYNC_DATA."""
    at = _body(one, _RESYNC.size)
    is_little = one.header.order == LITTLE
    return Synchronized(read_i32(one.data, at + 4, is_little), one.data[at + 8 : at + 16])


def read_reset(one: Segment) -> int:
    """The body of RESET_DATA."""
    at = _body(one, _TWO.size)
    return read_i32(one.data, at + 4, one.header.order == LITTLE)


def read_ping(one: Segment) -> bytes:
    """The data of PING_DATA."""
    return one.data[_body(one, _ONE.size) + _ONE.size :]


def read_status(one: Segment) -> Status:
    """The body of STATUS_DATA; without one all is well."""
    if not one.body_bytes:
        return Status(0, 0)
    at = _body(one, _TWO.size)
    is_little = one.header.order == LITTLE
    has_value = read_i32(one.data, at, is_little) >= 12 and one.body_bytes >= _THREE.size
    value = read_i32(one.data, at + 8, is_little) if has_value else 0
    return Status(read_i32(one.data, at + 4, is_little), value)
