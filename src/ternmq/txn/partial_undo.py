"""Undoing the latest changes of a unit of work that goes on: a verb of several messages has failed.

Part of the coordinator, in a file of its own. No backout is counted, and a COMPENSATE record says
what was undone, as it does for a get that is given back inside its unit.
"""

from __future__ import annotations

from mypy_extensions import i64

from ternmq.log.kinds import COMPENSATE
from ternmq.store.queue import Queue
from ternmq.txn.coordinator import Coordinator
from ternmq.txn.families.packing import pack_triples
from ternmq.txn.families.unit_records import compensation_kind, undo_change
from ternmq.txn.unit import CHANGE_NONE, UnitOfWork


def undo_latest(coordinator: Coordinator, unit: UnitOfWork, keep: i64, changes_max: i64) -> bool:
    """Undo changes, the latest first and a bounded number, until `keep` are left; True when they
    are."""
    rows: list[tuple[int, int, int]] = []
    queues: list[Queue] = []
    done: i64 = 0
    unit.own = None
    while len(unit.changes) > keep and done < changes_max:
        change = unit.changes.pop()
        done += 1
        if change.kind == CHANGE_NONE:
            continue
        entry = change.entry
        undo_change(coordinator.in_log, change, entry.backout_count)
        if entry.persistent:
            kind = compensation_kind(int(change.kind), int(entry.backout_count))
            rows.append((kind, int(change.queue.queue_id), int(entry.number)))
            if change.queue not in queues:
                queues.append(change.queue)
    if rows:
        coordinator.append(unit, COMPENSATE, [pack_triples(rows)])
        for queue in queues:
            queue.last_lsn = coordinator.log.end_lsn
    return len(unit.changes) <= keep
