"""A queue for tasks: the methods of `queue`, with `await`, `async with` and `async for`.

Interpreted on the compiled build too, so that Python warns of a call that is not awaited.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, final

from ternmq.api.arguments import (
    Data,
    FastPutQueue,
    Requests,
    as_bytes,
    browse_request,
    delay_ms,
)
from ternmq.api.handles import Handles, for_output
from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.values.calls.messages import Put, PutDeferred
from ternmq.values.calls.objects import (
    Close,
    Inquire,
    InquireGroups,
    InquireStorage,
    Open,
    SetAttributes,
    Widen,
)
from ternmq.values.calls.units import BackOut, Begin
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.status import GroupFigures, StorageStatus
from ternmq.values.transport import AheadGet, TaskTransport

if TYPE_CHECKING:
    from ternmq.api.aio_consuming import Consumer
    from ternmq.api.consumers import EventFunction, MessageFunction
    from ternmq.api.message_group import TaskMessageGroup
    from ternmq.values.message_properties import Given


@final
class Messages:
    """Gets message after message; ends when none comes within the wait.

    A class, not a generator: breaking off leaves nothing that would have to be closed later in
    another task, where the connection may be in use.
    """

    def __init__(self, queue: Queue, wait: float | None, syncpoint: bool | None) -> None:
        self._queue = queue
        self._wait = wait
        self._syncpoint = syncpoint
        self._ahead: AheadGet | None = None

    def __aiter__(self) -> Messages:
        return self

    async def __anext__(self) -> Message:
        ahead = self._ahead
        if ahead is not None:
            message = ahead.next()
            if message is not None:
                return message
        return await self._next()

    async def _next(self) -> Message:
        queue = self._queue
        if self._syncpoint:
            message = await queue.get_in_unit(self._wait)
        else:
            message = await queue.try_get(wait=self._wait, syncpoint=self._syncpoint)
        if message is None:
            raise StopAsyncIteration
        if self._ahead is None and self._syncpoint is None:
            self._ahead = queue.ahead_get(self._wait)
        return message


@final
class Browse:
    """Looks at message after message; ends after the last one.

    Its handle is lent by the queue, which closes it; a browse that is broken off gives it back too.
    """

    def __init__(
        self,
        transport: TaskTransport,
        handles: Handles,
        requests: Requests,
        msg_id: bytes | None,
        correl_id: bytes | None,
        options: int,
    ) -> None:
        self._handle: ObjectHandle | None = None
        self._ended = False
        self._transport = transport
        self._handles = handles
        self._first = requests.converting(browse_request(True, msg_id, correl_id, options))
        self._following = requests.converting(browse_request(False, msg_id, correl_id, options))

    def __aiter__(self) -> Browse:
        return self

    async def __anext__(self) -> Message:
        if self._ended:
            raise StopAsyncIteration
        handle = self._handle
        request = self._following
        if handle is None:
            handle = self._handles.borrow()
            if handle is None:
                call = self._handles.open_browse()
                await self._transport.run(call)
                handle = call.opened()
                self._handles.lend(handle)
            self._handle = handle
            request = self._first
        message = await self._transport.get(handle, request)
        if message is None:
            self._give_back()
            raise StopAsyncIteration
        return message

    def _give_back(self) -> None:
        self._ended = True
        if self._handle is not None:
            self._handles.give_back(self._handle)
            self._handle = None

    def __del__(self) -> None:
        self._give_back()


class Queue(FastPutQueue):
    """An open queue; an asynchronous context manager that closes it."""

    def __init__(self, transport: TaskTransport, opened: Open) -> None:
        super().__init__()
        self._transport = transport
        self._handles = Handles(opened)
        self._requests = Requests(transport)

    @property
    def name(self) -> str:
        """The queue's name; a dynamic queue has its own, not its model's."""
        return self._handles.name

    @property
    def resolved_name(self) -> str:
        """ResolvedQName of the open: the queue that a name leads to, also at another queue manager,
        or with MQOO_RESOLVE_LOCAL_Q the transmission queue. Empty without `options` or `qmgr`: the
        first handle inquires only."""
        return self._handles.resolved_name

    @property
    def resolved_qmgr(self) -> str:
        """ResolvedQMgrName of the open: the queue manager that has that queue."""
        return self._handles.resolved_qmgr

    def convert_to(self, ccsid: int, encoding: int = mq.MQENC_NATIVE) -> None:
        """Which character set and encoding gets and browses with MQGMO_CONVERT want from now on.
        Before, it is the queue manager's character set and the encoding of this machine."""
        self._requests.convert_to(ccsid, encoding)

    # ---- put

    async def put_with(
        self,
        data: Data,
        persistent: bool | None,
        priority: int | None,
        expiry: float | None,
        msg_id: bytes | None,
        correl_id: bytes | None,
        reply_to: str | None,
        format: str | None,
        descriptor: Descriptor | None,
        options: int,
        syncpoint: bool | None,
        properties: Given | None,
        delay: float | None,
    ) -> bytes:
        """As `put`, with every argument. If the task is cancelled while it waits for the disk, the
        message stays on the queue."""
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
            options,
            syncpoint,
            properties,
        )
        output = self._handles.output
        if output is None or options != 0:
            output = await self._opened(for_output(options))
        body = data if isinstance(data, bytes) else as_bytes(data)
        transport = self._transport
        milliseconds = 0 if delay is None else delay_ms(delay)
        if milliseconds:
            call = PutDeferred(output, form, body, milliseconds)
            await transport.run(call)
            return call.msg_id
        done = transport.put_now(output, form, body)
        if done is None:
            return await transport.put(output, form, body)
        if self.plain is None and options == 0:
            none = None  # of the particulars
            usual = self._requests.put(
                b"", none, none, none, none, none, none, none, none, 0, False
            )
            self.plain = transport.plain_put(output, usual)
        if transport.pause_is_due:
            await transport.pause()
        return done

    def group(self) -> TaskMessageGroup:
        """A group of messages: `async with queue.group() as group`, then `await group.put(...)` for
        each, the last one with `last=True`."""
        from ternmq.api.message_group import TaskMessageGroup  # few put groups

        return TaskMessageGroup(self)

    async def put_call(self, data: Data, md: Descriptor, particulars: dict[str, Any]) -> Put:
        """A put with that descriptor, and all that it answered."""
        output = self._handles.output
        if output is None:
            output = await self._opened(for_output(0))
        form = self._requests.put_of(data, md, **particulars)
        call = Put(output, form, data if isinstance(data, bytes) else as_bytes(data))
        await self._transport.run(call)
        return call

    async def _opened(self, options: int) -> ObjectHandle:
        """A handle for these MQOO options: the queue's own, for more than before."""
        handle = self._handles.find(options)
        if handle is None:
            call = Widen(self._handles.base, options)
            await self._transport.run(call)
            handle = self._handles.widened(call)
        return handle

    # ---- get

    async def get(
        self,
        *,
        wait: float | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        group_id: bytes | None = None,
        token: bytes | None = None,
        max_length: int | None = None,
        options: int = 0,
        syncpoint: bool | None = None,
    ) -> Message:
        """Get the next message, or the next that matches; NoMessage if there is none within `wait`
        seconds.

        Arguments as those of the blocking `Queue.get`. If the task is cancelled the get has not
        happened: a message that was already on its way is on the queue again.
        """
        message = await self.try_get(
            wait=wait,
            msg_id=msg_id,
            correl_id=correl_id,
            group_id=group_id,
            token=token,
            max_length=max_length,
            options=options,
            syncpoint=syncpoint,
        )
        if message is None:
            raise mq_error(MQRC_NO_MSG_AVAILABLE, verb="MQGET", object=self.name)
        return message

    async def try_get(
        self,
        *,
        wait: float | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        group_id: bytes | None = None,
        token: bytes | None = None,
        max_length: int | None = None,
        options: int = 0,
        syncpoint: bool | None = None,
    ) -> Message | None:
        """As `get`, but None if there is no message."""
        request = self._requests.get(
            wait, msg_id, correl_id, group_id, token, max_length, options, syncpoint
        )
        handle = self._handles.input
        if handle is None:
            handle = await self._opened(self._handles.for_input())
        transport = self._transport
        message = transport.get_now(handle, request)
        if message is None:
            return await transport.get(handle, request)
        if transport.pause_is_due:
            await transport.pause()
        return message

    async def get_in_unit(self, wait: float | None) -> Message | None:
        """A message in the unit of work, which begins here if there is none: then what the caller
        puts is in it, too."""
        transport = self._transport
        begins = not (transport.in_unit or transport.has_unit)
        if begins:
            await transport.run(Begin())
        message: Message | None = None
        try:
            message = await self.try_get(wait=wait, syncpoint=True)
        finally:
            if begins and message is None and transport.is_alive:
                await transport.run(BackOut())  # nothing is in it
        return message

    def ahead_get(self, wait: float | None) -> AheadGet | None:
        """What gets messages that are here already, outside syncpoint; None if there are none."""
        handle = self._handles.input
        if handle is None:
            return None
        request = self._requests.get(wait, None, None, None, None, None, 0, False)
        return self._transport.ahead_get(handle, request)

    # ---- iterate

    def __aiter__(self) -> Messages:
        """Get message after message until the queue is empty."""
        return Messages(self, None, None)

    if not TYPE_CHECKING:  # checkers of types shall go on to find this mistake

        def __iter__(self) -> NoReturn:
            raise TypeError("`for` cannot wait: write `async for message in queue`")

    def consume(self, *, wait: float | None = -1.0, syncpoint: bool | None = None) -> Messages:
        """Get message after message, waiting for the next one; ends only when `wait` seconds
        pass without one.

        A message is off the queue when the body of the loop has it, and a body that fails has lost
        it: a unit of work that begins in the body does not contain the get. With `syncpoint=True`
        the message and what the body puts and gets are in one unit of work, which begins by itself.
        The body ends it by `commit()`, or by `backout()` if it fails; until then the next messages
        join it.
        """
        return Messages(self, wait, syncpoint)

    def browse(
        self,
        *,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        options: int = 0,
    ) -> Browse:
        """Look at the messages in order without taking them; `options` are MQGMO options, for
        properties say."""
        return Browse(self._transport, self._handles, self._requests, msg_id, correl_id, options)

    # ---- callbacks

    async def on_message(
        self,
        function: MessageFunction,
        *,
        on_event: EventFunction | None = None,
        browse: bool = False,
        wait: float | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        group_id: bytes | None = None,
        max_length: int | None = None,
        options: int = 0,
        syncpoint: bool = False,
        callback_options: int = 0,
    ) -> Consumer:
        """MQCB: call a function with every message, once the connection is started.

        Arguments as those of `get`; with `browse` messages stay on the queue. `on_event` is called
        with a `CallContext` for what happens to this consumer: no message for `wait` seconds, gets
        inhibited and enabled again, a message longer than `max_length`; and for the control calls
        that `callback_options`, MQCBDO_, ask for. A queue has one consumer: a second one replaces
        it.
        """
        from ternmq.api.aio_consuming import register  # few programs have callbacks

        if browse:
            options |= mq.MQGMO_BROWSE_FIRST
        handle = self._handles.input
        if handle is None:
            handle = await self._opened(self._handles.for_input())
        asked = (msg_id, correl_id, group_id, max_length, options, syncpoint)
        return await register(self, handle, function, on_event, asked, wait, callback_options)

    # ---- attributes

    async def depth(self) -> int:
        """How many messages are on the queue, uncommitted puts included."""
        values = await self.inquire(mq.MQIA_CURRENT_Q_DEPTH)
        return int(values[0])

    async def inquire(self, *selectors: int) -> list[Value]:
        """MQINQ: attribute values by MQIA and MQCA selectors, in their order."""
        call = Inquire(await self._opened(mq.MQOO_INQUIRE), list(selectors))
        await self._transport.run(call)
        return call.answer()

    async def groups(self, *, incomplete: bool = False) -> list[GroupFigures]:
        """The groups on the queue in the order of their coming, or only those that lack a message:
        how much of each a get could take now."""
        found: list[GroupFigures] = []
        after = 0
        while after >= 0:
            call = InquireGroups(await self._opened(mq.MQOO_INQUIRE), after, incomplete)
            await self._transport.run(call)
            found += call.groups
            after = call.next
        return found

    async def storage_status(self) -> StorageStatus:
        """How many of its messages are in memory, how many were swept to files, and how often."""
        call = InquireStorage(await self._opened(mq.MQOO_INQUIRE))
        await self._transport.run(call)
        return call.outcome()

    async def set(self, values: dict[int, Value]) -> None:
        """MQSET: the attributes that applications may change (inhibits, triggers)."""
        call = Open(self._handles.descriptor(), mq.MQOO_SET)
        await self._transport.run(call)
        handle = call.opened()
        try:
            if call.object_type:
                from ternmq.api.inert_attributes import warn_inert_values  # few set

                warn_inert_values(call.object_type, handle.resolved_name, values)
            await self._transport.run(SetAttributes(handle, values))
        finally:
            await self._close_handle(handle, 0)

    # ---- close

    async def close(self, *, delete: bool = False, purge: bool = False) -> int:
        """Close the handles; a dynamic queue may be deleted with its last one. Returns the reason
        of MQCLOSE's warning, such as MQRC_INCOMPLETE_GROUP, or 0."""
        handles = self._handles
        if not handles.is_open:
            return 0
        self.plain = None
        warning = 0
        if self._transport.callbacks is not None:
            from ternmq.api.aio_consuming import forget_queue

            await forget_queue(self._transport, handles.all())
        for handle in handles.let_go():
            warning = max(warning, await self._close_handle(handle, 0))
        # A delete may be refused; the queue is open then.
        options = handles.close_options(delete, purge)
        warning = max(warning, await self._close_handle(handles.base, options))
        handles.was_closed()
        return warning

    async def _close_handle(self, handle: ObjectHandle, options: int) -> int:
        call = Close(handle, options)
        if self._transport.has_handle(handle):
            await self._transport.run(call)
        return call.warning

    async def __aenter__(self) -> Queue:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            await self.close()
        except MQError:
            if kind is None:  # it must not hide what is on its way out
                raise

    def __repr__(self) -> str:
        transport = self._transport
        state = "" if self._handles.is_open and transport.is_alive else ", closed"
        return f"<Queue {self.name} of {transport.qmgr_name}{state}>"
