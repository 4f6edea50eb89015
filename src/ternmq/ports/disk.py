"""The disk as the core sees it: files under one root, written in place, forced by `datasync`.

Paths are relative, with '/' between names; "" is the root itself. What a call wrote is durable only
after `datasync` of the file, and a name only after `sync_dir` of its folder. Errors are `OSError`
with the path in `filename`. Subclasses may be interpreted (the simulator is).
"""

from __future__ import annotations

import errno
from typing import Final

from mypy_extensions import mypyc_attr

# Spelled out because a class that has a method named `list` hides the type of that name.
Names = list[str]

ZERO_CHUNK_BYTES: Final = 1 << 20
FULL_ERRORS: Final = (errno.ENOSPC, errno.EDQUOT)
INTERRUPTED: Final = errno.ECANCELED  # the thread that ran an effect was interrupted in it
_PASSING: Final = (INTERRUPTED, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)


def is_passing(error: OSError) -> bool:
    """Whether the process lacks something now (file descriptors, memory) or was interrupted: that
    says nothing about the file, which may be read another time."""
    return error.errno in _PASSING


class DiskLocked(Exception):
    """Another process has the lock at this path; `holder` is what it wrote into the file."""

    def __init__(self, path: str, holder: str) -> None:
        super().__init__(f"{path} is locked by {holder or 'another process'}")
        self.path = path
        self.holder = holder


@mypyc_attr(allow_interpreted_subclasses=True)
class DiskFile:
    """An open file. Reads and writes name their offset; there is no current position."""

    def __init__(self, path: str) -> None:
        self.path = path

    def pread(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes; fewer only where the file ends."""
        raise NotImplementedError

    def pwritev(self, offset: int, parts: list[bytes]) -> int:
        """Write the parts one after the other; the count may be short (see `write_all`)."""
        raise NotImplementedError

    def datasync(self) -> None:
        """Force what was written, and the length if it grew."""
        raise NotImplementedError

    def truncate(self, length: int) -> None:
        """Cut the file, or let it grow with zeros."""
        raise NotImplementedError

    def size(self) -> int:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


@mypyc_attr(allow_interpreted_subclasses=True)
class DiskLock:
    """An exclusive lock, held until `release` or the end of the process."""

    def release(self) -> None:
        raise NotImplementedError


@mypyc_attr(allow_interpreted_subclasses=True)
class Disk:
    """Files and folders under one root."""

    def open(self, path: str) -> DiskFile:
        """An existing file; FileNotFoundError if it is not there."""
        raise NotImplementedError

    def borrow(self, path: str) -> DiskFile:
        """An existing file, for reading, that another reader may have left open; the caller has it
        alone and gives it back. Not for files that are renamed."""
        return self.open(path)

    def give_back(self, file: DiskFile) -> None:
        """The end of `borrow`; the file may be kept open for the next one."""
        file.close()

    def create(self, path: str) -> DiskFile:
        """A new and empty file; what an existing one held is dropped."""
        raise NotImplementedError

    def exists(self, path: str) -> bool:
        raise NotImplementedError

    def list(self, path: str) -> Names:
        """The sorted names in a folder; none if there is no such folder."""
        raise NotImplementedError

    def size(self, path: str) -> int:
        raise NotImplementedError

    def rename(self, source: str, target: str) -> None:
        """Move a file or folder; a target file is replaced in one step."""
        raise NotImplementedError

    def unlink(self, path: str) -> None:
        raise NotImplementedError

    def make_dir(self, path: str) -> None:
        """Make a folder and those above it; no error if it is there."""
        raise NotImplementedError

    def remove_dir(self, path: str) -> None:
        """Remove an empty folder."""
        raise NotImplementedError

    def sync_dir(self, path: str) -> None:
        """Make the names of a folder durable."""
        raise NotImplementedError

    def free_bytes(self) -> int:
        raise NotImplementedError

    def allocate(self, path: str, length: int) -> int:
        """Make a file this long in real disk space, or as long as there is room for; it is made if
        it is not there, and cut if it is longer. Its length. A disk that is never full needs no
        such file."""
        return length

    def lock(self, path: str) -> DiskLock:
        """Take the lock at this path, or raise DiskLocked."""
        raise NotImplementedError

    def close(self) -> None:
        """Give back what the disk itself holds. Files and locks that callers have stay theirs."""
        return

    def abandon(self) -> None:
        """Give back everything that was opened here, files and locks of callers too, as the end of
        the process would. They must not be used any more."""
        self.close()


def write_all(file: DiskFile, offset: int, parts: list[bytes]) -> None:
    """Write all the parts at the offset, going on after a short write."""
    total = 0
    for part in parts:
        total += len(part)
    done = file.pwritev(offset, parts) if total else 0
    while done < total:
        rest = _unwritten(parts, done)
        count = file.pwritev(offset + done, rest)
        if count <= 0:
            # A device that takes nothing and reports nothing would keep us here for ever.
            raise OSError(errno.EIO, "write made no progress", file.path)
        done += count


def write_zeros(file: DiskFile, offset: int, length: int) -> None:
    """Fill a range with real zeros, so that later writes into it need no new disk space."""
    zeros = bytes(min(length, ZERO_CHUNK_BYTES))
    end = offset + length
    while offset < end:
        count = min(end - offset, ZERO_CHUNK_BYTES)
        write_all(file, offset, [zeros if count == len(zeros) else zeros[:count]])
        offset += count


def parent_dir(path: str) -> str:
    """The folder that holds this name; "" is the root."""
    return path.rpartition("/")[0]


def check_path(path: str) -> str:
    """The path itself if it stays below the root and is spelled in the one way allowed."""
    if path and ("\0" in path or "\\" in path or path.startswith("/")):
        raise ValueError(f"path {path!r} is not relative to the root of the disk")
    for name in path.split("/") if path else []:
        if name in ("", ".", ".."):
            raise ValueError(f"path {path!r} has an empty, '.' or '..' part")
    return path


def _unwritten(parts: list[bytes], done: int) -> list[bytes]:
    rest: list[bytes] = []
    for part in parts:
        if done >= len(part):
            done -= len(part)
        else:
            rest.append(part[done:] if done else part)
            done = 0
    return rest
