"""Keeps the log usable: prepares extents ahead, decides when a checkpoint is due, makes room when
the log is full.

When nothing else helps, the oldest unit of work that still keeps the log from being reused is
backed out, and verbs of that unit report it; a prepared unit never is. Called after steps and
by verbs that found no room.
"""

from __future__ import annotations

import errno
from typing import Final, final

from mypy_extensions import i64

from ternmq.log.control import Control
from ternmq.log.files import LogFiles
from ternmq.log.record import BLOCK_BYTES, FIRST_LSN
from ternmq.log.space import LogSpace
from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect, Outbox
from ternmq.store.catalog import Catalog
from ternmq.store.loading import QueueLoad
from ternmq.store.queue import Queue
from ternmq.store.waste import Removals
from ternmq.txn.checkpoint import Checkpoint
from ternmq.txn.coordinator import Coordinator
from ternmq.txn.media.image_recording import ImageRecording
from ternmq.txn.unit import CHANGE_GET, UnitOfWork

CHECKPOINT_RECORDS: Final = 10_000
CHECKPOINT_RECORDS_MIN: Final = 100
CHECKPOINT_RESERVE_MIN: Final = 3 * 4096  # a record that is forced alone, between two blocks
CHECKPOINT_INTERVAL_NS: Final = 30 * 60 * 1_000_000_000
VICTIM_STEP_CHANGES: Final = 256
CHEAPER_TRIES: Final = 2  # of a verb without room: the disk reserve, then another log file
LOG_FULL: Final = "the recovery log was full and this was the oldest unit of work"


@final
class ExtentPrepare(Effect):
    """Makes the next extent of the log usable."""

    def __init__(self, keeper: Keeper, extent: int, log_bytes: int) -> None:
        super().__init__()
        self.keeper = keeper
        self.extent = extent
        self.log_bytes = log_bytes  # of all files, if this one is a secondary
        self.takes_reserve = False  # a get needs it
        self.on_log = True

    def run(self, disk: Disk) -> None:
        keeper = self.keeper
        reserve = keeper.coordinator.reserve
        if self.log_bytes and not reserve.is_ready_for(disk, self.log_bytes):
            # Puts would fill it with bodies that could not leave it again.
            text = "the disk has no room for another log file and what it may hold"
            raise OSError(errno.ENOSPC, text)
        try:
            keeper.files.prepare(self.extent)
        except OSError as error:
            least = (keeper.extent_bytes + BLOCK_BYTES) * keeper.control.parameters.copies
            if not self.takes_reserve or not reserve.gives(disk, error, least):
                raise
            keeper.files.prepare(self.extent)
        # Once an extent: the more of the log is proven, the less can pass for a torn tail.
        keeper.control.note_forced(keeper.coordinator.log)
        keeper.control.save(disk)

    def complete(self) -> None:
        keeper = self.keeper
        keeper.preparing = None
        keeper.prepare_error = ""
        keeper.space.extent_ready(self.extent)
        keeper.look_ahead()

    def fail(self, error: OSError) -> None:
        keeper = self.keeper
        keeper.preparing = None
        if self.log_bytes and not keeper.secondary_bytes(self.extent):
            # Extents were released since it was asked for: it is a primary, which needs no room.
            keeper.look_ahead()
            return
        keeper.prepare_error = str(error)


@final
class ReserveGrow(Effect):
    """Makes the disk reserve whole again, if the disk has room."""

    def __init__(self, keeper: Keeper) -> None:
        super().__init__()
        self.keeper = keeper
        self.reserve = keeper.coordinator.reserve

    def run(self, disk: Disk) -> None:
        self.reserve.grow(disk)

    def complete(self) -> None:
        if self.reserve.is_whole:
            self.keeper.prepare_error = ""  # a log file may be made again


@final
class StepAgain(Effect):
    """Nothing for the disk: the verb only has to be tried again in another step."""

    def run(self, disk: Disk) -> None:
        return

    def complete(self) -> None:
        return


