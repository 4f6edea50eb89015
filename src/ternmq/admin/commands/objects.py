"""Objects of every type: define, alter, delete, and clearing queues.

The library under the commands of the administrator and under the definitions that applications make
through the API. Each function either does its work and logs it, or raises an MQError that names the
object and changes nothing; False means that the connection is parked (see `Kernel.can_log_object`)
and the function is called again. Values are given by Python name or MQSC keyword, as numbers,
words or text.
"""

from __future__ import annotations

from typing import Final

from ternmq.admin.commands.object_rules import Check, check_name
from ternmq.admin.commands.stream_rules import check_stream_authority
from ternmq.base import object_types as types
from ternmq.base.attributes import (
    BY_NAME,
    QMGR,
    TYPE_NAMES,
    Value,
    attributes_of,
    checked_attributes,
    defaults_of,
    row_of,
)
from ternmq.base.command_reasons import (
    MQRCCF_ATTR_VALUE_ERROR,
    MQRCCF_ATTR_VALUE_FIXED,
    MQRCCF_CHANNEL_ALREADY_EXISTS,
    MQRCCF_CHANNEL_NOT_FOUND,
    MQRCCF_LIKE_OBJECT_WRONG_TYPE,
    MQRCCF_OBJECT_ALREADY_EXISTS,
    MQRCCF_OBJECT_IN_USE,
    MQRCCF_OBJECT_OPEN,
    MQRCCF_OBJECT_WRONG_TYPE,
    MQRCCF_PARM_CONFLICT,
    MQRCCF_SUB_ALREADY_EXISTS,
)
from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_NO_SUBSCRIPTION,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_IN_USE,
    MQRC_Q_NOT_EMPTY,
    MQRC_SELECTOR_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.base.similar import did_you_mean
from ternmq.kernel.authority_records import (
    define_for,
    records_bytes,
    undefine_with_records,
)
from ternmq.kernel.channel_kept import free_queue
from ternmq.kernel.connection import Connection
from ternmq.kernel.dynamic import delete_queue
from ternmq.kernel.events import PERFORMANCE, report_deleted, report_stored
from ternmq.kernel.inquire import apply_definition
from ternmq.kernel.kernel import OBJECT_RECORD_BYTES, Kernel
from ternmq.kernel.metering import were_purged
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.parts import KEPT
from ternmq.store.catalog import Definition
from ternmq.store.queue import Queue
from ternmq.values.entry import GONE

CLEAR_STEP_MESSAGES: Final = 256
CLEAR_STEP_SEGMENTS: Final = 8
FREED_BYTES_MIN: Final = 1 << 20
_JSON_BYTES_A_CHARACTER: Final = 12
_NOT_LENT: Final = ("description", "topic_string")  # by a default object


def command_reason(reason: int, object_type: int) -> int:
    """The reason that commands give where the API has another one."""
    if reason == MQRC_OBJECT_ALREADY_EXISTS:
        if object_type & types.CHANNELS:
            return MQRCCF_CHANNEL_ALREADY_EXISTS
        if object_type == types.SUB:
            return MQRCCF_SUB_ALREADY_EXISTS
        return MQRCCF_OBJECT_ALREADY_EXISTS
    if reason == MQRC_UNKNOWN_OBJECT_NAME:
        if object_type & types.CHANNELS:
            return MQRCCF_CHANNEL_NOT_FOUND
        return MQRC_NO_SUBSCRIPTION if object_type == types.SUB else reason
    return MQRCCF_OBJECT_OPEN if reason == MQRC_OBJECT_IN_USE else reason


def checked(object_type: int, name: str, given: dict[str, object], verb: str) -> dict[str, Value]:
    """Given values, each right on its own."""
    for key in given:
        if row_of(object_type, key) is None:
            known = sorted({row.name for row in BY_NAME[object_type].values()})
            hint = did_you_mean(key, known) or f"It has {', '.join(known)}."
            detail = f"a {TYPE_NAMES[object_type]} has no attribute {key!r}. {hint}"
            raise mq_error(MQRC_SELECTOR_ERROR, verb=verb, object=name, detail=detail)
    try:
        return checked_attributes(object_type, given)
    except ValueError as error:
        raise mq_error(
            MQRCCF_ATTR_VALUE_ERROR, verb=verb, object=name, detail=str(error)
        ) from error


def has_room(kernel: Kernel, connection: Connection, verb: str, definition: Definition) -> bool:
    """Whether the log takes the definition; if not, the connection is parked."""
    return _has_room(kernel, connection, verb, definition.name, definition.attributes)


