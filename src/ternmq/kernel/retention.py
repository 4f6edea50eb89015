"""RETAIN: what leaves a stream by age, and what leaves a queue because its stream has let go of it.

Some of it at each tick and each advance of a cursor, a bounded number of messages a time. They
leave as expired ones do, logged as EXPIRED; those that were there before the stream began are
left alone, and so are those under a browse lock or in a unit of work. Of a swept
segment only the index is read, when the stream has let go of the last message in it.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.codec.message_image import FLAG_PERSISTENT
from ternmq.kernel.expiry import forget_ids
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering import have_expired
from ternmq.ports.disk import Disk, is_passing
from ternmq.ports.effect import Effect
from ternmq.store.chain import Chain
from ternmq.store.fetching import fetch_first, note_damage
from ternmq.store.lane import Lane
from ternmq.store.queue import Queue
from ternmq.store.segment import ALIVE, Segment
from ternmq.store.segment_file import SegmentFile
from ternmq.store.segment_format import SegmentIndex
from ternmq.store.stream.numbered_stream import Stream
from ternmq.values.entry import Entry

PURGE_MESSAGES_MAX: Final = 1024  # of a queue, a tick
PURGE_SEGMENTS_MAX: Final = 4  # of a lane, at a time
LOOK_MESSAGES_MAX: Final = 4096
DEAD_BYTES_MAX: Final = 16 << 20  # of stream files that wait for a checkpoint


def retain(kernel: Kernel) -> None:
    """Time has passed."""
    for queue_id in list(kernel.catalog.stream_memory.streams):
        queue = kernel.catalog.queues.get(queue_id)
        stream = None if queue is None else queue.stream
        if queue is None or stream is None:
            continue
        if stream.age_ns_max:
            stream.trim_older(kernel.clock.now_ns() - stream.age_ns_max)
        if stream.purges and not queue.damaged and not queue.clearing_before:
            purge(kernel, queue, stream)
        if stream.dead_bytes >= DEAD_BYTES_MAX:
            # Work that is not logged causes no checkpoint that would remove these files.
            queue.touched = True
            kernel.keeper.begin(False, False)


def purge(kernel: Kernel, queue: Queue, stream: Stream) -> None:
    """Take some messages off the queue that its stream does not keep."""
    bound = stream.floor if stream.floor else stream.earliest
    if bound <= stream.begin or queue.depth == 0:
        return
    found: list[Entry] = []
    for lane in queue.lanes:
        _collect(queue, lane.front, stream.begin, bound, found)
        _collect(queue, lane.strays, stream.begin, bound, found)
        _collect(queue, lane.rear, stream.begin, bound, found)
        if not lane.swept:
            continue
        _purge_swept(kernel, queue, stream, lane, bound)
        first = lane.swept[0]
        if lane.front.head is None and first.first_sequence < bound <= first.last_sequence:
            fetch_first(queue, lane, kernel.outbox)
    if found and kernel.coordinator.has_room(None, 16 * len(found)):
        kernel.coordinator.expire(queue, found)
        have_expired(kernel, queue, len(found))


def _purge_swept(kernel: Kernel, queue: Queue, stream: Stream, lane: Lane, bound: i64) -> None:
    """Begin with segments of which the stream keeps nothing."""
    at = lane.segment_after(stream.begin - 1)
    begun = 0
    while at < len(lane.swept) and begun < PURGE_SEGMENTS_MAX:
        segment = lane.swept[at]
        at += 1
        if segment.last_sequence >= bound:
            return
        key = _key(segment)
        if int(segment.number) in stream.purged or key in queue.fetches:
            continue
        begun += 1
        effect = SegmentPurge(kernel, queue, stream, segment)
        queue.fetches[key] = effect
        kernel.outbox.add(effect)


def _key(segment: Segment) -> str:
    return f"purge {int(segment.number)}"


@final
class SegmentPurge(Effect):
    """Reads the index of a swept segment and takes its messages off the queue, but for those that
    were there before the stream began."""

    def __init__(self, kernel: Kernel, queue: Queue, stream: Stream, segment: Segment) -> None:
        super().__init__()
        self.kernel = kernel
        self.queue = queue
        self.stream = stream
        self.segment = segment
        self.index: SegmentIndex | None = None

    def run(self, disk: Disk) -> None:
        file = SegmentFile(disk, self.segment.path)
        try:
            self.index = file.load_index()
        finally:
            file.close()

    def complete(self) -> None:
        queue = self.queue
        segment = self.segment
        index = self.index
        queue.fetches.pop(_key(segment), None)
        if index is None or not segment.swept or queue.dropped or queue.stream is not self.stream:
            return
        gone: list[int] = []
        rows: list[tuple[int, int]] = []
        is_all = segment.locked == 0
        for ordinal in range(index.count):
            if segment.states[ordinal] != ALIVE or index.sequences[ordinal] < self.stream.begin:
                continue
            if index.numbers[ordinal] in queue.locks:
                is_all = False
                continue
            gone.append(ordinal)
            if index.message_flags[ordinal] & FLAG_PERSISTENT:
                rows.append((int(queue.queue_id), index.numbers[ordinal]))
        if gone:
            if not self.kernel.coordinator.has_room(None, 16 * len(rows)):
                return  # the next tick tries again
            self.kernel.coordinator.expire_swept(queue, segment, gone, rows)
            have_expired(self.kernel, queue, len(gone))
            forget_ids(queue, segment, index, set(gone))
        if is_all and segment.swept:
            self.stream.purged.add(int(segment.number))

    def fail(self, error: OSError) -> None:
        self.queue.fetches.pop(_key(self.segment), None)
        if not is_passing(error):  # else the next tick finds it
            self.damage(f"segment {self.segment.path} cannot be read: {error}")

    def damage(self, text: str) -> None:
        self.queue.fetches.pop(_key(self.segment), None)
        note_damage(self.queue, self.segment, text)


def _collect(queue: Queue, chain: Chain, begin: i64, bound: i64, found: list[Entry]) -> None:
    seen: i64 = 0
    entry = chain.head
    while entry is not None and entry.sequence < bound and seen < LOOK_MESSAGES_MAX:
        if len(found) >= PURGE_MESSAGES_MAX:
            return
        seen += 1
        if entry.sequence >= begin and not (queue.locks and int(entry.number) in queue.locks):
            found.append(entry)
        entry = entry.next
