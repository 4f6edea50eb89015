"""Records of the queue manager itself: its checkpoints and its starts.

The payloads are JSON in UTF-8.

    CHECKPOINT     where restart begins, and what it needs from before that: prepared units, stream
                   cursors, outcomes that operators decided; written by `txn.checkpoint`, read once
                   at a start from the place that the control file names
    RESTART        {"epoch", "records"}: a start, and how many records it replayed
"""

from __future__ import annotations

from typing import final

from ternmq.log.record import LogRecord
from ternmq.txn.families.describing import Names, Values
from ternmq.txn.families.packing import unpack_json
from ternmq.txn.families.record_kind import RecordKind
from ternmq.txn.redo import Redo


@final
class NoteKind(RecordKind):
    """A record that changes nothing when replay reads it; CHECKPOINT and RESTART."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        return

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        return {"facts": unpack_json(record.payload)}
