"""Records about units of work: how they end, what of them is undone, what is in doubt.

All integers little endian.

    COMMIT         u32 puts, u32 0, then u64 queue, u64 number, u64 sequence for each persistent put
    COMPENSATE     u32 changes, u32 0, then u64 kind (1 put, 2 get) | backout count << 8, u64 queue,
    u64 number
    BACKOUT        empty: every change of the unit is compensated
    PREPARE        i32 format id, u16 length of the global id, u16 length of the owner, then global
    id, branch
                   qualifier, and the user who prepared it in UTF-8
    FORGET         as PREPARE
    HEURISTIC      u8 outcome (1 committed, 2 backed out), then as PREPARE: what an operator decided
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.base.errors import IntegrityError
from ternmq.log.record import LogRecord
from ternmq.txn.families.describing import Names, Values, xid_values
from ternmq.txn.families.message_history import MessageHistory
from ternmq.txn.families.packing import unpack_triples
from ternmq.txn.families.record_kind import MessageRecordKind, RecordKind
from ternmq.txn.in_log import InLog
from ternmq.txn.own_puts import forget_browses
from ternmq.txn.redo import Redo
from ternmq.txn.unit import (
    BACKING_OUT,
    CHANGE_GET,
    CHANGE_NONE,
    CHANGE_PUT,
    PREPARED,
    Change,
)
from ternmq.values.xid import XID

XID_HEAD: Final = struct.Struct("<iHH")
OUTCOMES: Final = {1: "committed", 2: "backed out"}
CHANGES: Final = {CHANGE_PUT: "put", CHANGE_GET: "get"}


# ---- COMMIT; its payload is rows of three, `pack_triples`


@final
class CommitKind(MessageRecordKind):
    """A unit ended well."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        commit_unit(redo, record.uow, unpack_triples(record.payload), record)

    def queues(self, record: LogRecord) -> list[int]:
        return [queue_id for queue_id, _, _ in unpack_triples(record.payload)]

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        return {"puts": names.places(unpack_triples(record.payload))}

    def follow(self, record: LogRecord, history: MessageHistory) -> None:
        history.committed(record.uow, unpack_triples(record.payload))


def commit_unit(
    redo: Redo, unit_id: int, rows: list[tuple[int, int, int]], record: LogRecord
) -> None:
    """A unit ends by COMMIT or LEDGER."""
    unit = redo.end_unit(unit_id)
    sequences: dict[tuple[int, int], int] = {}
    for queue_id, number, sequence in rows:
        sequences[(queue_id, number)] = sequence
        _decide(redo, queue_id, number, sequence, record)
    if unit is None:
        return
    for change in unit.changes:
        entry = change.entry
        queue = change.queue
        entry.unit_id = 0
        if change.kind == CHANGE_PUT:
            queue.uncommitted_puts -= 1
            # None if the queue was damaged then and is re-created now.
            given = sequences.get((int(queue.queue_id), int(entry.number)))
            new = int(queue.next_sequence) if given is None else given
            redo.reveal(queue, entry, new, record.end_lsn)
            if entry.segment is not None:
                redo.in_log.add(entry, record.lsn)
        elif change.kind == CHANGE_GET:
            queue.uncommitted_gets -= 1
            redo.in_log.remove(entry)
            queue.vanish(entry)


def _decide(redo: Redo, queue_id: int, number: int, sequence: int, record: LogRecord) -> None:
    """A message of which the log has only what became of it: its body is in a segment, its PUT was
    before the redo LSN."""
    queue = redo.queue(queue_id)
    entry = None if queue is None else queue.undecided.pop(number, None)
    if queue is None or entry is None:
        return
    if sequence == 0:
        queue.vanish(entry)
        return
    redo.reveal(queue, entry, sequence, record.end_lsn)
    redo.in_log.add(entry, record.lsn)


# ---- COMPENSATE and BACKOUT


def compensation_kind(kind: int, backout_count: int) -> int:
    """The first number of a row of COMPENSATE: kind and new backout count."""
    return kind | backout_count << 8


def undo_change(in_log: InLog, change: Change, backout_count: i64) -> None:
    """Take back a put or get. Backout does it before it writes COMPENSATE, which says what was
    undone and is never undone itself; redo of the record does it again."""
    entry = change.entry
    queue = change.queue
    entry.unit_id = 0
    if change.kind == CHANGE_PUT:
        queue.uncommitted_puts -= 1
        in_log.remove(entry)
        if queue.marks or queue.locks:
            forget_browses(queue, entry)
        queue.vanish(entry)
    else:
        queue.uncommitted_gets -= 1
        entry.backout_count = backout_count
        queue.restore(entry)


