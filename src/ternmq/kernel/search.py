"""Which message a destructive get takes: by place, by identifier, by token.

Expired messages met on the way are removed. A search that meets a swept segment asks for it and is
tried again when it has come; one that has looked at many messages goes on in the next step.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.kernel.browse import is_locked, swept_copy
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering import have_expired, passed_over
from ternmq.kernel.requests import GetCall, GetRequest
from ternmq.store.cursor import Cursor
from ternmq.store.entry import ZERO_ID, Entry
from ternmq.store.fetching import fetch_first, fetch_message
from ternmq.store.id_index import IdIndex
from ternmq.store.queue import LANES, Queue
from ternmq.store.segment import ALIVE, SEGMENT_MESSAGES_MAX
from ternmq.store.segment_format import CORREL_ID, GROUP_ID, MSG_ID

STEP_MESSAGES_MAX: Final = 256


@final
class Search:
    """One look for a message, within one step."""

    __slots__ = ("call", "connection", "expired", "kernel", "now_ns", "queue", "request", "seen")

    def __init__(self, kernel: Kernel, call: GetCall, queue: Queue, now_ns: i64) -> None:
        self.kernel = kernel
        self.call = call
        self.connection: Connection = call.connection
        self.request: GetRequest = call.request
        self.queue = queue
        self.now_ns: i64 = now_ns
        self.expired: list[Entry] = []
        self.seen: i64 = 0

    def find(self) -> Entry | None:
        """The message, or None: then there is none, or the connection is parked or has to step
        again."""
        request = self.request
        if request.token >= 0:
            found = self._by_token()
        elif request.by_id():
            found = self._by_id()
        else:
            found = self._in_order()
        if self.expired and self.kernel.coordinator.has_room(None, 16 * len(self.expired)):
            self.kernel.coordinator.expire(self.queue, self.expired)
            have_expired(self.kernel, self.queue, len(self.expired))
        if self.kernel.measured and (self.seen or self.expired):
            passed_over(self.kernel, self.call, self.seen, len(self.expired))
        return found

    def _fits(self, entry: Entry) -> bool:
        queue = self.queue
        if entry.expiry_at != 0 and entry.expiry_at <= self.now_ns:
            if entry.place != 0 and int(entry.number) not in queue.locks:
                self.expired.append(entry)
            return False
        if queue.locks and is_locked(queue, entry, self.call.handle):
            return False
        return self.request.matches(entry)

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
            last: Entry | None = None
            while entry is not None:
                if self._fits(entry):
                    return entry
                self.seen += 1
                last = entry
                if self.seen >= STEP_MESSAGES_MAX:
                    self._go_on_after(last)
                    return None
                entry = entry.next
            if lane.swept:
                self.connection.park = fetch_first(queue, lane, self.kernel.outbox)
                return None
            lane_number -= 1
        return None

    def _go_on_after(self, last: Entry) -> None:
        walk = Cursor()
        walk.stand_on(last)
        self.queue.cursors.append(walk)
        self.call.walk = walk
        self.connection.again = True

    def _end_walk(self, walk: Cursor) -> None:
        walk.leave()
        self.queue.cursors.remove(walk)
        self.call.walk = None

    # ---- by token and by identifier

    def _by_token(self) -> Entry | None:
        request = self.request
        queue = self.queue
        entry = queue.number_index().get(int(request.token))
        if entry is None and queue.swept_alive:
            entry = swept_copy(
                self.kernel,
                self.connection,
                queue,
                request.token_lane,
                request.token_sequence,
                request.token,
            )
        if entry is not None and self._fits(entry):
            return entry
        return None

    def _by_id(self) -> Entry | None:
        request = self.request
        queue = self.queue
        index: IdIndex = queue.msg_ids
        key = request.msg_id
        kind: i64 = MSG_ID
        if key == ZERO_ID:
            index = queue.correl_ids
            key = request.correl_id
            kind = CORREL_ID
            if key == ZERO_ID:
                index = queue.group_ids
                key = request.group_id
                kind = GROUP_ID
        best = index.first(key)
        if best is not None and not self._fits(best):
            best = None
            for entry in index.ordered(key)[1:]:
                if self._fits(entry):
                    best = entry
                    break
        if queue.swept_alive == 0:
            return best
        locations = queue.swept_candidates(kind, key)
        if locations is None:
            return self._bring_back_first(best)
        return self._by_id_swept(best, locations)

    def _bring_back_first(self, best: Entry | None) -> Entry | None:
        """Very many swept messages share the identifier: the first of them lies near the front."""
        for number in range(LANES - 1, -1, -1):
            lane = self.queue.lanes[number]
            if best is not None and (
                best.lane > number
                or (best.lane == number and best.sequence < lane.first_swept_sequence())
            ):
                return best
            if lane.swept:
                self.connection.park = fetch_first(self.queue, lane, self.kernel.outbox)
                return None
        return best

    def _by_id_swept(self, best: Entry | None, locations: list[int]) -> Entry | None:
        queue = self.queue
        for location in locations:
            segment = queue.segment_at(location)
            if segment is None:
                continue
            if best is not None and (
                best.lane > segment.lane
                or (best.lane == segment.lane and best.sequence < segment.first_sequence)
            ):
                continue
            entry = queue.fetched.get(location)
            if entry is None:
                ordinal = location & (SEGMENT_MESSAGES_MAX - 1)
                self.connection.park = fetch_message(queue, segment, ordinal, self.kernel.outbox)
                return None
            if segment.states[entry.ordinal] == ALIVE and self._fits(entry):
                if best is None or is_before(entry, best):
                    best = entry
        return best


def is_before(one: Entry, other: Entry) -> bool:
    """Whether a get takes `one` first."""
    return one.lane > other.lane or (one.lane == other.lane and one.sequence < other.sequence)
