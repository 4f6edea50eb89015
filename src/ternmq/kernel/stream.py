"""Reading the stream of a queue: ranges of stream numbers, without removing anything.

A queue has a stream once it has a cursor (`cursors`) or retention (RETAIN). It is opened as for
browse, with the authority that this needs; `read` then gives out blocks (`store.stream_block`) as
they are. Verbs leave `durable_at` and `park` in the connection as all verbs do: a read that needs a
file is parked, and goes on by `resume_read` when its effect is done.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_HOBJ_ERROR,
    MQRC_MSG_SEQ_NUMBER_ERROR,
    MQRC_OBJECT_CHANGED,
    MQRC_OBJECT_DAMAGED,
    MQRC_Q_DELETED,
    MQRC_RESOURCE_PROBLEM,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.resolve import open_queue
from ternmq.ports.effect import Wakeable
from ternmq.store.queue import Queue
from ternmq.store.stream.numbered_stream import Stream, Watcher
from ternmq.store.stream.range_reading import RangeReader, StreamPart
from ternmq.store.stream.stream_file import StreamFetch

READ_BYTES_MAX: Final = 64 << 20  # of one answer, but for a single longer message
_NO_LIMIT: Final = 1 << 62


@final
class StreamBounds:
    """What a stream has: numbers from `earliest` to before `next_number`."""

    __slots__ = ("bytes", "cursors", "earliest", "incarnation", "lying", "next_number", "whole")

    def __init__(
        self,
        incarnation: int,
        earliest: int,
        next_number: int,
        size: int,
        cursors: int,
        whole: int,
        lying: int,
    ) -> None:
        self.incarnation = incarnation  # another one: other messages, whatever their numbers
        self.earliest = earliest
        self.next_number = next_number  # the number that the next message will have, or a lower one
        self.bytes = size  # of all its blocks, in memory and in files
        self.cursors = cursors
        self.whole = whole  # lower numbers are there if they were on the queue at its fill
        self.lying = lying  # no message on the queue has a lower number


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
        self.fetch: StreamFetch | None = None  # what it waits for, or got


def open_stream(kernel: Kernel, connection: Connection, name: str) -> Handle | None:
    """Open a queue, or an alias of one, to read its stream: MQOPEN for browse.

    None: parked, try again. MQCLOSE closes it. The queue need not have a stream yet: `bounds` and
    `read` refuse while it has none.
    """
    options = mq.MQOO_BROWSE | mq.MQOO_FAIL_IF_QUIESCING
    return open_queue(kernel, connection, name, "", "", options)


def _local(connection: Connection, handle: Handle) -> LocalQueue:
    local = handle.local
    if local is None or handle.connection is not connection:
        raise mq_error(MQRC_HOBJ_ERROR, verb="STREAM", object=handle.resolved_name)
    if local.deleted:
        raise mq_error(MQRC_Q_DELETED, verb="STREAM", object=local.name)
    if not handle.options & mq.MQOO_BROWSE:
        raise mq_error(
            MQRC_HOBJ_ERROR, verb="STREAM", object=local.name, detail="not open for browse"
        )
    return local


def stream_of(local: LocalQueue) -> Stream:
    """The stream of a queue; MQRC_UNKNOWN_OBJECT_NAME if it has none."""
    stream = local.queue.stream
    if stream is None:
        raise mq_error(
            MQRC_UNKNOWN_OBJECT_NAME,
            verb="STREAM",
            object=local.name,
            detail="the queue has no stream: it has neither a cursor nor RETAIN",
        )
    return stream


def bounds_of(kernel: Kernel, local: LocalQueue, stream: Stream) -> StreamBounds:
    """The stream as it is in this step."""
    return StreamBounds(
        int(stream.incarnation),
        int(stream.earliest),
        int(local.queue.next_sequence),
        int(stream.bytes + stream.open.bytes),
        len(kernel.catalog.cursors.of_queue(int(local.queue.queue_id))),
        max(int(stream.whole), int(stream.earliest)),
        _lowest_lying(local.queue),
    )


def _lowest_lying(queue: Queue) -> int:
    """A number below which no message is on the queue."""
    lowest: i64 = queue.next_sequence
    for lane in queue.lanes:
        if lane.strays.head is not None:
            return 0  # they are in no order, and few
        for head in (lane.front.head, lane.rear.head):
            if head is not None and head.sequence < lowest:
                lowest = head.sequence
        if lane.swept and lane.swept[0].first_sequence < lowest:
            lowest = lane.swept[0].first_sequence
    return int(lowest)


def bounds(kernel: Kernel, connection: Connection, handle: Handle) -> StreamBounds:
    """The stream as it is now; MQRC_UNKNOWN_OBJECT_NAME if the queue has none, MQRC_Q_DELETED,
    MQRC_HOBJ_ERROR."""
    connection.begin_verb()
    local = _local(connection, handle)
    stream = stream_of(local)
    _depend(connection, local)
    return bounds_of(kernel, local, stream)


def _depend(connection: Connection, local: LocalQueue) -> None:
    """What an answer says of the end of a stream must be true after a crash."""
    connection.depends_on(local.queue.last_lsn)
    connection.depends_on(local.queue.numbering.lsn)


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
    earliest number begins there and sets `lost_to`. An answer without messages means that the
    range has none now; `next_number` then is `end`, or where the stream ends.

    MQRC_OBJECT_CHANGED: another incarnation (the error has both). MQRC_MSG_SEQ_NUMBER_ERROR:
    `first` is below the earliest number (the error has both) or above the next one.
    MQRC_UNKNOWN_OBJECT_NAME: the queue has no stream. MQRC_OBJECT_DAMAGED: a file of the stream is;
    the error has the numbers.
    """
    call = StreamRead(
        connection, handle, incarnation, first, end, messages_max, bytes_max, skip_lost
    )
    resume_read(kernel, call)
    return call


