"""MQOPEN and MQCLOSE of queues and other objects: names to objects, sharing rules, dynamic
queues."""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.names import is_name, name_fault
from ternmq.base.object_types import ALIAS, MODEL, NAMELIST, PROCESS, REMOTE
from ternmq.base.reasons import (
    MQRC_DYNAMIC_Q_NAME_ERROR,
    MQRC_HANDLE_NOT_AVAILABLE,
    MQRC_HOBJ_ERROR,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_IN_USE,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_Q_NOT_EMPTY,
    MQRC_Q_TYPE_ERROR,
    MQRC_REMOTE_Q_NAME_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UNKNOWN_OBJECT_Q_MGR,
)
from ternmq.kernel.alerts import drop_alert
from ternmq.kernel.authority import (
    acting_user,
    check_delete,
    check_open,
    check_open_queue_manager,
    check_open_remote,
)
from ternmq.kernel.browse import open_cursor, unlock
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.dynamic import create_dynamic, delete_queue
from ternmq.kernel.events import LOCAL_NAMES, REMOTE_NAMES, report_deleted, report_stored
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering import were_purged
from ternmq.kernel.metering_calls import was_closed, was_opened
from ternmq.kernel.objects import LocalQueue, alias_fault, is_topic_alias
from ternmq.kernel.selection import selection_of
from ternmq.kernel.streaming import check_receiver, plan_of
from ternmq.kernel.transmission import (
    XQH_BYTES,
    Route,
    is_this_manager,
    route_of_definition,
    route_of_manager,
)
from ternmq.store.catalog import Definition

INPUT_OPTIONS: Final = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE
# what may not be asked of queues elsewhere: their messages and, unless they are defined here, their
# attributes
OF_REMOTE_QUEUES: Final = ~(INPUT_OPTIONS | mq.MQOO_BROWSE | mq.MQOO_SAVE_ALL_CONTEXT)
OF_OTHER_MANAGERS: Final = OF_REMOTE_QUEUES & ~(mq.MQOO_INQUIRE | mq.MQOO_SET)
MANAGED_QUEUES: Final = "SYSTEM.MANAGED."


def open_queue_manager(
    kernel: Kernel, connection: Connection, options: int, alternate_user: str = ""
) -> Handle:
    """The queue manager object, for MQINQ."""
    check_open_queue_manager(kernel, connection, options, alternate_user)
    handle = new_handle(kernel, connection, options)
    handle.object_type = mq.MQOT_Q_MGR
    handle.resolved_name = kernel.name
    return _opened(kernel, handle)


def check_handles(kernel: Kernel, connection: Connection) -> None:
    """MQRC_HANDLE_NOT_AVAILABLE if the connection has as many handles as it may have."""
    if len(connection.handles) - connection.lists >= kernel.max_handles:
        raise mq_error(
            MQRC_HANDLE_NOT_AVAILABLE,
            verb="MQOPEN",
            object=kernel.name,
            detail=f"MAXHANDS({kernel.max_handles}); close queues that are not used any more",
        )


def new_handle(kernel: Kernel, connection: Connection, options: int) -> Handle:
    """A handle that leads to nothing yet."""
    check_handles(kernel, connection)
    handle = Handle(connection, connection.next_handle, options)
    connection.next_handle += 2
    connection.handles[handle.handle_id] = handle
    return handle


def check_handle(connection: Connection, handle: Handle, verb: str) -> None:
    """MQRC_HOBJ_ERROR unless the handle is open and the connection's own."""
    if connection.handles.get(handle.handle_id) is not handle:
        raise mq_error(MQRC_HOBJ_ERROR, verb=verb, object=handle.resolved_name)


def open_plain(
    kernel: Kernel,
    connection: Connection,
    object_type: int,
    name: str,
    options: int,
    alternate_user: str = "",
) -> Handle:
    """A process or a namelist (MQOT_), for MQINQ."""
    connection.begin_verb()
    bit = PROCESS if object_type == mq.MQOT_PROCESS else NAMELIST
    definition = kernel.catalog.find(bit, name)
    if definition is None:
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb="MQOPEN", object=name)
    user = acting_user(kernel, connection, options, alternate_user, "MQOPEN")
    if user is not None:
        check_open(kernel, connection, user, definition, options, "MQOPEN")
    handle = new_handle(kernel, connection, options)
    handle.object_type = object_type
    handle.definition = definition
    handle.resolved_name = name
    return _opened(kernel, handle)


