"""A connection: queues, one unit of work, and the definitions that applications and tests need."""

from __future__ import annotations

from types import TracebackType
from typing import Any, final

from ternmq.admin.command import Answer, Command
from ternmq.admin.execute import execution_of, mqsc_execution
from ternmq.admin.execution import Execution
from ternmq.admin.inquiries import queue_attributes, queue_manager_attributes, queue_names
from ternmq.admin.mqsc_lexer import commands_of
from ternmq.base.attributes import Value
from ternmq.base.object_types import ALIAS, LOCAL, MODEL, QMGR
from ternmq.client import steps
from ternmq.client.dropped import warn_dropped
from ternmq.client.extension_steps import BatchOutcome, CommitBatch
from ternmq.client.handles import open_options
from ternmq.client.inert import warn_inert, warn_inert_altered
from ternmq.client.queue import Queue
from ternmq.client.requests import Data, as_bytes, put1_alternate, put1_request
from ternmq.client.shared_verbs import verbs_for
from ternmq.client.shell import Shell
from ternmq.client.stream_api import QueueCursor, QueueStream, Start, StepT
from ternmq.codec.mqmd import Descriptor
from ternmq.codec.mqod import ObjectDescriptor
from ternmq.kernel.connection import Connection as Link
from ternmq.txn.unit import XID


