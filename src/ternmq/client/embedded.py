"""A queue manager inside this process: in a folder, or in memory."""

from __future__ import annotations

import getpass
import os
import sys
from types import TracebackType

from ternmq.base.errors import mq_error
from ternmq.base.names import file_name, is_name
from ternmq.base.reasons import MQRC_Q_MGR_NAME_ERROR, MQRC_Q_MGR_NOT_AVAILABLE
from ternmq.client.connection import Connection
from ternmq.client.log_status import LogStatus, log_status
from ternmq.client.shell import Shell
from ternmq.client.shutdown import shut_down
from ternmq.engine.engine import Engine, create_queue_manager, exists
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.ports.disk import Disk, DiskLock, DiskLocked
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.ports.os_clock import OsClock
from ternmq.ports.os_disk import OsDisk
from ternmq.ports.os_entropy import OsEntropy

LOCK_PATH = "lock"


class QueueManager(Connection):
    """An embedded queue manager with one connection of its own; `connect` gives more."""

    def __init__(
        self, shell: Shell, disk: Disk, lock: DiskLock, user: str, application: str
    ) -> None:
        super().__init__(shell, user, application)
        self._disk = disk
        self._lock: DiskLock | None = lock
        self._user = user
        self._application = application

    @property
    def report(self) -> list[str]:
        """What the restart did, line by line, as strmqm tells it."""
        return list(self._shell.engine.report)

    def connect(self, *, user: str | None = None, application: str | None = None) -> Connection:
        """Another connection, with its own unit of work."""
        return Connection(self._shell, user or self._user, application or self._application)

    def log_status(self) -> LogStatus:
        """What the log has done since the start, and how full it is."""
        return log_status(self._shell)

    def checkpoint(self) -> None:
        """Take a checkpoint now and wait for it."""
        shell = self._shell
        with shell.lock:
            before = shell.engine.keeper.checkpoints
            shell.engine.keeper.begin(False, False)
        while shell.engine.keeper.checkpoints == before and shell.engine.keeper.running is not None:
            shell.run_effects()

    def close(self) -> None:
        """Stop the queue manager: other connections are backed out, then a last checkpoint is
        taken."""
        lock = self._lock
        if lock is None:
            return
        self._lock = None
        try:
            if self.connected and self._shell.engine.error_for("") is None:
                self.verbs.disconnect(vanished=self.verbs.busy)
            shut_down(self._shell)
        finally:
            lock.release()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None and self.connected and self._shell.engine.error_for("") is None:
            self.verbs.disconnect(vanished=True)
        self.close()

    def __enter__(self) -> QueueManager:
        return self


def _application() -> str:
    return os.path.basename(sys.argv[0]) or "python"


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def embedded(
    path: str | os.PathLike[str],
    name: str = "QM1",
    *,
    create: bool = False,
    log_type: str = "circular",
    log_primary_files: int = 3,
    log_secondary_files: int = 2,
    log_file_pages: int = 4096,
    dual_log: bool = False,
    user: str | None = None,
    application: str | None = None,
) -> QueueManager:
    """Start the queue manager `name` that lives in the data folder `path`.

    With `create` it is made if it is not there; the log options count only then. Only one process
    at a time can have it: a second one gets MQRC_Q_MGR_NOT_AVAILABLE.
    """
    if not is_name(name):
        raise mq_error(MQRC_Q_MGR_NAME_ERROR, verb="MQCONN", object=name)
    folder = os.path.join(os.fspath(path), "qmgrs", file_name(name))
    if not create and not os.path.isdir(folder):
        raise mq_error(
            MQRC_Q_MGR_NAME_ERROR,
            verb="MQCONN",
            object=name,
            detail=f"there is none in {os.fspath(path)}; create=True makes one",
        )
    parameters = log_parameters(
        log_type, log_primary_files, log_secondary_files, log_file_pages, dual_log
    )
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return start(OsDisk(folder), name, create, parameters, user, application)


def log_parameters(
    log_type: str, primary: int, secondary: int, pages: int, dual: bool
) -> LogParameters:
    """LogType, LogPrimaryFiles, LogSecondaryFiles, LogFilePages and the number of copies,
    checked."""
    kinds = {"circular": CIRCULAR, "linear": LINEAR}
    if log_type.lower() not in kinds:
        raise ValueError(f"log_type is 'circular' or 'linear', not {log_type!r}")
    return LogParameters(kinds[log_type.lower()], primary, secondary, pages, dual)


def memory(
    name: str = "QM1", *, user: str | None = None, application: str | None = None
) -> QueueManager:
    """A queue manager that touches no disk and is gone when it is closed: for tests."""
    parameters = LogParameters(CIRCULAR, 3, 2, 1024, False)
    return start(MemoryDisk(), name, True, parameters, user, application)


def start(
    disk: Disk,
    name: str,
    create: bool,
    parameters: LogParameters,
    user: str | None,
    application: str | None,
) -> QueueManager:
    """Lock the disk, make the queue manager if wanted, restart it."""
    if not __debug__:
        raise RuntimeError("TernMQ does not run under python -O: its checks must stay in place")
    try:
        lock = disk.lock(LOCK_PATH)
    except DiskLocked as locked:
        raise mq_error(
            MQRC_Q_MGR_NOT_AVAILABLE,
            verb="MQCONN",
            object=name,
            detail=f"its data folder is in use: {locked}",
        ) from locked
    try:
        clock = OsClock()
        if create and not exists(disk):
            create_queue_manager(disk, clock, OsEntropy(), name, parameters)
        shell = Shell(Engine(disk, clock), disk)
    except BaseException:
        lock.release()
        raise
    return QueueManager(shell, disk, lock, user or _user(), application or _application())
