"""Streams of queues as the source sees them: where they begin and end, and what is in between.

The driver asks for positions here, tasks read ranges. What a read can find wrong with a stream is
raised as DataLoss: messages that were to be read are gone, or the queue is another one by now.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from ternmq.api.connection import Connection
from ternmq.base.errors import MQError
from ternmq.base.reasons import (
    MQRC_MSG_SEQ_NUMBER_ERROR,
    MQRC_OBJECT_CHANGED,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.spark.mq.mq_options import READ_BYTES, SourceOptions
from ternmq.spark.mq.positions import EARLIEST, LATEST, NUMBER, Position
from ternmq.values.calls.streams import StreamQueues
from ternmq.values.status import Bounds
from ternmq.values.stream_block import HEAD_COLUMNS, StreamBlock

HEAD_TYPE: Final = np.dtype(HEAD_COLUMNS)
LATE_NS: Final = 60 * 1_000_000_000  # how long a unit of work may take that a search by time knows
SAMPLES: Final = 8
SAMPLE_BYTES: Final = 1 << 16


class DataLoss(Exception):
    """Messages that were to be read are not there any more; failOnDataLoss=false goes on without
    them."""


class Range(NamedTuple):
    """Messages of one queue, by their numbers."""

    queue: str
    incarnation: int
    first: int
    end: int  # the first number that is not in it


def queues_of(connection: Connection, options: SourceOptions) -> list[str]:
    """The queues that names and patterns stand for now. Patterns stand for local queues that last:
    others have no stream, and an alias would bring the messages of its queue a second time."""
    plain = [name for name in options.queues if "*" not in name]
    patterns = [name for name in options.queues if "*" in name]
    if not patterns:
        return plain
    found = [
        name
        for pattern in patterns
        for name in connection.run(StreamQueues(pattern)).queues
        if not name.startswith("SYSTEM.")
    ]
    return sorted(dict.fromkeys((*plain, *found)))


def bounds_of(connection: Connection, queue: str) -> Bounds | None:
    """What a stream has; None if the queue has no stream or is not there."""
    try:
        return connection.stream(queue).bounds()
    except MQError as error:
        if error.reason == MQRC_UNKNOWN_OBJECT_NAME:
            return None
        raise


def number_at(connection: Connection, queue: str, bounds: Bounds, place: Position) -> int:
    """The stream number that a position stands for."""
    if place.word == EARLIEST:
        return bounds.earliest
    if place.word == LATEST:
        return bounds.next
    if place.word == NUMBER:
        if place.incarnation not in (0, bounds.incarnation):
            raise DataLoss(
                f"{queue} has the incarnation {bounds.incarnation}, not {place.incarnation}: it is "
                "another queue than the one that the position is of"
            )
        return place.value
    return number_since(connection, queue, bounds, place.value)


def number_since(connection: Connection, queue: str, bounds: Bounds, since_ns: int) -> int:
    """The number of the first message that was put at a moment or later.

    Numbers are given when messages become visible, so their times rise but for units of work that
    took long. A search by halves that meets such a message would pass others by. So it is made for
    an earlier moment, too: nothing that was put before that, in units of LATE_NS at most, is behind
    a message that is looked for. Every message between the two is looked at."""
    low = _halved(connection, queue, bounds, since_ns - LATE_NS, bounds.earliest)
    high = _halved(connection, queue, bounds, since_ns, low)
    part = Range(queue, bounds.incarnation, low, high)
    for blocks in blocks_in(connection, part, skip=True):
        for block in blocks:
            heads = np.frombuffer(block.heads, HEAD_TYPE)
            late = np.flatnonzero(heads["put_ns"] >= since_ns)
            if len(late):
                return int(heads["number"][late[0]])
    return high


def _halved(connection: Connection, queue: str, bounds: Bounds, since_ns: int, low: int) -> int:
    """The same if times rise, by halves: about as many reads as the count has binary digits."""
    high = bounds.next
    while low < high:
        middle = (low + high) // 2
        found = first_from(connection, queue, bounds, middle, high)
        if found is None or put_ns_of(found) >= since_ns:
            high = middle
        else:
            low = found.first + 1
    return low


def first_from(
    connection: Connection, queue: str, bounds: Bounds, number: int, end: int
) -> StreamBlock | None:
    """The first message with a number from `number` to before `end`; numbers may have gaps."""
    while number < end:  # an alias with a SELECTOR may leave out what is there
        found = connection.stream(queue).read(
            number, end, count=1, max_bytes=1, incarnation=bounds.incarnation, skip_lost=True
        )
        if found.blocks or found.next <= number:
            return found.blocks[0] if found.blocks else None
        number = found.next
    return None


def put_ns_of(block: StreamBlock) -> int:
    """When the first message of a block was put, by the queue manager's clock."""
    return int.from_bytes(block.heads[16:24], "little", signed=True)


def bytes_a_number(
    connection: Connection, queue: str, bounds: Bounds, first: int, end: int
) -> float:
    """About how many bytes a number stands for, by looks at some places of a range."""
    step = max((end - first) // SAMPLES, 1)
    size = numbers = 0
    for number in range(first, end, step):
        found = connection.stream(queue).read(
            number, end, max_bytes=SAMPLE_BYTES, incarnation=bounds.incarnation, skip_lost=True
        )
        for block in found.blocks:
            offsets = block.offsets
            size += offsets[len(block)] - offsets[0]
        numbers += found.next - number
    return max(size / max(numbers, 1), 1.0)


def blocks_in(
    connection: Connection, part: Range, skip: bool, selector: str = ""
) -> Iterator[list[StreamBlock]]:
    """The messages of a range that match, some at a time; with `skip` without those that are
    gone."""
    stream = connection.stream(part.queue)
    first = part.first
    while first < part.end:
        try:
            found = stream.read(
                first,
                part.end,
                max_bytes=READ_BYTES,
                incarnation=part.incarnation,
                skip_lost=skip,
                selector=selector,
            )
        except MQError as error:
            lost = loss_of(error, part)
            if lost is None:
                raise
            if skip:
                return
            raise lost from None
        if found.blocks:
            yield found.blocks
        if found.next <= first:
            return
        first = found.next


def loss_of(error: MQError, part: Range) -> DataLoss | None:
    """What an error says about messages that are gone; None if it says something else."""
    if error.reason == MQRC_MSG_SEQ_NUMBER_ERROR:
        what = f"messages of {part.queue} from number {part.first} on were purged before they"
        return DataLoss(f"{what} were read ({error.detail}); {HINT}")
    if error.reason in (MQRC_OBJECT_CHANGED, MQRC_UNKNOWN_OBJECT_NAME):
        what = f"{part.queue} is not the queue any more that was read before"
        return DataLoss(f"{what} ({error.detail or error}); {HINT}")
    return None


HINT: Final = "option failOnDataLoss=false goes on without them"
