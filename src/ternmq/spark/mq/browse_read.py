"""Batches from the queue itself, for queues without a stream: browsed, or drained.

Browsing reads what is on the queue and leaves it there. Draining takes it: each task gets
inside a unit of work, which is committed once Spark has taken the task's last row. A task that
fails takes nothing. What Spark loses after that is gone, since a batch read does not learn what
became of its rows: to write each message once, read a stream.

One task takes at most option maxMessages, since a unit of work is bounded (MAXUMSGS); what is left
stays on the queue.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

import numpy as np
import pyarrow as pa

from ternmq.api.queue import Queue
from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_SYNCPOINT_LIMIT_REACHED
from ternmq.spark.mq.message_arrow import BatchMaker, Messages
from ternmq.spark.mq.mq_options import SourceOptions
from ternmq.spark.mq.positions import NUMBER_MAX
from ternmq.spark.mq.queue_streams import HEAD_TYPE
from ternmq.spark.mq.spark_connection import connect
from ternmq.values.entry import OWN_DATE
from ternmq.values.message import Message

BATCH_MESSAGES: Final = 1024
BATCH_BYTES: Final = 4 << 20
# Nothing else: a user need not have more authority than it takes.
_TO_BROWSE: Final = mq.MQOO_BROWSE | mq.MQOO_FAIL_IF_QUIESCING
_TO_GET: Final = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_FAIL_IF_QUIESCING
_HEAD: Final = struct.Struct("<QQqqIBBHQI")


def browsed(
    options: SourceOptions,
    queue: str,
    selector: str,
    first: int = 0,
    end: int = NUMBER_MAX,
    incarnation: int = 0,
) -> Iterator[pa.RecordBatch]:
    """What is on a queue now and matches, of these numbers. With an incarnation, as the stream
    has it."""
    with (
        connect(options.connection) as connection,
        connection.queue(queue, options=_TO_BROWSE, selector=selector) as opened,
    ):
        maker = BatchMaker(options, connection.name)
        lying = (one for one in opened.browse() if first <= one.sequence < end)
        yield from batches(maker, queue, lying, incarnation or None)


def drained(options: SourceOptions, queue: str) -> Iterator[pa.RecordBatch]:
    """What is on a queue now; it is taken when the last batch has been."""
    with (
        connect(options.connection) as connection,
        connection.queue(queue, options=_TO_GET, selector=options.selector) as opened,
    ):
        maker = BatchMaker(options, connection.name)
        with connection.unit_of_work():
            taken = islice(got(opened), options.messages_max)
            yield from batches(maker, queue, taken)


def got(opened: Queue) -> Iterator[Message]:
    """Message after message, as many as there are and as a unit of work may hold."""
    while True:
        try:
            message = opened.try_get()
        except MQError as error:
            if error.reason == MQRC_SYNCPOINT_LIMIT_REACHED:
                return
            raise
        if message is None:
            return
        yield message


def batches(
    maker: BatchMaker, queue: str, messages: Iterable[Message], incarnation: int | None = None
) -> Iterator[pa.RecordBatch]:
    """Messages as batches of a bounded size."""
    some: list[Message] = []
    size = 0
    for message in messages:
        some.append(message)
        size += len(message.data)
        if len(some) >= BATCH_MESSAGES or size >= BATCH_BYTES:
            yield maker.batch(columns_of(some, queue, incarnation))
            some, size = [], 0
    if some:
        yield maker.batch(columns_of(some, queue, incarnation))


def columns_of(messages: list[Message], queue: str, incarnation: int | None = None) -> Messages:
    """Messages that came one by one, as a stream would have given them."""
    heads = np.frombuffer(b"".join(head_of(message) for message in messages), HEAD_TYPE)
    bodies = pa.array([message.data for message in messages], pa.binary())
    areas = {row: one.property_area for row, one in enumerate(messages) if one.property_area}
    return Messages(heads, bodies, queue, incarnation, areas)


def head_of(message: Message) -> bytes:
    """The head of a message, as it is in a block of a stream."""
    number, backouts = message.sequence, min(message.backout_count, 0xFFFF)
    length, priority = len(message.data), message.priority
    own = _HEAD.pack(0, number, 0, 0, length, priority, OWN_DATE, backouts, 0, 0)
    return own + message.descriptor.pack()
