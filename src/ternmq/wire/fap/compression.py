"""Compression of what segments carry: algorithms, and the form of a compressed body.

Known of IBM MQ: the flags HDRCOMP and MSGCOMP in the header of a segment, the algorithms' names and
numbers, and that SYSTEM is an exclusive or with the header of the message before, with run-length
encoding behind it. How run lengths are written and where lengths stand is not published. All that
follows is a guess of ours, and this file alone has it:

    a compressed body      at  0  compression of the head u8, of the data u8, reserved u16
                               4  bytes of the head u32, plain; all numbers are big endian
                               8  bytes of the head u32, as they are here
                              12  bytes of the data u32, plain
                              16  the head, then the data, compressed apart
    the head               of a message channel the MQXQH with the MQMD; of a client's segment its
                           first 512 bytes
    SYSTEM                 the head, exclusive or that of the last head that was sent this way in
                           the same direction on the same connection (zeros at first), as RLE
    RLE                    groups: u16 with the high bit 0, 1 to 32767 bytes as they are; or with
                           the high bit 1, how often the one byte behind it stands there
    ZLIBFAST, ZLIBHIGH     a zlib stream, level 1 and level 9
    LZ4FAST, LZ4HIGH       an LZ4 block without its size; only where the package lz4 is installed

A body that compression does not make shorter goes as it is, without a flag.

Validity: a known algorithm that was agreed, no reserved bits, no more plain bytes than the reader
allows, which is checked before anything is expanded; and exactly as many as the body says. Anything
else is SegmentError.
"""

from __future__ import annotations

import re
import struct
import zlib
from typing import Any, Final, final

from ternmq.base import constants as mq
from ternmq.base.indicator import Indicator
from ternmq.ports.clock import Clock
from ternmq.wire.fap.compression_lists import HEADER_KINDS, MESSAGE_KINDS, NAMES
from ternmq.wire.fap.segment import SegmentError
from ternmq.wire.fap.vocabulary import (
    HEADER_COMPRESSED,
    MESSAGE_COMPRESSED,
    MESSAGE_LENGTH_ERROR,
    PROTOCOL_INVALID_DATA,
)

try:
    import lz4.block as _found

    _lz4: Any = _found
except ImportError:  # an optional package: without it LZ4 is not offered
    _lz4 = None

CLIENT_HEAD_BYTES: Final = 512
BYTES_WORTH: Final = 64  # a body that is shorter is not compressed
_FORM: Final = struct.Struct(">BBHIII")
_COUNT: Final = struct.Struct(">H")
_REPEATED: Final = 0x8000
_COUNT_MAX: Final = 0x7FFF
_RUN: Final = re.compile(rb"(.)\1{7,}", re.DOTALL)  # a shorter run costs more than it saves
_FAST: Final = 1
_HIGH: Final = 9
_LZ4_RATIO_MAX: Final = 256  # no block expands to more
_LZ4_KINDS: Final = (mq.MQCOMPRESS_LZ4FAST, mq.MQCOMPRESS_LZ4HIGH)
_ZLIB_KINDS: Final = (mq.MQCOMPRESS_ZLIBFAST, mq.MQCOMPRESS_ZLIBHIGH)


def available_messages() -> list[int]:
    """The algorithms for messages that can be used here."""
    return [one for one in MESSAGE_KINDS if _lz4 is not None or one not in _LZ4_KINDS]


def available_headers() -> list[int]:
    """The same for headers."""
    return list(HEADER_KINDS)


def compress(kind: int, data: bytes) -> bytes:
    """Data by an algorithm for messages."""
    if kind == mq.MQCOMPRESS_RLE:
        return _run_lengths(data)
    if kind in _ZLIB_KINDS:
        return zlib.compress(data, _FAST if kind == mq.MQCOMPRESS_ZLIBFAST else _HIGH)
    if kind in _LZ4_KINDS and _lz4 is not None:
        mode = "fast" if kind == mq.MQCOMPRESS_LZ4FAST else "high_compression"
        made: bytes = _lz4.compress(data, mode=mode, store_size=False)
        return made
    raise ValueError(f"compression {NAMES.get(kind, str(kind))} is not available here")


def expand(kind: int, data: bytes, bytes_max: int) -> bytes:
    """What was compressed; SegmentError if it is invalid, or would be more than `bytes_max`."""
    if kind == mq.MQCOMPRESS_RLE:
        return _from_run_lengths(data, bytes_max)
    if kind in _ZLIB_KINDS:
        return _from_zlib(data, bytes_max)
    if kind in _LZ4_KINDS and _lz4 is not None:
        return _from_lz4(data, bytes_max)
    raise _invalid(f"compression {kind} is not available here")


def _invalid(text: str) -> SegmentError:
    return SegmentError(f"compressed data: {text}", PROTOCOL_INVALID_DATA)


def _too_long(bytes_max: int) -> SegmentError:
    text = f"compressed data: they expand to more than {bytes_max} bytes"
    return SegmentError(text, MESSAGE_LENGTH_ERROR)


