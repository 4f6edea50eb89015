"""Divides files into ranges that begin and end between records, one or more for each task.

A long file is walked once, from descriptor word to descriptor word, to find where it may be
divided: nothing is guessed, and the walk is a small part of the work (0.3 s for 500 MB). Files on
other machines are not walked for that, since it would read all of them; each is one range.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, final

from ternmq.base.errors import MQError
from ternmq.codec.smf.framing import (
    BDW,
    FIRST,
    LAST,
    MIDDLE,
    NO_RDW,
    RDW,
    RECORD_BYTES_MAX,
    WHOLE,
    WORD,
    check_bdw,
    check_rdw,
    lost,
)
from ternmq.spark.smf.dump_files import Bytes, DumpFile, form_of, local_path, open_file
from ternmq.spark.smf.log_segments import extent_of, is_segment
from ternmq.spark.smf.record_walk import Walk

SPLIT_BYTES: Final = 32 << 20
CHUNK_BYTES: Final = 1 << 20
LOST_FORM: Final = ""  # the file has none of the forms


class Range(NamedTuple):
    """Part of a file, from one record's beginning to another's, or to the end."""

    path: str
    form: str
    start: int
    end: int
    includes_rest: bool = False  # of a segment: what is behind its whole blocks, as well


def ranges_of(files: list[DumpFile], form: str, split_bytes: int) -> Iterator[Range]:
    """The ranges of files, each about as long as `split_bytes`."""
    for file in files:
        if rest_of(file.path):
            yield Range(file.path, RDW, file.length, file.length, True)
        if not file.length:
            continue
        opened = open_file(file.path)
        try:
            known = recognised(opened, form)
            if known == LOST_FORM or file.length <= split_bytes or local_path(file.path) is None:
                yield Range(file.path, known, 0, file.length)
            else:
                yield from divided(opened, file.path, known, 0, file.length, split_bytes)
        finally:
            opened.close()


def rest_of(path: str) -> int:
    """How many bytes of a segment are after its last whole block."""
    local = local_path(path)
    return extent_of(local).rest if local is not None and is_segment(local) else 0


def recognised(opened: Bytes, form: str) -> str:
    """The form of a file, or LOST_FORM."""
    try:
        return form_of(opened, form)
    except MQError:
        return LOST_FORM


def divided(
    opened: Bytes, path: str, form: str, start: int, end: int, split_bytes: int
) -> Iterator[Range]:
    """Ranges of one file from a place between two records on."""
    begun = start
    places = bare_places if form == NO_RDW else worded_places
    for place in places(opened, form, start, end):
        if place - begun >= split_bytes:
            yield Range(path, form, begun, place)
            begun = place
    if begun < end:
        yield Range(path, form, begun, end)


def worded_places(opened: Bytes, form: str, start: int, end: int) -> Iterator[int]:
    """Where a walk of a file with descriptor words may begin: at records, or at blocks that begin
    with one, with no record open before. Up to the first word that is wrong, where a walk ends
    too, so that a file gives the same as a whole and divided."""
    steps = Steps(opened, end)
    at = block_end = start
    try:
        while at + WORD <= end:
            place = at
            if form == BDW and at >= block_end:
                block_end = at + check_bdw(steps.word(at), at)
                at += WORD
            length, code, is_free = steps.segment(at)
            if form == BDW and at + length > block_end:
                return
            is_first = form != BDW or place < at
            if is_first and is_free and code in (WHOLE, FIRST):
                yield place
            at += length
    except MQError:
        return


@final
class Steps:
    """Reads descriptor words of a file, one behind the other."""

    def __init__(self, opened: Bytes, end: int) -> None:
        self._opened: Final = opened
        self._end: Final = end
        self._base = 0
        self._data = b""
        self._open_bytes = 0  # of a record whose last segment has not come

    def word(self, at: int) -> bytes:
        """The word at a place; MQError if it is behind the end."""
        inside = at - self._base
        word = self._data[inside : inside + WORD]
        if len(word) < WORD:
            self._base = at
            self._data = self._opened.read_at(at, min(CHUNK_BYTES, self._end - at))
            word = self._data[:WORD]
            if len(word) < WORD:
                raise lost(at, "the end")
        return word

    def segment(self, at: int) -> tuple[int, int, bool]:
        """Length and code of the segment at a place, and whether no record is open before it."""
        word = self.word(at)
        is_free = not self._open_bytes
        length, code = word[0] << 8 | word[1], word[2]
        if code or word[3] or not WORD <= length <= RECORD_BYTES_MAX:  # nearly none is
            length, code = check_rdw(word, at)
        if code in (MIDDLE, LAST) and not is_free:
            self._open_bytes += length - WORD
            if self._open_bytes > RECORD_BYTES_MAX:
                raise lost(at, f"a record of more than {RECORD_BYTES_MAX} bytes")
        if code == FIRST:
            self._open_bytes = length
        elif code != MIDDLE:
            self._open_bytes = 0
        return length, code, is_free


def bare_places(opened: Bytes, form: str, start: int, end: int) -> Iterator[int]:
    """The same for a file without descriptor words."""
    walk = Walk(opened.read_at, form, start, end, piece_bytes=CHUNK_BYTES, is_growing=True)
    for _ in walk.pieces():
        if walk.boundary < end:
            yield walk.boundary


def packed(ranges: Iterator[Range], split_bytes: int) -> list[list[Range]]:
    """Ranges of small files together, so that a task has enough to do."""
    found: list[list[Range]] = []
    room = 0
    for each in ranges:
        length = each.end - each.start
        if not found or length > room:
            found.append([])
            room = split_bytes
        found[-1].append(each)
        room -= length
    return found