def _has_room(
    kernel: Kernel, connection: Connection, verb: str, name: str, attributes: dict[str, Value]
) -> bool:
    data_bytes = OBJECT_RECORD_BYTES + len(name) * _JSON_BYTES_A_CHARACTER
    for value in attributes.values():
        if isinstance(value, str):
            data_bytes += len(value) * _JSON_BYTES_A_CHARACTER
    return kernel.can_log_object(connection, verb, name, data_bytes)


def find(kernel: Kernel, object_types: int, name: str, verb: str) -> Definition:
    """The object of that name and of one of these types, which are of one space."""
    lowest = object_types & -object_types
    definition = kernel.catalog.find(lowest, name)
    if definition is None:
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=verb, object=name)
    if not definition.object_type & object_types:
        detail = f"it is a {TYPE_NAMES[definition.object_type]}"
        raise mq_error(MQRCCF_OBJECT_WRONG_TYPE, verb=verb, object=name, detail=detail)
    return definition


def lent_attributes(kernel: Kernel, object_type: int, like: str, verb: str) -> dict[str, Value]:
    """What a new object has where nothing is given: as another one, or as the default object."""
    kind = types.BY_BIT[object_type]
    values = defaults_of(object_type)
    lender = kernel.catalog.find(object_type, like or kind.default_object)
    if like:
        if lender is None:
            raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=verb, object=like, detail="LIKE")
        if lender.object_type != object_type:
            detail = f"LIKE names a {TYPE_NAMES[lender.object_type]}"
            raise mq_error(MQRCCF_LIKE_OBJECT_WRONG_TYPE, verb=verb, object=like, detail=detail)
    if lender is not None:
        values.update(lender.attributes)
        for name in KEPT:
            values.pop(name, None)
        if not like:
            for name in _NOT_LENT:
                if name in values:
                    values[name] = ""
    return values


def define(
    kernel: Kernel,
    connection: Connection,
    object_type: int,
    name: str,
    given: dict[str, object],
    replace: bool,
    like: str = "",
) -> bool:
    """A new object. With `replace` all attributes of one that is there are set, and a queue
    keeps its messages."""
    connection.begin_verb()
    verb = "DEFINE"
    kernel.refuse_if_ending(False, verb)
    check_name(object_type, name, verb)
    values = checked(object_type, name, given, verb)
    existing = kernel.catalog.find(object_type, name)
    if existing is not None:
        if existing.object_type != object_type:
            detail = f"it is a {TYPE_NAMES[existing.object_type]}"
            reason = MQRCCF_OBJECT_WRONG_TYPE if replace else MQRC_OBJECT_ALREADY_EXISTS
            raise mq_error(reason, verb=verb, object=name, detail=detail)
        if not replace:
            raise mq_error(MQRC_OBJECT_ALREADY_EXISTS, verb=verb, object=name)
    attributes = lent_attributes(kernel, object_type, like, verb)
    attributes.update(values)
    Check(kernel.catalog, object_type, name, attributes, verb).run()
    before = {} if existing is None else existing.attributes
    check_stream_authority(kernel, connection, object_type, name, attributes, before, verb)
    if existing is not None:
        return _change(kernel, connection, existing, attributes, verb, False)
    definition = Definition(
        object_type, name, kernel.catalog.new_id(), attributes, kernel.clock.now_ns()
    )
    if not has_room(kernel, connection, verb, definition):
        return False
    user = None if connection.privileged else connection.user
    connection.depends_on(define_for(kernel, user, definition))
    report_stored(kernel, connection, definition, None)
    return True


def alter(
    kernel: Kernel,
    connection: Connection,
    object_types: int,
    name: str,
    given: dict[str, object],
    force: bool = False,
) -> bool:
    """Change attributes of an object; `force` also those that are locked while it is in use."""
    connection.begin_verb()
    verb = "ALTER"
    kernel.refuse_if_ending(False, verb)
    definition = find(kernel, object_types, name, verb)
    values = checked(definition.object_type, name, given, verb)
    rows = BY_NAME[definition.object_type]
    for attribute, value in values.items():
        if rows[attribute].fixed and definition.attributes[attribute] != value:
            detail = f"{rows[attribute].keyword} is fixed when the object is defined"
            raise mq_error(MQRCCF_ATTR_VALUE_FIXED, verb=verb, object=name, detail=detail)
    attributes = dict(definition.attributes)
    attributes.update(values)
    Check(kernel.catalog, definition.object_type, name, attributes, verb).run()
    check_stream_authority(
        kernel, connection, definition.object_type, name, attributes, definition.attributes, verb
    )
    return _change(kernel, connection, definition, attributes, verb, force)


