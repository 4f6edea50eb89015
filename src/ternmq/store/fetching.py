"""Bringing swept messages back: a whole segment for gets in order, one message for a get by
identifier, a page of copies for a browse or a get by other criteria. All are effects: the verb that
needs one is parked and tried again when it has come.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.base.checksum import crc32c
from ternmq.base.errors import IntegrityError
from ternmq.ports.disk import INTERRUPTED, Disk, DiskFile, is_passing
from ternmq.ports.effect import Effect, Outbox
from ternmq.store.lane import Lane
from ternmq.store.queue import Queue
from ternmq.store.segment import DEAD, Segment
from ternmq.store.segment_file import READ_CHUNK_BYTES
from ternmq.store.segment_format import RECORD_PREFIX_BYTES, damaged, identity_crc
from ternmq.values.entry import AVAILABLE, Entry
from ternmq.values.entry_image import entry_from_image

PAGES_MAX: Final = 4
FETCHED_MAX: Final = 256
AHEAD_MESSAGES: Final = 64
AHEAD_FRACTION: Final = 5  # of the gets of an interval of the sweeper
_PREFIX: Final = struct.Struct("<III")
_CHECK_BYTES: Final = 1 << 16


def check_age(segment: Segment, ordinal: i64, entry: Entry) -> None:
    """Refuse a message that became visible after the journal that named its segment was written:
    the file is of another life of the queue. A reader of such a message would wait for a force of a
    part of the log that does not exist."""
    if entry.visible_lsn > segment.newest_lsn > 0:
        raise IntegrityError(
            f"segment {segment.path}: message {int(ordinal)} is of LSN {int(entry.visible_lsn)}, "
            f"but the journal that names the segment of LSN {int(segment.newest_lsn)}; restore "
            "the queue's folder and the log from the same backup"
        )


def _checksum(records: bytes, start: i64, end: i64, crc: int) -> int:
    """The checksum of a stretch, in pieces: a copy of all of a long message would take as long as
    its checksum does."""
    while end - start > _CHECK_BYTES:
        crc = crc32c(records[start : start + _CHECK_BYTES], crc)
        start += _CHECK_BYTES
    return crc32c(records[start:end], crc)


@final
class RecordReader:
    """Takes messages out of a segment file by the places that memory knows, each against its
    checksum; the file's own index is not needed."""

    def __init__(self, queue: Queue, segment: Segment) -> None:
        self.segment = segment
        queue_id = int(queue.queue_id)
        self.queue_id: i64 = queue_id
        self.identity = identity_crc(queue_id, queue_id, int(segment.number))

    def read(self, file: DiskFile, first: i64, after: i64) -> tuple[bytes, i64]:
        """The records from `first` to before `after`, and where in the file they begin."""
        offsets = self.segment.offsets
        start: i64 = offsets[first] * 8
        return file.pread(int(start), int(offsets[after] * 8 - start)), start

    def chunk_end(self, first: i64) -> i64:
        """The message after those that are read together with `first`."""
        offsets = self.segment.offsets
        last = offsets[first] + READ_CHUNK_BYTES // 8
        after: i64 = first + 1
        while after < self.segment.count and offsets[after + 1] <= last:
            after += 1
        return after

    def image_at(self, records: bytes, start: i64, ordinal: i64) -> i64:
        """Where the image of the message at `ordinal` begins in records that were read from `start`
        on; it is sound."""
        segment = self.segment
        at = segment.offsets[ordinal] * 8 - start
        if at + RECORD_PREFIX_BYTES > len(records):
            raise damaged(segment.path, int(start + at), f"the file ends before message {ordinal}")
        _, crc, length = _PREFIX.unpack_from(records, int(at))
        image = at + RECORD_PREFIX_BYTES
        end = image + length
        seed = self.identity ^ int(ordinal)
        if end > len(records) or _checksum(records, image, end, seed) != crc:
            raise damaged(segment.path, int(start + at), f"message {ordinal} fails its checksum")
        return image

    def entry(self, records: bytes, start: i64, ordinal: i64) -> Entry:
        """The message at `ordinal`, from such records."""
        entry = entry_from_image(records, self.image_at(records, start, ordinal))
        check_age(self.segment, ordinal, entry)
        entry.queue_id = self.queue_id
        _place(entry, self.segment, ordinal)
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
        self.ahead = False  # no verb needs it yet
        self.entries: list[Entry] = []
        self.is_whole = False  # and a page: all of them are there

    def run(self, disk: Disk) -> None:
        segment = self.segment
        reader = RecordReader(self.queue, segment)
        file = disk.borrow(segment.path)
        try:
            first: i64 = 0
            while first < segment.count:
                after = reader.chunk_end(first)
                records, start = reader.read(file, first, after)
                while first < after:
                    if self.as_page or segment.states[first] != DEAD:  # which is for ever
                        self.entries.append(reader.entry(records, start, first))
                    first += 1
        finally:
            disk.give_back(file)

    def complete(self) -> None:
        queue = self.queue
        segment = self.segment
        queue.fetches.pop(_key(segment, self.as_page), None)
        if not segment.swept:
            return
        if self.as_page:
            self.is_whole = True
            while len(queue.pages) >= PAGES_MAX:
                del queue.pages[next(iter(queue.pages))]
            queue.pages[segment.slot] = self.entries
            return
        lane = queue.lanes[segment.lane]
        if lane.swept[0] is segment:
            queue.unsweep(segment, self.entries)

    def fail(self, error: OSError) -> None:
        self.queue.fetches.pop(_key(self.segment, self.as_page), None)
        if not self.ahead or not is_passing(error):
            note_unread(self.queue, self.segment, error)

    def damage(self, text: str) -> None:
        self.queue.fetches.pop(_key(self.segment, self.as_page), None)
        note_damage(self.queue, self.segment, text)


