"""Segments of our SMF log streams, read as if each were a file of records.

A segment (telemetry/smf/log_stream_format) has blocks, perhaps compressed. Here it has the records
of its whole blocks, one after the other, and positions in it count those bytes; so a segment that
is being written grows as a data set does. It is unpacked whole: segments are some megabytes.

What is behind the last whole block is its `rest`: a block that is being written, or is damaged. A
file whose head is damaged has its bytes as they are, which are not records of any form.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Final, NamedTuple, final

from ternmq.base.errors import MQError
from ternmq.outlets.smf_log_streams import unpack_segment
from ternmq.telemetry.smf.log_stream_format import HEAD_BYTES, SUFFIX

LENGTHS_MAX: Final = 1 << 16


class Unpacked(NamedTuple):
    """A segment as it is now."""

    records: bytes
    rest: bytes


class Extent(NamedTuple):
    """How many bytes a segment has of each."""

    records: int
    rest: int


def is_segment(path: str) -> bool:
    return path.endswith(SUFFIX)


def length_of(path: str) -> int:
    """How many bytes of records a segment has."""
    return extent_of(path).records


def extent_of(path: str) -> Extent:
    status = os.stat(path)
    return extent_once(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=LENGTHS_MAX)
def extent_once(path: str, size: int, changed_ns: int) -> Extent:
    """The same, once for each state of the file: a stream asks for the lengths of all segments of
    its folder each time it looks, and those that are full must not be unpacked again for that."""
    found = unpacked_once(path, size, changed_ns)
    return Extent(len(found.records), len(found.rest))


def unpacked(path: str) -> Unpacked:
    """A segment as it is now."""
    status = os.stat(path)
    return unpacked_once(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=2)
def unpacked_once(path: str, size: int, changed_ns: int) -> Unpacked:
    """As `unpacked`, once for each state of the file: a stream looks at it again and again."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < HEAD_BYTES:  # it has just been begun
        return Unpacked(b"", b"")
    try:
        blocks, end = unpack_segment(data, path)
    except MQError:
        return Unpacked(data, b"")
    records = [record for block in blocks for record in block.records]
    return Unpacked(b"".join(records), data[end:])


@final
class SegmentBytes:
    """An open segment."""

    def __init__(self, path: str) -> None:
        self._unpacked: Final = unpacked(path)

    def read_at(self, position: int, length: int) -> bytes:
        return self._unpacked.records[position : position + length]

    @property
    def rest(self) -> bytes:
        return self._unpacked.rest

    def close(self) -> None:
        """Nothing stays open."""