def find_definition(kernel: Kernel, name: str, verb: str) -> Definition:
    """The queue of that name, here."""
    if not is_name(name):
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=verb, object=name, detail=name_fault(name))
    definition = kernel.catalog.definitions.get(name)
    if definition is None:
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=verb, object=name)
    return definition


def open_queue(
    kernel: Kernel,
    connection: Connection,
    name: str,
    qmgr_name: str,
    dynamic_name: str,
    options: int,
    verb: str = "MQOPEN",
    alternate_user: str = "",
    selector: str = "",
) -> Handle | None:
    """Open a queue; None: the connection is parked until the queue is loaded."""
    connection.begin_verb()
    alias = kernel.catalog.definitions.get(name)
    if alias is not None and is_topic_alias(alias) and is_this_manager(kernel, qmgr_name):
        return kernel.topics.open_alias(connection, alias, options, verb, alternate_user)
    user = acting_user(kernel, connection, options, alternate_user, verb)
    via: list[Definition] = []
    definition, route = named(kernel, connection, user, name, qmgr_name, options, verb, via)
    if definition.object_type == REMOTE:
        return _open_definition(kernel, connection, definition, via, options)
    created = definition.object_type == MODEL
    if created:
        made = _create(kernel, connection, definition, dynamic_name, user, verb)
        if made is None:
            return None
        definition = made
    local = kernel.local_queue(connection, definition)
    if local is None:
        return None
    if not created and not can_open(kernel, connection, local, options, verb):
        return None
    selection = selection_of(kernel, via, selector)
    handle = new_handle(kernel, connection, options)
    handle.selection = selection
    attach(handle, local, via)
    if handle.input:
        kernel.triggers.input_opened(local)
    send_by(handle, route)
    if created:
        local.creator = handle
    connection.depends_on(local.queue.last_lsn)
    handle.is_put1 = verb == "MQPUT1"
    return _opened(kernel, handle)


def named(
    kernel: Kernel,
    connection: Connection,
    user: str | None,
    name: str,
    qmgr_name: str,
    options: int,
    verb: str,
    via: list[Definition],
) -> tuple[Definition, Route | None]:
    """What a name leads to for a user who may open it, as `_resolved` finds it; a refusal is an
    event."""
    try:
        _check_user(kernel, connection, user, name, qmgr_name, options, verb)
        return _resolved(kernel, name, qmgr_name, options, verb, via)
    except MQError as unknown:
        if kernel.events & (LOCAL_NAMES | REMOTE_NAMES):
            kernel.event_sink.refused(connection, unknown, name, qmgr_name)
        raise


def can_open(
    kernel: Kernel, connection: Connection, local: LocalQueue, options: int, verb: str
) -> bool:
    """False: parked until the queues that get copies of its messages are loaded."""
    check_sharing(local, options, verb)
    if local.streams and options & mq.MQOO_OUTPUT:
        return plan_of(kernel, connection, local) is not None
    return True


def _create(
    kernel: Kernel,
    connection: Connection,
    model: Definition,
    pattern: str,
    user: str | None,
    verb: str,
) -> Definition | None:
    """A dynamic queue; None: parked until the log has room."""
    if verb == "MQPUT1":
        raise mq_error(MQRC_Q_TYPE_ERROR, verb=verb, object=model.name, detail="a model queue")
    check_handles(kernel, connection)
    if not kernel.can_log_object(connection, verb, model.name):
        return None
    name = dynamic_queue_name(kernel, pattern)
    if user is not None and name == pattern.rstrip():  # a generated name is in no STREAMQ
        check_receiver(kernel, connection, user, name, verb, mq.MQRQ_OPEN_NOT_AUTHORIZED)
    definition = create_dynamic(kernel, model, name, user)
    if not definition.temporary:
        connection.depends_on(kernel.coordinator.log.end_lsn)
        report_stored(kernel, connection, definition, None)
    return definition


