"""A connection for tasks: the methods of `connection`, with `await` and `async with`.

What is opened (`connect`, `queue`) is opened by `async with` or by `await`. Everything belongs to
the loop in which it was opened. Interpreted on the compiled build too, so that Python warns of a
call that is not awaited.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from ternmq.api import definitions
from ternmq.api.aio_opening import Opening, Unit
from ternmq.api.aio_queue import Queue
from ternmq.api.aio_topic_methods import TopicMethods
from ternmq.api.arguments import Data, Requests, as_bytes, delay_ms, put1_alternate
from ternmq.api.dropped import close_dropped_by_task
from ternmq.api.handles import checked_name, for_put1, for_selection, queue_object
from ternmq.base.attributes import Value
from ternmq.base.errors import BadOptions, MQError, ObjectUnknown
from ternmq.base.object_types import ALIAS, LOCAL, MODEL
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
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
from ternmq.values.transport import TaskTransport
from ternmq.values.xid import XID

if TYPE_CHECKING:
    from ternmq.api.aio_consuming import Callbacks, Consuming
    from ternmq.api.aio_distribution_list import DistributionList
    from ternmq.api.aio_stream import QueueCursor, QueueStream
    from ternmq.api.consumers import EventFunction
    from ternmq.api.list_arguments import Target
    from ternmq.api.stream import Start
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

    def __init__(self, transport: TaskTransport) -> None:
        self._transport = transport
        self._requests = Requests(transport, "MQPUT1")

    @property
    def transport(self) -> TaskTransport:
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

    async def run(self, call: CallT) -> CallT:
        """Carry out a call, for what has no method here; its result is in it."""
        if self._transport.dropped:
            await close_dropped_by_task(self._transport)
        try:
            await self._transport.run(call)
        except ObjectUnknown as error:
            await self._explain(error, call)
            raise
        except BadOptions as error:
            from ternmq.api.wrong_arguments import explain_selector  # few make a mistake

            explain_selector(error, call)
            raise
        return call

    async def _explain(self, error: ObjectUnknown, call: Call) -> None:
        """Queues with a similar name, in the text of the error."""
        from ternmq.api.unknown_queue import explain, inquiry_for  # few make a mistake

        inquiry = inquiry_for(call, error)
        if inquiry is None:
            return
        try:
            await self._transport.run(inquiry)
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
    ) -> Opening[Queue]:
        """Open a queue, with `async with` or `await`. A model queue gives a new dynamic one, named
        after `dynamic_name`. `qmgr` names another queue manager that has the queue: then it is for
        puts.

        `options` are MQOO options for one handle that does everything; without them handles are
        opened as needed. With a `selector`, gets and browses see only messages that match it, such
        as "colour = 'red' AND size > 3"; puts are not filtered.
        """
        od = queue_object(name, qmgr, dynamic_name=dynamic_name)
        return Opening(self._open_queue(od, exclusive, options, selector))

    async def _open_queue(
        self, od: ObjectDescriptor, exclusive: bool, options: int, selector: str
    ) -> Queue:
        call = Open(od, for_selection(options, selector), True, exclusive, selector=selector)
        queue = Queue(self._transport, await self.run(call))
        queue._handles.close_when_dropped(self._transport.dropped)
        return queue

    async def put(
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
            handle = (await self.run(call)).opened()
            deferred = PutDeferred(handle, form, body, milliseconds)
            try:
                return (await self.run(deferred)).msg_id
            finally:
                await self.run(Close(handle, 0))
        return (await self.run(Put1(od, form, body))).msg_id

    # ---- distribution lists

    def open_list(
        self, targets: Iterable[Target], *, options: int = 0, alternate_user: str = ""
    ) -> Opening[DistributionList]:
        """Open several queues for one put, with `async with` or `await`: names of queues, or pairs
        of queue and queue manager.

        A queue that cannot be opened is left out: `opened` of the list says which and why. MQError
        is raised if none can be; its `result` says why for each. `options` are MQOO options, for
        output without them. With `alternate_user` it is that user who must have the authority.
        """
        return Opening(self._open_list(targets, options, alternate_user))

    async def _open_list(
        self, targets: Iterable[Target], options: int, alternate_user: str
    ) -> DistributionList:
        from ternmq.api.aio_distribution_list import DistributionList  # many do without
        from ternmq.api.list_arguments import open_call

        call = await self.run(open_call(targets, options, alternate_user))
        return DistributionList(self._transport, call)

    async def put_to(
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
        return (await self.run(call)).answer()

    async def status(self) -> Status:
        """MQSTAT: how puts with MQPMO_ASYNC_RESPONSE went since it was last asked: how many did and
        how many did not, and why the first of those did not."""
        return (await self.run(administration.InquirePuts())).found

    # ---- units of work

    def unit_of_work(self) -> Unit:
        """What is put and got inside the `async with` block happens whole or not at all."""
        return Unit(self)

    async def begin(self) -> None:
        """Put and get inside syncpoint from now on, until `commit` or `backout`."""
        await self._transport.run(units.Begin())

    async def commit(self) -> None:
        """MQCMIT; BackedOut if the queue manager had to undo the unit instead."""
        await self._transport.run(units.Commit())

    async def backout(self) -> None:
        """MQBACK; nothing happens if the connection is gone, and its unit of work with it."""
        if self._transport.is_alive:
            await self._transport.run(units.BackOut())

    # ---- two-phase commit, for transaction managers

    async def prepare(self, xid: XID) -> bool:
        """Prepare the unit of work; from then on it is in doubt, also over a restart, until it is
        ended by its XID. False if it changed nothing: then it has ended."""
        return (await self.run(units.Prepare(xid))).prepared

    async def in_doubt(self) -> list[XID]:
        """XIDs of prepared units, and of resolved units that are not forgotten yet."""
        return (await self.run(units.Recover())).xids

    async def commit_prepared(self, xid: XID) -> None:
        """Commit a prepared unit of work."""
        await self._transport.run(units.EndPrepared(xid, True, False))

    async def backout_prepared(self, xid: XID) -> None:
        """Back out a prepared unit of work."""
        await self._transport.run(units.EndPrepared(xid, False, False))

    async def resolve(self, xid: XID, *, commit: bool) -> None:
        """An operator's decision for a unit whose transaction manager does not come back;
        remembered until `forget`."""
        await self._transport.run(units.EndPrepared(xid, commit, True))

    async def forget(self, xid: XID) -> None:
        """The transaction manager knows of the operator's decision."""
        await self._transport.run(units.Forget(xid))

    async def units_in_doubt(self) -> list[UnitInDoubt]:
        """Prepared units of work, and those that an operator has ended (dspmqtrn)."""
        return (await self.run(units.InquireUnitsInDoubt())).units

    async def commit_batch(self, owner: str, batch: int, xids: list[XID]) -> BatchOutcome:
        """Commit prepared units of work and note in the ledger that the owner's batch is done, all
        or nothing. A batch that is in the ledger already is not committed again: `committed` of
        the outcome is False, and what was prepared again is backed out."""
        return (await self.run(units.CommitBatch(owner, batch, xids))).outcome()

    # ---- streams

    def stream(self, queue: str) -> QueueStream:
        """The numbered stream of a queue, to be read by number without removing anything. A queue
        has one once it has a cursor or retention (RETAIN)."""
        from ternmq.api.aio_stream import QueueStream  # many do without

        return QueueStream(self._transport, checked_name(queue))

    async def cursor(self, name: str, queue: str = "", *, start: Start = "latest") -> QueueCursor:
        """A cursor by its name. If it does not exist, and `queue` says on what, it is made there,
        at the earliest message of the stream, at the latest (behind all that are there), or at a
        number."""
        from ternmq.api.aio_stream import open_cursor

        return await open_cursor(self._transport, name, queue, start)

    # ---- definitions

    async def define_queue(
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
        await self._define(LOCAL, name, dict(attributes), replace, exist_ok)

    async def define_model(
        self,
        name: str,
        *,
        replace: bool = False,
        exist_ok: bool = False,
        **attributes: Unpack[ModelAttributes],
    ) -> None:
        """Define a model queue, from which opening it makes dynamic queues."""
        await self._define(MODEL, name, dict(attributes), replace, exist_ok)

    async def define_alias(
        self,
        name: str,
        target: str,
        *,
        replace: bool = False,
        exist_ok: bool = False,
        **attributes: Unpack[AliasAttributes],
    ) -> None:
        """Define another name for a local queue."""
        await self._define(ALIAS, name, {"target": target, **attributes}, replace, exist_ok)

    async def _define(
        self,
        object_type: int,
        name: str,
        attributes: dict[str, Any],
        replace: bool,
        exist_ok: bool,
    ) -> None:
        call = await self.run(definitions.define(object_type, name, attributes, replace))
        if exist_ok and definitions.is_there(call):
            shown = await self.run(definitions.display(name, "TYPE", "DEFINE"))
            if definitions.is_shown_as(object_type, shown):
                return
        definitions.check_done(call, name)

    async def _try(self, calls: list[administration.RunCommands], name: str) -> None:
        for call in calls:
            if definitions.is_done(await self.run(call), name, call is calls[-1]):
                return

    async def alter_queue(self, name: str, **attributes: Unpack[QueueAttributes]) -> None:
        """Change attributes of a queue."""
        shown = await self.run(definitions.display(name, "TYPE", "ALTER"))
        await self._try(definitions.alterations(shown, name, dict(attributes)), name)

    async def alter_qmgr(self, **attributes: Unpack[QueueManagerAttributes]) -> None:
        """Change attributes of the queue manager."""
        call = await self.run(definitions.alter_qmgr(self.name, dict(attributes)))
        definitions.check_done(call, self.name)

    async def delete_queue(self, name: str, *, purge: bool = False) -> None:
        """Delete a queue that no application has open; `purge` also if it holds messages."""
        shown = await self.run(definitions.display(name, "TYPE", "DELETE"))
        await self._try(definitions.deletions(shown, name, purge), name)

    async def clear_queue(self, name: str) -> None:
        """Remove all messages of a queue that no application has open."""
        definitions.check_done(await self.run(definitions.clear(name)), name)

    async def attributes(self, name: str) -> dict[str, Value]:
        """All attributes of a queue by Python name."""
        return definitions.attributes_of(await self.run(definitions.display(name, "ALL")), name)

    async def qmgr_attributes(self) -> dict[str, Value]:
        """All attributes of the queue manager by Python name."""
        return definitions.qmgr_attributes_of(await self.run(definitions.display_qmgr()), self.name)

    async def queue_names(self) -> list[str]:
        """The names of all queues that the user may see."""
        return definitions.names_of(await self.run(definitions.display_all()))

    # ---- commands

    async def mqsc(self, text: str) -> list[Answer]:
        """Carry out MQSC commands, one or more; the answers of all of them in order.

        A refusal is an answer, too: `ok` of each says so. An exception means that the queue manager
        could not be asked.
        """
        return (
            await self.run(administration.RunCommands([], definitions.checked_commands(text)))
        ).answers

    async def command(self, command: Command) -> list[Answer]:
        """Carry out a command that is not written as MQSC."""
        return (await self.run(administration.RunCommands([command], verb="command"))).answers

    # ---- the queue manager, its log, media recovery

    async def report(self) -> list[str]:
        """What the restart did, line by line, as strmqm prints it."""
        return (await self.run(administration.InquireReport())).lines

    async def log_status(self) -> LogStatus:
        """What the log has done since the start, and how full it is."""
        return (await self.run(administration.InquireLogStatus())).outcome()

    async def log_extents(self) -> LogExtents:
        """Which files the log has, and what each is needed for."""
        return (await self.run(administration.InquireLogExtents())).outcome()

    async def delete_log_extents(self) -> list[str]:
        """Delete the files of the log that neither restart nor media recovery needs; their
        names."""
        return (await self.run(administration.DeleteLogExtents())).names

    async def checkpoint(self) -> None:
        """Take a checkpoint now and wait for it."""
        await self._transport.run(administration.Checkpoint())

    async def record_image(self, name: str = "*") -> list[str]:
        """Write media images to the log (rcdmqimg): of the object of that name, of all that begin
        as a name with a last `*`, of all, or of all definitions ("(catalog)"). Returns whose images
        were written; "(catalog)" stands for all definitions."""
        return (await self.run(administration.RecordImage(checked_name(name, "an object")))).names

    async def recreate(self, name: str) -> None:
        """Make an object again from its last media image and the log since (rcrmqobj), while others
        work. Non-persistent messages on it are gone."""
        await self._transport.run(administration.Recreate(checked_name(name, "an object")))

    async def object_files(self) -> list[ObjectFile]:
        """Every object, and where it is under the queue manager's folder (dspmqfls)."""
        return (await self.run(administration.InquireObjectFiles())).files

    # ---- SMF records

    async def smf_status(self) -> list[SMFStatus]:
        """How the destinations of SMF records are doing."""
        return (await self.run(administration.InquireSMF())).destinations

    async def smf_switch(self, name: str = "") -> list[str]:
        """Begin new data sets or segments, of one destination or of all; the names of those that
        were begun."""
        return (await self.run(administration.SwitchSMF(name))).names

    async def smf_read(self, position: int = -1, name: str = "", wait: float = 0.0) -> SMFRead:
        """SMF records of an in-memory stream from a number on (-1: from now on); `wait` so many
        seconds for the first one."""
        wait_ms = max(0, int(wait * 1000))
        return (await self.run(administration.ReadSMF(name, position, wait_ms))).outcome()

    # ---- callbacks

    async def on_event(self, function: EventFunction | None) -> None:
        """MQCB of an event handler: called with a `CallContext` for what concerns the connection
        and its callbacks: the queue manager ends, the connection is lost or back, a callback has
        raised. None removes it."""
        await self._callbacks().handle_events(function)

    async def start(self, *, wait: bool = False) -> None:
        """MQCTL: from now on the callbacks get messages, and only they may use the connection.

        They are called by a task of the connection; with `wait` by the caller's, until they are
        stopped or suspended, or none is active (MQRC_NO_CALLBACKS_ACTIVE). A callback that calls
        this takes back its own `stop`.
        """
        await self._callbacks().start(wait)

    async def stop(self) -> None:
        """MQCTL: no more messages. Waits for a callback that is under way, unless it is called
        there: then it holds when that returns. Raises what failed, if no function was called for
        it."""
        await self._callbacks().stop()

    async def suspend(self) -> None:
        """MQCTL: as `stop`, but without stop calls, until `resume`. Meanwhile anybody may use the
        connection."""
        await self._callbacks().suspend()

    async def resume(self) -> None:
        """MQCTL: go on after `suspend`."""
        await self._callbacks().resume()

    def consuming(self) -> Consuming:
        """A block in which callbacks are started; at its end they are stopped."""
        return self._callbacks().block()

    def _callbacks(self) -> Callbacks:
        from ternmq.api.aio_consuming import callbacks_of  # few programs have callbacks

        return callbacks_of(self._transport)

    # ---- the end

    async def disconnect(self) -> None:
        """MQDISC: commits what is open. Callbacks are stopped first."""
        try:
            if self._transport.callbacks is not None:
                await self._callbacks().quit(False)
        finally:
            await self._transport.end(False)

    async def close(self) -> None:
        """As `disconnect`; for a `QueueManager` it is the end of the queue manager."""
        await self.disconnect()

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # An exception on its way out is an application that failed: its unit of work must not be
        # committed.
        try:
            if self._transport.callbacks is not None:
                await self._callbacks().quit(kind is not None)
        finally:
            await self._transport.end(kind is not None)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}{'' if self.connected else ', ended'}>"
