"""Compression of every segment of a client's channel, between its socket and those that use it.

A segment keeps its header, but for its length and the flags; its body is as `compression` has it.
Everything else sees segments as they are without compression.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base.errors import LocalProtocolError
from ternmq.ports.clock import Clock
from ternmq.wire.fap.compression import CLIENT_HEAD_BYTES, Expander, Packer
from ternmq.wire.fap.segment import BYTES_MIN, TSH_BYTES, TSHM, TSHM_BYTES, segment_variant
from ternmq.wire.fap.segment_reader import SegmentReader, bytes_allowed
from ternmq.wire.fap.vocabulary import HEADER_COMPRESSED, MESSAGE_COMPRESSED, SECURITY_DATA

_LENGTH: Final = struct.Struct(">I")
_LENGTH_AT: Final = 4
_TYPE_BEHIND: Final = 19  # bytes from the type to the end of a header
_FLAGS_BEHIND: Final = 17  # bytes from the second flags to the end of a header
_BOTH: Final = HEADER_COMPRESSED | MESSAGE_COMPRESSED


@final
class SegmentCompression:
    """Both directions of one socket."""

    def __init__(
        self,
        header_kinds: list[int],
        message_kinds: list[int],
        segment_bytes_max: int,
        clock: Clock | None = None,
    ) -> None:
        self.packer: Final = Packer(header_kinds[0], message_kinds[0], clock)
        self.expander: Final = Expander(header_kinds, message_kinds, clock)
        self._body_bytes_max: Final = segment_bytes_max
        self._reader: Final = SegmentReader(bytes_allowed(segment_bytes_max))

    def packed(self, data: bytes) -> bytes:
        """Whole segments, as they are sent."""
        parts: list[bytes] = []
        at = 0
        end = len(data)
        while at < end:
            length = _LENGTH.unpack_from(data, at + _LENGTH_AT)[0] if at + BYTES_MIN <= end else 0
            if length < TSH_BYTES or at + length > end:
                raise LocalProtocolError("only whole segments can be compressed")
            parts.append(self._packed_one(data[at : at + length]))
            at += length
        return b"".join(parts)

    def _packed_one(self, one: bytes) -> bytes:
        head_bytes = TSHM_BYTES if segment_variant(one, 0) == TSHM else TSH_BYTES
        if one[head_bytes - _TYPE_BEHIND] == SECURITY_DATA:
            return one  # the partner is not open yet
        body, flags = self.packer.pack(one[head_bytes:], CLIENT_HEAD_BYTES)
        if not flags:
            return one
        flags_at = head_bytes - _FLAGS_BEHIND
        return b"".join(
            (
                one[:_LENGTH_AT],
                _LENGTH.pack(head_bytes + len(body)),
                one[_LENGTH_AT + 4 : flags_at],
                bytes([one[flags_at] | flags]),
                one[flags_at + 1 : head_bytes],
                body,
            )
        )

    def expanded(self, data: bytes) -> bytes:
        """Bytes as they come: the segments that are whole, without compression."""
        self._reader.feed(data)
        parts: list[bytes] = []
        while (one := self._reader.next()) is not None:
            header = one.header
            flags = header.flags_2 & _BOTH
            if not flags:
                parts.append(one.data)
                continue
            body = self.expander.expand(one.data[one.body_at :], flags, self._body_bytes_max)
            header.flags_2 &= ~_BOTH
            parts.append(header.pack(len(body)) + body)
        return b"".join(parts)
