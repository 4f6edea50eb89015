"""MQINQ and MQSET: attributes of a queue, a process, a namelist or the queue manager by selector,
and the values of attributes that are shown only."""

from __future__ import annotations

from ternmq.base import constants as mq
from ternmq.base.attributes import BY_SELECTOR, WORDS, Attribute, Value
from ternmq.base.errors import mq_error
from ternmq.base.ids import put_stamp
from ternmq.base.object_types import ALIAS, BY_BIT, QMGR
from ternmq.base.reasons import (
    MQRC_INHIBIT_VALUE_ERROR,
    MQRC_Q_DELETED,
    MQRC_SELECTOR_ERROR,
    MQRC_TRIGGER_CONTROL_ERROR,
    MQRC_TRIGGER_DEPTH_ERROR,
    MQRC_TRIGGER_MSG_PRIORITY_ERR,
    MQRC_TRIGGER_TYPE_ERROR,
)
from ternmq.kernel.connection import Handle
from ternmq.kernel.delivery import serve_all
from ternmq.kernel.events import CONFIGURATION
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.store.catalog import Definition
from ternmq.values.character_lengths import character_bytes

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
_STAMPS = ("altered_date", "altered_time", "created_date", "created_time")


def row_for(object_type: int, selector: int) -> Attribute | None:
    """The schema's row for a selector."""
    return BY_SELECTOR[object_type].get(selector)


def inquire(kernel: Kernel, handle: Handle, selectors: list[int]) -> tuple[list[Value], list[int]]:
    """Attributes in the order of their selectors, and those selectors that are not for this type of
    object: the others have their values all the same."""
    values: list[Value] = []
    strange: list[int] = []
    for selector in selectors:
        value = _inquire_one(kernel, handle, selector)
        if value is None:
            strange.append(selector)
            value = _not_applicable(selector)
        values.append(value)
    return values, strange


def _inquire_one(kernel: Kernel, handle: Handle, selector: int) -> Value | None:
    """One attribute; MQRC_SELECTOR_ERROR if no object has it, None if this one has not."""
    if selector not in _INTEGERS and selector not in _CHARACTERS:
        raise mq_error(MQRC_SELECTOR_ERROR, verb="MQINQ", detail=f"selector {selector}")
    if handle.object_type == mq.MQOT_Q_MGR:
        return _of_queue_manager(kernel, selector)
    return _of_object(kernel, handle, selector)


def _not_applicable(selector: int) -> Value:
    """What MQINQ returns instead of an attribute that the object does not have."""
    if selector in _INTEGERS:
        return mq.MQIAV_NOT_APPLICABLE
    return "*" * character_bytes(selector)


def _of_queue_manager(kernel: Kernel, selector: int) -> Value | None:
    if selector == mq.MQCA_Q_MGR_NAME:
        return kernel.name
    row = row_for(QMGR, selector)
    if row is None or row.kind == WORDS:
        return None
    return queue_manager_value(kernel, row)


def queue_manager_value(kernel: Kernel, row: Attribute) -> Value:
    """An attribute of the queue manager as it is now."""
    if not row.shown_only:
        return kernel.catalog.qmgr[row.name]
    if row.name == "identity":
        return kernel.identity
    if row.name == "command_level":
        return COMMAND_LEVEL
    if row.name in _STAMPS:
        facts = kernel.catalog.facts
        ns = facts.get(row.name[:7] + "_ns", facts.get("created_ns", 0))
        return _stamp(ns if isinstance(ns, int) else 0, row.name)
    return row.default


def _of_object(kernel: Kernel, handle: Handle, selector: int) -> Value | None:
    definition = handle.definition
    if definition is None:
        return None
    if handle.local is not None and handle.local.deleted:
        raise mq_error(MQRC_Q_DELETED, verb="MQINQ", object=handle.resolved_name)
    kind = BY_BIT[definition.object_type]
    if selector == kind.name_selector:
        return definition.name
    if selector == mq.MQIA_Q_TYPE and definition.is_queue:
        return kind.subtype
    row = row_for(definition.object_type, selector)
    if row is None:
        return None
    if not row.shown_only:
        return definition.attributes[row.name]
    if handle.local is not None:
        handle.connection.depends_on(handle.local.queue.last_lsn)
    return shown_value(definition, handle.local, row)


def shown_value(definition: Definition, local: LocalQueue | None, row: Attribute) -> Value:
    """An attribute that is shown only; `local` is the queue if it is in memory."""
    name = row.name
    if name in _STAMPS:
        is_created = name.startswith("created")
        return _stamp(definition.created_ns if is_created else definition.altered_ns, name)
    if name == "name_count":
        names = definition.text("names")
        return names.count(",") + 1 if names else 0
    if name == "definition_type":
        return definition.definition_type
    if name == "subscription_id":
        return definition.attributes.get(name, "")
    if name == "selector_type":
        return 1 if definition.text("selector") else 0
    if local is not None:
        if name == "current_depth":
            return int(local.queue.depth)
        if name == "open_input_count":
            return int(local.open_input)
        if name == "open_output_count":
            return int(local.open_output)
    return definition.attributes.get(name, row.default)  # RESETSEQ is kept there


def _stamp(ns: int, name: str) -> str:
    stamp = put_stamp(ns).decode("ascii")
    if name.endswith("date"):
        return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}"
    return f"{stamp[8:10]}.{stamp[10:12]}.{stamp[12:14]}"


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
    before = dict(definition.attributes)
    definition.attributes.update(checked)
    definition.altered_ns = kernel.clock.now_ns()
    handle.connection.depends_on(kernel.coordinator.define(kernel.catalog, definition))
    apply_definition(kernel, definition)
    if kernel.events & CONFIGURATION:
        kernel.event_sink.changed(handle.connection, definition, before, mq.MQEVO_MQSET)
    return True


def apply_definition(kernel: Kernel, definition: Definition) -> None:
    """An open queue takes over the change; waiting gets look again."""
    local = kernel.locals.get(definition.name) if definition.is_queue else None
    if local is not None:
        before = local.trigger_terms
        local.refresh()
        if local.trigger_terms != before and local.triggered:
            kernel.triggers.changed(local)
        kernel.watch(local)
        serve_all(kernel, local)
    if definition.object_type == ALIAS:
        target = kernel.locals.get(definition.text("target"))
        if target is not None:
            serve_all(kernel, target)
