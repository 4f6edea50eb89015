"""Browsing: first, next, under the cursor; locks; marks that co-operating browsers share.

A browse walks front list, swept segments and rear list of each lane from its cursor on. A swept
segment is read into a page of copies and never brought back for a browse.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_NO_MSG_UNDER_CURSOR
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.group_offers import holder_of, offers_none
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering import passed_over
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.own_messages import may_get_own, next_own
from ternmq.kernel.property_options import fits_buffer
from ternmq.kernel.requests import GetCall
from ternmq.kernel.selection import HandleSelection
from ternmq.store.cursor import Cursor
from ternmq.store.fetching import MessageFetch, SegmentFetch, fetch_message, fetch_page
from ternmq.store.lane import Lane
from ternmq.store.queue import LANES, Queue
from ternmq.store.scanning import SegmentScan
from ternmq.store.segment import ALIVE, Segment, segment_of
from ternmq.values.entry import ASTRAY, AVAILABLE, CANCELLED, PUTTING, ZERO_ID, Entry

STEP_MESSAGES_MAX: Final = 256
CO_OP_MARK: Final = 0  # the key of the mark that co-operating handles share
_ANY_MARK_OPTION: Final = (
    mq.MQGMO_MARK_BROWSE_HANDLE
    | mq.MQGMO_MARK_BROWSE_CO_OP
    | mq.MQGMO_UNMARKED_BROWSE_MSG
    | mq.MQGMO_UNMARK_BROWSE_CO_OP
    | mq.MQGMO_UNMARK_BROWSE_HANDLE
)


def unlock(kernel: Kernel, handle: Handle) -> bool:
    """Give up the browse lock of a handle; False if it held none. Waiting gets look again."""
    number = release_lock(kernel, handle)
    local = handle.local
    if number == 0 or local is None:
        return False
    local.queue.service.returns += 1
    waiters = local.waiters
    for call in waiters.looking:
        call.missed = True
    if waiters.count > len(waiters.looking):
        from ternmq.kernel.delivery import AskUnlocked  # which serves by what is here

        kernel.outbox.add(AskUnlocked(kernel, local, number, waiters.for_unlocked()))
    return True


def release_lock(kernel: Kernel, handle: Handle) -> int:
    """The number of the message that was under the browse lock of a handle, whose lock is gone; 0
    if it held none."""
    number = int(handle.locked)
    handle.locked = 0
    local = handle.local
    if number == 0 or local is None or local.queue.locks.get(number) != holder_of(handle):
        return 0
    del local.queue.locks[number]
    groups = local.queue.groups
    if groups is not None:
        groups.locked.pop(number, None)
    kernel.meter.figures.locks_released += 1
    return number


def is_locked(queue: Queue, entry: Entry, handle: Handle) -> bool:
    """Under a browse lock of somebody else."""
    holder = queue.locks.get(int(entry.number))
    return holder is not None and holder != holder_of(handle)


def browse_find(kernel: Kernel, call: GetCall, local: LocalQueue) -> Entry | None:
    """The message a browse shows, with the cursor moved to it."""
    handle = call.handle
    cursor = handle.cursor
    if cursor is None:
        cursor = open_cursor(handle, local)
    options = call.request.options
    if options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR:
        return _again(kernel, call, local)
    walk = call.walk
    if walk is None:
        if handle.selection is not None:
            handle.selection.begin_step(local.queue)
        walk = Cursor()
        if not options & mq.MQGMO_BROWSE_FIRST:
            walk.lane = cursor.lane
            walk.sequence = cursor.sequence
            walk.stray = cursor.stray
            walk.own = cursor.own
            walk.entry = cursor.entry
            if walk.entry is not None:
                walk.entry.cursors += 1
        local.queue.cursors.append(walk)
        call.walk = walk
    entry = _walk(kernel, call, local.queue, walk)
    if call.connection.park is not None or call.connection.again:
        return None
    walk.leave()
    local.queue.cursors.remove(walk)
    call.walk = None
    call.fetch = None
    if entry is not None and stand_on_found(kernel, call, local, cursor, entry, walk.sequence):
        cursor.stray = walk.stray
        if entry.state != PUTTING:
            cursor.own = walk.own
    return entry


def stand_on_found(
    kernel: Kernel, call: GetCall, local: LocalQueue, cursor: Cursor, entry: Entry, behind: i64 = 0
) -> bool:
    """The cursor moves to a message that was found, `behind` a place of its lane if that has not
    been committed; False: the message does not fit."""
    if not _fits_buffer(call, entry):
        return False
    if entry.state == PUTTING:
        cursor.stand_on_own(entry, behind)
    else:
        cursor.stand_on(entry)
    _settle_lock_and_marks(kernel, call, local.queue, entry)
    return True


def _fits_buffer(call: GetCall, entry: Entry) -> bool:
    """A message that is cut without leave moves no cursor and gets no lock and no mark."""
    if fits_buffer(call, entry):
        return True
    return call.request.options & mq.MQGMO_ACCEPT_TRUNCATED_MSG != 0


def open_cursor(handle: Handle, local: LocalQueue) -> Cursor:
    """A handle's cursor, before the first message."""
    cursor = Cursor()
    handle.cursor = cursor
    local.queue.cursors.append(cursor)
    return cursor


