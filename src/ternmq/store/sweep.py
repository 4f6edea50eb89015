"""Moving messages to segments: when a buffer overflows, and when the log needs the room of old
bodies.

Targets are chosen in a step, written by an effect without stopping the queue, and verified in the
step that takes the completion in: a message that was got meanwhile is marked so in the new segment;
one that is gone is dead in it. On overflow the living targets leave memory (they are swept); for
the log they stay and only change their home.
"""

from __future__ import annotations

from array import array
from typing import Final

from mypy_extensions import i64

from ternmq.base.errors import check
from ternmq.codec.message_image import FIXED_BYTES
from ternmq.ports.disk import Disk, parent_dir, write_all
from ternmq.ports.effect import Effect, Outbox
from ternmq.store.chain import Chain
from ternmq.store.compaction import add_image
from ternmq.store.lane import Lane
from ternmq.store.queue import LANES, Queue
from ternmq.store.segment import DEAD, LOCKED, MIXED, SEGMENT_MESSAGES_MAX
from ternmq.store.segment_format import RECORD_PREFIX_BYTES, SegmentBuilder
from ternmq.values.entry import AVAILABLE, GONE, PERSISTENT, PUTTING, Entry

SEGMENT_BYTES_MAX: Final = 8 << 20
KEEP_IN_FRONT: Final = 4  # the front list keeps a quarter of the buffer
# Of a message in a segment, but for data and properties.
ENTRY_BYTES: Final = RECORD_PREFIX_BYTES + FIXED_BYTES


class HomeLedger:
    """Called when a message's body has a home in a segment; the coordinator's list of bodies in
    the log."""

    def remove(self, entry: Entry) -> None:
        """The log need not keep this message any longer."""
        raise NotImplementedError


class Sweeper:
    """Goes on with a queue when one of its writes has ended."""

    def sweep_on(self, queue: Queue) -> None:
        """Begin the next write, if there is one."""
        raise NotImplementedError


