"""A disk in memory that remembers every operation, so that the disk after a crash at any of them
can be made.

`SimDisk` is the disk port. Its `history` is the list of operations and of marks that the workload
leaves between them. `Wreck` walks a history and keeps, at each place, what is durable (contents
after `datasync`, names after `sync_dir`) and what is pending; `Wreck.disk(fate)` is the disk after
a power loss there, where `fate` says for each pending write and name what became of it. A process
that is only killed leaves `SimDisk.survivor`: all writes are there, but what was pending still is.
"""

import errno
import random
from collections.abc import Callable

from ternmq.ports.disk import Disk, DiskFile, DiskLock, DiskLocked, check_path, parent_dir

SECTOR_BYTES = 512

# What an operation does: ("write", key, offset, data), ("truncate", key, length), ("sync", key),
# and for names ("name", path, key) or ("unname", path), ("rename", source, target, key),
# ("make_dir", path), ("remove_dir", path), ("sync_dir", path); ("mark", anything).
Operation = tuple[object, ...]
# Fate of one pending write: the pieces of it that got to the disk, as (offset in the write, bytes).
Fate = Callable[[bytes], list[tuple[int, bytes]]]


class Crash(Exception):
    """The machine stopped. Not an OSError: nothing may catch it."""


class SimFile(DiskFile):
    """An open file; every opening of one file shares its content."""

    def __init__(self, disk: "SimDisk", path: str, key: int) -> None:
        super().__init__(path)
        self.disk = disk
        self.key = key

    def pread(self, offset: int, length: int) -> bytes:
        self.disk.call("pread", self.path)
        return bytes(self.disk.contents[self.key][offset : offset + length])

    def pwritev(self, offset: int, parts: list[bytes]) -> int:
        data = b"".join(parts)
        self.disk.call("pwritev", self.path)
        data = data[: self.disk.room_for(self.key, offset, data)]
        self.disk.apply(("write", self.key, offset, data))
        return len(data)

    def datasync(self) -> None:
        self.disk.call("datasync", self.path)
        self.disk.apply(("sync", self.key))

    def truncate(self, length: int) -> None:
        self.disk.call("truncate", self.path)
        self.disk.apply(("truncate", self.key, length))

    def size(self) -> int:
        return len(self.disk.contents[self.key])

    def close(self) -> None:
        return


class SimLock(DiskLock):
    """A name in the disk's set of locks."""

    def __init__(self, disk: "SimDisk", path: str) -> None:
        self.disk = disk
        self.path = path

    def release(self) -> None:
        self.disk.locks.discard(self.path)


