"""What memory keeps of one segment file: a state byte and an offset a message, and a few counts.

A segment is *swept* while its living messages have no entry in memory, and *loaded* once they have;
either way its file is where the bodies of its persistent messages are safe. States change here; the
file never does. Owned by the queue; written by `sweep`, named in the state journal at checkpoints.
"""

from __future__ import annotations

from array import array
from typing import Final, final

from mypy_extensions import i64

from ternmq.store.group_member import Member
from ternmq.values.entry import Entry, Home

ALIVE: Final = 0
LOCKED: Final = 1  # got in a unit of work that has not ended
DEAD: Final = 2

MIXED: Final = 255  # the lane of a segment that holds messages of several, or out of order

ORDINAL_BITS: Final = 12
SEGMENT_MESSAGES_MAX: Final = 1 << ORDINAL_BITS
SLOT_MASK: Final = (1 << 18) - 1

# states -> bitmap: one character a message, '1' where it is dead
_DEAD_TEXT: Final = bytes(0x31 if state == DEAD else 0x30 for state in range(256))


@final
class Segment(Home):
    """One immutable file of messages of one queue, and which of them live."""

    __slots__ = (
        "alive",
        "backouts",
        "count",
        "durable",
        "durable_left",
        "file_bytes",
        "first_sequence",
        "grouped",
        "lane",
        "last_sequence",
        "locked",
        "members",
        "min_expiry",
        "newest_lsn",
        "number",
        "numbers",
        "offsets",
        "path",
        "persistent",
        "pinned",
        "saved",
        "states",
        "swept",
        "touched",
        "wanted",
    )

    def __init__(self, number: i64, path: str, lane: i64, count: i64) -> None:
        self.number: i64 = number
        self.path = path
        self.lane: i64 = lane
        self.count: i64 = count
        self.first_sequence: i64 = 0
        self.last_sequence: i64 = 0
        self.states = bytearray(int(count))
        self.offsets: array[int] = array("I")
        self.numbers: array[int] = array("Q")  # of its messages; only while restart needs them
        self.alive: i64 = count
        self.locked: i64 = 0
        self.persistent: i64 = 0  # how many of its messages are persistent, living or dead
        self.durable = b""  # which: a byte a message, 1 if it is; empty if all are or none is
        self.durable_left: i64 = 0  # how many of them are not dead
        self.min_expiry: i64 = 0
        self.file_bytes: i64 = 0
        self.newest_lsn: i64 = 0  # of the journal that it was loaded by: no message is newer
        self.backouts: dict[int, int] = {}
        # By ordinal, while it is swept: those in groups, for the queue's index; empty without any.
        self.members: list[Member | None] = []
        self.grouped: i64 = 0  # how many those are
        self.swept = False
        self.saved = False  # named in the state journal
        self.pinned = False  # a journal may name it and the persistent messages in it
        self.touched = True  # changed since the journal last recorded it
        self.wanted = False  # a fetch is under way

    @property
    def slot(self) -> int:
        """The segment's part of a location in the id tables."""
        return int(self.number) & SLOT_MASK

    def location(self, ordinal: i64) -> int:
        """Where a message is, as the id tables keep it."""
        return (self.slot << ORDINAL_BITS) | int(ordinal)

    def mark(self, ordinal: i64, state: i64) -> None:
        """Change the state of one message."""
        before = self.states[ordinal]
        if before == state:
            return
        if before == ALIVE:
            self.alive -= 1
        elif before == LOCKED:
            self.locked -= 1
        if state == ALIVE:
            self.alive += 1
        elif state == LOCKED:
            self.locked += 1
        if state == DEAD and self.durable_left > 0:
            if not self.durable or self.durable[ordinal]:
                self.durable_left -= 1
        self.states[ordinal] = int(state)
        self.touched = True

    def set_durable(self, flags: bytes) -> None:
        """Which of its messages are persistent: 1 for each that is, 0 for the others."""
        self.persistent = flags.count(1)
        is_uniform = self.persistent == 0 or self.persistent == self.count
        self.durable = b"" if is_uniform else flags
        self.durable_left = self.persistent
        if self.alive + self.locked < self.count:
            for ordinal in range(int(self.count)):
                if flags[ordinal] and self.states[ordinal] == DEAD:
                    self.durable_left -= 1

    @property
    def durable_recorded(self) -> i64:
        """How many persistent messages the journal records: none once all of them are dead, so
        that restart need not read the file."""
        return self.persistent if self.durable_left > 0 else 0

    @property
    def empty(self) -> bool:
        """Nothing in it lives any more."""
        return self.alive == 0 and self.locked == 0

    def dead_bitmap(self) -> bytes:
        """One bit a message, lowest first; set where the message is dead."""
        text = self.states.translate(_DEAD_TEXT)
        return int(text[::-1], 2).to_bytes((int(self.count) + 7) // 8, "little")

    def load_bitmap(self, bitmap: bytes) -> None:
        """Take the dead from a bitmap."""
        bits = int.from_bytes(bitmap, "little")
        if not bits:
            return
        text = bin(bits)[2:].encode("ascii")[::-1]
        for ordinal in range(min(len(text), int(self.count))):
            if text[ordinal] == 0x31:
                self.mark(ordinal, DEAD)


def segment_of(entry: Entry) -> Segment | None:
    """The file that a message was swept to, or has its body in."""
    home = entry.segment
    return home if isinstance(home, Segment) else None
