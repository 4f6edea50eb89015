"""The messages of groups on one queue, by group, MsgSeqNumber and Offset, and how many are there.

Only what a get may take now is in the index: available messages in memory and living ones in swept
segments. It answers from memory what comes next in a group and whether all of a group or of a
logical message is there. Equal ones (the same group, MsgSeqNumber and Offset) stand in the order in
which they arrived; the first of them counts. A queue makes its index with the first message that
has a GroupId. Owned by the queue.
"""

from __future__ import annotations

import struct
from typing import Final, final

from mypy_extensions import i32, i64

from ternmq.base import constants as mq
from ternmq.base.errors import check
from ternmq.codec.mqi.mqmd import MSG_SEQ_NUMBER_AT
from ternmq.store.group_member import (
    FIRST_KEY,
    GROUP_FLAGS,
    IN_MEMORY,
    OFFSET_BITS,
    SEGMENT_FLAGS,
    Member,
    key_of,
)
from ternmq.store.group_places import GroupPlaces, place_of
from ternmq.store.segment import Segment
from ternmq.values.entry import Entry

RUN_MAX: Final = 256  # messages; a run that gets twice as many is split

# How much of a group is there; each has all that the one before has.
BEGUN: Final = 1  # its first message or segment
FIRST_MESSAGE: Final = 2  # all of its first logical message
WHOLE: Final = 3
_LAST: Final = mq.MQMF_LAST_MSG_IN_GROUP
SERIAL_MAX: Final = (1 << 31) - 1
_NUMBERS: Final = struct.Struct("<iii")  # MsgSeqNumber, Offset, MsgFlags


@final
class Run:
    """Messages of a group that follow one another."""

    __slots__ = ("members", "min_expiry")

    def __init__(self, members: list[Member]) -> None:
        self.members = members
        self.min_expiry: i64 = _earliest(members)  # or earlier; 0: none expires


def _earliest(members: list[Member]) -> i64:
    earliest: i64 = 0
    for member in members:
        if member.expiry_at and (earliest == 0 or member.expiry_at < earliest):
            earliest = member.expiry_at
    return earliest


@final
class Parts:
    """The segments of one logical message, counted: different ones, and how many of them begin
    where the one before ends."""

    __slots__ = ("count", "joints")

    def __init__(self) -> None:
        self.count: i64 = 0
        self.joints: i64 = 0


