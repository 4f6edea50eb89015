"""What happens to a disk, as values: the history of a simulated disk is a list of these.

A content is `bytes` while disks share it and a `bytearray` once one of them has changed it.
"""

from __future__ import annotations

from typing import final

from ternmq.ports.disk import parent_dir

Content = bytes | bytearray


class Operation:
    """Something that was done to a disk, or a mark between two of them."""

    __slots__ = ()


@final
class Write(Operation):
    """Bytes at an offset of a file."""

    __slots__ = ("data", "key", "offset")

    def __init__(self, key: int, offset: int, data: bytes) -> None:
        self.key = key
        self.offset = offset
        self.data = data


@final
class Truncate(Operation):
    """A file is cut, or grows with zeros."""

    __slots__ = ("key", "length")

    def __init__(self, key: int, length: int) -> None:
        self.key = key
        self.length = length


@final
class Sync(Operation):
    """What was written to a file is durable now."""

    __slots__ = ("key",)

    def __init__(self, key: int) -> None:
        self.key = key


@final
class SyncFailed(Operation):
    """What was written to a file since it was forced is in memory only, and no later force brings
    it to the disk: kernels mark pages clean whose write failed."""

    __slots__ = ("key",)

    def __init__(self, key: int) -> None:
        self.key = key


class Naming(Operation):
    """A change of names, durable once the folder of one of them is forced."""

    __slots__ = ("path", "target")
    key: int = -1  # of the content that it names, if it does

    def __init__(self, path: str, target: str = "") -> None:
        self.path = path
        self.target = target

    def forced_by(self, folder: str) -> bool:
        """Whether forcing this folder makes it durable."""
        return parent_dir(self.path) == folder or (
            self.target != "" and parent_dir(self.target) == folder
        )

    def change(self, names: dict[str, int], folders: set[str]) -> None:
        """Do it to these names."""
        raise NotImplementedError


@final
class Name(Naming):
    """A file has got its first name."""

    __slots__ = ("key",)

    def __init__(self, path: str, key: int) -> None:
        super().__init__(path)
        self.key = key

    def change(self, names: dict[str, int], folders: set[str]) -> None:
        names[self.path] = self.key


@final
class Unname(Naming):
    """A file has lost its name."""

    __slots__ = ()

    def change(self, names: dict[str, int], folders: set[str]) -> None:
        names.pop(self.path, None)


@final
class Rename(Naming):
    """A file has another name; one that had it before has none any more."""

    __slots__ = ("key",)

    def __init__(self, source: str, target: str, key: int) -> None:
        super().__init__(source, target)
        self.key = key

    def change(self, names: dict[str, int], folders: set[str]) -> None:
        names.pop(self.path, None)
        names[self.target] = self.key


@final
class RenameFolder(Naming):
    """A folder has another name, and so has everything in it."""

    __slots__ = ()

    def change(self, names: dict[str, int], folders: set[str]) -> None:
        source = f"{self.path}/"
        for path in [path for path in names if path.startswith(source)]:
            names[f"{self.target}/{path[len(source) :]}"] = names.pop(path)
        moved = [path for path in folders if path == self.path or path.startswith(source)]
        folders.difference_update(moved)
        folders.update(self.target + path[len(self.path) :] for path in moved)


@final
class MakeFolder(Naming):
    """A folder is there."""

    __slots__ = ()

    def change(self, names: dict[str, int], folders: set[str]) -> None:
        folders.add(self.path)


@final
class RemoveFolder(Naming):
    """A folder is gone."""

    __slots__ = ()

    def change(self, names: dict[str, int], folders: set[str]) -> None:
        folders.discard(self.path)


@final
class SyncFolder(Operation):
    """The names in a folder are durable now."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path


@final
class Mark(Operation):
    """Nothing on the disk: something that a workload wants to find again in the history."""

    __slots__ = ("what",)

    def __init__(self, what: object) -> None:
        self.what = what


def changed(content: Content, operation: Write | Truncate) -> bytearray:
    """The content after a write or a cut."""
    mine = content if isinstance(content, bytearray) else bytearray(content)
    if isinstance(operation, Truncate):
        length = operation.length
        if length < len(mine):
            del mine[length:]
        else:
            mine.extend(bytes(length - len(mine)))
        return mine
    return written(mine, operation.offset, operation.data)


def written(content: bytearray, offset: int, data: bytes) -> bytearray:
    """The content after these bytes were written at an offset."""
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data
    return content
