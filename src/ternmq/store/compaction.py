"""Compaction: a swept segment in which few messages still live is rewritten with those alone.

It takes the place of the old one in its lane, so order does not change. Begun at checkpoints and by
the sweeper, one a queue at a time; a segment that a unit of work holds messages of, or that comes
back to memory meanwhile, is left as it is.
"""

from __future__ import annotations

from array import array
from typing import Final, final

from ternmq.codec.message_image import pack_header
from ternmq.ports.disk import Disk, write_all
from ternmq.ports.effect import Effect, Outbox
from ternmq.store.fetching import note_damage
from ternmq.store.queue import Queue
from ternmq.store.segment import ALIVE, DEAD, Segment
from ternmq.store.segment_file import SegmentFile
from ternmq.store.segment_format import SegmentBuilder
from ternmq.values.entry import PERSISTENT, Entry, packed_descriptor
from ternmq.values.entry_image import entry_from_image

SPARSE: Final = 4  # fewer than one in so many lives
SPARSE_MESSAGES_MIN: Final = 64
SPARSE_BYTES_MIN: Final = 64 << 10  # a few large messages are worth it, too


def find_sparse(queue: Queue) -> Segment | None:
    """A swept segment that is worth compacting."""
    for segment in queue.segments.values():
        if (
            segment.swept
            and segment.locked == 0
            and (segment.count >= SPARSE_MESSAGES_MIN or segment.file_bytes >= SPARSE_BYTES_MIN)
            and 0 < segment.alive * SPARSE < segment.count
        ):
            return segment
    return None


def compact(queue: Queue, outbox: Outbox) -> None:
    """Begin to compact one sparse segment, if there is one."""
    if queue.compacting or queue.damaged:
        return
    sparse = find_sparse(queue)
    if sparse is not None:
        queue.compacting = True
        outbox.add(SegmentCompact(queue, sparse))


@final
class SegmentCompact(Effect):
    """Reads the living messages of a segment and writes them to a new one."""

    def __init__(self, queue: Queue, old: Segment) -> None:
        super().__init__()
        self.queue = queue
        self.old = old
        self.ordinals = [at for at in range(int(old.count)) if old.states[at] == ALIVE]
        self.segment = queue.new_segment(old.lane, len(self.ordinals))
        self.entries: list[Entry] = []

    def run(self, disk: Disk) -> None:
        file = SegmentFile(disk, self.old.path)
        try:
            index = file.load_index()
            images = [file.read_message(index, ordinal) for ordinal in self.ordinals]
        finally:
            file.close()
        segment = self.segment
        queue_id = int(self.queue.queue_id)
        builder = SegmentBuilder(queue_id, queue_id, int(segment.number))
        offsets: array[int] = array("I")
        for image in images:
            offsets.append(builder.bytes // 8)
            entry = entry_from_image(image)
            self.entries.append(entry)
            add_image(builder, entry)
        offsets.append(builder.bytes // 8)
        segment.offsets = offsets
        segment.file_bytes = builder.file_bytes()
        target = disk.create(segment.path)
        try:
            write_all(target, 0, builder.parts())
        finally:
            target.close()

    def complete(self) -> None:
        queue = self.queue
        queue.compacting = False
        old = self.old
        if queue.dropped or not old.swept or old.locked:
            queue.leave(self.segment)
            return
        segment = self.segment
        segment.first_sequence = old.first_sequence
        segment.last_sequence = old.last_sequence
        segment.min_expiry = old.min_expiry
        segment.swept = True
        queue.adopt(segment)
        lane = queue.lanes[segment.lane]
        lane.swept[lane.swept.index(old)] = segment
        old.swept = False
        segment.set_durable(bytes(int(entry.flags & PERSISTENT) for entry in self.entries))
        for ordinal, was in enumerate(self.ordinals):
            entry = self.entries[ordinal]
            if old.states[was] != ALIVE:
                segment.mark(ordinal, DEAD)
                continue
            old.mark(was, DEAD)
            if was in old.backouts:
                segment.backouts[ordinal] = old.backouts[was]
            queue.move_ids(entry, old.location(was), segment.location(ordinal))
            if queue.groups is not None:
                queue.groups.move(old, was, segment, ordinal)
        queue.pages.pop(old.slot, None)
        queue.retire(old)
        if segment.empty:
            queue.retire(segment)

    def fail(self, error: OSError) -> None:
        """Nothing has changed; the next checkpoint tries again."""
        self.queue.compacting = False
        self.queue.leave(self.segment)

    def damage(self, text: str) -> None:
        self.queue.compacting = False
        note_damage(self.queue, self.old, text)


def add_image(builder: SegmentBuilder, entry: Entry) -> None:
    """Add a message to a segment that is being built."""
    header = pack_header(
        entry.number,
        entry.sequence,
        entry.put_ns,
        entry.expiry_at,
        entry.length,
        entry.priority,
        entry.flags,
        entry.backout_count,
        entry.visible_lsn,
        len(entry.properties),
    )
    builder.add(
        header,
        packed_descriptor(entry),
        entry.properties,
        entry.data,
        int(entry.number),
        int(entry.sequence),
        int(entry.expiry_at),
        int(entry.priority),
        int(entry.flags),
        entry.msg_id,
        entry.correl_id,
        entry.group_id,
    )
