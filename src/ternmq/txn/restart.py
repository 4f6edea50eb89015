"""Restart: replay the log from the redo LSN, find what is in doubt, undo what never ended.

Replay repeats history (`redo`) on top of what state journals and catalog have. Only messages whose
record is after the redo LSN are looked at; swept ones stay swept. A queue that the log names
and whose files are damaged is re-created from its media image, if the log is linear and has one.
Undo then backs out every unit that was neither ended nor prepared, with compensation records, so
that a crash inside restart is simply restarted.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from ternmq.base.errors import IntegrityError, check
from ternmq.log.archive import all_records
from ternmq.log.opened import OpenedLog
from ternmq.log.record import LogRecord, block_end
from ternmq.ports.disk import Disk
from ternmq.ports.progress import Progress
from ternmq.store.catalog import Catalog, Definition
from ternmq.store.catalog_file import CATALOG_PATH
from ternmq.store.id_table import seed_of
from ternmq.store.loading import load_queue, older_log, state_path
from ternmq.store.queue import Queue
from ternmq.store.register import CATALOG_ROW, load_register, newest_journal
from ternmq.store.state_journal import StateJournal
from ternmq.store.waste import remove_folder, remove_unnamed
from ternmq.txn.families.cursor_records import take_cursors
from ternmq.txn.families.packing import integer_of
from ternmq.txn.families.record_kind import FoundImage
from ternmq.txn.families.table import BY_NUMBER, unknown_kind
from ternmq.txn.media.catalog_recovery import last_checkpoint, register_statement
from ternmq.txn.media.log_survey import LogSurvey
from ternmq.txn.media.queue_recovery import Rebuild
from ternmq.txn.redo import Redo

_ANY_LSN: Final = 1 << 62  # where the log ends is not known before it is read
PROGRESS_RECORDS: Final = 4096  # between two reports of how far it is


class Replay(Redo):
    """Replay and analysis; `units` is what had not ended when the log did."""

    def __init__(self, disk: Disk, opened: OpenedLog, catalog: Catalog) -> None:
        super().__init__(disk, catalog)
        self.opened = opened
        self.next_unit = 1
        self.records = 0
        self.progress = Progress()
        self.notes: list[str] = []  # for the report
        self._failures: dict[int, str] = {}  # by queue: why it could not be re-created
        self._unproven: set[int] = set()  # queues that were in the lost register

    def run(self) -> None:
        """Read the log to its end; `settle` has to follow."""
        control = self.opened.control
        self.position = control.redo_lsn
        self.catalog.keeps_images = control.parameters.is_linear
        self.catalog.id_seed = seed_of(control.identity)
        facts = last_checkpoint(self.opened)
        self.cursors_lsn = control.checkpoint_lsn
        self.catalog.knows_cursors = False
        take_cursors(self.catalog.cursors, facts.get("cursors"))
        self._load_register()
        untrusted = facts.get("untrusted")
        self._find_state(set(untrusted) if isinstance(untrusted, list) else set())
        for number in sorted(self._unproven):
            self.queue(number)
        if facts:
            self._carry_units(facts, control.redo_lsn)
        for record in self.opened.reader.records(control.redo_lsn):
            self.records += 1
            if record.uow >= self.next_unit:
                self.next_unit = record.uow + 1
            self.redo(record)
            if self.records % PROGRESS_RECORDS == 0:
                self.progress.replayed(self.records)
        self._refuse_newer_files()
        self._prune_register()

    def redo(self, record: LogRecord) -> None:
        """Do again what one record did, unless it is done. A unit that the checkpoint carried may
        have changes after the redo LSN: those whose body only the log has are not done yet, the
        others turn out to be."""
        self.position = record.lsn
        kind = BY_NUMBER[record.kind]
        if kind is None:
            raise unknown_kind(record)
        kind.redo(self, record)
        if self.revealed:
            self.to_streams()

    def _refuse_newer_files(self) -> None:
        """A log that is older than the files beside it would give numbers and LSNs twice. The
        register names journals that are not read here."""
        catalog = self.catalog
        end_lsn = block_end(self.opened.reader.end_lsn)
        catalog.log_end = end_lsn
        if catalog.lsn > end_lsn:
            raise older_log(CATALOG_PATH, catalog.lsn, end_lsn)
        for queue in catalog.queues.values():
            if queue.state_lsn > end_lsn:
                raise older_log(state_path(queue.folder), int(queue.state_lsn), end_lsn)
        path, lsn = newest_journal(self.disk)
        if lsn > end_lsn:
            raise older_log(path, lsn, end_lsn)

    def run_to_end(self) -> None:
        """All of it: read the log, settle, and let go of what a crash has left."""
        self.run()
        self.settle()
        self._remove_leftovers()

    def load(self, definition: Definition) -> Queue | None:
        queue_id = definition.object_id
        catalog = self.catalog
        if queue_id in catalog.given_up:
            return self._re_create(definition, catalog.given_up[queue_id])
        if queue_id not in catalog.with_state:
            return Queue(queue_id, definition.name, definition.folder, catalog.id_seed)
        if queue_id in self._unproven:
            self._unproven.discard(queue_id)
            queue = self._from_image(definition, "nothing shows whether its journal is whole")
            if queue is not None:
                return queue
        trust = queue_id not in catalog.untrusted
        try:
            proven = catalog.proven_lsn(queue_id)
            queue = load_queue(
                self.disk, definition, trust, True, proven, _ANY_LSN, catalog.id_seed
            )
        except IntegrityError as error:
            return self._re_create(definition, str(error))
        catalog.untrusted.discard(queue_id)
        return queue

    def _re_create(self, definition: Definition, damage: str) -> Queue | None:
        """A damaged queue from its media image. If it has none, damage is confined: this queue
        cannot be used, the others can. A disk that fails now (OSError) is not damage: then nothing
        starts, and nothing is passed over."""
        catalog = self.catalog
        queue = self._from_image(definition, damage)
        if queue is None:
            if definition.object_id not in catalog.given_up:
                why = self._failures.get(definition.object_id)
                catalog.give_up(definition.object_id, f"{damage}{why or ''}")
            del self.definitions[definition.object_id]
        return queue

    def _from_image(self, definition: Definition, damage: str) -> Queue | None:
        catalog = self.catalog
        row = catalog.register.get(definition.object_id)
        if not catalog.is_recoverable(definition) or row is None or row.image_lsn == 0:
            return None
        image = FoundImage(definition.object_id, row.image_lsn, row.media_lsn, row.image_ns)
        rebuild = Rebuild(self.disk, self.opened.control, definition, image)
        try:
            queue = self._rebuilt(rebuild)
        except IntegrityError as error:
            why = f"; it could not be re-created: {error}"
            self._failures[definition.object_id] = why
            return None
        self.notes.append(f"Re-created from its media image: {definition.name}. {damage}")
        catalog.dead_folders.append(definition.folder)
        definition.folder_number = rebuild.folder_number
        catalog.recovered(definition.object_id)
        return queue

    def _rebuilt(self, rebuild: Rebuild) -> Queue:
        """The queue as a journal of the last checkpoint would have it. Not as it was at the redo
        LSN: a unit of work that ended in between may have changed it before that."""
        end_lsn = max(self.position, self.opened.control.checkpoint_lsn)
        while not rebuild.advance(end_lsn, 1 << 62):
            pass
        rebuild.finish()
        rebuild.release_units()
        self.maps[rebuild.definition.object_id] = rebuild.redo.maps[rebuild.definition.object_id]
        return rebuild.queue

    def _load_register(self) -> None:
        """What the checkpoint knows of the queues' journals. The register only proves what other
        files have: one that is lost is named and rebuilt from them."""
        statement = register_statement(self.opened)
        if statement is None:
            return
        catalog = self.catalog
        try:
            catalog.register_position, catalog.register = load_register(self.disk, statement)
        except IntegrityError as error:
            self.notes.append(f"Damaged: {error}. It is rebuilt.")
            catalog.rewrite_register = True
            self._make_register()
            if not catalog.keeps_images:
                self._refuse_older_queues()
        catalog.with_state.update([one for one, row in catalog.register.items() if row.journal_lsn])

    def _make_register(self) -> None:
        """What it would have: from the journals, and from all of the log if it is linear. Then
        journals are not believed without it, either: what the log can re-create, it does."""
        catalog = self.catalog
        control = self.opened.control
        survey = LogSurvey(control.redo_lsn, control.checkpoint_lsn)
        if catalog.keeps_images:
            survey.take(all_records(self.disk, self.opened.control))
        for number, image in survey.images.items():
            catalog.row(number).note_image(image.image_lsn, image.media_lsn, image.ns)
            self._unproven.add(number)
        for definition in catalog.definitions.values():
            path = state_path(definition.folder)
            lsn = survey.last.get(definition.object_id, 0)
            if self.disk.exists(path):
                with suppress(IntegrityError):  # found again when the queue is loaded
                    lsn = max(lsn, StateJournal.load(self.disk, path).lsn)
            if lsn:
                catalog.row(definition.object_id).journal_lsn = lsn

    def _refuse_older_queues(self) -> None:
        """Without the register nothing proves single journals. But the checkpoint knows the newest:
        if that one is old, the whole folder is, and its register was not lost but is old, too."""
        newest = last_checkpoint(self.opened).get("newest_journal")
        control = self.opened.control
        if not isinstance(newest, list) or control.replayed_checkpoint == control.checkpoint_lsn:
            return
        queue_id, lsn = integer_of(newest[0]), integer_of(newest[1])
        for definition in self.catalog.definitions.values():
            found = self.catalog.proven_lsn(queue_id)
            if definition.object_id == queue_id and found < lsn:
                raise IntegrityError(
                    f"{state_path(definition.folder)} ends at LSN {found}, but a batch of LSN "
                    f"{lsn} was written, and the register is not the newest, either: the folder "
                    "queues is older than the log; restore both from the same backup"
                )

    def _prune_register(self) -> None:
        """Deleted queues leave it."""
        catalog = self.catalog
        known = {one.object_id for one in catalog.definitions.values()}
        known.add(CATALOG_ROW)
        for number in [one for one in catalog.register if one not in known]:
            del catalog.register[number]
        catalog.unregistered &= known

    def _find_state(self, untrusted: set[int]) -> None:
        """Which queues have a journal, and whether their non-persistent messages count."""
        catalog = self.catalog
        for definition in catalog.all_definitions():
            self.definitions[definition.object_id] = definition
        folders = set(self.disk.list("queues"))
        for definition in catalog.definitions.values():
            is_known = definition.object_id in catalog.with_state
            if is_known or definition.folder.rpartition("/")[2] in folders:
                self.find_journal(definition)
        catalog.untrusted.update(untrusted & catalog.with_state)

    def find_journal(self, definition: Definition) -> None:
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

    def _remove_leftovers(self) -> None:
        """What a crash has left of queues that have no journal, and of those that
        are deleted, as temporary ones. At once: the next queue may have the same folder."""
        catalog = self.catalog
        known = {one.folder: one.object_id for one in catalog.definitions.values()}
        kept = set(catalog.dead_folders)  # by the next checkpoint, whose catalog is without them
        for name in self.disk.list("queues"):
            folder = f"queues/{name}"
            queue_id = known.get(folder)
            if "~" not in name or folder in kept or queue_id in catalog.with_state:
                continue
            if queue_id is None:
                remove_folder(self.disk, folder)
            else:
                remove_unnamed(self.disk, folder, [])

    def _carry_units(self, facts: dict[str, object], redo_lsn: int) -> None:
        heuristic = facts["heuristic"]
        if isinstance(heuristic, list):
            for row in heuristic:
                key = (integer_of(row[0]), bytes.fromhex(str(row[1])), bytes.fromhex(str(row[2])))
                self.heuristic[key] = integer_of(row[3])
                self.heuristic_owners[key] = str(row[4]) if len(row) > 4 else ""
        next_unit = facts["next_unit"]
        units = facts["units"]
        check(isinstance(next_unit, int) and isinstance(units, list), "CHECKPOINT is malformed")
        if isinstance(next_unit, int):
            self.next_unit = next_unit
        if isinstance(units, list):
            for values in units:
                if values["first_lsn"] < redo_lsn:
                    self.carry_unit(values)
