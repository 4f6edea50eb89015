"""Numbered streams and cursors: `connection.stream("Q")`, `connection.cursor("C")`.

`aio_stream` has the same for tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, final

from ternmq.api.handles import checked_name, checked_selector
from ternmq.values.calls.streams import (
    EARLIEST,
    LATEST,
    READ_BYTES_DEFAULT,
    CursorAdvance,
    CursorDelete,
    CursorOpen,
    CursorReset,
    StreamBounds,
    StreamClose,
    StreamRead,
)
from ternmq.values.message import Message
from ternmq.values.status import Bounds, CursorPosition
from ternmq.values.stream_block import StreamBlock, StreamRange
from ternmq.values.transport import Transport

Start = int | Literal["earliest", "latest"]
_STARTS: Final = {"earliest": EARLIEST, "latest": LATEST}


def start_number(start: Start) -> int:
    """A position as the queue manager has it."""
    if isinstance(start, int):
        if start < 0:
            raise ValueError(f"a stream number is not negative: {start}")
        return start
    number = _STARTS.get(start)
    if number is None:
        raise ValueError(f"'earliest', 'latest' or a stream number, not {start!r}")
    return number


def cursor_call(name: str, queue: str, start: Start) -> CursorOpen:
    """A cursor that exists, or a new one on that queue."""
    return CursorOpen(checked_name(name, "a cursor"), checked_name(queue), start_number(start))


def read_call(
    queue: str,
    first: int,
    end: int | None,
    count: int | None,
    max_bytes: int,
    incarnation: int | None,
    skip_lost: bool,
    wait: float | None,
    selector: str = "",
) -> StreamRead:
    """A read as its call. A wait without end is one of many years."""
    if count is not None and count < 1:
        raise ValueError(f"count is at least 1, not {count}")
    if max_bytes < 1:
        raise ValueError(f"max_bytes is at least 1, not {max_bytes}")
    if wait is not None and wait < 0:
        raise ValueError(f"wait is not negative: {wait}")
    return StreamRead(
        queue,
        incarnation or 0,
        first,
        end or 0,
        count or 0,
        max_bytes,
        skip_lost,
        round(1000 * (_FOR_EVER_S if wait is None else wait)),
        checked_selector(selector),
    )


_FOR_EVER_S: Final = 1e9


@final
class QueueStream:
    """The stream of a queue: everything that became visible on it, by number, to be read without
    removing anything. Open until `close`, or the end of the connection."""

    def __init__(self, transport: Transport, queue: str) -> None:
        self._transport = transport
        self.queue = queue

    def bounds(self) -> Bounds:
        """What it has now: incarnation, earliest and next number, bytes, cursors."""
        call = StreamBounds(self.queue)
        self._transport.run(call)
        return call.outcome()

    def read(
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
        self._transport.run(call)
        return call.outcome()

    def blocks(
        self,
        first: int,
        end: int | None = None,
        *,
        max_bytes: int = READ_BYTES_DEFAULT,
        incarnation: int | None = None,
    ) -> Iterator[StreamBlock]:
        """Blocks of messages from `first` to before `end`, or to where the stream ends now; one
        round trip after the other, so that no more than `max_bytes` is held at a time."""
        if end is None:
            end = self.bounds().next
        while first < end:
            found = self.read(first, end, max_bytes=max_bytes, incarnation=incarnation)
            yield from found.blocks
            if found.next <= first:
                return
            first = found.next

    def close(self) -> None:
        """The queue is no longer open for this; a later read opens it again."""
        self._transport.run(StreamClose(self.queue))

    def __enter__(self) -> QueueStream:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<QueueStream {self.queue}>"


@final
class QueueCursor:
    """A named, durable position in the stream of a queue.

    `read` and `poll` go on from where this object has read to, which is its own affair; `advance`
    says to the queue manager that messages are done with, and that lasts.
    """

    def __init__(self, transport: Transport, name: str, queue: str, start: Start) -> None:
        self._transport = transport
        call = cursor_call(name, queue, start)
        transport.run(call)
        found = call.outcome()
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

    def read(
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
        self._transport.run(call)
        found = call.outcome()
        self._next = found.next
        if found.lost_to:
            self._lost_to = found.lost_to
        return found

    def poll(
        self, wait: float | None = None, *, max_bytes: int = READ_BYTES_DEFAULT
    ) -> list[Message]:
        """The next messages, one round trip; waits for the first, without end unless `wait` says
        how many seconds."""
        return list(self.read(max_bytes=max_bytes, wait=wait))

    def __iter__(self) -> Iterator[Message]:
        """The messages that are there, one after the other, to where the stream ends."""
        while True:
            found = self.read()
            if not len(found):
                return
            yield from found

    def advance(self, position: int | None = None) -> int:
        """All messages below `position` are done with, or all that were read so far. A cursor never
        goes back by this: a lower position changes nothing. Where it is then."""
        wanted = self._next if position is None else position
        call = CursorAdvance(self.name, wanted, self.incarnation)
        self._transport.run(call)
        return self._take(call.outcome()).position

    def seek(self, number: int) -> None:
        """Read from this number on; the cursor itself stays where it is."""
        if number < 0:
            raise ValueError(f"a stream number is not negative: {number}")
        self._next = number
        self._lost_to = 0

    def refresh(self) -> CursorPosition:
        """Where the cursor is by now: others may advance it too."""
        call = CursorOpen(self.name, "", LATEST)
        self._transport.run(call)
        return self._take(call.outcome())

    def reset(self, position: Start) -> int:
        """Set the cursor to a number that the stream has, also back, and read from there. Needs the
        authority to change the queue."""
        call = CursorReset(self.name, start_number(position))
        self._transport.run(call)
        found = self._take(call.outcome())
        self.seek(found.position)
        return found.position

    def delete(self) -> None:
        """Delete the cursor. Needs the authority to change the queue."""
        self._transport.run(CursorDelete(self.name))

    def __repr__(self) -> str:
        return f"<QueueCursor {self.name} of {self.queue} at {self.position}>"
