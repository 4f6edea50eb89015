"""Which message a destructive get takes: by place, by identifier, by token.

Expired messages that the search finds are removed. A get of any message that reaches a swept
segment asks for it and is tried again when it is in memory. A selective get looks into copies of
swept messages and takes the one that fits from where it is, so that it does not bring the queue
back to memory. One that has looked at many messages goes on in the next step.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.kernel.browse import (
    copy_of,
    count_backouts,
    is_locked,
    next_in_lane,
    next_message,
    page_of,
    swept_copy,
)
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.logical_order import Walker, is_in_order, next_in_order
from ternmq.kernel.metering import have_expired, passed_over
from ternmq.kernel.requests import GetCall
from ternmq.kernel.seeking import Seek, next_candidate, next_segment
from ternmq.kernel.selection import HandleSelection
from ternmq.store.cursor import Cursor
from ternmq.store.fetching import fetch_first
from ternmq.store.id_index import IdIndex
from ternmq.store.queue import LANES, Queue
from ternmq.store.segment import ALIVE, SEGMENT_MESSAGES_MAX, Segment
from ternmq.store.segment_format import CORREL_ID, GROUP_ID, hash_id
from ternmq.values.entry import Entry
from ternmq.values.get_request import GetRequest

STEP_MESSAGES_MAX: Final = 256


@final
class Search(Walker):
    """One look for a message, within one step."""

    __slots__ = (
        "call",
        "connection",
        "effort_before",
        "expired",
        "kernel",
        "now_ns",
        "queue",
        "request",
        "seen",
    )

    def __init__(self, kernel: Kernel, call: GetCall, queue: Queue, now_ns: i64) -> None:
        self.kernel = kernel
        self.call = call
        self.connection: Connection = call.connection
        self.request: GetRequest = call.request
        self.queue = queue
        self.now_ns: i64 = now_ns
        self.expired: list[Entry] = []
        self.seen: i64 = 0
        selection = call.handle.selection
        self.effort_before: i64 = 0 if selection is None else selection.effort

    def find(self) -> Entry | None:
        """The message, or None: then no message fits, or the connection is parked or has to step
        again."""
        request = self.request
        if request.token >= 0:
            # Without a place in it, the token is of a message that had not been committed.
            found = self._by_token() if request.token_sequence else self._by_criteria()
        elif request.grouping and is_in_order(self.call):
            found = next_in_order(self.kernel, self.call, self.queue, self, 0)
        elif self.call.by_id():
            found = self._by_id()
        elif self.call.takes_any:
            found = self._in_order()
        elif request.plain:
            found = self._by_selection()
        else:
            found = self._by_criteria()
        if self.connection.park is None and not self.connection.again:
            self.call.seek = None
            self.call.fetch = None
        if self.expired:
            self._remove_expired()
        if self.kernel.measured and (self.seen or self.expired):
            passed_over(self.kernel, self.call, self.seen, len(self.expired))
        return found

    def _remove_expired(self) -> None:
        kernel = self.kernel
        expired = kernel.reports.expire(self.queue, self.expired)
        if expired and kernel.coordinator.has_room(None, 16 * len(expired)):
            kernel.coordinator.expire(self.queue, expired)
            have_expired(kernel, self.queue, len(expired))

    def fits(self, entry: Entry) -> bool:
        """Whether the get takes this message; one that has expired is removed in the end."""
        queue = self.queue
        if entry.expiry_at != 0 and entry.expiry_at <= self.now_ns:
            if entry.place != 0 and int(entry.number) not in queue.locks:
                self.expired.append(entry)
            return False
        if queue.locks and is_locked(queue, entry, self.call.handle):
            return False
        return self.call.matches(entry)

    def is_enough(self) -> bool:
        """One more message did not fit; whether the rest is for the next step."""
        self.seen += 1
        if self.seen >= STEP_MESSAGES_MAX or self._effort() >= STEP_MESSAGES_MAX:
            self.connection.again = True
            return True
        return False

    def _effort(self) -> i64:
        """How much a selection had to look at in this step: a message may have any number of
        properties."""
        selection = self.call.handle.selection
        return 0 if selection is None else selection.effort - self.effort_before

    # ---- by place

    def _in_order(self) -> Entry | None:
        queue = self.queue
        walk = self.call.walk
        lane_number = queue.top_lane() if walk is None else walk.lane
        while lane_number >= 0:
            lane = queue.lanes[lane_number]
            entry = lane.front.head
            if walk is not None:
                if walk.entry is not None:
                    entry = walk.entry.next
                self._end_walk(walk)
                walk = None
            while entry is not None:
                if self.fits(entry):
                    return entry
                if self.is_enough():
                    self._begin_walk().stand_on(entry)
                    return None
                entry = entry.next
            if lane.swept:
                self.connection.park = fetch_first(queue, lane, self.kernel.outbox)
                return None
            lane_number -= 1
        return None

    def _by_criteria(self) -> Entry | None:
        """As a browse walks: what is swept is looked at in pages of copies."""
        walk = self.call.walk
        if walk is None:
            walk = self._begin_walk()
        while True:
            entry = next_message(self.kernel, self.call, self.queue, walk)
            if entry is None:
                if self.connection.park is None:
                    self._end_walk(walk)
                return None
            if self.fits(entry):
                self._end_walk(walk)
                return entry
            walk.stand_on(entry)
            if self.is_enough():
                return None

    def _by_selection(self) -> Entry | None:
        """The first message that the handle's selection wants, behind the places up to which it
        has looked before."""
        selection = self.call.handle.selection
        if selection is None:
            return None
        selection.begin_step(self.queue)
        found = self._behind_places(selection)
        selection.end_step(self.connection.park is None and not self.connection.again)
        return found

    def _behind_places(self, selection: HandleSelection) -> Entry | None:
        lane: i64 = LANES - 1
        while lane >= 0:
            place = selection.place(self.queue, lane)
            while True:
                entry = next_in_lane(self.kernel, self.call, self.queue, place)
                if self.connection.park is not None:
                    return None
                if entry is None:
                    break
                if self.fits(entry):
                    return entry
                place.stand_on(entry)
                if self.is_enough():
                    return None
            lane -= 1
        return None

    def _begin_walk(self) -> Cursor:
        walk = Cursor()
        self.queue.cursors.append(walk)
        self.call.walk = walk
        return walk

    def _end_walk(self, walk: Cursor) -> None:
        walk.leave()
        self.queue.cursors.remove(walk)
        self.call.walk = None

    # ---- by token and by identifier

    def _by_token(self) -> Entry | None:
        request = self.request
        queue = self.queue
        index = queue.number_index_by_steps()
        if index is None:
            self.connection.again = True
            return None
        entry = index.get(int(request.token))
        if entry is None and queue.swept_alive:
            entry = swept_copy(
                self.kernel,
                self.connection,
                queue,
                request.token_lane,
                request.token_sequence,
                request.token,
            )
        if entry is not None and self.fits(entry):
            return entry
        return None

    def _by_id(self) -> Entry | None:
        queue = self.queue
        kind, key = self.call.key()
        index: IdIndex = queue.msg_ids
        if kind == CORREL_ID:
            index = queue.correl_ids
        elif kind == GROUP_ID:
            index = queue.group_ids
        seek = self.call.seek
        if seek is None:
            first = index.first(key)
            fits = first is None or self.fits(first)
            if fits and queue.swept_alive == 0:
                return first
            seek = Seek()
            self.call.seek = seek
            if first is not None and not fits:
                self.seen += 1
                seek.passed_in_memory(first)
        seek.note_unsweeps(queue.service.unsweeps)
        best = self._in_memory(index, key, seek)
        if self.connection.again or queue.swept_alive == 0:
            return best
        return self._in_segments(best, kind, key, seek)

    def _in_memory(self, index: IdIndex, key: bytes, seek: Seek) -> Entry | None:
        """The first one in memory that fits; the next step finds it again."""
        entry = index.after(key, seek.memory_lane, seek.memory_sequence)
        while entry is not None and not self.fits(entry):
            seek.passed_in_memory(entry)
            if self.is_enough():
                return None
            entry = index.after(key, seek.memory_lane, seek.memory_sequence)
        return entry

    def _in_segments(self, best: Entry | None, kind: i64, key: bytes, seek: Seek) -> Entry | None:
        table = self.queue.swept_table(kind)
        if table is None:
            return best
        key_hash = hash_id(key)
        slots = table.groups(key_hash)
        found: Entry | None
        if slots:
            found = self._among_many(best, slots, seek)
        else:
            found = self._among_few(best, table.candidates(key_hash), seek)
        if self.connection.park is not None or self.connection.again:
            return None
        if found is None or (best is not None and is_before(best, found)):
            return best
        return found

    def _among_few(self, best: Entry | None, locations: list[int], seek: Seek) -> Entry | None:
        """Read one candidate after the other."""
        queue = self.queue
        while True:
            location = next_candidate(queue, seek, locations)
            segment = queue.segment_at(location) if location >= 0 else None
            if segment is None or _is_before(best, segment):
                return None
            ordinal = location & (SEGMENT_MESSAGES_MAX - 1)
            entry = copy_of(self.kernel, self.call, queue, segment, ordinal)
            if entry is None or self.fits(entry):
                return entry
            seek.passed(segment, ordinal)
            if self.is_enough():
                return None

    def _among_many(self, best: Entry | None, slots: dict[int, int], seek: Seek) -> Entry | None:
        """Look through one segment after the other."""
        while True:
            segment = next_segment(self.queue, seek, slots)
            if segment is None or _is_before(best, segment):
                return None
            page = page_of(self.kernel, self.call, self.queue, segment)
            if page is None:
                return None
            ordinal = seek.next_ordinal(segment)
            while ordinal < segment.count:
                entry = page[ordinal]
                if segment.states[ordinal] == ALIVE and self.fits(entry):
                    count_backouts(segment, entry)
                    return entry
                seek.passed(segment, ordinal)
                if self.is_enough():
                    return None
                ordinal += 1


def _is_before(best: Entry | None, segment: Segment) -> bool:
    """Whether a get takes `best` before anything in a segment."""
    return best is not None and (
        best.lane > segment.lane
        or (best.lane == segment.lane and best.sequence < segment.first_sequence)
    )


def is_before(one: Entry, other: Entry) -> bool:
    """Whether a get takes `one` first."""
    return one.lane > other.lane or (one.lane == other.lane and one.sequence < other.sequence)
