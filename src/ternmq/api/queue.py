"""A queue as an application sees it: put, get, browse, iterate. `aio_queue` is that for tasks."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, final

from ternmq.api.arguments import Data, Requests, as_bytes, browse_request, delay_ms
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
from ternmq.values.handle import ObjectHandle
from ternmq.values.message import Message
from ternmq.values.status import GroupFigures, StorageStatus
from ternmq.values.transport import Transport

if TYPE_CHECKING:
    from ternmq.api.consumers import EventFunction, MessageFunction
    from ternmq.api.consuming import Consumer
    from ternmq.api.message_group import MessageGroup
    from ternmq.values.message_properties import Given


@final
class Browse:
    """Looks at message after message; ends after the last one.

    A class, not a generator: a compiled generator that is broken off would never close its handle.
    The handle is lent by the queue, which closes it; a browse that is broken off gives it back too.
    """

    def __init__(
        self,
        transport: Transport,
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

    def __iter__(self) -> Browse:
        return self

    def __next__(self) -> Message:
        if self._ended:
            raise StopIteration
        handle = self._handle
        request = self._following
        if handle is None:
            handle = self._handles.borrow()
            if handle is None:
                call = self._handles.open_browse()
                self._transport.run(call)
                handle = call.opened()
                self._handles.lend(handle)
            self._handle = handle
            request = self._first
        message = self._transport.get(handle, request)
        if message is None:
            self._give_back()
            raise StopIteration
        return message

    def _give_back(self) -> None:
        self._ended = True
        if self._handle is not None:
            self._handles.give_back(self._handle)
            self._handle = None

    def __del__(self) -> None:
        self._give_back()


class Queue:
    """An open queue; a context manager that closes it."""

    def __init__(self, transport: Transport, opened: Open) -> None:
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

    def put(
        self,
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
    ) -> bytes:
        """Put a message and return its MsgId.

        Text gets the format MQSTR. `persistent` and `priority` are the queue's defaults if not
        given; `expiry` is in seconds. A `descriptor` gives all of MQMD; it and MQPMO `options` are
        checked as MQPUT checks them. `properties` are names and values: str, bool, int, float,
        bytes or None, or those of another message. With a `delay` in seconds the message is on its
        queue when that time is over, counted from the put; until then it is on
        SYSTEM.DDELAY.LOCAL.QUEUE.
        """
        request = self._requests.put(
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
            output = self._opened(for_output(options))
        body = data if isinstance(data, bytes) else as_bytes(data)
        milliseconds = 0 if delay is None else delay_ms(delay)
        if milliseconds:
            call = PutDeferred(output, request, body, milliseconds)
            self._transport.run(call)
            return call.msg_id
        return self._transport.put(output, request, body)

    def group(self) -> MessageGroup:
        """A group of messages: `with queue.group() as group`, then `group.put(...)` for each, the
        last one with `last=True`."""
        from ternmq.api.message_group import MessageGroup  # few put groups

        return MessageGroup(self)

    def put_call(self, data: Data, md: Descriptor, particulars: dict[str, Any]) -> Put:
        """A put with that descriptor, and all that it answered."""
        output = self._handles.output
        if output is None:
            output = self._opened(for_output(0))
        form = self._requests.put_of(data, md, **particulars)
        call = Put(output, form, data if isinstance(data, bytes) else as_bytes(data))
        self._transport.run(call)
        return call

    def _opened(self, options: int) -> ObjectHandle:
        """A handle for these MQOO options: the queue's own, for more than before."""
        handle = self._handles.find(options)
        if handle is None:
            call = Widen(self._handles.base, options)
            self._transport.run(call)
            handle = self._handles.widened(call)
        return handle

    # ---- get

    def get(
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

        `wait` of -1 waits without end. A message longer than `max_length` raises Truncated and
        stays on the queue, unless `options` have MQGMO_ACCEPT_TRUNCATED_MSG; `message.length` is
        the whole length either way. Properties come in `message.properties`, not in the data,
        unless `options` or the queue's PROPCTL ask for an MQRFH2.
        """
        message = self.try_get(
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

    def try_get(
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
            handle = self._opened(self._handles.for_input())
        return self._transport.get(handle, request)

    # ---- iterate

    def __iter__(self) -> Iterator[Message]:
        """Get message after message until the queue is empty."""
        while True:
            message = self.try_get()
            if message is None:
                return
            yield message

    def consume(
        self, *, wait: float | None = -1.0, syncpoint: bool | None = None
    ) -> Iterator[Message]:
        """Get message after message, waiting for the next one; ends only when `wait` seconds
        pass without one.

        A message is off the queue when the body of the loop has it, and a body that fails has lost
        it: a unit of work that begins in the body does not contain the get. With `syncpoint=True`
        the message and what the body puts and gets are in one unit of work, which begins by itself.
        The body ends it by `commit()`, or by `backout()` if it fails; until then the next messages
        join it.
        """
        while True:
            if syncpoint:
                message = self._get_in_unit(wait)
            else:
                message = self.try_get(wait=wait, syncpoint=syncpoint)
            if message is None:
                return
            yield message

    def _get_in_unit(self, wait: float | None) -> Message | None:
        """A message in the unit of work, which begins here if there is none: then what the caller
        puts is in it, too."""
        transport = self._transport
        begins = not (transport.in_unit or transport.has_unit)
        if begins:
            transport.begin()
        message: Message | None = None
        try:
            message = self.try_get(wait=wait, syncpoint=True)
        finally:
            if begins and message is None and transport.is_alive:
                transport.back_out()  # nothing is in it
        return message

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

    def on_message(
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
        from ternmq.api.consuming import register  # few programs have callbacks

        if browse:
            options |= mq.MQGMO_BROWSE_FIRST
        handle = self._handles.input
        if handle is None:
            handle = self._opened(self._handles.for_input())
        asked = (msg_id, correl_id, group_id, max_length, options, syncpoint)
        return register(self, handle, function, on_event, asked, wait, callback_options)

    # ---- attributes

    @property
    def depth(self) -> int:
        """How many messages are on the queue, uncommitted puts included."""
        return int(self.inquire(mq.MQIA_CURRENT_Q_DEPTH)[0])

    def inquire(self, *selectors: int) -> list[Value]:
        """MQINQ: attribute values by MQIA and MQCA selectors, in their order."""
        call = Inquire(self._opened(mq.MQOO_INQUIRE), list(selectors))
        self._transport.run(call)
        return call.answer()

    def groups(self, *, incomplete: bool = False) -> list[GroupFigures]:
        """The groups on the queue in the order of their coming, or only those that lack a message:
        how much of each a get could take now."""
        found: list[GroupFigures] = []
        after = 0
        while after >= 0:
            call = InquireGroups(self._opened(mq.MQOO_INQUIRE), after, incomplete)
            self._transport.run(call)
            found += call.groups
            after = call.next
        return found

    def storage_status(self) -> StorageStatus:
        """How many of its messages are in memory, how many were swept to files, and how often."""
        call = InquireStorage(self._opened(mq.MQOO_INQUIRE))
        self._transport.run(call)
        return call.outcome()

    def set(self, values: dict[int, Value]) -> None:
        """MQSET: the attributes that applications may change (inhibits, triggers)."""
        call = Open(self._handles.descriptor(), mq.MQOO_SET)
        self._transport.run(call)
        handle = call.opened()
        try:
            if call.object_type:
                from ternmq.api.inert_attributes import warn_inert_values  # few set

                warn_inert_values(call.object_type, handle.resolved_name, values)
            self._transport.run(SetAttributes(handle, values))
        finally:
            self._close_handle(handle, 0)

    # ---- close

    def close(self, *, delete: bool = False, purge: bool = False) -> int:
        """Close the handles; a dynamic queue may be deleted with its last one. Returns the reason
        of MQCLOSE's warning, such as MQRC_INCOMPLETE_GROUP, or 0."""
        handles = self._handles
        if not handles.is_open:
            return 0
        warning = 0
        if self._transport.callbacks is not None:
            from ternmq.api.consuming import forget_queue

            forget_queue(self._transport, handles.all())
        for handle in handles.let_go():
            warning = max(warning, self._close_handle(handle, 0))
        # A delete may be refused; the queue is open then.
        options = handles.close_options(delete, purge)
        warning = max(warning, self._close_handle(handles.base, options))
        handles.was_closed()
        return warning

    def _close_handle(self, handle: ObjectHandle, options: int) -> int:
        call = Close(handle, options)
        if self._transport.has_handle(handle):
            self._transport.run(call)
        return call.warning

    def __enter__(self) -> Queue:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except MQError:
            if kind is None:  # it must not hide what is on its way out
                raise

    def __repr__(self) -> str:
        transport = self._transport
        state = "" if self._handles.is_open and transport.is_alive else ", closed"
        return f"<Queue {self.name} of {transport.qmgr_name}{state}>"
