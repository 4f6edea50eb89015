"""Starting an embedded queue manager, and its clean stop: what both APIs do the same."""

from __future__ import annotations

import getpass
import os
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import final

from ternmq.api.handles import checked_name
from ternmq.base.constants import MQRQ_FAILOVER_NOT_PERMITTED
from ternmq.base.errors import ForceFailed, MQError, mq_error
from ternmq.base.names import file_name, is_name, name_fault
from ternmq.base.reason_lookup import reason
from ternmq.base.reasons import (
    MQRC_Q_MGR_NAME_ERROR,
    MQRC_Q_MGR_NOT_AVAILABLE,
    MQRC_RESOURCE_PROBLEM,
)
from ternmq.base.user_names import user_name_fault
from ternmq.engine.engine import Engine, create_queue_manager, exists
from ternmq.host.shell import Shell
from ternmq.kernel.connection import Connection as Link
from ternmq.log.parameters import CIRCULAR, LINEAR, LogParameters
from ternmq.outlets.measurement import Measurement, MeasureSettings
from ternmq.outlets.restarting import report
from ternmq.ports.disk import Disk, DiskLock, DiskLocked, is_passing
from ternmq.ports.memory_disk import MemoryDisk
from ternmq.ports.os_clock import OsClock
from ternmq.ports.os_disk import OsDisk, make_root
from ternmq.ports.os_entropy import OsEntropy
from ternmq.ports.os_users import OsUsers
from ternmq.ports.progress import Progress
from ternmq.ports.users import GroupTable, Users
from ternmq.remote.local.folder_lookup import LOCK_PATH as LOCK_PATH
from ternmq.runtime.services import RuntimeServices
from ternmq.runtime.shutdown import shut_down
from ternmq.security.password_file import PasswordUsers

# Whether authority is checked: no; yes, with the users and groups of this machine; yes, with those
# of a table.
Security = bool | Mapping[str, Sequence[str]]


@final
class Started:
    """A running queue manager and who uses it. The disk is its own: locked until `stop`, and
    closed by it."""

    def __init__(
        self,
        shell: Shell,
        lock: DiskLock,
        user: str,
        application: str,
        measure: MeasureSettings | None = None,
    ) -> None:
        self.shell = shell
        self.measure = measure
        self.measurement = Measurement(shell, measure or MeasureSettings(), self._fault)
        shell.engine.kernel.services = RuntimeServices(shell, self.measurement)
        self.user = user
        self.application = application
        self.before_stop: list[Callable[[], None]] = []  # ends what serves it beside
        self.when_stopped: Callable[[], None] | None = None  # called while the lock is still held
        # reports an internal fault in full: what was raised, and while doing what
        self.on_fault: Callable[[BaseException, str], None] | None = None
        self._lock = lock

    def _fault(self, error: BaseException, doing: str) -> None:
        """Something failed that the queue manager can do without."""
        report(self.on_fault, error, doing)

    def disown(self) -> None:
        """In a forked child: the queue manager belongs to the parent."""
        self.shell.disown()
        self.measurement.disown()
        self._lock.release()  # our copy of it; the parent's holds

    def stop(self) -> None:
        """Back out every application that is still connected; take a last checkpoint."""
        try:
            for end in list(self.before_stop):
                end()
            self.measurement.end_metrics()
            shut_down(self.shell)
            if self.when_stopped is not None:
                self.when_stopped()
        finally:
            if self in _running:
                _running.remove(self)
            self._lock.release()
            self.shell.give_back_disk()

    def abandon(self) -> None:
        """Leave everything as a killed process would, for tests: nothing is written, no
        unit of work is backed out, every descriptor and thread is given back. An application that
        still uses the queue manager gets MQRC_CONNECTION_BROKEN."""
        shell = self.shell
        with shell.lock:
            shell.engine.break_down("it was abandoned")
            shell.flush()
        shell.stop_housekeeper()
        self.measurement.end_metrics()
        self.measurement.close()
        while shell.wait_for_effect():
            pass
        with shell.forcer.files_lock:
            shell.disk.abandon()
        for companion in shell.companions:
            companion.end()
        if self in _running:
            _running.remove(self)

    def checkpoint(self) -> None:
        """Take a checkpoint now and wait for it."""
        shell = self.shell
        keeper = shell.engine.keeper
        link = Link(0, b"", self.user, self.application)
        with shell.lock:
            shell.engine.kernel.refuse_if_ending(False, "checkpoint")
            before = keeper.checkpoints
            checkpoint = keeper.begin(False, False)
            while keeper.running is checkpoint:
                link.park = checkpoint.awaited()
                shell.wait_for_park(link)
            if keeper.checkpoints == before:
                raise mq_error(MQRC_RESOURCE_PROBLEM, verb="checkpoint", detail=keeper.last_failure)


