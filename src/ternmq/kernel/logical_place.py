"""Where a handle is in a group: the group and segment information that MQ keeps for MQGET.

A handle has two of them, for gets and for browses. A place is what the last message leaves: which
group, and what comes next in it; None between groups. Gets in a unit of work that is backed out
leave the place as it was before the unit; browses do not.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_INCOMPLETE_GROUP, MQRC_INCOMPLETE_MSG
from ternmq.codec.mqi.mqmd import MSG_SEQ_NUMBER_AT
from ternmq.store.group_member import GROUP_FLAGS, OFFSET_BITS, SEGMENT_FLAGS, key_of
from ternmq.txn.unit import ENDED, UnitOfWork
from ternmq.values.entry import Entry

_NUMBERS: Final = struct.Struct("<iii")  # MsgSeqNumber, Offset, MsgFlags


def key_in_group(entry: Entry) -> i64:
    """MsgSeqNumber and Offset of a message, as the index of groups has them."""
    number, offset, flags = _NUMBERS.unpack_from(entry.base, MSG_SEQ_NUMBER_AT)
    return key_of(number, offset, flags)


def flags_of(entry: Entry) -> i64:
    """MsgFlags of a message."""
    flags: i64 = _NUMBERS.unpack_from(entry.base, MSG_SEQ_NUMBER_AT)[2]
    return flags


@final
class LogicalPlace:
    """A place inside a group or a logical message; never changed."""

    __slots__ = ("begins", "group_id", "in_group", "in_message", "in_unit", "next_key", "ordered")

    def __init__(
        self, entry: Entry, flags: i64, key: i64, ordered: bool, in_unit: bool, begins: i64
    ) -> None:
        self.group_id = entry.group_id
        self.ordered = ordered  # the last message was got with MQGMO_LOGICAL_ORDER
        self.in_unit = in_unit  # and in a unit of work
        self.begins: i64 = begins  # the place of the group on its queue, for browses
        self.in_message: bool = (
            flags & SEGMENT_FLAGS != 0 and flags & mq.MQMF_LAST_SEGMENT == 0
        )  # segments of the message follow
        is_last = flags & mq.MQMF_LAST_MSG_IN_GROUP != 0 and not self.in_message
        self.in_group: bool = flags & GROUP_FLAGS != 0 and not is_last
        if self.in_message:
            self.next_key: i64 = key + entry.length
        else:
            self.next_key = ((key >> OFFSET_BITS) + 1) << OFFSET_BITS

    @property
    def warning(self) -> i64:
        """What a call reports that leaves the group here."""
        if not self.ordered:
            return 0
        return MQRC_INCOMPLETE_MSG if self.in_message else MQRC_INCOMPLETE_GROUP


def place_after(entry: Entry, ordered: bool, in_unit: bool, begins: i64) -> LogicalPlace | None:
    """The place that a message leaves; None: nothing of its group follows it."""
    flags = flags_of(entry)
    if flags & (GROUP_FLAGS | SEGMENT_FLAGS) == 0:
        return None
    place = LogicalPlace(entry, flags, key_in_group(entry), ordered, in_unit, begins)
    return place if place.in_group or place.in_message else None


@final
class LogicalOrder:
    """The places of one handle."""

    __slots__ = ("_got", "_saved", "_unit", "begins", "browsed", "browses_ordered")

    def __init__(self) -> None:
        self._got: LogicalPlace | None = None
        self._saved: LogicalPlace | None = None  # as it was before the unit of work
        self._unit: UnitOfWork | None = None
        self.browsed: LogicalPlace | None = None
        self.browses_ordered = False  # the last browse was with MQGMO_LOGICAL_ORDER
        self.begins: i64 = 0  # the place on the queue where the group of the last browse begins

    @property
    def got(self) -> LogicalPlace | None:
        """Where its gets are. What becomes of a prepared unit of work no longer concerns the
        handle."""
        unit = self._unit
        if unit is not None and (unit.was_undone or unit.state == ENDED or unit.xid is not None):
            if unit.was_undone and unit.xid is None:
                self._got = self._saved
            self._unit = None
            self._saved = None
        return self._got

    @property
    def is_idle(self) -> bool:
        """Whether it says nothing."""
        return (
            self._got is None
            and self._unit is None
            and self.browsed is None
            and not self.browses_ordered
        )

    @property
    def warning(self) -> i64:
        """What MQCLOSE reports: gets have left a group or a logical message in the middle."""
        place = self.got
        return 0 if place is None else place.warning

    def move(self, place: LogicalPlace | None, unit: UnitOfWork | None) -> None:
        """A get has taken a message, in that unit of work; outside, no backout undoes that."""
        before = self.got
        if self._unit is not unit:
            self._unit = unit
            self._saved = before
        self._got = place

    def put_back(self, place: LogicalPlace | None) -> None:
        """The last get is as if it never was."""
        if self._unit is None or not self._unit.was_undone:
            self._got = place
