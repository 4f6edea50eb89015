"""MQINQ and MQSET: attributes of a queue, an alias or the queue manager by selector."""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.base.attributes import ALIAS, QMGR, Attribute, Value, attributes_of
from ternmq.base.errors import mq_error
from ternmq.base.ids import put_stamp
from ternmq.base.reasons import (
    MQRC_INHIBIT_VALUE_ERROR,
    MQRC_Q_DELETED,
    MQRC_SELECTOR_ERROR,
    MQRC_SELECTOR_NOT_FOR_TYPE,
    MQRC_TRIGGER_CONTROL_ERROR,
    MQRC_TRIGGER_DEPTH_ERROR,
    MQRC_TRIGGER_MSG_PRIORITY_ERR,
    MQRC_TRIGGER_TYPE_ERROR,
)
from ternmq.kernel.connection import Handle
from ternmq.kernel.delivery import serve_all
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.store.catalog import Definition

COMMAND_LEVEL = 940
_INTEGERS = range(mq.MQIA_FIRST, mq.MQIA_LAST + 1)
_VALUE_ERRORS = {
    mq.MQIA_INHIBIT_PUT: MQRC_INHIBIT_VALUE_ERROR,
    mq.MQIA_INHIBIT_GET: MQRC_INHIBIT_VALUE_ERROR,
    mq.MQIA_TRIGGER_CONTROL: MQRC_TRIGGER_CONTROL_ERROR,
    mq.MQIA_TRIGGER_DEPTH: MQRC_TRIGGER_DEPTH_ERROR,
    mq.MQIA_TRIGGER_MSG_PRIORITY: MQRC_TRIGGER_MSG_PRIORITY_ERR,
    mq.MQIA_TRIGGER_TYPE: MQRC_TRIGGER_TYPE_ERROR,
}
_CHARACTERS = range(mq.MQCA_FIRST, mq.MQCA_LAST + 1)


def row_for(object_type: int, selector: int) -> Attribute | None:
    """The schema's row for a selector."""
    for row in attributes_of(object_type):
        if row.selector == selector and selector:
            return row
    return None


def inquire_one(kernel: Kernel, handle: Handle, selector: int) -> Value:
    """One attribute; MQRC_SELECTOR_ERROR or MQRC_SELECTOR_NOT_FOR_TYPE if there is none."""
    if selector not in _INTEGERS and selector not in _CHARACTERS:
        raise mq_error(MQRC_SELECTOR_ERROR, verb="MQINQ", detail=f"selector {selector}")
    if handle.object_type == mq.MQOT_Q_MGR:
        value = _of_queue_manager(kernel, selector)
    else:
        value = _of_queue(kernel, handle, selector)
    if value is None:
        raise mq_error(
            MQRC_SELECTOR_NOT_FOR_TYPE,
            verb="MQINQ",
            object=handle.resolved_name,
            detail=f"selector {selector}",
        )
    return value


def _of_queue_manager(kernel: Kernel, selector: int) -> Value | None:
    fixed: dict[int, Value] = {
        mq.MQCA_Q_MGR_NAME: kernel.name,
        mq.MQCA_Q_MGR_IDENTIFIER: kernel.identity,
        mq.MQIA_COMMAND_LEVEL: COMMAND_LEVEL,
        mq.MQIA_PLATFORM: mq.MQPL_UNIX,
        mq.MQIA_MAX_PRIORITY: 9,
        mq.MQIA_SYNCPOINT: mq.MQSP_AVAILABLE,
    }
    if selector in fixed:
        return fixed[selector]
    row = row_for(QMGR, selector)
    return None if row is None else kernel.catalog.qmgr[row.name]


def _of_queue(kernel: Kernel, handle: Handle, selector: int) -> Value | None:
    definition = handle.definition
    if definition is None:
        return None
    if handle.local is not None and handle.local.deleted:
        raise mq_error(MQRC_Q_DELETED, verb="MQINQ", object=handle.resolved_name)
    if selector == mq.MQCA_Q_NAME:
        return definition.name
    if selector == mq.MQIA_Q_TYPE:
        return mq.MQQT_ALIAS if definition.object_type == ALIAS else mq.MQQT_LOCAL
    row = row_for(definition.object_type, selector)
    if row is not None:
        return definition.attributes[row.name]
    dates = _dates(definition, selector)
    if dates is not None:
        return dates
    local = handle.local
    if local is None or definition.object_type == ALIAS:
        return None
    handle.connection.depends_on(local.queue.last_lsn)
    return _live(local, selector)


def _dates(definition: Definition, selector: int) -> str | None:
    if selector in (mq.MQCA_CREATION_DATE, mq.MQCA_CREATION_TIME):
        stamp = put_stamp(definition.created_ns).decode("ascii")
    elif selector in (mq.MQCA_ALTERATION_DATE, mq.MQCA_ALTERATION_TIME):
        stamp = put_stamp(definition.altered_ns).decode("ascii")
    else:
        return None
    if selector in (mq.MQCA_CREATION_DATE, mq.MQCA_ALTERATION_DATE):
        return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}"
    return f"{stamp[8:10]}.{stamp[10:12]}.{stamp[12:14]}"


def _live(local: LocalQueue, selector: int) -> int | None:
    if selector == mq.MQIA_CURRENT_Q_DEPTH:
        return int(local.queue.depth)
    if selector == mq.MQIA_OPEN_INPUT_COUNT:
        return int(local.open_input)
    if selector == mq.MQIA_OPEN_OUTPUT_COUNT:
        return int(local.open_output)
    if selector == mq.MQIA_DEFINITION_TYPE:
        return local.definition.definition_type
    return None


def set_attributes(kernel: Kernel, handle: Handle, values: dict[int, Value]) -> bool:
    """MQSET: the few attributes that applications may change; all of them or none.

    False: parked until the log has room.
    """
    definition = handle.definition
    if definition is None:
        raise mq_error(MQRC_SELECTOR_ERROR, verb="MQSET", object=handle.resolved_name)
    if handle.local is not None and handle.local.deleted:
        raise mq_error(MQRC_Q_DELETED, verb="MQSET", object=handle.resolved_name)
    checked: dict[str, Value] = {}
    for selector, value in values.items():
        row = row_for(definition.object_type, selector)
        if row is None or not row.set_by_mqset:
            raise mq_error(
                MQRC_SELECTOR_ERROR,
                verb="MQSET",
                object=definition.name,
                detail=f"selector {selector}",
            )
        try:
            checked[row.name] = row.checked(value)
        except ValueError as error:
            reason = _VALUE_ERRORS.get(selector, MQRC_SELECTOR_ERROR)
            raise mq_error(
                reason, verb="MQSET", object=definition.name, detail=str(error)
            ) from error
    if not definition.temporary:
        if not kernel.can_log_object(handle.connection, "MQSET", definition.name):
            return False
    definition.attributes.update(checked)
    definition.altered_ns = kernel.clock.now_ns()
    handle.connection.depends_on(kernel.coordinator.define(kernel.catalog, definition))
    apply_definition(kernel, definition)
    return True


def apply_definition(kernel: Kernel, definition: Definition) -> None:
    """What is in use learns of the change; who waits looks again."""
    local = kernel.locals.get(definition.name)
    if local is not None:
        local.refresh()
        serve_all(kernel, local)
    if definition.object_type == ALIAS:
        target = kernel.locals.get(definition.text("target"))
        if target is not None:
            serve_all(kernel, target)