def _again(kernel: Kernel, call: GetCall, local: LocalQueue) -> Entry | None:
    entry = under_cursor(kernel, call, local)
    if entry is not None and _fits_buffer(call, entry):
        _settle_lock_and_marks(kernel, call, local.queue, entry)
    return entry


def under_cursor(kernel: Kernel, call: GetCall, local: LocalQueue) -> Entry | None:
    """The message under the handle's cursor; None: there is none, or the connection is parked."""
    cursor = call.handle.cursor
    entry = None if cursor is None or not cursor.on_message else cursor.at
    if entry is not None:
        if not may_get_own(call, entry):
            entry = _current(kernel, call, local.queue, entry)
        if call.connection.park is not None:
            return None
    if (
        entry is None
        or (entry.state != AVAILABLE and entry.state != PUTTING)
        or (entry.expiry_at and entry.expiry_at <= kernel.clock.now_ns())
        or is_locked(local.queue, entry, call.handle)
    ):
        call.reason = MQRC_NO_MSG_UNDER_CURSOR
        return None
    return entry


def _current(kernel: Kernel, call: GetCall, queue: Queue, entry: Entry) -> Entry | None:
    """The entry that stands for a message now: it may have been swept, or brought back, since."""
    if entry.place != 0:
        return entry
    segment = segment_of(entry)
    if segment is not None and segment.swept:
        if segment.states[entry.ordinal] != ALIVE:
            return None
        entry.backout_count = segment.backouts.get(int(entry.ordinal), int(entry.backout_count))
        return entry
    found = queue.msg_ids.after(entry.msg_id, entry.lane, entry.sequence - 1)
    if found is not None and found.number == entry.number:
        return found
    if queue.swept_alive:
        connection = call.connection
        return swept_copy(kernel, connection, queue, entry.lane, entry.sequence, entry.number)
    return None


def swept_copy(
    kernel: Kernel, connection: Connection, queue: Queue, lane: i64, sequence: i64, number: i64
) -> Entry | None:
    """A copy of a message in a swept segment; None: it is not in one, or the connection is
    parked until the segment is read."""
    if lane >= LANES:
        return None
    chain = queue.lanes[lane].swept
    place = queue.lanes[lane].segment_after(sequence - 1)
    if place == len(chain) or chain[place].first_sequence > sequence:
        return None
    segment = chain[place]
    page = queue.pages.get(segment.slot)
    if page is None:
        connection.park = fetch_page(queue, segment, kernel.outbox)
        return None
    at = _first_after(page, sequence - 1)
    if at < len(page):
        copy = page[at]
        if copy.number == number and segment.states[copy.ordinal] == ALIVE:
            return copy
    return None


def _settle_lock_and_marks(kernel: Kernel, call: GetCall, queue: Queue, entry: Entry) -> None:
    handle = call.handle
    options = call.request.options
    number = int(entry.number)
    unlock(kernel, handle)
    if options & mq.MQGMO_LOCK:
        queue.locks[number] = holder_of(handle)
        handle.locked = number
        if queue.groups is not None and entry.group_id != ZERO_ID:
            queue.groups.note_lock(number, entry)
        kernel.meter.figures.browse_locks += 1
    if options & _ANY_MARK_OPTION == 0:
        return
    marks = queue.marks.setdefault(number, {})
    if options & mq.MQGMO_MARK_BROWSE_HANDLE:
        marks[holder_of(handle)] = 0
    if options & mq.MQGMO_MARK_BROWSE_CO_OP:
        ends = 0
        if kernel.mark_interval_ms >= 0:
            ends = kernel.clock.monotonic_ns() + int(kernel.mark_interval_ms) * 1_000_000
        marks[CO_OP_MARK] = ends
    if options & mq.MQGMO_UNMARK_BROWSE_HANDLE:
        marks.pop(holder_of(handle), None)
    if options & mq.MQGMO_UNMARK_BROWSE_CO_OP:
        marks.pop(CO_OP_MARK, None)
    if not marks:
        del queue.marks[number]