# ---- the algorithms


def _run_lengths(data: bytes) -> bytes:
    parts: list[bytes] = []
    at = 0
    for run in _RUN.finditer(data):
        _add_plain(parts, data, at, run.start())
        one = data[run.start() : run.start() + 1]
        left = run.end() - run.start()
        while left:
            count = min(left, _COUNT_MAX)
            parts.append(_COUNT.pack(_REPEATED | count))
            parts.append(one)
            left -= count
        at = run.end()
    _add_plain(parts, data, at, len(data))
    return b"".join(parts)


def _add_plain(parts: list[bytes], data: bytes, at: int, end: int) -> None:
    while at < end:
        count = min(end - at, _COUNT_MAX)
        parts.append(_COUNT.pack(count))
        parts.append(data[at : at + count])
        at += count


def _from_run_lengths(data: bytes, bytes_max: int) -> bytes:
    parts: list[bytes] = []
    total = 0
    at = 0
    end = len(data)
    while at < end:
        if at + 3 > end:
            raise _invalid("a group of run lengths is cut off")
        count = data[at] << 8 | data[at + 1]
        at += 2
        is_run = count & _REPEATED != 0
        count &= _COUNT_MAX
        total += count
        if count == 0:
            raise _invalid("a group of run lengths is empty")
        if total > bytes_max:
            raise _too_long(bytes_max)
        if is_run:
            parts.append(data[at : at + 1] * count)
            at += 1
        else:
            if at + count > end:
                raise _invalid("a group of run lengths is cut off")
            parts.append(data[at : at + count])
            at += count
    return b"".join(parts)


def _from_zlib(data: bytes, bytes_max: int) -> bytes:
    reader = zlib.decompressobj()
    try:
        found = reader.decompress(data, bytes_max + 1)
    except zlib.error as error:
        raise _invalid(str(error)) from error
    if len(found) > bytes_max:
        raise _too_long(bytes_max)
    if not reader.eof or reader.unused_data:
        raise _invalid("a zlib stream is cut off, or something follows it")
    return found


def _from_lz4(data: bytes, bytes_max: int) -> bytes:
    room = min(bytes_max, len(data) * _LZ4_RATIO_MAX)  # memory for what it can be, not more
    try:
        found: bytes = _lz4.decompress(data, uncompressed_size=room)
    except _lz4.LZ4BlockError as error:
        raise _invalid(f"an LZ4 block is invalid, or expands to more than {bytes_max}") from error
    return found


# ---- bodies


@final
class Packer:
    """Compresses what one end of one connection sends. It keeps the last head for SYSTEM, so what
    it packed must be sent, in that order."""

    def __init__(self, header_kind: int, message_kind: int, clock: Clock | None = None) -> None:
        self.header_kind: Final = header_kind
        self.message_kind: Final = message_kind
        self.last_header_kind = mq.MQCOMPRESS_NONE  # of the last message, for DISPLAY CHSTATUS
        self.last_message_kind = mq.MQCOMPRESS_NONE
        self.rates = Rates()
        self._clock = clock
        self._last_head = b""

    def pack(self, body: bytes, head_bytes: int) -> tuple[bytes, int]:
        """The body as it is sent, and the flags of its segments: 0 if it goes as it is."""
        return self.pack_with(body, head_bytes, self.header_kind, self.message_kind)

    def pack_with(
        self, body: bytes, head_bytes: int, header_kind: int, message_kind: int
    ) -> tuple[bytes, int]:
        """The same with algorithms for this message alone, as a message exit may choose them."""
        self.last_header_kind = mq.MQCOMPRESS_NONE
        self.last_message_kind = mq.MQCOMPRESS_NONE
        if header_kind == mq.MQCOMPRESS_NONE and message_kind == mq.MQCOMPRESS_NONE:
            return body, 0
        if len(body) < BYTES_WORTH:
            return body, 0
        clock = self._clock
        began_ns = 0 if clock is None else clock.monotonic_ns()
        head = body[:head_bytes]
        data = body[head_bytes:]
        packed_head = head
        if header_kind != mq.MQCOMPRESS_NONE:
            packed_head = _run_lengths(_different(head, self._last_head))
            if len(packed_head) >= len(head):
                packed_head, header_kind = head, mq.MQCOMPRESS_NONE
        packed_data = data
        if message_kind != mq.MQCOMPRESS_NONE and len(data) >= BYTES_WORTH:
            packed_data = compress(message_kind, data)
        if len(packed_data) >= len(data):
            packed_data, message_kind = data, mq.MQCOMPRESS_NONE
        spent_ns = 0 if clock is None else clock.monotonic_ns() - began_ns
        size = _FORM.size + len(packed_head) + len(packed_data)
        if size >= len(body):
            self.rates.add(len(body), len(body), spent_ns)
            return body, 0
        self.rates.add(len(body), size, spent_ns)
        flags = 0
        if header_kind != mq.MQCOMPRESS_NONE:
            flags |= HEADER_COMPRESSED
            self._last_head = head
        if message_kind != mq.MQCOMPRESS_NONE:
            flags |= MESSAGE_COMPRESSED
        self.last_header_kind = header_kind
        self.last_message_kind = message_kind
        start = _FORM.pack(header_kind, message_kind, 0, len(head), len(packed_head), len(data))
        return b"".join((start, packed_head, packed_data)), flags


