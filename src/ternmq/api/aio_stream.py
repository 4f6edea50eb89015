"""Numbered streams and cursors for tasks: the methods of `stream`, with `await`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import final

from ternmq.api.stream import Start, cursor_call, read_call, start_number
from ternmq.values.calls.streams import (
    LATEST,
    READ_BYTES_DEFAULT,
    CursorAdvance,
    CursorDelete,
    CursorOpen,
    CursorReset,
    StreamBounds,
    StreamClose,
)
from ternmq.values.message import Message
from ternmq.values.status import Bounds, CursorPosition
from ternmq.values.stream_block import StreamBlock, StreamRange
from ternmq.values.transport import TaskTransport


@final
class QueueStream:
    """The stream of a queue: everything that became visible on it, by number, to be read without
    removing anything. Open until `close`, or the end of the connection."""

    def __init__(self, transport: TaskTransport, queue: str) -> None:
        self._transport = transport
        self.queue = queue

    async def bounds(self) -> Bounds:
        """What it has now: incarnation, earliest and next number, bytes, cursors."""
        call = StreamBounds(self.queue)
        await self._transport.run(call)
        return call.outcome()

    async def read(
        self,
        first: int,
        end: int | None = None,
        *,
        count: int | None = None,
        max_bytes: int = READ_BYTES_DEFAULT,
        incarnation: int | None = None,
        skip_lost: bool = False,
        wait: float | None = 0,
        selector: str = "",
    ) -> StreamRange:
        """Messages with numbers from `first` to before `end`, in one round trip: at most `count` of
        them and about `max_bytes`, at least one if there is any. `next` of the answer says where
        to go on.

        With `incarnation` (of `bounds`) MQRC_OBJECT_CHANGED if the queue is another one by now. A
        number below the earliest is MQRC_MSG_SEQ_NUMBER_ERROR, unless `skip_lost`: then the read
        begins with the earliest, and `lost_to` says so. `wait` is how many seconds to wait while
        there is nothing in the range; None is without end.

        With a `selector` only messages that match it come back; the others are left out where the
        queue manager is, and `count` and `max_bytes` bound what it looks at. An answer without
        messages does not mean the end of the range: read on from `next`.
        """
        call = read_call(
            self.queue, first, end, count, max_bytes, incarnation, skip_lost, wait, selector
        )
        await self._transport.run(call)
        return call.outcome()

    async def blocks(
        self,
        first: int,
        end: int | None = None,
        *,
        max_bytes: int = READ_BYTES_DEFAULT,
        incarnation: int | None = None,
    ) -> AsyncIterator[StreamBlock]:
        """Blocks of messages from `first` to before `end`, or to where the stream ends now; one
        round trip after the other, so that no more than `max_bytes` is held at a time."""
        if end is None:
            end = (await self.bounds()).next
        while first < end:
            found = await self.read(first, end, max_bytes=max_bytes, incarnation=incarnation)
            for block in found.blocks:
                yield block
            if found.next <= first:
                return
            first = found.next

    async def close(self) -> None:
        """The queue is no longer open for this; a later read opens it again."""
        await self._transport.run(StreamClose(self.queue))

    async def __aenter__(self) -> QueueStream:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<QueueStream {self.queue}>"


@final
class QueueCursor:
    """A named, durable position in the stream of a queue.

    `read` and `poll` go on from where this object has read to, which is its own affair; `advance`
    says to the queue manager that messages are done with, and that lasts.
    """

    def __init__(self, transport: TaskTransport, found: CursorPosition) -> None:
        self._transport = transport
        self.name = found.name
        self.queue = found.queue
        self._take(found)
        self._next = found.position
        self._lost_to = 0

    def _take(self, found: CursorPosition) -> CursorPosition:
        self.incarnation = found.incarnation
        self.position = found.position  # the number of the first message not done with
        return found

    @property
    def next(self) -> int:
        """The number that `read` goes on from."""
        return self._next

    @property
    def lost_to(self) -> int:
        """0; else messages with numbers below this one were purged before they were read."""
        return self._lost_to

    async def read(
        self,
        *,
        count: int | None = None,
        max_bytes: int = READ_BYTES_DEFAULT,
        wait: float | None = 0,
    ) -> StreamRange:
        """The next messages; an empty range if none come within the wait. What retention by age or
        size has purged before it was read is skipped, and `lost_to` says up to where."""
        call = read_call(
            self.queue, self._next, None, count, max_bytes, self.incarnation, True, wait
        )
        await self._transport.run(call)
        found = call.outcome()
        self._next = found.next
        if found.lost_to:
            self._lost_to = found.lost_to
        return found

    async def poll(
        self, wait: float | None = None, *, max_bytes: int = READ_BYTES_DEFAULT
    ) -> list[Message]:
        """The next messages, one round trip; waits for the first, without end unless `wait` says
        how many seconds."""
        return list(await self.read(max_bytes=max_bytes, wait=wait))

    async def __aiter__(self) -> AsyncIterator[Message]:
        """The messages that are there, one after the other, to where the stream ends."""
        while True:
            found = await self.read()
            if not len(found):
                return
            for message in found:
                yield message

    async def advance(self, position: int | None = None) -> int:
        """All messages below `position` are done with, or all that were read so far. A cursor never
        goes back by this: a lower position changes nothing. Where it is then."""
        wanted = self._next if position is None else position
        call = CursorAdvance(self.name, wanted, self.incarnation)
        await self._transport.run(call)
        return self._take(call.outcome()).position

    def seek(self, number: int) -> None:
        """Read from this number on; the cursor itself stays where it is."""
        if number < 0:
            raise ValueError(f"a stream number is not negative: {number}")
        self._next = number
        self._lost_to = 0

    async def refresh(self) -> CursorPosition:
        """Where the cursor is by now: others may advance it too."""
        call = CursorOpen(self.name, "", LATEST)
        await self._transport.run(call)
        return self._take(call.outcome())

    async def reset(self, position: Start) -> int:
        """Set the cursor to a number that the stream has, also back, and read from there. Needs the
        authority to change the queue."""
        call = CursorReset(self.name, start_number(position))
        await self._transport.run(call)
        found = self._take(call.outcome())
        self.seek(found.position)
        return found.position

    async def delete(self) -> None:
        """Delete the cursor. Needs the authority to change the queue."""
        await self._transport.run(CursorDelete(self.name))

    def __repr__(self) -> str:
        return f"<QueueCursor {self.name} of {self.queue} at {self.position}>"


async def open_cursor(transport: TaskTransport, name: str, queue: str, start: Start) -> QueueCursor:
    """A cursor that exists, or a new one."""
    call = cursor_call(name, queue, start)
    await transport.run(call)
    return QueueCursor(transport, call.outcome())
