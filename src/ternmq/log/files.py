"""All I/O on extents: writes and forces batches, prepares and releases extents.

Used by one thread at a time. A failed write or force leaves it unknown what is on disk; the object
then refuses all further work and the process has to stop. See `extents` for the format.
"""

from __future__ import annotations

import contextlib
from typing import final

from ternmq.base.errors import ForceFailed, check
from ternmq.log.archive import remove_extents
from ternmq.log.extents import FOLDERS, SECOND_HEADER_OFFSET, ExtentTable, extent_path
from ternmq.log.parameters import LogParameters
from ternmq.log.parts import cut_parts, gather_parts
from ternmq.log.record import BLOCK_BYTES
from ternmq.log.writer import LogBatch
from ternmq.ports.disk import DiskFile, write_all, write_zeros


@final
class LogFiles:
    """The extents of a running log. `next_lsn` is where the next batch must start."""

    def __init__(self, table: ExtentTable, next_lsn: int) -> None:
        self.next_lsn = next_lsn
        self._table = table
        self._extent_bytes = table.extent_bytes
        self._copies = table.copies
        self._is_broken = False

    @property
    def parameters(self) -> LogParameters:
        """What the log was made with."""
        return self._table.parameters

    def write(self, batch: LogBatch) -> None:
        """Write a batch to every copy and force it. ForceFailed if any of that fails."""
        self._check_usable()
        check(
            batch.start_lsn == self.next_lsn and batch.end_lsn % BLOCK_BYTES == 0,
            f"log batch at LSN {batch.start_lsn}, expected at {self.next_lsn}",
        )
        parts = gather_parts(batch.parts, batch.end_lsn - batch.start_lsn)
        self._check_prepared(batch.start_lsn, batch.end_lsn)
        self._force(batch.start_lsn, parts, batch.end_lsn - batch.start_lsn)
        self.next_lsn = batch.end_lsn

    def rewrite(self, lsn: int, data: bytes, copy: int = -1) -> None:
        """Write bytes that the log has already, to one copy or all, and force them (restart)."""
        self._check_usable()
        check(lsn + len(data) <= self.next_lsn, f"rewrite at LSN {lsn} beyond the end of the log")
        self._check_prepared(lsn, lsn + len(data))
        self._force(lsn, [data], len(data), copy)

    def prepare(self, extent: int) -> None:
        """Make an extent usable. OSError if a file cannot be made; nothing has changed then."""
        self._check_usable()
        table = self._table
        slot = table.slots.get(extent, -1)
        if slot < 0:
            slot = extent if table.parameters.is_linear else table.free_slot()
        check(slot >= 0, f"log extent {extent}: every slot is still needed")
        check(
            extent * self._extent_bytes >= self.next_lsn,
            f"log extent {extent} is before the end of the log",
        )
        header = table.header(extent, slot)
        ready = [copy for copy in range(self._copies) if table.is_whole(copy, slot)]
        self._make_files([copy for copy in range(self._copies) if copy not in ready], slot, header)
        try:
            for copy in ready:
                # ORDER: the header is forced before any record of the extent is written.
                file = self._open_file(copy, slot)
                write_all(file, 0, [header])
                file.datasync()
        except OSError as error:
            raise self._broken(error) from error
        table.slots[extent] = slot

    def release_before(self, extent: int) -> None:
        """Restart needs no extent before this one. ORDER: the control file that says so is saved.

        Slots of a circular log become free; files of a linear log are kept.
        """
        self._check_usable()
        check(
            extent * self._extent_bytes <= self.next_lsn,
            f"release of log extents before {extent}, beyond the end of the log",
        )
        table = self._table
        for number in [number for number in table.slots if number < extent]:
            if table.parameters.is_linear:
                for copy in range(self._copies):
                    table.close_slot(copy, number)
            else:
                del table.slots[number]

    def remove_before(self, extent: int) -> list[str]:
        """Delete the files of a linear log before this extent, which neither restart nor media
        recovery needs; their names."""
        self._check_usable()
        table = self._table
        check(table.parameters.is_linear, "extents of a circular log are not deleted")
        for number in [number for number in table.slots if number < extent]:
            for copy in range(self._copies):
                table.close_slot(copy, number)
                table.present[copy].discard(number)
            del table.slots[number]
        return remove_extents(table.disk, self._copies, extent)

    def drop_secondaries(self) -> None:
        """Unlink secondary files that hold nothing that is needed."""
        self._check_usable()
        table = self._table
        if table.parameters.is_linear:
            return
        taken = set(table.slots.values())
        for copy in range(self._copies):
            spare = [slot for slot in table.present[copy] if slot >= table.parameters.primary]
            for slot in sorted(set(spare) - taken):
                table.close_slot(copy, slot)
                table.disk.unlink(extent_path(copy, slot))
                table.present[copy].discard(slot)
            if spare:
                table.disk.sync_dir(FOLDERS[copy])

    def make_sound(self, first: int) -> None:
        """At restart: make every extent from `first` on whole in each copy, and prove its header.

        What a file lacks comes from the other copy, or is zeros. Extents after the end of the log
        are left as they are if a file is not whole; they are prepared again when needed.
        """
        self._check_usable()
        table = self._table
        try:
            for extent in sorted(number for number in table.slots if number >= first):
                if extent * self._extent_bytes >= self.next_lsn and not table.is_ready(extent):
                    continue
                slot = table.slots[extent]
                header = table.header(extent, slot)[:SECOND_HEADER_OFFSET]
                for copy in range(self._copies):
                    if not table.is_whole(copy, slot):
                        self._complete_file(copy, slot, extent)
                    file = self._open_file(copy, slot)
                    # ORDER: one half after the other, so that a valid one is always there.
                    for offset in table.halves_to_write(file, header):
                        write_all(file, offset, [header])
                        file.datasync()
            for copy in range(self._copies):
                table.disk.sync_dir(FOLDERS[copy])
        except OSError as error:
            raise self._broken(error) from error

    def close(self) -> None:
        self._is_broken = True
        self._table.close()

    def _force(self, lsn: int, parts: list[bytes], length: int, only_copy: int = -1) -> None:
        """Write the parts, whose sum is `length`, and datasync every file touched."""
        touched: list[DiskFile] = []
        done = 0
        try:
            while done < length:
                within = (lsn + done) % self._extent_bytes
                count = min(length - done, self._extent_bytes - within)
                mine = parts if count == length else cut_parts(parts, done, count)
                slot = self._table.slots[(lsn + done) // self._extent_bytes]
                for copy in range(self._copies):
                    if only_copy in (-1, copy):
                        file = self._open_file(copy, slot)
                        write_all(file, BLOCK_BYTES + within, mine)
                        touched.append(file)
                done += count
            for file in touched:
                file.datasync()
        except OSError as error:
            raise self._broken(error) from error

    def _check_usable(self) -> None:
        if self._is_broken:
            raise ForceFailed("the log is closed, or a force has failed before")

    def _check_prepared(self, start: int, end: int) -> None:
        extent = start // self._extent_bytes
        while extent * self._extent_bytes < end:
            check(extent in self._table.slots, f"log extent {extent} is not prepared")
            extent += 1

    def _broken(self, error: OSError) -> ForceFailed:
        self._is_broken = True
        return ForceFailed(f"log: {error}")

    def _open_file(self, copy: int, slot: int) -> DiskFile:
        file = self._table.file(copy, slot)
        if file is None:
            raise FileNotFoundError(f"{extent_path(copy, slot)} is not there")
        return file

    def _make_files(self, copies: list[int], slot: int, header: bytes) -> None:
        """New files in these copies of the log, or in none of them."""
        made: list[int] = []
        try:
            for copy in copies:
                self._make_file(copy, slot, header)
                made.append(copy)
        except OSError:
            # The extent will have another slot: a header that stays here would name it, too.
            table = self._table
            for copy in made:
                table.close_slot(copy, slot)
                table.present[copy].discard(slot)
                with contextlib.suppress(OSError):
                    table.disk.unlink(extent_path(copy, slot))
            raise

    def _make_file(self, copy: int, slot: int, header: bytes) -> None:
        """A new file of zeros, in real disk space, so that forces need not write metadata."""
        disk = self._table.disk
        path = extent_path(copy, slot)
        self._table.close_slot(copy, slot)
        self._table.present[copy].discard(slot)
        file = disk.create(path)
        try:
            write_zeros(file, 0, BLOCK_BYTES + self._extent_bytes)
            # ORDER: the zeros are forced before a header makes them part of the log.
            file.datasync()
            write_all(file, 0, [header])
            file.datasync()
            disk.sync_dir(FOLDERS[copy])
        except OSError:
            file.close()
            with contextlib.suppress(OSError):
                disk.unlink(path)
            raise
        self._table.adopt(copy, slot, file)

    def _complete_file(self, copy: int, slot: int, extent: int) -> None:
        """Fill what a file lacks at its end from the other copy of the log, or with zeros."""
        table = self._table
        file = table.file(copy, slot)
        if file is None:
            file = table.disk.create(extent_path(copy, slot))
            table.adopt(copy, slot, file)
        whole = BLOCK_BYTES + self._extent_bytes
        have = max(BLOCK_BYTES, file.size())
        write_zeros(file, have, whole - have)
        if self._copies > 1:
            offset = have
            while offset < whole:
                lsn = extent * self._extent_bytes + offset - BLOCK_BYTES
                data = table.read(1 - copy, lsn, min(1 << 20, whole - offset))
                if not data:
                    break
                write_all(file, offset, [data])
                offset += len(data)
        file.truncate(whole)
        file.datasync()
