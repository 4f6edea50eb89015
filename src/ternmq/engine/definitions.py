"""Defining, altering, deleting and clearing queues: what commands will call.

Commands of the administrator come later and print; this is the library under them. Each answers
with an MQError that names the object, or ValueError-free with the thing done and logged.
"""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.base.attributes import (
    ALIAS,
    LOCAL,
    MODEL,
    QMGR,
    Value,
    checked_attributes,
    defaults_of,
)
from ternmq.base.command_reasons import MQRCCF_OBJECT_NAME_ERROR
from ternmq.base.errors import mq_error
from ternmq.base.names import is_name
from ternmq.base.reasons import (
    MQRC_ATTRIBUTE_LOCKED,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_IN_USE,
    MQRC_Q_NOT_EMPTY,
    MQRC_SELECTOR_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.kernel.connection import Connection
from ternmq.kernel.dynamic import delete_queue
from ternmq.kernel.inquire import apply_definition
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.store.catalog import Definition
from ternmq.store.entry import GONE
from ternmq.store.queue import Queue

DEFAULT_OBJECTS: dict[int, str] = {
    LOCAL: "SYSTEM.DEFAULT.LOCAL.QUEUE",
    MODEL: "SYSTEM.DEFAULT.MODEL.QUEUE",
    ALIAS: "SYSTEM.DEFAULT.ALIAS.QUEUE",
}
CLEAR_STEP_MESSAGES = 256
CLEAR_STEP_SEGMENTS = 8


def _checked(object_type: int, name: str, given: dict[str, object], verb: str) -> dict[str, Value]:
    try:
        return checked_attributes(object_type, given)
    except ValueError as error:
        raise mq_error(MQRC_SELECTOR_ERROR, verb=verb, object=name, detail=str(error)) from error


def define(
    kernel: Kernel,
    connection: Connection,
    object_type: int,
    name: str,
    given: dict[str, object],
    replace: bool,
) -> bool:
    """A new queue; attributes that are not given come from the default object of its type.

    False: the connection is parked until the log has room for it.
    """
    connection.begin_verb()
    verb = "DEFINE"
    kernel.refuse_if_ending(False, verb)
    if not is_name(name):
        raise mq_error(MQRCCF_OBJECT_NAME_ERROR, verb=verb, object=name)
    checked = _checked(object_type, name, given, verb)
    existing = kernel.catalog.definitions.get(name)
    if existing is not None:
        if not replace or existing.object_type != object_type:
            raise mq_error(MQRC_OBJECT_ALREADY_EXISTS, verb=verb, object=name)
        return _change(kernel, connection, existing, checked, verb)
    if not kernel.can_log_object(connection, verb, name):
        return False
    attributes = defaults_of(object_type)
    model = kernel.catalog.definitions.get(DEFAULT_OBJECTS[object_type])
    if model is not None:
        attributes.update(model.attributes)
        attributes["description"] = ""
    attributes.update(checked)
    definition = Definition(
        object_type, name, kernel.catalog.new_id(), attributes, kernel.clock.now_ns()
    )
    connection.depends_on(kernel.coordinator.define(kernel.catalog, definition))
    return True


def _change(
    kernel: Kernel,
    connection: Connection,
    definition: Definition,
    checked: dict[str, Value],
    verb: str,
) -> bool:
    if not kernel.can_log_object(connection, verb, definition.name):
        return False
    definition.attributes.update(checked)
    definition.altered_ns = kernel.clock.now_ns()
    connection.depends_on(kernel.coordinator.define(kernel.catalog, definition))
    apply_definition(kernel, definition)
    return True


def find(kernel: Kernel, name: str, verb: str) -> Definition:
    """The object of that name."""
    definition = kernel.catalog.definitions.get(name)
    if definition is None:
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=verb, object=name)
    return definition


