"""The expiry scanner: removes messages whose time has passed, a bounded number a step, and counts
them.

Queues without an expiring message cost nothing. In swept segments only the index is looked at: a
segment is read when its earliest expiry has come.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.codec.message_image import FLAG_PERSISTENT
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering import have_expired
from ternmq.kernel.unloaded import due_queues
from ternmq.ports.disk import Disk, is_passing
from ternmq.ports.effect import Effect
from ternmq.store.cursor import Cursor
from ternmq.store.fetching import note_damage
from ternmq.store.loading import QueueLoad
from ternmq.store.queue import LANES, Queue
from ternmq.store.segment import ALIVE, Segment
from ternmq.store.segment_file import SegmentFile
from ternmq.store.segment_format import CORREL_ID, GROUP_ID, MSG_ID, SegmentIndex
from ternmq.values.entry import ASTRAY, REPORTS, Entry

SCAN_MESSAGES_MAX: Final = 256


@final
class ExpiryScan:
    """One pass over all queues that have messages which expire, in memory or not."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.queues: list[Queue] = [
            queue for queue in kernel.catalog.queues.values() if _may_expire(queue, kernel)
        ]
        self.loading: list[QueueLoad] = []  # queues with expired messages that were on disk only
        for definition in due_queues(kernel, int(kernel.clock.now_ns())):
            self.loading.append(kernel.load(definition))
        self.queue: Queue | None = None
        self.walk: Cursor | None = None
        self.astray = False  # the walk stands on a stray
        self.removed: i64 = 0

    def step(self) -> bool:
        """Look at a bounded number of messages; False when the pass is over, or waits."""
        if self.queue is None:
            if not self.queues:
                return self._take_loaded()
            self.queue = self.queues.pop()
            self._begin_queue(self.queue)
        self._scan(self.queue)
        return True

    def _take_loaded(self) -> bool:
        """Queues that are in memory by now join those to be scanned; False if none does."""
        waiting = [one for one in self.loading if not one.done]
        for one in self.loading:
            queue = self.kernel.catalog.queues.get(one.definition.object_id)
            if one.done and queue is not None:
                self.queues.append(queue)
        self.loading = waiting
        return len(self.queues) > 0

    @property
    def is_waiting(self) -> bool:
        """Whether it goes on when queues are loaded."""
        return len(self.loading) > 0

    def _begin_queue(self, queue: Queue) -> None:
        walk = Cursor()
        walk.lane = LANES - 1
        self.astray = False
        queue.cursors.append(walk)
        self.walk = walk
        now_ns = self.kernel.clock.now_ns()
        for segment in queue.segments.values():
            if segment.swept and segment.min_expiry and segment.min_expiry <= now_ns:
                self.kernel.outbox.add(SegmentExpiry(self.kernel, queue, segment, now_ns))

    def _scan(self, queue: Queue) -> None:
        walk = self.walk
        if walk is None or queue.dropped or queue.expiring == 0:
            self._end_queue(queue)
            return
        now_ns: i64 = self.kernel.clock.now_ns()
        expired: list[Entry] = []
        reported: list[Entry] = []  # they go a little later
        seen: i64 = 0
        last: Entry | None = None
        entry = self._first(queue, walk)
        while entry is not None and seen < SCAN_MESSAGES_MAX:
            seen += 1
            if (
                entry.expiry_at
                and entry.expiry_at <= now_ns
                and not (queue.locks and int(entry.number) in queue.locks)
            ):
                if entry.flags & REPORTS:
                    reported.append(entry)
                    last = entry
                else:
                    expired.append(entry)
            else:
                last = entry
            entry = self._next(queue, walk, entry)
        if last is not None:
            walk.stand_on(last)
            self.astray = last.place == ASTRAY
        if reported:
            self.kernel.reports.expire(queue, reported)
        if expired:
            if not self.kernel.coordinator.has_room(None, 16 * len(expired)):
                self._end_queue(queue)  # the next pass tries again
                return
            self.kernel.coordinator.expire(queue, expired)
            have_expired(self.kernel, queue, len(expired))
            self.removed += len(expired)
        if entry is None:
            self._end_queue(queue)

    def _first(self, queue: Queue, walk: Cursor) -> Entry | None:
        at = walk.entry
        if at is not None:
            return self._next(queue, walk, at)
        if self.astray:
            return self._after_strays(queue, walk)
        return self._head(queue, walk)

    def _after_strays(self, queue: Queue, walk: Cursor) -> Entry | None:
        """The last step ended among the strays, which a cursor cannot stand on: the next of them
        by sequence, or what follows them all."""
        lane = queue.lanes[walk.lane]
        stray = lane.strays.head
        while stray is not None and stray.sequence <= walk.sequence:
            stray = stray.next
        if stray is not None:
            return stray
        if lane.rear.head is not None:
            return lane.rear.head
        walk.lane -= 1
        return self._head(queue, walk)

    def _head(self, queue: Queue, walk: Cursor) -> Entry | None:
        """The first message of this lane or the next lower one that has any."""
        while walk.lane >= 0:
            lane = queue.lanes[walk.lane]
            for chain in (lane.front, lane.strays, lane.rear):
                if chain.head is not None:
                    return chain.head
            walk.lane -= 1
        return None

    def _next(self, queue: Queue, walk: Cursor, entry: Entry) -> Entry | None:
        if entry.next is not None:
            return entry.next
        lane = queue.lanes[entry.lane]
        if lane.has_in_front(entry) and lane.strays.head is not None:
            return lane.strays.head
        if not lane.has_in_rear(entry) and lane.rear.head is not None:
            return lane.rear.head
        walk.leave()
        walk.lane = entry.lane - 1
        return self._head(queue, walk)

    def _end_queue(self, queue: Queue) -> None:
        walk = self.walk
        if walk is not None:
            walk.leave()
            queue.cursors.remove(walk)
            recreated = self.kernel.catalog.queues.get(int(queue.queue_id))
            if recreated is not None and walk in recreated.cursors:  # it was re-created meanwhile
                recreated.cursors.remove(walk)
        self.walk = None
        self.queue = None


