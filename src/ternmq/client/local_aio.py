"""A connection to a queue manager that runs in another process, for tasks: the twin of `aio`."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, Unpack, overload

from ternmq.admin.command import Answer, Command
from ternmq.base.attributes import Value
from ternmq.base.object_types import ALIAS, LOCAL, MODEL
from ternmq.client import aio
from ternmq.client import embedded as embedded_twin
from ternmq.client.aio import Opening
from ternmq.client.aio_stream_api import QueueCursor, QueueStream, open_cursor
from ternmq.client.extension_steps import BatchOutcome, CommitBatch
from ternmq.client.local_aio_queue import ClientQueue
from ternmq.client.local_answers import answer_from, command_value
from ternmq.client.local_connection import application_name
from ternmq.client.local_folder import place_to_connect
from ternmq.client.local_requests import put1_packed
from ternmq.client.local_socket import hello
from ternmq.client.local_stream import StreamVerbs, opened_stream, said_hello
from ternmq.client.local_verbs import LocalVerbs
from ternmq.client.log_extents import LogExtents
from ternmq.client.log_status import LogStatus
from ternmq.client.measurement import SMFRead, SMFStatus, smf_answer
from ternmq.client.net_connect import (
    NO_WAY,
    Way,
    WayArguments,
    connect_tasks,
    goes_by_network,
    options_besides,
    plan_for,
)
from ternmq.client.remote_tasks import TaskVerbs
from ternmq.client.remote_verbs import Exchange, Result, described, put1_described
from ternmq.client.requests import Data, as_bytes, put1_alternate
from ternmq.client.session import BLOCK, sharing
from ternmq.client.stream_api import Start, StepT
from ternmq.codec.mqmd import Descriptor
from ternmq.codec.mqsts import Status
from ternmq.mqi.options import refuse
from ternmq.txn.unit import XID


class ClientUnit:
    """`with connection.unit_of_work()`: commits at the end, backs out if the block raises."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def __aenter__(self) -> ClientUnit:
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


