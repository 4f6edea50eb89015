"""A queue manager whose time, disk and background work belong to the test.

The housekeeper thread is ended at the start, so that what nobody waits for is run when the test
says so and in its thread: every run of one seed is the same. A crash leaves the engine where it is
and starts another one on a copy of the disk; with a budget of disk calls it comes in the middle of
whatever runs out of them.
"""

import errno

from ternmq import QueueManager
from ternmq.engine.engine import Engine, create_queue_manager
from ternmq.host.shell import Shell
from ternmq.log.parameters import LogParameters
from ternmq.ports.clock import Clock
from ternmq.ports.disk import Disk, DiskFile, DiskLock
from ternmq.ports.entropy import Entropy
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.runtime.starting import Started


class PowerCut(Exception):
    """The machine stopped. Not an OSError: nothing may catch it."""


class HandClock(Clock):
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.ns = 1_700_000_000_000_000_000

    def now_ns(self) -> int:
        return self.ns

    def monotonic_ns(self) -> int:
        return self.ns


class FixedEntropy(Entropy):
    """The same bytes every time."""

    def bytes(self, count: int) -> bytes:
        return bytes(range(count))


class CutFile(DiskFile):
    """A file that tells its disk of every change."""

    def __init__(self, disk: "CutDisk", inner: DiskFile) -> None:
        super().__init__(inner.path)
        self.disk = disk
        self.inner = inner

    def pread(self, offset: int, length: int) -> bytes:
        return self.inner.pread(offset, length)

    def pwritev(self, offset: int, parts: list[bytes]) -> int:
        self.disk.spend()
        return self.inner.pwritev(offset, parts)

    def datasync(self) -> None:
        self.inner.datasync()

    def truncate(self, length: int) -> None:
        self.disk.spend()
        self.inner.truncate(length)

    def size(self) -> int:
        return self.inner.size()

    def close(self) -> None:
        self.inner.close()


class CutDisk(Disk):
    """A disk in memory on which the power fails once a budget of changes is spent (-1: none)."""

    def __init__(self, inner: MemoryDisk) -> None:
        self.inner = inner
        self.budget = -1

    def spend(self) -> None:
        if self.budget == 0:
            raise PowerCut
        if self.budget > 0:
            self.budget -= 1

    def copy(self) -> "CutDisk":
        """What is on the disk now, as the next start finds it."""
        copy = MemoryDisk()
        _copy_folder(self.inner, copy, "")
        return CutDisk(copy)

    def open(self, path: str) -> DiskFile:
        return CutFile(self, self.inner.open(path))

    def create(self, path: str) -> DiskFile:
        self.spend()
        return CutFile(self, self.inner.create(path))

    def exists(self, path: str) -> bool:
        return self.inner.exists(path)

    def list(self, path: str) -> list[str]:
        return self.inner.list(path)

    def size(self, path: str) -> int:
        return self.inner.size(path)

    def rename(self, source: str, target: str) -> None:
        self.spend()
        self.inner.rename(source, target)

    def unlink(self, path: str) -> None:
        self.spend()
        self.inner.unlink(path)

    def make_dir(self, path: str) -> None:
        self.spend()
        self.inner.make_dir(path)

    def remove_dir(self, path: str) -> None:
        self.spend()
        self.inner.remove_dir(path)

    def sync_dir(self, path: str) -> None:
        self.inner.sync_dir(path)

    def free_bytes(self) -> int:
        return self.inner.free_bytes()

    def lock(self, path: str) -> DiskLock:
        return self.inner.lock(path)


def _copy_folder(source: MemoryDisk, target: MemoryDisk, folder: str) -> None:
    for name in source.list(folder):
        path = f"{folder}/{name}" if folder else name
        try:
            file = source.open(path)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.EISDIR):
                raise
            target.make_dir(path)
            _copy_folder(source, target, path)
            continue
        with_content = target.create(path)
        with_content.pwritev(0, [file.pread(0, file.size())])
        with_content.close()
        file.close()


class Rig:
    """A queue manager that can be stopped, crashed and started again."""

    def __init__(self, parameters: LogParameters) -> None:
        self.clock = HandClock()
        self.disk = CutDisk(MemoryDisk())
        create_queue_manager(self.disk, self.clock, FixedEntropy(), "MODEL", parameters)
        self.start()

    def start(self) -> None:
        """Start from the disk as it is."""
        self.clock.ns += 1_000_000_000  # identifiers begin above those of the last run
        self.disk = self.disk.copy()
        self.engine = Engine(self.disk, self.clock)
        self.shell = Shell(self.engine, self.disk)
        self.shell.stop_housekeeper()
        self.qmgr = QueueManager(Started(self.shell, self.disk.lock("lock"), "tester", "model"))

    def stop(self) -> None:
        """A clean stop."""
        self.qmgr.close()

    def run_effects(self, count: int) -> int:
        """Run at most so many pieces of background work; how many there were."""
        done = 0
        while done < count:
            with self.shell.lock:
                effects = self.engine.outbox.effects
                effect = effects.pop(0) if effects else None
                if effect is not None:
                    effect.claimed = True
            if effect is None:
                break
            self.shell.run_claimed(effect)
            done += 1
        return done

    def settle(self) -> None:
        """Run all background work, and what comes of it."""
        while self.shell.run_effects():
            pass

    def expire(self) -> None:
        """One whole pass of the expiry scanner."""
        with self.shell.lock:
            self.engine.begin_expiry_scan()
            while self.engine.scan_expired(1000):
                pass
        self.settle()

    def try_start(self) -> None:
        """Start on the disk as it is, without a copy, to be cut on the way."""
        Engine(self.disk, self.clock)
