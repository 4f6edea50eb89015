"""A survey of all of a linear log that is kept: what the register would have, if it is lost.

Where the last media image of each object is, and for each queue the last record that a journal must
know of. Only records count that make the next checkpoint write to the queue's journal; so
a journal that ends before the one found here was cut off.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from ternmq.log.record import LogRecord
from ternmq.txn.families.record_kind import FoundImage
from ternmq.txn.families.table import kind_of


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
            kind = kind_of(record)
            image = kind.image(record)
            if image is not None:
                if record.lsn < self.checkpoint_lsn:  # replay finds the later ones
                    self.images[image.object_id] = image
            elif record.lsn < self.redo_lsn:
                for queue_id in kind.queues(record):
                    self.last[queue_id] = record.lsn


def last_image(records: Iterator[LogRecord], object_id: int) -> FoundImage | None:
    """The last image of an object in some of the log: for when nothing else says where it is."""
    found: FoundImage | None = None
    for record in records:
        image = kind_of(record).image(record)
        if image is not None and image.object_id == object_id:
            found = image
    return found
