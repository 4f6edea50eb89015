"""A survey of all of a linear log that is kept: what the register would tell, if it is lost.

Where the last media image of each object is, and for each queue the last record that a journal must
know of. Only records count that make a queue tell its journal something at the next checkpoint; so
a journal that ends before the one found here was cut off.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from ternmq.log import kinds
from ternmq.log.record import LogRecord
from ternmq.txn.ledger import unpack_ledger
from ternmq.txn.media_format import FoundImage, image_told
from ternmq.txn.records import (
    PAIR,
    unpack_get,
    unpack_pairs,
    unpack_put,
    unpack_triples,
)
from ternmq.txn.unit import CHANGE_GET


@final
class LogSurvey:
    """What was found; `redo_lsn` is where restart begins, from the checkpoint that is named."""

    def __init__(self, redo_lsn: int, checkpoint_lsn: int) -> None:
        self.redo_lsn = redo_lsn
        self.checkpoint_lsn = checkpoint_lsn
        self.images: dict[int, FoundImage] = {}
        self.last: dict[int, int] = {}  # by queue: LSN of the last record, below the redo LSN

    def take(self, records: Iterator[LogRecord]) -> None:
        """Go through the log."""
        for record in records:
            told = image_told(record)
            if told is not None:
                if record.lsn < self.checkpoint_lsn:  # replay finds the later ones
                    self.images[told[0]] = told[1]
            elif record.lsn < self.redo_lsn:
                for queue_id in _queues(record):
                    self.last[queue_id] = record.lsn


def _queues(record: LogRecord) -> list[int]:
    """The queues whose journal a record concerns for certain."""
    kind = record.kind
    if kind == kinds.PUT:
        # Inside a unit of work nothing is to be told before it is committed.
        return [one.queue_id for one in unpack_put(record.payload)[0]] if record.uow == 0 else []
    if kind == kinds.GET:
        return [unpack_get(record.payload)[0]]
    if kind == kinds.COMMIT:
        return [queue_id for queue_id, _, _ in unpack_triples(record.payload)]
    if kind == kinds.LEDGER:
        ended = unpack_ledger(record.payload).units
        return [queue_id for unit in ended for queue_id, _, _ in unit.rows]
    if kind == kinds.COMPENSATE:
        rows = unpack_triples(record.payload)
        return [queue_id for change, queue_id, _ in rows if change & 0xFF == CHANGE_GET]
    if kind == kinds.EXPIRED:
        return [queue_id for queue_id, _ in unpack_pairs(record.payload)]
    if kind == kinds.QUEUE_CLEARED:
        queue_id, _ = PAIR.unpack(record.payload)
        return [int(queue_id)]
    return []