def _may_expire(queue: Queue, kernel: Kernel) -> bool:
    if queue.expiring:
        return True
    now_ns = kernel.clock.now_ns()
    for segment in queue.segments.values():
        if segment.swept and segment.min_expiry and segment.min_expiry <= now_ns:
            return True
    return False


@final
class SegmentExpiry(Effect):
    """Reads the index of a swept segment and removes what has expired in it."""

    def __init__(self, kernel: Kernel, queue: Queue, segment: Segment, now_ns: i64) -> None:
        super().__init__()
        self.kernel = kernel
        self.queue = queue
        self.segment = segment
        self.now_ns: i64 = now_ns
        self.index: SegmentIndex | None = None

    def run(self, disk: Disk) -> None:
        file = SegmentFile(disk, self.segment.path)
        try:
            self.index = file.load_index()
        finally:
            file.close()

    def complete(self) -> None:
        index = self.index
        segment = self.segment
        if index is None or not segment.swept or self.queue.dropped:
            return
        gone = self._expired(index)
        asking = [ordinal for ordinal in gone if index.message_flags[ordinal] & REPORTS]
        if asking:
            # Until these are gone, the next scans, after a restart too, look at the segment again.
            segment.min_expiry = min(index.expiries[ordinal] for ordinal in asking)
            self.kernel.reports.expire_swept(self.queue, segment, asking)
            gone = [ordinal for ordinal in gone if not index.message_flags[ordinal] & REPORTS]
        queue_id = int(self.queue.queue_id)
        rows = [
            (queue_id, index.numbers[ordinal])
            for ordinal in gone
            if index.message_flags[ordinal] & FLAG_PERSISTENT
        ]
        if not gone:
            return
        if not self.kernel.coordinator.has_room(None, 16 * len(rows)):
            segment.min_expiry = self.now_ns  # the next scan finds them again
            return
        self.kernel.coordinator.expire_swept(self.queue, segment, gone, rows)
        have_expired(self.kernel, self.queue, len(gone))
        forget_ids(self.queue, segment, index, set(gone))

    def _expired(self, index: SegmentIndex) -> list[int]:
        """Ordinals whose time has come; the segment learns when the next one will."""
        segment = self.segment
        gone: list[int] = []
        earliest: i64 = 0
        for ordinal in range(index.count):
            expiry_at = index.expiries[ordinal]
            if expiry_at == 0 or segment.states[ordinal] != ALIVE:
                continue
            if expiry_at <= self.now_ns:
                gone.append(ordinal)
            elif earliest == 0 or expiry_at < earliest:
                earliest = expiry_at
        segment.min_expiry = earliest
        return gone

    def fail(self, error: OSError) -> None:
        if not is_passing(error):  # else the next scan finds it
            self.damage(f"segment {self.segment.path} cannot be read: {error}")

    def damage(self, text: str) -> None:
        note_damage(self.queue, self.segment, text)


def forget_ids(queue: Queue, segment: Segment, index: SegmentIndex, dead: set[int]) -> None:
    """Messages of a swept segment are found by their identifiers no longer."""
    for kind in (MSG_ID, CORREL_ID, GROUP_ID):
        table = queue.swept_table(kind)
        if table is None:
            continue
        hashes = index.hashes[kind]
        ordinals = index.ordinals[kind]
        for place in range(len(hashes)):
            if ordinals[place] in dead:
                table.discard(hashes[place], segment.location(ordinals[place]))
