"""Browsing with MQGMO_LOGICAL_ORDER, MQGMO_ALL_MSGS_AVAILABLE or MQGMO_ALL_SEGMENTS_AVAILABLE.

In logical order the cursor goes through a group by its numbers, and from its end to what follows
the group's first message on the queue.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_INCONSISTENT_BROWSE
from ternmq.kernel.browse import (
    STEP_MESSAGES_MAX,
    browse_find,
    is_shown,
    open_cursor,
    stand_on_found,
)
from ternmq.kernel.group_offers import is_in_order, place_of_call
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.logical_order import Walker, next_in_order, next_of_group, walk_from
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.requests import GetCall
from ternmq.store.queue import Queue
from ternmq.values.entry import Entry


@final
class BrowseWalker(Walker):
    """Asked about each message that a browse comes to."""

    __slots__ = ("_call", "_kernel", "_queue", "_seen")

    def __init__(self, kernel: Kernel, call: GetCall, queue: Queue) -> None:
        self._kernel = kernel
        self._call = call
        self._queue = queue
        self._seen: i64 = 0

    def fits(self, entry: Entry) -> bool:
        return is_shown(self._kernel, self._call, self._queue, entry, self._call.now_ns)

    def is_enough(self) -> bool:
        self._seen += 1
        if self._seen >= STEP_MESSAGES_MAX:
            self._call.connection.again = True
            return True
        return False


def check_browse(call: GetCall) -> None:
    """BROWSE_NEXT goes on in the order in which the browse before it went."""
    options = call.request.options
    cursor = call.handle.cursor
    if not options & mq.MQGMO_BROWSE_NEXT or cursor is None or cursor.number == 0:
        return
    logical = call.handle.logical
    was_ordered = logical is not None and logical.browses_ordered
    if was_ordered != (options & mq.MQGMO_LOGICAL_ORDER != 0):
        was = "with" if was_ordered else "without"
        raise mq_error(
            MQRC_INCONSISTENT_BROWSE,
            verb="MQGET",
            object=call.handle.resolved_name,
            detail=f"the browse before it was {was} MQGMO_LOGICAL_ORDER; begin with BROWSE_FIRST",
        )


def browse_in_groups(kernel: Kernel, call: GetCall, local: LocalQueue) -> Entry | None:
    """The message that such a browse shows, with the cursor moved to it."""
    options = call.request.options
    queue = local.queue
    if options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR or not options & mq.MQGMO_LOGICAL_ORDER:
        return browse_find(kernel, call, local)
    logical = call.handle.logical
    after: i64 = 0
    if logical is not None and not options & mq.MQGMO_BROWSE_FIRST:
        after = logical.begins
    place = place_of_call(call)
    if place is not None:
        entry = next_of_group(kernel, call, queue, place)
    elif is_in_order(call):
        entry = next_in_order(kernel, call, queue, BrowseWalker(kernel, call, queue), after)
    else:
        if call.walk is None:
            if call.handle.selection is not None:
                call.handle.selection.begin_step(queue)
            walk_from(call, queue, after)
        return browse_find(kernel, call, local)
    if call.connection.park is not None or call.connection.again:
        return None
    call.fetch = None
    if entry is not None:
        cursor = call.handle.cursor
        stand_on_found(
            kernel,
            call,
            local,
            open_cursor(call.handle, local) if cursor is None else cursor,
            entry,
        )
    return entry
