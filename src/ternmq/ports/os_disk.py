"""The disk port on a real folder. Every path is resolved from a handle on the root, so neither a
change of working directory nor a moved root leads elsewhere; symbolic links are not followed to
files. Files are made with mode 0600, folders with 0700.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import resource
import stat
import time
from typing import Final

from ternmq.ports.disk import FULL_ERRORS, Disk, DiskFile, DiskLock, DiskLocked, Names, check_path

_OPEN: Final = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_PARTS_MAX: Final = 1024  # IOV_MAX of Linux
_HOLDER_BYTES_MAX: Final = 200
_HOLDER_BYTES: Final = 32
# A file system of another machine may lock nothing but files that are open for writing.
NO_FOLDER_LOCKS: Final = (errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
_KEPT_OPEN_MAX: Final = 256
_KEPT_OPEN_SHARE: Final = 4  # of the open files that the process may have, at most a part
_ALLOCATE_BYTES_MIN: Final = 1 << 14  # less is not worth the calls
_LOCK_TRIES: Final = 3
_LOCK_PAUSE_S: Final = 0.01


def kept_open_max(limit: int) -> int:
    """How many files that are not in use stay open, if a process may have `limit` files."""
    return max(min(_KEPT_OPEN_MAX, limit // _KEPT_OPEN_SHARE), 1)


def _named(error: OSError, path: str) -> OSError:
    """The same error with the path in its text (calls on a descriptor do not know it)."""
    number = error.errno if error.errno is not None else errno.EIO
    return OSError(number, error.strerror or os.strerror(number), path)


class OsFile(DiskFile):
    """A file of a real folder. It is in `all_open` while it is open."""

    def __init__(self, path: str, descriptor: int, all_open: dict[int, OsFile]) -> None:
        super().__init__(path)
        self._descriptor = descriptor
        self._all_open = all_open
        all_open[descriptor] = self
        self.unlinks = 0  # of the disk when the file was opened or looked at

    @property
    def has_name(self) -> bool:
        """Whether the file is still in a folder."""
        return os.fstat(self._descriptor).st_nlink > 0

    def pread(self, offset: int, length: int) -> bytes:
        try:
            data = os.pread(self._descriptor, length, offset)
            if len(data) == length or not data:
                return data
            parts = [data]
            have = len(data)
            while have < length:
                data = os.pread(self._descriptor, length - have, offset + have)
                if not data:
                    break
                parts.append(data)
                have += len(data)
            return b"".join(parts)
        except OSError as error:
            raise _named(error, self.path) from None

    def pwritev(self, offset: int, parts: list[bytes]) -> int:
        try:
            if len(parts) == 1:
                return os.pwrite(self._descriptor, parts[0], offset)
            if len(parts) > _PARTS_MAX:
                parts = parts[:_PARTS_MAX]
            return os.pwritev(self._descriptor, parts, offset)
        except OSError as error:
            raise _named(error, self.path) from None

    def datasync(self) -> None:
        if self._descriptor < 0:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF), self.path)
        try:
            os.fdatasync(self._descriptor)
        except OSError as error:
            raise _named(error, self.path) from None

    def truncate(self, length: int) -> None:
        try:
            os.ftruncate(self._descriptor, length)
        except OSError as error:
            raise _named(error, self.path) from None

    def size(self) -> int:
        return os.fstat(self._descriptor).st_size

    def close(self) -> None:
        if self._descriptor >= 0:
            descriptor = self._descriptor
            # First, so that a second close can never hit a number that was given out again.
            self._descriptor = -1
            self._all_open.pop(descriptor, None)
            os.close(descriptor)


class OsLock(DiskLock):
    """Locks by flock: of a file that holds the process id of its holder, and of the folder."""

    def __init__(self, descriptors: list[int], all_held: dict[int, OsLock]) -> None:
        self._descriptors = descriptors
        self._all_held = all_held
        all_held[descriptors[0]] = self

    def release(self) -> None:
        descriptors = self._descriptors
        self._descriptors = []
        for descriptor in descriptors:
            self._all_held.pop(descriptor, None)
            # The file stays: unlinking it would let two others lock two different files.
            os.close(descriptor)


def _lock(descriptor: int) -> None:
    """BlockingIOError if another process has it. A process that only looks (dspmq, where the
    system does not say which process has a lock) has it for an instant, so it is tried again."""
    for _ in range(_LOCK_TRIES - 1):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(_LOCK_PAUSE_S)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def make_folders(path: str, mode: int = 0o755) -> None:
    """Make a folder with a mode, and those above it that are missing for everybody to pass through.
    os.makedirs gives those the umask's mode: with umask 0 others could rename what is in them."""
    path = os.path.abspath(path)
    if os.path.isdir(path):
        return
    make_folders(os.path.dirname(path))
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, mode)
    if not os.path.isdir(path):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)