class SimDisk(Disk):
    """The disk port. `faults(call, path, count)` may raise; `capacity` in bytes, 0 for no limit."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.contents: dict[int, bytes | bytearray] = {}
        self.folders: set[str] = {""}
        self.locks: set[str] = set()
        self.history: list[Operation] = []
        self.calls = 0  # that change something or read
        self.stop_at = 0  # the machine stops at this call
        self.stopped = False
        self.faults: Callable[[str, str, int], None] | None = None
        self.capacity = 0
        self.trace: list[str] = []

    # ---- the port -------------------------------------------------------------------------------

    def open(self, path: str) -> DiskFile:
        self.call("open", path)
        return SimFile(self, path, self._key(path))

    def create(self, path: str) -> DiskFile:
        self.call("create", path)
        self._need_folder(path)
        key = self.names.get(path)
        if key is None:
            key = len(self.contents) + 1
            self.contents[key] = b""
            self.apply(("name", path, key))
        elif self.contents[key]:
            self.apply(("truncate", key, 0))
        return SimFile(self, path, key)

    def exists(self, path: str) -> bool:
        check_path(path)
        return path in self.names or path in self.folders

    def list(self, path: str) -> list[str]:
        self.call("list", path)
        start = f"{path}/" if path else ""
        found = [name for name in [*self.names, *self.folders] if name.startswith(start)]
        return sorted(
            name[len(start) :] for name in found if name and "/" not in name[len(start) :]
        )

    def size(self, path: str) -> int:
        return len(self.contents[self._key(path)])

    def rename(self, source: str, target: str) -> None:
        self.call("rename", target)
        self.apply(("rename", source, target, self._key(source)))

    def unlink(self, path: str) -> None:
        self.call("unlink", path)
        self._key(path)
        self.apply(("unname", path))

    def make_dir(self, path: str) -> None:
        made = ""
        for name in check_path(path).split("/"):
            made = f"{made}/{name}" if made else name
            if made not in self.folders:
                self.call("make_dir", made)
                self.apply(("make_dir", made))

    def remove_dir(self, path: str) -> None:
        self.call("remove_dir", path)
        if self.list(path):
            raise OSError(errno.ENOTEMPTY, "not empty", path)
        self.apply(("remove_dir", path))

    def sync_dir(self, path: str) -> None:
        self.call("sync_dir", path)
        if path not in self.folders:
            raise FileNotFoundError(errno.ENOENT, "no such folder", path)
        self.apply(("sync_dir", path))

    def free_bytes(self) -> int:
        return max(0, self.capacity - self.used()) if self.capacity else 1 << 40

    def lock(self, path: str) -> DiskLock:
        if path in self.locks:
            raise DiskLocked(path, "this process")
        if path not in self.names:
            self.create(path)
        self.locks.add(path)
        return SimLock(self, path)

    # ---- what stands behind it ------------------------------------------------------------------

    def call(self, call: str, path: str) -> None:
        """Every call passes here first, and may fail or be the last one."""
        if self.stopped:
            raise Crash
        self.calls += 1
        if self.calls == self.stop_at:
            self.stopped = True
            raise Crash
        if self.faults is not None:
            self.faults(call, path, self.calls)

    def room_for(self, key: int, offset: int, data: bytes) -> int:
        """How many of these bytes fit on the disk."""
        if self.capacity:
            more = offset + len(data) - len(self.contents[key])
            lacking = more - (self.capacity - self.used())
            if more > 0 and lacking > 0:
                if lacking >= len(data):
                    raise OSError(errno.ENOSPC, "no space left on the disk")
                return len(data) - lacking
        return len(data)

    def used(self) -> int:
        return sum(len(self.contents[key]) for key in set(self.names.values()))

    def mark(self, what: object) -> None:
        """Leave a mark in the history."""
        self.history.append(("mark", what))

    def apply(self, operation: Operation) -> None:
        """Do it now and remember it."""
        self.history.append(operation)
        kind = operation[0]
        if kind in ("write", "truncate"):
            key = operation[1]
            assert isinstance(key, int)
            self.contents[key] = change(self.contents[key], operation)
        else:
            change_names(self.names, self.folders, operation)

    def survivor(self) -> "SimDisk":
        """The disk as another process finds it after this one was killed. Its history begins
        with all that happened, so that what was pending still is."""
        after = SimDisk()
        after.names = dict(self.names)
        after.contents = {key: bytes(content) for key, content in self.contents.items()}
        after.folders = set(self.folders)
        after.history = list(self.history)
        return after

    def _key(self, path: str) -> int:
        key = self.names.get(check_path(path))
        if key is None:
            raise FileNotFoundError(errno.ENOENT, "no such file", path)
        return key

    def _need_folder(self, path: str) -> None:
        if parent_dir(check_path(path)) not in self.folders:
            raise FileNotFoundError(errno.ENOENT, "no such folder", path)


def change(content: bytes | bytearray, operation: Operation) -> bytes | bytearray:
    """The content after a write or truncate; bytes are shared between disks, a bytearray
    belongs to one."""
    if not isinstance(content, bytearray):
        content = bytearray(content)
    if operation[0] == "truncate":
        length = operation[2]
        assert isinstance(length, int)
        if length < len(content):
            del content[length:]
        else:
            content.extend(bytes(length - len(content)))
        return content
    offset, data = operation[2], operation[3]
    assert isinstance(offset, int)
    assert isinstance(data, bytes)
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data
    return content


def change_names(names: dict[str, int], folders: set[str], operation: Operation) -> None:
    """The effect of an operation on names, as far as their folders are there."""
    kind, path = operation[0], str(operation[1])
    if kind == "name":
        key = operation[2]
        assert isinstance(key, int)
        names[path] = key
    elif kind == "unname":
        names.pop(path, None)
    elif kind == "rename":
        key = operation[3]
        assert isinstance(key, int)
        names.pop(path, None)
        names[str(operation[2])] = key
    elif kind == "make_dir":
        folders.add(path)
    elif kind == "remove_dir":
        folders.discard(path)


# ---- after a power loss -------------------------------------------------------------------------


def kept(data: bytes) -> list[tuple[int, bytes]]:
    return [(0, data)]


def dropped(data: bytes) -> list[tuple[int, bytes]]:
    return []


def first_half(data: bytes) -> list[tuple[int, bytes]]:
    """Torn: the front got there."""
    cut = len(data) // 2 // SECTOR_BYTES * SECTOR_BYTES
    return [(0, data[:cut])]


def second_half(data: bytes) -> list[tuple[int, bytes]]:
    """Torn: the back got there first."""
    cut = len(data) // 2 // SECTOR_BYTES * SECTOR_BYTES
    return [(cut, data[cut:])]


def all_but_last_sector(data: bytes) -> list[tuple[int, bytes]]:
    cut = (len(data) - 1) // SECTOR_BYTES * SECTOR_BYTES
    return [(0, data[:cut])]


def zeroed(data: bytes) -> list[tuple[int, bytes]]:
    return [(0, bytes(len(data)))]


def at_random(chance: random.Random) -> Fate:
    """Each write has a fate of its own."""

    def fate(data: bytes) -> list[tuple[int, bytes]]:
        kind = chance.randrange(6)
        if kind == 0:
            return kept(data)
        if kind == 1:
            return dropped(data)
        if kind == 2:
            return zeroed(data)
        if kind == 3:
            return [(0, chance.randbytes(len(data)))]
        starts = range(0, len(data), SECTOR_BYTES)
        return [(at, data[at : at + SECTOR_BYTES]) for at in starts if chance.random() < 0.6]

    return fate


class Wreck:
    """What is durable and what is pending at one place of a history; `advance` goes on."""

    def __init__(self, history: list[Operation]) -> None:
        self.history = history
        self.at = 0
        self.durable: dict[int, bytes] = {}
        self.pending: dict[int, list[Operation]] = {}
        self.names: dict[str, int] = {}
        self.folders: set[str] = {""}
        self.pending_names: list[Operation] = []

    def advance(self, place: int) -> None:
        """Go on to the place before this operation."""
        for operation in self.history[self.at : place]:
            self._take(operation)
        self.at = place

    def _take(self, operation: Operation) -> None:
        kind = operation[0]
        if kind in ("write", "truncate"):
            key = operation[1]
            assert isinstance(key, int)
            self.pending.setdefault(key, []).append(operation)
        elif kind == "sync":
            key = operation[1]
            assert isinstance(key, int)
            content: bytes | bytearray = self.durable.get(key, b"")
            for write in self.pending.pop(key, []):
                content = change(content, write)
            self.durable[key] = bytes(content)
        elif kind == "sync_dir":
            left = []
            for one in self.pending_names:
                if operation[1] in _folders_of(one):
                    change_names(self.names, self.folders, one)
                else:
                    left.append(one)
            self.pending_names = left
        elif kind != "mark":
            self.pending_names.append(operation)

    @property
    def is_settled(self) -> bool:
        """Nothing is pending: there is one outcome only."""
        return not self.pending and not self.pending_names

    def disk(self, fate: Fate, keeps_name: Callable[[], bool]) -> SimDisk:
        """The disk after a power loss here."""
        after = SimDisk()
        names, folders = dict(self.names), set(self.folders)
        for operation in self.pending_names:
            if keeps_name():
                change_names(names, folders, operation)
        after.folders = {path for path in folders if _is_reachable(path, folders)}
        keys: dict[int, int] = {}
        for path, key in names.items():
            if parent_dir(path) in after.folders:
                keys.setdefault(key, len(keys) + 1)
                after.names[path] = keys[key]
        for key, new in keys.items():
            content: bytes | bytearray = self.durable.get(key, b"")
            for write in self.pending.get(key, []):
                content = _survive(content, write, fate)
            after.contents[new] = bytes(content)
        after.history = settled(after)
        return after


def settled(disk: SimDisk) -> list[Operation]:
    """A history that makes everything on a disk durable."""
    history: list[Operation] = [("make_dir", path) for path in sorted(disk.folders) if path]
    for path, key in disk.names.items():
        history.append(("name", path, key))
    for key, content in disk.contents.items():
        history += [("write", key, 0, bytes(content)), ("sync", key)]
    history += [("sync_dir", path) for path in sorted(disk.folders)]
    return history


def _survive(content: bytes | bytearray, write: Operation, fate: Fate) -> bytes | bytearray:
    if write[0] == "truncate":
        return change(content, write) if fate(b"?") else content
    offset, data = write[2], write[3]
    assert isinstance(offset, int)
    assert isinstance(data, bytes)
    for at, piece in fate(data):
        if piece:
            content = change(content, ("write", write[1], offset + at, piece))
    return content


def _folders_of(operation: Operation) -> list[str]:
    """The folders whose forcing makes an operation durable."""
    if operation[0] == "rename":
        return [parent_dir(str(operation[1])), parent_dir(str(operation[2]))]
    return [parent_dir(str(operation[1]))]


def _is_reachable(path: str, folders: set[str]) -> bool:
    while path:
        if path not in folders:
            return False
        path = parent_dir(path)
    return True
