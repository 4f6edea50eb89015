"""A folder seen without touching it: reads go to the files, writes go to memory.

What restarts a queue manager can so be run on its folder as a rehearsal: control files, log and
journals are "changed" in here alone. Files are opened for reading only, so a folder that may not be
written will do.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import Final, final

from ternmq.ports.disk import Disk, DiskFile, DiskLock, Names, check_path, parent_dir

_READ: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FREE_BYTES: Final = 1 << 40


@final
class Node:
    """One file, whatever its name is by now; `content` once it was written."""

    def __init__(self, content: bytearray | None) -> None:
        self.content = content


@final
class OverlayFile(DiskFile):
    """An open file: a descriptor on the real one, until the first write."""

    def __init__(self, path: str, node: Node, descriptor: int) -> None:
        super().__init__(path)
        self._node = node
        self._descriptor = descriptor

    def pread(self, offset: int, length: int) -> bytes:
        content = self._node.content
        if content is not None:
            return bytes(content[offset : offset + length])
        parts: list[bytes] = []
        while length > 0:
            data = os.pread(self._descriptor, length, offset)
            if not data:
                break
            parts.append(data)
            offset += len(data)
            length -= len(data)
        return b"".join(parts)

    def pwritev(self, offset: int, parts: list[bytes]) -> int:
        content = self._written()
        data = b"".join(parts)
        if len(content) < offset:
            content.extend(bytes(offset - len(content)))
        content[offset : offset + len(data)] = data
        return len(data)

    def datasync(self) -> None:
        return

    def truncate(self, length: int) -> None:
        content = self._written()
        del content[length:]
        content.extend(bytes(length - len(content)))

    def size(self) -> int:
        content = self._node.content
        return os.fstat(self._descriptor).st_size if content is None else len(content)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _written(self) -> bytearray:
        content = self._node.content
        if content is None:
            content = bytearray(self.pread(0, self.size()))
            self._node.content = content
        return content


@final
class NoLock(DiskLock):
    """No other process can have what only this one sees."""

    def release(self) -> None:
        return


@final
class Overlay(Disk):
    """The folder at `root`. `moved`: folders that are to be read under the name of another."""

    def __init__(self, root: str, moved: dict[str, str] | None = None) -> None:
        self._root = os.open(root, _FOLDER)
        self._moved = moved or {}
        self._nodes: dict[str, Node] = {}  # files that were opened or made here
        self._gone: set[str] = set()  # names of the folder that were removed
        self._made: set[str] = set()  # folders that were made here

    def close(self) -> None:
        """Let go of the folder; open files stay open."""
        if self._root >= 0:
            root = self._root
            self._root = -1
            os.close(root)

    def is_changed(self, path: str) -> bool:
        """Whether a file is no longer as in the folder."""
        node = self._nodes.get(path)
        return path in self._gone or (node is not None and node.content is not None)

    def open(self, path: str) -> DiskFile:
        node = self._nodes.get(check_path(path))
        if node is not None and node.content is not None:
            return OverlayFile(path, node, -1)
        if path in self._gone:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        descriptor = os.open(self._real(path), _READ, dir_fd=self._root)
        if node is None:
            node = Node(None)
            self._nodes[path] = node
        return OverlayFile(path, node, descriptor)

    def create(self, path: str) -> DiskFile:
        node = Node(bytearray())
        self._nodes[check_path(path)] = node
        self._gone.discard(path)
        return OverlayFile(path, node, -1)

    def exists(self, path: str) -> bool:
        if not check_path(path) or path in self._made:
            return True
        node = self._nodes.get(path)
        if node is not None and node.content is not None:
            return True
        return path not in self._gone and self._stat(path) is not None

    def is_folder(self, path: str) -> bool:
        """Whether a name is that of a folder."""
        if path in self._made:
            return True
        found = None if path in self._gone else self._stat(path)
        return found is not None and stat.S_ISDIR(found.st_mode)

    def list(self, path: str) -> Names:
        names: set[str] = set()
        try:
            folder = os.open(self._real(path) or ".", _FOLDER, dir_fd=self._root)
        except FileNotFoundError:
            pass
        else:
            try:
                names.update(os.listdir(folder))
            finally:
                os.close(folder)
        stem = f"{path}/" if path else ""
        names -= {one[len(stem) :] for one in self._gone if one.startswith(stem)}
        for one in [*self._nodes, *self._made]:
            if parent_dir(one) == path and self.exists(one):
                names.add(one.rpartition("/")[2])
        return sorted(names)

    def size(self, path: str) -> int:
        file = self.open(path)
        try:
            return file.size()
        finally:
            file.close()

    def rename(self, source: str, target: str) -> None:
        file = self.open(source)
        try:
            file.truncate(file.size())  # into memory
        finally:
            file.close()
        self._nodes[check_path(target)] = self._nodes.pop(source)
        self._gone.add(source)
        self._gone.discard(target)

    def unlink(self, path: str) -> None:
        if not self.exists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        self._nodes.pop(path, None)
        self._gone.add(path)

    def make_dir(self, path: str) -> None:
        self._made.add(check_path(path))
        self._gone.discard(path)

    def remove_dir(self, path: str) -> None:
        if self.list(path):
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), path)
        self._made.discard(path)
        self._gone.add(path)

    def sync_dir(self, path: str) -> None:
        return

    def free_bytes(self) -> int:
        return _FREE_BYTES

    def lock(self, path: str) -> DiskLock:
        return NoLock()

    def _real(self, path: str) -> str:
        for name, other in self._moved.items():
            if path == name or path.startswith(name + "/"):
                return other + path[len(name) :]
        return path

    def _stat(self, path: str) -> os.stat_result | None:
        try:
            return os.stat(self._real(path), dir_fd=self._root, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None
