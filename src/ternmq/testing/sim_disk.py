"""A disk in memory that remembers every operation, so that the disk after a crash at any of them
can be made.

`SimDisk` is the disk port. What a process wrote is in `contents` and `names` at once, as in a
system's page cache; what is *durable* (contents after `datasync`, names after `sync_dir`) follows
from `base` and `history`, and `wreck.Wreck` knows it for each place of the history. Calls can fail,
be short, find the disk full, or be the last one: see `disk_faults`, `capacity` and `stop_at`.
"""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Callable
from typing import Final

from ternmq.ports.disk import Disk, DiskFile, DiskLock, DiskLocked, Names, check_path, parent_dir
from ternmq.testing.operations import (
    Content,
    MakeFolder,
    Mark,
    Name,
    Naming,
    Operation,
    RemoveFolder,
    Rename,
    RenameFolder,
    Sync,
    SyncFailed,
    SyncFolder,
    Truncate,
    Unname,
    Write,
    changed,
)

SECTOR_BYTES: Final = 512
UNLIMITED_BYTES: Final = 1 << 40

# Sees every call before it is done: its name, the path and its number. May raise; a number that it
# gives back is how many bytes a write takes.
Faults = Callable[[str, str, int], int | None]


class Crash(Exception):
    """The machine stopped. Not an OSError: nothing below the test catches it."""


class Image:
    """What is on a disk: contents by key, keys by path, folders. Shared, never changed."""

    def __init__(
        self, names: dict[str, int], contents: dict[int, bytes], folders: set[str]
    ) -> None:
        self.names = names
        self.contents = contents
        self.folders = folders


EMPTY: Final = Image({}, {}, {""})


class SimFile(DiskFile):
    """An open file; every opening of one file shares its content."""

    def __init__(self, disk: SimDisk, path: str, key: int) -> None:
        super().__init__(path)
        self.disk = disk
        self.key = key
        self.is_open = True

    def pread(self, offset: int, length: int) -> bytes:
        self._call("pread")
        return bytes(self.disk.contents[self.key][offset : offset + length])

    def pwritev(self, offset: int, parts: list[bytes]) -> int:
        most = self._call("pwritev")
        data = b"".join(parts)
        if most is not None:
            data = data[:most]
        disk = self.disk
        if disk.capacity:
            data = data[: disk.room_for(self.key, offset, data)]
        disk.change(Write(self.key, offset, data))
        return len(data)

    def datasync(self) -> None:
        try:
            self._call("datasync")
        except OSError:
            if self.disk.forgets:
                self.disk.history.append(SyncFailed(self.key))
            raise
        self.disk.history.append(Sync(self.key))

    def truncate(self, length: int) -> None:
        self._call("truncate")
        self.disk.change(Truncate(self.key, length))

    def size(self) -> int:
        self._check_open()
        return len(self.disk.contents[self.key])

    def close(self) -> None:
        self.is_open = False

    def _call(self, call: str) -> int | None:
        self._check_open()
        return self.disk.call(call, self.path)

    def _check_open(self) -> None:
        if not self.is_open:
            raise OSError(errno.EBADF, "file is closed", self.path)


class SimLock(DiskLock):
    """A name in the disk's set of locks."""

    def __init__(self, disk: SimDisk, path: str) -> None:
        self.disk = disk
        self.path = path

    def release(self) -> None:
        self.disk.locks.discard(self.path)


