"""Walks a file of SMF records: where each record begins, without looking at what is in it.

The forms and their rules are those of codec/smf_framing. A file is walked in pieces, so that memory
is bounded however long it is. `Walk` is the walker; it can begin anywhere that a walk from the
beginning has come to between two records or blocks (`boundary`).

What a walk cannot use it keeps as a `Fault` with its position: a record that the end of the file
cuts, a segment without its first, bytes after which the start of the next record is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, final

import numpy as np

from ternmq.base.errors import MQError
from ternmq.codec.smf.framing import (
    BDW,
    FIRST,
    LAST,
    NO_RDW,
    RECORD_BYTES_MAX,
    WHOLE,
    WORD,
    bare_length,
    check_bdw,
    check_rdw,
    lost,
)
from ternmq.spark.smf.record_headers import Records

PIECE_BYTES: Final = 8 << 20
SAMPLE_BYTES: Final = RECORD_BYTES_MAX

TRUNCATED: Final = "truncated"
STRAY: Final = "stray segment"
LOST: Final = "lost"

_NEVER: Final = 1 << 62  # where the block of a file without blocks ends

# Bytes of a file: where from, how many; fewer come back only at its end.
ReadAt = Callable[[int, int], bytes]


class Fault(NamedTuple):
    """A part of a file that is not a record."""

    position: int
    length: int
    reason: str
    detail: str
    data: bytes


class Piece(NamedTuple):
    """Part of a file: its records, and the parts that are not."""

    records: Records
    faults: list[Fault]


@final
class Walk:
    """Steps over the records of a file from `start` to `end`."""

    def __init__(
        self,
        read_at: ReadAt,
        form: str,
        start: int,
        end: int,
        *,
        piece_bytes: int = PIECE_BYTES,
        is_growing: bool = False,
    ) -> None:
        self._read_at: Final = read_at
        self._form: Final = form
        self._end: Final = end
        self._piece_bytes: Final = max(piece_bytes, 2 * RECORD_BYTES_MAX)
        # The last record of a file that is still being written is not cut, but not there yet.
        self._is_growing: Final = is_growing
        self.mark = start  # everything before it has been walked
        self.boundary = start  # the last place at which a walk can begin: here, or at a block
        self.is_lost = False
        self._block_end = start if form == BDW else _NEVER
        self._at: list[int] = []
        self._length: list[int] = []
        self._position: list[int] = []
        self._joined: list[bytes] = []
        self._joined_bytes = 0
        self._faults: list[Fault] = []
        self._parts: list[bytes] = []  # of a record in segments
        self._parts_bytes = 0
        self._first = start  # where they begin

    def pieces(self) -> Iterator[Piece]:
        """Piece after piece, up to the end or to where nothing makes sense any more."""
        while self.mark < self._end and not self.is_lost:
            base = self.mark
            wanted = min(self._piece_bytes, self._end - base)
            # Four bytes in front: in a file without RDWs the first one would be there.
            data = bytes(WORD) + self._read_at(base, wanted)
            short = len(data) - WORD < wanted
            self._step(data, base)
            is_last = short or base + wanted >= self._end or self.mark == base
            if is_last:
                self._leave_rest(data, base)
            yield self._piece(data)
            if is_last:
                return

    def _step(self, data: bytes, base: int) -> None:
        """Walk the data, which begin at `base` of the file behind the four bytes."""
        try:
            if self._form == NO_RDW:
                self._bare(data, base)
            else:
                self._segments(data, base)
        except MQError as error:
            self.is_lost = True
            self._fault(LOST, str(error.detail))

    def _segments(self, data: bytes, base: int) -> None:
        """Records and segments with descriptor words, in blocks or not."""
        shift = base - WORD  # from places in the data to those in the file
        block_end = self._block_end - shift
        at = done = WORD
        first = len(self._at)
        starts, lengths, limit = self._at, self._length, len(data)
        self._parts = []
        try:
            while at + WORD <= limit:
                if at >= block_end:
                    self.boundary = self.boundary if self._parts else at + shift
                    block_end = at + check_bdw(data[at : at + WORD], at + shift)
                    at += WORD
                    continue
                length = data[at] << 8 | data[at + 1]
                code = data[at + 2]
                if code or data[at + 3] or length < WORD or length > RECORD_BYTES_MAX:
                    length, code = check_rdw(data[at : at + WORD], at + shift)
                if at + length > block_end:
                    words = f"a record of {length} bytes in a block that ends at"
                    raise lost(at + shift, f"{words} {block_end + shift}")
                if at + length > limit:
                    break
                if code or self._parts:
                    self._note(first, shift)
                    self._join(data[at : at + length], code, at + shift, limit)
                    first = len(starts)
                else:
                    starts.append(at)
                    lengths.append(length)
                if code == FIRST:  # what came before it is reported, also if it was cut
                    done = at
                    self._block_end = block_end + shift
                at += length
                if not self._parts:
                    done = at
                    self._block_end = block_end + shift
        finally:
            self._note(first, shift)
            self.mark = done + shift
            if self._form != BDW or self.mark >= self._block_end:
                self.boundary = self.mark

    def _note(self, first: int, shift: int) -> None:
        """Positions in the file of the records that were found since."""
        self._position += [at + shift for at in self._at[first:]]

    def _join(self, segment: bytes, code: int, position: int, data_length: int) -> None:
        """One segment of a record, or what comes where one should be."""
        parts = self._parts
        if parts and code in (WHOLE, FIRST):
            whole = b"".join(parts)
            words = "a record without its last segment"
            self._faults.append(Fault(self._first, len(whole), TRUNCATED, words, whole))
            parts.clear()
        if code == FIRST:
            self._first = position
            parts.append(segment)
            self._parts_bytes = len(segment)
        elif code == WHOLE:
            self._add(segment, position, data_length)
        elif not parts:
            words = "a segment without its first"
            self._faults.append(Fault(position, len(segment), STRAY, words, segment))
        else:
            parts.append(segment[WORD:])
            self._parts_bytes += len(segment) - WORD
            if self._parts_bytes > RECORD_BYTES_MAX:
                raise lost(self._first, f"a record of more than {RECORD_BYTES_MAX} bytes")
            if code == LAST:
                self._add(b"".join(parts), self._first, data_length)
                parts.clear()

    def _add(self, record: bytes, position: int, data_length: int) -> None:
        """A record that is not in the data in one piece; it is added at their end."""
        self._at.append(data_length + self._joined_bytes)
        self._length.append(len(record))
        self._position.append(position)
        self._joined.append(record)
        self._joined_bytes += len(record)

    def _bare(self, data: bytes, base: int) -> None:
        """Records without descriptor words."""
        at = WORD
        while at < len(data):
            length = bare_length(data, at, base + at - WORD)
            if length > len(data) - at:
                return
            self._at.append(at - WORD)
            self._length.append(length + WORD)
            self._position.append(base + at - WORD)
            at += length
            self.mark = self.boundary = base + at - WORD

    def _leave_rest(self, data: bytes, base: int) -> None:
        """What is behind the last whole record."""
        at = self.mark - base + WORD
        if at < len(data) and not self._is_growing and not self.is_lost:
            self._fault(TRUNCATED, "the file ends within a record")
            self.mark = self._end

    def _fault(self, reason: str, detail: str) -> None:
        """From the mark to the end there is nothing to be used."""
        length = self._end - self.mark
        sample = self._read_at(self.mark, min(length, SAMPLE_BYTES))
        self._faults.append(Fault(self.mark, length, reason, detail, sample))

    def _piece(self, data: bytes) -> Piece:
        """What was found since the last time."""
        if self._joined:
            data = b"".join((data, *self._joined))
        records = Records(
            np.frombuffer(data, np.uint8),
            np.array(self._at, np.int64),
            np.array(self._length, np.int64),
            np.array(self._position, np.int64),
            self._form == NO_RDW,
        )
        piece = Piece(records, self._faults)
        self._at, self._length, self._position = [], [], []
        self._joined, self._joined_bytes, self._faults = [], 0, []
        return piece
