"""Stream cursors as commands and applications change them: define, advance, reset, delete, list.

Cursors are named as queues are (48 characters), in a space of their own. A cursor goes forward by
`advance_cursor` alone and never back but by `reset_cursor`. Commands need the authority that
DEFINE, ALTER and DELETE of the queue need, which `admin` has checked; `advance_cursor` is a verb
and checks for browse on the queue by itself. None or False: the connection is parked, the
verb has to be tried again.
"""

from __future__ import annotations

from typing import Final

from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.store.stream_cursor import StreamCursor

EARLIEST: Final = -1  # as a start or a position: the earliest number of the stream
LATEST: Final = -2  # the number that the next message will have


def define_cursor(
    kernel: Kernel, connection: Connection, name: str, queue_name: str, start: int
) -> StreamCursor | None:
    """A new cursor on a local queue, or an alias of one; its first cursor gives a queue a stream,
    which begins with the next message.

    `start`: EARLIEST, LATEST or a number. MQRC_OBJECT_ALREADY_EXISTS, MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_MSG_SEQ_NUMBER_ERROR for a number outside the stream, MQRC_Q_TYPE_ERROR for what has no
    stream, MQRC_RESOURCE_PROBLEM if there are too many cursors.
    """
    raise NotImplementedError


def advance_cursor(
    kernel: Kernel, connection: Connection, name: str, position: int, incarnation: int = 0
) -> StreamCursor | None:
    """Its owner has done with all messages below `position`; a lower position than it has changes
    nothing.

    `incarnation` 0 does not ask for one. MQRC_OBJECT_CHANGED: another incarnation (both are told).
    MQRC_MSG_SEQ_NUMBER_ERROR: the stream has not come so far.
    """
    raise NotImplementedError


def reset_cursor(
    kernel: Kernel, connection: Connection, name: str, position: int
) -> StreamCursor | None:
    """Set a cursor to EARLIEST, LATEST or any number that the stream still has, also back."""
    raise NotImplementedError


def delete_cursor(kernel: Kernel, connection: Connection, name: str) -> bool:
    """The cursor is no more; with the last one a queue without retention loses its stream."""
    raise NotImplementedError


def cursor_named(kernel: Kernel, name: str) -> StreamCursor:
    """The cursor; MQRC_UNKNOWN_OBJECT_NAME if there is none of that name."""
    raise NotImplementedError


def cursors(kernel: Kernel, queue_name: str = "") -> list[StreamCursor]:
    """All cursors in the order of their names, or those of one queue."""
    raise NotImplementedError