class SimDisk(Disk):
    """The disk port. Begins with an image, all of which is durable."""

    def __init__(self, image: Image = EMPTY) -> None:
        self.base = image
        self.names = dict(image.names)
        self.contents: dict[int, Content] = dict(image.contents)
        self.folders = set(image.folders)
        self.locks: set[str] = set()
        self.history: list[Operation] = []
        self.calls = 0
        self.stop_at = 0  # the machine stops at the call with this number
        self.stopped = False
        self.faults: Faults | None = None
        self.forgets = False  # a force that failed has lost what it should have written
        self.capacity = 0  # in bytes of content; 0: no limit
        self.lives = 0  # how many queue managers were started here, one after the other
        self._next_key = 1 + max(self.contents, default=0)

    # ---- the port

    def open(self, path: str) -> DiskFile:
        self.call("open", path)
        return SimFile(self, path, self._key(path))

    def create(self, path: str) -> DiskFile:
        self.call("create", path)
        if parent_dir(check_path(path)) not in self.folders:
            raise FileNotFoundError(errno.ENOENT, "no such folder", path)
        if path in self.folders:
            raise IsADirectoryError(errno.EISDIR, "is a folder", path)
        key = self.names.get(path)
        if key is None:
            key = self._next_key
            self._next_key += 1
            self.contents[key] = b""
            self.rename_things(Name(path, key))
        elif self.contents[key]:
            self.change(Truncate(key, 0))
        return SimFile(self, path, key)

    def exists(self, path: str) -> bool:
        check_path(path)
        return path in self.names or path in self.folders

    def list(self, path: str) -> Names:
        self.call("list", path)
        if check_path(path) in self.names:
            raise NotADirectoryError(errno.ENOTDIR, "is not a folder", path)
        start = f"{path}/" if path else ""
        length = len(start)
        found = [name[length:] for name in self.names if name.startswith(start)]
        found += [name[length:] for name in self.folders if name.startswith(start)]
        return sorted(name for name in found if name and "/" not in name)

    def size(self, path: str) -> int:
        return len(self.contents[self._key(path)])

    def rename(self, source: str, target: str) -> None:
        self.call("rename", target)
        if check_path(source) in self.folders:
            self._rename_folder(source, target)
            return
        key = self._key(source)
        if target in self.folders:
            raise IsADirectoryError(errno.EISDIR, "is a folder", target)
        self._need_folder(target)
        self.rename_things(Rename(source, target, key))

    def unlink(self, path: str) -> None:
        self.call("unlink", path)
        self._key(path)
        self.rename_things(Unname(path))

    def make_dir(self, path: str) -> None:
        made = ""
        for name in check_path(path).split("/") if path else []:
            made = f"{made}/{name}" if made else name
            if made in self.names:
                raise FileExistsError(errno.EEXIST, "is a file", made)
            if made not in self.folders:
                self.call("make_dir", made)
                self.rename_things(MakeFolder(made))

    def remove_dir(self, path: str) -> None:
        self.call("remove_dir", path)
        if check_path(path) not in self.folders:
            raise FileNotFoundError(errno.ENOENT, "no such folder", path)
        if self.list(path):
            raise OSError(errno.ENOTEMPTY, "folder is not empty", path)
        self.rename_things(RemoveFolder(path))

    def sync_dir(self, path: str) -> None:
        self.call("sync_dir", path)
        if path not in self.folders:
            raise FileNotFoundError(errno.ENOENT, "no such folder", path)
        self.history.append(SyncFolder(path))

    def free_bytes(self) -> int:
        return max(0, self.capacity - self.used()) if self.capacity else UNLIMITED_BYTES

    def allocate(self, path: str, length: int) -> int:
        self.call("allocate", path)
        key = self.names.get(path)
        if key is None:
            key = self._next_key
            self._next_key += 1
            self.contents[key] = b""
            self.rename_things(Name(path, key))
        size = len(self.contents[key])
        if self.capacity:
            length = min(length, max(size, size + self.capacity - self.used()))
        if length != size:
            self.change(Truncate(key, length))
        return length

    def lock(self, path: str) -> DiskLock:
        if path in self.locks:
            raise DiskLocked(path, "this process")
        if path not in self.names:
            self.create(path)
        self.locks.add(path)
        return SimLock(self, path)

    # ---- what stands behind it

    def call(self, call: str, path: str) -> int | None:
        """Every call passes here first, and may fail, be short, or be the last one."""
        if self.stopped:
            raise Crash
        self.calls += 1
        if self.calls == self.stop_at:
            self.stopped = True
            raise Crash
        if self.faults is not None:
            return self.faults(call, path, self.calls)
        return None

    def change(self, operation: Write | Truncate) -> None:
        """Change a content and remember it."""
        self.history.append(operation)
        self.contents[operation.key] = changed(self.contents[operation.key], operation)

    def rename_things(self, operation: Naming) -> None:
        """Change names and remember it."""
        self.history.append(operation)
        operation.change(self.names, self.folders)

    def mark(self, what: object) -> None:
        """Leave a mark in the history."""
        self.history.append(Mark(what))

    def used(self) -> int:
        """How many bytes the files that have a name hold."""
        return sum(len(self.contents[key]) for key in set(self.names.values()))

    def room_for(self, key: int, offset: int, data: bytes) -> int:
        """How many of these bytes fit on the disk."""
        more = offset + len(data) - len(self.contents[key])
        lacking = more - (self.capacity - self.used())
        if more > 0 and lacking > 0:
            if lacking >= len(data):
                raise OSError(errno.ENOSPC, "no space left on the disk")
            return len(data) - lacking
        return len(data)

    def image(self) -> Image:
        """Everything that was written, as if all of it were durable."""
        contents = {key: bytes(content) for key, content in self.contents.items()}
        return Image(dict(self.names), contents, set(self.folders))

    def survivor(self) -> SimDisk:
        """The disk as another process finds it after this one was killed: everything written is
        there, and what was not forced still is not."""
        after = SimDisk(self.image())
        after.base = self.base
        after.history = list(self.history)
        after._next_key = self._next_key
        after.lives = self.lives
        return after

    def settled(self) -> SimDisk:
        """The same, but with everything durable."""
        after = SimDisk(self.image())
        after.lives = self.lives
        return after

    def spoil(self, path: str, how: Callable[[bytes], bytes]) -> None:
        """Damage a file: the disk has other bytes than were written to it. Before and after a
        crash alike, so it is done to what is durable, too."""
        key = self._key(path)
        before = bytes(self.contents[key])
        after = how(before)
        self.contents[key] = after
        self.history += [Truncate(key, 0), Write(key, 0, after), Sync(key)]

    def digest(self) -> str:
        """A hash over everything that happened to this disk."""
        seen = hashlib.sha256()
        for operation in self.history:
            if not isinstance(operation, Mark):
                fields = [getattr(operation, name) for name in _fields(type(operation))]
                seen.update(repr((type(operation).__name__, fields)).encode())
        return seen.hexdigest()

    def _key(self, path: str) -> int:
        key = self.names.get(path)
        if key is None:
            check_path(path)
            raise FileNotFoundError(errno.ENOENT, "no such file", path)
        return key

    def _need_folder(self, path: str) -> None:
        if parent_dir(check_path(path)) not in self.folders:
            raise FileNotFoundError(errno.ENOENT, "no such folder", path)

    def _rename_folder(self, source: str, target: str) -> None:
        if target in self.folders and self.list(target):
            raise OSError(errno.ENOTEMPTY, "folder is not empty", target)
        if target in self.names:
            raise NotADirectoryError(errno.ENOTDIR, "is not a folder", target)
        self._need_folder(target)
        self.rename_things(RenameFolder(source, target))


def _fields(kind: type[Operation]) -> list[str]:
    """The fields of an operation, those of what it derives from included."""
    return sorted(
        name for one in kind.__mro__ for name in getattr(one, "__slots__", ()) if name != "what"
    )
