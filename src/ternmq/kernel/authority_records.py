"""Changes of authority records: each is logged with the catalog and seen by the next check.

Called by the commands that set and delete them, and where objects come and go. Whoever calls has
seen to it that the log has room (`Kernel.can_log_object`).
"""

from __future__ import annotations

from typing import Final

from ternmq.base.object_types import AUTHREC, SPACE_OF
from ternmq.kernel.kernel import Kernel
from ternmq.security.authorities import CRT, KIND_BY_SPACE, applicable
from ternmq.security.records import Record
from ternmq.store.catalog import Definition

RECORD_BYTES: Final = 1024  # more than the record of a removal takes


def load_records(kernel: Kernel) -> None:
    """At the start: what the catalog has."""
    kernel.authority.records.load(kernel.catalog.table_of(AUTHREC).values())


def put_record(kernel: Kernel, record: Record) -> int:
    """A record is new or has other authorities; returns the LSN to be forced."""
    catalog = kernel.catalog
    now_ns = kernel.clock.now_ns()
    definition = catalog.table_of(AUTHREC).get(record.key)
    if definition is None:
        definition = record.definition(catalog.new_id(), now_ns)
    else:
        definition.attributes.update(record.attributes())
        definition.altered_ns = now_ns
    lsn = kernel.coordinator.define(catalog, definition)
    kernel.authority.records.put(record)
    return int(lsn)


def remove_record(kernel: Kernel, key: str) -> int:
    """A record is gone; returns the LSN to be forced, 0 if there was no such record."""
    definition = kernel.catalog.table_of(AUTHREC).get(key)
    if definition is None:
        return 0
    lsn = kernel.coordinator.undefine(kernel.catalog, definition, None)
    kernel.authority.records.remove(key)
    return int(lsn)


def give_to_creator(kernel: Kernel, user: str, definition: Definition) -> int:
    """Who makes an object may do everything with it; returns the LSN to be forced.

    By SecurityPolicy that goes to the user, or to its primary group. A temporary queue leaves no
    record.
    """
    authority = kernel.authority
    if definition.temporary:
        authority.created_temporary(user, definition.name)
        return 0
    kind = KIND_BY_SPACE.get(SPACE_OF[definition.object_type])
    if kind is None or authority.is_administrator(user):
        return 0
    entity, is_group = authority.beneficiary(user)
    bits = applicable(kind) & ~CRT
    return put_record(kernel, Record(kind, definition.name, entity, is_group, bits))


def records_bytes(kernel: Kernel, definition: Definition) -> int:
    """Room in the log that it takes to remove the records of an object."""
    kind = KIND_BY_SPACE.get(SPACE_OF[definition.object_type])
    if kind is None:
        return 0
    return RECORD_BYTES * len(kernel.authority.records.of_object(kind, definition.name))


def take_back_authority(kernel: Kernel, definition: Definition) -> int:
    """An object is gone: the records of its very name go too; returns the LSN to be forced."""
    authority = kernel.authority
    if definition.temporary:
        authority.deleted_temporary(definition.name)
        return 0
    kind = KIND_BY_SPACE.get(SPACE_OF[definition.object_type])
    lsn = 0
    if kind is not None:
        for record in authority.records.of_object(kind, definition.name):
            lsn = max(lsn, remove_record(kernel, record.key))
    return lsn