def resume_read(kernel: Kernel, call: StreamRead) -> None:
    """Go on with a read after its park."""
    connection = call.connection
    connection.begin_verb()
    kernel.refuse_if_ending(True, "STREAM")
    local = _local(connection, call.handle)
    stream = stream_of(local)
    check_incarnation(local.name, stream, call.incarnation)
    start = _start(call, local, stream)
    fetch = call.fetch
    call.fetch = None
    if fetch is not None and fetch.error:
        raise mq_error(MQRC_RESOURCE_PROBLEM, verb="STREAM", object=local.name, detail=fetch.error)
    size = max(min(call.bytes_max, READ_BYTES_MAX), 1)
    last = call.end if call.end else _NO_LIMIT
    reader = RangeReader(stream, start, last, call.messages_max or _NO_LIMIT, size)
    reader.collect(fetch)
    if not reader.parts:
        if reader.damage:
            raise mq_error(
                MQRC_OBJECT_DAMAGED, verb="STREAM", object=local.name, detail=reader.damage
            )
        if reader.awaits_fill:
            _await_fill(connection, local, stream)
            return
        file = reader.file
        if file is not None:
            effect = StreamFetch(stream, file, reader.next, size)
            call.fetch = effect
            connection.park = effect
            kernel.outbox.add(effect)
            return
    _answer(kernel, call, local, stream, reader)


def _await_fill(connection: Connection, local: LocalQueue, stream: Stream) -> None:
    """What is wanted is on the queue and on its way into the stream; MQRC_RESOURCE_PROBLEM if
    that has failed, and then it is tried again."""
    fill = stream.fill
    if fill is None:
        return
    error = fill.error
    fill.go_on()
    if error:
        raise mq_error(MQRC_RESOURCE_PROBLEM, verb="STREAM", object=local.name, detail=error)
    connection.park = fill.effect


def _start(call: StreamRead, local: LocalQueue, stream: Stream) -> int:
    """Where the read begins: MQRC_MSG_SEQ_NUMBER_ERROR if the stream does not have that."""
    after = local.queue.next_sequence
    if call.first > after:
        raise mq_error(
            MQRC_MSG_SEQ_NUMBER_ERROR,
            verb="STREAM",
            object=local.name,
            detail=f"number {call.first} is above the next one, {after}",
        )
    if call.first >= stream.earliest:
        return call.first
    if not call.skip_lost:
        raise mq_error(
            MQRC_MSG_SEQ_NUMBER_ERROR,
            verb="STREAM",
            object=local.name,
            detail=f"number {call.first} is below the earliest one, {stream.earliest}",
        )
    call.lost_to = int(stream.earliest)
    return call.lost_to


def check_incarnation(name: str, stream: Stream, wanted: int) -> None:
    """MQRC_OBJECT_CHANGED if the reader means another stream of a queue of this name."""
    if wanted and wanted != stream.incarnation:
        raise mq_error(
            MQRC_OBJECT_CHANGED,
            verb="STREAM",
            object=name,
            detail=f"its stream is of incarnation {stream.incarnation}, not {wanted}",
        )


def _answer(
    kernel: Kernel, call: StreamRead, local: LocalQueue, stream: Stream, reader: RangeReader
) -> None:
    connection = call.connection
    connection.depends_on(reader.lsn)
    connection.depends_on(local.queue.numbering.lsn)
    call.parts = reader.parts
    call.messages = int(reader.messages)
    call.bytes = int(reader.bytes)
    call.bounds = bounds_of(kernel, local, stream)
    after: i64 = reader.next
    if reader.at_end and reader.file is None:
        # Nothing else is in the range, whatever numbers were never given or did not survive.
        after = local.queue.next_sequence
        if call.end and call.end < after:
            after = call.end
        _depend(connection, local)
    call.next_number = int(after)


def await_number(
    kernel: Kernel, connection: Connection, handle: Handle, number: int, waker: Wakeable
) -> bool:
    """Wake `waker` once when the stream has a message with this number or a higher one, or the
    queue or its stream ends; False if that is so already, and `waker` is not woken."""
    connection.begin_verb()
    kernel.refuse_if_ending(True, "STREAM")
    stream = stream_of(_local(connection, handle))
    if number < stream.next:
        return False
    stream.watchers.append(Watcher(number, waker))
    return True


def stop_awaiting(kernel: Kernel, handle: Handle, waker: Wakeable) -> None:
    """The waker is not woken any more; nothing happens if it was woken already."""
    local = handle.local
    stream = None if local is None else local.queue.stream
    if stream is not None:
        stream.watchers = [one for one in stream.watchers if one.waker is not waker]
