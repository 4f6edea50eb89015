"""Redo: what replay of the log works on, and the steps that several kinds of records share.

What one record did is done again by its kind (`families`), unless it is done.
Each queue's journal holds everything up to its own LSN, so a record before that LSN may find its
work already done, and then does nothing; above it, the work is done again. Restart feeds the
records since the redo LSN (`restart`), media recovery those since an image, for one queue alone
(`media.queue_recovery`). Where a queue comes from is their business (`load`).
"""

from __future__ import annotations

from ternmq.base.errors import IntegrityError, check
from ternmq.ports.disk import Disk
from ternmq.store.catalog import Catalog, Definition
from ternmq.store.fetching import RecordReader
from ternmq.store.queue import Queue
from ternmq.store.segment import ALIVE, DEAD, Segment
from ternmq.store.stream.stream_file import spill
from ternmq.txn.change_index import ChangeIndex
from ternmq.txn.families.packing import integer_of
from ternmq.txn.in_log import InLog
from ternmq.txn.number_map import NumberMap
from ternmq.txn.unit import CHANGE_GET, CHANGE_NONE, CHANGE_PUT, Change, UnitOfWork
from ternmq.values.entry import GETTING, GONE, PUTTING, Entry
from ternmq.values.xid import XID


class Redo:
    """The tables that replay fills; `units` is what had not ended where it stopped."""

    def __init__(self, disk: Disk, catalog: Catalog) -> None:
        self.disk = disk
        self.catalog = catalog
        self.in_log = InLog()
        self.units: dict[int, UnitOfWork] = {}
        self._indexes: dict[int, ChangeIndex] = {}  # of those units of which a part was undone
        self.heuristic: dict[tuple[int, bytes, bytes], int] = {}
        self.heuristic_owners: dict[tuple[int, bytes, bytes], str] = {}
        self.definitions: dict[int, Definition] = {}
        self.maps: dict[int, NumberMap] = {}
        self.position = 0  # LSN of the record that is being done
        self.cursors_lsn = 0  # stream cursors are known up to here
        self.revealed: list[tuple[int, Queue, Entry]] = []  # by this record, for streams

    def load(self, definition: Definition) -> Queue | None:
        """A queue that a record names, as its files describe it; None if it cannot be had."""
        raise NotImplementedError

    def find_journal(self, definition: Definition) -> None:
        """A definition has come from the log."""

    def settle(self) -> None:
        """At the end: what only replay needed goes."""
        for unit in self.units.values():
            # Some changes of a unit that was carried came from the checkpoint and some from the
            # log; messages become visible in the order they were put.
            unit.changes = [one for one in unit.changes if one.kind != CHANGE_NONE]
            unit.changes.sort(key=_put_order)
        for queue in self.catalog.queues.values():
            check(not queue.undecided, f"{queue.name}: a prepared message without its unit of work")
            queue.by_number = None
            for segment in queue.segments.values():
                del segment.numbers[:]
            if queue.numbering.reserved > queue.next_sequence:
                queue.next_sequence = queue.numbering.reserved
                queue.touched = True  # or a checkpoint would go on behind the record that says so
        self.catalog.settle_streams()

    def carry_unit(self, values: dict[str, object]) -> None:
        """A prepared unit as the checkpoint describes it. A change that is not found yet has its
        message in the log, after the redo LSN: its record will bring it."""
        number = integer_of(values["id"])
        unit = UnitOfWork(number)
        unit.first_lsn = integer_of(values["first_lsn"])
        unit.last_lsn = integer_of(values["last_lsn"])
        unit.xid = XID(
            integer_of(values["format_id"]),
            bytes.fromhex(str(values["global_id"])),
            bytes.fromhex(str(values["branch"])),
            str(values.get("owner", "")),
        )
        unit.state = integer_of(values["state"])
        self.units[number] = unit
        changes = values["changes"]
        if isinstance(changes, list):
            for kind, queue_id, message in changes:
                queue = self.queue(queue_id)
                if queue is None:
                    continue
                if kind == CHANGE_PUT:
                    entry = queue.undecided.pop(message, None)
                    if entry is not None:
                        self.putting(unit, queue, entry)
                else:
                    self.getting(unit, queue, message)

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

    def lives_in_segment(self, queue: Queue, number: int) -> bool:
        """Whether the log need not bring a message. If it is dead there, it may be alive all the
        same, with the log as its home; and if it is not, the log says that as well."""
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

    def change_of(self, unit: UnitOfWork, key: tuple[int, int, int]) -> Change | None:
        """A change of a unit by kind, queue and number, which the caller undoes: it stays in the
        list as CHANGE_NONE."""
        index = self._indexes.get(int(unit.unit_id))
        if index is None:
            index = ChangeIndex()
            self._indexes[int(unit.unit_id)] = index
        return index.take(unit.changes, key)

    def end_unit(self, number: int) -> UnitOfWork | None:
        """A unit that ends, if it is known."""
        self._indexes.pop(number, None)
        return self.units.pop(number, None)

    # ---- steps of records

    def reveal(self, queue: Queue, entry: Entry, sequence: int, lsn: int) -> None:
        """A message is committed."""
        queue.reveal_again(entry, sequence, lsn)
        if queue.stream is not None:
            self.revealed.append((sequence, queue, entry))

    def to_streams(self) -> None:
        """What a record made visible goes to the streams in the order of numbers, unless it is
        there: a journal has its stream up to a number, and a get that is taken back puts its
        message again with its old number."""
        self.revealed.sort(key=_stream_order)
        for sequence, queue, entry in self.revealed:
            stream = queue.stream
            if stream is not None and sequence >= stream.next:
                stream.append(entry)
                queue.touched = True
                if stream.unwritten > self.catalog.stream_memory.stream_bytes_max:
                    spill(self.disk, stream)
        self.revealed = []

    def putting(self, unit: UnitOfWork, queue: Queue, entry: Entry) -> None:
        """A message is put in a unit of work."""
        entry.state = PUTTING
        entry.unit_id = unit.unit_id
        entry.queue_id = queue.queue_id
        queue.uncommitted_puts += 1
        unit.changes.append(Change(CHANGE_PUT, queue, entry))

    def getting(self, unit: UnitOfWork, queue: Queue, number: int) -> None:
        """A message is got in a unit of work."""
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
                queue.damaged = str(error)  # it cannot be got any more, so it may stay where it is
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

    def remove(self, queue_id: int, number: int, lsn: int) -> None:
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
                queue.forget_member(segment, ordinal)
            if segment.empty:
                queue.retire(segment)

    def note_image(self, object_id: int, image_lsn: int, media_lsn: int, ns: int) -> None:
        """A media image is whole."""
        self.catalog.row(object_id).note_image(image_lsn, media_lsn, ns)

    def begin_stream(self, queue_id: int, begin: int, lsn: int) -> None:
        """A queue has a stream from a number on, unless its journal knows that."""
        definition = self.definitions.get(queue_id)
        queue = self.queue(queue_id)
        if definition is not None and queue is not None and lsn >= queue.state_lsn:
            self.catalog.begin_stream(definition, queue, begin)


def _stream_order(revealed: tuple[int, Queue, Entry]) -> int:
    return revealed[0]


def _put_order(change: Change) -> tuple[int, int]:
    return int(change.queue.queue_id), int(change.entry.number)
