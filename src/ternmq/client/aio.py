"""An embedded queue manager and its connections for tasks: as `embedded` and `connection`.

What is opened (`embedded`, `memory`, `connect`, `queue`) is opened by `async with` or by `await`.
Everything belongs to the loop in which it was opened; starting and stopping run in a thread.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Generator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, final

from ternmq.admin.command import Answer, Command
from ternmq.admin.execute import execution_of, mqsc_execution
from ternmq.admin.execution import Execution
from ternmq.admin.inquiries import queue_attributes, queue_manager_attributes, queue_names
from ternmq.admin.mqsc_lexer import commands_of
from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.limits import (
    LOG_FILE_PAGES_DEFAULT,
    LOG_PRIMARY_FILES_DEFAULT,
    LOG_SECONDARY_FILES_DEFAULT,
)
from ternmq.base.object_types import ALIAS, LOCAL, MODEL, QMGR
from ternmq.client import embedded as embedded_twin
from ternmq.client import steps
from ternmq.client.aio_queue import Queue
from ternmq.client.aio_shell import LoopShell, loop_shell_of
from ternmq.client.aio_stream_api import QueueCursor, QueueStream, open_cursor
from ternmq.client.aio_thread import in_thread
from ternmq.client.aio_verbs import TaskVerbs
from ternmq.client.dropped import warn_dropped
from ternmq.client.extension_steps import BatchOutcome, CommitBatch
from ternmq.client.handles import open_options
from ternmq.client.inert import warn_inert, warn_inert_altered
from ternmq.client.log_extents import LogExtents, log_extents
from ternmq.client.log_status import LogStatus, log_status
from ternmq.client.measurement import Measurement, SMFRead, SMFStatus, measure_settings
from ternmq.client.requests import Data, as_bytes, put1_alternate, put1_request
from ternmq.client.session import BLOCK, sharing
from ternmq.client.starting import (
    Security,
    Started,
    log_parameters,
    start_in_folder,
    start_in_memory,
)
from ternmq.client.stream_api import Start, StepT
from ternmq.codec.mqmd import Descriptor
from ternmq.codec.mqod import ObjectDescriptor
from ternmq.kernel.connection import Connection as Link
from ternmq.mqi.options import refuse
from ternmq.txn.unit import XID

if TYPE_CHECKING:
    from ternmq.client.command_server import CommandServer
    from ternmq.client.smf_settings import SMFDestination


class Closable(Protocol):
    """What `async with` closes."""

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


Opened = TypeVar("Opened", bound=Closable)
Result = TypeVar("Result")


@final
class Opening(Generic[Opened]):
    """Something that `await` opens, or `async with` opens and closes."""

    def __init__(self, opening: Coroutine[Any, Any, Opened]) -> None:
        self._opening = opening
        self._opened: Opened | None = None

    def __await__(self) -> Generator[Any, Any, Opened]:
        return self._opening.__await__()

    async def __aenter__(self) -> Opened:
        self._opened = await self._opening
        return self._opened

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._opened is not None:
            await self._opened.__aexit__(kind, error, trace)


@final
class Unit:
    """`async with connection.unit_of_work()`: commits at the end, backs out if the block raises."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def __aenter__(self) -> Unit:
        await self._connection.begin()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._connection.in_unit:
            return  # ended inside the block
        if kind is None:
            await self._connection.commit()
        else:
            await self._connection.backout()

    async def commit(self) -> None:
        """End the unit here."""
        await self._connection.commit()

    async def backout(self) -> None:
        """Undo the unit here."""
        await self._connection.backout()


