"""Building the index of a queue's messages in memory by number, some at a time.

Gets by MsgToken alone need it while verbs run; a queue may have hundreds of thousands of
messages in memory when the first comes. What is there at the start is noted by two copies of lists,
which cost little; the rest goes on in steps. What comes or goes between them is noted in the index
at once (`Queue._list`, `Queue._uncount`).
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.store.id_index import Bucket, IdIndex
from ternmq.values.entry import NOWHERE, Entry

STEP_MESSAGES: Final = 1024


@final
class NumberIndexing:
    """An index on its way; owned by the queue."""

    __slots__ = ("_buckets", "_entries")

    def __init__(self, ids: IdIndex) -> None:
        self._entries: list[Entry] = ids.singles()
        self._buckets: list[Bucket] = ids.buckets()

    def step(self, index: dict[int, Entry]) -> bool:
        """Note the next ones; True when all are there."""
        left: i64 = STEP_MESSAGES
        while left > 0:
            left -= 1
            if self._entries:
                entry = self._entries.pop()
                if entry.place != NOWHERE:  # it has not left since
                    index[int(entry.number)] = entry
            elif self._buckets:
                self._entries = self._buckets.pop().entries()
            else:
                return True
        return not self._entries and not self._buckets
