"""The stream of a queue as the state journal has it: the payload of its STREAM entry.

    u64 incarnation, u64 begin, u64 earliest, u64 next number, u64 reserved number, u64 next file,
    u64 the number from which on it is whole, u32 flags (bit 0: the queue has a stream), u32 count
    of files; then for each file u64 number, u64 offset of its first block that counts, u64 end of
    the last, u64 first number, u64 last number, i64 newest put_ns, u64 bytes of its blocks

Each entry has everything. A queue without a stream has none, or one without bit 0 if it had a
stream before.
"""

from __future__ import annotations

import struct
from typing import Final

from ternmq.base.errors import IntegrityError
from ternmq.store.queue import Queue
from ternmq.store.stream.numbered_stream import Stream, StreamFile, stream_path

HAS_STREAM: Final = 1
_HEAD: Final = struct.Struct("<QQQQQQQII")
_FILE: Final = struct.Struct("<QQQQQqQ")


def pack_stream(queue: Queue) -> bytes:
    """What the journal will have; nothing if the queue never had a stream. The caller has sealed
    the open block and given all blocks their places."""
    stream = queue.stream
    reserved = int(queue.numbering.reserved)
    if stream is None:
        if not queue.numbering.had_stream:
            return b""
        return _HEAD.pack(0, 0, 0, 0, reserved, 0, 0, 0, 0)
    parts = [
        _HEAD.pack(
            int(stream.incarnation),
            int(stream.begin),
            int(stream.earliest),
            int(stream.next),
            reserved,
            int(stream.next_file),
            int(stream.whole),
            HAS_STREAM,
            len(stream.files),
        )
    ]
    parts.extend([_pack_file(file) for file in stream.files])
    return b"".join(parts)


def _pack_file(file: StreamFile) -> bytes:
    return _FILE.pack(
        int(file.number),
        int(file.start),
        int(file.end),
        int(file.first),
        int(file.last),
        int(file.newest_ns),
        int(file.bytes),
    )


def check_stream(payload: bytes) -> None:
    """IntegrityError unless the payload is one."""
    if len(payload) < _HEAD.size:
        raise IntegrityError(f"a stream in {len(payload)} bytes")
    files = _HEAD.unpack_from(payload)[8]
    if len(payload) != _HEAD.size + files * _FILE.size:
        raise IntegrityError(f"a stream of {files} files in {len(payload)} bytes")


def recorded_files(folder: str, payload: bytes) -> list[StreamFile]:
    """The files that the journal names."""
    files: list[StreamFile] = []
    for number, start, end, first, last, newest_ns, size in _FILE.iter_unpack(
        payload[_HEAD.size :]
    ):
        file = StreamFile(number, stream_path(folder, number))
        file.start = start
        file.end = end
        file.first = first
        file.last = last
        file.newest_ns = newest_ns
        file.bytes = size
        file.is_made = True
        file.is_forced = True
        files.append(file)
    return files


def load_stream(queue: Queue, payload: bytes) -> None:
    """Give a queue the stream that its journal describes."""
    head = _HEAD.unpack_from(payload)
    incarnation, begin, earliest, after, reserved, next_file, whole, flags, _ = head
    queue.numbering.had_stream = True
    queue.numbering.reserved = reserved
    if reserved > queue.next_sequence:
        queue.next_sequence = reserved
    if not flags & HAS_STREAM:
        return
    stream = Stream(queue.queue_id, queue.folder, incarnation, begin)
    stream.earliest = earliest
    stream.whole = whole
    stream.next = after
    stream.next_file = next_file
    stream.files = recorded_files(queue.folder, payload)
    for file in stream.files:
        stream.bytes += file.bytes
    queue.stream = stream


def recorded_bounds(payload: bytes) -> tuple[int, int, int]:
    """Incarnation, earliest and next number; incarnation 0 if the queue has no stream."""
    head = _HEAD.unpack_from(payload)
    return head[0], head[2], head[3]
