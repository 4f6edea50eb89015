"""A backup queue manager: a copy that replays the extents of the log that are shipped to it, and
does nothing else until it is activated.

The log it has is the other one's, byte for byte, so it writes no record. After a replay its files
hold everything up to the end of what was shipped, and the control file names the last CHECKPOINT
record in it: from there the next replay, or the first start, goes on by the rules of restart. Units
of work that have not ended are neither undone nor forgotten.

ORDER: segments, journals, catalog, register, control file; files of dead segments go last. A crash
in between leaves the control file as it was, and the replay is done again.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.command_reasons import MQRCCF_LOG_TYPE_ERROR
from ternmq.base.errors import IntegrityError, mq_error
from ternmq.base.reasons import MQRC_OPERATION_NOT_ALLOWED, MQRC_Q_MGR_NOT_AVAILABLE
from ternmq.log.control import ACTIVATED, BACKUP, Control, load_control
from ternmq.log.kinds import CHECKPOINT
from ternmq.log.opened import OpenedLog, open_log
from ternmq.log.record import BLOCK_BYTES, LogRecord
from ternmq.ports.disk import Disk, parent_dir
from ternmq.store.catalog import Catalog
from ternmq.store.catalog_file import catalog_bytes, save_catalog
from ternmq.store.loading import state_path
from ternmq.store.queue import Queue
from ternmq.store.register import rewrite_register
from ternmq.store.segment import Segment
from ternmq.store.state_journal import JournalPosition, StateJournal
from ternmq.store.stream.stream_file import StreamSave
from ternmq.store.waste import Removals
from ternmq.txn.families.packing import integer_of, unpack_json
from ternmq.txn.media.catalog_recovery import find_catalog
from ternmq.txn.replay_segments import ReplaySegments
from ternmq.txn.restart import Replay
from ternmq.txn.state_save import force_segments, state_batch
from ternmq.values.entry import Entry

EPOCH_ANY: Final = 0xFFFFFFFF
RELIEVE_EVERY: Final = 256  # records


def refuse_backup(opened: OpenedLog) -> None:
    """A backup is not started before it is activated."""
    if opened.control.role == BACKUP:
        raise mq_error(
            MQRC_Q_MGR_NOT_AVAILABLE,
            verb="MQCONN",
            detail="it is a backup queue manager and was not activated",
        )


def make_backup(disk: Disk) -> None:
    """Turn a copy of a queue manager, taken while that was stopped, into a backup."""
    control = load_control(disk)
    if not control.parameters.is_linear:
        raise mq_error(
            MQRCCF_LOG_TYPE_ERROR, verb="make backup", detail="a backup needs a linear log"
        )
    control.role = BACKUP
    control.save(disk)


def activate_backup(disk: Disk) -> None:
    """Let a backup be started; from then on it is a queue manager of its own."""
    control = _backup_control(disk, "activate")
    control.role = ACTIVATED
    control.save(disk)


def _backup_control(disk: Disk, verb: str) -> Control:
    control = load_control(disk)
    if control.role != BACKUP:
        raise mq_error(
            MQRC_OPERATION_NOT_ALLOWED, verb=verb, detail="it is not a backup queue manager"
        )
    return control


@final
class BackupReplay(Replay):
    """Replay of what was shipped; keeps memory small and notes checkpoints and epochs."""

    def __init__(self, disk: Disk, opened: OpenedLog, catalog: Catalog) -> None:
        super().__init__(disk, opened, catalog)
        self.replay_segments = ReplaySegments(disk, self)
        self.checkpoint_lsn = 0  # of the last CHECKPOINT that was read
        self.redo_lsn = 0  # where restart would begin with it
        self.epoch = 0

    def redo(self, record: LogRecord) -> None:
        super().redo(record)
        self.epoch = record.epoch
        if record.kind == CHECKPOINT:
            facts = unpack_json(record.payload)
            self.checkpoint_lsn = record.lsn
            self.redo_lsn = integer_of(facts["redo_lsn"])
        if self.records % RELIEVE_EVERY == 0:
            for queue in self.catalog.queues.values():
                self.replay_segments.relieve(queue)


@final
class BackupReport:
    """What a replay did."""

    def __init__(self, records: int, end_lsn: int, extent: int, is_saved: bool) -> None:
        self.records = records  # read
        self.end_lsn = end_lsn  # everything up to here is replayed
        self.extent = extent  # the last that something was read of
        self.is_saved = is_saved  # whether the next replay begins further on than this one did


def replay_backup(disk: Disk) -> BackupReport:
    """Replay all that is in the log."""
    control = _backup_control(disk, "replay")
    opened = open_log(disk)
    try:
        epoch = opened.control.epoch
        opened.control.epoch = EPOCH_ANY  # the other one may have been started since
        catalog, _ = find_catalog(disk, opened)
        replay = BackupReplay(disk, opened, catalog)
        replay.run()
        end_lsn = opened.reader.end_lsn
        control = opened.control
        control.epoch = max(epoch, replay.epoch)
        is_saved = replay.checkpoint_lsn > control.checkpoint_lsn
        if is_saved:
            _save(disk, replay, end_lsn)
        extent = max(end_lsn - 1, 0) // control.parameters.extent_bytes
        return BackupReport(replay.records, end_lsn, extent, is_saved)
    finally:
        opened.close()


def _save(disk: Disk, replay: BackupReplay, end_lsn: int) -> None:
    """Bring the files up to the end of what was read."""
    catalog = replay.catalog
    _leave_log(replay)
    removals = Removals()
    for queue in list(catalog.queues.values()):
        if int(queue.queue_id) not in catalog.given_up:
            _save_queue(disk, queue, end_lsn, removals)
            catalog.with_state.add(int(queue.queue_id))
            catalog.note_journal(int(queue.queue_id), end_lsn)
    save_catalog(disk, catalog_bytes(catalog, end_lsn))
    rows = [(number, catalog.register[number]) for number in sorted(catalog.register)]
    position = rewrite_register(disk, catalog.register_position, rows)
    control = replay.opened.control
    control.checkpoint_lsn = replay.checkpoint_lsn
    control.redo_lsn = replay.redo_lsn
    control.replayed_checkpoint = replay.checkpoint_lsn
    control.replayed_register = position.statement()
    control.oldest_extent = replay.redo_lsn // control.parameters.extent_bytes
    # The last record may go on in an extent that has not come yet.
    control.forced_lsn = max(end_lsn // BLOCK_BYTES * BLOCK_BYTES, control.forced_lsn)
    control.forced_gap = 0
    control.is_clean_stop = False
    control.save(disk)
    removals.are_gone(removals.run(disk))
    for folder in catalog.dead_folders:
        for name in disk.list(folder):
            disk.unlink(f"{folder}/{name}")
        if disk.exists(folder):
            disk.remove_dir(folder)


def _leave_log(replay: BackupReplay) -> None:
    """Bodies from before the new redo LSN go to segments, as they did where the log comes from."""
    old: dict[int, list[Entry]] = {}
    entry = replay.in_log.head
    while entry is not None:
        if entry.home_lsn < replay.redo_lsn:
            old.setdefault(int(entry.queue_id), []).append(entry)
        entry = entry.log_next
    for queue_id, entries in old.items():
        replay.replay_segments.write_segments(replay.catalog.queues[queue_id], entries)


def _save_queue(disk: Disk, queue: Queue, lsn: int, removals: Removals) -> None:
    fresh: list[Segment] = [one for one in queue.segments.values() if not one.saved]
    if not disk.exists(queue.folder):
        disk.make_dir(queue.folder)
    disk.sync_dir(parent_dir(queue.folder))
    lost = force_segments(disk, queue, fresh)
    if lost:
        raise IntegrityError(lost)
    stream = queue.stream
    if stream is not None:
        save = StreamSave(stream, None)
        save.run(disk)
        save.ended("")
    batch, whole = state_batch(queue, lsn, removals)
    path = state_path(queue.folder)
    if whole:
        StateJournal.rewrite(disk, path, batch.parts())
    else:
        position = JournalPosition(int(queue.journal_offset), int(queue.journal_batch))
        StateJournal.append(disk, path, batch.parts(), position)
