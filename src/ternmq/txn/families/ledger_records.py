"""LEDGER records: several prepared units of work are committed, and with them a row of the ledger,
in one record; so a crash leaves all of it or nothing. Or a row is deleted.

All integers little endian.

    u32 units, u32 length of the row
    the row, JSON in UTF-8: {"owner", "user", "runs": [[first batch, last batch], ...], "floor",
                            "committed", "ns"}, or {"owner", "deleted": true}
    for each unit: u64 unit of work, u32 puts, u32 0, then u64 queue, u64 number, u64 sequence for
                   each persistent put, as COMMIT has them

Validity: the lengths add up to that of the record. Redo commits each unit as COMMIT would, and sets
the row unless the catalog file has it already.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.base.errors import IntegrityError
from ternmq.log.kinds import LEDGER
from ternmq.log.record import LogRecord
from ternmq.store.catalog import Catalog
from ternmq.store.ledger import RUNS_MAX, LedgerRow, row_from_json
from ternmq.txn.coordinator import Coordinator
from ternmq.txn.families.describing import Names, Values
from ternmq.txn.families.message_history import MessageHistory
from ternmq.txn.families.packing import TRIPLE, pack_json, unpack_json
from ternmq.txn.families.record_kind import MessageRecordKind
from ternmq.txn.families.unit_records import commit_unit
from ternmq.txn.redo import Redo
from ternmq.txn.unit import CHANGE_PUT, UnitOfWork

_HEAD: Final = struct.Struct("<II")
_UNIT: Final = struct.Struct("<QII")
# The longest owner and user (12 bytes a character, escaped), runs of two numbers of 19 digits.
ROW_BYTES_MAX: Final = 4096 + RUNS_MAX * 48
MESSAGES_MAX: Final = 1_000_000  # that one record makes visible


@final
class UnitEnd:
    """The part of a record that commits one unit."""

    __slots__ = ("rows", "unit_id")

    def __init__(self, unit_id: int, rows: list[tuple[int, int, int]]) -> None:
        self.unit_id = unit_id
        self.rows = rows


@final
class LedgerRecord:
    """What a record says; `row` is None if the owner's row was deleted."""

    __slots__ = ("owner", "row", "units")

    def __init__(self, owner: str, row: LedgerRow | None, units: list[UnitEnd]) -> None:
        self.owner = owner
        self.row = row
        self.units = units


def pack_ledger(values: dict[str, object], units: list[UnitEnd]) -> bytes:
    """The payload."""
    row = pack_json(values)
    parts = [_HEAD.pack(len(units), len(row)), row]
    for unit in units:
        parts.append(_UNIT.pack(unit.unit_id, len(unit.rows), 0))
        parts.extend([TRIPLE.pack(a, b, c) for a, b, c in unit.rows])
    return b"".join(parts)


def unpack_ledger(payload: bytes) -> LedgerRecord:
    """What a payload says; IntegrityError if its lengths do not add up."""
    if len(payload) < _HEAD.size:
        raise IntegrityError(f"LEDGER record of {len(payload)} bytes")
    count, length = _HEAD.unpack_from(payload, 0)
    at = _HEAD.size + length
    values = unpack_json(payload[_HEAD.size : at])
    units: list[UnitEnd] = []
    for _ in range(count):
        if at + _UNIT.size > len(payload):
            raise IntegrityError(f"LEDGER record announces {count} units")
        unit_id, puts, _zero = _UNIT.unpack_from(payload, at)
        at += _UNIT.size
        end = at + puts * TRIPLE.size
        rows: list[tuple[int, int, int]] = []
        if end > len(payload):
            raise IntegrityError(f"LEDGER record announces {puts} puts in {len(payload)} bytes")
        for a, b, c in TRIPLE.iter_unpack(payload[at:end]):
            rows.append((a, b, c))
        units.append(UnitEnd(unit_id, rows))
        at = end
    if at != len(payload):
        raise IntegrityError(f"LEDGER record has {len(payload)} bytes, its counts give {at}")
    row = None if values.get("deleted") else row_from_json(values)
    return LedgerRecord(str(values["owner"]), row, units)


def commit_with_row(
    coordinator: Coordinator, catalog: Catalog, units: list[UnitOfWork], row: LedgerRow
) -> i64:
    """All units and the row, in one step and one record; returns what must be forced before
    any answer. ORDER: as with COMMIT, in the step that makes the changes visible."""
    ends = [UnitEnd(int(unit.unit_id), coordinator.reveal_unit(unit)) for unit in units]
    lsn: i64 = coordinator.log.append(LEDGER, 0, 0, [pack_ledger(row.to_json(), ends)])
    durable_at: i64 = coordinator.log.end_lsn
    for unit in units:
        coordinator.conclude_unit(unit, lsn, durable_at)
    row.visible_lsn = int(durable_at)
    catalog.set_ledger(row)
    return durable_at


def delete_row(coordinator: Coordinator, catalog: Catalog, owner: str) -> i64:
    """The owner's batches are forgotten; returns what must be forced."""
    values: dict[str, object] = {"owner": owner, "deleted": True}
    coordinator.log.append(LEDGER, 0, 0, [pack_ledger(values, [])])
    catalog.drop_ledger(owner)
    return coordinator.log.end_lsn


def persistent_puts(units: list[UnitOfWork]) -> int:
    """How many messages one record would have to list."""
    count = 0
    for unit in units:
        for change in unit.changes:
            if change.kind == CHANGE_PUT and change.entry.persistent:
                count += 1
    return count


def redo_row(catalog: Catalog, record_lsn: int, recorded: LedgerRecord) -> None:
    """The row of a record, unless the catalog file has it."""
    if record_lsn < catalog.lsn:
        return
    row = recorded.row
    if row is not None:
        catalog.set_ledger(row)
    else:
        catalog.drop_ledger(recorded.owner)


@final
class LedgerKind(MessageRecordKind):
    """The units of a batch are committed, and its row of the ledger is set; or a row is deleted."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        read = unpack_ledger(record.payload)
        for one in read.units:
            commit_unit(redo, one.unit_id, one.rows, record)
        redo_row(redo.catalog, record.lsn, read)

    def redo_catalog(self, redo: Redo, record: LogRecord) -> None:
        redo_row(redo.catalog, record.lsn, unpack_ledger(record.payload))

    def queues(self, record: LogRecord) -> list[int]:
        ended = unpack_ledger(record.payload).units
        return [queue_id for unit in ended for queue_id, _, _ in unit.rows]

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        read = unpack_ledger(record.payload)
        deleted: Values = {"owner": read.owner, "deleted": True}
        row = deleted if read.row is None else read.row.to_json()
        units = [{"unit": one.unit_id, "puts": names.places(one.rows)} for one in read.units]
        return {"facts": row, "units": units}

    def follow(self, record: LogRecord, history: MessageHistory) -> None:
        for unit in unpack_ledger(record.payload).units:
            history.committed(unit.unit_id, unit.rows)
