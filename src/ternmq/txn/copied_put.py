"""A message and its copies, or a message for several destinations, put on several queues at once:
one log record and one body for all.

Part of the coordinator, in a file of its own. The record is a PUT with several targets, so a crash
leaves the message on all queues or on none; inside a unit of work each is a change of its own.
"""

from __future__ import annotations

from mypy_extensions import i64

from ternmq.log.kinds import PUT
from ternmq.store.copying import tenths_of
from ternmq.store.queue import Queue
from ternmq.txn.coordinator import Coordinator
from ternmq.txn.families.message_records import OWN_BYTES_MAX, TARGET, Target, pack_puts
from ternmq.txn.reserves import (
    CHANGE_RESERVE,
    NUMBERS_RECORD_BYTES,
    PUT_RECORD_OVERHEAD,
    UNIT_RESERVE,
)
from ternmq.txn.unit import CHANGE_PUT, Change, UnitOfWork
from ternmq.values.entry import PERSISTENT, PUTTING, Entry


def has_room_for_copies(
    coordinator: Coordinator,
    unit: UnitOfWork | None,
    data_bytes: i64,
    copies: i64,
    away: i64,
    away_bytes: i64,
) -> bool:
    """Whether a message can be logged with copies that share its record, and with some that go
    away with a record and headers of their own."""
    reserve: i64 = 0
    if unit is not None or away:
        reserve = CHANGE_RESERVE * (1 + copies + away)
        if unit is None or unit.first_lsn == 0:
            reserve += UNIT_RESERVE
    size = PUT_RECORD_OVERHEAD + data_bytes + copies * (TARGET.size + NUMBERS_RECORD_BYTES)
    size += away * (PUT_RECORD_OVERHEAD + away_bytes)
    return coordinator.space.fits(int(size), int(reserve))


def has_room_for_list(
    coordinator: Coordinator, unit: UnitOfWork | None, data_bytes: i64, messages: i64
) -> bool:
    """Whether a message can be logged for so many destinations that share its record."""
    reserve: i64 = 0
    if unit is not None:
        reserve = CHANGE_RESERVE * messages
        if unit.first_lsn == 0:
            reserve += UNIT_RESERVE
    target = TARGET.size + OWN_BYTES_MAX + NUMBERS_RECORD_BYTES
    size = PUT_RECORD_OVERHEAD + data_bytes + messages * target
    return coordinator.space.fits(int(size), int(reserve))


def put_all(
    coordinator: Coordinator,
    unit: UnitOfWork | None,
    queues: list[Queue],
    entries: list[Entry],
    are_copies: bool = True,
) -> i64:
    """Put a message on the first queue and its copies on the others, or on each queue a message of
    its own that has the same body; returns what must be forced before the putter is answered (0:
    nothing)."""
    at: i64 = 0
    while at < len(entries):
        entry = entries[at]
        queue = queues[at]
        if queue.stream is not None:
            coordinator.number_ahead(queue)
        entry.number = queue.next_number
        entry.queue_id = queue.queue_id
        queue.next_number += 1
        at += 1
    lsn: i64 = 0
    durable_at: i64 = 0
    if entries[0].flags & PERSISTENT:
        lsn = _log(coordinator, unit, queues, entries, are_copies)
        if unit is None:
            durable_at = coordinator.log.end_lsn
    at = 0
    while at < len(entries):
        entry = entries[at]
        if lsn:
            coordinator.in_log.add(entry, lsn)
        if unit is not None:
            _hold(unit, queues[at], entry)
        else:
            if lsn:
                queues[at].last_lsn = durable_at
            queues[at].reveal(entry, durable_at)
        at += 1
    if unit is not None and are_copies:
        unit.copies += len(entries) - 1
    return durable_at


def _log(
    coordinator: Coordinator,
    unit: UnitOfWork | None,
    queues: list[Queue],
    entries: list[Entry],
    are_copies: bool,
) -> i64:
    """The record; its LSN."""
    targets: list[Target] = []
    first = entries[0]
    before: dict[int, int] = {}  # how many of them the queue has already
    at: i64 = 0
    while at < len(entries):
        entry = entries[at]
        sequence: i64 = 0
        if unit is None:
            more = before.get(int(entry.queue_id), 0)
            before[int(entry.queue_id)] = more + 1
            sequence = queues[at].next_sequence + more
        target = Target(int(entry.queue_id), int(entry.number), int(sequence))
        if at:
            if are_copies:
                target.become_copy(int(tenths_of(entry)))
            else:
                target.expire(entry, first)
            target.differ(entry, first)
        targets.append(target)
        at += 1
    parts = coordinator.image(first, queues[0], targets[0].sequence)
    parts[0] = pack_puts(targets)
    if unit is None:
        return coordinator.log.append(PUT, 0, 0, parts)
    coordinator.join_log(unit)
    lsn = coordinator.append(unit, PUT, parts)
    for _ in range(len(entries) - 1):
        coordinator.join_log(unit)
    return lsn


def _hold(unit: UnitOfWork, queue: Queue, entry: Entry) -> None:
    """Put inside a unit of work: it is not visible yet."""
    entry.state = PUTTING
    entry.unit_id = unit.unit_id
    queue.uncommitted_puts += 1
    unit.changes.append(Change(CHANGE_PUT, queue, entry))
