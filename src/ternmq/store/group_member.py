"""One message of a group in the index of its queue: MsgSeqNumber and Offset as one key, and where
the message is. Kept small: a queue has one for each message in a group, swept ones included."""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i32, i64, mypyc_attr

from ternmq.base import constants as mq
from ternmq.values.entry import Entry

OFFSET_BITS: Final = 30  # MsgSeqNumber and Offset are at most 999,999,999
NUMBER_MAX: Final = (1 << OFFSET_BITS) - 1
IN_MEMORY: Final = -1  # the location of a message that has an entry

SEGMENT_FLAGS: Final = mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT
GROUP_FLAGS: Final = mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP
_KEPT_FLAGS: Final = SEGMENT_FLAGS | GROUP_FLAGS | mq.MQMF_SEGMENTATION_ALLOWED
_LANE_SHIFT: Final = 8
FIRST_KEY: Final = 1 << OFFSET_BITS  # MsgSeqNumber 1, Offset 0


def key_of(sequence_number: i64, offset: i64, flags: i64) -> i64:
    """What orders the messages of a group; one that is not a segment has no offset."""
    number: i64 = min(max(sequence_number, 0), NUMBER_MAX)
    if flags & SEGMENT_FLAGS == 0:
        return number << OFFSET_BITS
    return number << OFFSET_BITS | min(max(offset, 0), NUMBER_MAX)


# Not watched by the garbage collector: a group may have very many, and none leads to a cycle.
@mypyc_attr(acyclic=True)
@final
class Member:
    """One message of a group: its place in there, and where it is."""

    __slots__ = ("_marks", "entry", "expiry_at", "key", "length", "location", "sequence", "serial")

    def __init__(
        self, key: i64, sequence: i64, lane: i64, flags: i64, length: i64, expiry_at: i64
    ) -> None:
        self.key: i64 = key
        self.sequence: i64 = sequence
        self.expiry_at: i64 = expiry_at
        self.entry: Entry | None = None  # None: it is swept
        self.location: i32 = i32(IN_MEMORY)  # of a swept one, as the id tables have it
        self.length: i32 = i32(length)  # of the body
        self.serial: i32 = i32(0)  # of its group
        self._marks: i32 = i32(flags & _KEPT_FLAGS | lane << _LANE_SHIFT)

    @property
    def number(self) -> i64:
        """MsgSeqNumber."""
        return self.key >> OFFSET_BITS

    @property
    def offset(self) -> i64:
        """Offset, 0 if it is not a segment."""
        return self.key & NUMBER_MAX

    @property
    def end(self) -> i64:
        """The Offset of the segment that would follow it."""
        return (self.key & NUMBER_MAX) + i64(self.length)

    @property
    def flags(self) -> i64:
        """MsgFlags, those of groups and segments."""
        return i64(self._marks) & _KEPT_FLAGS

    @property
    def lane(self) -> i64:
        """The lane of the queue that it is in."""
        return i64(self._marks) >> _LANE_SHIFT

    @property
    def is_segment(self) -> bool:
        """Whether it is a part of a logical message."""
        return self.flags & SEGMENT_FLAGS != 0
