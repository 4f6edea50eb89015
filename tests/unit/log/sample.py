"""A small log to test with: writes batches, checkpoints, restarts, and copies disks."""

from ternmq.log.control import load_control
from ternmq.log.files import LogFiles
from ternmq.log.opened import OpenedLog, create_log, open_log
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.log.reader import LogReader
from ternmq.log.record import LogRecord, record_space
from ternmq.log.space import LogSpace
from ternmq.log.writer import LogWriter
from ternmq.ports.disk import Disk, parent_dir, write_all
from ternmq.ports.memory_disk import MemoryDisk

IDENTITY = bytes(range(16))
PUT = 1

Pairs = list[tuple[int, bytes]]


def parameters(
    kind: int = CIRCULAR,
    primary: int = 3,
    secondary: int = 2,
    pages: int = 4,
    dual: bool = False,
) -> LogParameters:
    return LogParameters(kind, primary, secondary, pages, dual)


class SampleLog:
    """A log that is open for writing, and what was written to it."""

    def __init__(self, disk: Disk, made: LogParameters | None = None) -> None:
        self.disk = disk
        self.written: Pairs = []
        if made is not None:
            create_log(disk, made, IDENTITY)
        self.opened: OpenedLog
        self.writer: LogWriter
        self.files: LogFiles
        self.space: LogSpace
        self.restart()

    def restart(self) -> Pairs:
        """Open, read all from the redo LSN, resume; give what was read."""
        self.opened = open_log(self.disk)
        start = self.opened.control.redo_lsn
        found = [pair(record) for record in self.opened.reader.records(start)]
        end = self.opened.reader.end_lsn
        self.writer, self.files, self.space = self.opened.resume(end)
        return found

    def append(self, payload: bytes) -> int:
        if not self.space.fits(record_space(len(payload)), 0):
            self.prepare()
        assert self.space.fits(record_space(len(payload)), 0)
        lsn = self.writer.append(PUT, 7, 0, [payload[:5], payload[5:]])
        self.written.append((lsn, payload))
        return lsn

    def force(self) -> None:
        batch = self.writer.take()
        if batch is not None:
            self.files.write(batch)
            self.writer.forced(batch)
        self.prepare()

    def prepare(self) -> None:
        while (extent := self.space.wants_extent(self.writer.end_lsn)) is not None:
            self.files.prepare(extent)
            self.space.extent_ready(extent)

    def batch(self, *payloads: bytes) -> None:
        for payload in payloads:
            self.append(payload)
        self.force()

    def save(self, *, clean: bool = False) -> None:
        """Prove what is forced."""
        self.opened.control.note_forced(self.writer)
        self.opened.control.is_clean_stop = clean
        self.opened.control.save(self.disk)

    def checkpoint(self, redo_lsn: int = 0) -> None:
        """A checkpoint record, forced, with restart beginning at it or at `redo_lsn`."""
        lsn = self.append(b"checkpoint")
        self.force()
        control = self.opened.control
        control.note_forced(self.writer)
        first = control.note_checkpoint(lsn, redo_lsn or lsn)
        control.save(self.disk)
        self.files.release_before(first)
        self.space.released_before(first)
        self.prepare()

    def since(self, lsn: int) -> Pairs:
        return [entry for entry in self.written if entry[0] >= lsn]


def pair(record: LogRecord) -> tuple[int, bytes]:
    return record.lsn, record.payload


def read_pairs(disk: Disk) -> Pairs:
    """All records from the redo LSN on, without changing anything."""
    control = load_control(disk)
    return [pair(record) for record in LogReader(disk, control).records(control.redo_lsn)]


def all_files(disk: Disk, folder: str = "") -> list[str]:
    paths: list[str] = []
    for name in disk.list(folder):
        path = f"{folder}/{name}" if folder else name
        below = all_files(disk, path) if "." not in name and name != "tail" else []
        paths += below or [path]
    return paths


def load(disk: Disk, path: str) -> bytes:
    file = disk.open(path)
    try:
        return file.pread(0, file.size())
    finally:
        file.close()


def store(disk: Disk, path: str, data: bytes) -> None:
    """Replace the content of a file."""
    disk.make_dir(parent_dir(path))
    file = disk.create(path)
    write_all(file, 0, [data])
    file.close()


def patch(disk: Disk, path: str, offset: int, data: bytes) -> None:
    file = disk.open(path)
    write_all(file, offset, [data])
    file.close()


def copy_disk(disk: Disk) -> MemoryDisk:
    """A disk with the same files."""
    copy = MemoryDisk()
    for path in all_files(disk):
        store(copy, path, load(disk, path))
    return copy
