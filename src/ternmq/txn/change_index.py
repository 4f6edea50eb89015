"""The changes of one unit of work by what COMPENSATE calls them, for replay of the log.

A unit that gets its own puts has a COMPENSATE for each, so what one of them undoes must be found
without a look at all other changes of the unit.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.txn.unit import Change


@final
class ChangeIndex:
    """Changes by kind, queue and number."""

    __slots__ = ("_changes", "_seen")

    def __init__(self) -> None:
        self._changes: dict[tuple[int, int, int], Change] = {}
        self._seen: i64 = 0  # so many changes of the unit were taken in

    def take(self, changes: list[Change], key: tuple[int, int, int]) -> Change | None:
        """The change of a unit with that kind, queue and number, which is about to be undone."""
        at = self._seen
        while at < len(changes):
            change = changes[at]
            entry = change.entry
            self._changes[int(change.kind), int(change.queue.queue_id), int(entry.number)] = change
            at += 1
        self._seen = at
        return self._changes.pop(key, None)
