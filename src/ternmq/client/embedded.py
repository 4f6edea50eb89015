"""A queue manager inside this process: in a folder, or in memory. Its asyncio twin is `aio`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from ternmq.base.limits import (
    LOG_FILE_PAGES_DEFAULT,
    LOG_PRIMARY_FILES_DEFAULT,
    LOG_SECONDARY_FILES_DEFAULT,
)
from ternmq.client import steps
from ternmq.client.connection import Connection
from ternmq.client.log_extents import LogExtents, log_extents
from ternmq.client.log_status import LogStatus, log_status
from ternmq.client.measurement import Measurement, SMFRead, SMFStatus, measure_settings
from ternmq.client.object_files import ObjectFile, object_files
from ternmq.client.starting import (
    Security,
    Started,
    log_parameters,
    start_in_folder,
    start_in_memory,
)
from ternmq.client.units_in_doubt import UnitInDoubt, units_in_doubt

if TYPE_CHECKING:
    from ternmq.client.command_server import CommandServer
    from ternmq.client.smf_settings import SMFDestination


class QueueManager(Connection):
    """An embedded queue manager with one connection of its own; `connect` gives more."""

    def __init__(self, started: Started) -> None:
        super().__init__(started.shell, started.user, started.application)
        self._warns = False  # it is the queue manager that is dropped, and that ends nothing
        self.started = started
        self._running = True

    @property
    def report(self) -> list[str]:
        """What the restart did, line by line, as strmqm tells it."""
        return list(self._shell.engine.report)

    def connect(
        self,
        *,
        user: str | None = None,
        application: str | None = None,
        options: int | None = None,
    ) -> Connection:
        """Another connection, with its own unit of work.

        `application` is the PutApplName of its messages. `options` are MQCNO options, which say who
        may use the connection; without them, every thread that is not in another's way.
        """
        started = self.started
        return Connection(
            self._shell, user or started.user, application or started.application, options
        )

    def log_status(self) -> LogStatus:
        """What the log has done since the start, and how full it is."""
        return log_status(self._shell)

    def checkpoint(self) -> None:
        """Take a checkpoint now and wait for it."""
        self.started.checkpoint()

    # ---- media recovery: with a linear log

    def record_image(self, name: str = "*") -> list[str]:
        """Write media images to the log (rcdmqimg): of the object of that name, of all that begin
        as a name with a last `*`, of all, or of all definitions ("(catalog)"). Returns whose images
        were written; "(catalog)" stands for all definitions."""
        step = steps.RecordImage(name)
        self.verbs.administer(step)
        return step.order.recorded

    def recreate(self, name: str) -> None:
        """Make an object anew from its last media image and the log since (rcrmqobj), while others
        work. Non-persistent messages on it are gone."""
        self.verbs.administer(steps.Recreate(name))

    def log_extents(self) -> LogExtents:
        """Which files the log has, and what each is needed for."""
        return log_extents(self._shell)

    def object_files(self) -> list[ObjectFile]:
        """Every object, and where it lies under the queue manager's folder (dspmqfls)."""
        with self._shell.lock:
            return object_files(self._shell.engine.kernel.catalog)

    def units_in_doubt(self) -> list[UnitInDoubt]:
        """Prepared units of work, and those that an operator has ended (dspmqtrn)."""
        with self._shell.lock:
            return units_in_doubt(self._shell.engine.kernel)

    def delete_log_extents(self) -> list[str]:
        """Delete the files of the log that neither restart nor media recovery needs; their
        names."""
        step = steps.DeleteLogExtents()
        self.verbs.administer(step)
        return step.names

    # ---- what it measures

    @property
    def measurement(self) -> Measurement:
        """Where SMF records, statistics messages and metrics go."""
        return self.started.measurement

    def smf_status(self) -> list[SMFStatus]:
        """How the destinations of SMF records are doing."""
        return self.measurement.smf_status()

    def smf_switch(self, name: str = "") -> list[str]:
        """Begin new data sets or segments, of one destination or of all; whose were begun."""
        return self.measurement.smf_switch(name)

    def smf_read(self, position: int = -1, name: str = "", wait: float = 0.0) -> SMFRead:
        """SMF records of an in-memory stream from a number on (-1: from now on); `wait` so many
        seconds for the first one."""
        return self.measurement.smf_read(position, name, wait)

    # ---- commands by message

    def start_command_server(self) -> CommandServer:
        """Serve PCF commands that arrive on SYSTEM.ADMIN.COMMAND.QUEUE, each under the authority of
        the user in its message; until its `stop`, or the end of the queue manager."""
        from ternmq.client.command_server import CommandServer  # many do without

        return CommandServer(self._shell, self.started.user)

    def close(self) -> None:
        """Stop the queue manager: other connections are backed out, then a last checkpoint is
        taken."""
        if not self._running:
            return
        self._running = False
        try:
            if self.connected and self._shell.engine.error_for("") is None:
                self.verbs.disconnect(vanished=self.verbs.busy)
        finally:
            self.started.stop()

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


def embedded(
    path: str | os.PathLike[str],
    name: str = "QM1",
    *,
    create: bool = False,
    log_type: str = "circular",
    log_primary_files: int = LOG_PRIMARY_FILES_DEFAULT,
    log_secondary_files: int = LOG_SECONDARY_FILES_DEFAULT,
    log_file_pages: int = LOG_FILE_PAGES_DEFAULT,
    dual_log: bool = False,
    user: str | None = None,
    application: str | None = None,
    security: Security = False,
    smf: Sequence[SMFDestination] | None = None,
    metrics_port: int | None = None,
) -> QueueManager:
    """Start the queue manager `name` that lives in the data folder `path`.

    With `create` it is made if it is not there; the log options count only then. Only one process
    at a time can have it: a second one gets MQRC_Q_MGR_NOT_AVAILABLE. With `security`, what the
    users of `connect` may do is checked; the users and groups are those of the machine and of the
    password file, or of a table: `{"app": ["staff"]}`. `smf` says where SMF records go, once a
    trace is started; with `metrics_port` metrics are served on it, to this machine.
    """
    parameters = log_parameters(
        log_type, log_primary_files, log_secondary_files, log_file_pages, dual_log
    )
    measure = measure_settings(smf, metrics_port)
    return QueueManager(
        start_in_folder(path, name, create, parameters, user, application, security, measure)
    )


def memory(
    name: str = "QM1",
    *,
    user: str | None = None,
    application: str | None = None,
    security: Security = False,
    smf: Sequence[SMFDestination] | None = None,
    metrics_port: int | None = None,
) -> QueueManager:
    """A queue manager that touches no disk and is gone when it is closed: for tests."""
    measure = measure_settings(smf, metrics_port)
    return QueueManager(start_in_memory(name, user, application, security, measure))
