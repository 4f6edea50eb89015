"""A connection to a queue manager that runs in another process: the twin of `connection`.

`connect` finds the queue manager through the data folder. What the embedded `QueueManager` can do
beside (status of the log, media recovery) is here too, for commands and for those who look after
it.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Any, Unpack

from ternmq.admin.command import Answer, Command
from ternmq.base.attributes import Value
from ternmq.base.object_types import ALIAS, LOCAL, MODEL
from ternmq.client.extension_steps import BatchOutcome, CommitBatch
from ternmq.client.local_answers import answer_from, command_value
from ternmq.client.local_folder import place_to_connect
from ternmq.client.local_queue import ClientQueue
from ternmq.client.local_requests import put1_packed
from ternmq.client.local_socket import SocketVerbs, hello
from ternmq.client.log_extents import LogExtents
from ternmq.client.log_status import LogStatus
from ternmq.client.measurement import SMFRead, SMFStatus, smf_answer
from ternmq.client.net_connect import (
    Way,
    WayArguments,
    connect_threads,
    goes_by_network,
    options_besides,
    plan_for,
)
from ternmq.client.object_files import ObjectFile
from ternmq.client.remote_threads import BlockingVerbs
from ternmq.client.remote_verbs import Exchange, Result, put1_described
from ternmq.client.requests import Data, as_bytes, put1_alternate
from ternmq.client.session import sharing
from ternmq.client.stream_api import QueueCursor, QueueStream, Start, StepT
from ternmq.client.units_in_doubt import UnitInDoubt
from ternmq.codec.mqmd import Descriptor
from ternmq.codec.mqsts import Status
from ternmq.txn.unit import XID


class ClientUnit:
    """`with connection.unit_of_work()`: commits at the end, backs out if the block raises."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    def __enter__(self) -> ClientUnit:
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


