"""Single changes of a unit of work beside puts and gets: a put that is withdrawn, a message that
expires in one.

Part of the coordinator, in a file of its own. Both are for report messages: an expired message
leaves in one unit with its report, and the report on a get that is taken back goes with it.
"""

from __future__ import annotations

from ternmq.base.errors import check
from ternmq.log.kinds import COMPENSATE
from ternmq.store.queue import Queue
from ternmq.txn.coordinator import Coordinator
from ternmq.txn.families.packing import pack_triples
from ternmq.txn.families.unit_records import compensation_kind, undo_change
from ternmq.txn.unit import CHANGE_NONE, CHANGE_PUT, Change, UnitOfWork
from ternmq.values.entry import PERSISTENT, Entry


def expire_in_unit(coordinator: Coordinator, unit: UnitOfWork, queue: Queue, entry: Entry) -> None:
    """A message whose time has passed leaves the queue when the unit commits."""
    coordinator.get(unit, queue, entry)
    queue.service.gets -= 1
    queue.service.expired += 1


def withdraw(coordinator: Coordinator, unit: UnitOfWork, change: Change) -> None:
    """Undo one put of a unit of work that goes on; it need not be the last change."""
    changes = unit.changes
    at = len(changes) - 1
    while at >= 0 and changes[at] is not change:
        at -= 1
    check(at >= 0, f"{change.queue.name}: the put is not a change of its unit")
    del changes[at]
    if unit.own is not None:
        unit.own.left(at)
    undo_change(coordinator.in_log, change, 0)
    change.kind = CHANGE_NONE
    entry = change.entry
    if entry.flags & PERSISTENT:
        row = (compensation_kind(CHANGE_PUT, 0), int(change.queue.queue_id), int(entry.number))
        coordinator.append(unit, COMPENSATE, [pack_triples([row])])
        change.queue.last_lsn = coordinator.log.end_lsn
