"""What `ternmq smf` reads from: files, standard input, and the log streams of a queue manager."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final, NamedTuple

from ternmq.codec.smf.framing import RDW
from ternmq.outlets.smf_log_streams import segments, unpack_segment
from ternmq.telemetry.smf.log_stream_format import HEAD_BYTES, MAGIC, Block

STANDARD_INPUT: Final = "-"


class Input(NamedTuple):
    """Bytes of records."""

    read: Callable[[int], bytes]
    total: int  # how many there are; 0 if not known
    form: str  # if that is known; "" if not
    cut: list[str]  # segments that were read and have more than whole blocks


@contextlib.contextmanager
def opened(name: str) -> Iterator[Input]:
    """A file of records, a segment of a log stream, a folder of them, or standard input."""
    if name == STANDARD_INPUT:
        yield Input(sys.stdin.buffer.read, 0, "", [])
        return
    if os.path.isdir(name):
        found = segments(name)
        if not found:
            raise FileNotFoundError(2, "there is no segment of a log stream in this folder", name)
        # One that a crash cut within its head has no records.
        whole = [path for path in found if os.path.getsize(path) >= HEAD_BYTES]
        cut: list[str] = []
        yield Input(_records(whole, cut), 0, RDW, cut)
        return
    with open(name, "rb") as file:
        if file.read(len(MAGIC)) == MAGIC:
            damaged: list[str] = []
            yield Input(_records([name], damaged), 0, RDW, damaged)
            return
        file.seek(0)
        yield Input(file.read, _size(file), "", [])


def _records(paths: list[str], cut: list[str]) -> Callable[[int], bytes]:
    """The records of segments, a block at a time whatever was asked for; `cut` gets those of which
    there is more than could be read."""
    blocks = (b"".join(block.records) for path in paths for block in _whole_blocks(path, cut))
    return lambda _: next(blocks, b"")


def _whole_blocks(path: str, cut: list[str]) -> list[Block]:
    with open(path, "rb") as file:
        data = file.read()
    blocks, end = unpack_segment(data, path)
    if end < len(data):
        cut.append(path)
    return blocks


def _size(file: BinaryIO) -> int:
    if not file.seekable():
        return 0
    end = file.seek(0, os.SEEK_END)
    file.seek(0)
    return end
