"""RETAIN: what leaves a stream by age, and what leaves a queue because its stream has let go of it.

Some of it at each tick and each advance of a cursor, a bounded number of messages a time. They
leave as expired ones do, logged as EXPIRED; those that were there before the stream began are
left alone, and so are those that somebody has under a browse lock or in a unit of work.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from ternmq.kernel.kernel import Kernel
from ternmq.store.entry import Chain, Entry
from ternmq.store.fetching import fetch_first
from ternmq.store.queue import Queue
from ternmq.store.stream import Stream

PURGE_MESSAGES_MAX: Final = 1024  # of a queue, a tick
LOOK_MESSAGES_MAX: Final = 4096


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


def purge(kernel: Kernel, queue: Queue, stream: Stream) -> None:
    """Take some messages off the queue that its stream does not keep for anybody."""
    bound = stream.floor if stream.floor else stream.earliest
    if bound <= stream.begin or queue.depth == 0:
        return
    found: list[Entry] = []
    for lane in queue.lanes:
        _collect(queue, lane.front, stream.begin, bound, found)
        _collect(queue, lane.strays, stream.begin, bound, found)
        if not lane.swept:
            _collect(queue, lane.rear, stream.begin, bound, found)
        elif lane.front.head is None and lane.swept[0].first_sequence < bound:
            fetch_first(queue, lane, kernel.outbox)
    if found and kernel.coordinator.has_room(None, 16 * len(found)):
        kernel.coordinator.expire(queue, found)


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
