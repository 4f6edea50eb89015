"""A queue manager inside this process, for tasks. Starting and stopping run in a thread."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from ternmq.api.aio import Connection
from ternmq.api.aio_opening import Opening
from ternmq.base.limits import (
    LOG_FILE_PAGES_DEFAULT,
    LOG_PRIMARY_FILES_DEFAULT,
    LOG_SECONDARY_FILES_DEFAULT,
)
from ternmq.host.in_thread import in_thread
from ternmq.host.loop_shell import loop_shell_of
from ternmq.host.tasks import task_transport
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
        loop_shell = loop_shell_of(started.shell)
        own = task_transport(loop_shell, started.user, started.application, None)
        own.warns = False  # it is the queue manager that is dropped, and that ends nothing
        super().__init__(own)
        self._own = own
        self._loop_shell = loop_shell
        self.started = started
        self._running = True

    def connect(
        self,
        *,
        user: str | None = None,
        application: str | None = None,
        options: int | None = None,
    ) -> Opening[Connection]:
        """Another connection, with its own unit of work; with `async with` or `await`.

        `options` are MQCNO options; here, what they say about threads is about tasks.
        """
        return Opening(connect_started(self.started, user, application, options))

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
        """Serve PCF commands that arrive on SYSTEM.ADMIN.COMMAND.QUEUE, in a thread, until the end
        of the queue manager."""
        from ternmq.outlets.command_queue import CommandServer  # many do without

        return CommandServer(self.started.shell, self.started.user)

    async def close(self) -> None:
        """Stop the queue manager: other connections are backed out, then a last checkpoint is
        taken. Tasks that wait for a message get MQRC_Q_MGR_STOPPING."""
        if not self._running:
            return
        self._running = False
        cancelled: asyncio.CancelledError | None = None
        try:
            if self.connected and self.started.shell.engine.error_for("") is None:
                await self._own.end(self._own.busy)
            cancelled = await self._loop_shell.drain()
        except asyncio.CancelledError as error:
            cancelled = error
        finally:
            _, again = await in_thread(self.started.stop)
        if cancelled is None:
            cancelled = again
        if cancelled is not None:
            raise cancelled

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        is_sound = self.started.shell.engine.error_for("") is None
        if kind is not None and self.connected and is_sound:
            await self._own.end(True)
        await self.close()

    async def __aenter__(self) -> QueueManager:
        return self


async def _start(work: Callable[[], Started]) -> QueueManager:
    started, cancelled = await in_thread(work)
    if cancelled is not None:
        await in_thread(started.stop)
        raise cancelled
    return QueueManager(started)


async def connect_started(
    started: Started, user: str | None, application: str | None, options: int | None
) -> Connection:
    """A connection for tasks to a queue manager that runs in this process."""
    loop_shell = loop_shell_of(started.shell)
    return Connection(
        task_transport(
            loop_shell, user or started.user, application or started.application, options
        )
    )


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
) -> Opening[QueueManager]:
    """Start the queue manager `name` that lives in the data folder `path`, with `async with` or
    `await`; arguments as those of `ternmq.embedded`."""
    parameters = log_parameters(
        log_type, log_primary_files, log_secondary_files, log_file_pages, dual_log
    )
    measure = measure_settings(smf, metrics_port)
    return Opening(
        _start(
            lambda: start_in_folder(
                path, name, create, parameters, user, application, security, measure
            )
        )
    )


def memory(
    name: str = "QM1",
    *,
    user: str | None = None,
    application: str | None = None,
    security: Security = False,
    smf: Sequence[SMFDestination] | None = None,
    metrics_port: int | None = None,
) -> Opening[QueueManager]:
    """A queue manager that touches no disk and is gone when it is closed: for tests."""
    measure = measure_settings(smf, metrics_port)
    return Opening(_start(lambda: start_in_memory(name, user, application, security, measure)))