def alter(kernel: Kernel, connection: Connection, name: str, given: dict[str, object]) -> bool:
    """Change attributes of a queue; False: parked until the log has room."""
    connection.begin_verb()
    definition = find(kernel, name, "ALTER")
    checked = _checked(definition.object_type, name, given, "ALTER")
    local = kernel.locals.get(name)
    if local is not None and local.in_use and "usage" in checked:
        raise mq_error(MQRC_ATTRIBUTE_LOCKED, verb="ALTER", object=name, detail="USAGE")
    return _change(kernel, connection, definition, checked, "ALTER")


def alter_queue_manager(kernel: Kernel, connection: Connection, given: dict[str, object]) -> bool:
    """Change attributes of the queue manager; False: parked until the log has room."""
    connection.begin_verb()
    checked = _checked(QMGR, kernel.name, given, "ALTER QMGR")
    if not kernel.can_log_object(connection, "ALTER QMGR", kernel.name):
        return False
    kernel.catalog.qmgr.update(checked)
    connection.depends_on(kernel.coordinator.set_queue_manager(kernel.catalog))
    kernel.refresh()
    return True


def delete(kernel: Kernel, connection: Connection, name: str, purge: bool) -> bool:
    """Delete a queue; False: parked until its depth is known, or for room in the log."""
    connection.begin_verb()
    definition = find(kernel, name, "DELETE")
    if not kernel.can_log_object(connection, "DELETE", name):
        return False
    if definition.object_type != LOCAL:
        connection.depends_on(kernel.coordinator.undefine(kernel.catalog, definition, None))
        return True
    if definition.object_id in kernel.catalog.damaged and purge:
        connection.depends_on(kernel.coordinator.undefine(kernel.catalog, definition, None))
        return True
    local = kernel.local_queue(connection, definition)
    if local is None:
        return False
    if local.in_use:
        raise mq_error(MQRC_OBJECT_IN_USE, verb="DELETE", object=name)
    if _uncommitted(local) or (local.queue.depth > 0 and not purge):
        raise mq_error(MQRC_Q_NOT_EMPTY, verb="DELETE", object=name)
    delete_queue(kernel, local)
    connection.depends_on(kernel.coordinator.log.end_lsn)
    return True


def _uncommitted(local: LocalQueue) -> bool:
    return local.queue.uncommitted_puts > 0 or local.queue.uncommitted_gets > 0


def clear(kernel: Kernel, connection: Connection, name: str) -> bool:
    """Remove all messages of a local queue that nobody has open; `again` while there is more to
    do."""
    connection.begin_verb()
    definition = find(kernel, name, "CLEAR")
    local = kernel.local_queue(connection, definition)
    if local is None:
        return False
    queue = local.queue
    if queue.clearing_before == 0 and (local.in_use or _uncommitted(local)):
        raise mq_error(MQRC_OBJECT_IN_USE, verb="CLEAR", object=name)
    if queue.depth and queue.clearing_before == 0:
        if not kernel.can_log_object(connection, "CLEAR", name):
            return False
        connection.depends_on(kernel.coordinator.cleared(queue))
        queue.clearing_before = queue.next_number
    if not _clear_some(kernel, queue) or not queue.drop_swept(CLEAR_STEP_SEGMENTS):
        connection.again = True
        return False
    queue.clearing_before = 0
    connection.depends_on(queue.last_lsn)
    return True


def _clear_some(kernel: Kernel, queue: Queue) -> bool:
    """Take a bounded number of messages out of memory; True when none is left there."""
    for _ in range(CLEAR_STEP_MESSAGES):
        entry = queue.any_entry()
        if entry is None:
            return True
        kernel.coordinator.in_log.remove(entry)
        queue.take(entry, GONE)
    return queue.any_entry() is None


def create_default_objects(kernel: Kernel, connection: Connection) -> None:
    """The objects that a new queue manager has."""
    for object_type, name in DEFAULT_OBJECTS.items():
        define(kernel, connection, object_type, name, {}, False)
    define(kernel, connection, LOCAL, "SYSTEM.DEAD.LETTER.QUEUE", {"max_depth": 999_999_999}, False)
    permanent: dict[str, object] = {"definition_type": mq.MQQDT_TEMPORARY_DYNAMIC}
    define(kernel, connection, MODEL, "SYSTEM.JMS.TEMPQ.MODEL", permanent, False)