class SegmentWrite(Effect):
    """Writes one segment and then moves its messages there."""

    def __init__(self, queue: Queue, lane: i64, entries: list[Entry], ledger: HomeLedger) -> None:
        super().__init__()
        check(not queue.sweeping, f"{queue.name}: two sweeps at once")
        queue.sweep_effect = self
        self.queue = queue
        self.entries = entries
        self.ledger = ledger
        self.at_head = False  # of the swept chain, not at its tail
        self.sweeper: Sweeper | None = None
        # Written without a stream number: such a message may be committed before this is done.
        self.unnumbered: set[int] = set()
        segment = queue.new_segment(lane, len(entries))
        self.segment = segment
        for entry in entries:
            if entry.state == PUTTING:
                self.unnumbered.add(int(entry.number))
            if entry.expiry_at and (
                segment.min_expiry == 0 or entry.expiry_at < segment.min_expiry
            ):
                segment.min_expiry = entry.expiry_at
        segment.set_durable(bytes(int(entry.flags & PERSISTENT) for entry in entries))
        segment.first_sequence = entries[0].sequence
        segment.last_sequence = entries[len(entries) - 1].sequence

    def _pack(self) -> list[bytes]:
        """The file. Messages may change meanwhile, but in nothing that is read from here: the
        stream number of one that is being put is not taken, and backouts are counted beside it."""
        segment = self.segment
        queue_id = int(self.queue.queue_id)
        builder = SegmentBuilder(queue_id, queue_id, int(segment.number))
        offsets: array[int] = array("I")
        for entry in self.entries:
            offsets.append(builder.bytes // 8)
            add_image(builder, entry)
        offsets.append(builder.bytes // 8)
        segment.offsets = offsets
        segment.file_bytes = builder.file_bytes()
        return builder.parts()

    def run(self, disk: Disk) -> None:
        parts = self._pack()
        path = self.segment.path
        folder = parent_dir(path)
        if not disk.exists(folder):
            disk.make_dir(folder)
            disk.sync_dir(parent_dir(folder))
        # Not forced here: the log still has what must survive. A checkpoint forces a segment before
        # it names it.
        file = disk.create(path)
        try:
            write_all(file, 0, parts)
        finally:
            file.close()

    def complete(self) -> None:
        self.queue.sweep_effect = None
        self.queue.service.failure = ""
        if self.queue.dropped:
            self._leave_segment()
            return
        if self.at_head and _has_moved_on(self):
            self.queue.service.aborted += 1
            self.queue.service.keep = -1
            self._leave_segment()
            return
        _move(self)
        if self.sweeper is not None:
            self.sweeper.sweep_on(self.queue)

    def fail(self, error: OSError) -> None:
        """The disk is full or ill: nothing has moved, the messages stay where they are."""
        self.queue.sweep_effect = None
        self.queue.service.failure = str(error)
        self.queue.service.keep = -1
        self._leave_segment()

    def _leave_segment(self) -> None:
        """What was written of it is waste."""
        self.queue.leave(self.segment)


def _has_moved_on(write: SegmentWrite) -> bool:
    """Whether the front list has got messages behind the targets meanwhile: those of the next
    segment, which was brought back. Then the new one has no place in the chain."""
    tail = write.queue.lanes[write.segment.lane].front.tail
    return tail is not None and tail.sequence > write.segment.last_sequence


def _move(write: SegmentWrite) -> None:
    """Verify each target and give it its new home."""
    queue = write.queue
    segment = write.segment
    ledger = write.ledger
    queue.adopt(segment)
    sweeps = segment.lane != MIXED
    segment.swept = sweeps
    ordinal: i64 = -1
    for entry in write.entries:
        ordinal += 1
        if entry.state == GONE:
            segment.mark(ordinal, DEAD)
            continue
        if entry.state != PUTTING and int(entry.number) in write.unnumbered:
            segment.mark(ordinal, DEAD)  # its stream number is in the log alone, so that stays home
            continue
        queue.move_home(entry, segment, ordinal)
        ledger.remove(entry)
        if entry.backout_count:
            segment.backouts[int(ordinal)] = int(entry.backout_count)
        if entry.state != AVAILABLE:
            segment.mark(ordinal, LOCKED)
        elif sweeps:
            queue.sweep_out(entry)
            queue.service.messages_swept += 1
    if sweeps:
        queue.service.sweeps += 1
        queue.service.bytes_swept += segment.file_bytes
        queue.lanes[segment.lane].chain(segment, write.at_head)
        if segment.lane > queue.highest:  # all of it may be got, but a backout brings it back
            queue.highest = segment.lane
    if segment.empty:
        queue.retire(segment)


def sweep_overflow(queue: Queue, outbox: Outbox, ledger: HomeLedger) -> Effect | None:
    """Begin to move the newest messages of the fullest lane out of memory; one sweep a queue at
    a time."""
    chosen: Lane | None = None
    number: i64 = -1
    # What a get has brought back may fill the buffer alone; then there is nothing worth sweeping.
    most: i64 = min(queue.plain_limit, queue.persistent_limit) // KEEP_IN_FRONT
    for at in range(LANES):
        lane = queue.lanes[at]
        chain = lane.rear if lane.swept else lane.front
        size = chain.bytes + chain.count * 364
        if size > most:
            most = size
            chosen = lane
            number = at
    if chosen is None:
        return None
    keep: i64 = 0
    chain = chosen.rear
    if not chosen.swept:
        chain = chosen.front
        keep = queue.plain_limit // KEEP_IN_FRONT
    entries = oldest_targets(chain, keep)
    if len(entries) < 2:
        return None
    effect = SegmentWrite(queue, number, entries, ledger)
    outbox.add(effect)
    return effect


def oldest_targets(chain: Chain, keep_bytes: i64) -> list[Entry]:
    """The messages behind the first `keep_bytes`, at most one segment's."""
    kept: i64 = 0
    entry = chain.head
    while entry is not None and kept < keep_bytes:
        kept += entry.memory_bytes()
        entry = entry.next
    entries: list[Entry] = []
    size: i64 = 0
    while entry is not None and size < SEGMENT_BYTES_MAX and len(entries) < SEGMENT_MESSAGES_MAX:
        entries.append(entry)
        size += entry.length + len(entry.properties) + ENTRY_BYTES
        entry = entry.next
    return entries


def unswept(queue: Queue) -> list[Entry]:
    """Messages in memory that no segment holds as they are now, at most one segment's. One that was
    put in a prepared unit may be in a segment without its stream number; then the log still has to
    keep it."""
    entries: list[Entry] = []
    size: i64 = 0
    for lane in queue.lanes:
        for chain in (lane.front, lane.strays, lane.rear):
            entry = chain.head
            while entry is not None:
                if entry.segment is None or entry.home_lsn:
                    entries.append(entry)
                    size += entry.length + len(entry.properties) + ENTRY_BYTES
                    if size >= SEGMENT_BYTES_MAX or len(entries) >= SEGMENT_MESSAGES_MAX:
                        return entries
                entry = entry.next
    return entries


def keep_in_segment(queue: Queue, outbox: Outbox, ledger: HomeLedger) -> bool:
    """Begin to write messages without a home to a segment, as they are; False if all have one."""
    entries = unswept(queue)
    if not entries or queue.sweeping:
        return False
    outbox.add(SegmentWrite(queue, MIXED, entries, ledger))
    return True
