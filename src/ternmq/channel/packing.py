"""A message between its form on a queue and its form in MESSAGE_DATA: the place of compression.

Nothing is compressed here: what one end sends plain the other takes, whatever was agreed.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.wire.fap.segment import SegmentError
from ternmq.wire.fap.vocabulary import (
    HEADER_COMPRESSED,
    MESSAGE_COMPRESSED,
    PROTOCOL_INVALID_DATA,
)

_COMPRESSED: Final = HEADER_COMPRESSED | MESSAGE_COMPRESSED


@final
class Packer:
    """Compresses the messages of one channel."""

    def __init__(self, header_kind: int, message_kind: int) -> None:
        self.header_kind: Final = header_kind
        self.message_kind: Final = message_kind

    def pack(self, message: bytes, head_bytes: int) -> tuple[bytes, int]:
        """The bytes to send, and flags 2 of their segments."""
        return message, 0


@final
class Expander:
    """Expands them."""

    def __init__(self, header_kinds: list[int], message_kinds: list[int]) -> None:
        self.header_kinds: Final = header_kinds
        self.message_kinds: Final = message_kinds

    def expand(self, data: bytes, flags: int, bytes_max: i64) -> bytes:
        """The message; SegmentError if it cannot be that, or is longer than allowed."""
        if flags & _COMPRESSED:
            raise SegmentError("compressed data cannot be read here", PROTOCOL_INVALID_DATA)
        return data
