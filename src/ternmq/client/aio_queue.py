"""A queue as a task sees it: `queue`, with `await`, `async with` and `async for`.

Interpreted on the compiled build too, so that Python warns of a call that nobody awaits.
"""

from __future__ import annotations

from types import TracebackType

from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from ternmq.client.aio_iterators import Browse, Messages
from ternmq.client.aio_verbs import TaskVerbs
from ternmq.client.handles import BROWSE, Handles, for_output
from ternmq.client.message import Message
from ternmq.client.requests import Data, Requests, as_bytes
from ternmq.client.storage_status import StorageStatus, storage_status
from ternmq.codec.mqmd import Descriptor
from ternmq.kernel.connection import Handle


class Queue:
    """An open queue; an asynchronous context manager that closes it."""

    def __init__(self, verbs: TaskVerbs, base: Handle, name: str) -> None:
        self.verbs = verbs
        self._handles = Handles(base, name)
        self._requests = Requests(verbs)

    @property
    def name(self) -> str:
        """The queue's name; a dynamic queue has its own, not its model's."""
        return self._handles.name

    # ---- put

    async def put(
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
    ) -> bytes:
        """Put a message and return its MsgId, once a persistent one is on disk.

        Arguments as those of the blocking `Queue.put`. If the task is cancelled while it waits for
        the disk, the message stays on the queue.
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
        )
        output = self._handles.output
        if output is None or options != 0:
            output = await self._opened(for_output(options))
        body = data if isinstance(data, bytes) else as_bytes(data)
        entry = await self.verbs.put(output, request, body)
        return entry.msg_id

    async def _opened(self, options: int) -> Handle:
        """A handle for these MQOO options; it stays open with the queue."""
        handle = self._handles.find(options)
        if handle is None:
            handle = await self.verbs.open(self._handles.descriptor(), options)
            self._handles.add(options, handle)
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
        request = self._requests.get(
            wait, msg_id, correl_id, group_id, token, max_length, options, syncpoint
        )
        handle = self._handles.input
        if handle is None:
            handle = await self._opened(self._handles.for_input())
        message = await self.verbs.get(handle, request)
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
        return await self.verbs.get(handle, request)

    # ---- iterate

    def __aiter__(self) -> Messages:
        """Get message after message until the queue is empty."""
        return Messages(self, None)

    def consume(self, *, wait: float | None = -1.0) -> Messages:
        """Get message after message, waiting for the next one; ends only when `wait` seconds
        pass without one."""
        return Messages(self, wait)

    def browse(self, *, msg_id: bytes | None = None, correl_id: bytes | None = None) -> Browse:
        """Look at the messages in order without taking them."""
        return Browse(self, msg_id, correl_id)

    async def lend(self) -> Handle:
        """A handle to browse with, for one user at a time, who gives it back."""
        handle = self._handles.borrow()
        if handle is None:
            handle = await self.verbs.open(self._handles.descriptor(), BROWSE)
            self._handles.lend(handle)
        return handle

    def give_back(self, handle: Handle) -> None:
        """A lent handle is free again; it is closed with the queue."""
        self._handles.give_back(handle)

    # ---- attributes

    async def depth(self) -> int:
        """How many messages are on the queue, uncommitted puts included."""
        values = await self.inquire(mq.MQIA_CURRENT_Q_DEPTH)
        return int(values[0])

    async def storage_status(self) -> StorageStatus:
        """How many of its messages are in memory, how many were swept to files, and how often."""
        return storage_status(self.verbs.shell, await self._opened(mq.MQOO_INQUIRE))

    async def inquire(self, *selectors: int) -> list[Value]:
        """MQINQ: attribute values by MQIA and MQCA selectors, in their order."""
        handle = await self._opened(mq.MQOO_INQUIRE)
        return await self.verbs.inquire(handle, list(selectors))

    async def set(self, values: dict[int, Value]) -> None:
        """MQSET: the attributes that applications may change (inhibits, triggers)."""
        handle = await self.verbs.open(self._handles.descriptor(), mq.MQOO_SET)
        try:
            await self.verbs.set(handle, values)
        finally:
            await self._close_handle(handle, 0)

    # ---- close

    async def close(self, *, delete: bool = False, purge: bool = False) -> None:
        """Close the handles; a dynamic queue may be deleted with its last one."""
        handles = self._handles
        if not handles.is_open:
            return
        for handle in handles.let_go():
            await self._close_handle(handle, 0)
        # A delete may be refused; the queue is open then.
        await self._close_handle(handles.base, handles.close_options(delete, purge))
        handles.is_open = False

    async def _close_handle(self, handle: Handle, options: int) -> None:
        if self.verbs.link.connected and handle.handle_id in self.verbs.link.handles:
            await self.verbs.close(handle, options)

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
        return f"<Queue {self.name} of {self.verbs.engine.name}>"
