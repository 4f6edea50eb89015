"""A queue of a queue manager in another process: the twin of `queue`, method by method."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from ternmq.client.handles import BROWSE, Handles, for_output
from ternmq.client.local_requests import LocalRequests
from ternmq.client.message import Message
from ternmq.client.remote_verbs import described
from ternmq.client.requests import Data, as_bytes, browse_request
from ternmq.client.storage_status import StorageStatus
from ternmq.codec.mqmd import Descriptor
from ternmq.kernel.connection import Handle

if TYPE_CHECKING:
    from ternmq.client.local_connection import ClientConnection


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

    def __iter__(self) -> ClientBrowse:
        return self

    def __next__(self) -> Message:
        if self._ended:
            raise StopIteration
        handle = self._handle
        request = self._following
        if handle is None:
            handle = self._handles.borrow()
            if handle is None:
                handle = self._queue.open_handle(BROWSE)
                self._handles.lend(handle)
            self._handle = handle
            request = self._first
        connection = self._queue.connection
        message = connection.run("MQGET", connection.verbs.get(handle, request, False))
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


class ClientQueue:
    """An open queue; a context manager that closes it."""

    def __init__(
        self,
        connection: ClientConnection,
        name: str,
        options: int,
        dynamic_name: str,
        exclusive: bool,
    ) -> None:
        self.connection = connection
        self._verbs = connection.verbs
        self._transport = connection.transport
        opened = connection.run(
            "MQOPEN", self._verbs.open(described(name, dynamic_name), options, True, exclusive)
        )
        self._handles = Handles(opened.handle, name)
        if opened.renamed:
            self._handles.name = opened.handle.resolved_name
        self._requests = LocalRequests(self._verbs)

    @property
    def name(self) -> str:
        """The queue's name; a dynamic queue has its own, not its model's."""
        return self._handles.name

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
    ) -> bytes:
        """Put a message and return its MsgId; arguments as those of `Queue.put`."""
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
            output = self._opened(for_output(options))
        body = data if isinstance(data, bytes) else as_bytes(data)
        return self._transport.put(output, put_options, packed, body)

    def _opened(self, options: int) -> Handle:
        """A handle for these MQOO options; it stays open with the queue."""
        handle = self._handles.find(options)
        if handle is None:
            handle = self.open_handle(options)
            self._handles.add(options, handle)
        return handle

    def open_handle(self, options: int) -> Handle:
        """Another handle of this queue."""
        self._handles.check_open()
        od = described(self._handles.name)
        return self.connection.run("MQOPEN", self._verbs.open(od, options)).handle

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
        seconds. Arguments as those of `Queue.get`."""
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

    def consume(self, *, wait: float | None = -1.0) -> Iterator[Message]:
        """Get message after message, waiting for the next one; ends only when `wait` seconds
        pass without one."""
        while True:
            message = self.try_get(wait=wait)
            if message is None:
                return
            yield message

    def browse(
        self, *, msg_id: bytes | None = None, correl_id: bytes | None = None
    ) -> ClientBrowse:
        """Look at the messages in order without taking them."""
        return ClientBrowse(self, self._handles, msg_id, correl_id)

    # ---- attributes

    @property
    def depth(self) -> int:
        """How many messages are on the queue, uncommitted puts included."""
        return int(self.inquire(mq.MQIA_CURRENT_Q_DEPTH)[0])

    def inquire(self, *selectors: int) -> list[Value]:
        """MQINQ: attribute values by MQIA and MQCA selectors, in their order."""
        handle = self._opened(mq.MQOO_INQUIRE)
        return self.connection.run("MQINQ", self._verbs.inquire(handle, list(selectors)))

    def storage_status(self) -> StorageStatus:
        """How many of its messages are in memory, how many were swept to files, and how often."""
        handle = self._opened(mq.MQOO_INQUIRE)
        call = self._verbs.call("storage_status", handle=handle.handle_id)
        return StorageStatus(**self.connection.run("MQINQ", call))

    def set(self, values: dict[int, Value]) -> None:
        """MQSET: the attributes that applications may change (inhibits, triggers)."""
        self._handles.check_open()
        od = described(self._handles.name)
        opened = self.connection.run("MQOPEN", self._verbs.open(od, mq.MQOO_SET))
        try:
            self.connection.run("MQSET", self._verbs.set(opened, values))
        finally:
            self._close_handle(opened.handle, 0)

    # ---- close

    def close(self, *, delete: bool = False, purge: bool = False) -> None:
        """Close the handles; a dynamic queue may be deleted with its last one."""
        handles = self._handles
        if not handles.is_open:
            return
        for handle in handles.let_go():
            self._close_handle(handle, 0)
        # A delete may be refused; the queue is open then.
        self._close_handle(handles.base, handles.close_options(delete, purge))
        handles.is_open = False

    def _close_handle(self, handle: Handle, options: int) -> None:
        link = self._verbs.link
        if link.connected and handle.handle_id in link.handles:
            self.connection.run("MQCLOSE", self._verbs.close(handle, options))

    def __enter__(self) -> ClientQueue:
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
        return f"<Queue {self.name} of {self._verbs.name}>"
