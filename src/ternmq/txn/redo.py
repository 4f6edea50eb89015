"""Redo: what one log record tells is done again to the store, unless it is done.

Each queue's journal holds everything up to its own LSN, so a record before that LSN may find its
work already done, and then does nothing; above it, the work is done again. Restart feeds the
records since the redo LSN (`restart`), media recovery those since an image, for one queue alone
(`media_recovery`). Where a queue comes from is their business (`load`).
"""

from __future__ import annotations

from ternmq.base.errors import IntegrityError, check
from ternmq.base.object_types import QMGR
from ternmq.log import kinds
from ternmq.log.record import LogRecord
from ternmq.ports.disk import Disk
from ternmq.store.catalog import Catalog, Definition, definition_from_json
from ternmq.store.copying import copied_descriptor, copy_of
from ternmq.store.entry import GETTING, GONE, PUTTING, Entry
from ternmq.store.fetching import RecordReader, entry_from_image
from ternmq.store.queue import Queue
from ternmq.store.segment import ALIVE, DEAD, Segment
from ternmq.store.stream_file import spill
from ternmq.store.stream_fill import fill_now
from ternmq.store.stream_inventory import Inventory, held_of
from ternmq.store.stream_trimming import cut_below
from ternmq.txn.cursors import CursorChange, apply_change, unpack_change
from ternmq.txn.in_log import InLog
from ternmq.txn.ledger import redo_row, unpack_ledger
from ternmq.txn.media_format import image_told
from ternmq.txn.number_map import NumberMap
from ternmq.txn.records import (
    COPY,
    PAIR,
    TARGET,
    copy_tenths,
    unpack_get,
    unpack_json,
    unpack_pairs,
    unpack_put,
    unpack_triples,
    unpack_xid,
)
from ternmq.txn.unit import (
    BACKING_OUT,
    CHANGE_GET,
    CHANGE_PUT,
    PREPARED,
    XID,
    Change,
    UnitOfWork,
)