def _change(
    kernel: Kernel,
    connection: Connection,
    definition: Definition,
    attributes: dict[str, Value],
    verb: str,
    force: bool,
) -> bool:
    if not force:
        locked = _locked_changes(definition, attributes)
        if locked and definition.object_type == types.LOCAL:
            if kernel.local_queue(connection, definition) is None:
                return False
        _check_in_use(kernel, definition, locked, verb)
    if not _has_room(kernel, connection, verb, definition.name, attributes):
        return False
    before = dict(definition.attributes)
    definition.attributes.update(attributes)
    definition.altered_ns = kernel.clock.now_ns()
    connection.depends_on(kernel.coordinator.define(kernel.catalog, definition))
    apply_definition(kernel, definition)
    report_stored(kernel, connection, definition, before)
    return True


def _locked_changes(definition: Definition, attributes: dict[str, Value]) -> list[str]:
    """Keywords of what changes and must not while handles have the object open."""
    return [
        row.keyword
        for row in attributes_of(definition.object_type)
        if row.locked_in_use and definition.attributes[row.name] != attributes[row.name]
    ]


def _check_in_use(kernel: Kernel, definition: Definition, locked: list[str], verb: str) -> None:
    """MQRCCF_OBJECT_OPEN where a change needs FORCE."""
    if not locked:
        return
    local = kernel.locals.get(definition.name) if definition.object_type == types.LOCAL else None
    if local is None:
        if is_open(kernel, definition):
            detail = f"{', '.join(locked)} needs FORCE while an application has it open"
            raise mq_error(MQRCCF_OBJECT_OPEN, verb=verb, object=definition.name, detail=detail)
        return
    for keyword in locked:
        if keyword == "SHARE" and local.open_input > 1:
            detail = f"{local.open_input} handles have it open for input; SHARE needs FORCE"
            raise mq_error(MQRCCF_OBJECT_OPEN, verb=verb, object=definition.name, detail=detail)
        if keyword != "SHARE" and (local.in_use or local.queue.depth > 0):
            detail = f"{keyword} needs FORCE while the queue is open or has messages"
            raise mq_error(MQRCCF_OBJECT_OPEN, verb=verb, object=definition.name, detail=detail)


def is_open(kernel: Kernel, definition: Definition) -> bool:
    """Whether some handle was opened by this object's name, or by way of it."""
    for connection in kernel.connections.values():
        for handle in connection.handles.values():
            if handle.definition is definition or definition in handle.via:
                return True
    return False


def alter_queue_manager(kernel: Kernel, connection: Connection, given: dict[str, object]) -> bool:
    """Change attributes of the queue manager."""
    connection.begin_verb()
    verb = "ALTER QMGR"
    kernel.refuse_if_ending(False, verb)
    values = checked(QMGR, kernel.name, given, verb)
    attributes = {**kernel.catalog.qmgr, **values}
    if attributes["repository"] and attributes["repository_namelist"]:
        detail = "REPOS and REPOSNL exclude each other"
        raise mq_error(MQRCCF_PARM_CONFLICT, verb=verb, object=kernel.name, detail=detail)
    data_bytes = 2 * OBJECT_RECORD_BYTES
    if not kernel.can_log_object(connection, verb, kernel.name, data_bytes):
        return False
    before = dict(kernel.catalog.qmgr)
    kernel.catalog.qmgr.update(values)
    kernel.catalog.facts["altered_ns"] = kernel.clock.now_ns()
    connection.depends_on(kernel.coordinator.set_queue_manager(kernel.catalog))
    kernel.refresh()
    kernel.event_sink.queue_manager_changed(connection, before)
    return True