@final
class Keeper:
    """The log's housekeeping."""

    def __init__(
        self,
        coordinator: Coordinator,
        catalog: Catalog,
        outbox: Outbox,
        control: Control,
        files: LogFiles,
        space: LogSpace,
    ) -> None:
        self.coordinator = coordinator
        self.catalog = catalog
        self.outbox = outbox
        self.control = control
        self.files = files
        self.space = space
        self.extent_bytes: i64 = control.parameters.extent_bytes
        self.primary: i64 = control.parameters.primary
        capacity = control.parameters.primary * control.parameters.extent_bytes
        self.checkpoint_reserve = max(CHECKPOINT_RESERVE_MIN, min(1 << 18, capacity // 8))
        space.reserve(self.checkpoint_reserve)
        self.loads: list[QueueLoad] = []
        self.preparing: ExtentPrepare | None = None
        self.prepare_error = ""
        self.running: Checkpoint | None = None
        self.wanted = False  # a checkpoint was asked for
        self.records_then: i64 = coordinator.log.records
        # What earlier starts have written counts, or one that is killed again and again would fill
        # the log without ever being due for a checkpoint.
        self.lsn_then: i64 = max(control.checkpoint_lsn, FIRST_LSN)
        self.time_then_ns: i64 = 0
        self.full_at: i64 = -1  # the end of the log when a full checkpoint could do no more
        self.restored: list[Queue] = []  # queues that a victim's messages came back to
        self.checkpoints: i64 = 0
        self.victims: i64 = 0
        self.recordings: dict[int, ImageRecording] = {}  # media images under way, by object
        self.waste = Removals()  # files for the next checkpoint to remove
        self.last_failure = ""
        self.size_reserve(space.oldest)
        self.is_stuck = False  # there is not even room for a checkpoint

    def look_ahead(self) -> Effect | None:
        """Prepare the next extent if it is time to; the effect that does, if one is under way."""
        if self.preparing is None:
            extent = self.space.wants_extent(self.coordinator.log.end_lsn)
            if extent is not None:
                self.preparing = ExtentPrepare(self, extent, self.secondary_bytes(extent))
                self.outbox.add(self.preparing)
        return self.preparing

    def secondary_bytes(self, extent: int) -> int:
        """What all files of the log hold with this extent, if that makes a secondary of it."""
        files = extent + 1 - self.space.oldest
        if self.control.parameters.is_linear or files <= self.primary:
            return 0
        return files * int(self.extent_bytes)

    def size_reserve(self, oldest: int) -> None:
        """How much disk space has to be set aside once the log begins with this extent."""
        files = self.primary
        is_linear = self.control.parameters.is_linear
        if not is_linear:
            files = max(files, self.space.ready - oldest)
        position = self.catalog.position
        self.coordinator.reserve.want(
            files * self.extent_bytes,
            position.base_bytes + position.offset,
            len(self.catalog.queues),
            is_linear,
        )

    def fits_checkpoint(self, record_bytes: int) -> bool:
        """Whether a record fits with what is reserved for checkpoints, but not what is for units of
        work."""
        self.space.release(self.checkpoint_reserve)
        fits = self.space.fits(record_bytes, 0)
        self.space.reserve(self.checkpoint_reserve)
        return fits

    def after_step(self) -> None:
        """Cheap enough to be called after every step that wrote to the log."""
        log = self.coordinator.log
        written: i64 = log.end_lsn - self.lsn_then
        if (
            log.records - self.records_then >= CHECKPOINT_RECORDS
            and written * 4 >= self.extent_bytes * self.primary
        ) or written * 2 >= self.extent_bytes * self.primary:
            self.begin(False, False)
        if log.end_lsn + self.extent_bytes > self.space.limit_lsn and not self.prepare_error:
            self.look_ahead()

    def tick(self, monotonic_ns: i64) -> None:
        """Time has passed."""
        if self.time_then_ns == 0:
            self.time_then_ns = monotonic_ns
        elif (
            monotonic_ns - self.time_then_ns >= CHECKPOINT_INTERVAL_NS
            and self.coordinator.log.records - self.records_then >= CHECKPOINT_RECORDS_MIN
        ):
            self.time_then_ns = monotonic_ns
            self.begin(False, False)
        self.look_ahead()

    def begin(self, full: bool, clean: bool) -> Checkpoint:
        """Begin a checkpoint, or join the one that runs."""
        checkpoint = self.running
        if checkpoint is None:
            log = self.coordinator.log
            self.records_then = log.records
            self.lsn_then = log.end_lsn
            checkpoint = Checkpoint(self, full, clean)
            self.running = checkpoint
            checkpoint.begin()
        return checkpoint

    def checkpoint_done(self, checkpoint: Checkpoint, lsn: int) -> None:
        """The control file names it."""
        self.running = None
        self.checkpoints += 1
        self.last_failure = checkpoint.failed
        self.is_stuck = False
        checkpoint.unload()
        self.space.released_before(int(checkpoint.redo_lsn // self.extent_bytes))
        log = self.coordinator.log
        if checkpoint.full and log.records == self.records_then + 1:
            # Its own record alone has come since it began; after others, such as the end of a unit
            # of work, another checkpoint may release more.
            self.full_at = log.end_lsn
        self.look_ahead()

    def checkpoint_failed(self, checkpoint: Checkpoint, error: str) -> None:
        """Nothing was released; work goes on while there is room."""
        self.running = None
        self.last_failure = error
        if checkpoint.full:  # another kind has not tried to move every body out of the log
            self.full_at = self.coordinator.log.end_lsn
        self.catalog.dead_folders.extend(checkpoint.remove_folders)
        self.waste.extend(checkpoint.removals)

    def give_up(self, queue: Queue, text: str) -> None:
        """What a queue keeps on disk is lost, and the log may not have it any more: the queue is
        damaged for good, and the others must not suffer from it."""
        queue.damaged = text
        self.catalog.give_up(int(queue.queue_id), text)
        self.coordinator.forget_all(queue)

    def make_room(self, tries: i64, for_get: bool = False) -> Effect | None:
        """Something to wait for that may give the log room, or None if nothing will."""
        if tries == 1 and not for_get and not self.coordinator.reserve.is_whole:
            # No log file is made without it. A get leaves it to checkpoints, which take of it.
            effect = ReserveGrow(self)
            self.outbox.add(effect)
            return effect
        if self.preparing is not None or not self.prepare_error or tries == 1:
            preparing = self.look_ahead()
            if preparing is not None:
                return preparing
        checkpoint = self.running
        if checkpoint is not None and checkpoint.effect is not None:
            return checkpoint.awaited()
        if self.control.parameters.is_linear:
            # Only a new extent gives room; nothing is reused.
            return self._take_reserve() if for_get and tries == 2 else None
        pin = self.coordinator.oldest_pin()
        if pin is not None and (
            pin.first_lsn // self.extent_bytes <= self.space.oldest or self.is_stuck
        ):
            self.back_out_victim(pin)
            return self._step_again()
        # After a failure each verb tries once more, after what is cheaper: the disk may have space
        # again.
        is_late = tries > CHEAPER_TRIES + 1
        if self.full_at == self.coordinator.log.end_lsn and (is_late or not self.last_failure):
            return None
        checkpoint = self.begin(True, False)
        return checkpoint.awaited() or self._step_again()

    def _take_reserve(self) -> Effect | None:
        """A new extent of a linear log, from the disk reserve."""
        extent = self.space.wants_extent(self.coordinator.log.end_lsn)
        if extent is None:
            return None
        self.preparing = ExtentPrepare(self, extent, 0)
        self.preparing.takes_reserve = True
        self.outbox.add(self.preparing)
        return self.preparing

    def make_disk_room(self, tries: i64) -> Effect | None:
        """Something to wait for that may give the disk room for a put, or None if nothing will."""
        checkpoint = self.running
        if checkpoint is not None and checkpoint.effect is not None:
            return checkpoint.awaited()
        if tries == 1:
            effect = ReserveGrow(self)
            self.outbox.add(effect)
            return effect
        for queue in self.catalog.queues.values():
            if queue.waste.bytes and tries == 2:  # files that go with a checkpoint
                return self.begin(False, False).awaited() or self._step_again()
        return None

    def _step_again(self) -> Effect:
        effect = StepAgain()
        self.outbox.add(effect)
        return effect

    def back_out_victim(self, unit: UnitOfWork) -> None:
        """Some of the oldest unit's changes are undone; its owner learns of it when all are."""
        unit.backed_out_by = LOG_FULL
        queues: list[Queue] = []
        for change in unit.changes[-VICTIM_STEP_CHANGES:]:
            if change.kind == CHANGE_GET and change.queue not in queues:
                queues.append(change.queue)
        if self.coordinator.back_out_some(unit, VICTIM_STEP_CHANGES):
            self.victims += 1
        self.restored.extend(queues)