_running: list[Started] = []  # in this process


def _after_fork() -> None:
    """A child has copies of files and memory: one log with two writers, if it used them."""
    for started in _running:
        started.disown()
    _running.clear()


os.register_at_fork(after_in_child=_after_fork)


def start_in_folder(
    path: str | os.PathLike[str],
    name: str,
    create: bool,
    parameters: LogParameters,
    user: str | None,
    application: str | None,
    security: Security = False,
    measure: MeasureSettings | None = None,
) -> Started:
    """The queue manager that lives in a data folder; `create` makes it if it is not there."""
    if not is_name(checked_name(name, "a queue manager")):
        raise mq_error(MQRC_Q_MGR_NAME_ERROR, verb="MQCONN", object=name, detail=name_fault(name))
    folder = os.path.join(os.fspath(path), "qmgrs", file_name(name))
    if not create and not os.path.isdir(folder):
        raise _no_such(name, f"there is none in {os.fspath(path)}")
    measure = replace(measure or MeasureSettings(), folder=folder)
    try:
        make_root(folder)
        disk = OsDisk(folder)
        started = _restarted(
            disk, name, create, parameters, user, application, security, measure=measure
        )
    except OSError as error:
        raise _cannot_start(name, error) from error
    except ForceFailed as failed:
        cause = failed.__cause__
        if isinstance(cause, OSError) and is_passing(cause):
            raise _cannot_start(name, cause) from cause
        raise
    try:
        return _serving(started)
    except OSError as error:
        if is_passing(error):
            raise _cannot_start(name, error) from error
        raise  # the port is wrong, not the queue manager


def _cannot_start(name: str, error: OSError) -> MQError:
    """The same reasons as for a connection to a queue manager that runs."""
    code = MQRC_RESOURCE_PROBLEM if is_passing(error) else MQRC_Q_MGR_NOT_AVAILABLE
    return mq_error(code, verb="MQCONN", object=name, detail=f"it cannot be started: {error}")


def _no_such(name: str, detail: str) -> MQError:
    detail = f"{detail}; create=True makes one"
    return mq_error(MQRC_Q_MGR_NAME_ERROR, verb="MQCONN", object=name, detail=detail)


def start_in_memory(
    name: str,
    user: str | None,
    application: str | None,
    security: Security = False,
    measure: MeasureSettings | None = None,
) -> Started:
    """A queue manager that touches no disk."""
    name = checked_name(name, "a queue manager")
    parameters = LogParameters(CIRCULAR, 2, 126, 256, False)  # grows when it has to
    return start(MemoryDisk(), name, True, parameters, user, application, security, measure=measure)


def log_parameters(
    log_type: str, primary: int, secondary: int, pages: int, dual: bool
) -> LogParameters:
    """LogType, LogPrimaryFiles, LogSecondaryFiles, LogFilePages and the number of copies,
    checked."""
    kinds = {"circular": CIRCULAR, "linear": LINEAR}
    if log_type.lower() not in kinds:
        raise ValueError(f"log_type is 'circular' or 'linear', not {log_type!r}")
    return LogParameters(kinds[log_type.lower()], primary, secondary, pages, dual)


