"""A queue of a queue manager in another process, for tasks: the twin of `aio_queue`."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from ternmq.client.handles import BROWSE, Handles, for_output
from ternmq.client.local_requests import LocalRequests
from ternmq.client.message import Message
from ternmq.client.put_front import PutFront
from ternmq.client.remote_verbs import Opened, described
from ternmq.client.requests import Data, as_bytes, browse_request
from ternmq.client.storage_status import StorageStatus
from ternmq.codec.mqmd import Descriptor
from ternmq.kernel.connection import Handle

if TYPE_CHECKING:
    from ternmq.client.local_aio import ClientConnection
    from ternmq.client.net_quick import AheadGet


class ClientMessages:
    """Gets message after message; ends when none comes within the wait."""

    def __init__(self, queue: ClientQueue, wait: float | None) -> None:
        self._queue = queue
        self._wait = wait
        self._ahead: AheadGet | None = None

    def __aiter__(self) -> ClientMessages:
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
        message = await queue.try_get(wait=self._wait)
        if message is None:
            raise StopAsyncIteration
        if self._ahead is None:
            self._ahead = queue.ahead_get(self._wait)
        return message


class ClientBrowse:
    """Looks at message after message; ends after the last one.

    The handle is lent by the queue, which closes it; a browse that is broken off gives it back too.
    """

    def __init__(
        self,
        queue: ClientQueue,
        handles: Handles,
        msg_id: bytes | None,
        correl_id: bytes | None,
    ) -> None:
        self._handle: Handle | None = None
        self._ended = False
        self._queue = queue
        self._handles = handles
        self._first = browse_request(True, msg_id, correl_id)
        self._following = browse_request(False, msg_id, correl_id)

    def __aiter__(self) -> ClientBrowse:
        return self

    async def __anext__(self) -> Message:
        if self._ended:
            raise StopAsyncIteration
        handle = self._handle
        request = self._following
        if handle is None:
            handle = self._handles.borrow()
            if handle is None:
                handle = await self._queue.open_handle(BROWSE)
                self._handles.lend(handle)
            self._handle = handle
            request = self._first
        connection = self._queue.connection
        message = await connection.run("MQGET", connection.verbs.get(handle, request, False))
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


class ClientQueue(PutFront):
    """An open queue; a context manager that closes it."""

    def __init__(self, connection: ClientConnection, opened: Opened, name: str) -> None:
        super().__init__()
        self.connection = connection
        self._verbs = connection.verbs
        self._handles = Handles(opened.handle, name)
        if opened.renamed:
            self._handles.name = opened.handle.resolved_name
        self._requests = LocalRequests(self._verbs)

    @property
    def name(self) -> str:
        """The queue's name; a dynamic queue has its own, not its model's."""
        return self._handles.name

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
    ) -> bytes:
        """As `put`, with every argument."""
        put_options, packed = self._requests.put(
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
        )
        output = self._handles.output
        if output is None or options != 0:
            output = await self._opened(for_output(options))
        body = data if isinstance(data, bytes) else as_bytes(data)
        transport = self.connection.transport
        done = transport.put_now(output, put_options, packed, body)
        if done is None:
            return await transport.run("MQPUT", self._verbs.put(output, put_options, packed, body))
        if self.plain is None and options == 0:
            none = None  # of the particulars
            usual = self._requests.put(
                b"", none, none, none, none, none, none, none, none, 0, False
            )
            self.plain = transport.plain_put(output, *usual)
        if transport.pause_is_due:
            await transport.pause()
        return done

    async def _opened(self, options: int) -> Handle:
        """A handle for these MQOO options; it stays open with the queue."""
        handle = self._handles.find(options)
        if handle is None:
            handle = await self.open_handle(options)
            self._handles.add(options, handle)
        return handle

    async def open_handle(self, options: int) -> Handle:
        """Another handle of this queue."""
        self._handles.check_open()
        od = described(self._handles.name)
        opened = await self.connection.run("MQOPEN", self._verbs.open(od, options))
        return opened.handle

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
        seconds. Arguments as those of the blocking `Queue.get`."""
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
        transport = self.connection.transport
        message = transport.get_now(handle, request)
        if message is None:
            return await transport.run("MQGET", self._verbs.get(handle, request, True))
        if transport.pause_is_due:
            await transport.pause()
        return message

    def ahead_get(self, wait: float | None) -> AheadGet | None:
        """What gets messages that are here already, outside syncpoint; None if there are none."""
        handle = self._handles.input
        if handle is None:
            return None
        request = self._requests.get(wait, None, None, None, None, None, 0, False)
        return self.connection.transport.ahead_get(handle, request)

    # ---- iterate

    def __aiter__(self) -> ClientMessages:
        """Get message after message until the queue is empty."""
        return ClientMessages(self, None)

    def consume(self, *, wait: float | None = -1.0) -> ClientMessages:
        """Get message after message, waiting for the next one; ends only when `wait` seconds
        pass without one."""
        return ClientMessages(self, wait)

    def browse(
        self, *, msg_id: bytes | None = None, correl_id: bytes | None = None
    ) -> ClientBrowse:
        """Look at the messages in order without taking them."""
        return ClientBrowse(self, self._handles, msg_id, correl_id)

    # ---- attributes

    async def depth(self) -> int:
        """How many messages are on the queue, uncommitted puts included."""
        values = await self.inquire(mq.MQIA_CURRENT_Q_DEPTH)
        return int(values[0])

    async def inquire(self, *selectors: int) -> list[Value]:
        """MQINQ: attribute values by MQIA and MQCA selectors, in their order."""
        handle = await self._opened(mq.MQOO_INQUIRE)
        return await self.connection.run("MQINQ", self._verbs.inquire(handle, list(selectors)))

    async def storage_status(self) -> StorageStatus:
        """How many of its messages are in memory, how many were swept to files, and how often."""
        handle = await self._opened(mq.MQOO_INQUIRE)
        call = self._verbs.call("storage_status", handle=handle.handle_id)
        return StorageStatus(**await self.connection.run("MQINQ", call))

    async def set(self, values: dict[int, Value]) -> None:
        """MQSET: the attributes that applications may change (inhibits, triggers)."""
        self._handles.check_open()
        od = described(self._handles.name)
        opened = await self.connection.run("MQOPEN", self._verbs.open(od, mq.MQOO_SET))
        try:
            await self.connection.run("MQSET", self._verbs.set(opened, values))
        finally:
            await self._close_handle(opened.handle, 0)

    # ---- close

    async def close(self, *, delete: bool = False, purge: bool = False) -> None:
        """Close the handles; a dynamic queue may be deleted with its last one."""
        handles = self._handles
        if not handles.is_open:
            return
        self.plain = None
        for handle in handles.let_go():
            await self._close_handle(handle, 0)
        # A delete may be refused; the queue is open then.
        await self._close_handle(handles.base, handles.close_options(delete, purge))
        handles.is_open = False

    async def _close_handle(self, handle: Handle, options: int) -> None:
        link = self._verbs.link
        if link.connected and handle.handle_id in link.handles:
            await self.connection.run("MQCLOSE", self._verbs.close(handle, options))

    async def __aenter__(self) -> ClientQueue:
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
        return f"<Queue {self.name} of {self._verbs.name}>"
