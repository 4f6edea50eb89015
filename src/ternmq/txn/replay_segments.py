"""Giving messages a home in segments while a log is replayed: at once, for there is no shell that
could run the effects later. Used by media recovery and by backup queue managers.
"""

from __future__ import annotations

from array import array
from typing import final

from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect, Outbox
from ternmq.store.queue import Queue
from ternmq.store.segment import MIXED, SEGMENT_MESSAGES_MAX
from ternmq.store.sweep import ENTRY_BYTES, SEGMENT_BYTES_MAX, SegmentWrite, sweep_overflow
from ternmq.txn.redo import Redo
from ternmq.values.entry import Entry


@final
class ReplaySegments:
    """Writes segments for the queues of one replay."""

    def __init__(self, disk: Disk, redo: Redo) -> None:
        self.disk = disk
        self.redo = redo
        self._outbox = Outbox()

    def relieve(self, queue: Queue) -> None:
        """As at run time: what does not fit into the buffer goes to a segment."""
        if queue.persistent_bytes > queue.persistent_limit:
            effect = sweep_overflow(queue, self._outbox, self.redo.in_log)
            if effect is not None:
                self._outbox.effects.clear()
                self._write(queue, effect)

    def write_segments(self, queue: Queue, entries: list[Entry]) -> None:
        """Messages of whatever state go to segments, as they are."""
        some: list[Entry] = []
        size = 0
        for entry in entries:
            some.append(entry)
            size += int(entry.length) + len(entry.properties) + ENTRY_BYTES
            if size >= SEGMENT_BYTES_MAX or len(some) >= SEGMENT_MESSAGES_MAX:
                self._write(queue, SegmentWrite(queue, MIXED, some, self.redo.in_log))
                some = []
                size = 0
        if some:
            self._write(queue, SegmentWrite(queue, MIXED, some, self.redo.in_log))

    def _write(self, queue: Queue, effect: Effect) -> None:
        effect.run(self.disk)
        effect.complete()
        if isinstance(effect, SegmentWrite):
            segment = effect.segment
            numbers: array[int] = array("Q")
            for entry in effect.entries:
                numbers.append(int(entry.number))
            segment.numbers = numbers
            self.redo.maps[int(queue.queue_id)].add(segment)
