"""A queue manager inside this process: in a folder, or in memory; `aio_embedded` for tasks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from ternmq.api.connection import Connection
from ternmq.base.limits import (
    LOG_FILE_PAGES_DEFAULT,
    LOG_PRIMARY_FILES_DEFAULT,
    LOG_SECONDARY_FILES_DEFAULT,
)
from ternmq.host.shared_threads import thread_transport
from ternmq.outlets.measurement import Measurement, measure_settings
from ternmq.runtime.starting import (
    Security,
    Started,
    log_parameters,
    start_in_folder,
    start_in_memory,
)

if TYPE_CHECKING:
    from ternmq.codec.conversion_service import ConversionExit
    from ternmq.outlets.command_queue import CommandServer
    from ternmq.outlets.smf_settings import SMFDestination


class QueueManager(Connection):
    """An embedded queue manager with one connection of its own; `connect` gives more."""

    def __init__(self, started: Started) -> None:
        own = thread_transport(started.shell, started.user, started.application, None)
        own.warns = False  # it is the queue manager that is dropped, and that ends nothing
        super().__init__(own)
        self._own = own
        self.started = started
        self._running = True

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
            thread_transport(
                started.shell,
                user or started.user,
                application or started.application,
                options,
            )
        )

    def register_conversion(self, format: str, exit: ConversionExit | None) -> None:
        """Use a data-conversion exit for the data of a format when a get converts; None: use none.

        It gets an `ExitParameters` and returns the converted bytes. If it returns None or raises,
        the message comes as it is, with a warning. It runs in the process of the queue manager."""
        service = self.started.shell.engine.kernel.conversion
        if exit is None:
            service.remove(format)
        else:
            service.add(format, exit)

    @property
    def measurement(self) -> Measurement:
        """Where SMF records, statistics messages and metrics go."""
        return self.started.measurement

    def start_command_server(self) -> CommandServer:
        """Serve PCF commands that arrive on SYSTEM.ADMIN.COMMAND.QUEUE, each under the authority of
        the user in its message; until its `stop`, or the end of the queue manager."""
        from ternmq.outlets.command_queue import CommandServer  # many do without

        return CommandServer(self.started.shell, self.started.user)

    def close(self) -> None:
        """Stop the queue manager: other connections are backed out, then a last checkpoint is
        taken."""
        if not self._running:
            return
        self._running = False
        try:
            if self.connected and self.started.shell.engine.error_for("") is None:
                self._own.end(self._own.busy)
        finally:
            self.started.stop()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        is_sound = self.started.shell.engine.error_for("") is None
        if kind is not None and self.connected and is_sound:
            self._own.end(True)
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