def make_root(root: str) -> None:
    """Make a folder and those above it, and force their names: the data below is worth nothing if
    a power loss takes the folder. Also where it was there, for its maker may not have forced it."""
    root = os.path.abspath(root)
    names = [root]
    while not os.path.isdir(names[-1]) or len(names) < 4:
        above = os.path.dirname(names[-1])
        if above == names[-1]:
            break
        names.append(above)
    make_folders(root, 0o700)
    for name in names[1:]:
        with contextlib.suppress(PermissionError):  # a folder of another user, made long ago
            folder = os.open(name, _FOLDER)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _allocated(descriptor: int, length: int) -> int:
    """Bring an open file to a length, or near it; what it has then."""
    size = os.fstat(descriptor).st_size
    if length < size:
        os.ftruncate(descriptor, length)
        os.fsync(descriptor)  # a journal may keep the blocks from others until then
        return length
    if not _fill(descriptor, 0, size):  # a file that was copied may have holes
        size = 0
    count = length - size
    while count > 0:
        if _fill(descriptor, size, count):
            size += count
            count = min(count, length - size)
        elif count > _ALLOCATE_BYTES_MIN:
            count = max(count // 2, _ALLOCATE_BYTES_MIN)
        else:
            break
    return size


def _fill(descriptor: int, offset: int, count: int) -> bool:
    """Give a range of a file blocks of its own; if the disk is full the file ends before it."""
    try:
        if count:
            os.posix_fallocate(descriptor, offset, count)
    except OSError as error:
        if error.errno not in FULL_ERRORS:
            raise
        os.ftruncate(descriptor, offset)
        return False
    return True


class OsDisk(Disk):
    """A folder of the file system, which is made if it is not there."""

    def __init__(self, root: str) -> None:
        make_folders(root, 0o700)
        self.root = os.path.abspath(root)
        self._folder = os.open(self.root, _FOLDER)
        # Files given back by `borrow`, oldest first. One that is borrowed is not in here, so that
        # no other thread can close it.
        self._kept: dict[str, OsFile] = {}
        self._unlinks = 0
        self._all_open: dict[int, OsFile] = {}  # by descriptor, also those that callers have
        self._all_held: dict[int, OsLock] = {}
        self._kept_max = 0  # looked up when the first is kept

    def borrow(self, path: str) -> DiskFile:
        file = self._kept.pop(path, None)
        if file is None:
            check_path(path)
            unlinks = self._unlinks
            file = self._open_file(path, _OPEN)
            file.unlinks = unlinks
        return file

    def give_back(self, file: DiskFile) -> None:
        if not isinstance(file, OsFile):
            raise TypeError(f"{file.path} was not borrowed here")
        if self._folder < 0:  # the disk was closed meanwhile
            file.close()
            return
        unlinks = self._unlinks
        if file.unlinks != unlinks:  # it may have lost its name since
            if not file.has_name:
                file.close()
                return
            file.unlinks = unlinks
        if self._kept.setdefault(file.path, file) is not file:
            file.close()  # two had it open
        if len(self._kept) > self._kept_max:
            self._close_some()

    def _close_some(self) -> None:
        """Too many are kept, unless the process may have more open files than it had."""
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._kept_max = kept_open_max(_KEPT_OPEN_MAX * _KEPT_OPEN_SHARE if limit < 0 else limit)
        if len(self._kept) > self._kept_max:
            for path in list(self._kept)[: (self._kept_max + 1) // 2]:
                self._close_kept(path)

    def _lost_name(self, path: str) -> None:
        # ORDER: after the name is gone, so that a file given back meanwhile is closed here or there
        self._unlinks += 1
        self._close_kept(path)

    def _close_kept(self, path: str) -> None:
        kept = self._kept.pop(path, None)
        if kept is not None:
            kept.close()

    def open(self, path: str) -> DiskFile:
        check_path(path)
        return self._open_file(path, _OPEN)

    def create(self, path: str) -> DiskFile:
        check_path(path)
        return self._open_file(path, _OPEN | os.O_CREAT | os.O_TRUNC)

    def _open_file(self, path: str, flags: int) -> OsFile:
        return OsFile(path, os.open(path, flags, 0o600, dir_fd=self._folder), self._all_open)

    def exists(self, path: str) -> bool:
        if not check_path(path):
            return True
        try:
            os.stat(path, dir_fd=self._folder, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def list(self, path: str) -> Names:
        try:
            folder = self._open_folder(path)
        except FileNotFoundError:
            return []
        try:
            return sorted(os.listdir(folder))
        finally:
            os.close(folder)

    def size(self, path: str) -> int:
        check_path(path)
        return os.stat(path, dir_fd=self._folder, follow_symlinks=False).st_size

    def rename(self, source: str, target: str) -> None:
        check_path(source)
        check_path(target)
        os.rename(source, target, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        self._lost_name(source)
        self._lost_name(target)

    def unlink(self, path: str) -> None:
        check_path(path)
        os.unlink(path, dir_fd=self._folder)
        self._lost_name(path)

    def make_dir(self, path: str) -> None:
        made = ""
        for name in check_path(path).split("/"):
            made = f"{made}/{name}" if made else name
            if made and not self._is_folder(made):
                os.mkdir(made, 0o700, dir_fd=self._folder)

    def remove_dir(self, path: str) -> None:
        check_path(path)
        os.rmdir(path, dir_fd=self._folder)

    def sync_dir(self, path: str) -> None:
        folder = self._open_folder(path)
        try:
            os.fsync(folder)
        except OSError as error:
            raise _named(error, path) from None
        finally:
            os.close(folder)

    def free_bytes(self) -> int:
        status = os.fstatvfs(self._folder)
        return status.f_bavail * status.f_frsize

    def allocate(self, path: str, length: int) -> int:
        check_path(path)
        descriptor = os.open(path, _OPEN | os.O_CREAT, 0o600, dir_fd=self._folder)
        try:
            return _allocated(descriptor, length)
        except OSError as error:
            raise _named(error, path) from None
        finally:
            os.close(descriptor)

    def lock(self, path: str) -> DiskLock:
        # The folder as well: the file may be removed, and a second process would then
        # lock another one of that name.
        folder = self._open_folder("")
        try:
            _lock(folder)
        except BlockingIOError:
            os.close(folder)
            raise DiskLocked(path, self._holder(path)) from None
        except OSError as error:
            if error.errno not in NO_FOLDER_LOCKS:
                os.close(folder)
                raise _named(error, path) from None
        try:
            file = self._lock_file(path)
        except BaseException:
            os.close(folder)
            raise
        return OsLock([file, folder], self._all_held)

    def lock_file(self, path: str) -> DiskLock:
        """Another lock in the folder, beside the one of the process that works with it."""
        return OsLock([self._lock_file(path)], self._all_held)

    def _lock_file(self, path: str) -> int:
        check_path(path)
        descriptor = os.open(path, _OPEN | os.O_CREAT, 0o600, dir_fd=self._folder)
        try:
            _lock(descriptor)
            self._write_holder(descriptor)
        except BlockingIOError:
            os.close(descriptor)
            raise DiskLocked(path, self._holder(path)) from None
        except OSError as error:
            os.close(descriptor)
            raise _named(error, path) from None
        return descriptor

    def _write_holder(self, descriptor: int) -> None:
        """In place and always as long, so that a full disk does not matter. If the write
        fails all the same, the lock holds without it."""
        holder = b"process %d" % os.getpid()
        try:
            os.pwrite(descriptor, holder.ljust(_HOLDER_BYTES - 1) + b"\n", 0)
            os.ftruncate(descriptor, _HOLDER_BYTES)
        except OSError as error:
            if error.errno not in FULL_ERRORS:
                raise

    def _holder(self, path: str) -> str:
        try:
            file = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._folder)
        except OSError:
            return ""
        try:
            return os.pread(file, _HOLDER_BYTES_MAX, 0).decode("ascii", "replace").strip()
        finally:
            os.close(file)

    def close(self) -> None:
        """Give back the handle on the root and the files kept open; others stay open."""
        for path in list(self._kept):
            self._close_kept(path)
        if self._folder >= 0:
            folder = self._folder
            self._folder = -1
            os.close(folder)

    def abandon(self) -> None:
        self.close()
        for file in list(self._all_open.values()):
            file.close()
        for lock in list(self._all_held.values()):
            lock.release()

    def _is_folder(self, path: str) -> bool:
        try:
            mode = os.stat(path, dir_fd=self._folder).st_mode  # crtmqm -ld: a link to the log
        except FileNotFoundError:
            return False
        return stat.S_ISDIR(mode)

    def _open_folder(self, path: str) -> int:
        return os.open(check_path(path) or ".", _FOLDER, dir_fd=self._folder)
