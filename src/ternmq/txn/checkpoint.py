"""A checkpoint: what restart will start from, made while work goes on.

Its phases, each an effect whose completion begins the next:

1. move: living bodies in the oldest part of the log get a home in segments, a bounded number at a
   time, if the log needs the room; queues that are not in use are written out;
2. save: the state journal of each queue gets what changed since the last checkpoint (segments that
   came and went, a bitmap of the dead for each touched one, counters), the catalog file the
   definitions that changed, the register how far the journals reach;
3. record: a CHECKPOINT record with the redo LSN and every prepared unit, which from now on pins no
   log;
4. control: the control file names the checkpoint, then extents before the redo LSN are released
   and files of dead segments removed.

ORDER: the redo LSN is taken before the first journal is written; journals and register before the
record; the record before the control file; the control file before anything is released. The cost
depends on what changed, not on how deep queues are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from mypy_extensions import i64

from ternmq.base.errors import ForceFailed
from ternmq.log.kinds import CHECKPOINT
from ternmq.log.record import record_space
from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect
from ternmq.store.catalog import Catalog
from ternmq.store.compaction import compact
from ternmq.store.queue import Queue
from ternmq.store.segment import DEAD, MIXED, segment_of
from ternmq.store.stream.fill import FillWrite, StreamFill
from ternmq.store.sweep import SegmentWrite, unswept
from ternmq.store.waste import Removals, remove_folder
from ternmq.txn.families.cursor_records import serialize_cursors
from ternmq.txn.families.packing import pack_json
from ternmq.txn.state_save import SAVE_QUEUES_MAX, RegisterSave, StateSave
from ternmq.txn.unit import CHANGE_GET, PREPARED, UnitOfWork, serialize_unit
from ternmq.values.entry import PUTTING, Entry

if TYPE_CHECKING:
    from ternmq.txn.keeper import Keeper

MOVE_MESSAGES_MAX: Final = 1024
MOVE_BYTES_MAX: Final = 1 << 20


@final
class Checkpoint:
    """The facts that the phases share."""

    def __init__(self, keeper: Keeper, full: bool, clean: bool) -> None:
        self.keeper = keeper
        self.full = full
        self.clean = clean
        coordinator = keeper.coordinator
        self.move_before: i64 = 0  # bodies logged before this LSN move
        end: i64 = coordinator.log.end_lsn
        if full:
            self.move_before = end
        elif keeper.space.used_fraction(int(end)) > 0.5:
            self.move_before = end - keeper.extent_bytes * keeper.primary // 4
        self.redo_lsn: i64 = 0
        self.units: list[dict[str, object]] = []
        self.queues: list[Queue] = []
        self.idle: list[Queue] = []
        self.removals = keeper.waste
        keeper.waste = Removals()
        self.remove_folders: list[str] = []
        self.effect: Effect | None = None  # the phase under way
        self.has_catalog = False  # definitions are saved as of some moment after the redo LSN
        self.failed = ""

    def begin(self) -> None:
        """Start the first phase."""
        for queue in list(self.keeper.catalog.queues.values()):
            compact(queue, self.keeper.outbox)
            if not queue.is_idle:
                queue.idle_checkpoints = 0
                continue
            queue.idle_checkpoints += 1
            if queue.next_number != queue.numbering.saved:
                queue.touched = True
            if queue.numbering.had_stream and queue.numbering.reserved != queue.next_sequence:
                queue.touched = True  # stream numbers that were reserved are given back
            self.idle.append(queue)
        self.write_out()

    def write_out(self) -> None:
        """Unloading, first phase: what an idle queue has only in memory or in the log goes to a
        segment."""
        while self.idle:
            queue = self.idle[-1]
            entries = unswept(queue) if queue.is_idle else []
            if entries:
                effect = IdleWrite(self, queue, entries)
                self.effect = effect
                self.keeper.outbox.add(effect)
                return
            self.idle.pop()
        self.move()

    def unload(self) -> None:
        """Unloading, second phase: it was not used since, and all of it is on disk."""
        catalog = self.keeper.catalog
        for queue in list(catalog.queues.values()):
            if queue.idle_checkpoints >= 2 and queue.is_idle and not queue.touched:
                catalog.uninstall(queue)

    def awaited(self) -> Effect | None:
        """What a verb that needs the room has to wait for; a move that waits for a sweep must not
        be run before it, or phases would run twice."""
        effect = self.effect
        if isinstance(effect, MoveAgain) and not effect.sweep.done:
            return effect.sweep
        if isinstance(effect, SaveAgain) and not effect.write.done:
            return effect.write
        return effect

    @property
    def awaits_fill(self) -> bool:
        """Whether it goes on when a stream is filled, which may take many effects."""
        effect = self.effect
        return isinstance(effect, SaveAgain) and isinstance(effect.write, FillWrite)

    # ---- 1 move

    def move(self) -> None:
        """The next batch of old bodies, or on to the next phase."""
        entries = self._movable()
        if not entries:
            self.choose_redo()
            return
        queue = self.keeper.catalog.queues[int(entries[0].queue_id)]
        sweep = queue.sweep_effect
        if sweep is not None:
            effect: Effect = MoveAgain(self, sweep)
            sweep.followers.append(effect)
        else:
            effect = BodyMove(self, queue, entries)
            self.keeper.outbox.add(effect)
        self.effect = effect

    def _movable(self) -> list[Entry]:
        """The oldest bodies of one queue that are before the mark and may move."""
        keeper = self.keeper
        units = keeper.coordinator.units
        found: list[Entry] = []
        size: i64 = 0
        entry = keeper.coordinator.in_log.head
        while entry is not None and entry.home_lsn < self.move_before:
            movable = True
            if entry.state == PUTTING:
                unit = units.get(int(entry.unit_id))
                movable = unit is not None and unit.state == PREPARED
            if movable and (not found or found[0].queue_id == entry.queue_id):
                found.append(entry)
                size += entry.length + len(entry.properties)
                if len(found) >= MOVE_MESSAGES_MAX or size >= MOVE_BYTES_MAX:
                    break
            entry = entry.log_next
        return found

    # ---- 2 save

    def choose_redo(self) -> None:
        """Where restart would have to begin, and which queues have something to save."""
        keeper = self.keeper
        coordinator = keeper.coordinator
        self.redo_lsn = coordinator.redo_lsn()
        # Prepared units as of now, also those being backed out: one that ends before the record is
        # written has its end in the log after redo.
        self.units = [
            serialize_unit(one, None) for one in coordinator.units.values() if one.xid is not None
        ]
        if self.clean:
            for one in coordinator.units.values():
                _forget_plain_gets(one)
        # ORDER: the catalog that is written next knows no queue of these folders. One deleted later
        # may still be named by it, and restart then wants its files.
        self.remove_folders = keeper.catalog.dead_folders
        keeper.catalog.dead_folders = []
        self.queues = [
            queue
            for queue in keeper.catalog.queues.values()
            if queue.touched and not queue.temporary and not self._is_given_up(queue)
        ]
        self.save()

    def save(self) -> None:
        """The next batch of queues, or on to the next phase."""
        catalog = self.keeper.catalog
        effect: Effect
        for queue in self.queues[:SAVE_QUEUES_MAX]:
            stream = queue.stream
            if stream is not None and stream.fill is not None:
                self._await_fill(stream.fill)
                return
            if stream is not None and stream.writer is not None:
                # One writer at a time: the save goes on when this one is done.
                stream.is_saved_next = True
                effect = SaveAgain(self, stream.writer)
                stream.writer.followers.append(effect)
                self.effect = effect
                return
        if self.queues or self.wants_catalog:
            effect = StateSave(self)
        elif catalog.unregistered or catalog.rewrite_register:
            effect = RegisterSave(self)
        else:
            self.record()
            return
        self.effect = effect
        self.keeper.outbox.add(effect)

    @property
    def wants_catalog(self) -> bool:
        """Once is enough, or a checkpoint would not end while definitions change: later changes
        are in the log. Only what the register relies on is written with it."""
        catalog = self.keeper.catalog
        return catalog.is_due or (catalog.changed and not self.has_catalog)

    def _await_fill(self, fill: StreamFill) -> None:
        """A journal has whole streams alone."""
        error = fill.error
        fill.go_on()
        if error or fill.effect is None:
            self.keeper.checkpoint_failed(self, error)
            return
        effect = SaveAgain(self, fill.effect)
        fill.effect.followers.append(effect)
        self.effect = effect

    def _is_given_up(self, queue: Queue) -> bool:
        """Its files are behind the log and will not catch up."""
        return int(queue.queue_id) in self.keeper.catalog.given_up

    # ---- 3 record and 4 control

    def record(self) -> None:
        """Write the CHECKPOINT record and hand over to the control file."""
        coordinator = self.keeper.coordinator
        facts: dict[str, object] = {
            "redo_lsn": int(self.redo_lsn),
            "next_unit": int(coordinator.next_unit),
            "units": self.units,
            "clean": self.clean,
            "catalog_lsn": self.keeper.catalog.lsn,
            "catalog_image": self.keeper.catalog.image_of_catalog(),
            "register": self.keeper.catalog.register_position.statement(),
            "newest_journal": list(self.keeper.catalog.newest_journal()),
            "untrusted": _untrusted(self.keeper.catalog) if self.clean else [],
            "cursors": serialize_cursors(self.keeper.catalog.cursors),
            "heuristic": [
                [
                    key[0],
                    key[1].hex(),
                    key[2].hex(),
                    outcome,
                    coordinator.heuristic_owners.get(key, ""),
                ]
                for key, outcome in coordinator.heuristic.items()
            ],
        }
        keeper = self.keeper
        payload = pack_json(facts)
        size = record_space(len(payload))
        fits = keeper.space.fits(size, 0)
        if not fits and self.redo_lsn > keeper.control.redo_lsn:
            # The reserve is for checkpoints that free a part of the log, or come nearer to that;
            # others would use it up.
            fits = keeper.fits_checkpoint(size)
        if not fits:
            # What is reserved for units of work is theirs alone.
            keeper.is_stuck = True
            why = f"; {self.failed}" if self.failed else ""
            keeper.checkpoint_failed(self, f"the log has no room for a checkpoint{why}")
            return
        lsn = coordinator.log.append(CHECKPOINT, 0, 0, [payload])
        keeper.size_reserve(int(self.redo_lsn // keeper.extent_bytes))
        effect = ControlSave(self, lsn)
        effect.after_lsn = coordinator.log.end_lsn
        self.effect = effect
        keeper.outbox.add(effect)


def _untrusted(catalog: Catalog) -> list[int]:
    """Queues of NPMCLASS(HIGH) that were not loaded since a crash: what the journal still has of
    their non-persistent messages does not become true by a clean stop."""
    return [
        one.object_id
        for one in catalog.definitions.values()
        if one.object_id in catalog.untrusted and one.attributes.get("nonpersistent_class", 0) != 0
    ]


def _forget_plain_gets(unit: UnitOfWork) -> None:
    """A prepared unit outlives the stop, its gets of non-persistent messages do not: no
    record has them. With NPMCLASS(HIGH) such a message would be back and could be got twice; so it
    goes."""
    for change in unit.changes:
        segment = segment_of(change.entry)
        if change.kind == CHANGE_GET and segment is not None and not change.entry.persistent:
            segment.mark(change.entry.ordinal, DEAD)
            change.queue.touched = True


@final
class MoveAgain(Effect):
    """A sweep of the same queue has to end first; then the move goes on."""

    def __init__(self, checkpoint: Checkpoint, sweep: Effect) -> None:
        super().__init__()
        self.checkpoint = checkpoint
        self.sweep = sweep

    def run(self, disk: Disk) -> None:
        return

    def complete(self) -> None:
        self.checkpoint.move()


@final
class SaveAgain(Effect):
    """A write to a stream of one of the queues has to end first; then the save goes on."""

    def __init__(self, checkpoint: Checkpoint, write: Effect) -> None:
        super().__init__()
        self.checkpoint = checkpoint
        self.write = write

    def run(self, disk: Disk) -> None:
        return

    def complete(self) -> None:
        self.checkpoint.save()


@final
class IdleWrite(SegmentWrite):
    """Writes out a queue that is not in use."""

    def __init__(self, checkpoint: Checkpoint, queue: Queue, entries: list[Entry]) -> None:
        super().__init__(queue, MIXED, entries, checkpoint.keeper.coordinator.in_log)
        self.checkpoint = checkpoint

    def complete(self) -> None:
        super().complete()
        self.checkpoint.write_out()

    def fail(self, error: OSError) -> None:
        super().fail(error)
        self.queue.idle_checkpoints = 0
        self.checkpoint.idle.pop()
        self.checkpoint.write_out()


@final
class BodyMove(SegmentWrite):
    """Phase 1: bodies of one queue to a segment, so that the log can let go of them."""

    def __init__(self, checkpoint: Checkpoint, queue: Queue, entries: list[Entry]) -> None:
        super().__init__(queue, MIXED, entries, checkpoint.keeper.coordinator.in_log)
        self.checkpoint = checkpoint
        self.reserve = checkpoint.keeper.coordinator.reserve

    def run(self, disk: Disk) -> None:
        while True:
            try:
                super().run(disk)
                return
            except OSError as error:
                if not self.reserve.gives(disk, error):
                    raise

    def complete(self) -> None:
        super().complete()
        self.checkpoint.move()

    def fail(self, error: OSError) -> None:
        super().fail(error)
        # The disk is full: the log keeps what it has, the checkpoint goes on without.
        self.checkpoint.failed = str(error)
        self.checkpoint.choose_redo()


@final
class ControlSave(Effect):
    """Phase 4: the control file, and then what is not needed any more goes."""

    def __init__(self, checkpoint: Checkpoint, lsn: int) -> None:
        super().__init__()
        self.checkpoint = checkpoint
        self.lsn = lsn
        self.on_log = True
        self.left = Removals()  # what could not be removed now

    def run(self, disk: Disk) -> None:
        checkpoint = self.checkpoint
        keeper = checkpoint.keeper
        control = keeper.control
        control.note_forced(keeper.coordinator.log)
        control.oldest_extent = control.note_checkpoint(self.lsn, int(checkpoint.redo_lsn))
        control.is_clean_stop = checkpoint.clean
        control.save(disk)
        # ORDER: nothing is released before the control file says that it may be.
        keeper.files.release_before(control.oldest_extent)
        self.left = checkpoint.removals.run(disk)
        checkpoint.remove_folders = [
            folder for folder in checkpoint.remove_folders if not remove_folder(disk, folder)
        ]
        keeper.coordinator.reserve.grow(disk)

    def complete(self) -> None:
        checkpoint = self.checkpoint
        keeper = checkpoint.keeper
        checkpoint.removals.are_gone(self.left)
        keeper.waste.extend(self.left)  # the next checkpoint tries again
        keeper.catalog.dead_folders.extend(checkpoint.remove_folders)
        keeper.checkpoint_done(checkpoint, self.lsn)

    def fail(self, error: OSError) -> None:
        raise ForceFailed(f"checkpoint: {error}")
