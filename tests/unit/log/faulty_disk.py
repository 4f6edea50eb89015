"""Disks that misbehave: one whose n-th call fails, and one that forgets what was not forced."""

import errno
import random

from ternmq.ports.disk import Disk, DiskFile, DiskLock, parent_dir
from ternmq.ports.memory_disk import MemoryDisk

SECTOR = 512


class Crash(Exception):
    """The machine stopped. Not an OSError: nothing may catch it."""


class PlanFile(DiskFile):
    """A file whose calls are counted, and kept back until it is forced."""

    def __init__(self, disk: "PlanDisk", inner: DiskFile, path: str, key: int) -> None:
        super().__init__(path)
        self.disk = disk
        self.inner = inner
        self.key = key

    def pread(self, offset: int, length: int) -> bytes:
        self.disk.check_alive()
        if (self.path, "pread") in self.disk.broken:
            raise OSError(errno.EIO, "injected", self.path)
        return self.inner.pread(offset, length)

    def pwritev(self, offset: int, parts: list[bytes]) -> int:
        self.disk.note_write(self.key, offset, b"".join(parts))
        self.disk.step("pwritev", self.path)
        return self.inner.pwritev(offset, parts)

    def datasync(self) -> None:
        self.disk.step("datasync", self.path)
        self.inner.datasync()
        self.disk.forced(self.key, load_all(self.inner))

    def truncate(self, length: int) -> None:
        self.disk.step("truncate", self.path)
        self.inner.truncate(length)

    def size(self) -> int:
        return self.inner.size()

    def close(self) -> None:
        self.inner.close()


class PlanDisk(Disk):
    """Memory that counts changing calls, fails or stops at the n-th, and can be crashed.

    Names are durable after `sync_dir`, contents after `datasync`. `crash` gives the disk after a
    power loss: each write that was not forced is kept, dropped, torn at a sector, or becomes zeros
    or noise.
    """

    def __init__(self, stop_at: int = 0, fail_at: int = 0, error: int = errno.EIO) -> None:
        self.inner = MemoryDisk()
        self.calls = 0
        self.stop_at = stop_at
        self.fail_at = fail_at
        self.error = error
        self.broken: set[tuple[str, str]] = set()
        self.trace: list[str] = []
        self.is_dead = False
        self.keys: dict[str, int] = {}
        self.durable: dict[int, bytes] = {}
        self.names: dict[str, int] = {}
        self.pending: dict[int, list[tuple[int, bytes]]] = {}

    def check_alive(self) -> None:
        if self.is_dead:
            raise Crash

    def step(self, call: str, path: str) -> None:
        self.check_alive()
        self.calls += 1
        self.trace.append(f"{call} {path}")
        if self.calls == self.stop_at:
            self.is_dead = True
            raise Crash
        if self.calls == self.fail_at:
            raise OSError(self.error, "injected", path)

    def note_write(self, key: int, offset: int, data: bytes) -> None:
        self.check_alive()
        self.pending.setdefault(key, []).append((offset, data))

    def forced(self, key: int, content: bytes) -> None:
        self.durable[key] = content
        self.pending.pop(key, None)

    def open(self, path: str) -> DiskFile:
        self.check_alive()
        return PlanFile(self, self.inner.open(path), path, self.keys[path])

    def create(self, path: str) -> DiskFile:
        self.step("create", path)
        if path in self.keys:
            self.inner.unlink(path)
        inner = self.inner.create(path)
        key = len(self.trace)
        self.keys[path] = key
        self.durable[key] = b""
        return PlanFile(self, inner, path, key)

    def exists(self, path: str) -> bool:
        return self.inner.exists(path)

    def list(self, path: str) -> list[str]:
        self.check_alive()
        return self.inner.list(path)

    def size(self, path: str) -> int:
        return self.inner.size(path)

    def rename(self, source: str, target: str) -> None:
        self.step("rename", target)
        self.inner.rename(source, target)
        self.keys[target] = self.keys.pop(source)

    def unlink(self, path: str) -> None:
        self.step("unlink", path)
        self.inner.unlink(path)
        del self.keys[path]

    def make_dir(self, path: str) -> None:
        self.inner.make_dir(path)

    def remove_dir(self, path: str) -> None:
        self.inner.remove_dir(path)

    def sync_dir(self, path: str) -> None:
        self.step("sync_dir", path)
        for name in [name for name in self.names if parent_dir(name) == path]:
            del self.names[name]
        for name, key in self.keys.items():
            if parent_dir(name) == path:
                self.names[name] = key

    def free_bytes(self) -> int:
        return self.inner.free_bytes()

    def lock(self, path: str) -> DiskLock:
        return self.inner.lock(path)

    def crash(self, chance: random.Random) -> "PlanDisk":
        """The disk after a power loss."""
        after = PlanDisk()
        names = dict(self.names)
        # A name that was not forced may be there all the same; one unlinked may be back.
        kept = {name: key for name, key in self.keys.items() if chance.random() < 0.5}
        names.update(kept)
        for name in [name for name in names if name not in self.keys]:
            if chance.random() < 0.5:
                del names[name]
        for folder in ("log/active", "log/active2"):
            after.make_dir(folder)
        for name, key in names.items():
            content = bytearray(self.durable[key])
            for offset, data in self.pending.get(key, []):
                apply_crashed(content, offset, data, chance)
            after.put(name, bytes(content))
        return after

    def restarted(self) -> "PlanDisk":
        """The disk after the process alone was killed: all writes are there."""
        after = PlanDisk()
        for folder in ("log/active", "log/active2"):
            after.make_dir(folder)
        for name in self.keys:
            after.put(name, load_path(self.inner, name))
            # What was not forced still is not.
            key = self.keys[name]
            if key in self.pending:
                after.durable[after.keys[name]] = self.durable[key]
                after.pending[after.keys[name]] = list(self.pending[key])
            if name not in self.names:
                del after.names[name]
        return after

    def put(self, name: str, content: bytes) -> None:
        """A durable file, without counting."""
        self.inner.make_dir(parent_dir(name))
        file = self.inner.create(name)
        file.pwritev(0, [content])
        file.close()
        key = -1 - len(self.keys)
        self.keys[name] = key
        self.names[name] = key
        self.durable[key] = content


def apply_crashed(content: bytearray, offset: int, data: bytes, chance: random.Random) -> None:
    """Put what a crash left of a write that was not forced."""
    fate = chance.choice(["kept", "kept", "dropped", "cut", "holes", "zeros", "noise"])
    if fate == "dropped":
        return
    if fate == "zeros":
        data = bytes(len(data))
    elif fate == "noise":
        data = chance.randbytes(len(data))
    if len(content) < offset + len(data):
        content.extend(bytes(offset + len(data) - len(content)))
    cut = chance.randrange(0, len(data) + 1, SECTOR)
    for start in range(0, len(data), SECTOR):
        if (fate == "cut" and start >= cut) or (fate == "holes" and chance.random() < 0.3):
            continue
        sector = data[start : start + SECTOR]
        content[offset + start : offset + start + len(sector)] = sector


def load_all(file: DiskFile) -> bytes:
    return file.pread(0, file.size())


def load_path(disk: Disk, path: str) -> bytes:
    file = disk.open(path)
    try:
        return load_all(file)
    finally:
        file.close()
