"""MQGMO_LOGICAL_ORDER: the next message of the current group, and where the next group begins.

A group stands where its first message is on the queue; messages in no group stand where they are.
The queue's index of groups says what comes next, so that nothing in between is read.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_INCONSISTENT_UOW
from ternmq.kernel.browse import copy_of, count_backouts, is_marked, next_message, page_of
from ternmq.kernel.group_offers import (
    SEGMENTS,
    check_match,
    has_all,
    has_message,
    holder_of,
    is_in_order,
    level_wanted,
)
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.logical_place import LogicalOrder, LogicalPlace, place_after
from ternmq.kernel.requests import GetCall
from ternmq.store.cursor import Cursor
from ternmq.store.fetching import coming_back, fetch_page
from ternmq.store.group_index import FIRST_MESSAGE, WHOLE, Group
from ternmq.store.group_member import FIRST_KEY, OFFSET_BITS, Member
from ternmq.store.group_places import lane_of, place_of, sequence_of
from ternmq.store.queue import Queue
from ternmq.store.segment import SEGMENT_MESSAGES_MAX
from ternmq.values.entry import CANCELLED, GETTING, PERSISTENT, ZERO_ID, Entry

AHEAD_MESSAGES: Final = 64

__all__ = ["Walker", "is_in_order", "next_in_order", "next_of_group", "note_message"]


class Walker:
    """Asked about each message that a search comes to."""

    __slots__ = ()

    def fits(self, entry: Entry) -> bool:
        """Whether it is the one."""
        raise NotImplementedError

    def is_enough(self) -> bool:
        """One more did not fit; whether the rest is for the next step."""
        raise NotImplementedError


# ---- inside a group


def next_of_group(kernel: Kernel, call: GetCall, queue: Queue, place: LogicalPlace) -> Entry | None:
    """The message after a place in a group; None: it is not available, or the connection is
    parked."""
    request = call.request
    if not call.browse and not request.syncpoint_if_persistent:
        _check_unit(call, place, request.syncpoint)
    groups = queue.groups
    group = None if groups is None else groups.find(place.group_id)
    member = None if group is None else group.at(place.next_key)
    if group is None or member is None or _has_expired(call, member):
        return None
    if (
        request.options & SEGMENTS
        and not place.in_message
        and not has_message(call, queue, group, member.number)
    ):
        return None
    entry = entry_of(kernel, call, queue, group, member)
    if entry is None:
        return None
    if queue.locks:
        holder = queue.locks.get(int(entry.number))
        if holder is not None and holder != holder_of(call.handle):
            return None
    if request.options & mq.MQGMO_UNMARKED_BROWSE_MSG and is_marked(
        kernel, call.handle, queue, entry
    ):
        return None
    check_match(call, entry)
    if not call.browse and request.syncpoint_if_persistent:
        _check_unit(call, place, entry.flags & PERSISTENT != 0)
    return entry


def _has_expired(call: GetCall, member: Member) -> bool:
    return member.expiry_at != 0 and member.expiry_at <= call.now_ns


def _check_unit(call: GetCall, place: LogicalPlace, in_unit: bool) -> None:
    """All of a group is got in units of work, or none of it."""
    if in_unit != place.in_unit:
        was = "in" if place.in_unit else "outside"
        raise mq_error(
            MQRC_INCONSISTENT_UOW,
            comp=mq.MQCC_FAILED,
            verb="MQGET",
            object=call.handle.resolved_name,
            detail=f"the group was begun {was} a unit of work; go on with it so",
        )


def entry_of(
    kernel: Kernel, call: GetCall, queue: Queue, group: Group, member: Member
) -> Entry | None:
    """A message of a group; None: the connection is parked until it is read. If others of the
    group are in the same segment, the whole segment is read at once."""
    if member.entry is not None:
        return member.entry
    location = i64(member.location)
    segment = queue.segment_at(location)
    if segment is None:
        return None
    ordinal = location & (SEGMENT_MESSAGES_MAX - 1)
    behind = group.first_from(member.key + 1)
    if behind is None or behind.entry is not None or _segment_of(behind) != _segment_of(member):
        if segment.slot not in queue.pages:
            return copy_of(kernel, call, queue, segment, ordinal)
    effect = coming_back(queue, segment)
    if effect is not None and segment.slot not in queue.pages:
        call.connection.park = effect
        return None
    page = page_of(kernel, call, queue, segment)
    if page is None:
        return None
    _fetch_ahead(kernel, queue, group, member)
    entry = page[ordinal]
    count_backouts(segment, entry)
    return entry


def _segment_of(member: Member) -> i64:
    return i64(member.location) // SEGMENT_MESSAGES_MAX


def _fetch_ahead(kernel: Kernel, queue: Queue, group: Group, member: Member) -> None:
    """The segment that has the group some messages later is read before it is needed."""
    later = group.first_from(member.key + (AHEAD_MESSAGES << OFFSET_BITS))
    if later is None or later.entry is not None or _segment_of(later) == _segment_of(member):
        return
    segment = queue.segment_at(i64(later.location))
    if segment is None or segment.slot in queue.pages or queue.damaged:
        return
    if coming_back(queue, segment) is None:
        fetch_page(queue, segment, kernel.outbox)


# ---- between groups


def next_in_order(
    kernel: Kernel, call: GetCall, queue: Queue, walker: Walker, after: i64
) -> Entry | None:
    """The first message of the first group behind a place on the queue that may begin, or a message
    in no group that is before it."""
    connection = call.connection
    groups = queue.groups
    group: Group | None = None
    if groups is not None:
        group = _next_group(call, queue, walker, after)
        if connection.again:
            return None
    plain: Entry | None = None
    if groups is None or groups.count < queue.available + queue.swept_alive:
        plain = _next_plain(kernel, call, queue, walker, after, 0 if group is None else group.place)
        if connection.park is not None or connection.again:
            return None
    found = plain
    if plain is None and group is not None:
        first = group.at(FIRST_KEY)
        found = None if first is None else entry_of(kernel, call, queue, group, first)
        if connection.park is not None:
            return None
        if found is not None and not walker.fits(found):
            call.passed_place = group.place
            connection.again = True
            return None
    call.passed_place = 0
    return found


def _next_group(call: GetCall, queue: Queue, walker: Walker, after: i64) -> Group | None:
    groups = queue.groups
    if groups is None:
        return None
    level = level_wanted(call)
    order = groups.by_level[level]
    group = order.after(max(after, call.passed_place))
    while group is not None and not _may_begin(call, queue, group, level):
        call.passed_place = group.place
        if walker.is_enough():
            return None
        group = order.after(group.place)
    return group


def _may_begin(call: GetCall, queue: Queue, group: Group, level: i64) -> bool:
    first = group.at(FIRST_KEY)
    if first is None or _has_expired(call, first):
        return False
    if level == WHOLE:
        return has_all(call, queue, group)
    return level != FIRST_MESSAGE or has_message(call, queue, group, 1)


def _next_plain(
    kernel: Kernel, call: GetCall, queue: Queue, walker: Walker, after: i64, limit: i64
) -> Entry | None:
    """The first message in no group from one place on the queue to another, which is 0 for its
    end."""
    walk = call.walk
    if walk is None:
        walk = walk_from(call, queue, after)
    found: Entry | None = None
    while True:
        entry = next_message(kernel, call, queue, walk)
        if entry is None:
            if call.connection.park is not None:
                return None
            break
        if limit and place_of(entry.lane, entry.sequence) > limit:
            break
        if entry.group_id == ZERO_ID and walker.fits(entry):
            found = entry
            break
        walk.stand_on(entry)
        if walker.is_enough():
            return None
    walk.leave()
    queue.cursors.remove(walk)
    call.walk = None
    return found


def walk_from(call: GetCall, queue: Queue, after: i64) -> Cursor:
    """Begin to walk behind a place on the queue."""
    walk = Cursor()
    if after:
        walk.lane = lane_of(after)
        walk.sequence = sequence_of(after)
    queue.cursors.append(walk)
    call.walk = walk
    return walk


# ---- after a message


def note_message(call: GetCall, entry: Entry) -> None:
    """A get or browse has its message: the handle is at another place in its group."""
    handle = call.handle
    logical = handle.logical
    options = call.request.options
    ordered = options & mq.MQGMO_LOGICAL_ORDER != 0
    if call.browse:
        if logical is None and not ordered:
            return
        if logical is None:
            logical = LogicalOrder()
            handle.logical = logical
        _note_browse(logical, call, entry, ordered)
        return
    if logical is None and entry.group_id == ZERO_ID:
        return
    before = None if logical is None else logical.got
    in_unit = entry.state == GETTING or entry.state == CANCELLED
    place = place_after(entry, ordered, in_unit, 0)
    if before is not None and not ordered:
        call.warning = before.warning
    if logical is None:
        if place is None:
            return
        logical = LogicalOrder()
        handle.logical = logical
    call.place_before = before
    logical.move(place, call.connection.unit if in_unit else None)
    if logical.is_idle:
        handle.logical = None  # gets are as cheap as before


def _note_browse(logical: LogicalOrder, call: GetCall, entry: Entry, ordered: bool) -> None:
    if call.request.options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR:
        return  # the cursor has not moved
    before = logical.browsed
    goes_on = before is not None and not call.request.options & mq.MQGMO_BROWSE_FIRST
    if not goes_on or not ordered:
        logical.begins = place_of(entry.lane, entry.sequence)
    logical.browses_ordered = ordered
    logical.browsed = place_after(entry, True, False, logical.begins) if ordered else None


def give_place_back(call: GetCall) -> None:
    """A get is taken back: its handle is where it was."""
    logical = call.handle.logical
    before = call.place_before
    if logical is None:
        if before is None:
            return
        logical = LogicalOrder()
        call.handle.logical = logical
    logical.put_back(before)