@final
class Group:
    """The messages of one group, in logical order."""

    __slots__ = (
        "complete",
        "count",
        "group_id",
        "level",
        "min_expiry",
        "parts",
        "place",
        "runs",
        "serial",
    )

    def __init__(self, group_id: bytes, serial: i64) -> None:
        self.group_id = group_id
        self.serial: i64 = serial
        self.runs: list[Run] = []
        self.count: i64 = 0
        self.complete: i64 = 0  # logical messages of which all is there
        self.parts: dict[int, Parts] = {}  # by MsgSeqNumber, where there are segments
        self.min_expiry: i64 = 0  # or earlier; 0: none expires
        self.level: i64 = 0  # how much is there: BEGUN and so on; 0: it has no first message
        self.place: i64 = 0  # of the first message on the queue

    # ---- questions

    def first_from(self, key: i64) -> Member | None:
        """The first message at a place or behind it: of equal ones the one that counts."""
        at = self._run_from(key, 0)
        if at == len(self.runs):
            return None
        members = self.runs[at].members
        return members[_place_from(members, key, 0)]

    def at(self, key: i64) -> Member | None:
        """The message at a place; of equal ones the one that counts."""
        member = self.first_from(key)
        return member if member is not None and member.key == key else None

    def last_before(self, key: i64) -> Member | None:
        """The last message before a place; of equal ones the one that counts."""
        at = self._run_from(key, 0)
        if at < len(self.runs):
            place = _place_from(self.runs[at].members, key, 0)
            if place > 0:
                return self.at(self.runs[at].members[place - 1].key)
        return None if at == 0 else self.at(self.runs[at - 1].members[-1].key)

    def following(self, member: Member) -> Member | None:
        """What a get in logical order takes after this one: the next segment, or the first of the
        next logical message. None: it is not there."""
        if member.is_segment and not member.flags & mq.MQMF_LAST_SEGMENT:
            found = self.at(member.number << OFFSET_BITS | member.end)
            return found if member.length else None
        return self.at((member.number + 1) << OFFSET_BITS)

    def has_message(self, number: i64) -> bool:
        """Whether all of a logical message is there, expired and locked ones included."""
        first = self.at(number << OFFSET_BITS)
        if first is None:
            return False
        if not first.is_segment:
            return True
        last = self.last_before((number + 1) << OFFSET_BITS)
        parts = self.parts[int(number)]
        return (
            last is not None
            and last.flags & mq.MQMF_LAST_SEGMENT != 0
            and parts.joints == parts.count - 1
        )

    def message_length(self, number: i64) -> i64:
        """How long a logical message is of which all is there."""
        last = self.last_before((number + 1) << OFFSET_BITS)
        return 0 if last is None else last.end

    @property
    def last_number(self) -> i64:
        """The MsgSeqNumber of the last message of the group; 0: that is not there."""
        top = self.at(self.runs[-1].members[-1].key) if self.runs else None
        if top is None or (top.flags & GROUP_FLAGS and not top.flags & mq.MQMF_LAST_MSG_IN_GROUP):
            return 0
        return top.number

    @property
    def is_whole(self) -> bool:
        """Whether all of the group is there, expired and locked ones included."""
        last = self.last_number
        return last > 0 and self.complete == last

    def has_expired(self, now_ns: i64, first: i64, after: i64) -> bool:
        """Whether a message from one place to before another has expired but is still there. Looks
        into one run after the other, and only where that may be."""
        if self.min_expiry == 0 or now_ns < self.min_expiry:
            return False
        earliest: i64 = 0
        for run in self.runs:
            if run.min_expiry and run.min_expiry <= now_ns:
                run.min_expiry = _earliest(run.members)
                if run.min_expiry and run.min_expiry <= now_ns:
                    earliest = run.min_expiry
                    for member in run.members:
                        if member.expiry_at and member.expiry_at <= now_ns:
                            if first <= member.key < after:
                                return True
            if run.min_expiry and (earliest == 0 or run.min_expiry < earliest):
                earliest = run.min_expiry
        self.min_expiry = earliest
        return False

    # ---- changes

    def add(self, member: Member) -> None:
        """A message may be taken from now on."""
        number = int(member.number)
        parts = self.parts.get(number) if self.parts or member.is_segment else None
        if member.is_segment and parts is None:
            parts = Parts()
            self.parts[number] = parts
            if self.at(member.number << OFFSET_BITS) is not None:
                parts.count = 1
        was_complete = self.has_message(member.number)
        if parts is None:
            self._insert(member)
            self.complete += 0 if was_complete else 1
        else:
            self._count(parts, member.key, -1)
            self._insert(member)
            self._count(parts, member.key, 1)
            self.complete += i64(self.has_message(member.number)) - i64(was_complete)
        self._counted(member)

    def append(self, member: Member) -> bool:
        """Add a message behind all others, if it goes on with what is incomplete and will still be:
        only counts change then, and a long message or group that is put in order costs no searches.
        False: `add` has to do it."""
        runs = self.runs
        if not runs:
            return False
        members = runs[-1].members
        last = members[-1]
        if last.key >= member.key:
            return False
        before: i64 = members[-2].key if len(members) > 1 else 0
        if before == last.key or (before == 0 and len(runs) > 1):
            return False  # of equal ones the first counts
        both = last.flags & member.flags
        either = last.flags | member.flags
        if both & SEGMENT_FLAGS:
            if either & mq.MQMF_LAST_SEGMENT or last.number != member.number:
                return False
            parts = self.parts[int(member.number)]
            parts.count += 1
            parts.joints += _joint(last, member)
        elif (
            both & GROUP_FLAGS and not either & SEGMENT_FLAGS and not either & _LAST and last.number
        ):
            self.complete += 1
        else:
            return False
        self._insert(member)
        self._counted(member)
        return True

    def _counted(self, member: Member) -> None:
        self.count += 1
        if member.expiry_at and (self.min_expiry == 0 or member.expiry_at < self.min_expiry):
            self.min_expiry = member.expiry_at

    def remove(self, key: i64, sequence: i64) -> Member:
        """A message may be taken no longer."""
        number: i64 = key >> OFFSET_BITS
        parts = self.parts.get(int(number)) if self.parts else None
        was_complete = self.has_message(number)
        if parts is not None:
            self._count(parts, key, -1)
        at = self._run_from(key, sequence)
        check(at < len(self.runs), f"no message {number} in its group")
        members = self.runs[at].members
        place = int(_place_from(members, key, sequence))
        member = members[place]
        check(member.key == key and member.sequence == sequence, f"no message {number} in group")
        del members[place]
        if not members:
            del self.runs[int(at)]
        if parts is not None:
            self._count(parts, key, 1)
            if parts.count == 0:
                del self.parts[int(number)]
        self.count -= 1
        self.complete += i64(self.has_message(number)) - i64(was_complete)
        return member

    def member_at(self, key: i64, sequence: i64) -> Member:
        """One that is there, by its arrival: it need not be the one that counts."""
        at = self._run_from(key, sequence)
        check(at < len(self.runs), f"no message {key >> OFFSET_BITS} in its group")
        members = self.runs[at].members
        return members[_place_from(members, key, sequence)]

    def _count(self, parts: Parts, key: i64, by: i64) -> None:
        """Add what is at a place to the counts of its logical message, or take it off."""
        here = self.at(key)
        before = self.last_before(key)
        behind = self.first_from(key + 1)
        if before is not None and before.number != key >> OFFSET_BITS:
            before = None
        if behind is not None and behind.number != key >> OFFSET_BITS:
            behind = None
        if here is None:
            parts.joints += by * _joint(before, behind)
        else:
            parts.count += by
            parts.joints += by * (_joint(before, here) + _joint(here, behind))

    def _insert(self, member: Member) -> None:
        runs = self.runs
        if not runs or _is_before(runs[-1].members[-1], member.key, member.sequence):
            if not runs or len(runs[-1].members) >= RUN_MAX:
                runs.append(Run([]))
            run = runs[-1]
            run.members.append(member)
        else:
            at = self._run_from(member.key, member.sequence)
            run = runs[at]
            run.members.insert(int(_place_from(run.members, member.key, member.sequence)), member)
            if len(run.members) >= 2 * RUN_MAX:
                runs.insert(int(at + 1), Run(run.members[RUN_MAX:]))
                del run.members[RUN_MAX:]
                run.min_expiry = _earliest(run.members)
                return
        if member.expiry_at and (run.min_expiry == 0 or member.expiry_at < run.min_expiry):
            run.min_expiry = member.expiry_at

    def _run_from(self, key: i64, sequence: i64) -> i64:
        """The first run that reaches to a place or behind it."""
        low: i64 = 0
        high: i64 = len(self.runs)
        while low < high:
            middle = (low + high) // 2
            if _is_before(self.runs[middle].members[-1], key, sequence):
                low = middle + 1
            else:
                high = middle
        return low


