"""What a get finds of its own unit of work: messages that the unit has put and not committed.

They come behind everything else of their priority, as they will after the commit. A destructive get
has to be inside syncpoint, for outside the unit they are not visible; a browse is in the unit that
its connection has open. Groups: a message in logical order is found; what MQGMO_ALL_MSGS_AVAILABLE,
MQGMO_ALL_SEGMENTS_AVAILABLE and MQGMO_COMPLETE_MSG ask for counts committed messages only, and so
does a browse that looks at groups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.kernel.group_offers import SEGMENTS, check_match, holder_of, place_of_call
from ternmq.kernel.logical_place import LogicalPlace, flags_of, key_in_group
from ternmq.kernel.objects import LocalQueue
from ternmq.store.cursor import Cursor
from ternmq.store.group_member import SEGMENT_FLAGS
from ternmq.store.queue import LANES, Queue
from ternmq.store.segment_format import GROUP_ID
from ternmq.txn.own_puts import OwnLane, change_in, own_lanes, own_lanes_with
from ternmq.txn.unit import ACTIVE, CHANGE_PUT, UnitOfWork
from ternmq.values.entry import AVAILABLE, NOWHERE, PUTTING, Entry, shows_persistent

if TYPE_CHECKING:
    from ternmq.kernel.kernel import Kernel
    from ternmq.kernel.requests import GetCall
    from ternmq.kernel.selection import HandleSelection

STEP_MESSAGES_MAX: Final = 256


@final
class OwnSearch:
    """How far a get has come among the puts of its unit, and what it had found before: the next
    step goes on there."""

    __slots__ = ("_effort", "_lane", "_passed", "_places", "_seen", "_selection", "visible")

    def __init__(self) -> None:
        self._lane: i64 = LANES
        self._passed: i64 = 0  # the number of the last put of that lane that did not fit
        self._selection: HandleSelection | None = None
        self._places: list[int] | None = None  # the same for all gets of the handle, by lane
        self._seen: i64 = 0  # in this step
        self._effort: i64 = 0  # of the selection, before it
        self.visible: Entry | None = None  # what the get takes if its unit has nothing before it

    def begin_step(self, call: GetCall, unit: UnitOfWork) -> None:
        """Count from here on."""
        self._seen = 0
        selection = call.handle.selection
        self._selection = selection
        if selection is not None:
            self._effort = selection.effort
            if call.request.plain and call.request.syncpoint:
                self._places = selection.own_places(unit.unit_id)

    def first_of(self, lane: OwnLane) -> i64:
        """The place in a lane where the search goes on."""
        if lane.lane > self._lane:
            return len(lane.changes)
        at = lane.begin()
        if lane.lane == self._lane:
            at = max(at, lane.after(self._passed))
        places = self._places
        return at if places is None else max(at, lane.after(places[lane.lane]))

    def is_enough(self, lane: OwnLane, entry: Entry) -> bool:
        """One more did not fit; whether the rest is for the next step."""
        places = self._places
        if places is not None:
            places[lane.lane] = int(entry.number)
        self._seen += 1
        selection = self._selection
        effort: i64 = 0 if selection is None else selection.effort - self._effort
        if self._seen < STEP_MESSAGES_MAX and effort < STEP_MESSAGES_MAX:
            return False
        self._lane = lane.lane
        self._passed = entry.number
        return True


def _unit_of(call: GetCall) -> UnitOfWork | None:
    unit = call.connection.unit
    return unit if unit is not None and unit.state == ACTIVE else None


def may_get_own(call: GetCall, entry: Entry) -> bool:
    """Whether the unit of work that this get is in has put the message."""
    unit = _unit_of(call)
    if unit is None or entry.state != PUTTING or entry.unit_id != unit.unit_id:
        return False
    return call.browse or _is_inside(call, entry)


def _is_inside(call: GetCall, entry: Entry) -> bool:
    request = call.request
    return request.syncpoint or (request.syncpoint_if_persistent and shows_persistent(entry))


# ---- browse


def next_own(call: GetCall, queue: Queue, walk: Cursor) -> Entry | None:
    """The next put of the unit in the lane of a browse, which has passed all else there; it may
    have been got since. None: there is none, or the connection steps again."""
    unit = _unit_of(call)
    if unit is None or call.request.grouping:
        return None
    lanes = own_lanes(unit, queue)
    if lanes is None:
        call.connection.again = True
        return None
    before = walk.own
    for lane in lanes:
        if lane.lane == walk.lane:
            at = lane.begin() if before is None else lane.after(before.number)
            if at < len(lane.changes):
                entry = lane.changes[at].entry
                entry.lane = lane.lane
                return entry
    return None


# ---- destructive get


def found_before(kernel: Kernel, call: GetCall, search: OwnSearch) -> bool:
    """Whether a step goes on among the puts of the unit, because what an earlier one has found of
    the visible messages is still there: a message, or none. Those that came since are behind."""
    entry = search.visible
    if entry is None:
        return True
    return entry.state == AVAILABLE and entry.place != NOWHERE and _is_free(kernel, call, entry)


def with_own(
    kernel: Kernel,
    call: GetCall,
    local: LocalQueue,
    visible: Entry | None,
    search: OwnSearch | None,
) -> Entry | None:
    """The message that a get takes: the visible one that it has found, or one that its own unit
    has put. None: there is neither, or the search is not at its end. `search`: how far an earlier
    step has come."""
    connection = call.connection
    request = call.request
    unit = _unit_of(call)
    has_more_steps = connection.park is not None or connection.again
    if has_more_steps:
        call.own_search = search
        return visible
    if (
        unit is None
        or call.browse
        or call.reason
        or not (request.syncpoint or request.syncpoint_if_persistent)
        or request.options & mq.MQGMO_MSG_UNDER_CURSOR
        or (request.token >= 0 and request.token_queue != local.queue.queue_id)
    ):
        return visible
    place = place_of_call(call) if request.grouping else None
    if place is not None and visible is not None:
        return visible
    if search is None:
        search = OwnSearch()
    search.begin_step(call, unit)
    found = _find(kernel, call, local.queue, unit, visible, place, search)
    if connection.again:
        search.visible = visible
        call.own_search = search
        return None
    return visible if found is None else found


def _candidates(
    call: GetCall, queue: Queue, unit: UnitOfWork, place: LogicalPlace | None
) -> list[OwnLane] | None:
    """Puts of the unit that may fit; None: they are not found yet, step again."""
    if place is not None:
        return own_lanes_with(unit, queue, GROUP_ID, place.group_id)
    if call.request.token < 0 and call.by_id():
        kind, key = call.key()
        return own_lanes_with(unit, queue, kind, key)
    return own_lanes(unit, queue)


def _find(
    kernel: Kernel,
    call: GetCall,
    queue: Queue,
    unit: UnitOfWork,
    visible: Entry | None,
    place: LogicalPlace | None,
    search: OwnSearch,
) -> Entry | None:
    """The first put of the unit that fits and comes before the visible message."""
    lanes = _candidates(call, queue, unit, place)
    if lanes is None:
        call.connection.again = True
        return None
    if call.request.token >= 0:
        return _with_token(kernel, call, queue, lanes)
    for lane in lanes:
        if visible is not None and lane.lane <= visible.lane:
            break
        at = search.first_of(lane)
        while at < len(lane.changes):
            change = lane.changes[at]
            entry = change.entry
            if change.kind == CHANGE_PUT and _fits(kernel, call, queue, entry, place):
                entry.lane = lane.lane
                return entry
            if search.is_enough(lane, entry):
                call.connection.again = True
                return None
            at += 1
    return None


def _with_token(kernel: Kernel, call: GetCall, queue: Queue, lanes: list[OwnLane]) -> Entry | None:
    """The put that a token names."""
    change = change_in(lanes, call.request.token)
    if change is None or change.kind != CHANGE_PUT:
        return None
    return change.entry if _fits(kernel, call, queue, change.entry, None) else None


def _is_free(kernel: Kernel, call: GetCall, entry: Entry) -> bool:
    """Whether a message has not expired, and is under no browse lock of another handle."""
    if entry.expiry_at and entry.expiry_at <= kernel.clock.now_ns():
        return False
    local = call.handle.local
    if local is None or not local.queue.locks:
        return True
    holder = local.queue.locks.get(int(entry.number))
    return holder is None or holder == holder_of(call.handle)


def _fits(
    kernel: Kernel, call: GetCall, queue: Queue, entry: Entry, place: LogicalPlace | None
) -> bool:
    if not _is_free(kernel, call, entry) or not _is_inside(call, entry):
        return False
    return call.matches(entry) if place is None else _is_next(call, entry, place)


def _is_next(call: GetCall, entry: Entry, place: LogicalPlace) -> bool:
    """Whether it is the next message of the group in which the handle is."""
    if entry.group_id != place.group_id or key_in_group(entry) != place.next_key:
        return False
    if call.request.options & SEGMENTS and flags_of(entry) & SEGMENT_FLAGS:
        return False
    check_match(call, entry)
    return True
