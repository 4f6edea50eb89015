"""Bringing swept messages back: a whole segment for gets in order, one message for a get by
identifier, a page of copies for a browse. All are effects: the verb that needs one is parked and
tried again when it has come.
"""

from __future__ import annotations

import struct
from typing import Final, final

from crc32c import crc32c
from mypy_extensions import i64

from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect, Outbox
from ternmq.store.entry import AVAILABLE, Entry
from ternmq.store.image import (
    CORREL_ID_OFFSET,
    FIXED_BYTES,
    GROUP_ID_OFFSET,
    HEADER_BYTES,
    MSG_ID_OFFSET,
    unpack_header,
)
from ternmq.store.lane import Lane
from ternmq.store.queue import Queue
from ternmq.store.segment import Segment
from ternmq.store.segment_file import SegmentFile
from ternmq.store.segment_format import damaged, identity_crc

PAGES_MAX: Final = 4
FETCHED_MAX: Final = 256
AHEAD_MESSAGES: Final = 64
_PREFIX: Final = struct.Struct("<II")


def entry_from_image(image: bytes, offset: i64 = 0) -> Entry:
    """The message that an image tells of."""
    header = unpack_header(image, offset)
    mqmd = image[offset + HEADER_BYTES : offset + FIXED_BYTES]
    data = image[offset + FIXED_BYTES : offset + FIXED_BYTES + header.data_length]
    entry = Entry(
        header.number,
        header.priority,
        header.flags,
        header.put_ns,
        header.expiry_at,
        mqmd[MSG_ID_OFFSET : MSG_ID_OFFSET + 24],
        mqmd[CORREL_ID_OFFSET : CORREL_ID_OFFSET + 24],
        mqmd[GROUP_ID_OFFSET : GROUP_ID_OFFSET + 24],
        mqmd,
        data,
        header.data_length,
    )
    entry.sequence = header.sequence
    entry.backout_count = header.backout_count
    entry.visible_lsn = header.visible_lsn
    return entry


def _place(entry: Entry, segment: Segment, ordinal: i64) -> None:
    entry.segment = segment
    entry.ordinal = ordinal
    entry.lane = segment.lane
    entry.state = AVAILABLE
    backouts = segment.backouts.get(int(ordinal))
    if backouts is not None:
        entry.backout_count = backouts


@final
class SegmentFetch(Effect):
    """Reads all messages of a segment."""

    def __init__(self, queue: Queue, segment: Segment, as_page: bool) -> None:
        super().__init__()
        self.queue = queue
        self.segment = segment
        self.as_page = as_page
        self.entries: list[Entry] = []

    def run(self, disk: Disk) -> None:
        file = SegmentFile(disk, self.segment.path)
        try:
            index = file.load_index()
            images = file.read_all(index)
        finally:
            file.close()
        for ordinal in range(len(images)):
            entry = entry_from_image(images[ordinal])
            _place(entry, self.segment, ordinal)
            self.entries.append(entry)

    def complete(self) -> None:
        queue = self.queue
        segment = self.segment
        queue.fetches.pop(_key(segment, self.as_page), None)
        if not segment.swept:
            return
        if self.as_page:
            while len(queue.pages) >= PAGES_MAX:
                del queue.pages[next(iter(queue.pages))]
            queue.pages[segment.slot] = self.entries
            return
        lane = queue.lanes[segment.lane]
        if lane.swept[0] is segment:
            queue.unsweep(segment, self.entries)

    def fail(self, error: OSError) -> None:
        self.damage(f"segment {self.segment.path} cannot be read: {error}")

    def damage(self, text: str) -> None:
        self.queue.fetches.pop(_key(self.segment, self.as_page), None)
        note_damage(self.queue, self.segment, text)


def note_damage(queue: Queue, segment: Segment, text: str) -> None:
    """A segment could not be read. That is no damage if all of it has been got meanwhile: then a
    checkpoint may have removed the file."""
    if queue.segments.get(segment.slot) is segment:
        queue.damaged = text


def _key(segment: Segment, as_page: bool) -> str:
    return f"{'page' if as_page else 'first'} {int(segment.number)}"


def _fetch(queue: Queue, segment: Segment, as_page: bool, outbox: Outbox) -> Effect:
    key = _key(segment, as_page)
    effect = queue.fetches.get(key)
    if effect is None:
        effect = SegmentFetch(queue, segment, as_page)
        queue.fetches[key] = effect
        outbox.add(effect)
    return effect


def fetch_first(queue: Queue, lane: Lane, outbox: Outbox) -> Effect:
    """The first swept segment of a lane comes back to the front list."""
    return _fetch(queue, lane.swept[0], False, outbox)


def fetch_ahead(queue: Queue, taken: Entry, outbox: Outbox) -> None:
    """A get has taken a message: if few are left before the swept chain, its first segment is sent
    for."""
    lane = queue.lanes[taken.lane]
    if lane.swept and lane.front.count < AHEAD_MESSAGES and not queue.damaged:
        _fetch(queue, lane.swept[0], False, outbox)


def fetch_page(queue: Queue, segment: Segment, outbox: Outbox) -> Effect:
    """Copies of a swept segment for browsing."""
    return _fetch(queue, segment, True, outbox)


@final
class MessageFetch(Effect):
    """Reads one message of a swept segment."""

    def __init__(self, queue: Queue, segment: Segment, ordinal: i64) -> None:
        super().__init__()
        self.queue = queue
        self.segment = segment
        self.ordinal: i64 = ordinal
        self.entry: Entry | None = None

    def run(self, disk: Disk) -> None:
        segment = self.segment
        start = segment.offsets[self.ordinal] * 8
        end = segment.offsets[self.ordinal + 1] * 8
        file = disk.open(segment.path)
        try:
            record = file.pread(start, end - start)
        finally:
            file.close()
        if len(record) < _PREFIX.size:
            raise damaged(segment.path, start, f"the file ends before message {self.ordinal}")
        crc, length = _PREFIX.unpack_from(record, 0)
        image = record[8 : 8 + length]
        seed = identity_crc(int(self.queue.queue_id), int(self.queue.queue_id), int(segment.number))
        if length != len(image) or crc32c(image, seed) != crc:
            raise damaged(segment.path, start, f"message {self.ordinal} fails its checksum")
        entry = entry_from_image(image)
        _place(entry, segment, self.ordinal)
        self.entry = entry

    def complete(self) -> None:
        queue = self.queue
        location = self.segment.location(self.ordinal)
        queue.fetches.pop(f"message {location}", None)
        if self.entry is not None and self.segment.swept:
            while len(queue.fetched) >= FETCHED_MAX:
                del queue.fetched[next(iter(queue.fetched))]
            queue.fetched[location] = self.entry

    def fail(self, error: OSError) -> None:
        self.damage(f"segment {self.segment.path} cannot be read: {error}")

    def damage(self, text: str) -> None:
        self.queue.fetches.pop(f"message {self.segment.location(self.ordinal)}", None)
        note_damage(self.queue, self.segment, text)


def fetch_message(queue: Queue, segment: Segment, ordinal: i64, outbox: Outbox) -> Effect:
    """One swept message, for a get by identifier."""
    key = f"message {segment.location(ordinal)}"
    effect = queue.fetches.get(key)
    if effect is None:
        effect = MessageFetch(queue, segment, ordinal)
        queue.fetches[key] = effect
        outbox.add(effect)
    return effect