@final
class CompensateKind(MessageRecordKind):
    """Some changes of a unit are undone."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        unit = redo.units.get(record.uow)
        if unit is not None:
            unit.last_lsn = record.lsn
            unit.state = BACKING_OUT
            unit.xid = None
        for row, queue_id, number in unpack_triples(record.payload):
            kind = row & 0xFF
            if kind == CHANGE_PUT:
                _decide(redo, queue_id, number, 0, record)
            if unit is not None:
                change = redo.change_of(unit, (kind, queue_id, number))
                if change is not None:
                    undo_change(redo.in_log, change, row >> 8)
                    change.kind = CHANGE_NONE

    def queues(self, record: LogRecord) -> list[int]:
        rows = unpack_triples(record.payload)
        return [queue_id for change, queue_id, _ in rows if change & 0xFF == CHANGE_GET]

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        rows = []
        for kind, queue_id, number in unpack_triples(record.payload):
            row: Values = {
                "undoes": CHANGES.get(kind & 0xFF, str(kind & 0xFF)),
                "backout_count": kind >> 8,
            }
            rows.append({**row, **names.place(queue_id, number)})
        return {"changes": rows}

    def follow(self, record: LogRecord, history: MessageHistory) -> None:
        for kind, queue_id, number in unpack_triples(record.payload):
            history.undone(record.uow, kind & 0xFF, queue_id, number)


@final
class BackoutKind(MessageRecordKind):
    """A unit is backed out."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        """All changes are compensated, but those to a queue that was damaged when the unit was
        backed out; they are known here if it is re-created now."""
        unit = redo.end_unit(record.uow)
        if unit is None:
            return
        for change in reversed(unit.changes):
            if change.kind != CHANGE_NONE:
                undo_change(redo.in_log, change, change.entry.backout_count + 1)

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        return {}


# ---- PREPARE, FORGET and HEURISTIC


def pack_xid(xid: XID) -> bytes:
    """PREPARE or FORGET."""
    owner = xid.owner.encode("utf-8", "replace")
    head = XID_HEAD.pack(xid.format_id, len(xid.global_id), len(owner))
    return head + xid.global_id + xid.branch_qualifier + owner


def unpack_xid(payload: bytes) -> XID:
    """The XID of PREPARE or FORGET."""
    format_id, length, owner_length = XID_HEAD.unpack_from(payload, 0)
    start = XID_HEAD.size
    end = len(payload) - owner_length
    if start + length > end:
        raise IntegrityError(f"XID announces {length} and {owner_length} bytes in {len(payload)}")
    owner = payload[end:].decode("utf-8", "replace")
    return XID(format_id, payload[start : start + length], payload[start + length : end], owner)


def pack_heuristic(outcome: int, xid: XID) -> bytes:
    """A HEURISTIC."""
    return bytes([outcome]) + pack_xid(xid)


def unpack_heuristic(payload: bytes) -> tuple[int, XID]:
    """Outcome and XID of a HEURISTIC."""
    if not payload:
        raise IntegrityError("HEURISTIC record of 0 bytes")
    return payload[0], unpack_xid(payload[1:])


@final
class PrepareKind(MessageRecordKind):
    """A unit is in doubt."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        unit = redo.unit(record.uow, record.lsn)
        unit.xid = unpack_xid(record.payload)
        unit.state = PREPARED

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        return {"xid": xid_values(unpack_xid(record.payload))}


@final
class HeuristicKind(RecordKind):
    """An operator decided in place of the transaction manager."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        outcome, xid = unpack_heuristic(record.payload)
        redo.heuristic[xid.key] = outcome
        redo.heuristic_owners[xid.key] = xid.owner

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        outcome, xid = unpack_heuristic(record.payload)
        return {"outcome": OUTCOMES.get(outcome, str(outcome)), "xid": xid_values(xid)}


@final
class ForgetKind(RecordKind):
    """The transaction manager knows what the operator decided."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        forgotten = unpack_xid(record.payload).key
        redo.heuristic.pop(forgotten, None)
        redo.heuristic_owners.pop(forgotten, None)

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        return {"xid": xid_values(unpack_xid(record.payload))}
