"""Whether a queue takes a message now: the checks that depend on the queue, and what must come
first.

Asked by the verbs for the queue that was named, and for each queue that gets a copy.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_MSG_TOO_BIG_FOR_Q,
    MQRC_MSG_TOO_BIG_FOR_Q_MGR,
    MQRC_OBJECT_DAMAGED,
    MQRC_PERSISTENT_NOT_ALLOWED,
    MQRC_PUT_INHIBITED,
    MQRC_Q_FULL,
    MQRC_Q_SPACE_NOT_AVAILABLE,
)
from ternmq.kernel.connection import Connection
from ternmq.kernel.events import INHIBIT, PERFORMANCE
from ternmq.kernel.kernel import LOG_TRIES_MAX, Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.store.catalog import Definition
from ternmq.store.queue import Queue
from ternmq.store.stream.numbered_stream import Stream
from ternmq.store.sweep import sweep_overflow
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import PERSISTENT

# A queue whose segments are written slower than messages arrive holds putters back beyond so many
# buffers. In the long run they are as fast as the writing, however much waits: more only costs
# memory, which the process does not get rid of again.
BACKLOG_BUFFERS: Final = 12


def check_queue(
    kernel: Kernel,
    connection: Connection,
    local: LocalQueue,
    via: list[Definition],
    length: i64,
    area_bytes: i64,
    persistence: i64,
) -> None:
    """The reason why the queue, which was reached by these aliases, does not take such a message;
    `area_bytes` of properties beside its body do not count for MAXMSGL."""
    if local.put_inhibited:
        raise _inhibited(kernel, connection, local.name)
    for alias in via:
        if alias.number("put") != 0:
            raise _inhibited(kernel, connection, alias.name)
    if length > local.max_length:
        raise mq_error(
            MQRC_MSG_TOO_BIG_FOR_Q,
            verb="MQPUT",
            object=local.name,
            detail=too_long(length, local.max_length, "queue"),
        )
    if length > kernel.max_length:
        raise mq_error(
            MQRC_MSG_TOO_BIG_FOR_Q_MGR,
            verb="MQPUT",
            object=kernel.name,
            detail=too_long(length, kernel.max_length, "queue manager"),
        )
    if persistence == PERSISTENT and local.temporary:
        raise mq_error(MQRC_PERSISTENT_NOT_ALLOWED, verb="MQPUT", object=local.name)
    queue = local.queue
    if queue.damaged:
        raise mq_error(MQRC_OBJECT_DAMAGED, verb="MQPUT", object=local.name, detail=queue.damaged)
    if queue.available + queue.swept_alive + queue.uncommitted_puts >= local.max_depth:
        raise _full(kernel, local)
    used = queue.file_bytes - queue.waste.bytes + queue.plain_bytes + queue.persistent_bytes
    if used + length + area_bytes > local.max_bytes:
        raise mq_error(
            MQRC_Q_SPACE_NOT_AVAILABLE,
            verb="MQPUT",
            object=local.name,
            detail=f"MAXFSIZE({local.definition.number('max_file_megabytes')})",
        )


def check_room(kernel: Kernel, local: LocalQueue, messages: i64, data_bytes: i64) -> None:
    """The reason why the queue does not take so many messages at once."""
    queue = local.queue
    depth = queue.available + queue.swept_alive + queue.uncommitted_puts
    if depth + messages > local.max_depth:
        raise _full(kernel, local)
    used = queue.file_bytes - queue.waste.bytes + queue.plain_bytes + queue.persistent_bytes
    if used + data_bytes > local.max_bytes:
        megabytes = local.definition.number("max_file_megabytes")
        raise mq_error(
            MQRC_Q_SPACE_NOT_AVAILABLE,
            verb="MQPUT",
            object=local.name,
            detail=f"{data_bytes} bytes in {messages} segments, MAXFSIZE({megabytes})",
        )


def _inhibited(kernel: Kernel, connection: Connection, name: str) -> MQError:
    error = mq_error(MQRC_PUT_INHIBITED, verb="MQPUT", object=name)
    if kernel.events & INHIBIT:
        kernel.event_sink.refused(connection, error, name, "")
    return error


def _full(kernel: Kernel, local: LocalQueue) -> MQError:
    if kernel.events & PERFORMANCE:
        kernel.event_sink.was_full(local)
    detail = f"MAXDEPTH({local.max_depth}): get messages from it, or raise MAXDEPTH"
    return mq_error(MQRC_Q_FULL, verb="MQPUT", object=local.name, detail=detail)


def must_wait(
    kernel: Kernel,
    connection: Connection,
    local: LocalQueue,
    unit: UnitOfWork | None,
    length: i64,
    persistence: i64,
) -> bool:
    """Whether log space or the writing of segments has to come first; the connection is parked
    then."""
    if persistence == PERSISTENT:
        coordinator = kernel.coordinator
        if not coordinator.reserve.is_whole and not kernel.disk_takes(1, length):
            kernel.make_disk_room(connection, "MQPUT", local.name)
            return True
        if not coordinator.has_room(unit, length):
            kernel.make_room(connection, "MQPUT", local.name, length)
            return True
    return is_behind(kernel, connection, local, length)


def _awaits_removal(kernel: Kernel, connection: Connection, local: LocalQueue, length: i64) -> bool:
    """Whether MAXFSIZE is reached because files of dead segments are still there; the connection is
    parked until they are gone. Those that a media image copies are not waited for."""
    queue = local.queue
    used = queue.file_bytes + queue.plain_bytes + queue.persistent_bytes
    if used + length <= local.max_bytes or queue.held:
        return False
    effect = queue.waste.removal
    if effect is None:
        effect = kernel.keeper.begin(False, False).awaited()
    connection.log_tries += 1
    if effect is None or connection.log_tries > LOG_TRIES_MAX:
        connection.log_tries = 0
        why = kernel.keeper.last_failure or "files of dead messages could not be removed"
        raise mq_error(MQRC_Q_SPACE_NOT_AVAILABLE, verb="MQPUT", object=local.name, detail=why)
    connection.park = effect
    return True


def is_behind(kernel: Kernel, connection: Connection, local: LocalQueue, length: i64) -> bool:
    """Whether the queue's segments are written, or removed, slower than messages come; the
    connection is parked then."""
    queue = local.queue
    if queue.waste.bytes and _awaits_removal(kernel, connection, local, length):
        return True
    if queue.stream is not None and _stream_is_behind(
        kernel, connection, local, queue.stream, length
    ):
        return True
    backlog = queue.plain_bytes + queue.persistent_bytes
    if backlog > BACKLOG_BUFFERS * (queue.plain_limit + queue.persistent_limit):
        sweep = queue.sweep_effect
        if sweep is not None:
            connection.park = sweep
            return True
        if queue.service.failure:  # the disk takes no more, and memory must not grow for ever
            relieve(kernel, queue)
            raise mq_error(
                MQRC_Q_SPACE_NOT_AVAILABLE,
                verb="MQPUT",
                object=local.name,
                detail=queue.service.failure,
            )
    return False


def _stream_is_behind(
    kernel: Kernel, connection: Connection, local: LocalQueue, stream: Stream, length: i64
) -> bool:
    """The same for the queue's stream, and whether its numbers can be reserved."""
    queue = local.queue
    if queue.next_sequence + queue.uncommitted_puts >= queue.numbering.reserved:
        if not kernel.coordinator.has_room(None, 0):
            kernel.make_room(connection, "MQPUT", local.name, 0)
            return True
    if not kernel.coordinator.reserve.is_whole and not kernel.disk_takes(2, 2 * length):
        kernel.make_disk_room(connection, "MQPUT", local.name)
        return True
    memory = stream.memory
    if memory is None or not memory.is_overfull(stream):
        return False
    failure = stream.failure
    memory.begin_write(stream)
    if failure:
        raise mq_error(MQRC_Q_SPACE_NOT_AVAILABLE, verb="MQPUT", object=local.name, detail=failure)
    connection.park = stream.writer
    return stream.writer is not None


def relieve(kernel: Kernel, queue: Queue) -> None:
    """Move messages to a segment if a buffer is over its limit."""
    if queue.plain_bytes > queue.plain_limit or queue.persistent_bytes > queue.persistent_limit:
        if not queue.sweeping:
            sweep_overflow(queue, kernel.outbox, kernel.coordinator.in_log)


def too_long(length: i64, limit: i64, what: str) -> str:
    """What to do about a message that is longer than MAXMSGL."""
    return f"{length} bytes, MAXMSGL({limit}): raise MAXMSGL of the {what}, or put it in segments"
