"""A connection: queues, one unit of work, definitions, commands and status; for every transport.

`aio` has the same methods for tasks. What each does is a call (`values.calls`); the transport
carries it to the queue manager, in this process or elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from ternmq.api import definitions
from ternmq.api.arguments import Data, Requests, as_bytes, delay_ms, put1_alternate
from ternmq.api.dropped import close_dropped
from ternmq.api.handles import checked_name, for_put1, for_selection, queue_object
from ternmq.api.queue import Queue
from ternmq.api.topic_methods import TopicMethods
from ternmq.api.unit import Unit
from ternmq.base.attributes import Value
from ternmq.base.errors import BadOptions, MQError, ObjectUnknown
from ternmq.base.object_types import ALIAS, LOCAL, MODEL
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqsts import Status
from ternmq.values.calls import administration, units
from ternmq.values.calls.call import Call
from ternmq.values.calls.messages import Put1, PutDeferred
from ternmq.values.calls.objects import Close, Open
from ternmq.values.command import Answer, Command
from ternmq.values.status import (
    BatchOutcome,
    LogExtents,
    LogStatus,
    ObjectFile,
    SMFRead,
    SMFStatus,
    UnitInDoubt,
)
from ternmq.values.transport import Transport
from ternmq.values.xid import XID

if TYPE_CHECKING:
    from ternmq.api.consumers import EventFunction
    from ternmq.api.consuming import Callbacks, Consuming
    from ternmq.api.distribution_list import DistributionList
    from ternmq.api.list_arguments import Target
    from ternmq.api.stream import QueueCursor, QueueStream, Start
    from ternmq.codec.mqi.list_records import PutRecord
    from ternmq.values.distribution import ListOutcome
    from ternmq.values.message_properties import Given
    from ternmq.values.queue_attributes import (
        AliasAttributes,
        LocalAttributes,
        ModelAttributes,
        QueueAttributes,
        QueueManagerAttributes,
    )

CallT = TypeVar("CallT", bound=Call)


class Connection(TopicMethods):
    """One application's connection to a queue manager."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._requests = Requests(transport, "MQPUT1")

    @property
    def transport(self) -> Transport:
        """What carries the verbs."""
        return self._transport

    @property
    def in_unit(self) -> bool:
        """Whether puts and gets are inside syncpoint unless they say otherwise."""
        return self._transport.in_unit

    @property
    def name(self) -> str:
        """The queue manager's name."""
        return self._transport.qmgr_name

    @property
    def connection_id(self) -> bytes:
        """24 bytes that name this connection, as MQCNO returns them."""
        return self._transport.connection_id

    @property
    def connected(self) -> bool:
        """Whether the connection can still be used."""
        return self._transport.is_alive

    def run(self, call: CallT) -> CallT:
        """Carry out a call, for what has no method here; its result is in it."""
        if self._transport.dropped:
            close_dropped(self._transport)
        try:
            self._transport.run(call)
        except ObjectUnknown as error:
            self._explain(error, call)
            raise
        except BadOptions as error:
            from ternmq.api.wrong_arguments import explain_selector  # few make a mistake

            explain_selector(error, call)
            raise
        return call

    def _explain(self, error: ObjectUnknown, call: Call) -> None:
        """Queues with a similar name, in the text of the error."""
        from ternmq.api.unknown_queue import explain, inquiry_for  # few make a mistake

        inquiry = inquiry_for(call, error)
        if inquiry is None:
            return
        try:
            self._transport.run(inquiry)
        except MQError:  # another product's queue manager cannot be asked
            pass
        explain(error, inquiry, self.name)

    # ---- queues

    def queue(
        self,
        name: str,
        *,
        exclusive: bool = False,
        dynamic_name: str = "AMQ.*",
        options: int = 0,
        selector: str = "",
        qmgr: str = "",
    ) -> Queue:
        """Open a queue. A model queue gives a new dynamic one, named after `dynamic_name`.
        `qmgr` names another queue manager that has the queue: then it is for puts.

        `options` are MQOO options for one handle that does everything; without them handles are
        opened as needed. With a `selector`, gets and browses see only messages that match it, such
        as "colour = 'red' AND size > 3"; puts are not filtered.
        """
        od = queue_object(name, qmgr, dynamic_name=dynamic_name)
        call = Open(od, for_selection(options, selector), True, exclusive, selector=selector)
        queue = Queue(self._transport, self.run(call))
        queue._handles.close_when_dropped(self._transport.dropped)
        return queue

    def put(
        self,
        queue_name: str,
        data: Data,
        *,
        persistent: bool | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        reply_to: str | None = None,
        format: str | None = None,
        descriptor: Descriptor | None = None,
        options: int = 0,
        syncpoint: bool | None = None,
        properties: Given | None = None,
        delay: float | None = None,
        qmgr_name: str = "",
        alternate_user: str = "",
    ) -> bytes:
        """MQPUT1: one message to a queue that need not stay open; returns its MsgId.

        Arguments as those of `Queue.put`. `qmgr_name` names another queue manager. With
        `alternate_user` it is that user who must have the authority.
        """
        form = self._requests.put(
            data,
            persistent,
            priority,
            expiry,
            msg_id,
            correl_id,
            reply_to,
            format,
            descriptor,
            options | put1_alternate(alternate_user),
            syncpoint,
            properties,
        )
        od = queue_object(queue_name, qmgr_name, alternate_user)
        body = as_bytes(data)
        milliseconds = 0 if delay is None else delay_ms(delay)  # refused before it is open
        if milliseconds:
            call = Open(od, for_put1(int(form.options)))
            handle = (self.run(call)).opened()
            deferred = PutDeferred(handle, form, body, milliseconds)
            try:
                return (self.run(deferred)).msg_id
            finally:
                self.run(Close(handle, 0))
        return self.run(Put1(od, form, body)).msg_id

    # ---- distribution lists

    def open_list(
        self, targets: Iterable[Target], *, options: int = 0, alternate_user: str = ""
    ) -> DistributionList:
        """Open several queues for one put: names of queues, or pairs of queue and queue manager.

        A queue that cannot be opened is left out: `opened` of the list says which and why. MQError
        is raised if none can be; its `result` says why for each. `options` are MQOO options, for
        output without them. With `alternate_user` it is that user who must have the authority.
        """
        from ternmq.api.distribution_list import DistributionList  # many do without
        from ternmq.api.list_arguments import open_call

        call = self.run(open_call(targets, options, alternate_user))
        return DistributionList(self._transport, call)

    def put_to(
        self,
        targets: Iterable[Target],
        data: Data,
        *,
        persistent: bool | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        reply_to: str | None = None,
        format: str | None = None,
        descriptor: Descriptor | None = None,
        options: int = 0,
        syncpoint: bool | None = None,
        properties: Given | None = None,
        records: Sequence[PutRecord] | None = None,
        alternate_user: str = "",
    ) -> ListOutcome:
        """MQPUT1: one message to several queues that need not stay open; what became of each.

        Arguments as those of `open_list` and `DistributionList.put`.
        """
        from ternmq.api.list_arguments import put1_call, shared_record

        form = self._requests.put(
            data,
            persistent,
            priority,
            expiry,
            msg_id,
            correl_id,
            reply_to,
            format,
            descriptor,
            options | put1_alternate(alternate_user),
            syncpoint,
            properties,
        )
        shared = shared_record(msg_id, correl_id, descriptor)
        body = as_bytes(data)
        call = put1_call(targets, alternate_user, form, body, shared, records, descriptor)
        return self.run(call).answer()

    def status(self) -> Status:
        """MQSTAT: how puts with MQPMO_ASYNC_RESPONSE went since it was last asked: how many did and
        how many did not, and why the first of those did not."""
        return self.run(administration.InquirePuts()).found

    # ---- units of work

    def unit_of_work(self) -> Unit:
        """What is put and got inside the `with` block happens whole or not at all."""
        return Unit(self._transport)

    def begin(self) -> None:
        """Put and get inside syncpoint from now on, until `commit` or `backout`."""
        self._transport.begin()

    def commit(self) -> None:
        """MQCMIT; BackedOut if the queue manager had to undo the unit instead."""
        self._transport.commit()

    def backout(self) -> None:
        """MQBACK; nothing happens if the connection is gone, and its unit of work with it."""
        if self._transport.is_alive:
            self._transport.back_out()

    # ---- two-phase commit, for transaction managers

    def prepare(self, xid: XID) -> bool:
        """Prepare the unit of work; from then on it is in doubt, also over a restart, until it is
        ended by its XID. False if it changed nothing: then it has ended."""
        return self.run(units.Prepare(xid)).prepared

    def in_doubt(self) -> list[XID]:
        """XIDs of prepared units, and of resolved units that are not forgotten yet."""
        return self.run(units.Recover()).xids

    def commit_prepared(self, xid: XID) -> None:
        """Commit a prepared unit of work."""
        self._transport.run(units.EndPrepared(xid, True, False))

    def backout_prepared(self, xid: XID) -> None:
        """Back out a prepared unit of work."""
        self._transport.run(units.EndPrepared(xid, False, False))

    def resolve(self, xid: XID, *, commit: bool) -> None:
        """An operator's decision for a unit whose transaction manager does not come back;
        remembered until `forget`."""
        self._transport.run(units.EndPrepared(xid, commit, True))

    def forget(self, xid: XID) -> None:
        """The transaction manager knows of the operator's decision."""
        self._transport.run(units.Forget(xid))

    def units_in_doubt(self) -> list[UnitInDoubt]:
        """Prepared units of work, and those that an operator has ended (dspmqtrn)."""
        return self.run(units.InquireUnitsInDoubt()).units

    def commit_batch(self, owner: str, batch: int, xids: list[XID]) -> BatchOutcome:
        """Commit prepared units of work and note in the ledger that the owner's batch is done, all
        or nothing. A batch that is in the ledger already is not committed again: `committed` of
        the outcome is False, and what was prepared again is backed out."""
        return self.run(units.CommitBatch(owner, batch, xids)).outcome()

    # ---- streams

    def stream(self, queue: str) -> QueueStream:
        """The numbered stream of a queue, to be read by number without removing anything. A queue
        has one once it has a cursor or retention (RETAIN)."""
        from ternmq.api.stream import QueueStream  # many do without

        return QueueStream(self._transport, checked_name(queue))

    def cursor(self, name: str, queue: str = "", *, start: Start = "latest") -> QueueCursor:
        """A cursor by its name. If it does not exist, and `queue` says on what, it is made there,
        at the earliest message of the stream, at the latest (behind all that are there), or at a
        number."""
        from ternmq.api.stream import QueueCursor

        return QueueCursor(self._transport, name, queue, start)

    # ---- definitions

    def define_queue(
        self,
        name: str,
        *,
        replace: bool = False,
        exist_ok: bool = False,
        **attributes: Unpack[LocalAttributes],
    ) -> None:
        """Define a local queue; attributes by Python name (`max_depth`) or MQSC keyword
        (`MAXDEPTH`).

        One of that name is MQRC_OBJECT_ALREADY_EXISTS, unless `exist_ok`: then it stays as it is,
        whatever attributes are given. `replace` sets all its attributes again instead.
        """
        self._define(LOCAL, name, dict(attributes), replace, exist_ok)

    def define_model(
        self,
        name: str,
        *,
        replace: bool = False,
        exist_ok: bool = False,
        **attributes: Unpack[ModelAttributes],
    ) -> None:
        """Define a model queue, from which opening it makes dynamic queues."""
        self._define(MODEL, name, dict(attributes), replace, exist_ok)

    def define_alias(
        self,
        name: str,
        target: str,
        *,
        replace: bool = False,
        exist_ok: bool = False,
        **attributes: Unpack[AliasAttributes],
    ) -> None:
        """Define another name for a local queue."""
        self._define(ALIAS, name, {"target": target, **attributes}, replace, exist_ok)

    def _define(
        self,
        object_type: int,
        name: str,
        attributes: dict[str, Any],
        replace: bool,
        exist_ok: bool,
    ) -> None:
        call = self.run(definitions.define(object_type, name, attributes, replace))
        if exist_ok and definitions.is_there(call):
            shown = self.run(definitions.display(name, "TYPE", "DEFINE"))
            if definitions.is_shown_as(object_type, shown):
                return
        definitions.check_done(call, name)

    def _try(self, calls: list[administration.RunCommands], name: str) -> None:
        for call in calls:
            if definitions.is_done(self.run(call), name, call is calls[-1]):
                return

    def alter_queue(self, name: str, **attributes: Unpack[QueueAttributes]) -> None:
        """Change attributes of a queue."""
        shown = self.run(definitions.display(name, "TYPE", "ALTER"))
        self._try(definitions.alterations(shown, name, dict(attributes)), name)

    def alter_qmgr(self, **attributes: Unpack[QueueManagerAttributes]) -> None:
        """Change attributes of the queue manager."""
        call = self.run(definitions.alter_qmgr(self.name, dict(attributes)))
        definitions.check_done(call, self.name)

    def delete_queue(self, name: str, *, purge: bool = False) -> None:
        """Delete a queue that no application has open; `purge` also if it holds messages."""
        shown = self.run(definitions.display(name, "TYPE", "DELETE"))
        self._try(definitions.deletions(shown, name, purge), name)

    def clear_queue(self, name: str) -> None:
        """Remove all messages of a queue that no application has open."""
        definitions.check_done(self.run(definitions.clear(name)), name)

    def attributes(self, name: str) -> dict[str, Value]:
        """All attributes of a queue by Python name."""
        return definitions.attributes_of(self.run(definitions.display(name, "ALL")), name)

    def qmgr_attributes(self) -> dict[str, Value]:
        """All attributes of the queue manager by Python name."""
        return definitions.qmgr_attributes_of(self.run(definitions.display_qmgr()), self.name)

    def queue_names(self) -> list[str]:
        """The names of all queues that the user may see."""
        return definitions.names_of(self.run(definitions.display_all()))

    # ---- commands

    def mqsc(self, text: str) -> list[Answer]:
        """Carry out MQSC commands, one or more; the answers of all of them in order.

        A refusal is an answer, too: `ok` of each says so. An exception means that the queue manager
        could not be asked.
        """
        return self.run(administration.RunCommands([], definitions.checked_commands(text))).answers

    def command(self, command: Command) -> list[Answer]:
        """Carry out a command that is not written as MQSC."""
        return self.run(administration.RunCommands([command], verb="command")).answers

    # ---- the queue manager, its log, media recovery

    def report(self) -> list[str]:
        """What the restart did, line by line, as strmqm prints it."""
        return self.run(administration.InquireReport()).lines

    def log_status(self) -> LogStatus:
        """What the log has done since the start, and how full it is."""
        return self.run(administration.InquireLogStatus()).outcome()

    def log_extents(self) -> LogExtents:
        """Which files the log has, and what each is needed for."""
        return self.run(administration.InquireLogExtents()).outcome()

    def delete_log_extents(self) -> list[str]:
        """Delete the files of the log that neither restart nor media recovery needs; their
        names."""
        return self.run(administration.DeleteLogExtents()).names

    def checkpoint(self) -> None:
        """Take a checkpoint now and wait for it."""
        self._transport.run(administration.Checkpoint())

    def record_image(self, name: str = "*") -> list[str]:
        """Write media images to the log (rcdmqimg): of the object of that name, of all that begin
        as a name with a last `*`, of all, or of all definitions ("(catalog)"). Returns whose images
        were written; "(catalog)" stands for all definitions."""
        return self.run(administration.RecordImage(checked_name(name, "an object"))).names

    def recreate(self, name: str) -> None:
        """Make an object again from its last media image and the log since (rcrmqobj), while others
        work. Non-persistent messages on it are gone."""
        self._transport.run(administration.Recreate(checked_name(name, "an object")))

    def object_files(self) -> list[ObjectFile]:
        """Every object, and where it is under the queue manager's folder (dspmqfls)."""
        return self.run(administration.InquireObjectFiles()).files

    # ---- SMF records

    def smf_status(self) -> list[SMFStatus]:
        """How the destinations of SMF records are doing."""
        return self.run(administration.InquireSMF()).destinations

    def smf_switch(self, name: str = "") -> list[str]:
        """Begin new data sets or segments, of one destination or of all; the names of those that
        were begun."""
        return self.run(administration.SwitchSMF(name)).names

    def smf_read(self, position: int = -1, name: str = "", wait: float = 0.0) -> SMFRead:
        """SMF records of an in-memory stream from a number on (-1: from now on); `wait` so many
        seconds for the first one."""
        wait_ms = max(0, int(wait * 1000))
        return self.run(administration.ReadSMF(name, position, wait_ms)).outcome()

    # ---- callbacks

    def on_event(self, function: EventFunction | None) -> None:
        """MQCB of an event handler: called with a `CallContext` for what concerns the connection
        and its callbacks: the queue manager ends, the connection is lost or back, a callback has
        raised. None removes it."""
        self._callbacks().handle_events(function)

    def start(self, *, wait: bool = False) -> None:
        """MQCTL: from now on the callbacks get messages, and only they may use the connection.

        They are called by a thread of the connection; with `wait` by the caller's, until they are
        stopped or suspended, or none is active (MQRC_NO_CALLBACKS_ACTIVE). A callback that calls
        this takes back its own `stop`.
        """
        self._callbacks().start(wait)

    def stop(self) -> None:
        """MQCTL: no more messages. Waits for a callback that is under way, unless it is called
        there: then it holds when that returns. Raises what failed, if no function was called for
        it."""
        self._callbacks().stop()

    def suspend(self) -> None:
        """MQCTL: as `stop`, but without stop calls, until `resume`. Meanwhile anybody may use the
        connection."""
        self._callbacks().suspend()

    def resume(self) -> None:
        """MQCTL: go on after `suspend`."""
        self._callbacks().resume()

    def consuming(self) -> Consuming:
        """A block in which callbacks are started; at its end they are stopped."""
        return self._callbacks().block()

    def _callbacks(self) -> Callbacks:
        from ternmq.api.consuming import callbacks_of  # few programs have callbacks

        return callbacks_of(self._transport)

    # ---- the end

    def disconnect(self) -> None:
        """MQDISC: commits what is open. Callbacks are stopped first."""
        try:
            if self._transport.callbacks is not None:
                self._callbacks().quit(False)
        finally:
            self._transport.end(False)

    def close(self) -> None:
        """As `disconnect`; for a `QueueManager` it is the end of the queue manager."""
        self.disconnect()

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # An exception on its way out is an application that failed: its unit of work must not be
        # committed.
        try:
            if self._transport.callbacks is not None:
                self._callbacks().quit(kind is not None)
        finally:
            self._transport.end(kind is not None)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}{'' if self.connected else ', ended'}>"
