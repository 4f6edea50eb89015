"""Segments of our SMF log streams, read as if each were a file of records.

A segment (telemetry/log_stream_format) has blocks, perhaps compressed. Here it has the records of
its whole blocks, one after the other, and positions in it count those bytes; so a segment that is
being written grows as a data set does. It is unpacked whole: segments are some megabytes.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Final, final

from ternmq.client.smf_log_streams import read_segment
from ternmq.telemetry.log_stream_format import HEAD_BYTES, SUFFIX

LENGTHS_MAX: Final = 1 << 16


def is_segment(path: str) -> bool:
    return path.endswith(SUFFIX)


def length_of(path: str) -> int:
    """How many bytes of records a segment has."""
    told = os.stat(path)
    return length_once(path, told.st_size, told.st_mtime_ns)


@lru_cache(maxsize=LENGTHS_MAX)
def length_once(path: str, size: int, changed_ns: int) -> int:
    """The same, once for each state of the file: a stream asks for the lengths of all segments of
    its folder each time it looks, and those that are full must not be unpacked again for that."""
    return len(unpacked_once(path, size, changed_ns))


def unpacked(path: str) -> bytes:
    """The records of a segment as it is now."""
    told = os.stat(path)
    return unpacked_once(path, told.st_size, told.st_mtime_ns)


@lru_cache(maxsize=2)
def unpacked_once(path: str, size: int, changed_ns: int) -> bytes:
    """As `unpacked`, once for each state of the file: a stream looks at it again and again."""
    if size < HEAD_BYTES:  # it has just been begun
        return b""
    return b"".join(record for block in read_segment(path) for record in block.records)


@final
class SegmentBytes:
    """An open segment."""

    def __init__(self, path: str) -> None:
        self._data: Final = unpacked(path)

    def read_at(self, position: int, length: int) -> bytes:
        return self._data[position : position + length]

    def close(self) -> None:
        """Nothing stays open."""