def send_by(handle: Handle, route: Route | None) -> None:
    """The queue is a transmission queue that takes messages for another queue manager."""
    if route is not None:
        handle.route = route
        handle.header_bytes = XQH_BYTES
        handle.resolved_name = route.remote_queue


def _check_user(
    kernel: Kernel,
    connection: Connection,
    user: str | None,
    name: str,
    qmgr_name: str,
    options: int,
    verb: str,
) -> None:
    """What is checked of a user who is not an administrator, on the object that was named."""
    if user is None:
        return
    if not is_this_manager(kernel, qmgr_name):
        if is_name(qmgr_name):
            check_open_remote(kernel, connection, user, qmgr_name, options, verb)
        return  # an invalid name is refused later
    definition = find_definition(kernel, name, verb)
    check_open(kernel, connection, user, definition, options, verb)


def _resolved(
    kernel: Kernel, name: str, qmgr_name: str, options: int, verb: str, via: list[Definition]
) -> tuple[Definition, Route | None]:
    """What a name leads to, and how it goes on from there if that is a transmission queue. An alias
    or a definition of a remote queue on the way is added to `via`."""
    if qmgr_name not in ("", kernel.name):
        route = _by_manager(kernel, name, qmgr_name, options, verb)
        if route is not None:
            return route.transmission, route
    definition = find_definition(kernel, name, verb)
    if definition.object_type == ALIAS:
        via.append(definition)
        definition = _target_of(kernel, definition, verb)
    if definition.object_type != REMOTE:
        return definition, None
    if options & ~OF_REMOTE_QUEUES:
        raise mq_error(MQRC_OPTION_NOT_VALID_FOR_TYPE, verb=verb, object=name, detail="QREMOTE")
    if not options & mq.MQOO_OUTPUT:
        return definition, None
    via.append(definition)
    onward = route_of_definition(kernel, definition, verb)
    return onward.transmission, onward


def _by_manager(kernel: Kernel, name: str, qmgr_name: str, options: int, verb: str) -> Route | None:
    """A queue of the queue manager that was named; None if the name stands for this one."""
    if not is_name(qmgr_name):
        raise mq_error(MQRC_UNKNOWN_OBJECT_Q_MGR, verb=verb, object=qmgr_name)
    if not name:
        raise mq_error(MQRC_REMOTE_Q_NAME_ERROR, verb=verb, object=qmgr_name)
    route = route_of_manager(kernel, name, qmgr_name, verb)
    if route is not None and options & ~OF_OTHER_MANAGERS:
        detail = f"a queue of {route.remote_qmgr} can be opened for output only"
        raise mq_error(MQRC_OPTION_NOT_VALID_FOR_TYPE, verb=verb, object=name, detail=detail)
    return route


def _open_definition(
    kernel: Kernel,
    connection: Connection,
    definition: Definition,
    via: list[Definition],
    options: int,
) -> Handle:
    """A definition of a remote queue, to inquire and set its attributes."""
    handle = new_handle(kernel, connection, options)
    handle.definition = via[0] if via else definition
    handle.resolved_name = definition.name
    return _opened(kernel, handle)


def _opened(kernel: Kernel, handle: Handle) -> Handle:
    if kernel.measured:
        was_opened(kernel, handle)
    return handle


def _target_of(kernel: Kernel, alias: Definition, verb: str) -> Definition:
    fault = alias_fault(kernel.catalog, alias)
    target = alias.text("target")
    if fault:
        raise mq_error(fault, verb=verb, object=alias.name, detail=f"TARGET({target})")
    return kernel.catalog.definitions[target]


def dynamic_queue_name(kernel: Kernel, pattern: str) -> str:
    """The name of a new dynamic queue: as given, or with the asterisk at its end replaced by
    something unique."""
    pattern = pattern.rstrip()
    if pattern.endswith("*"):
        stem = pattern[:-1]
        if len(stem) > 32 or (stem and not is_name(stem)):
            raise mq_error(MQRC_DYNAMIC_Q_NAME_ERROR, verb="MQOPEN", object=pattern)
        while True:
            kernel.msg_counter += 1
            name = f"{stem}{int(kernel.msg_counter) & 0xFFFFFFFFFFFFFFFF:016X}"
            if name not in kernel.catalog.definitions:
                return name
    if not is_name(pattern):
        raise mq_error(MQRC_DYNAMIC_Q_NAME_ERROR, verb="MQOPEN", object=pattern)
    if pattern in kernel.catalog.definitions:
        raise mq_error(MQRC_OBJECT_ALREADY_EXISTS, verb="MQOPEN", object=pattern)
    return pattern