def delete(
    kernel: Kernel,
    connection: Connection,
    object_types: int,
    name: str,
    purge: bool = False,
    ignore_state: bool = False,
    keep_authority: bool = False,
) -> bool:
    """Delete an object; `purge` also a queue with messages; with `ignore_state` one that is not
    there is as good as deleted; with `keep_authority` the authority records of its name stay.
    False also: parked until the queue's depth is known."""
    connection.begin_verb()
    verb = "DELETE"
    kernel.refuse_if_ending(False, verb)
    if ignore_state and kernel.catalog.find(object_types & -object_types, name) is None:
        return True
    definition = find(kernel, object_types, name, verb)
    if name in kernel.catalog.at_work.get(types.SPACE_OF[definition.object_type], ()):
        raise mq_error(MQRCCF_OBJECT_IN_USE, verb=verb, object=name, detail="it is running")
    data_bytes = OBJECT_RECORD_BYTES + len(name) * _JSON_BYTES_A_CHARACTER
    data_bytes += records_bytes(kernel, definition)
    if not kernel.can_log_object(connection, verb, name[:48], data_bytes):
        return False
    is_damaged = definition.object_id in kernel.catalog.damaged and purge
    if definition.object_type != types.LOCAL or is_damaged:
        return _delete_plain(kernel, connection, definition, keep_authority)
    local = kernel.local_queue(connection, definition)
    if local is None:
        return False
    if local.in_use:
        raise mq_error(MQRC_OBJECT_IN_USE, verb=verb, object=name)
    if _uncommitted(local) or (local.queue.depth > 0 and not purge):
        raise mq_error(MQRC_Q_NOT_EMPTY, verb=verb, object=name)
    check_not_kept(kernel, local, verb)
    were_purged(kernel, local, local.queue.depth)
    delete_queue(kernel, local, not keep_authority)
    _free_disk(kernel, local.queue)
    connection.depends_on(kernel.coordinator.log.end_lsn)
    report_deleted(kernel, connection, definition)
    return True


def _delete_plain(
    kernel: Kernel, connection: Connection, definition: Definition, keep_authority: bool
) -> bool:
    """Delete an object without messages; False: parked."""
    name = definition.name
    if is_open(kernel, definition):
        raise mq_error(MQRC_OBJECT_IN_USE, verb="DELETE", object=name)
    if not free_queue(kernel, connection, definition, False):
        return False
    connection.depends_on(undefine_with_records(kernel, definition, None, not keep_authority))
    if definition.object_type & types.CHANNELS:
        kernel.parts.control.forget(name)
    report_deleted(kernel, connection, definition)
    return True


def _uncommitted(local: LocalQueue) -> bool:
    return local.queue.uncommitted_puts > 0 or local.queue.uncommitted_gets > 0


def check_not_kept(kernel: Kernel, local: LocalQueue, verb: str) -> None:
    """MQRC_OBJECT_IN_USE if the queue manager has its own state in the messages of a queue."""
    if local.queue.depth and kernel.topics.keeps_state_on(local.name):
        detail = (
            "its messages are durable subscriptions or retained publications of the queue manager; "
            "DELETE SUB and CLEAR TOPICSTR remove these"
        )
        raise mq_error(MQRC_OBJECT_IN_USE, verb=verb, object=local.name, detail=detail)


def clear(kernel: Kernel, connection: Connection, name: str) -> bool:
    """Remove all messages of a local queue that is not open; `again` while there is more to
    do."""
    connection.begin_verb()
    definition = find(kernel, types.LOCAL, name, "CLEAR")
    local = kernel.local_queue(connection, definition)
    if local is None:
        return False
    queue = local.queue
    if queue.clearing_before == 0 and (local.in_use or _uncommitted(local)):
        raise mq_error(MQRC_OBJECT_IN_USE, verb="CLEAR", object=name)
    if queue.depth and queue.clearing_before == 0:
        check_not_kept(kernel, local, "CLEAR")
        if not kernel.can_log_object(connection, "CLEAR", name):
            return False
        were_purged(kernel, local, queue.depth)
        connection.depends_on(kernel.coordinator.cleared(queue))
        queue.clearing_before = queue.next_number
    if not _clear_some(kernel, queue) or not queue.drop_swept(CLEAR_STEP_SEGMENTS):
        connection.again = True
        return False
    queue.clearing_before = 0
    connection.depends_on(queue.last_lsn)
    _free_disk(kernel, queue)
    if kernel.events & PERFORMANCE:
        kernel.event_sink.was_got(local)
    return True


def _free_disk(kernel: Kernel, queue: Queue) -> None:
    """Large files that only a checkpoint can release do not wait until one is due."""
    if queue.file_bytes >= FREED_BYTES_MIN:
        if queue.waste.doomed or any(one.pinned for one in queue.segments.values()):
            kernel.keeper.begin(False, False)
            return
    stream = queue.stream
    if queue.dropped and (queue.numbering.waste or (stream is not None and stream.files)):
        kernel.keeper.begin(False, False)


def _clear_some(kernel: Kernel, queue: Queue) -> bool:
    """Take a bounded number of messages out of memory; True when none is left there."""
    for _ in range(CLEAR_STEP_MESSAGES):
        entry = queue.any_entry()
        if entry is None:
            return True
        kernel.coordinator.in_log.remove(entry)
        queue.take(entry, GONE)
    return queue.any_entry() is None
