"""What every kind of log record has: the base of the classes that the families define.

A family's module holds for each of its kinds the layout, `pack_*` and `unpack_*`, and a class with
the methods below, side by side. `table` has one object of each class. The writer of a record
calls `pack_*` in the step that makes the change; the table is for readers of the log.
"""

from __future__ import annotations

from typing import final

from ternmq.log.record import LogRecord
from ternmq.txn.families.describing import Names, Values
from ternmq.txn.families.message_history import MessageHistory
from ternmq.txn.redo import Redo


@final
class FoundImage:
    """Where the last media image of an object is."""

    __slots__ = ("image_lsn", "media_lsn", "ns", "object_id")

    def __init__(self, object_id: int, image_lsn: int, media_lsn: int, ns: int) -> None:
        self.object_id = object_id
        self.image_lsn = image_lsn
        self.media_lsn = media_lsn
        self.ns = ns


class RecordKind:
    """One kind. Every kind has `redo` and `describe`; the others default to "does not concern
    it"."""

    def __init__(self, kind: int, name: str) -> None:
        self.kind = kind
        self.name = name

    # ---- restart and media recovery

    def redo(self, redo: Redo, record: LogRecord) -> None:
        """Restart: do again what the record did, unless it is done."""
        raise NotImplementedError(self.name)

    def redo_queue(self, redo: Redo, record: LogRecord) -> None:
        """Media recovery of a queue, the only one that `redo` knows."""

    def redo_catalog(self, redo: Redo, record: LogRecord) -> None:
        """Media recovery of the catalog; `redo` loads no queues."""

    # ---- the survey of a log whose register is lost

    def queues(self, record: LogRecord) -> list[int]:
        """The queues whose journal the record concerns for certain."""
        return []

    def image(self, record: LogRecord) -> FoundImage | None:
        """The media image that is whole from this record on."""
        return None

    # ---- tools

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        """What the payload says, for dmpmqlog; `data_bytes` of a message's data at most."""
        raise NotImplementedError(self.name)

    def follow(self, record: LogRecord, history: MessageHistory) -> None:
        """What the record did to messages, for salvage."""


class MessageRecordKind(RecordKind):
    """A kind that changes messages or numbers of queues: media recovery of a queue does all of it
    again."""

    def redo_queue(self, redo: Redo, record: LogRecord) -> None:
        self.redo(redo, record)