class ClientConnection:
    """One application's connection to a queue manager in another process."""

    def __init__(self, transport: BlockingVerbs) -> None:
        self._transport = transport
        self.verbs = transport.verbs

    @property
    def transport(self) -> BlockingVerbs:
        """What runs the verbs."""
        return self._transport

    def run(self, verb: str, exchange: Exchange[Result]) -> Result:
        """A verb, to its end."""
        return self._transport.run(verb, exchange)

    def call(self, verb: str, call: str, /, **arguments: Any) -> dict[str, Any]:
        """A call of the binding by its name, for what has no method here."""
        return self.run(verb, self.verbs.call(call, **arguments))

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
        return self._transport.is_alive

    # ---- queues

    def queue(
        self,
        name: str,
        *,
        exclusive: bool = False,
        dynamic_name: str = "AMQ.*",
        options: int = 0,
    ) -> ClientQueue:
        """Open a queue. A model queue gives a new dynamic one, named after `dynamic_name`.

        `options` are MQOO options for one handle that does everything; without them handles are
        opened as needed.
        """
        return ClientQueue(self, name, options, dynamic_name, exclusive)

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
        options |= put1_alternate(alternate_user)
        options, packed = put1_packed(data, descriptor, self.in_unit, options)
        od = put1_described(queue_name, qmgr_name, alternate_user)
        exchange = self.verbs.put1(od, options, packed, as_bytes(data))
        return self.run("MQPUT1", exchange)

    def status(self) -> Status:
        """MQSTAT: how puts with MQPMO_ASYNC_RESPONSE went since it was last asked: how many did and
        how many did not, and why the first of those did not."""
        return self.run("MQSTAT", self.verbs.status())

    # ---- units of work

    def unit_of_work(self) -> ClientUnit:
        """What is put and got inside the `with` block happens whole or not at all."""
        return ClientUnit(self)

    def begin(self) -> None:
        """Put and get inside syncpoint from now on, until `commit` or `backout`."""
        self.run("MQBEGIN", self.verbs.start_unit())

    def commit(self) -> None:
        """MQCMIT; BackedOut if the queue manager had to undo the unit instead."""
        self.run("MQCMIT", self.verbs.commit())

    def backout(self) -> None:
        """MQBACK; nothing happens if the connection is gone, and its unit of work with it."""
        if self.connected:
            self.run("MQBACK", self.verbs.back_out())

    # ---- two-phase commit, for transaction managers

    def prepare(self, xid: XID) -> bool:
        """Prepare the unit of work; from then on it is in doubt, also over a restart, until it is
        ended by its XID.

        False if it changed nothing: then it has ended and there is nothing to decide.
        """
        return self.run("prepare", self.verbs.prepare(xid))

    def in_doubt(self) -> list[XID]:
        """XIDs of prepared units, and of units that an operator resolved and nobody has
        forgotten yet."""
        return self.run("recover", self.verbs.recover())

    def commit_prepared(self, xid: XID) -> None:
        """Commit a prepared unit of work."""
        self.run("commit", self.verbs.end_prepared(xid, True, False))

    def backout_prepared(self, xid: XID) -> None:
        """Back out a prepared unit of work."""
        self.run("backout", self.verbs.end_prepared(xid, False, False))

    def resolve(self, xid: XID, *, commit: bool) -> None:
        """An operator's decision for a unit whose transaction manager does not come back;
        remembered until `forget`."""
        verb = "commit" if commit else "backout"
        self.run(verb, self.verbs.end_prepared(xid, commit, True))

    def forget(self, xid: XID) -> None:
        """The transaction manager knows of the operator's decision."""
        self.run("forget", self.verbs.forget(xid))

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
        self.run(step.verb, self.verbs.extended(step))
        return step

    # ---- definitions

    def define_queue(self, name: str, *, replace: bool = False, **attributes: Any) -> None:
        """Define a local queue; attributes by Python name (`max_depth`) or MQSC keyword
        (`MAXDEPTH`)."""
        self.run("DEFINE", self.verbs.define(LOCAL, name, attributes, replace))

    def define_model(self, name: str, *, replace: bool = False, **attributes: Any) -> None:
        """Define a model queue, from which opening it makes dynamic queues."""
        self.run("DEFINE", self.verbs.define(MODEL, name, attributes, replace))

    def define_alias(
        self, name: str, target: str, *, replace: bool = False, **attributes: Any
    ) -> None:
        """Define another name for a local queue."""
        given = {"target": target, **attributes}
        self.run("DEFINE", self.verbs.define(ALIAS, name, given, replace))

    def alter_queue(self, name: str, **attributes: Any) -> None:
        """Change attributes of a queue."""
        self.run("ALTER", self.verbs.alter(name, attributes))

    def alter_qmgr(self, **attributes: Any) -> None:
        """Change attributes of the queue manager."""
        self.run("ALTER QMGR", self.verbs.alter_qmgr(attributes))

    def delete_queue(self, name: str, *, purge: bool = False) -> None:
        """Delete a queue that nobody has open; `purge` also if it holds messages."""
        self.call("DELETE", "delete", name=name, purge=purge)

    def clear_queue(self, name: str) -> None:
        """Remove all messages of a queue that nobody has open."""
        self.call("CLEAR", "clear", name=name)

    def attributes(self, name: str) -> dict[str, Value]:
        """All attributes of a queue by Python name."""
        found: dict[str, Value] = self.call("DISPLAY", "attributes", name=name)["attributes"]
        return found

    def qmgr_attributes(self) -> dict[str, Value]:
        """All attributes of the queue manager by Python name."""
        found: dict[str, Value] = self.call("DISPLAY", "qmgr_attributes")["attributes"]
        return found

    def queue_names(self) -> list[str]:
        """The names of all queues."""
        names: list[str] = self.call("DISPLAY", "queue_names")["names"]
        return names

    # ---- commands

    def mqsc(self, text: str) -> list[Answer]:
        """Carry out MQSC commands, one or more; the answers of all of them in order.

        What is refused is an answer too: `ok` of each tells. An exception means that the queue
        manager could not be asked.
        """
        told = self.call("MQSC", "mqsc", text=text)
        return [answer_from(answer) for answer in told["answers"]]

    def command(self, command: Command) -> list[Answer]:
        """Carry out a command that is not written as MQSC."""
        told = self.call("command", "command", command=command_value(command))
        return [answer_from(answer) for answer in told["answers"]]

    # ---- what the embedded queue manager has beside

    @property
    def report(self) -> list[str]:
        """What the restart did, line by line, as strmqm tells it."""
        lines: list[str] = self.call("DISPLAY", "report")["report"]
        return lines

    def log_status(self) -> LogStatus:
        """What the log has done since the start, and how full it is."""
        return LogStatus(**self.call("DISPLAY", "log_status"))

    def checkpoint(self) -> None:
        """Take a checkpoint now and wait for it."""
        self.call("checkpoint", "checkpoint")

    def record_image(self, name: str = "*") -> list[str]:
        """Write media images to the log (rcdmqimg)."""
        names: list[str] = self.call("record image", "record_image", name=name)["names"]
        return names

    def recreate(self, name: str) -> None:
        """Make an object anew from its last media image and the log since (rcrmqobj)."""
        self.call("recreate", "recreate", name=name)

    def log_extents(self) -> LogExtents:
        """Which files the log has, and what each is needed for."""
        told = self.call("DISPLAY", "log_extents")
        for field in ("stored", "archivable", "superfluous"):
            told[field] = tuple(told[field])
        return LogExtents(**told)

    def object_files(self) -> list[ObjectFile]:
        """Every object, and where it lies under the queue manager's folder (dspmqfls)."""
        rows: list[list[Any]] = self.call("DISPLAY", "object_files")["files"]
        return [ObjectFile(*row) for row in rows]

    def units_in_doubt(self) -> list[UnitInDoubt]:
        """Prepared units of work, and those that an operator has ended (dspmqtrn)."""
        rows: list[list[Any]] = self.call("recover", "units_in_doubt")["units"]
        return [
            UnitInDoubt(XID(one[0], bytes.fromhex(one[1]), bytes.fromhex(one[2]), one[4]), one[3])
            for one in rows
        ]

    def smf_status(self) -> list[SMFStatus]:
        """How the destinations of SMF records are doing."""
        return [SMFStatus(**one) for one in self.call("DISPLAY", "smf_status")["destinations"]]

    def smf_switch(self, name: str = "") -> list[str]:
        """Begin new data sets or segments, of one destination or of all; whose were begun."""
        names: list[str] = self.call("smf switch", "smf_switch", name=name)["names"]
        return names

    def smf_read(self, position: int = -1, name: str = "", wait: float = 0.0) -> SMFRead:
        """SMF records of an in-memory stream from a number on (-1: from now on); `wait` so many
        seconds for the first one, up to 10."""
        told = self.call(
            "smf read",
            "smf_read",
            name=name,
            first=max(position, 0),
            wait_ms=max(0, int(wait * 1000)),
        )
        return smf_answer(told)

    def delete_log_extents(self) -> list[str]:
        """Delete the files of the log that neither restart nor media recovery needs."""
        names: list[str] = self.call("delete log extents", "delete_log_extents")["names"]
        return names

    # ---- the end

    def disconnect(self) -> None:
        """MQDISC: commits what is open."""
        self._transport.disconnect()

    def __enter__(self) -> ClientConnection:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # An exception on its way out is an application that failed: its unit of work must not be
        # committed.
        self._transport.disconnect(vanished=kind is not None)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


