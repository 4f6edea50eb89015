"""Where a queue manager can live: each kind of disk behind one face that can stop, crash and start.

A crash leaves the running engine behind, takes what is on its disk at that moment and starts
another one from the copy. What lay in the log's buffer in memory is lost with it.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from ternmq import QueueManager
from ternmq.kernel.acceptance import relieve
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.ports.disk import Disk
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.ports.os_disk import OsDisk
from ternmq.remote.fap.commands import COMMAND_QUEUE
from ternmq.runtime.starting import start
from tests.bindings.bound import APPLICATION, BINDINGS, USER, BoundQueueManager, need, user_of
from tests.unit.api.networked import Networked, NetworkedQueueManager
from tests.unit.api.served import Served, ServedQueueManager

NAME = "QM1"


def copy_of(disk: MemoryDisk) -> MemoryDisk:
    """A disk with the same folders and files."""
    copy = MemoryDisk()
    folders = [""]
    while folders:
        folder = folders.pop()
        for name in disk.list(folder):
            path = f"{folder}/{name}" if folder else name
            try:
                source = disk.open(path)
            except FileNotFoundError:  # a folder
                copy.make_dir(path)
                folders.append(path)
                continue
            target = copy.create(path)
            target.pwritev(0, [source.pread(0, source.size())])
            target.close()
            source.close()
    return copy


class Place:
    """A queue manager on some disk; `qmgr` is the one that runs now."""

    def __init__(self, kind: str, folder: Path) -> None:
        need(kind)
        self.kind = kind
        self.parameters = LogParameters(CIRCULAR, 3, 2, 64, False)
        if kind == "dual":
            self.parameters = LogParameters(LINEAR, 3, 2, 64, True)
        self._folder = folder / "0"
        self._crashes = 0
        self._left: list[QueueManager] = []
        self._memory = MemoryDisk()
        self._starts = 0
        self._in_folder = kind in ("folder", "dual")
        if self._in_folder:
            self._folder.mkdir()
        self.qmgr = self._start()

    def _start(self) -> QueueManager:
        # A queue manager closes its disk when it stops.
        disk: Disk = OsDisk(str(self._folder)) if self._in_folder else self._memory
        started = start(disk, NAME, True, self.parameters, USER, APPLICATION)
        if self.kind == "served":
            # At the other end of a socket; it has the methods that the battery uses.
            self._starts += 1
            served = Served(self._folder.parent / f"served{self._starts}", NAME, started)
            options = {"user": USER, "application": APPLICATION}
            return cast("QueueManager", ServedQueueManager(served, **options))
        if self.kind not in ("memory", "folder", "dual"):
            # At the other end of a TCP connection, by MQ's own protocol.
            self._starts += 1
            folder = self._folder.parent / f"network{self._starts}"
            networked = Networked(folder, NAME, started)
            if self.kind in BINDINGS:
                return cast("QueueManager", BoundQueueManager(networked, self.kind))
            options = {"user": USER, "application": APPLICATION}
            return cast("QueueManager", NetworkedQueueManager(networked, **options))
        return QueueManager(started)

    @property
    def user(self) -> str:
        """As whom its applications work."""
        return user_of(self.kind) if self.kind in BINDINGS else USER

    @property
    def says_details(self) -> bool:
        """Whether an error has more than its reason: it does not through a channel."""
        return self.kind not in ("network", "ibmmq", "java")

    def restart(self) -> QueueManager:
        """Stop cleanly and start again."""
        self.qmgr.close()
        self.qmgr = self._start()
        return self.qmgr

    def crash(self) -> QueueManager:
        """Leave the engine where it is and start from what is on the disk."""
        self._left.append(self.qmgr)
        if self._in_folder:
            self.qmgr.started.abandon()
            self._crashes += 1
            copied = self._folder.parent / str(self._crashes)
            shutil.copytree(self._folder, copied)
            (copied / "lock").unlink(missing_ok=True)
            self._folder = copied
        else:
            self.qmgr.started.shell.stop_housekeeper()
            self._memory = copy_of(self._memory)
        self.qmgr = self._start()
        return self.qmgr

    def close(self) -> None:
        self.qmgr.close()
        if self.kind not in ("memory", "folder", "dual"):
            for left in self._left:
                left.close()


def until(condition: Callable[[], bool]) -> None:
    """Return when the condition holds; the timeout of the test is the limit."""
    pause = threading.Event()
    while not condition():
        pause.wait(0.001)


def needs_engine(qmgr: QueueManager) -> None:
    """For tests that use the verbs of a connection in this process themselves."""
    kind: object = qmgr
    if not isinstance(kind, QueueManager):
        pytest.skip("the queue manager is at the other end of a socket")


def waiters(qmgr: QueueManager) -> int:
    """How many gets wait for a message, beside the command server's."""
    shell = qmgr.started.shell
    with shell.lock:
        calls = list(shell.engine.kernel.waiting.values())
    return sum(call.handle.resolved_name != COMMAND_QUEUE for call in calls)


def sweep(qmgr: QueueManager, name: str) -> int:
    """Let the queue manager sweep what is above the buffers; how many lie in segments alone."""
    shell = qmgr.started.shell
    queue = shell.engine.kernel.locals[name].queue
    while True:
        with shell.lock:
            relieve(shell.engine.kernel, queue)
            effect = queue.sweep_effect
        if effect is None:
            return int(queue.swept_alive)
        shell.run_effects()
        until(lambda effect=effect: effect.done)  # type: ignore[misc]


class Task(threading.Thread):
    """A thread that keeps what its function returned or raised."""

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self.result: object = None
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self.result = self._work()
        except BaseException as error:
            self.error = error

    def outcome(self) -> object:
        """Wait for the end; the result, or the exception raised here."""
        self.join()
        if self.error is not None:
            raise self.error
        return self.result
