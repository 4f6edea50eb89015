"""A message between its form on a queue and its form in MESSAGE_DATA: the one place of compression.

Compression of headers takes MQXQH, compression of messages what follows it (see the guesses of
`wire.fap.channel_flows`). What does not get shorter is sent as it is.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.channel.transmission_message import HEADER_BYTES
from ternmq.wire.fap.segment import SegmentError
from ternmq.wire.fap.vocabulary import (
    HEADER_COMPRESSED,
    MESSAGE_COMPRESSED,
    PROTOCOL_INVALID_DATA,
)

_LENGTH_BYTES: Final = 4


def _compress(kind: int, data: bytes) -> bytes:
    raise NotImplementedError(f"compression {kind}")


def _expand(kind: int, data: bytes, bytes_max: i64) -> bytes:
    raise NotImplementedError(f"compression {kind}")


@final
class Packed:
    """The bytes of a message for the wire, and flags 2 of its segments."""

    def __init__(self, data: bytes, flags: int) -> None:
        self.data: Final = data
        self.flags: Final = flags


def pack(message: bytes, header_kind: int, message_kind: int) -> Packed:
    """Compress what was agreed on."""
    if header_kind == mq.MQCOMPRESS_NONE and message_kind == mq.MQCOMPRESS_NONE:
        return Packed(message, 0)
    flags = 0
    head = message[:HEADER_BYTES]
    rest = message[HEADER_BYTES:]
    if header_kind != mq.MQCOMPRESS_NONE:
        made = _compress(header_kind, head)
        if len(made) + _LENGTH_BYTES < len(head):
            head = len(made).to_bytes(_LENGTH_BYTES, "little") + made
            flags |= HEADER_COMPRESSED
    if message_kind != mq.MQCOMPRESS_NONE and rest:
        made = _compress(message_kind, rest)
        if len(made) < len(rest):
            rest = made
            flags |= MESSAGE_COMPRESSED
    return Packed(head + rest, flags) if flags else Packed(message, 0)


def unpack(
    data: bytes, flags: int, header_kind: int, message_kind: int, bytes_max: i64, is_little: bool
) -> bytes:
    """The message; SegmentError if it cannot be that, or is longer than allowed without MQXQH."""
    if not flags & (HEADER_COMPRESSED | MESSAGE_COMPRESSED):
        return data
    head = data[:HEADER_BYTES]
    rest = data[HEADER_BYTES:]
    if flags & HEADER_COMPRESSED:
        size = int.from_bytes(data[:_LENGTH_BYTES], "little" if is_little else "big")
        if header_kind == mq.MQCOMPRESS_NONE or size > len(data) - _LENGTH_BYTES:
            raise SegmentError("a compressed header that cannot be", PROTOCOL_INVALID_DATA)
        end = _LENGTH_BYTES + size
        head = _expand(header_kind, data[_LENGTH_BYTES:end], HEADER_BYTES)
        rest = data[end:]
        if len(head) != HEADER_BYTES:
            raise SegmentError(f"a header of {len(head)} bytes", PROTOCOL_INVALID_DATA)
    if flags & MESSAGE_COMPRESSED:
        if message_kind == mq.MQCOMPRESS_NONE:
            raise SegmentError("compression was not agreed on", PROTOCOL_INVALID_DATA)
        rest = _expand(message_kind, rest, bytes_max)
    return head + rest
