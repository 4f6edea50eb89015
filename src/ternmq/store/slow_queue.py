"""The slow queue sweeper: messages that are not going to be got soon leave memory.

Every 5 seconds each queue is looked at. One that has more than 64 KiB of messages in memory, more
than twice as many as were got in the interval, is swept: the first that many gets + 5, in the order
in which gets take them, stay in the front lists; of each lane what is behind them in the front
list and all of the rear list goes to segments, one write at a time. The newest of a front list go
first, chained at the head of the lane's segments, half of what is left at a time; a rear list's
oldest first, at the tail. A front list that a get has refilled within the interval is left alone,
and so is the small rest of one.

Writing and verification are those of `sweep`; docs/operations/sweeper.md says where this differs
from TPF's.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.ports.effect import Outbox
from ternmq.store.catalog import Catalog
from ternmq.store.chain import Chain
from ternmq.store.compaction import compact
from ternmq.store.lane import Lane
from ternmq.store.queue import LANES, Queue
from ternmq.store.segment import SEGMENT_MESSAGES_MAX
from ternmq.store.sweep import (
    ENTRY_BYTES,
    SEGMENT_BYTES_MAX,
    HomeLedger,
    SegmentWrite,
    Sweeper,
    oldest_targets,
)
from ternmq.values.entry import Entry

SWEEP_INTERVAL_NS: Final = 5_000_000_000
SWEEP_BYTES_MIN: Final = 64 << 10
SPARE_MESSAGES: Final = 5
NEAR_MESSAGES: Final = 64  # a segment next to the front list has no fewer, if there are more,
NEAR_FACTOR: Final = 4  # nor fewer than so many times what stays in front
NEAR_BYTES: Final = 256 << 10
NOT_SLOW: Final = -1


@final
class SlowQueueSweeper(Sweeper):
    """Looks at all loaded queues when it is time."""

    def __init__(self, catalog: Catalog, outbox: Outbox, ledger: HomeLedger) -> None:
        self.catalog = catalog
        self.outbox = outbox
        self.ledger = ledger
        self.due_ns: i64 = 0
        self.cycles: i64 = 0
        self.wants_checkpoint = False  # files of a stream that has ended wait for one

    def tick(self, monotonic_ns: i64) -> None:
        """Time has passed."""
        if self.due_ns == 0:
            self.due_ns = monotonic_ns + SWEEP_INTERVAL_NS
        if monotonic_ns >= self.due_ns:
            self.due_ns = monotonic_ns + SWEEP_INTERVAL_NS
            self.cycle()

    def cycle(self) -> None:
        """Look at every queue now."""
        self.cycles += 1
        for queue in list(self.catalog.queues.values()):
            self.look(queue)

    def look(self, queue: Queue) -> None:
        """Begin to sweep a queue if it is slow. Segments in which little lives are compacted here,
        too: work that is not logged causes no checkpoint that would do it."""
        compact(queue, self.outbox)
        if queue.numbering.waste and not queue.dropped and not queue.temporary:
            self.wants_checkpoint = True
        gets = queue.service.gets - queue.service.gets_then
        queue.service.gets_then = queue.service.gets
        queue.service.gets_before = gets
        refilled = queue.service.unsweeps != queue.service.unsweeps_then
        queue.service.unsweeps_then = queue.service.unsweeps
        queue.service.keep = NOT_SLOW
        if queue.plain_bytes + queue.persistent_bytes <= SWEEP_BYTES_MIN or queue.damaged:
            return
        if queue.available <= 2 * gets:
            return
        queue.service.keep = gets + SPARE_MESSAGES
        queue.service.sweeps_front = not refilled
        self.sweep_on(queue)

    def sweep_on(self, queue: Queue) -> None:
        """The next write of a queue that is being swept; also called when one has ended."""
        if queue.sweeping or queue.dropped or queue.damaged or queue.service.keep == NOT_SLOW:
            return
        keep = queue.service.keep
        lane_number: i64 = LANES - 1
        while lane_number >= 0:
            lane = queue.lanes[lane_number]
            kept = min(keep, lane.front.count)
            keep -= kept
            if queue.service.sweeps_front and _is_worth_it(lane, kept):
                entries = newest_targets(lane.front, kept, NEAR_FACTOR * queue.service.keep)
                if len(entries) > 1:
                    self._write(queue, lane_number, entries, len(lane.swept) > 0)
                    return
            if len(lane.swept) > 0 and lane.rear.count > 1:
                self._write(queue, lane_number, oldest_targets(lane.rear, 0), False)
                return
            lane_number -= 1
        queue.service.keep = NOT_SLOW

    def _write(self, queue: Queue, lane: i64, entries: list[Entry], at_head: bool) -> None:
        effect = SegmentWrite(queue, lane, entries, self.ledger)
        effect.at_head = at_head
        effect.sweeper = self
        self.outbox.add(effect)


def _is_worth_it(lane: Lane, kept: i64) -> bool:
    """Whether what is behind the first `kept` messages of a front list should leave memory. The
    rest of a segment that a get has brought back stays, if it is small."""
    behind = lane.front.count - kept
    if behind <= 1:
        return False
    return not lane.swept or behind > NEAR_MESSAGES or lane.front.bytes > NEAR_BYTES


def newest_targets(chain: Chain, kept: i64, near: i64) -> list[Entry]:
    """The last messages of a list, at most one segment's, but not the first `kept`. While there are
    many it is the newer half: so the segments become shorter towards the front, and a get brings
    back few messages that would have to be swept again."""
    entries: list[Entry] = []
    size: i64 = 0
    left = chain.count - kept
    if left > 2 * max(near, NEAR_MESSAGES):
        left //= 2
    entry = chain.tail
    while (
        entry is not None
        and left > 0
        and size < SEGMENT_BYTES_MAX
        and len(entries) < SEGMENT_MESSAGES_MAX
    ):
        entries.append(entry)
        size += entry.length + len(entry.properties) + ENTRY_BYTES
        left -= 1
        entry = entry.prev
    entries.reverse()
    return entries