def input_option(local: LocalQueue, options: int) -> int:
    """MQOO_INPUT_SHARED, MQOO_INPUT_EXCLUSIVE or 0, after the queue's default."""
    wanted = options & INPUT_OPTIONS
    if wanted == mq.MQOO_INPUT_AS_Q_DEF:
        wanted = local.definition.number("default_input_open")
    if wanted == mq.MQOO_INPUT_SHARED and not local.shareable:
        if options & mq.MQOO_INPUT_SHARED:
            return wanted
        return mq.MQOO_INPUT_EXCLUSIVE
    return wanted


def check_sharing(local: LocalQueue, options: int, verb: str) -> None:
    """MQRC_OBJECT_IN_USE where opens for input exclude each other, and while a CLEAR or MOVE goes
    on."""
    if local.queue.clearing_before:
        raise mq_error(MQRC_OBJECT_IN_USE, verb=verb, object=local.name, detail="being cleared")
    if local.held_by is not None:
        raise mq_error(MQRC_OBJECT_IN_USE, verb=verb, object=local.name, detail="being moved")
    wanted = input_option(local, options)
    if wanted == 0:
        return
    if local.exclusive or (wanted == mq.MQOO_INPUT_EXCLUSIVE and local.open_input > 0):
        raise mq_error(MQRC_OBJECT_IN_USE, verb=verb, object=local.name)
    if wanted == mq.MQOO_INPUT_SHARED and not local.shareable and local.open_input > 0:
        raise mq_error(MQRC_OBJECT_IN_USE, verb=verb, object=local.name)


def attach(handle: Handle, local: LocalQueue, via: list[Definition]) -> None:
    """Join a handle to its queue and count it."""
    handle.local = local
    handle.via = via
    handle.definition = via[0] if via else local.definition
    handle.resolved_name = local.name
    local.handles.append(handle)
    local.queue.users += 1
    local.queue.idle_checkpoints = 0
    count_uses(handle, local, int(handle.options))


def count_uses(handle: Handle, local: LocalQueue, options: int) -> None:
    """The handle may use its queue for what these options say."""
    wanted = input_option(local, options)
    if wanted:
        handle.input = wanted
        local.open_input += 1
        if wanted == mq.MQOO_INPUT_EXCLUSIVE:
            local.exclusive = True
    if options & mq.MQOO_OUTPUT:
        local.open_output += 1
    if options & mq.MQOO_BROWSE:
        open_cursor(handle, local)


def hold(kernel: Kernel, connection: Connection, local: LocalQueue) -> Handle:
    """A handle of a command: no other opens the queue until it is closed or the connection ends."""
    handle = new_handle(kernel, connection, 0)
    attach(handle, local, [])
    local.held_by = handle
    return handle


def detach(handle: Handle) -> None:
    """Undo `attach`."""
    local = handle.local
    handle.connection.handles.pop(handle.handle_id, None)
    if local is None:
        return
    cursor = handle.cursor
    if cursor is not None:
        cursor.reset()
        local.queue.cursors.remove(cursor)
        handle.cursor = None
    if handle.selection is not None:
        handle.selection.forget(local.queue)
        local.selector_looked += handle.selection.looked_at
        local.selector_matched += handle.selection.matched
    local.handles.remove(handle)
    if local.held_by is handle:
        local.held_by = None
    local.queue.users -= 1
    if handle.input:  # as it was counted: the queue's defaults may have changed since
        local.open_input -= 1
        local.exclusive = local.exclusive and handle.input != mq.MQOO_INPUT_EXCLUSIVE
    if handle.options & mq.MQOO_OUTPUT:
        local.open_output -= 1
    handle.local = None