def note_unread(queue: Queue, segment: Segment, error: OSError) -> None:
    """A segment could not be read: a verb reports it, or the queue is damaged."""
    text = f"segment {segment.path} cannot be read: {error}"
    if not is_passing(error):
        note_damage(queue, segment, text)
    elif error.errno != INTERRUPTED:  # the interrupted thread knows; others try again
        queue.unread = text


def note_damage(queue: Queue, segment: Segment, text: str) -> None:
    """A segment could not be read. That is not damage if all of it has been got meanwhile: then a
    checkpoint may have removed the file."""
    if queue.segments.get(segment.slot) is segment:
        queue.damaged = text


def _key(segment: Segment, as_page: bool) -> str:
    return f"{'page' if as_page else 'first'} {int(segment.number)}"


def _fetch(
    queue: Queue, segment: Segment, as_page: bool, outbox: Outbox, ahead: bool = False
) -> Effect:
    key = _key(segment, as_page)
    under_way = queue.fetches.get(key)
    if isinstance(under_way, SegmentFetch):
        under_way.ahead = under_way.ahead and ahead
        return under_way
    effect = SegmentFetch(queue, segment, as_page)
    effect.ahead = ahead
    queue.fetches[key] = effect
    outbox.add(effect)
    return effect


def fetch_first(queue: Queue, lane: Lane, outbox: Outbox) -> Effect:
    """The first swept segment of a lane comes back to the front list."""
    return _fetch(queue, lane.swept[0], False, outbox)


def fetch_ahead(queue: Queue, taken: Entry, outbox: Outbox) -> None:
    """A get has taken a message: if those before the swept chain last for about a second, its first
    segment is sent for. A queue that is read slowly keeps what the sweeper has left in front, and
    does not bring back at the next get what was just written."""
    lane = queue.lanes[taken.lane]
    if not lane.swept or lane.front.count >= AHEAD_MESSAGES or queue.damaged:
        return
    service = queue.service
    a_second = (service.gets - service.gets_then + service.gets_before) // AHEAD_FRACTION
    if lane.front.count > a_second:
        return
    first = lane.swept[0]
    if queue.groups is not None:  # gets in logical order read pages: not the same bytes twice
        if first.slot in queue.pages or _key(first, True) in queue.fetches:
            return
    _fetch(queue, first, False, outbox, True)


def coming_back(queue: Queue, segment: Segment) -> Effect | None:
    """The read that brings a swept segment back to the front list, if one is under way."""
    return queue.fetches.get(_key(segment, False))


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
        reader = RecordReader(self.queue, self.segment)
        file = disk.borrow(self.segment.path)
        try:
            records, start = reader.read(file, self.ordinal, self.ordinal + 1)
        finally:
            disk.give_back(file)
        self.entry = reader.entry(records, start, self.ordinal)

    def complete(self) -> None:
        queue = self.queue
        location = self.segment.location(self.ordinal)
        queue.fetches.pop(f"message {location}", None)
        if self.entry is not None and self.segment.swept:
            while len(queue.fetched) >= FETCHED_MAX:
                del queue.fetched[next(iter(queue.fetched))]
            queue.fetched[location] = self.entry

    def fail(self, error: OSError) -> None:
        self.queue.fetches.pop(f"message {self.segment.location(self.ordinal)}", None)
        note_unread(self.queue, self.segment, error)

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
