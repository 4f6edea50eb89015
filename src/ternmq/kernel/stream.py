"""Reading the stream of a queue: ranges of stream numbers, without removing anything.

A queue has a stream once it has a cursor (`cursors`) or retention (RETAIN). It is opened as for
browse, with the authority that this needs; `read` then gives out blocks (`store.stream_block`) as
they are. Verbs leave `durable_at` and `park` in the connection as all verbs do: a read that needs a
file is parked, and goes on by `resume_read` when its effect is done.
"""

from __future__ import annotations

from typing import final

from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.ports.effect import Wakeable


@final
class StreamBounds:
    """What a stream has: numbers from `earliest` to before `next_number`."""

    __slots__ = ("bytes", "cursors", "earliest", "incarnation", "next_number")

    def __init__(
        self, incarnation: int, earliest: int, next_number: int, size: int, cursors: int
    ) -> None:
        self.incarnation = incarnation  # another one: other messages, whatever their numbers
        self.earliest = earliest
        self.next_number = next_number  # the number that the next message will have, or a lower one
        self.bytes = size  # of all its blocks, in memory and in files
        self.cursors = cursors


@final
class StreamPart:
    """Messages of one block: those from place `start` to before `stop`, counted from 0."""

    __slots__ = ("block", "start", "stop")

    def __init__(self, block: bytes, start: int, stop: int) -> None:
        self.block = block
        self.start = start
        self.stop = stop


@final
class StreamRead:
    """A read in progress, and its answer once neither `park` nor `again` is set in the
    connection."""

    def __init__(
        self,
        connection: Connection,
        handle: Handle,
        incarnation: int,
        first: int,
        end: int,
        messages_max: int,
        bytes_max: int,
        skip_lost: bool,
    ) -> None:
        self.connection = connection
        self.handle = handle
        self.incarnation = incarnation
        self.first = first
        self.end = end
        self.messages_max = messages_max
        self.bytes_max = bytes_max
        self.skip_lost = skip_lost
        # the answer
        self.parts: list[StreamPart] = []
        self.messages = 0
        self.bytes = 0  # of the heads and bodies that were asked for
        self.next_number = first  # where the next read goes on; numbers below it are in `parts`
        self.lost_to = 0  # numbers from `first` to before this one are there no more
        self.bounds: StreamBounds | None = None


def open_stream(kernel: Kernel, connection: Connection, name: str) -> Handle | None:
    """Open a queue, or an alias of one, to read its stream: MQOPEN for browse.

    None: parked, try again. MQCLOSE closes it. The queue need not have a stream yet: `bounds` and
    `read` refuse while it has none.
    """
    raise NotImplementedError


def bounds(kernel: Kernel, connection: Connection, handle: Handle) -> StreamBounds:
    """The stream as it is now; MQRC_OBJECT_CHANGED never, MQRC_UNKNOWN_OBJECT_NAME if the queue
    has no stream, MQRC_Q_DELETED, MQRC_HOBJ_ERROR."""
    raise NotImplementedError


def read(
    kernel: Kernel,
    connection: Connection,
    handle: Handle,
    incarnation: int,
    first: int,
    end: int = 0,
    messages_max: int = 0,
    bytes_max: int = 1 << 20,
    skip_lost: bool = False,
) -> StreamRead:
    """Read messages with numbers from `first` to before `end` (0: all there are), at most so many
    (0: any number) and about so many bytes of heads and bodies, at least one message.

    `incarnation` 0 reads whatever stream is there now. With `skip_lost` a read from before the
    earliest number begins there and tells in `lost_to`. An answer without messages means that
    there is none in the range now; `next_number` then is `end`, or where the stream ends.

    MQRC_OBJECT_CHANGED: another incarnation (both are told). MQRC_MSG_SEQ_NUMBER_ERROR: `first` is
    below the earliest number (both are told) or above the next one. MQRC_UNKNOWN_OBJECT_NAME: the
    queue has no stream. MQRC_OBJECT_DAMAGED: a file of the stream is; the numbers are told.
    """
    raise NotImplementedError


def resume_read(kernel: Kernel, call: StreamRead) -> None:
    """Go on with a read after its park."""
    raise NotImplementedError


def await_number(
    kernel: Kernel, connection: Connection, handle: Handle, number: int, waker: Wakeable
) -> bool:
    """Have `waker` told once when the stream has a message with this number or a higher one, or the
    queue or its stream ends; False if that is so already, and nobody will be told."""
    raise NotImplementedError


def stop_awaiting(kernel: Kernel, handle: Handle, waker: Wakeable) -> None:
    """The waker is not told any more; nothing happens if it was told already."""
    raise NotImplementedError