@final
class Unit:
    """`with connection.unit_of_work()`: commits at the end, backs out if the block raises."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __enter__(self) -> Unit:
        self._connection.begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._connection.in_unit:
            return  # ended inside the block
        if kind is None:
            self._connection.commit()
        else:
            self._connection.backout()

    def commit(self) -> None:
        """End the unit here."""
        self._connection.commit()

    def backout(self) -> None:
        """Undo the unit here."""
        self._connection.backout()


class Connection:
    """One application's connection to a queue manager."""

    def __init__(
        self, shell: Shell, user: str, application: str, options: int | None = None
    ) -> None:
        self._link: Link | None = None  # for one that is never made: `__del__` comes all the same
        self._warns = True  # if it is dropped
        self._shell = shell
        self.verbs = verbs_for(shell, user, application, options)
        self._link = self.verbs.link

    @property
    def in_unit(self) -> bool:
        """Whether puts and gets are inside syncpoint unless they say otherwise."""
        return self.verbs.in_unit

    @property
    def name(self) -> str:
        """The queue manager's name."""
        return self._shell.engine.name

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
    ) -> Queue:
        """Open a queue. A model queue gives a new dynamic one, named after `dynamic_name`.

        `options` are MQOO options for one handle that does everything; without them handles are
        opened as needed.
        """
        options = open_options(self._shell.engine.kernel, name, exclusive, options)
        return Queue(self, name, options, dynamic_name)

    def put(
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
        return self.verbs.put1(od, request, as_bytes(data)).msg_id

    # ---- units of work

    def unit_of_work(self) -> Unit:
        """What is put and got inside the `with` block happens whole or not at all."""
        return Unit(self)

    def begin(self) -> None:
        """Put and get inside syncpoint from now on, until `commit` or `backout`."""
        self.verbs.start_unit()

    def commit(self) -> None:
        """MQCMIT; BackedOut if the queue manager had to undo the unit instead."""
        self.verbs.commit()

    def backout(self) -> None:
        """MQBACK."""
        self.verbs.back_out()

    # ---- two-phase commit, for transaction managers

    def prepare(self, xid: XID) -> bool:
        """Prepare the unit of work; from then on it is in doubt, also over a restart, until it is
        ended by its XID.

        False if it changed nothing: then it has ended and there is nothing to decide.
        """
        return self.verbs.prepare(xid)

    def in_doubt(self) -> list[XID]:
        """XIDs of prepared units, and of units that an operator resolved and nobody has
        forgotten yet."""
        return self.verbs.recover()

    def commit_prepared(self, xid: XID) -> None:
        """Commit a prepared unit of work."""
        self.verbs.end_prepared(xid, True, False)

    def backout_prepared(self, xid: XID) -> None:
        """Back out a prepared unit of work."""
        self.verbs.end_prepared(xid, False, False)

    def resolve(self, xid: XID, *, commit: bool) -> None:
        """An operator's decision for a unit whose transaction manager does not come back;
        remembered until `forget`."""
        self.verbs.end_prepared(xid, commit, True)

    def forget(self, xid: XID) -> None:
        """The transaction manager knows of the operator's decision."""
        self.verbs.forget(xid)

    def commit_batch(self, owner: str, batch: int, xids: list[XID]) -> BatchOutcome:
        """Commit prepared units of work and note in the ledger that the owner's batch is done, all
        or nothing. A batch that is in the ledger already is not committed again: `committed` of
        the outcome is False, and what was prepared anew is backed out."""
        return self.extended(CommitBatch(owner, batch, xids)).outcome()

    # ---- streams

    def stream(self, queue: str) -> QueueStream:
        """The stream of a queue, to be read by number without removing anything. A queue has one
        once it has a cursor or retention (RETAIN)."""
        return QueueStream(self, queue)

    def cursor(self, name: str, queue: str = "", *, start: Start = "latest") -> QueueCursor:
        """A cursor by its name. If there is none, and `queue` says on what, it is made there, at
        the earliest message of the stream, at the latest (behind all that are there), or at a
        number."""
        return QueueCursor(self, name, queue, start)

    def extended(self, step: StepT) -> StepT:
        """Carry out a verb of our own."""
        self.verbs.extended(step)
        return step

    # ---- definitions

    def define_queue(self, name: str, *, replace: bool = False, **attributes: Any) -> None:
        """Define a local queue; attributes by Python name (`max_depth`) or MQSC keyword
        (`MAXDEPTH`)."""
        self._define(LOCAL, name, attributes, replace)

    def define_model(self, name: str, *, replace: bool = False, **attributes: Any) -> None:
        """Define a model queue, from which opening it makes dynamic queues."""
        self._define(MODEL, name, attributes, replace)

    def define_alias(
        self, name: str, target: str, *, replace: bool = False, **attributes: Any
    ) -> None:
        """Define another name for a local queue."""
        self._define(ALIAS, name, {"target": target, **attributes}, replace)

    def _define(
        self, object_type: int, name: str, attributes: dict[str, Any], replace: bool
    ) -> None:
        warn_inert(object_type, name, attributes)
        self.verbs.administer(steps.Define(object_type, name, attributes, replace))

    def alter_queue(self, name: str, **attributes: Any) -> None:
        """Change attributes of a queue."""
        warn_inert_altered(self._shell.engine.kernel.catalog, name, attributes)
        self.verbs.administer(steps.Alter(name, attributes))

    def alter_qmgr(self, **attributes: Any) -> None:
        """Change attributes of the queue manager."""
        warn_inert(QMGR, self.name, attributes)
        self.verbs.administer(steps.AlterQueueManager(attributes))

    def delete_queue(self, name: str, *, purge: bool = False) -> None:
        """Delete a queue that nobody has open; `purge` also if it holds messages."""
        self.verbs.administer(steps.Delete(name, purge))

    def clear_queue(self, name: str) -> None:
        """Remove all messages of a queue that nobody has open."""
        self.verbs.administer(steps.Clear(name))

    def attributes(self, name: str) -> dict[str, Value]:
        """All attributes of a queue by Python name."""
        with self._shell.lock:
            return queue_attributes(self._shell.engine.kernel, self.verbs.link, name)

    def qmgr_attributes(self) -> dict[str, Value]:
        """All attributes of the queue manager by Python name."""
        with self._shell.lock:
            return queue_manager_attributes(self._shell.engine.kernel, self.verbs.link)

    def queue_names(self) -> list[str]:
        """The names of all queues that the user may see."""
        with self._shell.lock:
            return queue_names(self._shell.engine.kernel, self.verbs.link)

    # ---- commands

    def mqsc(self, text: str) -> list[Answer]:
        """Carry out MQSC commands, one or more; the answers of all of them in order.

        What is refused is an answer too: `ok` of each tells. An exception means that the queue
        manager could not be asked.
        """
        commands = [one.text for one in commands_of(text) if one.is_command]
        return self._carry_out([mqsc_execution(one) for one in commands])

    def command(self, command: Command) -> list[Answer]:
        """Carry out a command that is not written as MQSC."""
        return self._carry_out([execution_of(command)])

    def _carry_out(self, executions: list[Execution]) -> list[Answer]:
        if executions:
            self.verbs.administer(steps.CarryOut(executions))
        return [answer for one in executions for answer in one.answers]

    # ---- the end

    def disconnect(self) -> None:
        """MQDISC: commits what is open."""
        self.verbs.disconnect()

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None and self.connected:
            # An exception on its way out is an application that failed: its unit of work must not
            # be committed.
            self.verbs.disconnect(vanished=True)
        else:
            self.disconnect()

    def __del__(self) -> None:
        # Inside the collector: no lock may be touched here.
        link = self._link
        if link is not None and link.connected:
            self._shell.dropped.append(link)
            if self._warns:
                warn_dropped(self._shell.engine.name, link.unit is not None)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"
