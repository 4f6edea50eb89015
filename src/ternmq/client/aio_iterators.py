"""What `async for` goes through: messages as they are got, or browsed.

Classes, not generators: breaking off leaves nothing that would have to be closed later in another
task, where the connection may be in use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from ternmq.client.message import Message
from ternmq.client.requests import browse_request
from ternmq.kernel.connection import Handle

if TYPE_CHECKING:
    from ternmq.client.aio_queue import Queue


@final
class Messages:
    """Gets message after message; ends when none comes within the wait."""

    def __init__(self, queue: Queue, wait: float | None) -> None:
        self._queue = queue
        self._wait = wait

    def __aiter__(self) -> Messages:
        return self

    async def __anext__(self) -> Message:
        message = await self._queue.try_get(wait=self._wait)
        if message is None:
            raise StopAsyncIteration
        return message


@final
class Browse:
    """Looks at message after message; ends after the last one.

    Its handle is lent by the queue, which closes it; a browse that is broken off gives it back too.
    """

    def __init__(self, queue: Queue, msg_id: bytes | None, correl_id: bytes | None) -> None:
        self._handle: Handle | None = None
        self._ended = False
        self._queue = queue
        self._first = browse_request(True, msg_id, correl_id)
        self._following = browse_request(False, msg_id, correl_id)

    def __aiter__(self) -> Browse:
        return self

    async def __anext__(self) -> Message:
        if self._ended:
            raise StopAsyncIteration
        handle = self._handle
        request = self._following
        if handle is None:
            handle = await self._queue.lend()
            self._handle = handle
            request = self._first
        message = await self._queue.verbs.get(handle, request)
        if message is None:
            self._give_back()
            raise StopAsyncIteration
        return message

    def _give_back(self) -> None:
        self._ended = True
        if self._handle is not None:
            self._queue.give_back(self._handle)
            self._handle = None

    def __del__(self) -> None:
        self._give_back()
