"""Stream cursors in the log: each change is a CURSOR record, and CHECKPOINT has all of them.

    CURSOR         u8 action (1 define, 2 advance, 3 reset, 4 delete), u8 length of the cursor's
                   name, u8 length of the queue's name, u8 length of the owner, u32 flags, u64
                   queue, u64 incarnation, u64 position, u64 begin, i64 time in ns since 1970; then
                   cursor, queue and owner in UTF-8. `begin`: the queue's stream begins there by
                   this record; 0: it had one. Flags, bit 0: what is on the queue with numbers
                   below `begin` comes into the stream, from `position` on; bit 1: it had a stream,
                   which had nothing below `begin` any more; bits 8 to 31: minutes without a use
                   after which the cursor is deleted, 0 for never

The redo rule: the table of cursors is as of the last CHECKPOINT record, so a record before that
changes none; the stream of a queue is as of the queue's journal. ORDER: the record is appended,
then the table is changed, in one step.
"""

from __future__ import annotations

import struct
from typing import Final, final

from ternmq.base.errors import IntegrityError
from ternmq.log.kinds import CURSOR
from ternmq.log.record import LogRecord
from ternmq.store.stream.fill import fill_now
from ternmq.store.stream.inventory import Inventory, held_of
from ternmq.store.stream.named_cursor import CursorTable, StreamCursor
from ternmq.store.stream.trimming import cut_below
from ternmq.txn.coordinator import Coordinator
from ternmq.txn.families.describing import Names, Values, time_of
from ternmq.txn.families.record_kind import RecordKind
from ternmq.txn.redo import Redo

DEFINE: Final = 1
ADVANCE: Final = 2
RESET: Final = 3
DELETE: Final = 4
ACTION_NAMES: Final = ("", "define", "advance", "reset", "delete")

CURSOR_RECORD_BYTES: Final = 512  # more than any takes
CURSOR_ROW_BYTES: Final = 272  # the same in CHECKPOINT

FILLS: Final = 1  # the flags
HAD_STREAM: Final = 2
EXPIRY_MAX: Final = (1 << 24) - 1
_EXPIRY_SHIFT: Final = 8
_FLAGS: Final = (1 << _EXPIRY_SHIFT) - 1

_HEAD: Final = struct.Struct("<BBBBIQQQQq")


@final
class CursorChange:
    """What a CURSOR record says."""

    __slots__ = ("action", "begin", "cursor", "flags")

    def __init__(self, action: int, begin: int, cursor: StreamCursor, flags: int) -> None:
        self.action = action
        self.begin = begin
        self.cursor = cursor
        self.flags = flags

    @property
    def begins(self) -> bool:
        """The queue has a stream from now on."""
        return self.begin != 0 and not self.flags & HAD_STREAM

    @property
    def fills(self) -> bool:
        """The stream is filled with what is on the queue."""
        return self.flags & FILLS != 0


def pack_change(action: int, begin: int, cursor: StreamCursor, flags: int = 0) -> bytes:
    """A CURSOR record."""
    name = cursor.name.encode("utf-8")
    queue = cursor.queue_name.encode("utf-8")
    owner = cursor.owner.encode("utf-8", "replace")
    head = _HEAD.pack(
        action,
        len(name),
        len(queue),
        len(owner),
        flags | cursor.expiry_m << _EXPIRY_SHIFT,
        cursor.queue_id,
        cursor.incarnation,
        cursor.position,
        begin,
        cursor.altered_ns,
    )
    return head + name + queue + owner


def unpack_change(payload: bytes) -> CursorChange:
    """What such a record says."""
    if len(payload) < _HEAD.size:
        raise IntegrityError(f"CURSOR record of {len(payload)} bytes")
    action, name, queue, owner, flags, queue_id, incarnation, position, begin, at_ns = (
        _HEAD.unpack_from(payload)
    )
    if not DEFINE <= action <= DELETE or len(payload) != _HEAD.size + name + queue + owner:
        raise IntegrityError(f"CURSOR record of action {action} in {len(payload)} bytes")
    start = _HEAD.size
    texts = (
        payload[start : start + name],
        payload[start + name : start + name + queue],
        payload[start + name + queue :],
    )
    cursor = StreamCursor(
        texts[0].decode("utf-8", "replace"),
        queue_id,
        texts[1].decode("utf-8", "replace"),
        incarnation,
        position,
        texts[2].decode("utf-8", "replace"),
        at_ns,
        at_ns,
        flags >> _EXPIRY_SHIFT,
    )
    return CursorChange(action, begin, cursor, flags & _FLAGS)