def close(kernel: Kernel, handle: Handle, options: int) -> bool:
    """Close a handle; a dynamic queue may go with it. False: parked until the log has room."""
    handle.connection.begin_verb()
    local = handle.local
    if not close_handle(kernel, handle, options):
        return False
    if handle.logical is not None:
        handle.connection.warning = handle.logical.warning
    if handle.position is not None:
        handle.connection.warning = max(handle.connection.warning, handle.position.warning)
    if kernel.measured:
        was_closed(kernel, handle, local, True)
    return True


def close_handle(kernel: Kernel, handle: Handle, options: int) -> bool:
    """The same as part of a verb."""
    connection = handle.connection
    local = handle.local
    if local is None:
        return _close_other(kernel, handle, options)
    goes = _goes_with(kernel, handle, local, options)
    if goes == _PARKED:
        return False
    unlock(kernel, handle)
    drop_alert(kernel, handle)
    detach(handle)
    _notify_triggers(kernel, handle, local)
    if goes == _GOES and not local.deleted:
        were_purged(kernel, local, local.queue.depth)
        delete_queue(kernel, local)
        if not local.temporary:
            connection.depends_on(kernel.coordinator.log.end_lsn)
            report_deleted(kernel, connection, local.definition)
    return True


_STAYS: Final = 0
_GOES: Final = 1
_PARKED: Final = 2


def _goes_with(kernel: Kernel, handle: Handle, local: LocalQueue, options: int) -> int:
    """Whether a queue is deleted when a handle is closed, or must wait for the log for that."""
    connection = handle.connection
    is_creator = local.creator is handle
    if options & (mq.MQCO_DELETE | mq.MQCO_DELETE_PURGE):
        _check_delete(local, options, is_creator)
        if not local.temporary and not is_creator:
            check_delete(kernel, connection, local.name)
    elif options & (mq.MQCO_KEEP_SUB | mq.MQCO_REMOVE_SUB):
        raise mq_error(MQRC_OPTION_NOT_VALID_FOR_TYPE, verb="MQCLOSE", object=local.name)
    elif local.temporary and (is_creator or (local.is_left and len(local.handles) == 1)):
        return _GOES
    elif not local.is_left or len(local.handles) > 1 or _in_unit(local):
        return _STAYS
    if local.temporary or kernel.can_log_object(connection, "MQCLOSE", local.name):
        return _GOES
    return _PARKED


def _close_other(kernel: Kernel, handle: Handle, options: int) -> bool:
    """What is not a queue, or one elsewhere; False: parked."""
    if handle.topic is not None or handle.subscription is not None:
        if not kernel.topics.close(handle, options):
            return False
    elif options:
        raise mq_error(MQRC_OPTION_NOT_VALID_FOR_TYPE, verb="MQCLOSE", object=handle.resolved_name)
    detach(handle)
    return True


def _notify_triggers(kernel: Kernel, handle: Handle, local: LocalQueue) -> None:
    if local.triggered and handle.input and local.open_input == 0:
        kernel.triggers.input_closed(local)


def _check_delete(local: LocalQueue, options: int, is_creator: bool) -> None:
    """Whether MQCO_DELETE or MQCO_DELETE_PURGE may be asked of this queue now."""
    kind = local.definition.definition_type
    is_managed = local.name.startswith(MANAGED_QUEUES)  # which goes with its subscription
    not_own = kind == mq.MQQDT_TEMPORARY_DYNAMIC and not is_creator
    if kind == mq.MQQDT_PREDEFINED or not_own or is_managed:
        raise mq_error(MQRC_OPTION_NOT_VALID_FOR_TYPE, verb="MQCLOSE", object=local.name)
    if kind == mq.MQQDT_TEMPORARY_DYNAMIC:
        return
    if _in_unit(local):
        raise mq_error(
            MQRC_Q_NOT_EMPTY, verb="MQCLOSE", object=local.name, detail="uncommitted messages"
        )
    if not options & mq.MQCO_DELETE_PURGE and local.queue.depth > 0:
        raise mq_error(MQRC_Q_NOT_EMPTY, verb="MQCLOSE", object=local.name)


def _in_unit(local: LocalQueue) -> bool:
    return local.queue.uncommitted_puts > 0 or local.queue.uncommitted_gets > 0