class ClientConnection:
    """One application's connection to a queue manager in another process."""

    def __init__(self, transport: TaskVerbs) -> None:
        self.transport = transport
        self.verbs = transport.verbs

    async def run(self, verb: str, exchange: Exchange[Result]) -> Result:
        """A verb, to its end."""
        return await self.transport.run(verb, exchange)

    async def call(self, verb: str, call: str, /, **arguments: Any) -> dict[str, Any]:
        """A call of the binding by its name, for what has no method here."""
        return await self.run(verb, self.verbs.call(call, **arguments))

    @property
    def in_unit(self) -> bool:
        """Whether puts and gets are inside syncpoint unless they say otherwise."""
        return self.verbs.in_unit

    @property
    def name(self) -> str:
        """The queue manager's name."""
        return self.verbs.name

    @property
    def connection_id(self) -> bytes:
        """24 bytes that name this connection, as MQCNO returns them."""
        return self.verbs.link.tag

    @property
    def connected(self) -> bool:
        """Whether the connection can still be used."""
        return self.transport.is_alive

    # ---- queues

    def queue(
        self,
        name: str,
        *,
        exclusive: bool = False,
        dynamic_name: str = "AMQ.*",
        options: int = 0,
    ) -> Opening[ClientQueue]:
        """Open a queue, with `async with` or `await`. A model queue gives a new dynamic one, named
        after `dynamic_name`.

        `options` are MQOO options for one handle that does everything; without them handles are
        opened as needed.
        """
        return Opening(self._open_queue(name, exclusive, dynamic_name, options))

    async def _open_queue(
        self, name: str, exclusive: bool, dynamic_name: str, options: int
    ) -> ClientQueue:
        od = described(name, dynamic_name)
        opened = await self.run("MQOPEN", self.verbs.open(od, options, True, exclusive))
        return ClientQueue(self, opened, name)

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
        options |= put1_alternate(alternate_user)
        options, packed = put1_packed(data, descriptor, self.in_unit, options)
        od = put1_described(queue_name, qmgr_name, alternate_user)
        exchange = self.verbs.put1(od, options, packed, as_bytes(data))
        return await self.run("MQPUT1", exchange)

    async def status(self) -> Status:
        """MQSTAT: how puts with MQPMO_ASYNC_RESPONSE went since it was last asked: how many did and
        how many did not, and why the first of those did not."""
        return await self.run("MQSTAT", self.verbs.status())

    # ---- units of work

    def unit_of_work(self) -> ClientUnit:
        """What is put and got inside the `with` block happens whole or not at all."""
        return ClientUnit(self)

    async def begin(self) -> None:
        """Put and get inside syncpoint from now on, until `commit` or `backout`."""
        await self.run("MQBEGIN", self.verbs.start_unit())

    async def commit(self) -> None:
        """MQCMIT; BackedOut if the queue manager had to undo the unit instead."""
        await self.run("MQCMIT", self.verbs.commit())

    async def backout(self) -> None:
        """MQBACK; nothing happens if the connection is gone, and its unit of work with it."""
        if self.connected:
            await self.run("MQBACK", self.verbs.back_out())

    # ---- two-phase commit, for transaction managers

    async def prepare(self, xid: XID) -> bool:
        """Prepare the unit of work; from then on it is in doubt, also over a restart, until it is
        ended by its XID.

        False if it changed nothing: then it has ended and there is nothing to decide.
        """
        return await self.run("prepare", self.verbs.prepare(xid))

    async def in_doubt(self) -> list[XID]:
        """XIDs of prepared units, and of units that an operator resolved and nobody has
        forgotten yet."""
        return await self.run("recover", self.verbs.recover())

    async def commit_prepared(self, xid: XID) -> None:
        """Commit a prepared unit of work."""
        await self.run("commit", self.verbs.end_prepared(xid, True, False))

    async def backout_prepared(self, xid: XID) -> None:
        """Back out a prepared unit of work."""
        await self.run("backout", self.verbs.end_prepared(xid, False, False))

    async def resolve(self, xid: XID, *, commit: bool) -> None:
        """An operator's decision for a unit whose transaction manager does not come back;
        remembered until `forget`."""
        verb = "commit" if commit else "backout"
        await self.run(verb, self.verbs.end_prepared(xid, commit, True))

    async def forget(self, xid: XID) -> None:
        """The transaction manager knows of the operator's decision."""
        await self.run("forget", self.verbs.forget(xid))

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
        await self.run(step.verb, self.verbs.extended(step))
        return step

    # ---- definitions

    async def define_queue(self, name: str, *, replace: bool = False, **attributes: Any) -> None:
        """Define a local queue; attributes by Python name (`max_depth`) or MQSC keyword
        (`MAXDEPTH`)."""
        await self.run("DEFINE", self.verbs.define(LOCAL, name, attributes, replace))

    async def define_model(self, name: str, *, replace: bool = False, **attributes: Any) -> None:
        """Define a model queue, from which opening it makes dynamic queues."""
        await self.run("DEFINE", self.verbs.define(MODEL, name, attributes, replace))

    async def define_alias(
        self, name: str, target: str, *, replace: bool = False, **attributes: Any
    ) -> None:
        """Define another name for a local queue."""
        given = {"target": target, **attributes}
        await self.run("DEFINE", self.verbs.define(ALIAS, name, given, replace))

    async def alter_queue(self, name: str, **attributes: Any) -> None:
        """Change attributes of a queue."""
        await self.run("ALTER", self.verbs.alter(name, attributes))

    async def alter_qmgr(self, **attributes: Any) -> None:
        """Change attributes of the queue manager."""
        await self.run("ALTER QMGR", self.verbs.alter_qmgr(attributes))

    async def delete_queue(self, name: str, *, purge: bool = False) -> None:
        """Delete a queue that nobody has open; `purge` also if it holds messages."""
        await self.call("DELETE", "delete", name=name, purge=purge)

    async def clear_queue(self, name: str) -> None:
        """Remove all messages of a queue that nobody has open."""
        await self.call("CLEAR", "clear", name=name)

    async def attributes(self, name: str) -> dict[str, Value]:
        """All attributes of a queue by Python name."""
        found: dict[str, Value] = (await self.call("DISPLAY", "attributes", name=name))[
            "attributes"
        ]
        return found

    async def qmgr_attributes(self) -> dict[str, Value]:
        """All attributes of the queue manager by Python name."""
        found: dict[str, Value] = (await self.call("DISPLAY", "qmgr_attributes"))["attributes"]
        return found

    async def queue_names(self) -> list[str]:
        """The names of all queues."""
        names: list[str] = (await self.call("DISPLAY", "queue_names"))["names"]
        return names

    # ---- commands

    async def mqsc(self, text: str) -> list[Answer]:
        """Carry out MQSC commands, one or more; the answers of all of them in order.

        What is refused is an answer too: `ok` of each tells. An exception means that the queue
        manager could not be asked.
        """
        told = await self.call("MQSC", "mqsc", text=text)
        return [answer_from(answer) for answer in told["answers"]]

    async def command(self, command: Command) -> list[Answer]:
        """Carry out a command that is not written as MQSC."""
        told = await self.call("command", "command", command=command_value(command))
        return [answer_from(answer) for answer in told["answers"]]

    # ---- what the embedded queue manager has beside

    async def report(self) -> list[str]:
        """What the restart did, line by line, as strmqm tells it."""
        lines: list[str] = (await self.call("DISPLAY", "report"))["report"]
        return lines

    async def log_status(self) -> LogStatus:
        """What the log has done since the start, and how full it is."""
        return LogStatus(**await self.call("DISPLAY", "log_status"))

    async def checkpoint(self) -> None:
        """Take a checkpoint now and wait for it."""
        await self.call("checkpoint", "checkpoint")

    async def record_image(self, name: str = "*") -> list[str]:
        """Write media images to the log (rcdmqimg)."""
        names: list[str] = (await self.call("record image", "record_image", name=name))["names"]
        return names

    async def recreate(self, name: str) -> None:
        """Make an object anew from its last media image and the log since (rcrmqobj)."""
        await self.call("recreate", "recreate", name=name)

    async def log_extents(self) -> LogExtents:
        """Which files the log has, and what each is needed for."""
        told = await self.call("DISPLAY", "log_extents")
        for field in ("stored", "archivable", "superfluous"):
            told[field] = tuple(told[field])
        return LogExtents(**told)

    async def smf_status(self) -> list[SMFStatus]:
        """How the destinations of SMF records are doing."""
        told = await self.call("DISPLAY", "smf_status")
        return [SMFStatus(**one) for one in told["destinations"]]

    async def smf_switch(self, name: str = "") -> list[str]:
        """Begin new data sets or segments, of one destination or of all; whose were begun."""
        names: list[str] = (await self.call("smf switch", "smf_switch", name=name))["names"]
        return names

    async def smf_read(self, position: int = -1, name: str = "", wait: float = 0.0) -> SMFRead:
        """SMF records of an in-memory stream from a number on (-1: from now on); `wait` so many
        seconds for the first one, up to 10."""
        told = await self.call(
            "smf read",
            "smf_read",
            name=name,
            first=max(position, 0),
            wait_ms=max(0, int(wait * 1000)),
        )
        return smf_answer(told)

    async def delete_log_extents(self) -> list[str]:
        """Delete the files of the log that neither restart nor media recovery needs."""
        names: list[str] = (await self.call("delete log extents", "delete_log_extents"))["names"]
        return names

    # ---- the end

    async def disconnect(self) -> None:
        """MQDISC: commits what is open."""
        await self.transport.disconnect()

    async def __aenter__(self) -> ClientConnection:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # An exception on its way out is an application that failed: its unit of work must not be
        # committed.
        await self.transport.disconnect(vanished=kind is not None)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


