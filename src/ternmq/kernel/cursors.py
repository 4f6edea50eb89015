"""Stream cursors as commands and applications change them: define, advance, reset, delete, list.

Cursors are named as queues are (48 characters), in a space of their own. A cursor goes forward by
`advance_cursor` alone and never back but by `reset_cursor`. Commands need the authority that
DEFINE, ALTER and DELETE of the queue need, which `admin` has checked; `advance_cursor` is a verb
and checks for browse on the queue by itself. None or False: the connection is parked, the
verb has to be tried again.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.names import is_name
from ternmq.base.object_types import ALIAS, LOCAL
from ternmq.base.reasons import (
    MQRC_MSG_SEQ_NUMBER_ERROR,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_NAME_ERROR,
    MQRC_Q_TYPE_ERROR,
    MQRC_RESOURCE_PROBLEM,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.kernel.authority import may_display_named
from ternmq.kernel.connection import Connection
from ternmq.kernel.cursor_authority import check_cursor
from ternmq.kernel.cursor_expiry import note_use
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue, alias_fault
from ternmq.kernel.resolve import find_definition
from ternmq.kernel.retention import purge
from ternmq.kernel.stream import check_incarnation, stream_of
from ternmq.store.catalog import Definition, stream_incarnation
from ternmq.store.queue import Queue
from ternmq.store.stream.fill import StreamFill
from ternmq.store.stream.inventory import Inventory, held_of
from ternmq.store.stream.named_cursor import StreamCursor
from ternmq.store.stream.numbered_stream import Stream
from ternmq.txn.families.cursor_records import (
    ADVANCE,
    CURSOR_RECORD_BYTES,
    DEFINE,
    DELETE,
    FILLS,
    HAD_STREAM,
    RESET,
    checkpoint_bytes,
    log_change,
)
from ternmq.values.entry import Entry

EARLIEST: Final = -1  # as a start or a position: the earliest number of the stream
LATEST: Final = -2  # the number that the next message will have


def define_cursor(
    kernel: Kernel,
    connection: Connection,
    name: str,
    queue_name: str,
    start: int,
    expiry_m: int = 0,
) -> StreamCursor | None:
    """A new cursor on a local queue, or an alias of one; its first cursor gives a queue a stream,
    which begins with the next message, or for EARLIEST with what is on the queue.

    `start`: EARLIEST, LATEST or a number. `expiry_m`: it is deleted after so many minutes without
    a use, 0 for never. MQRC_OBJECT_ALREADY_EXISTS, MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_MSG_SEQ_NUMBER_ERROR for a number outside the stream, MQRC_Q_TYPE_ERROR for what has no
    stream, MQRC_RESOURCE_PROBLEM if there are too many cursors.
    """
    connection.begin_verb()
    kernel.refuse_if_ending(True, "DEFINE")
    if not is_name(name):
        raise mq_error(
            MQRC_OBJECT_NAME_ERROR, verb="DEFINE", object=name, detail="no valid name of a cursor"
        )
    table = kernel.catalog.cursors
    if name in table.by_name:
        other = table.by_name[name].queue_name
        is_shown = may_display_named(kernel, connection, mq.MQOT_Q, other)
        detail = f"a cursor of {f'queue {other}' if is_shown else 'another queue'} has this name"
        raise mq_error(MQRC_OBJECT_ALREADY_EXISTS, verb="DEFINE", object=name, detail=detail)
    if checkpoint_bytes(table, 1) > kernel.keeper.checkpoint_reserve // 2:
        detail = f"there are {len(table.by_name)} cursors, and the log has room for no more"
        raise mq_error(MQRC_RESOURCE_PROBLEM, verb="DEFINE", object=name, detail=detail)
    definition = _queue_named(kernel, queue_name)
    local = kernel.local_queue(connection, definition)
    if local is None or not _can_log(kernel, connection, "DEFINE", name):
        return None
    return _defined(kernel, connection, local, name, start, expiry_m)


def _queue_named(kernel: Kernel, queue_name: str) -> Definition:
    definition = find_definition(kernel, queue_name, "DEFINE")
    if definition.object_type == ALIAS:
        fault = alias_fault(kernel.catalog, definition)
        if fault:
            raise mq_error(fault, verb="DEFINE", object=queue_name)
        definition = find_definition(kernel, definition.text("target"), "DEFINE")
    if definition.object_type != LOCAL or definition.temporary:
        raise mq_error(
            MQRC_Q_TYPE_ERROR,
            verb="DEFINE",
            object=queue_name,
            detail="only a local queue that is not a temporary one can have cursors",
        )
    return definition


def _can_log(kernel: Kernel, connection: Connection, verb: str, name: str) -> bool:
    return kernel.can_log_object(connection, verb, name, CURSOR_RECORD_BYTES)


def _defined(
    kernel: Kernel,
    connection: Connection,
    local: LocalQueue,
    name: str,
    start: int,
    expiry_m: int,
) -> StreamCursor:
    queue = local.queue
    catalog = kernel.catalog
    coordinator = kernel.coordinator
    stream = queue.stream
    earliest = queue.next_sequence if stream is None else stream.earliest
    position = _position(queue, int(earliest), start, "DEFINE", name)
    inventory = _what_is_there(kernel, queue) if start == EARLIEST else None
    if inventory is not None:
        position = int(inventory.lowest)
    now_ns = int(kernel.clock.now_ns())
    definition = local.definition
    cursor = StreamCursor(
        name,
        definition.object_id,
        local.name,
        stream_incarnation(definition),
        position,
        connection.user,
        now_ns,
        now_ns,
        expiry_m,
    )
    note_use(kernel, cursor)
    begin = int(queue.next_sequence) if stream is None else 0
    flags = 0
    if inventory is not None:
        begin = int(inventory.below)
        flags = FILLS if stream is None else FILLS | HAD_STREAM
    lsn = log_change(coordinator, catalog.cursors, DEFINE, cursor, begin, flags)
    connection.depends_on(lsn)
    coordinator.settle_stream(catalog, definition)
    stream = queue.stream
    if inventory is not None and stream is not None:
        StreamFill(queue, stream, inventory, lsn).go_on()
    return cursor


def _what_is_there(kernel: Kernel, queue: Queue) -> Inventory | None:
    """What is on the queue and not in its stream; None if there is nothing, or if it is on its
    way."""
    stream = queue.stream
    if stream is not None and stream.fill is not None:
        return None
    below = queue.next_sequence if stream is None else stream.earliest
    inventory = Inventory(queue, below, _held(kernel, queue))
    return None if inventory.is_empty else inventory


def _held(kernel: Kernel, queue: Queue) -> list[Entry]:
    """What units of work have got from the queue."""
    if queue.uncommitted_gets == 0:
        return []
    coordinator = kernel.coordinator
    units = list(coordinator.units.values())
    units.extend([one.unit for one in kernel.connections.values() if one.unit is not None])
    return held_of(queue, [change.entry for unit in units for change in unit.changes])


def _position(queue: Queue, earliest: int, wanted: int, verb: str, name: str) -> int:
    """The number that a start or a position stands for; MQRC_MSG_SEQ_NUMBER_ERROR if the stream
    does not have it."""
    after = int(queue.next_sequence)
    if wanted == EARLIEST:
        return earliest
    if wanted == LATEST:
        return after
    if earliest <= wanted <= after:
        return wanted
    raise mq_error(
        MQRC_MSG_SEQ_NUMBER_ERROR,
        verb=verb,
        object=name,
        detail=f"queue {queue.name} has numbers from {earliest} to before {after}, not {wanted}",
    )


def advance_cursor(
    kernel: Kernel, connection: Connection, name: str, position: int, incarnation: int = 0
) -> StreamCursor | None:
    """Its owner has done with all messages below `position`; a lower position than it has changes
    nothing.

    `incarnation` 0 does not ask for one. MQRC_OBJECT_CHANGED: another incarnation (the error has
    both). MQRC_MSG_SEQ_NUMBER_ERROR: the stream has not come so far.
    """
    connection.begin_verb()
    kernel.refuse_if_ending(True, "ADVANCE")
    cursor = cursor_named(kernel, name)
    definition = _of_cursor(kernel, cursor)
    check_cursor(kernel, connection, name, cursor.queue_name, False, "ADVANCE")
    note_use(kernel, cursor)
    local = kernel.local_queue(connection, definition)
    if local is None:
        return None
    stream = stream_of(local)
    check_incarnation(local.name, stream, incarnation)
    if position <= cursor.position and cursor.incarnation == stream.incarnation:
        connection.depends_on(cursor.visible_lsn)  # who moved it may not know yet
        return cursor
    _position(local.queue, 0, max(position, 0), "ADVANCE", name)
    return _moved(kernel, connection, local, stream, cursor, ADVANCE, position)


def reset_cursor(
    kernel: Kernel, connection: Connection, name: str, position: int
) -> StreamCursor | None:
    """Set a cursor to EARLIEST, LATEST or any number that the stream still has, also back."""
    connection.begin_verb()
    kernel.refuse_if_ending(True, "RESET")
    cursor = cursor_named(kernel, name)
    note_use(kernel, cursor)
    local = kernel.local_queue(connection, _of_cursor(kernel, cursor))
    if local is None:
        return None
    stream = stream_of(local)
    number = _position(local.queue, int(stream.earliest), position, "RESET", name)
    return _moved(kernel, connection, local, stream, cursor, RESET, number)


def _moved(
    kernel: Kernel,
    connection: Connection,
    local: LocalQueue,
    stream: Stream,
    cursor: StreamCursor,
    action: int,
    position: int,
) -> StreamCursor | None:
    if not _can_log(kernel, connection, "ALTER", cursor.name):
        return None
    catalog = kernel.catalog
    changed = StreamCursor(
        cursor.name,
        cursor.queue_id,
        cursor.queue_name,
        int(stream.incarnation),
        position,
        cursor.owner,
        cursor.defined_ns,
        int(kernel.clock.now_ns()),
        cursor.expiry_m,
    )
    connection.depends_on(log_change(kernel.coordinator, catalog.cursors, action, changed))
    floor = catalog.cursors.floor(cursor.queue_id)
    if floor != stream.floor:
        catalog.settle_stream(local.definition, local.queue)
        if stream.purges:
            purge(kernel, local.queue, stream)
    return cursor


def delete_cursor(kernel: Kernel, connection: Connection, name: str) -> bool:
    """The cursor is deleted; with the last one a queue without retention loses its stream."""
    connection.begin_verb()
    kernel.refuse_if_ending(True, "DELETE")
    cursor = cursor_named(kernel, name)
    if not _can_log(kernel, connection, "DELETE", name):
        return False
    coordinator = kernel.coordinator
    connection.depends_on(log_change(coordinator, kernel.catalog.cursors, DELETE, cursor))
    # A queue that is not loaded loses its stream when it is.
    coordinator.settle_stream(kernel.catalog, _of_cursor(kernel, cursor))
    return True


def _of_cursor(kernel: Kernel, cursor: StreamCursor) -> Definition:
    return find_definition(kernel, cursor.queue_name, "CURSOR")


def cursor_named(kernel: Kernel, name: str) -> StreamCursor:
    """The cursor; MQRC_UNKNOWN_OBJECT_NAME if no cursor has that name."""
    cursor = kernel.catalog.cursors.by_name.get(name)
    if cursor is None:
        raise mq_error(
            MQRC_UNKNOWN_OBJECT_NAME, verb="CURSOR", object=name, detail="no cursor has this name"
        )
    return cursor


def cursors(kernel: Kernel, queue_name: str = "") -> list[StreamCursor]:
    """All cursors in the order of their names, or those of one queue."""
    table = kernel.catalog.cursors
    if not queue_name:
        return [table.by_name[name] for name in sorted(table.by_name)]
    definition = kernel.catalog.definitions.get(queue_name)
    return [] if definition is None else table.of_queue(definition.object_id)
