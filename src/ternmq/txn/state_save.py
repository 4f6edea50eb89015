"""The second phase of a checkpoint: what changed in each queue goes to its state journal, the
definitions to the catalog file, and the register learns how far the journals reach.

ORDER: log before journal, segments before the journal that names them, journals before the
register. Effects of `checkpoint`, which says when.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from ternmq.base.errors import ForceFailed
from ternmq.ports.disk import Disk, parent_dir
from ternmq.ports.effect import Effect
from ternmq.store.catalog_file import CatalogSave
from ternmq.store.loading import state_path
from ternmq.store.queue import Queue
from ternmq.store.register import (
    RegisterRow,
    append_register,
    rewrite_register,
    should_rewrite_register,
)
from ternmq.store.segment import Segment
from ternmq.store.state_journal import (
    JournalPosition,
    StateBatch,
    StateJournal,
    live_bytes,
    should_rewrite,
)
from ternmq.store.stream.stream_file import StreamSave
from ternmq.store.stream.stream_state import pack_stream
from ternmq.store.waste import Removals

if TYPE_CHECKING:
    from ternmq.txn.checkpoint import Checkpoint

SAVE_QUEUES_MAX: Final = 64


@final
class StateSave(Effect):
    """Phase 2: some state journals, and the catalog."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        super().__init__()
        self.checkpoint = checkpoint
        keeper = checkpoint.keeper
        lsn = int(keeper.coordinator.log.end_lsn)
        self.after_lsn = lsn
        self.queues = checkpoint.queues[:SAVE_QUEUES_MAX]
        checkpoint.queues = checkpoint.queues[SAVE_QUEUES_MAX:]
        self.batches: list[StateBatch] = []
        self.rewrites: list[bool] = []
        self.positions: list[JournalPosition] = []
        self.fresh: list[list[Segment]] = []  # for each queue, segments no journal has named yet
        self.unpinned: list[
            list[Segment]
        ] = []  # for each queue, those of which nothing must survive
        self.saved = 0  # so many of them are
        self.lost: dict[int, str] = {}  # by index: a segment that is gone before it was named
        self.streams: dict[int, StreamSave] = {}  # by index: what its stream has to write
        for queue in self.queues:
            self._capture(queue, lsn)
        self.catalog: CatalogSave | None = None
        if not checkpoint.queues and checkpoint.wants_catalog:
            self.catalog = CatalogSave(keeper.catalog, lsn)
            checkpoint.has_catalog = True

    def _capture(self, queue: Queue, lsn: int) -> None:
        self.fresh.append([one for one in queue.segments.values() if not one.saved])
        stream = queue.stream
        if stream is not None:
            self.streams[len(self.fresh) - 1] = StreamSave(stream, self)
        batch, whole = state_batch(queue, lsn, self.checkpoint.removals)
        self.unpinned.append(
            [one for one in queue.segments.values() if one.pinned and one.durable_recorded == 0]
        )
        self.batches.append(batch)
        self.rewrites.append(whole)
        self.positions.append(JournalPosition(int(queue.journal_offset), int(queue.journal_batch)))

    def run(self, disk: Disk) -> None:
        reserve = self.checkpoint.keeper.coordinator.reserve
        while True:
            try:
                self._save(disk)
                return
            except OSError as error:
                if not reserve.gives(disk, error):
                    raise

    def _save(self, disk: Disk) -> None:
        """From the first queue on that is not saved yet."""
        for at in range(self.saved, len(self.queues)):
            self._save_queue(disk, at)
            self.saved = at + 1
        if self.catalog is not None:
            self.catalog.run(disk)

    def _save_queue(self, disk: Disk, at: int) -> None:
        queue = self.queues[at]
        if not disk.exists(queue.folder):
            disk.make_dir(queue.folder)
        if self.positions[at].offset == 0:
            # Also where the folder is there: a killed process may have made it just before.
            disk.sync_dir(parent_dir(queue.folder))
        # ORDER: segments before the journal that names them.
        lost = force_segments(disk, queue, self.fresh[at])
        if lost:
            self.lost[at] = lost
            return
        if at in self.streams:
            self.streams[at].run(disk)
        path = state_path(queue.folder)
        parts = self.batches[at].parts()
        if self.rewrites[at]:
            self.positions[at] = StateJournal.rewrite(disk, path, parts)
        else:
            self.positions[at] = StateJournal.append(disk, path, parts, self.positions[at])

    def complete(self) -> None:
        catalog = self.checkpoint.keeper.catalog
        for at in range(len(self.queues)):
            queue = self.queues[at]
            if at in self.streams:
                self.streams[at].ended(self.lost.get(at, ""))
            if queue.dropped:
                catalog.dead_folders.append(queue.folder)
            elif at in self.lost:
                self.checkpoint.keeper.give_up(queue, self.lost[at])
            else:
                queue.journal_offset = self.positions[at].offset
                queue.journal_batch = self.positions[at].batch_number
                queue.state_lsn = self.batches[at].lsn
                queue.has_files = True
                if not self.checkpoint.clean:  # after which the files of NPMCLASS(HIGH) are read
                    for segment in self.unpinned[at]:
                        segment.pinned = False
                catalog.with_state.add(int(queue.queue_id))
                catalog.note_journal(int(queue.queue_id), self.batches[at].lsn)
        if self.catalog is not None:
            catalog.lsn = self.catalog.lsn
            catalog.position = self.catalog.position
        self.checkpoint.save()

    def fail(self, error: OSError) -> None:
        """Nothing is released; the next checkpoint writes everything again."""
        self._save_again(str(error))

    def damage(self, text: str) -> None:
        """A journal is not as it was left. Memory has all that it should have, so the next
        checkpoint writes it whole."""
        self._save_again(text)

    def _save_again(self, text: str) -> None:
        for queue in self.queues:
            queue.touched = True
            queue.rewrite_state = True
        for stream in self.streams.values():
            stream.ended(text)
        for segments in self.fresh:
            for segment in segments:
                segment.saved = False
        if self.catalog is not None:
            # Also after a batch: what is on disk now is not known, and the next would go on there.
            self.checkpoint.keeper.catalog.changed = True
            self.checkpoint.keeper.catalog.rewrite_file = True
        self.checkpoint.keeper.checkpoint_failed(self.checkpoint, text)