def log_change(
    coordinator: Coordinator,
    table: CursorTable,
    action: int,
    cursor: StreamCursor,
    begin: int = 0,
    flags: int = 0,
) -> int:
    """Log a change and make it; `cursor` is how it is from now on. Returns what must be forced."""
    coordinator.log.append(CURSOR, 0, 0, [pack_change(action, begin, cursor, flags)])
    apply_change(table, action, cursor)
    lsn = int(coordinator.log.end_lsn)
    changed = table.by_name.get(cursor.name)
    if changed is not None:
        changed.visible_lsn = lsn
    return lsn


def apply_change(table: CursorTable, action: int, recorded: StreamCursor) -> None:
    """Change the table."""
    if action == DEFINE:
        table.add(recorded)
        return
    if action == DELETE:
        table.remove(recorded.name)
        return
    cursor = table.by_name.get(recorded.name)
    if cursor is not None:
        cursor.position = recorded.position
        cursor.incarnation = recorded.incarnation
        cursor.altered_ns = recorded.altered_ns


@final
class CursorKind(RecordKind):
    """A cursor is defined, advanced, reset or deleted."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        change = unpack_change(record.payload)
        queue_id = change.cursor.queue_id
        if queue_id not in redo.definitions:
            return  # deleted since, and its cursors with it
        if record.lsn > redo.cursors_lsn:
            apply_change(redo.catalog.cursors, change.action, change.cursor)
        if change.begins:
            redo.begin_stream(queue_id, change.begin, record.lsn)
        if change.fills:
            _fill_stream(redo, change, record)

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        change = unpack_change(record.payload)
        cursor = change.cursor
        values: Values = {
            "action": ACTION_NAMES[change.action],
            "cursor": cursor.name,
            "queue": cursor.queue_name,
            "queue_id": cursor.queue_id,
            "incarnation": cursor.incarnation,
            "position": cursor.position,
            "owner": cursor.owner,
            "time": time_of(cursor.altered_ns),
        }
        if change.begins:
            values["stream_begins"] = change.begin
        if change.fills:
            values["fills_stream_below"] = change.begin
        return values


def _fill_stream(redo: Redo, change: CursorChange, record: LogRecord) -> None:
    """The queue is as it was when the record was written, so the stream gets the same again. It may
    have more than it had then: what is trimmed is not logged."""
    queue = redo.queue(change.cursor.queue_id)
    stream = None if queue is None else queue.stream
    if queue is None or stream is None or record.lsn < queue.state_lsn:
        return
    got = [one.entry for unit in redo.units.values() for one in unit.changes]
    rest = cut_below(redo.disk, stream, change.begin)
    stream.whole = max(stream.whole, change.begin)
    below = min(change.begin, int(stream.earliest))
    inventory = Inventory(queue, below, held_of(queue, got))
    inventory.lowest = min(inventory.lowest, change.cursor.position)
    inventory.rest = rest[::-1]
    fill_now(redo.disk, queue, stream, inventory, record.end_lsn)


# ---- all cursors, in CHECKPOINT


def serialize_cursors(table: CursorTable) -> list[list[object]]:
    """All cursors as CHECKPOINT has them."""
    rows: list[list[object]] = []
    for name in sorted(table.by_name):
        cursor = table.by_name[name]
        rows.append(
            [
                name,
                cursor.queue_id,
                cursor.queue_name,
                cursor.incarnation,
                cursor.position,
                cursor.owner,
                cursor.defined_ns,
                cursor.altered_ns,
                cursor.expiry_m,
            ]
        )
    return rows


def take_cursors(table: CursorTable, rows: object) -> None:
    """Fill the table from what CHECKPOINT has."""
    if not isinstance(rows, list):
        return
    for row in rows:
        # A checkpoint from before cursors could expire has eight values.
        name, queue_id, queue_name, incarnation, position, owner, defined_ns, altered_ns = row[:8]
        table.add(
            StreamCursor(
                str(name),
                int(queue_id),
                str(queue_name),
                int(incarnation),
                int(position),
                str(owner),
                int(defined_ns),
                int(altered_ns),
                int(row[8]) if len(row) > 8 else 0,
            )
        )


def checkpoint_bytes(table: CursorTable, more: int) -> int:
    """About what the table takes of a CHECKPOINT record, with so many cursors more."""
    return CURSOR_ROW_BYTES * (len(table.by_name) + more)
