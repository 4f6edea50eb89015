"""Messages from their pieces. What a partner announces bounds what is kept, and is never taken as a
size to allocate; what comes is kept only as far as it was announced."""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.wire.fap.channel_flows import Piece, read_piece
from ternmq.wire.fap.segment import Segment, SegmentError
from ternmq.wire.fap.vocabulary import (
    FIRST,
    LAST,
    MESSAGE_LENGTH_ERROR,
    PROTOCOL_MSH_ERROR,
    PROTOCOL_SEGMENT_ERROR,
    SEGMENT_NUMBER_ERROR,
)

# Else a partner could have us keep a segment for each byte.
_PIECE_BYTES_MIN: Final = 256


@final
class Rejoined:
    """One message that has come whole, as it was on the wire."""

    def __init__(self, pieces: list[Piece], flags_2: int) -> None:
        self.sequence: Final = pieces[0].sequence
        self.flags_2: Final = flags_2
        self._pieces: Final = pieces

    def whole(self) -> bytes:
        """All of it."""
        return b"".join([piece.view_after(0) for piece in self._pieces])

    def split(self, count: i64) -> tuple[bytes, bytes]:
        """The first bytes, and those behind them: what is long is copied once."""
        pieces = self._pieces
        first = pieces[0]
        if len(pieces) == 1:
            return first.before(count), first.after(count)
        if first.size < count:
            data = self.whole()
            return data[:count], data[count:]
        views = [first.view_after(count)]
        views += [piece.view_after(0) for piece in pieces[1:]]
        return first.before(count), b"".join(views)


@final
class Rejoiner:
    """Puts the pieces of one message after the other together."""

    def __init__(self, bytes_max: i64) -> None:
        self._bytes_max: Final = bytes_max  # of one message
        self._pieces: list[Piece] = []
        self._kept: i64 = 0
        self._sequence = 0
        self._total: i64 = 0
        self._flags_2 = 0

    @property
    def is_between(self) -> bool:
        """Whether a message has begun that is not whole."""
        return bool(self._pieces)

    def add(self, one: Segment) -> Rejoined | None:
        """The message that this piece completes; None if more must come."""
        piece = read_piece(one)
        header = one.header
        is_last = header.flags_1 & LAST != 0
        if header.flags_1 & FIRST:
            self._check(not self._pieces, "a message begins inside of another")
            self._begin(piece, header.flags_2)
            if is_last and piece.total == piece.size:
                return Rejoined([piece], header.flags_2)
        else:
            self._check(bool(self._pieces), "a message has no beginning")
            self._check(self._is_same(piece, header.flags_2), "a piece of another message")
        if piece.number != len(self._pieces):
            text = f"MESSAGE_DATA: piece {piece.number}, {len(self._pieces)} is next"
            raise SegmentError(text, SEGMENT_NUMBER_ERROR)
        if not is_last:
            self._check(piece.size >= _PIECE_BYTES_MIN, f"a piece of {piece.size} bytes")
        self._kept += piece.size
        if self._kept > self._total or (self._kept == self._total) != is_last:
            text = f"MESSAGE_DATA: {self._kept} bytes of a message of {self._total}"
            raise SegmentError(text, PROTOCOL_MSH_ERROR)
        self._pieces.append(piece)
        if not is_last:
            return None
        pieces = self._pieces
        self._pieces = []
        return Rejoined(pieces, self._flags_2)

    def _begin(self, piece: Piece, flags_2: int) -> None:
        if not 0 < piece.total <= self._bytes_max:
            text = f"MESSAGE_DATA: a message of {piece.total} bytes; {self._bytes_max} are allowed"
            raise SegmentError(text, MESSAGE_LENGTH_ERROR)
        if piece.number:
            text = f"MESSAGE_DATA: piece {piece.number} begins a message"
            raise SegmentError(text, SEGMENT_NUMBER_ERROR)
        self._kept = 0
        self._sequence = piece.sequence
        self._total = piece.total
        self._flags_2 = flags_2

    def _is_same(self, piece: Piece, flags_2: int) -> bool:
        same = piece.sequence == self._sequence and piece.total == self._total
        return same and flags_2 == self._flags_2

    def _check(self, is_so: bool, text: str) -> None:
        if not is_so:
            raise SegmentError(f"MESSAGE_DATA: {text}", PROTOCOL_SEGMENT_ERROR)