def application_name(application: str | None) -> str:
    """The name that messages carry: the program's, if nothing was given."""
    return application or os.path.basename(sys.argv[0]) or "python"


def connect(
    name: str = "",
    *,
    user: str | None = None,
    password: str | None = None,
    application: str | None = None,
    options: int | None = None,
    data: str | os.PathLike[str] | None = None,
    **way: Unpack[WayArguments],
) -> ClientConnection:
    """Connect to a queue manager that strmqm has started on this machine, or to one on the network.

    Without a name it is the default one. It is looked for in the data folder: `data`, else
    TERNMQ_DATA, MQ_OVERRIDE_DATA_PATH or the user's own. The system says who the user is; another
    `user` needs its password, except for root and the queue manager's own user. `options` are MQCNO
    options.

    `channel="DEV.APP.SVRCONN", conn="host(1414)"` lead over the network, and so does `ccdt`, or
    what MQSERVER, MQCCDTURL and mqclient.ini say if there is no such queue manager here; for TLS
    there are `cipher`, `key_repository`, `certificate_label` and `peer_name`, for automatic
    reconnection `reconnect` and `on_event`. docs/clients.md has them all.
    MQRC_Q_MGR_NAME_ERROR if there is none of that name, MQRC_Q_MGR_NOT_AVAILABLE if it is not
    running, MQRC_HOST_NOT_AVAILABLE if nobody answers.
    """
    asked = Way(**way)
    by_network = goes_by_network(name, asked, options, data)
    share = sharing(options_besides(options) if by_network else options)
    if by_network:
        plan = plan_for(name, asked, user, password, application_name(application), options)
        return ClientConnection(connect_threads(plan, share))
    place = place_to_connect(data, name)
    said = hello(user, password, application_name(application), options)
    return ClientConnection(SocketVerbs(place, said, share))
