"""Which messages of groups a get may have: MQGMO_LOGICAL_ORDER, MQGMO_ALL_MSGS_AVAILABLE and
MQGMO_ALL_SEGMENTS_AVAILABLE, asked of the queue's index of groups.

A group or logical message is available if all of it is on the queue, committed, not expired, and
under no browse lock of another handle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_MATCH_OPTIONS_ERROR
from ternmq.kernel.logical_place import LogicalPlace, flags_of, key_in_group
from ternmq.store.group_index import BEGUN, FIRST_MESSAGE, WHOLE, Group
from ternmq.store.group_member import FIRST_KEY, NUMBER_MAX, OFFSET_BITS, SEGMENT_FLAGS
from ternmq.store.queue import Queue
from ternmq.values.entry import ZERO_ID, Entry

if TYPE_CHECKING:
    from ternmq.kernel.connection import Handle
    from ternmq.kernel.requests import GetCall

_KEYS_END: Final = 1 << 61  # behind every message of a group
SEGMENTS: Final = mq.MQGMO_ALL_SEGMENTS_AVAILABLE | mq.MQGMO_COMPLETE_MSG
_ALL: Final = mq.MQGMO_ALL_MSGS_AVAILABLE | SEGMENTS


def holder_of(handle: Handle) -> int:
    """How a handle signs its locks and marks."""
    return handle.connection.connection_id << 32 | handle.handle_id


def place_of_call(call: GetCall) -> LogicalPlace | None:
    """Where the handle is in a group; None: between groups, or that does not count for the
    call."""
    logical = call.handle.logical
    options = call.request.options
    if logical is None or not options & mq.MQGMO_LOGICAL_ORDER:
        return None
    if not call.browse:
        return logical.got
    return None if options & mq.MQGMO_BROWSE_FIRST else logical.browsed


def level_wanted(call: GetCall) -> i64:
    """How much of a group must be there so that its first message is offered."""
    options = call.request.options
    if options & mq.MQGMO_ALL_MSGS_AVAILABLE:
        return WHOLE
    return FIRST_MESSAGE if options & SEGMENTS else BEGUN


def check_match(call: GetCall, entry: Entry) -> None:
    """MQRC_MATCH_OPTIONS_ERROR if a get asks for another message than the next of its group."""
    if not call.request.matches(entry):
        raise mq_error(
            MQRC_MATCH_OPTIONS_ERROR,
            verb="MQGET",
            object=call.handle.resolved_name,
            detail="the next message of the group has other values than MatchOptions asks for",
        )


def is_in_order(call: GetCall) -> bool:
    """Whether the index of groups alone says what comes next: logical order, of any message."""
    request = call.request
    return (
        request.options & mq.MQGMO_LOGICAL_ORDER != 0
        and call.handle.selection is None
        and not request.is_narrowed
    )


def offers_none(call: GetCall, queue: Queue) -> bool:
    """Whether the groups of a queue have nothing for this get, as far as one look shows."""
    groups = queue.groups
    if groups is None or is_in_order(call):
        return True
    options = call.request.options
    if not options & (mq.MQGMO_LOGICAL_ORDER | mq.MQGMO_ALL_MSGS_AVAILABLE):
        return False  # a logical message behind the first may be there
    return groups.by_level[level_wanted(call)].is_empty


def is_offered(call: GetCall, entry: Entry) -> bool:
    """Whether a get may have this message, which is on its queue, while its handle is between
    groups."""
    if entry.group_id == ZERO_ID:
        return True
    options = call.request.options
    key = key_in_group(entry)
    if options & mq.MQGMO_LOGICAL_ORDER and key != FIRST_KEY:
        return False
    if not options & _ALL:
        return True
    if call.request.complete and key & NUMBER_MAX:
        return False  # it comes with the first segment
    queue = _queue_of(call)
    group = _group_of(queue, entry.group_id)
    if queue is None or group is None:
        return False
    if call.request.complete and is_covered(group, entry):
        return False
    if options & mq.MQGMO_ALL_MSGS_AVAILABLE:
        return has_all(call, queue, group)
    return has_message(call, queue, group, key >> OFFSET_BITS)


def is_covered(group: Group, entry: Entry) -> bool:
    """Whether a message that is not a segment has the place of this segment: then the segment
    cannot become part of a logical message."""
    if not flags_of(entry) & SEGMENT_FLAGS:
        return False
    counts = group.at(key_in_group(entry))
    return counts is not None and not counts.is_segment


def has_all(call: GetCall, queue: Queue, group: Group) -> bool:
    """Whether all of a group is available."""
    return group.is_whole and _is_free(call, queue, group, 0, _KEYS_END)


def has_message(call: GetCall, queue: Queue, group: Group, number: i64) -> bool:
    """Whether all of a logical message is available."""
    first = number << OFFSET_BITS
    after = (number + 1) << OFFSET_BITS
    return group.has_message(number) and _is_free(call, queue, group, first, after)


def _is_free(call: GetCall, queue: Queue, group: Group, first: i64, after: i64) -> bool:
    """Nothing from one place in a group to before another is expired or locked."""
    if group.has_expired(call.now_ns, first, after):
        return False
    groups = queue.groups
    if not queue.locks or groups is None:
        return True
    mine = holder_of(call.handle)
    for number, (group_id, key) in list(groups.locked.items()):
        holder = queue.locks.get(number)
        if holder is None:
            del groups.locked[number]
        elif holder != mine and group_id == group.group_id and first <= key < after:
            return False
    return True


def is_awaited(call: GetCall, entry: Entry) -> bool:
    """Whether a waiting get looks again because this message has come: it may be the one, or
    complete the group of another."""
    place = place_of_call(call)
    if place is not None:
        return entry.group_id == place.group_id
    if entry.group_id == ZERO_ID:
        return call.matches(entry)
    queue = _queue_of(call)
    group = _group_of(queue, entry.group_id)
    if group is None:
        return False
    options = call.request.options
    if options & mq.MQGMO_ALL_MSGS_AVAILABLE:
        return group.is_whole
    if options & mq.MQGMO_LOGICAL_ORDER:
        return group.level >= level_wanted(call)
    return group.has_message(key_in_group(entry) >> OFFSET_BITS)


def _queue_of(call: GetCall) -> Queue | None:
    local = call.handle.local
    return None if local is None else local.queue


def _group_of(queue: Queue | None, group_id: bytes) -> Group | None:
    if queue is None or queue.groups is None:
        return None
    return queue.groups.find(group_id)


def rest_length(call: GetCall, entry: Entry) -> i64:
    """How much longer than its first segment, this one, the logical message is; 0 if it is not
    a segment."""
    group = _group_of(_queue_of(call), entry.group_id)
    if group is None or flags_of(entry) & SEGMENT_FLAGS == 0:
        return 0
    return group.message_length(key_in_group(entry) >> OFFSET_BITS) - entry.length
