"""Reading and writing segment files; format, validity and ordering: head of `segment_format`.

Damage raises IntegrityError that names file and offset; nothing here repairs or deletes. Called by
the effects of the store, by restart and by the tools; never inside a step.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.errors import IntegrityError
from ternmq.codec.message_image import (
    CORREL_ID_OFFSET,
    GROUP_ID_OFFSET,
    HEADER_BYTES,
    ID_BYTES,
    MSG_ID_OFFSET,
    unpack_header,
)
from ternmq.ports.disk import Disk, DiskFile, parent_dir, write_all
from ternmq.store.segment_format import (
    GROUP_FIELDS_BYTES,
    GROUP_ID,
    RECORD_PREFIX_BYTES,
    SEGMENT_FOOTER_BYTES,
    SEGMENT_HEADER_BYTES,
    SegmentIndex,
    damaged,
    hash_id,
    head_bytes,
    unpack_head,
    unpack_record,
    unpack_segment_footer,
    unpack_segment_header,
    unpack_segment_index,
)

READ_CHUNK_BYTES: Final = 1 << 20
# A shorter body costs less to read on the way than another read.
BODY_SKIPPED_BYTES: Final = 4096

_ID_OFFSETS: Final = (
    HEADER_BYTES + MSG_ID_OFFSET,
    HEADER_BYTES + CORREL_ID_OFFSET,
    HEADER_BYTES + GROUP_ID_OFFSET,
)
_NO_ID: Final = bytes(ID_BYTES)


def write_segment(disk: Disk, path: str, parts: list[bytes]) -> None:
    """Write a whole segment and make it durable."""
    file = disk.create(path)
    try:
        write_all(file, 0, parts)
        file.datasync()
    finally:
        file.close()
    # ORDER: content before name, and both before the state journal names the segment.
    disk.sync_dir(parent_dir(path))


@final
class SegmentFile:
    """One segment file, open for reading."""

    __slots__ = ("path", "_file")

    def __init__(self, disk: Disk, path: str) -> None:
        self.path = path
        try:
            self._file: DiskFile = disk.open(path)
        except FileNotFoundError as error:
            raise IntegrityError(f"segment {path} is missing") from error

    def close(self) -> None:
        """Close the file; an index that was loaded stays usable."""
        self._file.close()

    def load_index(self) -> SegmentIndex:
        """Read and verify header, footer and index."""
        file = self._file
        size = file.size()
        index = unpack_segment_header(self.path, file.pread(0, SEGMENT_HEADER_BYTES))
        at = max(size - SEGMENT_FOOTER_BYTES, 0)
        footer = unpack_segment_footer(index, file.pread(at, SEGMENT_FOOTER_BYTES), size)
        unpack_segment_index(index, file.pread(index.index_offset, footer[0]), footer)
        return index

    def read_message(self, index: SegmentIndex, ordinal: int) -> bytes:
        """The image of one message."""
        offset = index.offsets[ordinal]
        record = self._file.pread(offset, RECORD_PREFIX_BYTES + index.lengths[ordinal])
        return unpack_record(index, ordinal, record, 0)

    def read_all(self, index: SegmentIndex) -> list[bytes]:
        """The images of all messages, in order, read in large pieces."""
        images: list[bytes] = []
        first = 0
        while first < index.count:
            first = self._read_chunk(index, first, images)
        return images

    def read_head(self, index: SegmentIndex, ordinal: int) -> bytes:
        """Header, MQMD and properties of one message, without reading its body."""
        record = self._file.pread(index.offsets[ordinal], head_bytes(index, ordinal))
        return unpack_head(index, ordinal, record, 0)

    def read_heads(self, index: SegmentIndex, first: int, after: int) -> list[bytes]:
        """The same for the messages from `first` to before `after`. Heads that are close together
        are read at once; a body that is longer than that is never read."""
        heads: list[bytes] = []
        while first < after:
            start = index.offsets[first]
            end = start + head_bytes(index, first)
            last = first + 1
            while last < after and index.offsets[last] - end <= BODY_SKIPPED_BYTES:
                next_end = index.offsets[last] + head_bytes(index, last)
                if next_end - start > READ_CHUNK_BYTES:
                    break
                end = next_end
                last += 1
            buffer = self._file.pread(start, end - start)
            heads += [
                unpack_head(index, ordinal, buffer, index.offsets[ordinal] - start)
                for ordinal in range(first, last)
            ]
            first = last
        return heads

    def find(self, index: SegmentIndex, kind: int, id_hash: int) -> list[int]:
        """Ordinals, rising, of the messages whose id of this kind has this hash."""
        return index.find(kind, id_hash)

    def _read_chunk(self, index: SegmentIndex, first: int, images: list[bytes]) -> int:
        start = index.offsets[first]
        # At least one message, then as many as end within the chunk.
        end = start + RECORD_PREFIX_BYTES + index.lengths[first]
        after = first + 1
        while after < index.count:
            next_end = index.offsets[after] + RECORD_PREFIX_BYTES + index.lengths[after]
            if next_end - start > READ_CHUNK_BYTES:
                break
            end = next_end
            after += 1
        buffer = self._file.pread(start, end - start)
        for ordinal in range(first, after):
            at = index.offsets[ordinal] - start
            images.append(unpack_record(index, ordinal, buffer, at))
        return after


@final
class SegmentReport:
    """What `verify_segment` found; each fault names file and offset."""

    __slots__ = ("path", "index", "messages_sound", "faults")

    def __init__(self, path: str) -> None:
        self.path = path
        self.index: SegmentIndex | None = None
        self.messages_sound = 0
        self.faults: list[str] = []


def verify_segment(disk: Disk, path: str) -> SegmentReport:
    """Check everything in a segment file, and that its parts agree; goes on after a fault."""
    report = SegmentReport(path)
    try:
        segment = SegmentFile(disk, path)
    except IntegrityError as error:
        report.faults.append(str(error))
        return report
    try:
        index = segment.load_index()
        report.index = index
        verify_segment_messages(segment, index, report)
    except IntegrityError as error:
        report.faults.append(str(error))
    finally:
        segment.close()
    return report


def verify_segment_messages(
    segment: SegmentFile, index: SegmentIndex, report: SegmentReport
) -> None:
    """Every message against the index, and the index against the messages."""
    offset = SEGMENT_HEADER_BYTES
    pairs: list[list[tuple[int, int]]] = [[], [], []]
    grouped: dict[int, bytes] = {}
    for ordinal in range(index.count):
        if index.offsets[ordinal] != offset:
            raise damaged(segment.path, offset, f"message {ordinal} does not follow the one before")
        offset += RECORD_PREFIX_BYTES + index.lengths[ordinal] + 7 & -8
        try:
            image = segment.read_message(index, ordinal)
            segment.read_head(index, ordinal)
            verify_segment_columns(index, ordinal, image)
        except IntegrityError as error:
            report.faults.append(str(error))
            continue
        report.messages_sound += 1
        for kind, at in enumerate(_ID_OFFSETS):
            identifier = image[at : at + ID_BYTES]
            if identifier != _NO_ID:
                pairs[kind].append((hash_id(identifier), ordinal))
                grouped[ordinal] = image[at : at + GROUP_FIELDS_BYTES]  # GroupId is the last
    if offset != index.index_offset:
        raise damaged(segment.path, offset, "the records do not end where the index begins")
    if not report.faults:
        _verify_ids(index, pairs, grouped)


def _verify_ids(
    index: SegmentIndex, pairs: list[list[tuple[int, int]]], grouped: dict[int, bytes]
) -> None:
    """The index against the identifiers and groups of all messages."""
    for kind, expected in enumerate(pairs):
        found = list(zip(index.hashes[kind], index.ordinals[kind], strict=True))
        if found != sorted(expected):
            raise damaged(index.path, index.index_offset, f"wrong hashes of id kind {kind}")
    for place, ordinal in enumerate(index.ordinals[GROUP_ID]):
        if index.group_fields(place) != grouped[ordinal]:
            raise damaged(index.path, index.index_offset, f"wrong group of message {ordinal}")


def verify_segment_columns(index: SegmentIndex, ordinal: int, image: bytes) -> None:
    """The header of one image against its columns."""
    header = unpack_header(image, 0)
    said = (
        header.sequence,
        header.expiry_at,
        header.priority,
        header.flags,
        header.area_length,
    )
    kept = (
        index.sequences[ordinal],
        index.expiries[ordinal],
        index.priorities[ordinal],
        index.message_flags[ordinal],
        index.area_lengths[ordinal],
    )
    if said != kept:
        raise damaged(index.path, index.offsets[ordinal], f"message {ordinal} is not as indexed")
