"""The table of log record kinds: what restart, media recovery, its survey and dmpmqlog look up.

A new kind is a number in `log.kinds`, a class in a family's module, and a row here.
"""

from __future__ import annotations

from typing import Final

from ternmq.base.errors import IntegrityError
from ternmq.log import kinds
from ternmq.log.record import LogRecord
from ternmq.txn.families.checkpoint_records import NoteKind
from ternmq.txn.families.cursor_records import CursorKind
from ternmq.txn.families.definition_records import ObjectDeletedKind, ObjectKind
from ternmq.txn.families.image_records import MediaImageKind
from ternmq.txn.families.ledger_records import LedgerKind
from ternmq.txn.families.message_records import (
    ExpiredKind,
    GetKind,
    PutGotKind,
    PutKind,
    QueueClearedKind,
    StreamNumbersKind,
)
from ternmq.txn.families.record_kind import RecordKind
from ternmq.txn.families.unit_records import (
    BackoutKind,
    CommitKind,
    CompensateKind,
    ForgetKind,
    HeuristicKind,
    PrepareKind,
)

ROWS: Final[list[RecordKind]] = [
    PutKind(kinds.PUT, "PUT"),
    GetKind(kinds.GET, "GET"),
    PutGotKind(kinds.PUT_GOT, "PUT_GOT"),
    ExpiredKind(kinds.EXPIRED, "EXPIRED"),
    QueueClearedKind(kinds.QUEUE_CLEARED, "QUEUE_CLEARED"),
    StreamNumbersKind(kinds.STREAM_NUMBERS, "STREAM_NUMBERS"),
    CommitKind(kinds.COMMIT, "COMMIT"),
    BackoutKind(kinds.BACKOUT, "BACKOUT"),
    CompensateKind(kinds.COMPENSATE, "COMPENSATE"),
    PrepareKind(kinds.PREPARE, "PREPARE"),
    ForgetKind(kinds.FORGET, "FORGET"),
    HeuristicKind(kinds.HEURISTIC, "HEURISTIC"),
    LedgerKind(kinds.LEDGER, "LEDGER"),
    CursorKind(kinds.CURSOR, "CURSOR"),
    ObjectKind(kinds.OBJECT, "OBJECT"),
    ObjectDeletedKind(kinds.OBJECT_DELETED, "OBJECT_DELETED"),
    MediaImageKind(kinds.MEDIA_IMAGE, "MEDIA_IMAGE"),
    NoteKind(kinds.CHECKPOINT, "CHECKPOINT"),
    NoteKind(kinds.RESTART, "RESTART"),
]

KIND_NAMES: Final[dict[int, str]] = {row.kind: row.name for row in ROWS}


def _by_number() -> list[RecordKind | None]:
    """The rows, each at its number; a kind is one byte of the record's header."""
    found: list[RecordKind | None] = [None] * 256
    for row in ROWS:
        found[row.kind] = row
    return found


BY_NUMBER: Final = _by_number()


def kind_of(record: LogRecord) -> RecordKind:
    """The kind of a record; IntegrityError if it is not in the table."""
    found = BY_NUMBER[record.kind]
    if found is None:
        raise unknown_kind(record)
    return found


def unknown_kind(record: LogRecord) -> IntegrityError:
    """If a later version wrote the record, those after it may build on it: it is not skipped."""
    return IntegrityError(
        f"log record at LSN {record.lsn} is of kind {record.kind}, which this version does not "
        "know; use the version that wrote it, or a later one"
    )


def kind_name(kind: int) -> str:
    """The name of a kind, also of one that a later version may have written."""
    return KIND_NAMES.get(kind, f"KIND_{kind}")
