"""Restart: replay the log from the redo LSN, find what is in doubt, undo what never ended.

Replay repeats history on top of what state journals and catalog tell: each queue's journal holds
everything up to its own LSN, so a record before that LSN may find its work already done, and then
does nothing. Only messages whose record lies after the redo LSN are looked at; swept ones stay
swept. Undo then backs out every unit that was neither ended nor prepared, with compensation
records, so that a crash inside restart is simply restarted.
"""

from __future__ import annotations

from bisect import bisect_right
from contextlib import suppress
from typing import final

from ternmq.base.errors import IntegrityError, check
from ternmq.log import kinds
from ternmq.log.opened import OpenedLog
from ternmq.log.record import LogRecord
from ternmq.ports.disk import Disk
from ternmq.store.catalog import Catalog, Definition, definition_from_json
from ternmq.store.catalog_file import CATALOG_PATH
from ternmq.store.entry import GETTING, GONE, PUTTING, Entry
from ternmq.store.fetching import entry_from_image
from ternmq.store.loading import load_queue, state_path
from ternmq.store.queue import Queue
from ternmq.store.register import load_register
from ternmq.store.segment import ALIVE, DEAD, Segment
from ternmq.store.segment_file import SegmentFile
from ternmq.store.state_journal import StateJournal
from ternmq.txn.in_log import InLog
from ternmq.txn.records import (
    PAIR,
    TARGET,
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


@final
class NumberMap:
    """Where the numbers of one queue lie in its segments; a table a segment is made when one is
    asked for."""

    def __init__(self, queue: Queue) -> None:
        ranges = [
            (min(segment.numbers), max(segment.numbers), segment)
            for segment in queue.segments.values()
            if len(segment.numbers)
        ]
        ranges.sort(key=_range_start)
        self._starts = [one[0] for one in ranges]
        self._ranges = ranges
        self._highest: list[int] = []  # greatest end among the ranges up to here
        for one in ranges:
            before = self._highest[-1] if self._highest else 0
            self._highest.append(max(before, one[1]))
        self._tables: dict[int, dict[int, int]] = {}

    def find(self, number: int) -> tuple[Segment, int] | None:
        """The segment and ordinal of a message. It may have moved from one segment to another: the
        place where it is not dead counts, if there is one."""
        dead: tuple[Segment, int] | None = None
        at = bisect_right(self._starts, number) - 1
        while at >= 0 and self._highest[at] >= number:
            segment = self._ranges[at][2]
            table = self._tables.get(segment.slot)
            if table is None:
                table = {one: ordinal for ordinal, one in enumerate(segment.numbers)}
                self._tables[segment.slot] = table
            ordinal = table.get(number)
            if ordinal is not None:
                if segment.states[ordinal] != DEAD:
                    return segment, ordinal
                dead = segment, ordinal
            at -= 1
        return dead


def _put_order(change: Change) -> tuple[int, int]:
    return int(change.queue.queue_id), int(change.entry.number)


def _range_start(one: tuple[int, int, Segment]) -> int:
    return one[0]


@final
class Replay:
    """Replay and analysis; `units` is what had not ended when the log did."""

    def __init__(self, disk: Disk, opened: OpenedLog, catalog: Catalog) -> None:
        self.disk = disk
        self.opened = opened
        self.catalog = catalog
        self.in_log = InLog()
        self.units: dict[int, UnitOfWork] = {}
        self.heuristic: dict[tuple[int, bytes, bytes], int] = {}
        self.next_unit = 1
        self.records = 0
        self.notes: list[str] = []  # for the report
        self._definitions: dict[int, Definition] = {}
        self._maps: dict[int, NumberMap] = {}

    def run(self) -> None:
        """Read the log to its end."""
        control = self.opened.control
        facts: dict[str, object] = {}
        if control.checkpoint_lsn:
            facts = unpack_json(self.opened.reader.record_at(control.checkpoint_lsn).payload)
        self._check_catalog(facts)
        self._load_register(facts)
        untrusted = facts.get("untrusted")
        self._find_state(set(untrusted) if isinstance(untrusted, list) else set())
        if facts:
            self._carry_units(facts, control.redo_lsn)
        for record in self.opened.reader.records(control.redo_lsn):
            self.records += 1
            if record.uow >= self.next_unit:
                self.next_unit = record.uow + 1
            self.redo(record)
        for unit in self.units.values():
            # Some changes of a unit that was carried came from the checkpoint and some from the
            # log; messages become visible in the order they were put.
            unit.changes.sort(key=_put_order)
        for queue in self.catalog.queues.values():
            self._finish(queue)
        self._prune_register()

    def _check_catalog(self, facts: dict[str, object]) -> None:
        """The catalog file must not be older than the one that the checkpoint wrote."""
        saved = facts.get("catalog_lsn", 0)
        lsn = self.catalog.lsn
        check(
            isinstance(saved, int) and lsn >= saved,
            f"{CATALOG_PATH} is of LSN {lsn}, but one of LSN {saved} was written",
        )

    def _load_register(self, facts: dict[str, object]) -> None:
        """What the checkpoint knows of the queues' journals. The register only proves what other
        files tell: one that is lost is named and made anew from them."""
        statement = facts.get("register")
        if not isinstance(statement, list):
            return
        catalog = self.catalog
        try:
            catalog.register_position, catalog.register = load_register(self.disk, statement)
        except IntegrityError as error:
            self.notes.append(f"Damaged: {error}. It is made anew.")
            catalog.rewrite_register = True
            for definition in catalog.definitions.values():
                path = state_path(definition.folder)
                if self.disk.exists(path):
                    with suppress(IntegrityError):  # found again when the queue is loaded
                        lsn = StateJournal.load(self.disk, path).lsn
                        catalog.row(definition.object_id).journal_lsn = lsn
        catalog.with_state.update([one for one, row in catalog.register.items() if row.journal_lsn])

    def _prune_register(self) -> None:
        """Queues that are no more leave it."""
        catalog = self.catalog
        known = {one.object_id for one in catalog.definitions.values()}
        for number in [one for one in catalog.register if one not in known]:
            del catalog.register[number]
        catalog.unregistered &= known

    def _find_state(self, untrusted: set[int]) -> None:
        """Which queues have a journal, and whether their non-persistent messages count."""
        catalog = self.catalog
        for definition in catalog.definitions.values():
            self._definitions[definition.object_id] = definition
        folders = set(self.disk.list("queues"))
        for definition in catalog.definitions.values():
            is_known = definition.object_id in catalog.with_state
            if is_known or definition.folder.rpartition("/")[2] in folders:
                self._find_journal(definition)
        catalog.untrusted.update(untrusted & catalog.with_state)

    def _find_journal(self, definition: Definition) -> None:
        """Note that a queue has a journal, if it has one and is not loaded yet."""
        catalog = self.catalog
        number = definition.object_id
        if number in catalog.queues:
            return
        if number not in catalog.with_state and not self.disk.exists(state_path(definition.folder)):
            return
        catalog.with_state.add(number)
        is_high = definition.attributes.get("nonpersistent_class", 0) != 0
        if not (self.opened.control.is_clean_stop and is_high):
            catalog.untrusted.add(number)

    def _carry_units(self, facts: dict[str, object], redo_lsn: int) -> None:
        heuristic = facts["heuristic"]
        if isinstance(heuristic, list):
            for format_id, global_id, branch, outcome in heuristic:
                key = (format_id, bytes.fromhex(global_id), bytes.fromhex(branch))
                self.heuristic[key] = outcome
        next_unit = facts["next_unit"]
        units = facts["units"]
        check(isinstance(next_unit, int) and isinstance(units, list), "CHECKPOINT is malformed")
        if isinstance(next_unit, int):
            self.next_unit = next_unit
        if isinstance(units, list):
            for told in units:
                if told["first_lsn"] < redo_lsn:
                    self._carry_unit(told)

    def _carry_unit(self, told: dict[str, object]) -> None:
        """A prepared unit as the checkpoint tells it. A change that is not found yet has its
        message in the log, after the redo LSN: its record will bring it."""
        number = _integer(told["id"])
        unit = UnitOfWork(number)
        unit.first_lsn = _integer(told["first_lsn"])
        unit.last_lsn = _integer(told["last_lsn"])
        unit.xid = XID(
            _integer(told["format_id"]),
            bytes.fromhex(str(told["global_id"])),
            bytes.fromhex(str(told["branch"])),
        )
        unit.state = _integer(told["state"])
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
        definition = self._definitions.get(queue_id)
        if definition is None or queue_id in self.catalog.given_up:
            return None
        if queue_id in self.catalog.with_state:
            trust = queue_id not in self.catalog.untrusted
            try:
                queue = load_queue(
                    self.disk, definition, trust, True, self.catalog.proven_lsn(queue_id)
                )
            except IntegrityError as error:
                # Damage is confined: this queue cannot be used, the others can. A disk that fails
                # now (OSError) is no damage: then nothing starts, and nothing is passed over.
                self.catalog.give_up(queue_id, str(error))
                del self._definitions[queue_id]
                return None
            self.catalog.untrusted.discard(queue_id)
        else:
            queue = Queue(queue_id, definition.name, definition.folder)
        self.catalog.install(definition, queue)
        queue.number_index()
        self._maps[queue_id] = NumberMap(queue)
        return queue

    def _in_segment(self, queue: Queue, number: int) -> tuple[Segment, int] | None:
        return self._maps[int(queue.queue_id)].find(number)

    def _finish(self, queue: Queue) -> None:
        """What only replay needed goes."""
        check(not queue.undecided, f"{queue.name}: a prepared message without its unit of work")
        queue.by_number = None
        for segment in queue.segments.values():
            del segment.numbers[:]

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
            self.units.pop(record.uow, None)
        elif kind == kinds.PREPARE:
            unit = self.unit(record.uow, record.lsn)
            unit.xid = unpack_xid(record.payload)
            unit.state = PREPARED
        else:
            self._redo_other(record)

    def _redo_other(self, record: LogRecord) -> None:
        kind = record.kind
        if kind == kinds.PUT_GOT:
            queue_id, number, sequence, _ = TARGET.unpack(record.payload)
            queue = self.queue(queue_id)
            if queue is not None:
                queue.next_number = max(queue.next_number, number + 1)
                queue.next_sequence = max(queue.next_sequence, sequence + 1)
        elif kind == kinds.EXPIRED:
            for queue_id, number in unpack_pairs(record.payload):
                self._remove(queue_id, number, record.lsn)
        elif kind == kinds.QUEUE_CLEARED:
            queue_id, next_number = PAIR.unpack(record.payload)
            self._redo_clear(queue_id, next_number)
        elif kind == kinds.HEURISTIC:
            self.heuristic[unpack_xid(record.payload[1:]).key] = record.payload[0]
        elif kind == kinds.FORGET:
            self.heuristic.pop(unpack_xid(record.payload).key, None)
        elif kind == kinds.OBJECT:
            self._redo_object(record)
        elif kind == kinds.OBJECT_DELETED:
            self._redo_delete(record)

    def _redo_put(self, record: LogRecord) -> None:
        targets, start = unpack_put(record.payload)
        for target in targets:
            queue = self.queue(target.queue_id)
            if queue is None:
                continue
            if target.number >= queue.next_number:
                queue.next_number = target.number + 1
            if record.lsn < queue.state_lsn and self._in_segment(queue, target.number) is not None:
                pending = queue.undecided.pop(target.number, None)
                if pending is not None and record.uow:
                    self._putting(self.unit(record.uow, record.lsn), queue, pending)
                continue
            entry = entry_from_image(record.payload, start)
            entry.number = target.number
            entry.queue_id = target.queue_id
            self.in_log.add(entry, record.lsn)
            if record.uow == 0:
                queue.reveal_again(entry, target.sequence, record.end_lsn)
            else:
                entry.sequence = 0
                self._putting(self.unit(record.uow, record.lsn), queue, entry)

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
                entry = self._read(place[0], place[1])
            except IntegrityError as error:
                queue.damaged = str(error)  # nobody will ever get it, so it may stay where it is
                return
            queue.take_swept(entry, place[0], place[1], GETTING)
        entry.unit_id = unit.unit_id
        entry.queue_id = queue.queue_id
        queue.uncommitted_gets += 1
        unit.changes.append(Change(CHANGE_GET, queue, entry))

    def _read(self, segment: Segment, ordinal: int) -> Entry:
        file = SegmentFile(self.disk, segment.path)
        try:
            image = file.read_message(file.load_index(), ordinal)
        finally:
            file.close()
        entry = entry_from_image(image)
        entry.segment = segment
        entry.ordinal = ordinal
        entry.lane = segment.lane
        entry.backout_count = segment.backouts.get(ordinal, int(entry.backout_count))
        return entry

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
        unit = self.units.pop(record.uow, None)
        sequences: dict[tuple[int, int], int] = {}
        for queue_id, number, sequence in unpack_triples(record.payload):
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
                sequence = sequences[(int(queue.queue_id), int(entry.number))]
                queue.reveal_again(entry, sequence, record.end_lsn)
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
        queue.reveal_again(entry, sequence, record.end_lsn)
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

    def _redo_object(self, record: LogRecord) -> None:
        facts = unpack_json(record.payload)
        if record.lsn < self.catalog.lsn:
            return
        if facts.get("type") == 8:  # the queue manager itself
            attributes = facts["attributes"]
            if isinstance(attributes, dict):
                self.catalog.qmgr.update(attributes)
            self.catalog.changed = True
            return
        definition = definition_from_json(facts)
        self.catalog.add(definition)
        self._definitions[definition.object_id] = definition
        self._find_journal(definition)
        queue = self.catalog.queues.get(definition.object_id)
        if queue is not None:
            self.catalog.install(definition, queue)

    def _redo_delete(self, record: LogRecord) -> None:
        object_id = _integer(unpack_json(record.payload)["id"])
        definition = self._definitions.pop(object_id, None)
        if definition is None or record.lsn < self.catalog.lsn:
            return
        queue = self.catalog.queues.get(object_id)
        if queue is not None:
            for entry in list(queue.number_index().values()):
                self.in_log.remove(entry)
        self.catalog.remove(definition)


def _integer(value: object) -> int:
    check(isinstance(value, int), f"{value!r} is not a number")
    return value if isinstance(value, int) else 0
