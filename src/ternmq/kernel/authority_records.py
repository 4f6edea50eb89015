"""Changes of authority records: each is logged with the catalog and seen by the next check.

Called by the commands that set and delete them, and where objects come and go. The caller has
seen to it that the log has room (`Kernel.can_log_object`).
"""

from __future__ import annotations

from typing import Final

from ternmq.base.object_types import AUTHREC, SPACE_OF
from ternmq.kernel.kernel import Kernel
from ternmq.security.authorities import CRT, KIND_BY_SPACE, applicable
from ternmq.security.records import Record
from ternmq.store.catalog import Definition
from ternmq.store.queue import Queue

RECORD_BYTES: Final = 1024  # more than the record of a removal takes


def load_records(kernel: Kernel) -> None:
    """At the start: what the catalog has."""
    kernel.authority.records.load(kernel.catalog.table_of(AUTHREC).values())


def put_record(kernel: Kernel, record: Record) -> int:
    """A record is new or has other authorities; returns the LSN to be forced."""
    lsn = kernel.coordinator.define(kernel.catalog, _as_object(kernel, record))
    kernel.authority.records.put(record)
    return int(lsn)


def _as_object(kernel: Kernel, record: Record) -> Definition:
    """The object of the catalog that a record is, new or as it is to be."""
    catalog = kernel.catalog
    now_ns = kernel.clock.now_ns()
    definition = catalog.table_of(AUTHREC).get(record.key)
    if definition is None:
        return record.definition(catalog.new_id(), now_ns)
    definition.attributes.update(record.attributes())
    definition.altered_ns = now_ns
    return definition


def remove_record(kernel: Kernel, key: str) -> int:
    """A record is gone; returns the LSN to be forced, 0 if there was no such record."""
    definition = kernel.catalog.table_of(AUTHREC).get(key)
    if definition is None:
        return 0
    lsn = kernel.coordinator.undefine(kernel.catalog, definition, None)
    kernel.authority.records.remove(key)
    return int(lsn)


def define_for(kernel: Kernel, user: str | None, definition: Definition) -> int:
    """A new object, and all authority over it for the user who makes it, if that user needs any; a
    crash leaves both or neither. Returns the LSN to be forced.

    By SecurityPolicy the authority goes to the user, or to its primary group. A temporary queue
    leaves no record.
    """
    authority = kernel.authority
    record: Record | None = None
    if user is not None and definition.temporary:
        authority.created_temporary(user, definition.name)
    elif user is not None and not authority.is_administrator(user):
        kind = KIND_BY_SPACE.get(SPACE_OF[definition.object_type])
        if kind is not None:
            entity, is_group = authority.beneficiary(user)
            record = Record(kind, definition.name, entity, is_group, applicable(kind) & ~CRT)
    if record is None:
        return int(kernel.coordinator.define(kernel.catalog, definition))
    lsn = kernel.coordinator.define(kernel.catalog, definition, _as_object(kernel, record))
    authority.records.put(record)
    return int(lsn)


def records_bytes(kernel: Kernel, definition: Definition) -> int:
    """Room in the log that it takes to remove the records of an object."""
    kind = KIND_BY_SPACE.get(SPACE_OF[definition.object_type])
    if kind is None:
        return 0
    return RECORD_BYTES * len(kernel.authority.records.of_object(kind, definition.name))


def undefine_with_records(
    kernel: Kernel, definition: Definition, queue: Queue | None, with_authority: bool
) -> int:
    """An object goes, and the records of its very name unless they are to stay; a crash leaves all
    or nothing. Returns the LSN to be forced."""
    authority = kernel.authority
    records: list[Record] = []
    if definition.temporary:
        authority.deleted_temporary(definition.name)
    elif with_authority:
        kind = KIND_BY_SPACE.get(SPACE_OF[definition.object_type])
        if kind is not None:
            records = authority.records.of_object(kind, definition.name)
    table = kernel.catalog.table_of(AUTHREC)
    also = [table[record.key] for record in records]
    lsn = kernel.coordinator.undefine(kernel.catalog, definition, queue, also)
    for record in records:
        authority.records.remove(record.key)
    return int(lsn)