class Connection:
    """One application's connection to a queue manager, used by one task at a time."""

    def __init__(
        self, loop_shell: LoopShell, user: str, application: str, options: int | None = None
    ) -> None:
        share = sharing(options)
        if share == BLOCK:
            refuse("MQCONNX", "a task does not wait for another's verb: MQCNO_HANDLE_SHARE_BLOCK")
        self._link: Link | None = None  # for one that is never made: `__del__` comes all the same
        self._warns = True  # if it is dropped
        self._loop_shell = loop_shell
        self._engine = loop_shell.engine
        self.verbs = TaskVerbs(loop_shell, user, application, share)
        if options is not None:
            self.verbs.link.connect_options = options
        self._link = self.verbs.link

    @property
    def in_unit(self) -> bool:
        """Whether puts and gets are inside syncpoint unless they say otherwise."""
        return self.verbs.in_unit

    @property
    def name(self) -> str:
        """The queue manager's name."""
        return self._engine.name

    @property
    def connection_id(self) -> bytes:
        """24 bytes that name this connection, as MQCNO returns them."""
        return self.verbs.link.tag

    @property
    def connected(self) -> bool:
        """Whether the connection can still be used."""
        return self.verbs.link.connected

    # ---- queues

    def queue(
        self,
        name: str,
        *,
        exclusive: bool = False,
        dynamic_name: str = "AMQ.*",
        options: int = 0,
    ) -> Opening[Queue]:
        """Open a queue, with `async with` or `await`. A model queue gives a new dynamic one, named
        after `dynamic_name`.

        `options` are MQOO options for one handle that does everything; without them handles are
        opened as needed.
        """
        return Opening(self._open_queue(name, exclusive, dynamic_name, options))

    async def _open_queue(
        self, name: str, exclusive: bool, dynamic_name: str, options: int
    ) -> Queue:
        options = open_options(self._engine.kernel, name, exclusive, options)
        od = ObjectDescriptor(object_name=name, dynamic_queue_name=dynamic_name)
        base = await self.verbs.open(od, options or mq.MQOO_INQUIRE)
        return Queue(self.verbs, base, name)

    async def put(
        self,
        queue_name: str,
        data: Data,
        *,
        descriptor: Descriptor | None = None,
        qmgr_name: str = "",
        alternate_user: str = "",
        options: int = 0,
    ) -> bytes:
        """MQPUT1: one message to a queue that need not stay open; returns its MsgId.

        `qmgr_name` names another queue manager; `options` are MQPMO options beside those of the
        unit of work. With `alternate_user` it is that user who must have the authority.
        """
        request = put1_request(
            self.verbs, data, descriptor, options | put1_alternate(alternate_user)
        )
        od = ObjectDescriptor(
            object_name=queue_name,
            object_qmgr_name=qmgr_name,
            alternate_user_id=alternate_user,
        )
        entry = await self.verbs.put1(od, request, as_bytes(data))
        return entry.msg_id

    # ---- units of work

    def unit_of_work(self) -> Unit:
        """What is put and got inside the `async with` block happens whole or not at all."""
        return Unit(self)

    async def begin(self) -> None:
        """Put and get inside syncpoint from now on, until `commit` or `backout`."""
        await self.verbs.start_unit()

    async def commit(self) -> None:
        """MQCMIT; BackedOut if the queue manager had to undo the unit instead."""
        await self.verbs.commit()

    async def backout(self) -> None:
        """MQBACK."""
        await self.verbs.back_out()

    # ---- two-phase commit, for transaction managers

    async def prepare(self, xid: XID) -> bool:
        """Prepare the unit of work; from then on it is in doubt, also over a restart, until it is
        ended by its XID. False if it changed nothing: then it has ended."""
        return await self.verbs.prepare(xid)

    async def in_doubt(self) -> list[XID]:
        """XIDs of prepared units, and of those that an operator resolved and nobody forgot yet."""
        return self.verbs.recover()

    async def commit_prepared(self, xid: XID) -> None:
        """Commit a prepared unit of work."""
        await self.verbs.end_prepared(xid, True, False)

    async def backout_prepared(self, xid: XID) -> None:
        """Back out a prepared unit of work."""
        await self.verbs.end_prepared(xid, False, False)

    async def resolve(self, xid: XID, *, commit: bool) -> None:
        """An operator's decision for a unit whose transaction manager does not come back;
        remembered until `forget`."""
        await self.verbs.end_prepared(xid, commit, True)

    async def forget(self, xid: XID) -> None:
        """The transaction manager knows of the operator's decision."""
        await self.verbs.forget(xid)

    async def commit_batch(self, owner: str, batch: int, xids: list[XID]) -> BatchOutcome:
        """Commit prepared units of work and note in the ledger that the owner's batch is done, all
        or nothing. A batch that is in the ledger already is not committed again: `committed` of
        the outcome is False, and what was prepared anew is backed out."""
        return (await self.extended(CommitBatch(owner, batch, xids))).outcome()

    # ---- streams

    def stream(self, queue: str) -> QueueStream:
        """The stream of a queue, to be read by number without removing anything. A queue has one
        once it has a cursor or retention (RETAIN)."""
        return QueueStream(self, queue)

    async def cursor(self, name: str, queue: str = "", *, start: Start = "latest") -> QueueCursor:
        """A cursor by its name. If there is none, and `queue` says on what, it is made there, at
        the earliest message of the stream, at the latest (behind all that are there), or at a
        number."""
        return await open_cursor(self, name, queue, start)

    async def extended(self, step: StepT) -> StepT:
        """Carry out a verb of our own."""
        await self.verbs.extended(step)
        return step

    # ---- definitions

    async def define_queue(self, name: str, *, replace: bool = False, **attributes: Any) -> None:
        """Define a local queue; attributes by Python name (`max_depth`) or MQSC keyword
        (`MAXDEPTH`)."""
        await self._define(LOCAL, name, attributes, replace)

    async def define_model(self, name: str, *, replace: bool = False, **attributes: Any) -> None:
        """Define a model queue, from which opening it makes dynamic queues."""
        await self._define(MODEL, name, attributes, replace)

    async def define_alias(
        self, name: str, target: str, *, replace: bool = False, **attributes: Any
    ) -> None:
        """Define another name for a local queue."""
        await self._define(ALIAS, name, {"target": target, **attributes}, replace)

    async def _define(
        self, object_type: int, name: str, attributes: dict[str, Any], replace: bool
    ) -> None:
        warn_inert(object_type, name, attributes)
        await self.verbs.administer(steps.Define(object_type, name, attributes, replace))

    async def alter_queue(self, name: str, **attributes: Any) -> None:
        """Change attributes of a queue."""
        warn_inert_altered(self._engine.kernel.catalog, name, attributes)
        await self.verbs.administer(steps.Alter(name, attributes))

    async def alter_qmgr(self, **attributes: Any) -> None:
        """Change attributes of the queue manager."""
        warn_inert(QMGR, self.name, attributes)
        await self.verbs.administer(steps.AlterQueueManager(attributes))

    async def delete_queue(self, name: str, *, purge: bool = False) -> None:
        """Delete a queue that nobody has open; `purge` also if it holds messages."""
        await self.verbs.administer(steps.Delete(name, purge))

    async def clear_queue(self, name: str) -> None:
        """Remove all messages of a queue that nobody has open."""
        await self.verbs.administer(steps.Clear(name))

    async def attributes(self, name: str) -> dict[str, Value]:
        """All attributes of a queue by Python name."""
        with self._loop_shell.shell.lock:
            return queue_attributes(self._engine.kernel, self.verbs.link, name)

    async def qmgr_attributes(self) -> dict[str, Value]:
        """All attributes of the queue manager by Python name."""
        with self._loop_shell.shell.lock:
            return queue_manager_attributes(self._engine.kernel, self.verbs.link)

    async def queue_names(self) -> list[str]:
        """The names of all queues that the user may see."""
        with self._loop_shell.shell.lock:
            return queue_names(self._engine.kernel, self.verbs.link)

    # ---- commands

    async def mqsc(self, text: str) -> list[Answer]:
        """Carry out MQSC commands, one or more; the answers of all of them in order.

        What is refused is an answer too: `ok` of each tells. An exception means that the queue
        manager could not be asked.
        """
        commands = [one.text for one in commands_of(text) if one.is_command]
        return await self._carry_out([mqsc_execution(one) for one in commands])

    async def command(self, command: Command) -> list[Answer]:
        """Carry out a command that is not written as MQSC."""
        return await self._carry_out([execution_of(command)])

    async def _carry_out(self, executions: list[Execution]) -> list[Answer]:
        if executions:
            await self.verbs.administer(steps.CarryOut(executions))
        return [answer for one in executions for answer in one.answers]

    # ---- the end

    async def disconnect(self) -> None:
        """MQDISC: commits what is open."""
        await self.verbs.disconnect()

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # An exception on its way out is an application that failed, or a task that is cancelled:
        # its unit of work must not be committed.
        await self.verbs.disconnect(vanished=kind is not None)

    def __del__(self) -> None:
        # Inside the collector: no lock may be touched here.
        link = getattr(self, "_link", None)
        if link is not None and link.connected:
            self._loop_shell.shell.dropped.append(link)
            if self._warns:
                warn_dropped(self._engine.name, link.unit is not None)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class QueueManager(Connection):
    """An embedded queue manager with one connection of its own; `connect` gives more."""

    def __init__(self, started: Started) -> None:
        super().__init__(loop_shell_of(started.shell), started.user, started.application)
        self._warns = False  # it is the queue manager that is dropped, and that ends nothing
        self._started = started
        self._running = True

    @property
    def report(self) -> list[str]:
        """What the restart did, line by line, as strmqm tells it."""
        return list(self._engine.report)

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
        return Opening(_connect(self._started, user, application, options))

    def log_status(self) -> LogStatus:
        """What the log has done since the start, and how full it is."""
        return log_status(self._started.shell)

    @property
    def measurement(self) -> Measurement:
        """Where SMF records, statistics messages and metrics go."""
        return self._started.measurement

    def smf_status(self) -> list[SMFStatus]:
        """How the destinations of SMF records are doing."""
        return self.measurement.smf_status()

    async def smf_switch(self, name: str = "") -> list[str]:
        """Begin new data sets or segments, of one destination or of all; whose were begun."""
        switched, cancelled = await in_thread(lambda: self.measurement.smf_switch(name))
        if cancelled is not None:
            raise cancelled
        return switched

    async def smf_read(self, position: int = -1, name: str = "", wait: float = 0.0) -> SMFRead:
        """SMF records of an in-memory stream from a number on (-1: from now on); `wait` so many
        seconds for the first one."""
        return await self.measurement.smf_read_soon(position, name, wait)

    def start_command_server(self) -> CommandServer:
        """Serve PCF commands that arrive on SYSTEM.ADMIN.COMMAND.QUEUE, in a thread, until the end
        of the queue manager."""
        from ternmq.client.command_server import CommandServer  # many do without

        return CommandServer(self._started.shell, self._started.user)

    async def checkpoint(self) -> None:
        """Take a checkpoint now and wait for it."""
        _, cancelled = await in_thread(self._started.checkpoint)
        if cancelled is not None:
            raise cancelled

    # ---- media recovery: with a linear log

    async def record_image(self, name: str = "*") -> list[str]:
        """Write media images to the log (rcdmqimg): of the object of that name, of all that begin
        as a name with a last `*`, or of all. Returns whose images were written; "(catalog)" stands
        for all definitions."""
        step = steps.RecordImage(name)
        await self.verbs.administer(step)
        return step.order.recorded

    async def recreate(self, name: str) -> None:
        """Make an object anew from its last media image and the log since (rcrmqobj), while others
        work. Non-persistent messages on it are gone."""
        await self.verbs.administer(steps.Recreate(name))

    def log_extents(self) -> LogExtents:
        """Which files the log has, and what each is needed for."""
        return log_extents(self._started.shell)

    async def delete_log_extents(self) -> list[str]:
        """Delete the files of the log that neither restart nor media recovery needs; their
        names."""
        step = steps.DeleteLogExtents()
        await self.verbs.administer(step)
        return step.names

    async def close(self) -> None:
        """Stop the queue manager: other connections are backed out, then a last checkpoint is
        taken. Tasks that wait for a message get MQRC_Q_MGR_STOPPING."""
        if not self._running:
            return
        self._running = False
        loop_shell = self._loop_shell
        cancelled: asyncio.CancelledError | None = None
        try:
            if self.connected and self._engine.error_for("") is None:
                await self.verbs.disconnect(vanished=self.verbs.busy)
            cancelled = await loop_shell.drain()
        except asyncio.CancelledError as error:
            cancelled = error
        finally:
            _, again = await in_thread(self._started.stop)
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
        if kind is not None and self.connected and self._engine.error_for("") is None:
            await self.verbs.disconnect(vanished=True)
        await self.close()

    async def __aenter__(self) -> QueueManager:
        return self


async def _start(work: Callable[[], Started]) -> QueueManager:
    started, cancelled = await in_thread(work)
    if cancelled is not None:
        await in_thread(started.stop)
        raise cancelled
    return QueueManager(started)


async def _connect(
    started: Started, user: str | None, application: str | None, options: int | None
) -> Connection:
    loop_shell = loop_shell_of(started.shell)
    return Connection(loop_shell, user or started.user, application or started.application, options)


def connect(
    qmgr: embedded_twin.QueueManager,
    *,
    user: str | None = None,
    application: str | None = None,
    options: int | None = None,
) -> Opening[Connection]:
    """A connection for tasks to a queue manager that `ternmq.embedded` or `ternmq.memory` started,
    so that threads and tasks of one program can share it; with `async with` or `await`."""
    return Opening(_connect(qmgr.started, user, application, options))


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
