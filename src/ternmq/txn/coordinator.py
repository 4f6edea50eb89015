"""Units of work: every change of recoverable data goes through here, is logged here and then done
to the store.

ORDER: the log record is appended before the change is made, in the same step; no call is answered
before the log is forced to where the record ends (`durable_at` of the connection). Called
by the kernel; restart and checkpoint work on the same tables from `restart` and `checkpoint`.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base.attributes import LOCAL, QMGR
from ternmq.base.errors import IntegrityError, check
from ternmq.codec.message_image import pack_header
from ternmq.log.kinds import (
    BACKOUT,
    COMMIT,
    COMPENSATE,
    EXPIRED,
    FORGET,
    GET,
    HEURISTIC,
    OBJECT,
    OBJECT_DELETED,
    PREPARE,
    PUT,
    PUT_GOT,
    QUEUE_CLEARED,
    STREAM_NUMBERS,
)
from ternmq.log.space import LogSpace
from ternmq.log.writer import LogWriter
from ternmq.store.catalog import Catalog, Definition
from ternmq.store.disk_reserve import DiskReserve
from ternmq.store.queue import Queue
from ternmq.store.segment import DEAD, Segment, segment_of
from ternmq.txn.families.message_records import (
    pack_cleared,
    pack_expired,
    pack_get,
    pack_numbers,
    pack_put,
    pack_put_got,
)
from ternmq.txn.families.packing import pack_json, pack_triples
from ternmq.txn.families.unit_records import (
    compensation_kind,
    pack_heuristic,
    pack_xid,
    undo_change,
)
from ternmq.txn.in_doubt import InDoubt
from ternmq.txn.in_log import InLog
from ternmq.txn.own_puts import own_get_ends
from ternmq.txn.reserves import (
    CHANGE_RESERVE,
    COMPENSATE_ONE,
    PUT_RECORD_OVERHEAD,
    RETURN_RESERVE,
    UNIT_RESERVE,
)
from ternmq.txn.unit import (
    ACTIVE,
    BACKING_OUT,
    CHANGE_GET,
    CHANGE_NONE,
    CHANGE_PUT,
    ENDED,
    PREPARED,
    Change,
    UnitOfWork,
)
from ternmq.values.entry import (
    AVAILABLE,
    GETTING,
    GONE,
    PERSISTENT,
    PUTTING,
    Entry,
    packed_descriptor,
)
from ternmq.values.xid import XID

NUMBERS_AHEAD: Final = 16384  # stream numbers that one record reserves


@final
class Coordinator:
    """The tables of units of work, and the only writer of log records about messages."""

    def __init__(self, log: LogWriter, space: LogSpace, in_log: InLog) -> None:
        self.log = log
        self.space = space
        self.in_log = in_log
        self.reserve = DiskReserve()
        self.units: dict[int, UnitOfWork] = {}  # those with something in the log, or prepared
        self.prepared: dict[tuple[int, bytes, bytes], UnitOfWork] = {}
        self.in_doubt = InDoubt()
        self.heuristic: dict[tuple[int, bytes, bytes], int] = {}  # an operator's outcomes
        self.heuristic_owners: dict[tuple[int, bytes, bytes], str] = {}  # whose units those were
        self.next_unit: i64 = 1
        self.commits: i64 = 0
        self.backouts: i64 = 0

    def begin(self) -> UnitOfWork:
        """A new unit of work; it costs nothing until something happens in it."""
        unit = UnitOfWork(self.next_unit)
        self.next_unit += 1
        return unit

    # ---- log space

    def has_room(self, unit: UnitOfWork | None, data_bytes: i64) -> bool:
        """Whether a put or get can be logged and the unit still be ended."""
        reserve: i64 = 0
        if unit is not None:
            reserve = CHANGE_RESERVE if unit.first_lsn else CHANGE_RESERVE + UNIT_RESERVE
        return self.space.fits(PUT_RECORD_OVERHEAD + data_bytes, reserve)

    def largest_data_bytes(self, held: i64) -> i64:
        """The longest message that the log could take outside syncpoint if nothing but `held` bytes
        were reserved in it."""
        return self.space.largest_bytes - held - PUT_RECORD_OVERHEAD

    def reserve_return(self, unit: UnitOfWork | None, data_bytes: i64) -> i64:
        """Room for a get and for taking it back: what was set aside for the latter, 0 if there is
        no room."""
        back: i64 = RETURN_RESERVE + PUT_RECORD_OVERHEAD + data_bytes
        reserve: i64 = back
        if unit is not None:
            back = RETURN_RESERVE + COMPENSATE_ONE
            reserve = (
                back + CHANGE_RESERVE if unit.first_lsn else back + CHANGE_RESERVE + UNIT_RESERVE
            )
        if not self.space.fits(PUT_RECORD_OVERHEAD, int(reserve)):
            return 0
        self.space.reserve(int(back))
        return back

    def join_log(self, unit: UnitOfWork) -> None:
        """Set log space aside for the end of a unit that is about to change something more."""
        reserve: i64 = CHANGE_RESERVE
        if unit.first_lsn == 0:
            reserve += UNIT_RESERVE
            self.units[int(unit.unit_id)] = unit
        unit.reserved += reserve
        self.space.reserve(int(reserve))

    def append(self, unit: UnitOfWork, kind: i64, parts: list[bytes]) -> i64:
        """A record of a unit; its LSN."""
        lsn: i64 = self.log.append(kind, unit.unit_id, unit.last_lsn, parts)
        if unit.first_lsn == 0:
            unit.first_lsn = lsn
        unit.last_lsn = lsn
        return lsn

    # ---- put and get

    def image(self, entry: Entry, queue: Queue, sequence: i64) -> list[bytes]:
        """The payload of a PUT with one target."""
        properties = entry.properties
        parts = [
            pack_put(int(queue.queue_id), int(entry.number), int(sequence)),
            pack_header(
                entry.number,
                sequence,
                entry.put_ns,
                entry.expiry_at,
                entry.length,
                entry.priority,
                entry.flags,
                entry.backout_count,
                0,
                len(properties),
            ),
            packed_descriptor(entry),
        ]
        if properties:
            parts.append(properties)
        parts.append(entry.data)
        return parts

    def number_ahead(self, queue: Queue) -> None:
        """Reserve stream numbers for a message that comes to a queue with a stream, and for all
        that are in units of work on it: the log has no number of a non-persistent message, and
        none may come again after a crash."""
        wanted = queue.next_sequence + queue.uncommitted_puts + 1
        if wanted > queue.numbering.reserved:
            bound = wanted + NUMBERS_AHEAD
            self.log.append(STREAM_NUMBERS, 0, 0, [pack_numbers(int(queue.queue_id), int(bound))])
            queue.numbering.reserved = bound
            queue.numbering.lsn = self.log.end_lsn
            queue.touched = True  # or a checkpoint would pass the record without saving the bound

    def put(self, unit: UnitOfWork | None, queue: Queue, entry: Entry) -> i64:
        """Put a message; returns what must be forced before the putter is answered (0: nothing)."""
        if queue.stream is not None:
            self.number_ahead(queue)
        entry.number = queue.next_number
        entry.queue_id = queue.queue_id
        queue.next_number += 1
        persistent = entry.flags & PERSISTENT != 0
        if unit is None:
            durable_at: i64 = 0
            if persistent:
                lsn: i64 = self.log.append(PUT, 0, 0, self.image(entry, queue, queue.next_sequence))
                durable_at = self.log.end_lsn
                self.in_log.add(entry, lsn)
                queue.last_lsn = durable_at
            queue.reveal(entry, durable_at)
            return durable_at
        if persistent:
            self.join_log(unit)
            self.in_log.add(entry, self.append(unit, PUT, self.image(entry, queue, 0)))
        entry.state = PUTTING
        entry.unit_id = unit.unit_id
        queue.uncommitted_puts += 1
        unit.changes.append(Change(CHANGE_PUT, queue, entry))
        return 0

    def hand_over(self, queue: Queue, entry: Entry) -> i64:
        """A message goes straight to a waiting getter, both outside a unit of work; it is
        never on the queue."""
        entry.number = queue.next_number
        entry.queue_id = queue.queue_id
        queue.next_number += 1
        entry.sequence = queue.next_sequence
        queue.next_sequence += 1
        entry.state = GONE
        if not entry.flags & PERSISTENT:
            return 0
        head = pack_put_got(
            int(queue.queue_id), int(entry.number), int(entry.sequence), int(entry.length)
        )
        self.log.append(PUT_GOT, 0, 0, [head])
        queue.last_lsn = self.log.end_lsn
        return self.log.end_lsn

    def get(self, unit: UnitOfWork | None, queue: Queue, entry: Entry) -> i64:
        """Take a message off its queue; returns what must be forced before the getter is
        answered."""
        durable_at = entry.visible_lsn
        queue.service.gets += 1
        if entry.flags & PERSISTENT:
            payload = pack_get(int(queue.queue_id), int(entry.number))
            if unit is None:
                self.log.append(GET, 0, 0, [payload])
                durable_at = self.log.end_lsn
                queue.last_lsn = durable_at
            else:
                self.join_log(unit)
                self.append(unit, GET, [payload])
        if unit is None:
            self.in_log.remove(entry)
            self._take(queue, entry, GONE)
            return durable_at
        if durable_at > unit.durable_at:
            unit.durable_at = durable_at
        self._take(queue, entry, GETTING)
        entry.unit_id = unit.unit_id
        queue.uncommitted_gets += 1
        unit.changes.append(Change(CHANGE_GET, queue, entry))
        return durable_at

    def give_back(self, queue: Queue, entry: Entry) -> i64:
        """A message that was got outside a unit of work returns to its place, for its getter went
        away unanswered. It is put again, under a new number (its old one may stand in a segment as
        dead) and with its old stream number."""
        check(entry.state == GONE, f"{queue.name}: message {entry.number} is not gone")
        entry.number = queue.next_number
        entry.queue_id = queue.queue_id
        queue.next_number += 1
        entry.segment = None
        durable_at = entry.visible_lsn
        if entry.flags & PERSISTENT:
            lsn: i64 = self.log.append(PUT, 0, 0, self.image(entry, queue, entry.sequence))
            durable_at = self.log.end_lsn
            self.in_log.add(entry, lsn)
            queue.last_lsn = durable_at
        queue.reveal_again(entry, entry.sequence, durable_at)
        return durable_at

    def give_back_in_unit(self, unit: UnitOfWork, queue: Queue, entry: Entry) -> None:
        """The same for a get of a unit of work that goes on; no backout is counted. It need not be
        the last change: a reader of several queues has several gets under way."""
        changes = unit.changes
        at = len(changes) - 1
        while at >= 0 and (changes[at].entry is not entry or changes[at].kind != CHANGE_GET):
            at -= 1
        check(at >= 0, f"{queue.name}: the get of {entry.number} is not a change of its unit")
        del changes[at]
        if unit.own is not None:
            unit.own.left(at)
        queue.uncommitted_gets -= 1
        entry.unit_id = 0
        queue.restore(entry)
        if entry.flags & PERSISTENT:
            kind = compensation_kind(CHANGE_GET, int(entry.backout_count))
            row = (kind, int(queue.queue_id), int(entry.number))
            self.append(unit, COMPENSATE, [pack_triples([row])])
            queue.last_lsn = self.log.end_lsn

    def _take(self, queue: Queue, entry: Entry, state: i64) -> None:
        if entry.state != AVAILABLE:  # not `check`: its text would be made for every message
            raise IntegrityError(f"{queue.name}: message {entry.number} is not available")
        segment = segment_of(entry)
        if segment is not None and segment.swept:
            queue.take_swept(entry, segment, entry.ordinal, state)
        else:
            queue.take(entry, state)

    def expire(self, queue: Queue, entries: list[Entry]) -> None:
        """Messages whose time has passed leave the queue; the record needs no force, they would
        expire again."""
        rows = [
            (int(queue.queue_id), int(entry.number))
            for entry in entries
            if entry.flags & PERSISTENT
        ]
        if rows:
            self.log.append(EXPIRED, 0, 0, [pack_expired(rows)])
            queue.last_lsn = self.log.end_lsn
        for entry in entries:
            self.in_log.remove(entry)
            self._take(queue, entry, GONE)
            queue.service.expired += 1

    def expire_swept(
        self, queue: Queue, segment: Segment, ordinals: list[int], rows: list[tuple[int, int]]
    ) -> None:
        """The same for messages in a swept segment."""
        if rows:
            self.log.append(EXPIRED, 0, 0, [pack_expired(rows)])
            queue.last_lsn = self.log.end_lsn
        for ordinal in ordinals:
            segment.mark(ordinal, DEAD)
            queue.forget_member(segment, ordinal)
        queue.swept_alive -= len(ordinals)
        queue.service.expired += len(ordinals)
        queue.touched = True
        if segment.empty:
            queue.retire(segment)

    def cleared(self, queue: Queue) -> i64:
        """All messages of a queue go at once; the caller has seen that no unit of work holds
        any."""
        payload = pack_cleared(int(queue.queue_id), int(queue.next_number))
        self.log.append(QUEUE_CLEARED, 0, 0, [payload])
        queue.last_lsn = self.log.end_lsn
        return self.log.end_lsn

    # ---- objects

    def define(
        self, catalog: Catalog, definition: Definition, also: Definition | None = None
    ) -> i64:
        """A new or altered object, and another one that comes with it: both are in one record, so
        that a crash leaves both or neither. Returns what must be forced."""
        is_new = catalog.find(definition.object_type, definition.name) is None
        definition.touched()
        catalog.add(definition)
        begin = self.settle_stream(catalog, definition)
        if definition.temporary:
            return 0
        facts = definition.to_json()
        if begin:
            facts["stream"] = int(begin)
        if is_new:
            facts["made"] = True
        if also is not None:
            also.touched()
            catalog.add(also)
            facts["also"] = also.to_json()
        lsn = self.log.append(OBJECT, 0, 0, [pack_json(facts)])
        if is_new and definition.object_type == LOCAL and catalog.keeps_images:
            # An empty queue needs no other image than this.
            catalog.row(definition.object_id).note_image(lsn, lsn, definition.created_ns)
        return self.log.end_lsn

    def settle_stream(self, catalog: Catalog, definition: Definition) -> i64:
        """A definition or a cursor has changed: the queue may have a stream now, or none, or one
        on other terms. The number where it begins, if it does so now; else 0."""
        queue = catalog.queues.get(definition.object_id)
        if queue is None or definition.object_type != LOCAL:
            return 0
        before = queue.stream
        catalog.settle_stream(definition, queue)
        stream = queue.stream
        if stream is None or stream is before:
            return 0
        self.number_ahead(queue)  # also for what is in units of work
        return stream.begin

    def set_queue_manager(self, catalog: Catalog) -> i64:
        """The queue manager's own attributes have changed."""
        facts: dict[str, object] = {"type": QMGR, "attributes": dict(catalog.qmgr)}
        if "altered_ns" in catalog.facts:
            facts["altered_ns"] = catalog.facts["altered_ns"]
        catalog.changed = True
        self.log.append(OBJECT, 0, 0, [pack_json(facts)])
        return self.log.end_lsn

    def undefine(
        self,
        catalog: Catalog,
        definition: Definition,
        queue: Queue | None,
        also: list[Definition] | None = None,
    ) -> i64:
        """An object goes, a queue's messages with it, and other objects too: all in one record."""
        catalog.remove(definition)
        others = [] if also is None else also
        for one in others:
            catalog.remove(one)
        if queue is not None:
            self.forget_all(queue)
        if definition.temporary:
            return 0
        facts: dict[str, object] = {"id": definition.object_id, "name": definition.name}
        if others:
            facts["also"] = [one.object_id for one in others]
        self.log.append(OBJECT_DELETED, 0, 0, [pack_json(facts)])
        return self.log.end_lsn

    def forget_all(self, queue: Queue) -> None:
        """The log need not keep any available message of this queue."""
        for lane in queue.lanes:
            for chain in (lane.front, lane.strays, lane.rear):
                entry = chain.head
                while entry is not None:
                    self.in_log.remove(entry)
                    entry = entry.next

    # ---- the end of a unit

    def commit(self, unit: UnitOfWork) -> i64:
        """Make it happen, in one step; returns what must be forced before any answer."""
        logged = unit.first_lsn != 0
        rows = self.reveal_unit(unit)
        lsn: i64 = 0
        durable_at = unit.durable_at
        if logged:
            lsn = self.append(unit, COMMIT, [pack_triples(rows)])
            durable_at = self.log.end_lsn
        self.conclude_unit(unit, lsn, durable_at)
        return durable_at

    def reveal_unit(self, unit: UnitOfWork) -> list[tuple[int, int, int]]:
        """Make its changes visible; queue, number and sequence of its persistent puts. The record
        of them and `conclude_unit` have to follow in the same step."""
        check(unit.state == ACTIVE or unit.state == PREPARED, "commit of a unit that has ended")
        rows: list[tuple[int, int, int]] = []
        for change in unit.changes:
            entry = change.entry
            queue = change.queue
            entry.unit_id = 0
            if change.kind == CHANGE_PUT:
                queue.uncommitted_puts -= 1
                queue.reveal(entry, 0)
                if entry.flags & PERSISTENT:
                    rows.append((int(queue.queue_id), int(entry.number), int(entry.sequence)))
            elif change.kind == CHANGE_NONE:
                own_get_ends(queue, entry)
            else:
                queue.uncommitted_gets -= 1
                self.in_log.remove(entry)
                queue.vanish(entry)
        return rows

    def conclude_unit(self, unit: UnitOfWork, lsn: i64, durable_at: i64) -> None:
        """Its record is at `lsn` (0: it has none); readers of its messages wait for the force."""
        if lsn:
            self._pin_rehomed(unit, lsn)
        for change in unit.changes:
            if change.kind == CHANGE_PUT:
                entry = change.entry
                entry.visible_lsn = durable_at
                stream = change.queue.stream
                if stream is not None:
                    stream.stamp(entry.sequence, durable_at)
            if lsn:
                change.queue.last_lsn = durable_at
        self.commits += 1
        self._end(unit)

    def _pin_rehomed(self, unit: UnitOfWork, lsn: i64) -> None:
        """A body that left the log while its unit was prepared is in a segment without its
        stream number; the number is in COMMIT alone, so the log keeps that until the message
        gets a home that knows it."""
        for change in unit.changes:
            if change.kind == CHANGE_PUT and change.entry.segment is not None:
                self.in_log.remove(change.entry)
                self.in_log.add(change.entry, lsn)

    def back_out_some(self, unit: UnitOfWork, changes_max: i64) -> bool:
        """Undo the latest changes, a bounded number; True when the unit has ended."""
        check(unit.state != ENDED, "backout of a unit that has ended")
        if unit.state == PREPARED and unit.xid is not None:
            self.prepared.pop(unit.xid.key, None)
        unit.state = BACKING_OUT
        unit.was_undone = True
        rows: list[tuple[int, int, int]] = []
        queues: list[Queue] = []
        done: i64 = 0
        while unit.changes and done < changes_max:
            change = unit.changes.pop()
            done += 1
            if change.kind == CHANGE_NONE:
                continue
            entry = change.entry
            undo_change(self.in_log, change, entry.backout_count + 1)
            if entry.flags & PERSISTENT:
                kind = compensation_kind(int(change.kind), int(entry.backout_count))
                rows.append((kind, int(change.queue.queue_id), int(entry.number)))
                if change.queue not in queues:
                    queues.append(change.queue)
        if rows:
            self.append(unit, COMPENSATE, [pack_triples(rows)])
            for queue in queues:
                queue.last_lsn = self.log.end_lsn
        if unit.changes:
            return False
        if unit.first_lsn:
            self.append(unit, BACKOUT, [])
        unit.restore()
        self.backouts += 1
        self._end(unit)
        return True

    def _end(self, unit: UnitOfWork) -> None:
        if unit.xid is not None:
            self.prepared.pop(unit.xid.key, None)
            self.in_doubt.remove(int(unit.unit_id))
        unit.state = ENDED
        unit.changes = []
        self.units.pop(int(unit.unit_id), None)
        if unit.reserved:
            self.space.release(int(unit.reserved))
            unit.reserved = 0

    # ---- two-phase commit

    def prepare(self, unit: UnitOfWork, xid: XID) -> i64:
        """From here on only the transaction manager or an operator ends it; forced before the
        answer."""
        check(unit.state == ACTIVE, "prepare of a unit that is not active")
        self.join_log(unit)
        self.append(unit, PREPARE, [pack_xid(xid)])
        unit.xid = xid
        unit.state = PREPARED
        unit.restores = None  # its connection goes on without it
        self.units[int(unit.unit_id)] = unit
        self.prepared[xid.key] = unit
        self.in_doubt.add(int(unit.unit_id), xid.owner, int(unit.reserved))
        return self.log.end_lsn

    def refusal_of_prepare(self, unit: UnitOfWork, user: str) -> str:
        """Why a user's unit may not be in doubt besides those that are; empty if it may."""
        count = int(unit.reserved) + CHANGE_RESERVE + (0 if unit.first_lsn else UNIT_RESERVE)
        return self.in_doubt.refusal(user, count, self.space.configured_bytes)

    def note_heuristic(self, xid: XID, outcome: int) -> i64:
        """An operator decides what the transaction manager should have; remembered until it is
        forgotten."""
        self.heuristic[xid.key] = outcome
        self.heuristic_owners[xid.key] = xid.owner
        self.log.append(HEURISTIC, 0, 0, [pack_heuristic(outcome, xid)])
        return self.log.end_lsn

    def forget(self, xid: XID) -> i64:
        """The transaction manager knows of a heuristic outcome and wants to hear no more of it."""
        self.heuristic.pop(xid.key, None)
        self.heuristic_owners.pop(xid.key, None)
        self.log.append(FORGET, 0, 0, [pack_xid(xid)])
        return self.log.end_lsn

    def redo_lsn(self) -> i64:
        """Where a restart would have to begin to read, if every journal had all up to now."""
        redo: i64 = self.log.end_lsn
        oldest = self.in_log.oldest_lsn()
        if oldest and oldest < redo:
            redo = oldest
        pin = self.oldest_pin()
        if pin is not None and pin.first_lsn < redo:
            redo = pin.first_lsn
        return redo

    def oldest_pin(self) -> UnitOfWork | None:
        """The unit whose first record is the oldest; one that was prepared, even if it is being
        backed out, pins nothing: checkpoints carry it."""
        oldest: UnitOfWork | None = None
        for unit in self.units.values():
            if unit.xid is None and unit.first_lsn:
                if oldest is None or unit.first_lsn < oldest.first_lsn:
                    oldest = unit
        return oldest