@final
class RegisterSave(Effect):
    """The end of phase 2: the journals that were forced go to the register."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        super().__init__()
        self.checkpoint = checkpoint
        catalog = checkpoint.keeper.catalog
        self.position = catalog.register_position
        self.is_whole = catalog.rewrite_register or should_rewrite_register(
            self.position, len(catalog.register)
        )
        numbers = sorted(catalog.register if self.is_whole else catalog.unregistered)
        self.rows: list[tuple[int, RegisterRow]] = []
        for number in numbers:
            self.rows.append((number, catalog.register[number].copy()))
        catalog.unregistered = set()

    def run(self, disk: Disk) -> None:
        reserve = self.checkpoint.keeper.coordinator.reserve
        while True:
            try:
                self._save(disk)
                return
            except OSError as error:
                if not reserve.gives(disk, error):
                    raise

    def _save(self, disk: Disk) -> None:
        if self.is_whole:
            self.position = rewrite_register(disk, self.position, self.rows)
        else:
            self.position = append_register(disk, self.position, self.rows)

    def complete(self) -> None:
        catalog = self.checkpoint.keeper.catalog
        catalog.register_position = self.position
        catalog.rewrite_register = False
        self.checkpoint.record()

    def fail(self, error: OSError) -> None:
        """As a journal's: what is on disk after a failure is not trusted."""
        catalog = self.checkpoint.keeper.catalog
        catalog.rewrite_register = True
        catalog.unregistered.update(catalog.register)
        self.checkpoint.keeper.checkpoint_failed(self.checkpoint, str(error))


def force_segments(disk: Disk, queue: Queue, segments: list[Segment]) -> str:
    """Make new segments durable, content and name, where something in them must survive. Returns
    what is wrong if one is gone."""
    forced = False
    for segment in segments:
        if segment.persistent == 0 and not queue.keep_plain:
            continue
        try:
            file = disk.open(segment.path)
        except FileNotFoundError:
            if not segment.pinned:
                continue  # it has died since: its persistent messages were gone at the capture
            return f"segment {segment.path} is missing"
        try:
            file.datasync()
        except OSError as error:
            # A second try could succeed although the pages are lost: stop, restart from the log.
            raise ForceFailed(f"{segment.path}: {error}") from error
        finally:
            file.close()
        forced = True
    if forced:
        disk.sync_dir(queue.folder)
    return ""


def _save_stream(queue: Queue, batch: StateBatch, remove_files: list[str]) -> None:
    if queue.numbering.had_stream and queue.uncommitted_puts == 0:
        # What was reserved is given back, so that numbers go on without a gap. A message that
        # gets one from now on has a record for it that comes after this batch.
        queue.numbering.reserved = queue.next_sequence
    batch.stream(pack_stream(queue))
    stream = queue.stream
    if stream is not None:
        remove_files.extend(stream.dead_files)
        stream.dead_files = []
        stream.dead_bytes = 0
    remove_files.extend(queue.numbering.waste)
    queue.numbering.waste = []


def state_batch(queue: Queue, lsn: int, removals: Removals) -> tuple[StateBatch, bool]:
    """What changed since the last batch, or everything if the journal has grown too long or
    failed."""
    batch = StateBatch(int(queue.queue_id), int(queue.queue_id), lsn)
    batch.counters(int(queue.next_number), int(queue.next_sequence), int(queue.next_segment))
    _save_stream(queue, batch, removals.paths)
    messages = 0
    for segment in queue.segments.values():
        messages += int(segment.count)
    live = live_bytes(len(queue.segments), messages)
    whole = queue.rewrite_state or should_rewrite(int(queue.journal_offset), live)
    for segment in queue.segments.values():
        durable = int(segment.durable_recorded)
        is_recorded = segment.saved and (durable > 0 or not segment.pinned)
        if whole or not is_recorded:
            batch.segment_added(
                int(segment.number),
                int(segment.count),
                int(segment.first_sequence),
                int(segment.last_sequence),
                int(segment.lane),
                int(segment.min_expiry),
                0,
                int(segment.file_bytes),
                durable,
            )
        if whole or segment.touched or not is_recorded:
            bitmap = segment.dead_bitmap()
            backouts = list(segment.backouts.items())
            if backouts or any(bitmap) or segment.saved:
                batch.segment_bits(int(segment.number), int(segment.count), bitmap, backouts)
        segment.saved = True
        segment.touched = False
        # Also while the batch is written, which forces new segments of NPMCLASS(HIGH).
        segment.pinned = segment.pinned or durable > 0 or queue.keep_plain
    for dead in queue.waste.doomed:
        if dead.is_named and not whole:
            batch.segment_gone(int(dead.number))
        dead.is_named = False
        if not dead.is_going:
            (queue.waste.held_files if queue.held else removals.segments).append(dead)
    queue.waste.doomed = []
    queue.numbering.saved = queue.next_number
    queue.touched = False
    queue.rewrite_state = False
    return batch, whole
