"""The forms in which SMF records come as files, and how a form is recognised.

    rdw      each record or segment is led by its record descriptor word
    bdw      blocks, each led by its block descriptor word, with records or segments as in rdw
    nordw    records one after another, their descriptor words removed, segments joined

RDW     u2 length with these four bytes, u1 segment code, u1 zero. Code 0 is a whole record, 1 the
        first segment of one, 3 a middle one, 2 the last. A later segment has no SMF header; what is
        behind its RDW belongs behind what came before.
BDW     u2 length with these four bytes, u2 zero; or, with the first bit on, 31 bits of length.
nordw   there is no length: a record ends where its last section does, and offsets count four bytes
        that are not there. The dump's own header and trailer (types 2 and 3, no subtype) have 14
        bytes. The end of any other record cannot be known.

Validity: a length is at least that of the word it stands in, a block is filled by its segments, a
joined record has at most RECORD_BYTES_MAX bytes. What does not hold is an error with its place in
the file, after which nothing more can be read, because the start of the next record is not known.
A record that the end of the file cuts, and segments without their first or last, are counted.
`records` gives every record with an RDW in front, whatever the form was.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Final, final

from ternmq.base.errors import MQError
from ternmq.codec.smf.decoding import SUBTYPE_AT, SUBTYPES, TYPE_AT
from ternmq.codec.smf.record import HEADER_BYTES, TRIPLET_BYTES
from ternmq.codec.smf.section_layout import smf_error

RDW: Final = "rdw"
BDW: Final = "bdw"
NO_RDW: Final = "nordw"
FORMS: Final = (RDW, BDW, NO_RDW)

WORD: Final = 4
# Longer than SMF allows, as other readers take it: what some program joined is not lost.
RECORD_BYTES_MAX: Final = 32_772
BLOCK_BYTES_MAX: Final = 1 << 24
DATE_END: Final = 14  # of the date in an SMF header
CHUNK_BYTES: Final = 1 << 20
PROBE_BYTES: Final = 1 << 17

WHOLE: Final = 0
FIRST: Final = 1
LAST: Final = 2
MIDDLE: Final = 3

_DUMP_RECORDS: Final = (2, 3)
_DUMP_RECORD_BYTES: Final = 14
_MQ: Final = (115, 116)
_GZIP: Final = b"\x1f\x8b"
_PACKED: Final = "; the file is packed by gzip: unpack it first (gunzip)"

Read = Callable[[int], bytes]


@final
class Source:
    """Bytes from somewhere, a chunk at a time."""

    def __init__(self, read: Read) -> None:
        self._read: Final = read
        self._buffer = b""
        self._at = 0
        self.offset = 0  # of what is taken next, from the beginning

    def peek(self, size: int) -> bytes:
        """The next `size` bytes, or fewer if there are no more."""
        while len(self._buffer) - self._at < size:
            more = self._read(max(CHUNK_BYTES, size))
            if not more:
                break
            self._buffer = self._buffer[self._at :] + more
            self._at = 0
        return self._buffer[self._at : self._at + size]

    def take(self, size: int) -> bytes:
        """The next `size` bytes, or fewer if there are no more; they are gone then."""
        found = self.peek(size)
        self._at += len(found)
        self.offset += len(found)
        return found


@final
class Framing:
    """Records of one file."""

    def __init__(self, source: Source, form: str) -> None:
        self._source: Final = source
        self.form: Final = form
        self.truncated = 0  # records of which a part is missing
        self.stray = 0  # segments without their first
        self.record_offset = 0  # where the record that was given last begins

    def records(self) -> Iterator[bytes]:
        """Record after record, with its RDW; MQError where the file makes no sense any more."""
        if self.form == NO_RDW:
            return self._bare()
        return self._joined(self._blocked() if self.form == BDW else self._segments())

    def _segments(self) -> Iterator[tuple[int, int, bytes]]:
        """Offset, segment code and bytes behind the RDW."""
        source = self._source
        while True:
            offset = source.offset
            word = source.peek(WORD)
            if not word:
                return
            if len(word) < WORD:
                self.truncated += 1
                return
            length, code = check_rdw(word, offset)
            segment = source.take(length)
            if len(segment) < length:
                self.truncated += 1
                return
            yield offset, code, segment

    def _blocked(self) -> Iterator[tuple[int, int, bytes]]:
        source = self._source
        while True:
            offset = source.offset
            word = source.take(WORD)
            if not word:
                return
            if len(word) < WORD:
                self.truncated += 1
                return
            end = offset + check_bdw(word, offset)
            while source.offset < end:
                at = source.offset
                word = source.peek(WORD)
                if len(word) < WORD:
                    self.truncated += 1
                    return
                length, code = check_rdw(word, at)
                if at + length > end:
                    raise lost(at, f"a record of {length} bytes in a block that ends at {end}")
                segment = source.take(length)
                if len(segment) < length:
                    self.truncated += 1
                    return
                yield at, code, segment

    def _joined(self, segments: Iterator[tuple[int, int, bytes]]) -> Iterator[bytes]:
        parts: list[bytes] = []
        size = 0
        for offset, code, segment in segments:
            if code in (WHOLE, FIRST):
                if parts:
                    self.truncated += 1
                    parts, size = [], 0
                self.record_offset = offset
                if code == WHOLE:
                    yield segment
                else:
                    parts, size = [segment], len(segment)
            elif not parts:
                self.stray += 1
            else:
                parts.append(segment[WORD:])
                size += len(segment) - WORD
                if size > RECORD_BYTES_MAX:
                    raise lost(
                        self.record_offset, f"a record of more than {RECORD_BYTES_MAX} bytes"
                    )
                if code == LAST:
                    yield b"".join(parts)
                    parts, size = [], 0
        if parts:
            self.truncated += 1

    def _bare(self) -> Iterator[bytes]:
        source = self._source
        while True:
            self.record_offset = source.offset
            ahead = source.peek(RECORD_BYTES_MAX - WORD)
            if not ahead:
                return
            length = bare_length(ahead, 0, source.offset)
            if length > len(ahead):
                self.truncated += 1
                return
            yield (length + WORD).to_bytes(2, "big") + b"\0\0" + source.take(length)


def lost(offset: int, why: str) -> MQError:
    """The error of a file that cannot be followed any further."""
    return smf_error(f"at byte {offset}: {why}")


def check_rdw(word: bytes, offset: int) -> tuple[int, int]:
    """Length and segment code."""
    length, code = int.from_bytes(word[:2], "big"), word[2]
    if length < WORD or code > MIDDLE or word[3]:
        packed = _PACKED if is_gzip(word, offset) else ""
        raise lost(offset, f"{word.hex().upper()} is not a record descriptor word{packed}")
    if length > RECORD_BYTES_MAX:
        raise lost(offset, f"a record of {length} bytes; at most {RECORD_BYTES_MAX} are read")
    return length, code


def is_gzip(data: bytes, offset: int) -> bool:
    """Whether a file begins as a compressed one does."""
    return not offset and data.startswith(_GZIP)


def check_bdw(word: bytes, offset: int) -> int:
    """The length of a block."""
    number = int.from_bytes(word, "big")
    length = number & 0x7FFFFFFF if number >> 31 else number >> 16
    if length < 2 * WORD or length > BLOCK_BYTES_MAX or (not number >> 31 and number & 0xFFFF):
        raise lost(offset, f"{word.hex().upper()} is not a block descriptor word")
    return length


def bare_length(data: bytes, at: int, offset: int) -> int:
    """How long the record without its RDW at `at` of the data is, which is at `offset` of its file;
    more than the data have, if it is cut."""
    ahead = min(len(data) - at, RECORD_BYTES_MAX - WORD)
    kind = data[at + 1] if ahead > 1 else -1
    has_subtype = ahead >= SUBTYPE_AT + 2 - WORD and data[at] & SUBTYPES
    if kind in _DUMP_RECORDS and not data[at] & SUBTYPES:
        return _DUMP_RECORD_BYTES
    if kind not in _MQ and ahead >= 2:
        raise lost(offset, f"without descriptor words, a record of type {kind} has no known end")
    if ahead + WORD < HEADER_BYTES + TRIPLET_BYTES:
        return ahead + WORD
    if not has_subtype:
        raise lost(offset, f"a record of type {kind} without a subtype")
    return bare_end(data, at - WORD, ahead + WORD, offset) - WORD


def bare_end(data: bytes, first: int, room: int, offset: int) -> int:
    """Where the last section ends, from the RDW that is not there but would be at `first`; `room`
    is how much there is from it on."""
    at = int.from_bytes(data[first + HEADER_BYTES : first + HEADER_BYTES + 4], "big")
    if at + 7 > room:
        if at < RECORD_BYTES_MAX:
            return RECORD_BYTES_MAX + WORD  # the product section is behind the end of the file
        raise lost(offset, f"product section at {at}")
    stub = int.from_bytes(data[first + at : first + at + 2], "big") == 1
    count = 2 if stub else data[first + at + 6]
    kind = data[first + TYPE_AT]
    subtype = int.from_bytes(data[first + SUBTYPE_AT : first + SUBTYPE_AT + 2], "big")
    if (kind, subtype) == (115, 231):
        count = 6  # 8.0 says 5
    end = HEADER_BYTES + TRIPLET_BYTES * count
    if end > room:
        return RECORD_BYTES_MAX + WORD
    last = end
    for place in range(first + HEADER_BYTES, first + end, TRIPLET_BYTES):
        start = int.from_bytes(data[place : place + 4], "big")
        length = int.from_bytes(data[place + 4 : place + 6], "big")
        copies = int.from_bytes(data[place + 6 : place + 8], "big")
        if length * copies:
            last = max(last, start + length * copies)
    if last > RECORD_BYTES_MAX:
        raise lost(offset, f"a record of {last} bytes; at most {RECORD_BYTES_MAX} are read")
    if not count or last < at + 7:
        raise lost(offset, f"product section at {at} of a record of {last} bytes")
    return last


def recognise(source: Source) -> str:
    """The form of a file, from its beginning; MQError if it has none of the forms."""
    probe = source.peek(PROBE_BYTES)
    if not probe:
        return RDW
    found = {form: walk(form, probe) for form in FORMS}
    # A lone block could pass for one long record, a record hardly for a block: blocks come first.
    best = max((BDW, RDW, NO_RDW), key=lambda form: found[form])
    if not found[best]:
        packed = _PACKED if is_gzip(probe, 0) else ""
        raise smf_error(
            f"the file begins with {probe[:8].hex().upper()}, not with an SMF record in any form"
            f" ({', '.join(FORMS)}){packed}"
        )
    return best


def may_become_one(probe: bytes) -> bool:
    """Whether a file that is no SMF file yet may be one that is still being written: what there is
    of it is the beginning of a record in some form."""
    return any(is_begun(form, probe) for form in FORMS)


def is_begun(form: str, probe: bytes) -> bool:
    """Whether the beginning of a file is that of its first record in a form, which is cut."""
    framing = Framing(Source(io.BytesIO(probe).read), form)
    front = {RDW: 0, BDW: WORD, NO_RDW: -WORD}[form]  # before the record's RDW
    try:
        for _ in framing.records():
            return False  # it is whole, and was not plausible
    except MQError:
        return False
    header = probe[max(front, 0) :]
    if front < 0:
        header = bytes(WORD) + header
    return len(header) < DATE_END or is_plausible(header)


def walk(form: str, probe: bytes) -> int:
    """How many bytes of the probe make sense in a form; 0 if not even the first record does."""
    source = Source(io.BytesIO(probe).read)
    framing = Framing(source, form)
    sound = 0
    try:
        for record in framing.records():
            if not is_plausible(record):
                break
            sound = source.offset
    except MQError:
        return sound
    return sound


def is_plausible(record: bytes) -> bool:
    """Whether a record may be one of SMF: it has a header, and no time of day that cannot be."""
    if len(record) < DATE_END:
        return False
    hundredths = int.from_bytes(record[6:10], "big")
    packed = record[10:DATE_END].hex()
    return hundredths < 8_640_000 + 100 and packed[0] == "0" and packed[:7].isdecimal()