async def open_connection(
    name: str,
    user: str | None,
    password: str | None,
    application: str | None,
    options: int | None,
    data: str | os.PathLike[str] | None,
    way: Way = NO_WAY,
) -> ClientConnection:
    """What `aio.connect` does with the name of a queue manager."""
    by_network = goes_by_network(name, way, options, data)
    share = sharing(options_besides(options) if by_network else options)
    if share == BLOCK:
        refuse("MQCONNX", "a task does not wait for another's verb: MQCNO_HANDLE_SHARE_BLOCK")
    if by_network:
        plan = plan_for(name, way, user, password, application_name(application), options)
        return ClientConnection(await connect_tasks(plan, share))
    place = place_to_connect(data, name)
    stream = await opened_stream(place)
    try:
        said = hello(user, password, application_name(application), options)
        verbs = LocalVerbs(await said_hello(stream, said, place.name))
    except BaseException:
        stream.close()
        raise
    return ClientConnection(StreamVerbs(stream, verbs, share))


@overload
def connect(
    qmgr: embedded_twin.QueueManager,
    *,
    user: str | None = None,
    application: str | None = None,
    options: int | None = None,
    data: None = None,
) -> Opening[aio.Connection]: ...


@overload
def connect(
    qmgr: str = "",
    *,
    user: str | None = None,
    password: str | None = None,
    application: str | None = None,
    options: int | None = None,
    data: str | os.PathLike[str] | None = None,
    **way: Unpack[WayArguments],
) -> Opening[ClientConnection]: ...


def connect(
    qmgr: embedded_twin.QueueManager | str = "",
    *,
    user: str | None = None,
    password: str | None = None,
    application: str | None = None,
    options: int | None = None,
    data: str | os.PathLike[str] | None = None,
    **way: Unpack[WayArguments],
) -> Opening[aio.Connection] | Opening[ClientConnection]:
    """A connection for tasks, with `async with` or `await`.

    By name to a queue manager that strmqm has started on this machine, or to one on the network;
    arguments as those of `ternmq.connect`. Or to one that `ternmq.embedded` or `ternmq.memory`
    started in this process, so that threads and tasks of one program can share it.
    """
    if isinstance(qmgr, str):
        return Opening(
            open_connection(qmgr, user, password, application, options, data, Way(**way))
        )
    return aio.connect(qmgr, user=user, application=application, options=options)