@final
class Expander:
    """Expands what the other end sends; it may use all that was agreed, not only the first."""

    def __init__(
        self, header_kinds: list[int], message_kinds: list[int], clock: Clock | None = None
    ) -> None:
        self._header_kinds: Final = header_kinds
        self._message_kinds: Final = message_kinds
        self.header_kind: Final = header_kinds[0]
        self.message_kind: Final = message_kinds[0]
        self.last_header_kind = mq.MQCOMPRESS_NONE
        self.last_message_kind = mq.MQCOMPRESS_NONE
        self.rates = Rates()
        self._clock = clock
        self._last_head = b""

    def expand(self, body: bytes, flags: int, bytes_max: int) -> bytes:
        """A body as it was before, at most `bytes_max` long. `flags` are its segments'."""
        flags &= HEADER_COMPRESSED | MESSAGE_COMPRESSED
        if not flags:
            self.last_header_kind = mq.MQCOMPRESS_NONE
            self.last_message_kind = mq.MQCOMPRESS_NONE
            return body
        clock = self._clock
        began_ns = 0 if clock is None else clock.monotonic_ns()
        if len(body) < _FORM.size:
            raise _invalid(f"a body of {len(body)} bytes")
        header_kind, message_kind, reserved, plain_head, packed_head, plain_data = (
            _FORM.unpack_from(body)
        )
        self._check(header_kind, message_kind, reserved, flags)
        data_at = _FORM.size + packed_head
        if data_at > len(body):
            raise _invalid("the head is longer than the body")
        if plain_head + plain_data > bytes_max:
            raise _too_long(bytes_max)
        head = body[_FORM.size : data_at]
        if flags & HEADER_COMPRESSED:
            found = _from_run_lengths(head, plain_head)
            head = _different(found, self._last_head)
        data = body[data_at:]
        if flags & MESSAGE_COMPRESSED:
            data = expand(message_kind, data, plain_data)
        if len(head) != plain_head or len(data) != plain_data:
            raise _invalid("fewer bytes than the body says")
        if flags & HEADER_COMPRESSED:
            self._last_head = head
        spent_ns = 0 if clock is None else clock.monotonic_ns() - began_ns
        self.rates.add(len(head) + len(data), len(body), spent_ns)
        self.last_header_kind = header_kind
        self.last_message_kind = message_kind
        return head + data

    def _check(self, header_kind: int, message_kind: int, reserved: int, flags: int) -> None:
        has_header = flags & HEADER_COMPRESSED != 0
        has_message = flags & MESSAGE_COMPRESSED != 0
        if has_header and header_kind not in self._header_kinds:
            raise _invalid(f"header compression {header_kind} was not agreed")
        if has_message and message_kind not in self._message_kinds:
            raise _invalid(f"message compression {message_kind} was not agreed")
        is_right = has_header == (header_kind != mq.MQCOMPRESS_NONE)
        is_right = is_right and has_message == (message_kind != mq.MQCOMPRESS_NONE)
        if not is_right or reserved:
            raise _invalid(f"{header_kind}, {message_kind}, {reserved} with the flags {flags}")


def _different(one: bytes, other: bytes) -> bytes:
    """Exclusive or; where the other is shorter, with zeros."""
    size = len(one)
    number = int.from_bytes(one, "big") ^ int.from_bytes(other[:size].ljust(size, b"\0"), "big")
    return number.to_bytes(size, "big")


@final
class Rates:
    """COMPRATE and COMPTIME: of recent messages and of more, as averages that fade."""

    def __init__(self) -> None:
        self.messages = 0
        self.plain_bytes = 0
        self.sent_bytes = 0
        self._rate = Indicator()  # hundredths of a per cent
        self._time = Indicator()  # nanoseconds

    def add(self, plain_bytes: int, sent_bytes: int, spent_ns: int) -> None:
        """One message."""
        self.messages += 1
        self.plain_bytes += plain_bytes
        self.sent_bytes += sent_bytes
        saved = max(plain_bytes - sent_bytes, 0)
        self._rate.add(saved * 10_000 // max(plain_bytes, 1))
        self._time.add(spent_ns)

    def rate_percent(self) -> tuple[int, int]:
        """How much shorter, in per cent, recently and in the longer run."""
        return int(self._rate.short) // 100, int(self._rate.long) // 100

    def time_us(self) -> tuple[int, int]:
        """Microseconds a message."""
        return int(self._time.short) // 1000, int(self._time.long) // 1000
