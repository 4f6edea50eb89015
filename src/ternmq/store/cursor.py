"""A browse cursor: a place on a queue that stays right while messages come and go.

The place is (lane, sequence). While the message there is in memory the cursor also points at it, or
at the one before it once it has left, so that the next message is found without a search. Owned by
an object handle.

A browse also sees what its own unit of work has put and not committed: behind all else of its lane,
in the order of numbers. `own` is the last of these that it came to in this lane.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.values.entry import NOWHERE, Entry


@final
class Cursor:
    """Where a browse stands; before the first message until it moves."""

    __slots__ = ("at", "entry", "lane", "number", "on_message", "own", "sequence", "stray")

    def __init__(self) -> None:
        self.lane: i64 = 10
        self.sequence: i64 = 0
        self.number: i64 = 0
        self.entry: Entry | None = (
            None  # in a list: the message itself, or the last one before the place
        )
        self.at: Entry | None = None  # the message under the cursor, wherever it is
        self.on_message = False
        self.own: Entry | None = None
        # a hint where to look among the strays; it may have left, or moved, since
        self.stray: Entry | None = None

    def reset(self) -> None:
        """Back to before the first message."""
        self.leave()
        self.lane = 10
        self.sequence = 0
        self.number = 0
        self.on_message = False
        self.at = None
        self.own = None
        self.stray = None

    def leave(self) -> None:
        """Stop pointing at an entry; the place stays."""
        entry = self.entry
        if entry is not None:
            if entry.cursors > 0:
                entry.cursors -= 1
            self.entry = None

    def stand_on(self, entry: Entry) -> None:
        """Move to a message."""
        self.leave()
        if self.own is not None and self.lane != entry.lane:
            self.own = None
        self.lane = entry.lane
        self.sequence = entry.sequence
        self.number = entry.number
        self.on_message = True
        self.at = entry
        if entry.place > NOWHERE:  # of the front or the rear
            entry.cursors += 1
            self.entry = entry

    def stand_on_own(self, entry: Entry, behind: i64) -> None:
        """Move to a message that its own unit of work has put: behind that place of its lane."""
        self.leave()
        self.lane = entry.lane
        self.sequence = behind
        self.number = entry.number
        self.on_message = True
        self.at = entry
        self.own = entry

    def settle_own(self) -> None:
        """What it saw of its own unit of work may have been committed since, and has places now."""
        own = self.own
        if own is not None and own.sequence:
            self.sequence = max(self.sequence, own.sequence)
            self.own = None

    def pass_over(self, sequence: i64) -> None:
        """Move behind messages that were not brought to memory."""
        self.leave()
        self.sequence = sequence
        self.on_message = False
        self.at = None

    def message_left(self, entry: Entry, swept: bool) -> None:
        """The message it points at leaves the list: point at the one before; a swept one is
        still there to get."""
        before = entry.prev
        self.entry = before
        if before is not None:
            before.cursors += 1
        if self.number == entry.number and not swept:
            self.on_message = False
            self.at = None
