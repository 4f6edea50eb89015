"""Media recovery: one queue recreated from its last image and everything in the log since.

The files of the image are put into a new folder, so that nothing of the damaged ones is touched or
believed, and the log behind the media LSN is replayed for this queue alone. At the end every
message has its home in a segment there. The queue takes the new folder when the catalog says so;
until then a crash leaves things as they were, and all of this can be done again. Reads disks, so it
runs in effects, a bounded part at a time, or at restart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from ternmq.base.errors import IntegrityError, check
from ternmq.log import kinds
from ternmq.log.archive import reader_from
from ternmq.log.control import Control
from ternmq.log.reader import LogReader
from ternmq.log.record import LogRecord
from ternmq.ports.disk import Disk, DiskFile, parent_dir, write_all
from ternmq.store.catalog import Catalog, Definition, configure, definition_from_json
from ternmq.store.id_table import seed_of
from ternmq.store.loading import load_queue, state_path
from ternmq.store.queue import Queue
from ternmq.store.state_journal import StateJournal
from ternmq.txn.families.image_records import BEGIN, END, PIECE, ImagePart
from ternmq.txn.families.packing import unpack_json
from ternmq.txn.families.record_kind import FoundImage
from ternmq.txn.families.table import kind_of
from ternmq.txn.number_map import NumberMap
from ternmq.txn.redo import Redo
from ternmq.txn.replay_segments import ReplaySegments
from ternmq.txn.unit import CHANGE_NONE, CHANGE_PUT, Change
from ternmq.values.entry import Entry


@final
class QueueRedo(Redo):
    """Redo that knows one queue and no other."""

    def __init__(self, disk: Disk, definition: Definition, queue: Queue) -> None:
        super().__init__(disk, Catalog())
        self.catalog.keeps_streams = False  # a new stream begins where it is installed
        self.catalog.definitions[definition.name] = definition
        self.catalog.install(definition, queue)
        queue.number_index()
        self.maps[definition.object_id] = NumberMap(queue)

    def load(self, definition: Definition) -> Queue | None:
        return None

    def take(self, record: LogRecord) -> None:
        """Do again what a record did to the queue."""
        self.position = record.lsn
        kind_of(record).redo_queue(self, record)
        if self.revealed:
            self.to_streams()


@final
class Rebuild:
    """A queue on its way back. `advance` until it says that it is there, then `finish`."""

    def __init__(
        self, disk: Disk, control: Control, definition: Definition, image: FoundImage
    ) -> None:
        self.definition = definition
        self.image = image
        self.folder_number = definition.folder_number + 1
        self.position = image.image_lsn  # all before it is done
        self._disk = disk
        self._control = control
        self._reader: LogReader | None = None
        self._records: Iterator[LogRecord] | None = None
        self._end_lsn = 0  # where those end
        self._queue: Queue | None = None
        self._redo: QueueRedo | None = None
        self._replay_segments: ReplaySegments | None = None
        self._facts: dict[str, object] = {}
        self._state: list[bytes] = []
        self._file: DiskFile | None = None
        self._file_number = 0
        self._pieces = 0

    @property
    def folder(self) -> str:
        """Where the new files are."""
        return self._placed(self.definition).folder

    def _placed(self, definition: Definition) -> Definition:
        """A copy of the definition that leads to the new folder."""
        copy = definition_from_json(definition.to_json())
        copy.folder_number = self.folder_number
        return copy

    @property
    def queue(self) -> Queue:
        """The queue, once its image is read."""
        queue = self._queue
        if queue is None:
            raise IntegrityError(f"{self.definition.name}: its media image is not whole")
        return queue

    @property
    def redo(self) -> QueueRedo:
        """What replay has found."""
        redo = self._redo
        if redo is None:
            raise IntegrityError(f"{self.definition.name}: its media image is not whole")
        return redo

    @property
    def replay_segments(self) -> ReplaySegments:
        """Where its messages find room."""
        found = self._replay_segments
        if found is None:
            raise IntegrityError(f"{self.definition.name}: its media image is not whole")
        return found

    def advance(self, end_lsn: int, bytes_max: int) -> bool:
        """Go on towards `end_lsn`, up to which the log is forced, by about so many bytes of log;
        True when it is reached."""
        records = self._records
        if records is None:
            records = self._open(end_lsn)
        done = 0
        for record in records:
            done += record.end_lsn - record.lsn
            if self._queue is not None:
                self._replay(record)
            elif self._take_image(record):
                self.position = self.image.media_lsn
                self._records = None
                return False
            if done >= bytes_max:
                return False
        check(self._queue is not None, f"{self.definition.name}: its image is not whole")
        self._records = None
        self.position = self._end_lsn
        return self.position >= end_lsn

    def _open(self, end_lsn: int) -> Iterator[LogRecord]:
        reader = self._reader
        if reader is None:
            first = min(self.image.image_lsn, self.image.media_lsn)
            reader = reader_from(self._disk, self._control, first)
            self._reader = reader
            self._clear_folder()
        elif end_lsn // reader.table.extent_bytes not in reader.table.slots:
            reader = reader_from(self._disk, self._control, self.position)
            self._reader = reader
        records = reader.records_between(self.position, end_lsn)
        self._records = records
        self._end_lsn = end_lsn
        return records

    def _clear_folder(self) -> None:
        """What an attempt before this one left behind."""
        folder = self.folder
        for name in self._disk.list(folder):
            self._disk.unlink(f"{folder}/{name}")
        self._disk.make_dir(folder)
        self._disk.sync_dir(parent_dir(folder))

    # ---- the image

    def _take_image(self, record: LogRecord) -> bool:
        """One record from the image's first on; True when all of it is there."""
        number = self.definition.object_id
        if record.kind == kinds.OBJECT and record.lsn == self.image.image_lsn:
            facts = unpack_json(record.payload)
            check(facts.get("id") == number, f"no image of {self.definition.name} at {record.lsn}")
            definition = self._placed(definition_from_json(facts))
            seed = seed_of(self._control.identity)
            queue = Queue(number, definition.name, definition.folder, seed)
            self._begin_replay(definition, queue)
            return True
        if record.kind != kinds.MEDIA_IMAGE:
            check(record.lsn > self.image.image_lsn, f"no image at LSN {record.lsn}")
            return False
        part = ImagePart(record)
        if part.object_id != number or part.image_lsn != self.image.image_lsn:
            return False
        if part.part == BEGIN:
            self._facts = part.facts()
        elif part.part == PIECE:
            self._take_piece(part)
        elif part.part == END:
            check(part.file == self._pieces, f"{self._pieces} pieces of {part.file} of the image")
            self._load_image()
            return True
        return False

    def _take_piece(self, part: ImagePart) -> None:
        self._pieces += 1
        if part.file == 0:
            self._state.append(part.content)
            return
        if part.file != self._file_number:
            self._close_file()
            path = f"{self.folder}/S{part.file:010d}.seg"
            self._file = self._disk.create(path)
            self._file_number = part.file
        file = self._file
        if file is not None:
            write_all(file, part.offset, [part.content])

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _load_image(self) -> None:
        self._close_file()
        recorded = self._facts["definition"]
        if not isinstance(recorded, dict):
            raise IntegrityError(f"{self.definition.name}: its image has no definition")
        definition = self._placed(definition_from_json(recorded))
        StateJournal.rewrite(self._disk, state_path(definition.folder), self._state)
        self._state = []
        seed = seed_of(self._control.identity)
        queue = load_queue(self._disk, definition, False, True, 0, 1 << 62, seed)
        self._begin_replay(definition, queue)
        units = self._facts["units"]
        if isinstance(units, list):
            for unit in units:
                self.redo.carry_unit(unit)

    def _begin_replay(self, definition: Definition, queue: Queue) -> None:
        self._queue = queue
        self._redo = QueueRedo(self._disk, definition, queue)
        self._replay_segments = ReplaySegments(self._disk, self._redo)

    # ---- the log

    def _replay(self, record: LogRecord) -> None:
        queue = self.queue
        self.redo.take(record)
        if queue.persistent_bytes > queue.persistent_limit:
            self.replay_segments.relieve(queue)
            self._remove_doomed()

    def _remove_doomed(self) -> None:
        """No journal has named them, so they can go at once."""
        queue = self.queue
        for dead in queue.waste.doomed:
            if self._disk.exists(dead.path):
                self._disk.unlink(dead.path)
            dead.is_gone()
        queue.waste.doomed = []

    # ---- the end

    def finish(self) -> None:
        """Give every message a home in the new folder; reads and writes the disk."""
        queue = self.queue
        redo = self.redo
        # Also those that were put in a prepared unit: their segment does not know where their place
        # in the queue is, if the unit was committed since.
        entries: list[Entry] = []
        entry = redo.in_log.head
        while entry is not None:
            entries.append(entry)
            entry = entry.log_next
        self.replay_segments.write_segments(queue, entries)
        check(redo.in_log.count == 0, f"{queue.name}: a message without a home")
        self._remove_doomed()
        check(not queue.undecided, f"{queue.name}: a prepared message without its unit of work")
        for segment in queue.segments.values():
            segment.saved = False  # not in a journal that counts
            segment.pinned = False
        configure(queue, self.definition)
        queue.rewrite_state = True
        queue.touched = True
        queue.state_lsn = self.position
        queue.last_lsn = self.position
        queue.high_depth = queue.depth

    def open_changes(self) -> dict[tuple[int, int, int], Change]:
        """What units that have not ended have done to the queue, by unit, kind and number."""
        found: dict[tuple[int, int, int], Change] = {}
        for unit in self.redo.units.values():
            for change in unit.changes:
                if change.kind == CHANGE_NONE:
                    continue
                found[int(unit.unit_id), int(change.kind), int(change.entry.number)] = change
        return found

    def release_units(self) -> None:
        """Let go of those changes, for a caller that knows the units from elsewhere and will do
        them again: puts are undecided, gets not done."""
        queue = self.queue
        for change in self.open_changes().values():
            entry = change.entry
            entry.unit_id = 0
            if change.kind == CHANGE_PUT:
                queue.uncommitted_puts -= 1
                queue.undecided[int(entry.number)] = entry
            else:
                queue.uncommitted_gets -= 1
                queue.restore(entry)

    def forget_numbers(self) -> None:
        """What only replay needed goes."""
        queue = self.queue
        queue.by_number = None
        for segment in queue.segments.values():
            del segment.numbers[:]