def _joint(one: Member | None, other: Member | None) -> i64:
    return 1 if one is not None and other is not None and one.end == other.offset else 0


def _is_before(member: Member, key: i64, sequence: i64) -> bool:
    return member.key < key or (member.key == key and member.sequence < sequence)


def _place_from(members: list[Member], key: i64, sequence: i64) -> i64:
    low: i64 = 0
    high: i64 = len(members)
    while low < high:
        middle = (low + high) // 2
        if _is_before(members[middle], key, sequence):
            low = middle + 1
        else:
            high = middle
    return low


@final
class GroupIndex:
    """The groups of one queue."""

    def __init__(self) -> None:
        self.groups: dict[bytes, Group] = {}
        self.by_serial: dict[int, Group] = {}
        self.next_serial: i64 = 1
        self.count: i64 = 0  # messages of all groups
        self.by_level = [GroupPlaces(), GroupPlaces(), GroupPlaces(), GroupPlaces()]
        # Browse locks: by message number, the group and the place in it.
        self.locked: dict[int, tuple[bytes, int]] = {}

    def find(self, group_id: bytes) -> Group | None:
        """The messages of a group; None: there are none."""
        return self.groups.get(group_id)

    def add(self, entry: Entry) -> None:
        """A message in memory may be taken."""
        number, offset, flags = _NUMBERS.unpack_from(entry.base, MSG_SEQ_NUMBER_AT)
        key = key_of(number, offset, flags)
        member = Member(key, entry.sequence, entry.lane, flags, entry.length, entry.expiry_at)
        member.entry = entry
        self._join(entry.group_id, member)

    def discard(self, entry: Entry) -> None:
        """A message in memory may be taken no longer, or leaves memory."""
        number, offset, flags = _NUMBERS.unpack_from(entry.base, MSG_SEQ_NUMBER_AT)
        group = self.groups[entry.group_id]
        group.remove(key_of(number, offset, flags), entry.sequence)
        self._settle(group, -1)

    def sweep(self, entry: Entry, segment: Segment, ordinal: i64) -> None:
        """A message that may be taken leaves memory: its place in its group stays."""
        number, offset, flags = _NUMBERS.unpack_from(entry.base, MSG_SEQ_NUMBER_AT)
        group = self.groups[entry.group_id]
        member = group.member_at(key_of(number, offset, flags), entry.sequence)
        check(member.entry is entry, f"message {entry.number} is not in its group")
        member.entry = None
        self._settle_in(member, segment, ordinal)

    def unsweep(self, entry: Entry, segment: Segment, ordinal: i64) -> None:
        """A message of a swept segment is in memory again: its place in its group stays."""
        member = segment.members[ordinal] if segment.members else None
        check(member is not None, f"{segment.path}: message {ordinal} is in no group")
        if member is not None:
            member.entry = entry
            member.location = i32(IN_MEMORY)
            segment.members[ordinal] = None
            segment.grouped -= 1

    def add_swept(self, entry: Entry, segment: Segment, ordinal: i64) -> None:
        """A message that was in memory is in a swept segment."""
        number, offset, flags = _NUMBERS.unpack_from(entry.base, MSG_SEQ_NUMBER_AT)
        key = key_of(number, offset, flags)
        member = Member(key, entry.sequence, segment.lane, flags, entry.length, entry.expiry_at)
        self.add_member(entry.group_id, member, segment, ordinal)

    def add_member(self, group_id: bytes, member: Member, segment: Segment, ordinal: i64) -> None:
        """The same for one of which only this is known."""
        self._settle_in(member, segment, ordinal)
        self._join(group_id, member)

    def _settle_in(self, member: Member, segment: Segment, ordinal: i64) -> None:
        member.location = i32(segment.location(ordinal))
        if not segment.members:
            segment.members = [None] * int(segment.count)
        segment.members[ordinal] = member
        segment.grouped += 1

    def forget(self, segment: Segment, ordinal: i64) -> None:
        """A message of a swept segment may be taken no longer, or comes back to memory; nothing
        happens if it is in no group."""
        if not segment.members:
            return
        member = segment.members[ordinal]
        if member is None:
            return
        segment.members[ordinal] = None
        segment.grouped -= 1
        group = self.by_serial[int(member.serial)]
        group.remove(member.key, member.sequence)
        self._settle(group, -1)

    def move(self, old: Segment, was: i64, segment: Segment, ordinal: i64) -> None:
        """A swept message has moved to another segment."""
        if not old.members:
            return
        member = old.members[was]
        if member is None:
            return
        old.members[was] = None
        old.grouped -= 1
        self._settle_in(member, segment, ordinal)

    def _join(self, group_id: bytes, member: Member) -> None:
        group = self.groups.get(group_id)
        if group is None:
            group = Group(group_id, self._new_serial())
            self.groups[group_id] = group
            self.by_serial[int(group.serial)] = group
        member.serial = i32(group.serial)
        if group.append(member):
            self.count += 1
            return
        group.add(member)
        self._settle(group, 1)

    def _new_serial(self) -> i64:
        """A number that no group has now: members have room for 31 bits of it, and a queue may have
        had more groups than that."""
        while True:
            serial = self.next_serial
            self.next_serial = serial + 1 if serial < SERIAL_MAX else 1
            if int(serial) not in self.by_serial:
                return serial

    def _settle(self, group: Group, change: i64) -> None:
        """After a group got or lost a message: it is listed by how much of it is there."""
        self.count += change
        if group.count == 0:
            del self.groups[group.group_id]
            del self.by_serial[int(group.serial)]
        first = group.at(FIRST_KEY)
        level: i64 = 0
        place: i64 = 0
        if first is not None:
            place = place_of(first.lane, first.sequence)
            level = BEGUN
            if not first.is_segment or group.has_message(1):
                level = WHOLE if group.is_whole else FIRST_MESSAGE
        if level == group.level and place == group.place:
            return
        kept: i64 = min(level, group.level) if place == group.place else 0
        while group.level > kept:
            self.by_level[group.level].discard(group)
            group.level -= 1
        group.place = place
        while group.level < level:
            group.level += 1
            self.by_level[group.level].add(group)

    def note_lock(self, number: int, entry: Entry) -> None:
        """A message of a group is under a browse lock."""
        found = _NUMBERS.unpack_from(entry.base, MSG_SEQ_NUMBER_AT)
        self.locked[number] = (entry.group_id, int(key_of(found[0], found[1], found[2])))