def is_marked(kernel: Kernel, handle: Handle, queue: Queue, entry: Entry) -> bool:
    """Marked by this handle, or by a co-operating one whose mark has not run out."""
    marks = queue.marks.get(int(entry.number))
    if not marks:
        return False
    if holder_of(handle) in marks:
        return True
    if not handle.options & mq.MQOO_CO_OP or CO_OP_MARK not in marks:
        return False
    ends = marks[CO_OP_MARK]
    if ends and ends <= kernel.clock.monotonic_ns():
        del marks[CO_OP_MARK]
        return False
    return True


def is_shown(kernel: Kernel, call: GetCall, queue: Queue, entry: Entry, now_ns: i64) -> bool:
    """Whether a browse shows a message."""
    if (entry.state != AVAILABLE and entry.state != PUTTING) or (
        entry.expiry_at and entry.expiry_at <= now_ns
    ):
        return False
    if queue.locks and is_locked(queue, entry, call.handle):
        return False
    if call.request.options & mq.MQGMO_UNMARKED_BROWSE_MSG and is_marked(
        kernel, call.handle, queue, entry
    ):
        return False
    return call.matches(entry)


def _walk(kernel: Kernel, call: GetCall, queue: Queue, walk: Cursor) -> Entry | None:
    """Go on from the place of `walk` until a message fits."""
    now_ns = kernel.clock.now_ns()
    seen = 0
    walk.settle_own()
    selection = call.handle.selection
    effort_before: i64 = 0 if selection is None else selection.effort
    while True:
        entry = next_message(kernel, call, queue, walk)
        if entry is None:
            return None
        if is_shown(kernel, call, queue, entry, now_ns):
            return entry
        if entry.state == PUTTING or entry.state == CANCELLED:
            walk.stand_on_own(entry, walk.sequence)
        else:
            walk.stand_on(entry)
        seen += 1
        if kernel.measured:
            passed_over(kernel, call, 1, 0)
        effort: i64 = 0 if selection is None else selection.effort - effort_before
        if seen >= STEP_MESSAGES_MAX or effort >= STEP_MESSAGES_MAX:
            call.connection.again = True
            return None


def next_message(kernel: Kernel, call: GetCall, queue: Queue, walk: Cursor) -> Entry | None:
    """The message after the place, whatever it is; None at the end, or while a segment is
    fetched."""
    if walk.lane >= LANES:
        walk.lane = LANES - 1
    while walk.lane >= 0:
        entry = next_in_lane(kernel, call, queue, walk)
        if entry is not None or call.connection.park is not None:
            return entry
        if queue.uncommitted_puts and call.browse:
            entry = next_own(call, queue, walk)
            if entry is not None or call.connection.again:
                return entry
        walk.leave()
        walk.lane -= 1
        walk.sequence = 0
        walk.own = None
    return None


def _after(first: Entry | None, sequence: i64) -> Entry | None:
    entry = first
    while entry is not None and entry.sequence <= sequence:
        entry = entry.next
    return entry


def _next_stray(lane: Lane, walk: Cursor) -> Entry | None:
    """The first one behind the place. The last answer is a hint, if it is still a stray of
    this lane and no other is between it and the place."""
    tail = lane.strays.tail
    if tail is None or tail.sequence <= walk.sequence:
        return None
    hint = walk.stray
    first = lane.strays.head
    if hint is not None and hint.place == ASTRAY and hint.lane == walk.lane:
        before = hint.prev
        if before is None or before.sequence <= walk.sequence:
            first = hint
    walk.stray = _after(first, walk.sequence)
    return walk.stray


def next_in_lane(kernel: Kernel, call: GetCall, queue: Queue, walk: Cursor) -> Entry | None:
    """The message of its lane after the place; None at the end, or while a segment is fetched."""
    lane = queue.lanes[walk.lane]
    at = walk.entry
    if at is not None and at.place != ASTRAY:
        entry = _after(at.next, walk.sequence)
        if entry is not None or lane.has_in_rear(at):
            return entry
    elif not lane.swept or walk.sequence < lane.swept[0].first_sequence:
        entry = _after(lane.front.head, walk.sequence)
        if entry is not None:
            return entry
    copy = _next_swept(kernel, call, queue, walk)
    if call.connection.park is not None:
        return None
    stray = _next_stray(lane, walk)
    if stray is not None and (copy is None or stray.sequence < copy.sequence):
        return stray
    return copy if copy is not None else _after(lane.rear.head, walk.sequence)


