"""The puts of a unit of work that it may get itself before it ends, and what such a get leaves.

A put takes its place on its queue at the commit. Until then its own unit finds it here, by queue,
lane and number, or by identifier; the index is made for the first get that asks, in bounded steps.
A get cancels the put: it stays in the unit's list as CHANGE_NONE, so that places in the list stay
right, and COMPENSATE says in the log that it is undone. So a commit has nothing to place, a backout
nothing to undo, and redo needs to know nothing new.

Part of the coordinator, in a file of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base.errors import IntegrityError, check
from ternmq.log.kinds import COMPENSATE, PUT
from ternmq.store.queue import Queue
from ternmq.store.segment_format import CORREL_ID, MSG_ID
from ternmq.txn.families.packing import pack_triples
from ternmq.txn.unit import CHANGE_NONE, CHANGE_PUT, Change, UnitOfWork
from ternmq.values.entry import CANCELLED, PERSISTENT, PUTTING, Entry

if TYPE_CHECKING:
    from ternmq.txn.coordinator import Coordinator

STEP_CHANGES_MAX: Final = 1024  # that one step takes into an index


@final
class OwnLane:
    """A unit's puts to one lane of one queue, in the order of their numbers."""

    __slots__ = ("changes", "lane", "start")

    def __init__(self, lane: i64) -> None:
        self.lane: i64 = lane
        self.changes: list[Change] = []
        self.start: i64 = 0  # nothing before it can be got any more

    def after(self, number: i64) -> i64:
        """The place of the first put with a higher number."""
        low: i64 = self.start
        high: i64 = len(self.changes)
        while low < high:
            middle = (low + high) // 2
            if self.changes[middle].entry.number > number:
                high = middle
            else:
                low = middle + 1
        return low

    def begin(self) -> i64:
        """The place of the first put that was not got, or one before it if there are very many."""
        changes = self.changes
        at = self.start
        end: i64 = len(changes)
        if end - at > STEP_CHANGES_MAX:
            end = at + STEP_CHANGES_MAX
        while at < end and changes[at].kind != CHANGE_PUT:
            at += 1
        self.start = at
        return at


@final
class OwnPuts:
    """The puts of one unit of work, by queue. A change that leaves the unit's list becomes
    CHANGE_NONE; one that comes elsewhere than at its end makes a new index necessary
    (`UnitOfWork.own = None`)."""

    __slots__ = ("_queues", "_seen")

    def __init__(self) -> None:
        self._queues: dict[int, OwnQueue] = {}
        self._seen: i64 = 0  # so many changes of the unit are in here

    def follow(self, changes: list[Change], changes_max: i64) -> bool:
        """Take in what the unit has put since, a bounded part of it; True when all is here."""
        at = self._seen
        end: i64 = len(changes)
        if end - at > changes_max:
            end = at + changes_max
        while at < end:
            change = changes[at]
            if change.kind == CHANGE_PUT:
                self._queue(change.queue).add(change)
            at += 1
        self._seen = at
        return at == len(changes)

    def _queue(self, queue: Queue) -> OwnQueue:
        own = self._queues.get(int(queue.queue_id))
        if own is None:
            own = OwnQueue()
            self._queues[int(queue.queue_id)] = own
        return own

    def left(self, at: i64) -> None:
        """The change at this place has left the unit's list."""
        if at < self._seen:
            self._seen -= 1

    def of(self, queue: Queue) -> OwnQueue | None:
        """Those to one queue."""
        return self._queues.get(int(queue.queue_id))


@final
class OwnQueue:
    """A unit's puts to one queue: all of them, and those with an identifier once a get has asked
    for one."""

    __slots__ = ("_ids", "_puts", "lanes")

    def __init__(self) -> None:
        self.lanes: list[OwnLane] = []  # the highest first
        self._puts: list[Change] = []
        self._ids: list[OwnIds | None] = [None, None, None]

    def add(self, change: Change) -> None:
        """One more."""
        self._puts.append(change)
        _lane_of(self.lanes, change).changes.append(change)

    def ids(self, kind: i64, changes_max: i64) -> OwnIds | None:
        """By an identifier of this kind; None: it is not whole yet, step again."""
        index = self._ids[kind]
        if index is None:
            index = OwnIds(kind)
            self._ids[kind] = index
        return index if index.follow(self._puts, changes_max) else None


@final
class OwnIds:
    """A unit's puts to one queue by MsgId, CorrelId or GroupId."""

    __slots__ = ("_kind", "_lanes", "_seen")

    def __init__(self, kind: i64) -> None:
        self._kind: i64 = kind
        self._lanes: dict[bytes, list[OwnLane]] = {}
        self._seen: i64 = 0

    def follow(self, puts: list[Change], changes_max: i64) -> bool:
        """Take in a bounded part of what has come since; True when all is here."""
        at = self._seen
        end: i64 = len(puts)
        if end - at > changes_max:
            end = at + changes_max
        while at < end:
            change = puts[at]
            _lane_of(self._lanes.setdefault(self._id(change.entry), []), change).changes.append(
                change
            )
            at += 1
        self._seen = at
        return at == len(puts)

    def _id(self, entry: Entry) -> bytes:
        if self._kind == MSG_ID:
            return entry.msg_id
        return entry.correl_id if self._kind == CORREL_ID else entry.group_id

    def of(self, key: bytes) -> list[OwnLane]:
        """Those with this identifier, the highest lane first."""
        return self._lanes.get(key, [])