class Redo:
    """The tables that replay fills; `units` is what had not ended where it stopped."""

    def __init__(self, disk: Disk, catalog: Catalog) -> None:
        self.disk = disk
        self.catalog = catalog
        self.in_log = InLog()
        self.units: dict[int, UnitOfWork] = {}
        self.heuristic: dict[tuple[int, bytes, bytes], int] = {}
        self.heuristic_owners: dict[tuple[int, bytes, bytes], str] = {}
        self.definitions: dict[int, Definition] = {}
        self.maps: dict[int, NumberMap] = {}
        self.position = 0  # LSN of the record that is being done
        self.cursors_lsn = 0  # stream cursors are known up to here
        self.revealed: list[tuple[int, Queue, Entry]] = []  # by this record, for streams

    def load(self, definition: Definition) -> Queue | None:
        """A queue that a record speaks of, as its files tell it; None if it cannot be had."""
        raise NotImplementedError

    def find_journal(self, definition: Definition) -> None:
        """A definition has come from the log."""

    def settle(self) -> None:
        """At the end: what only replay needed goes."""
        for unit in self.units.values():
            # Some changes of a unit that was carried came from the checkpoint and some from the
            # log; messages become visible in the order they were put.
            unit.changes.sort(key=_put_order)
        for queue in self.catalog.queues.values():
            check(not queue.undecided, f"{queue.name}: a prepared message without its unit of work")
            queue.by_number = None
            for segment in queue.segments.values():
                del segment.numbers[:]
            queue.next_sequence = max(queue.next_sequence, queue.numbering.reserved)
        self.catalog.settle_streams()

    def carry_unit(self, told: dict[str, object]) -> None:
        """A prepared unit as the checkpoint tells it. A change that is not found yet has its
        message in the log, after the redo LSN: its record will bring it."""
        number = integer_of(told["id"])
        unit = UnitOfWork(number)
        unit.first_lsn = integer_of(told["first_lsn"])
        unit.last_lsn = integer_of(told["last_lsn"])
        unit.xid = XID(
            integer_of(told["format_id"]),
            bytes.fromhex(str(told["global_id"])),
            bytes.fromhex(str(told["branch"])),
            str(told.get("owner", "")),
        )
        unit.state = integer_of(told["state"])
        self.units[number] = unit
        changes = told["changes"]
        if isinstance(changes, list):
            for kind, queue_id, message in changes:
                queue = self.queue(queue_id)
                if queue is None:
                    continue
                if kind == CHANGE_PUT:
                    entry = queue.undecided.pop(message, None)
                    if entry is not None:
                        self._putting(unit, queue, entry)
                else:
                    self._getting(unit, queue, message)

    # ---- queues and messages

    def queue(self, queue_id: int) -> Queue | None:
        """A queue that the log speaks of, loaded; None if it has been deleted since."""
        queue = self.catalog.queues.get(queue_id)
        if queue is not None:
            return queue
        definition = self.definitions.get(queue_id)
        if definition is None:
            return None
        queue = self.load(definition)
        if queue is not None:
            self.catalog.install(definition, queue)
            queue.number_index()
            if queue_id not in self.maps:
                self.maps[queue_id] = NumberMap(queue)
        return queue

    def _in_segment(self, queue: Queue, number: int) -> tuple[Segment, int] | None:
        return self.maps[int(queue.queue_id)].find(number)

    def _lives_in_segment(self, queue: Queue, number: int) -> bool:
        """Whether the log need not bring a message. If it is dead there, it may be alive all the
        same, with the log as its home; and if it is not, the log tells that as well."""
        place = self._in_segment(queue, number)
        return place is not None and place[0].states[place[1]] != DEAD

    def unit(self, number: int, lsn: int) -> UnitOfWork:
        """The unit that a record belongs to."""
        unit = self.units.get(number)
        if unit is None:
            unit = UnitOfWork(number)
            unit.first_lsn = lsn
            self.units[number] = unit
        unit.last_lsn = lsn
        return unit

    # ---- records

    def redo(self, record: LogRecord) -> None:
        """Do again what one record tells, unless it is done."""
        kind = record.kind
        self.position = record.lsn
        # A unit that the checkpoint carried may have changes after the redo LSN: those whose body
        # only the log has are not done yet, the others turn out to be.
        if kind == kinds.PUT:
            self._redo_put(record)
        elif kind == kinds.GET:
            queue_id, number = unpack_get(record.payload)
            self._redo_get(record, queue_id, number)
        elif kind == kinds.COMMIT:
            self._redo_commit(record)
        elif kind == kinds.COMPENSATE:
            self._redo_compensate(record)
        elif kind == kinds.BACKOUT:
            self._redo_backout(record)
        elif kind == kinds.LEDGER:
            self._redo_ledger(record)
        elif kind == kinds.PREPARE:
            unit = self.unit(record.uow, record.lsn)
            unit.xid = unpack_xid(record.payload)
            unit.state = PREPARED
        else:
            self._redo_other(record)
        if self.revealed:
            self._to_streams()

    def _reveal(self, queue: Queue, entry: Entry, sequence: int, lsn: int) -> None:
        queue.reveal_again(entry, sequence, lsn)
        if queue.stream is not None:
            self.revealed.append((sequence, queue, entry))

    def _to_streams(self) -> None:
        """What a record made visible goes to the streams in the order of numbers, unless it is
        there: a journal tells its stream up to a number, and one who gives a message back puts it
        again with its old number."""
        self.revealed.sort(key=_stream_order)
        for sequence, queue, entry in self.revealed:
            stream = queue.stream
            if stream is not None and sequence >= stream.next:
                stream.append(entry)
                queue.touched = True
                if stream.unwritten > self.catalog.stream_memory.stream_bytes_max:
                    spill(self.disk, stream)
        self.revealed = []

    def _redo_other(self, record: LogRecord) -> None:
        kind = record.kind
        if kind == kinds.PUT_GOT:
            queue_id, number, sequence, _ = TARGET.unpack(record.payload)
            queue = self.queue(queue_id)
            if queue is not None:
                queue.next_number = max(queue.next_number, number + 1)
                queue.next_sequence = max(queue.next_sequence, sequence + 1)
        elif kind in (kinds.CURSOR, kinds.STREAM_NUMBERS):
            self._redo_stream(record)
        elif kind == kinds.EXPIRED:
            for queue_id, number in unpack_pairs(record.payload):
                self._remove(queue_id, number, record.lsn)
        elif kind == kinds.QUEUE_CLEARED:
            queue_id, next_number = PAIR.unpack(record.payload)
            self._redo_clear(queue_id, next_number)
        elif kind == kinds.HEURISTIC:
            xid = unpack_xid(record.payload[1:])
            self.heuristic[xid.key] = record.payload[0]
            self.heuristic_owners[xid.key] = xid.owner
        elif kind == kinds.FORGET:
            forgotten = unpack_xid(record.payload).key
            self.heuristic.pop(forgotten, None)
            self.heuristic_owners.pop(forgotten, None)
        else:
            self._redo_definition(record)

    def _redo_stream(self, record: LogRecord) -> None:
        if record.kind == kinds.STREAM_NUMBERS:
            queue_id, bound = PAIR.unpack(record.payload)
            queue = self.queue(queue_id)
            if queue is not None and record.lsn >= queue.state_lsn:
                queue.numbering.reserved = max(queue.numbering.reserved, bound)
            return
        change = unpack_change(record.payload)
        queue_id = change.cursor.queue_id
        if queue_id not in self.definitions:
            return  # deleted since, and its cursors with it
        if record.lsn > self.cursors_lsn:
            apply_change(self.catalog.cursors, change.action, change.cursor)
        if change.begins:
            self._begin_stream(queue_id, change.begin, record.lsn)
        if change.fills:
            self._fill_stream(queue_id, change, record)

    def _redo_definition(self, record: LogRecord) -> None:
        if record.kind == kinds.MEDIA_IMAGE:
            self._note_image(record)
        elif record.kind == kinds.OBJECT:
            self._note_image(record)
            self._redo_object(record)
        elif record.kind == kinds.OBJECT_DELETED:
            self._redo_delete(record)

    def _redo_put(self, record: LogRecord) -> None:
        targets, start = unpack_put(record.payload)
        shared: bytes | None = None
        for target in targets:
            queue = self.queue(target.queue_id)
            if queue is None:
                continue
            if target.number >= queue.next_number:
                queue.next_number = target.number + 1
            if record.lsn < queue.state_lsn and self._lives_in_segment(queue, target.number):
                pending = queue.undecided.pop(target.number, None)
                if pending is not None and record.uow:
                    self._putting(self.unit(record.uow, record.lsn), queue, pending)
                continue
            entry = self._told_entry(record, start, target.flags)
            if shared is None:
                shared = entry.data
            entry.data = shared  # one body for all copies, as it was when they were put
            entry.number = target.number
            entry.queue_id = target.queue_id
            self.in_log.add(entry, record.lsn)
            if record.uow == 0:
                self._reveal(queue, entry, target.sequence, record.end_lsn)
            else:
                entry.sequence = 0
                self._putting(self.unit(record.uow, record.lsn), queue, entry)

    def _told_entry(self, record: LogRecord, start: int, flags: int) -> Entry:
        """The message of a PUT as one of its targets has it."""
        entry = entry_from_image(record.payload, start)
        if flags & COPY:
            tenths = copy_tenths(flags)
            return copy_of(entry, copied_descriptor(entry.base, tenths), tenths)
        return entry

    def _putting(self, unit: UnitOfWork, queue: Queue, entry: Entry) -> None:
        entry.state = PUTTING
        entry.unit_id = unit.unit_id
        entry.queue_id = queue.queue_id
        queue.uncommitted_puts += 1
        unit.changes.append(Change(CHANGE_PUT, queue, entry))

    def _redo_get(self, record: LogRecord, queue_id: int, number: int) -> None:
        if record.uow == 0:
            self._remove(queue_id, number, record.lsn)
            return
        queue = self.queue(queue_id)
        if queue is not None:
            self._getting(self.unit(record.uow, record.lsn), queue, number)

    def _getting(self, unit: UnitOfWork, queue: Queue, number: int) -> None:
        entry = queue.number_index().get(number)
        if entry is not None:
            queue.take(entry, GETTING)
        else:
            place = self._in_segment(queue, number)
            if place is None or place[0].states[place[1]] != ALIVE:
                return  # got and committed before the journal was written
            try:
                entry = self._read(queue, place[0], place[1])
            except IntegrityError as error:
                queue.damaged = str(error)  # nobody will ever get it, so it may stay where it is
                return
            queue.take_swept(entry, place[0], place[1], GETTING)
        entry.unit_id = unit.unit_id
        entry.queue_id = queue.queue_id
        queue.uncommitted_gets += 1
        unit.changes.append(Change(CHANGE_GET, queue, entry))

    def _read(self, queue: Queue, segment: Segment, ordinal: int) -> Entry:
        reader = RecordReader(queue, segment)
        try:
            file = self.disk.borrow(segment.path)
        except FileNotFoundError as error:
            raise IntegrityError(f"segment {segment.path} is missing") from error
        try:
            records, start = reader.read(file, ordinal, ordinal + 1)
        finally:
            self.disk.give_back(file)
        return reader.entry(records, start, ordinal)

    def _remove(self, queue_id: int, number: int, lsn: int) -> None:
        """A message has left its queue for good."""
        queue = self.queue(queue_id)
        if queue is None:
            return
        entry = queue.number_index().get(number)
        if entry is not None:
            self.in_log.remove(entry)
            queue.take(entry, GONE)
            return
        place = self._in_segment(queue, number)
        if place is None:
            check(lsn < queue.state_lsn, f"{queue.name}: message {number} got but never put")
            return
        segment, ordinal = place
        if segment.states[ordinal] == ALIVE:
            segment.mark(ordinal, DEAD)
            queue.touched = True
            if segment.swept:
                queue.swept_alive -= 1
            if segment.empty:
                queue.retire(segment)

    def _redo_commit(self, record: LogRecord) -> None:
        self._commit_unit(record.uow, unpack_triples(record.payload), record)

    def _redo_ledger(self, record: LogRecord) -> None:
        told = unpack_ledger(record.payload)
        for one in told.units:
            self._commit_unit(one.unit_id, one.rows, record)
        redo_row(self.catalog, record.lsn, told)

    def _commit_unit(
        self, unit_id: int, rows: list[tuple[int, int, int]], record: LogRecord
    ) -> None:
        unit = self.units.pop(unit_id, None)
        sequences: dict[tuple[int, int], int] = {}
        for queue_id, number, sequence in rows:
            sequences[(queue_id, number)] = sequence
            self._decide(queue_id, number, sequence, record)
        if unit is None:
            return
        for change in unit.changes:
            entry = change.entry
            queue = change.queue
            entry.unit_id = 0
            if change.kind == CHANGE_PUT:
                queue.uncommitted_puts -= 1
                # None if the queue was damaged then and is re-created now.
                told = sequences.get((int(queue.queue_id), int(entry.number)))
                new = int(queue.next_sequence) if told is None else told
                self._reveal(queue, entry, new, record.end_lsn)
                if entry.segment is not None:
                    self.in_log.add(entry, record.lsn)
            else:
                queue.uncommitted_gets -= 1
                self.in_log.remove(entry)
                queue.vanish(entry)

    def _decide(self, queue_id: int, number: int, sequence: int, record: LogRecord) -> None:
        """A message of which the log has only what became of it: its body lies in a segment, its
        PUT was before the redo LSN."""
        queue = self.queue(queue_id)
        entry = None if queue is None else queue.undecided.pop(number, None)
        if queue is None or entry is None:
            return
        if sequence == 0:
            queue.vanish(entry)
            return
        self._reveal(queue, entry, sequence, record.end_lsn)
        self.in_log.add(entry, record.lsn)

    def _redo_compensate(self, record: LogRecord) -> None:
        undone: dict[tuple[int, int, int], int] = {}
        for kind, queue_id, number in unpack_triples(record.payload):
            undone[(kind & 0xFF, queue_id, number)] = kind >> 8
            if kind & 0xFF == CHANGE_PUT:
                self._decide(queue_id, number, 0, record)
        unit = self.units.get(record.uow)
        if unit is None:
            return
        unit.last_lsn = record.lsn
        unit.state = BACKING_OUT
        unit.xid = None
        left: list[Change] = []
        for change in unit.changes:
            entry = change.entry
            queue = change.queue
            key = (int(change.kind), int(queue.queue_id), int(entry.number))
            if key not in undone:
                left.append(change)
                continue
            entry.unit_id = 0
            if change.kind == CHANGE_PUT:
                queue.uncommitted_puts -= 1
                self.in_log.remove(entry)
                queue.vanish(entry)
            else:
                queue.uncommitted_gets -= 1
                entry.backout_count = undone[key]
                queue.restore(entry)
        unit.changes = left

    def _redo_backout(self, record: LogRecord) -> None:
        """All changes are compensated, but those to a queue that was damaged when the unit was
        backed out; they are known here if it is re-created now."""
        unit = self.units.pop(record.uow, None)
        if unit is None:
            return
        for change in reversed(unit.changes):
            entry = change.entry
            queue = change.queue
            entry.unit_id = 0
            if change.kind == CHANGE_PUT:
                queue.uncommitted_puts -= 1
                self.in_log.remove(entry)
                queue.vanish(entry)
            else:
                queue.uncommitted_gets -= 1
                entry.backout_count += 1
                queue.restore(entry)

    def _redo_clear(self, queue_id: int, next_number: int) -> None:
        queue = self.queue(queue_id)
        if queue is None:
            return
        for entry in list(queue.number_index().values()):
            if entry.number < next_number:
                self.in_log.remove(entry)
                queue.take(entry, GONE)
        for segment in list(queue.segments.values()):
            if segment.swept:
                for ordinal in range(len(segment.numbers)):
                    if segment.numbers[ordinal] < next_number and segment.states[ordinal] == ALIVE:
                        segment.mark(ordinal, DEAD)
                        queue.swept_alive -= 1
                if segment.empty:
                    queue.retire(segment)

    def _note_image(self, record: LogRecord) -> None:
        told = image_told(record) if self.catalog.keeps_images else None
        if told is not None:
            image = told[1]
            self.catalog.row(told[0]).note_image(image.image_lsn, image.media_lsn, image.ns)

    def _redo_object(self, record: LogRecord) -> None:
        facts = unpack_json(record.payload)
        if record.lsn >= self.catalog.lsn:
            self._redo_facts(facts)
        if "stream" in facts:
            # Also if the catalog knows the definition: a journal may be older than that.
            self._begin_stream(integer_of(facts["id"]), integer_of(facts["stream"]), record.lsn)

    def _begin_stream(self, queue_id: int, begin: int, lsn: int) -> None:
        definition = self.definitions.get(queue_id)
        queue = self.queue(queue_id)
        if definition is not None and queue is not None and lsn >= queue.state_lsn:
            self.catalog.begin_stream(definition, queue, begin)

    def _fill_stream(self, queue_id: int, change: CursorChange, record: LogRecord) -> None:
        """The queue is as it was when the record was written, so the stream gets the same again. It
        may have more than it had then: what is trimmed is not logged."""
        queue = self.queue(queue_id)
        stream = None if queue is None else queue.stream
        if queue is None or stream is None or record.lsn < queue.state_lsn:
            return
        got = [one.entry for unit in self.units.values() for one in unit.changes]
        rest = cut_below(self.disk, stream, change.begin)
        stream.whole = max(stream.whole, change.begin)
        below = min(change.begin, int(stream.earliest))
        inventory = Inventory(queue, below, held_of(queue, got))
        inventory.lowest = min(inventory.lowest, change.cursor.position)
        inventory.rest = rest[::-1]
        fill_now(self.disk, queue, stream, inventory, record.end_lsn)

    def _redo_facts(self, facts: dict[str, object]) -> None:
        if facts.get("type") == QMGR:
            attributes = facts["attributes"]
            if isinstance(attributes, dict):
                self.catalog.qmgr.update(attributes)
            if "altered_ns" in facts:
                self.catalog.facts["altered_ns"] = integer_of(facts["altered_ns"])
            self.catalog.changed = True
            return
        self._redo_stored(definition_from_json(facts))
        also = facts.get("also")
        if isinstance(also, dict):
            self._redo_stored(definition_from_json(also))

    def _redo_stored(self, definition: Definition) -> None:
        before = self.definitions.get(definition.object_id)
        if before is not None and before.folder_number > definition.folder_number:
            definition.folder_number = before.folder_number  # it was re-created since
        self.catalog.add(definition)
        self.definitions[definition.object_id] = definition
        if not definition.is_queue:
            return
        self.find_journal(definition)
        queue = self.catalog.queues.get(definition.object_id)
        if queue is not None:
            self.catalog.install(definition, queue)

    def _redo_delete(self, record: LogRecord) -> None:
        facts = unpack_json(record.payload)
        self._redo_gone(record.lsn, integer_of(facts["id"]))
        also = facts.get("also")
        if isinstance(also, list):
            for number in also:
                self._redo_gone(record.lsn, integer_of(number))

    def _redo_gone(self, lsn: int, object_id: int) -> None:
        definition = self.definitions.pop(object_id, None)
        if definition is None or lsn < self.catalog.lsn:
            return
        queue = self.catalog.queues.get(object_id)
        if queue is not None:
            for entry in list(queue.number_index().values()):
                self.in_log.remove(entry)
        self.catalog.remove(definition)


def _stream_order(revealed: tuple[int, Queue, Entry]) -> int:
    return revealed[0]


def _put_order(change: Change) -> tuple[int, int]:
    return int(change.queue.queue_id), int(change.entry.number)


def integer_of(value: object) -> int:
    """A number out of a record's JSON."""
    check(isinstance(value, int), f"{value!r} is not a number")
    return value if isinstance(value, int) else 0
