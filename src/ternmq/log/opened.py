"""Makes a log, opens it for restart, and turns it into one that can be written: `open_log`, then
read `reader.records(control.redo_lsn)` to the end, then `resume(reader.end_lsn)`.
"""

from __future__ import annotations

from typing import final

from ternmq.base.errors import ForceFailed, check
from ternmq.log.control import CONTROL_PATHS, Control, load_control
from ternmq.log.extents import FOLDERS, ExtentTable
from ternmq.log.files import LogFiles
from ternmq.log.parameters import LogParameters
from ternmq.log.reader import LogReader
from ternmq.log.record import block_end, checksum_seed
from ternmq.log.space import LogSpace
from ternmq.log.tail import (
    TAIL_PATH,
    create_tail_copy,
    load_tail_copy,
    piece_bytes,
    save_tail_copy,
)
from ternmq.log.writer import LogWriter
from ternmq.ports.disk import Disk


@final
class OpenedLog:
    """A log that restart reads. `writer`, `files` and `space` are there after `resume`."""

    def __init__(self, disk: Disk, control: Control, table: ExtentTable) -> None:
        self.disk = disk
        self.control = control
        self.reader = LogReader(disk, control, table)
        self.writer: LogWriter | None = None
        self.files: LogFiles | None = None
        self.space: LogSpace | None = None
        self._table = table

    def resume(self, end_lsn: int) -> tuple[LogWriter, LogFiles, LogSpace]:
        """Make the tail certain and begin a new epoch. The reader must have reached the end."""
        reader = self.reader
        check(
            reader.is_at_end and end_lsn == reader.end_lsn,
            f"log resumed at LSN {end_lsn}, which is not the end that was read",
        )
        control = self.control
        end = block_end(end_lsn)
        oldest = control.redo_lsn // self._table.extent_bytes
        files = LogFiles(self._table, end)
        files.make_sound(oldest)
        self._repair_copies(files)
        self._rewrite_tail(files, end_lsn)
        control.epoch += 1
        control.forced_lsn = end
        control.forced_gap = end - end_lsn
        control.is_clean_stop = False
        # ORDER: the new epoch is in the control file before any record carries it.
        control.save(self.disk)
        files.release_before(oldest)
        files.drop_secondaries()
        writer = LogWriter(end, end - end_lsn, control.epoch, checksum_seed(control.identity))
        ready = self._table.first_not_ready(end // self._table.extent_bytes)
        space = LogSpace(control.parameters, writer, oldest, ready)
        self.writer = writer
        self.files = files
        self.space = space
        return writer, files, space

    def close(self) -> None:
        """Give back the files. Nothing is written."""
        if self.files is not None:
            self.files.close()
        self._table.close()

    def _repair_copies(self, files: LogFiles) -> None:
        """Bring the copy that was wrong in line with the one that was right."""
        for repair in self.reader.repairs:
            end = min(repair.end_lsn, files.next_lsn)
            data = self._table.read(repair.good_copy, repair.lsn, end - repair.lsn)
            files.rewrite(repair.lsn, data, repair.bad_copy)

    def _rewrite_tail(self, files: LogFiles, end_lsn: int) -> None:
        """Write what is not proven once more, with the same bytes, and force it."""
        control = self.control
        lsn = control.forced_lsn
        while lsn < end_lsn:
            count = min(piece_bytes(control), end_lsn - lsn)
            # By now the first copy is right: it was read, or repaired from the other one.
            piece = self._table.read(0, lsn, count)
            piece += bytes(block_end(lsn + count) - lsn - count)
            try:
                # ORDER: the tail copy is forced before the log is touched.
                save_tail_copy(self.disk, control, lsn, piece)
            except OSError as error:
                raise ForceFailed(f"log tail copy: {error}") from error
            files.rewrite(lsn, piece)
            lsn += count


def create_log(disk: Disk, parameters: LogParameters, identity: bytes) -> None:
    """Make an empty log. `identity` should be random and not shown: see "Validity" in `record`.

    A log is there once its control file is; what an attempt that failed left behind is replaced.
    """
    for path in CONTROL_PATHS:
        if disk.exists(path):
            raise FileExistsError(f"{path}: there is a log already")
    control = Control(parameters, identity)
    for copy in range(parameters.copies):
        disk.make_dir(FOLDERS[copy])
    disk.sync_dir("log")
    disk.sync_dir("")
    table = ExtentTable(disk, control)
    files = LogFiles(table, 0)
    try:
        for extent in range(parameters.primary):
            files.prepare(extent)
    finally:
        files.close()
    create_tail_copy(disk, control)
    # ORDER: the control file comes last.
    control.save(disk)


def open_log(disk: Disk) -> OpenedLog:
    """Open a log for restart. LogDamaged if there is no valid control file."""
    control = load_control(disk)
    table = ExtentTable(disk, control)
    table.load(control.oldest_extent)
    try:
        _settle(disk, table)
    except OSError as error:
        raise ForceFailed(f"log: {error}") from error
    _finish_rewrite(disk, control, table)
    return OpenedLog(disk, control, table)


def _settle(disk: Disk, table: ExtentTable) -> None:
    """Force what a process that was killed has written but not forced.

    Restart overwrites one copy of a thing while it relies on the other; what it relies on must not
    be in memory only.
    """
    for path in [*CONTROL_PATHS, TAIL_PATH, *table.paths()]:
        if disk.exists(path):
            file = disk.open(path)
            try:
                file.datasync()
            finally:
                file.close()
    for folder in ["log", *FOLDERS[: table.copies]]:
        disk.sync_dir(folder)


def _finish_rewrite(disk: Disk, control: Control, table: ExtentTable) -> None:
    """Put in place the piece that a restart before this one may have left half written."""
    found = load_tail_copy(disk, control)
    if found is None:
        return
    lsn, piece = found
    first = lsn // table.extent_bytes
    last = (lsn + len(piece) - 1) // table.extent_bytes
    slots = [table.slots.get(extent, -1) for extent in range(first, last + 1)]
    files = LogFiles(table, lsn + len(piece))
    for copy in range(table.copies):
        # A copy that lost a file gets it back from the other one when the log is resumed.
        if table.present[copy].issuperset(slots):
            files.rewrite(lsn, piece, copy)