def _lane_of(lanes: list[OwnLane], change: Change) -> OwnLane:
    """The lane of a put among others, the highest first; made if it is the first of its lane."""
    queue = change.queue
    number = queue.default_lane if queue.fifo else change.entry.priority
    at: i64 = 0
    while at < len(lanes) and lanes[at].lane > number:
        at += 1
    if at == len(lanes) or lanes[at].lane != number:
        lanes.insert(at, OwnLane(number))
    return lanes[at]


def own_index(unit: UnitOfWork) -> OwnPuts:
    """The index of a unit's puts; it may have to follow them."""
    own = unit.own
    if own is None:
        own = OwnPuts()
        unit.own = own
    return own


def own_is_whole(unit: UnitOfWork) -> bool:
    """Whether the index has all puts of the unit; if not, this step has brought it nearer."""
    return own_index(unit).follow(unit.changes, STEP_CHANGES_MAX)


def own_lanes(unit: UnitOfWork, queue: Queue) -> list[OwnLane] | None:
    """The puts of a unit to a queue; None: the index is not whole yet, step again."""
    if not own_is_whole(unit):
        return None
    own = own_index(unit).of(queue)
    return [] if own is None else own.lanes


def own_lanes_with(unit: UnitOfWork, queue: Queue, kind: i64, key: bytes) -> list[OwnLane] | None:
    """The same for those with an identifier."""
    if not own_is_whole(unit):
        return None
    own = own_index(unit).of(queue)
    if own is None:
        return []
    ids = own.ids(kind, STEP_CHANGES_MAX)
    return None if ids is None else ids.of(key)


def change_in(lanes: list[OwnLane], number: i64) -> Change | None:
    """The put with this number, among the puts to one queue."""
    for lane in lanes:
        at = lane.after(number - 1)
        if at < len(lane.changes) and lane.changes[at].entry.number == number:
            return lane.changes[at]
    return None


def _change_of(unit: UnitOfWork, queue: Queue, entry: Entry) -> Change | None:
    own = own_index(unit)
    while not own.follow(unit.changes, STEP_CHANGES_MAX):
        pass  # of a get that has looked at it, or its report: never much
    mine = own.of(queue)
    return None if mine is None else change_in(mine.lanes, entry.number)


def get_own(coordinator: Coordinator, unit: UnitOfWork, queue: Queue, entry: Entry) -> None:
    """A unit gets a message that it has put itself. Nothing has to be forced: nobody but the unit
    has seen the message, and a crash takes both back."""
    change = _change_of(unit, queue, entry)
    if change is None or change.kind != CHANGE_PUT:
        raise IntegrityError(f"{queue.name}: the put of {entry.number} is not in its unit")
    queue.service.gets += 1
    queue.uncommitted_puts -= 1
    coordinator.in_log.remove(entry)
    if queue.marks or queue.locks:
        forget_browses(queue, entry)
    queue.vanish(entry)
    change.kind = CHANGE_NONE
    entry.state = CANCELLED
    unit.own_gets += 1
    if entry.flags & PERSISTENT:
        row = (CHANGE_PUT, int(queue.queue_id), int(entry.number))
        coordinator.append(unit, COMPENSATE, [pack_triples([row])])


def forget_browses(queue: Queue, entry: Entry) -> None:
    """A message that its own unit of work has browsed never comes to the queue: its marks and its
    browse lock go."""
    number = int(entry.number)
    queue.marks.pop(number, None)
    groups = queue.groups
    if queue.locks.pop(number, None) is not None and groups is not None:
        groups.locked.pop(number, None)


def put_own_back(coordinator: Coordinator, unit: UnitOfWork, queue: Queue, entry: Entry) -> None:
    """Such a get is as if it never was: the message is put again, under its number and at its
    place among the unit's puts."""
    changes = unit.changes
    at = len(changes) - 1
    while at >= 0 and changes[at].entry is not entry:
        at -= 1
    check(at >= 0, f"{queue.name}: the put of {entry.number} is not in its unit")
    if queue.stream is not None:
        coordinator.number_ahead(queue)
    changes[at].kind = CHANGE_PUT
    changes[at].queue = queue
    entry.state = PUTTING
    unit.own_gets -= 1
    unit.own = None
    queue.uncommitted_puts += 1
    queue.service.returns += 1
    if entry.flags & PERSISTENT:
        lsn = coordinator.append(unit, PUT, coordinator.image(entry, queue, 0))
        coordinator.in_log.add(entry, lsn)
        queue.last_lsn = coordinator.log.end_lsn


def own_get_ends(queue: Queue, entry: Entry) -> None:
    """The unit commits. The message keeps the place that it would have had, for a browse cursor
    that stands on it: behind the unit's puts before it."""
    entry.sequence = queue.next_sequence - 1
