"""The disk port in memory: the disk of a queue manager that keeps nothing, and of quick tests.

Nothing here is ever lost or torn; crashes are the simulator's business. A file that was unlinked or
replaced lives on for those who have it open, as on a real disk.
"""

from __future__ import annotations

import errno
from typing import Final, final

from ternmq.ports.disk import (
    Disk,
    DiskFile,
    DiskLock,
    DiskLocked,
    Names,
    check_path,
    parent_dir,
)

CAPACITY_BYTES: Final = 1 << 40


@final
class MemoryFile(DiskFile):
    """A bytearray behind the file interface; every opening of one file shares it."""

    def __init__(self, path: str, content: bytearray) -> None:
        super().__init__(path)
        self._content = content
        self._is_open = True

    def pread(self, offset: int, length: int) -> bytes:
        self._check_open()
        return bytes(self._content[offset : offset + length])

    def pwritev(self, offset: int, parts: list[bytes]) -> int:
        self._check_open()
        content = self._content
        start = offset
        if len(content) < offset:
            content.extend(bytes(offset - len(content)))
        for part in parts:
            end = offset + len(part)
            content[offset:end] = part
            offset = end
        return offset - start

    def datasync(self) -> None:
        self._check_open()

    def truncate(self, length: int) -> None:
        self._check_open()
        if length < len(self._content):
            del self._content[length:]
        else:
            self._content.extend(bytes(length - len(self._content)))

    def size(self) -> int:
        self._check_open()
        return len(self._content)

    def close(self) -> None:
        self._is_open = False

    def _check_open(self) -> None:
        if not self._is_open:
            raise OSError(errno.EBADF, "file is closed", self.path)


@final
class MemoryLock(DiskLock):
    """A name in the disk's set of locks."""

    def __init__(self, held: set[str], path: str) -> None:
        self._held = held
        self._path = path

    def release(self) -> None:
        self._held.discard(self._path)


class MemoryDisk(Disk):
    """Files by path, and for each folder the names in it."""

    def __init__(self) -> None:
        self._files: dict[str, bytearray] = {}
        self._folders: dict[str, set[str]] = {"": set()}
        self._locks: set[str] = set()

    def open(self, path: str) -> DiskFile:
        return MemoryFile(path, self._content(path))

    def create(self, path: str) -> DiskFile:
        content = self._files.get(path)
        if content is None:
            if path in self._folders:
                raise IsADirectoryError(errno.EISDIR, "is a folder", path)
            content = bytearray()
            self._enter(path)
            self._files[path] = content
        else:
            content.clear()
        return MemoryFile(path, content)

    def exists(self, path: str) -> bool:
        check_path(path)
        return path in self._files or path in self._folders

    def list(self, path: str) -> Names:
        if check_path(path) in self._files:
            raise NotADirectoryError(errno.ENOTDIR, "is not a folder", path)
        return sorted(self._folders.get(path, ()))

    def size(self, path: str) -> int:
        return len(self._content(path))

    def rename(self, source: str, target: str) -> None:
        if check_path(source) in self._folders:
            self._rename_folder(source, target)
            return
        content = self._content(source)
        if target in self._folders:
            raise IsADirectoryError(errno.EISDIR, "is a folder", target)
        self._enter(target)
        self._leave(source)
        del self._files[source]
        self._files[target] = content

    def unlink(self, path: str) -> None:
        self._content(path)
        self._leave(path)
        del self._files[path]

    def make_dir(self, path: str) -> None:
        made = ""
        for name in check_path(path).split("/") if path else []:
            made = f"{made}/{name}" if made else name
            if made in self._files:
                raise FileExistsError(errno.EEXIST, "is a file", made)
            if made not in self._folders:
                self._enter(made)
                self._folders[made] = set()

    def remove_dir(self, path: str) -> None:
        names = self._folders.get(check_path(path))
        if names is None:
            raise FileNotFoundError(errno.ENOENT, "no such folder", path)
        if names:
            raise OSError(errno.ENOTEMPTY, "folder is not empty", path)
        self._leave(path)
        del self._folders[path]

    def sync_dir(self, path: str) -> None:
        if check_path(path) not in self._folders:
            raise FileNotFoundError(errno.ENOENT, "no such folder", path)

    def free_bytes(self) -> int:
        return CAPACITY_BYTES - sum(len(content) for content in self._files.values())

    def lock(self, path: str) -> DiskLock:
        if path in self._locks:
            raise DiskLocked(path, "this process")
        if path not in self._files:
            self.create(path)
        self._locks.add(path)
        return MemoryLock(self._locks, path)

    def _content(self, path: str) -> bytearray:
        content = self._files.get(path)
        if content is None:
            check_path(path)
            raise FileNotFoundError(errno.ENOENT, "no such file", path)
        return content

    def _enter(self, path: str) -> None:
        """Put a name into its folder."""
        names = self._folders.get(parent_dir(check_path(path)))
        if names is None:
            raise FileNotFoundError(errno.ENOENT, "no such folder", path)
        names.add(path.rpartition("/")[2])

    def _leave(self, path: str) -> None:
        self._folders[parent_dir(path)].discard(path.rpartition("/")[2])

    def _rename_folder(self, source: str, target: str) -> None:
        if self.exists(target):
            raise OSError(errno.ENOTEMPTY, "target is there", target)
        self._enter(target)
        self._leave(source)
        start = f"{source}/"
        for path in [name for name in self._files if name.startswith(start)]:
            self._files[f"{target}/{path[len(start) :]}"] = self._files.pop(path)
        for path in [name for name in self._folders if f"{name}/".startswith(start)]:
            self._folders[f"{target}{path[len(source) :]}"] = self._folders.pop(path)