def _next_swept(kernel: Kernel, call: GetCall, queue: Queue, walk: Cursor) -> Entry | None:
    """The next message in the swept chain of a lane, from a page of copies."""
    selection = call.handle.selection
    if selection is not None:
        return _next_scanned(kernel, call, queue, walk, selection)
    lane = queue.lanes[walk.lane]
    place = lane.segment_after(walk.sequence)
    while place < len(lane.swept):
        segment = lane.swept[place]
        place += 1
        if segment.alive == 0:
            continue  # read for nothing, and more of them than pages would be read for ever
        if segment.grouped == segment.alive and call.request.grouping and offers_none(call, queue):
            continue
        page = page_of(kernel, call, queue, segment)
        if page is None:
            return None
        at = _first_after(page, walk.sequence)
        while at < len(page):
            if segment.states[page[at].ordinal] == ALIVE:
                return page[at]
            at += 1
    return None


def _next_scanned(
    kernel: Kernel, call: GetCall, queue: Queue, walk: Cursor, selection: HandleSelection
) -> Entry | None:
    """The next message in the swept chain of a lane that a selection wants; None: there is none, or
    the connection is parked until a scan has looked through a segment."""
    lane = queue.lanes[walk.lane]
    place = lane.segment_after(walk.sequence)
    while place < len(lane.swept):
        segment = lane.swept[place]
        place += 1
        if segment.alive == 0:
            continue
        scan = selection.scan
        first: i64 = 0
        if scan is not None and scan.answers(segment, walk.sequence):
            _count_scan(kernel, call, selection, scan)
            for entry in scan.found:
                if entry.sequence > walk.sequence and segment.states[entry.ordinal] == ALIVE:
                    count_backouts(segment, entry)
                    return entry
            if scan.after >= segment.count:
                stray = _next_stray(lane, walk)
                if stray is not None and stray.sequence < segment.last_sequence:
                    return None  # it is the next one; this scan is wanted behind it
                walk.pass_over(segment.last_sequence)
                continue
            first = scan.after
        behind: i64 = walk.sequence if first else 0
        scan = SegmentScan(queue, segment, first, behind, selection.for_scan())
        selection.scan = scan
        kernel.outbox.add(scan)
        call.connection.park = scan
        return None
    return None


def _count_scan(
    kernel: Kernel, call: GetCall, selection: HandleSelection, scan: SegmentScan
) -> None:
    """A scan has ended: it looked at messages for this handle, and passed over most of them."""
    selection.looked_at += scan.looked_at
    if kernel.measured:
        passed_over(kernel, call, scan.looked_at - len(scan.found), 0)
    scan.looked_at = 0


def count_backouts(segment: Segment, entry: Entry) -> None:
    """A copy may be older than the last backout."""
    if segment.backouts:
        entry.backout_count = segment.backouts.get(int(entry.ordinal), int(entry.backout_count))


def copy_of(
    kernel: Kernel, call: GetCall, queue: Queue, segment: Segment, ordinal: i64
) -> Entry | None:
    """One message of a swept segment; None: the connection is parked until it is read. What was
    read for this call stays with it: others may have put it out of the queue's own list."""
    entry = queue.fetched.get(segment.location(ordinal))
    fetch = call.fetch
    if entry is None and isinstance(fetch, MessageFetch):
        if fetch.segment is segment and fetch.ordinal == ordinal:
            entry = fetch.entry
    if entry is None:
        effect = fetch_message(queue, segment, ordinal, kernel.outbox)
        call.fetch = effect
        call.connection.park = effect
    else:
        count_backouts(segment, entry)
    return entry


def page_of(kernel: Kernel, call: GetCall, queue: Queue, segment: Segment) -> list[Entry] | None:
    """Copies of a swept segment; None: the connection is parked until they are read. What was read
    for this call stays with it: other browsers may have put it out of the queue's few pages."""
    page = queue.pages.get(segment.slot)
    if page is not None:
        return page
    fetch = call.fetch
    if isinstance(fetch, SegmentFetch) and fetch.segment is segment and fetch.is_whole:
        return fetch.entries
    effect = fetch_page(queue, segment, kernel.outbox)
    call.fetch = effect
    call.connection.park = effect
    return None


def _first_after(page: list[Entry], sequence: i64) -> i64:
    """The place in a page of the first message behind a stream number."""
    low: i64 = 0
    high: i64 = len(page)
    while low < high:
        middle = (low + high) // 2
        if page[middle].sequence > sequence:
            high = middle
        else:
            low = middle + 1
    return low
