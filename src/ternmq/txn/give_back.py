"""Messages that were got together outside a unit of work return to their places together, for their
getter went away unanswered.

Part of the coordinator, in a file of its own. They are put again in a unit of work of their own,
under new numbers and with their old stream numbers, so that a crash leaves all of them or none.
"""

from __future__ import annotations

from mypy_extensions import i64

from ternmq.base.errors import check
from ternmq.log.kinds import COMMIT, PUT
from ternmq.store.queue import Queue
from ternmq.txn.coordinator import Coordinator
from ternmq.txn.families.packing import pack_triples
from ternmq.values.entry import GONE, PERSISTENT, Entry


def give_back_all(coordinator: Coordinator, queue: Queue, entries: list[Entry]) -> i64:
    """What must be forced so that they outlive a crash."""
    unit = coordinator.begin()
    rows: list[tuple[int, int, int]] = []
    durable_at: i64 = 0
    for entry in entries:
        check(entry.state == GONE, f"{queue.name}: message {entry.number} is not gone")
        entry.number = queue.next_number
        entry.queue_id = queue.queue_id
        queue.next_number += 1
        entry.segment = None
        durable_at = max(durable_at, entry.visible_lsn)
        if entry.flags & PERSISTENT:
            coordinator.join_log(unit)
            image = coordinator.image(entry, queue, 0)
            coordinator.in_log.add(entry, coordinator.append(unit, PUT, image))
            rows.append((int(queue.queue_id), int(entry.number), int(entry.sequence)))
    lsn: i64 = 0
    if rows:
        lsn = coordinator.append(unit, COMMIT, [pack_triples(rows)])
        durable_at = coordinator.log.end_lsn
        queue.last_lsn = durable_at
    for entry in entries:
        queue.reveal_again(entry, entry.sequence, durable_at)
    coordinator.conclude_unit(unit, lsn, durable_at)
    return durable_at