def start(
    disk: Disk,
    name: str,
    create: bool,
    parameters: LogParameters,
    user: str | None,
    application: str | None,
    security: Security = False,
    when_locked: Callable[[], None] | None = None,
    begun_as: int = MQRQ_FAILOVER_NOT_PERMITTED,
    measure: MeasureSettings | None = None,
    progress: Progress | None = None,
) -> Started:
    """Lock the disk, make the queue manager if wanted, restart it; `when_locked` is called before
    anything is read. `begun_as` is the reason qualifier of the start event. The disk belongs to
    the queue manager from here on, and is closed if that does not start."""
    return _serving(
        _restarted(
            disk,
            name,
            create,
            parameters,
            user,
            application,
            security,
            when_locked,
            begun_as,
            measure,
            progress,
        )
    )


def _restarted(
    disk: Disk,
    name: str,
    create: bool,
    parameters: LogParameters,
    user: str | None,
    application: str | None,
    security: Security,
    when_locked: Callable[[], None] | None = None,
    begun_as: int = MQRQ_FAILOVER_NOT_PERMITTED,
    measure: MeasureSettings | None = None,
    progress: Progress | None = None,
) -> Started:
    """What `start` does before it serves metrics."""
    if not __debug__:
        raise RuntimeError("TernMQ does not run under python -O: its checks must stay in place")
    lock = _lock(disk, name)
    reason(0)  # reads the texts now: without file descriptors, errors must still have their names
    is_started = False  # not `shell is None`: compiled, that test loses the error on its way
    try:
        if when_locked is not None:
            when_locked()
        clock = OsClock()
        if not exists(disk):
            if not create:
                raise _no_such(name, "its data folder is empty")
            create_queue_manager(disk, clock, OsEntropy(), name, parameters)
        owner = user or _user()
        engine = Engine(disk, clock, begun_as, socket.gethostname(), progress)
        authority = engine.kernel.authority
        authority.owner = owner
        if security is not False:
            authority.enable(_directory(disk, security), owner)
        authority.know_number(owner, os.getuid() if owner == _user() else -1)
        shell = Shell(engine, disk)
        is_started = True
    finally:
        if not is_started:
            disk.abandon()  # restart may have opened files of the log
            lock.release()
    started = Started(shell, lock, owner, application or _application(), measure)
    _running.append(started)
    return started


def _serving(started: Started) -> Started:
    """It serves metrics, if its settings say so; it is stopped if it cannot."""
    measure = started.measure
    if measure is not None and measure.metrics_port is not None and measure.metrics_at_start:
        try:
            started.measurement.serve_metrics()
        except OSError:
            started.stop()
            raise
    return started


def _lock(disk: Disk, name: str) -> DiskLock:
    """The lock of the folder; the disk is closed if it cannot be had."""
    try:
        return disk.lock(LOCK_PATH)
    except DiskLocked as locked:
        disk.close()
        if locked.holder in ("this process", f"process {os.getpid()}"):
            detail = (
                f"its data folder is in use by this program, process {os.getpid()}: use "
                "qmgr.connect() of the queue manager that it has open"
            )
        else:
            detail = (
                f"its data folder is in use: {locked}. End that process; if strmqm has started "
                f"the queue manager, use ternmq.connect({name!r})"
            )
        raise mq_error(
            MQRC_Q_MGR_NOT_AVAILABLE, verb="MQCONN", object=name, detail=detail
        ) from locked
    except OSError:
        disk.close()
        raise


def _directory(disk: Disk, security: Security) -> Users:
    """The known users: those of the table, or of the password file and the operating system."""
    if isinstance(security, Mapping):
        return GroupTable({user: tuple(groups) for user, groups in security.items()})
    return PasswordUsers(disk, OsUsers())


def _application() -> str:
    return os.path.basename(sys.argv[0]) or "python"


def _user() -> str:
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())
    return str(os.getuid()) if user_name_fault(name) else name
