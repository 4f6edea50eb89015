"""Records about objects: defined or altered, and deleted. Authority records are such objects, too.

The payloads are JSON in UTF-8.

    OBJECT         the definition as the catalog file has it ("id", "name", "type", "attributes"
                   and so on); "made": true if it is new; "also": another definition that comes
                   with it; "stream": where the queue's stream begins by this record. Of type QMGR:
                   attributes of the queue manager
    OBJECT_DELETED {"id", "name"}; "also": ids of others that go with it
"""

from __future__ import annotations

from typing import final

from ternmq.base.object_types import LOCAL, QMGR
from ternmq.log.record import LogRecord
from ternmq.store.catalog import Definition, configure, definition_from_json
from ternmq.txn.families.describing import Names, Values
from ternmq.txn.families.packing import integer_of, unpack_json
from ternmq.txn.families.record_kind import FoundImage, RecordKind
from ternmq.txn.redo import Redo

# ---- OBJECT


@final
class ObjectKind(RecordKind):
    """An object is defined or altered."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        facts = unpack_json(record.payload)
        if redo.catalog.keeps_images:
            image = _image_of(facts, record.lsn)
            if image is not None:
                redo.note_image(image.object_id, image.image_lsn, image.media_lsn, image.ns)
        if record.lsn >= redo.catalog.lsn:
            _redo_facts(redo, facts)
        if "stream" in facts:
            # Also if the catalog knows the definition: a journal may be older than that.
            begin = integer_of(facts["stream"])
            redo.begin_stream(integer_of(facts["id"]), begin, record.lsn)

    def redo_catalog(self, redo: Redo, record: LogRecord) -> None:
        self.redo(redo, record)

    def redo_queue(self, redo: Redo, record: LogRecord) -> None:
        """The queue itself may be altered."""
        facts = unpack_json(record.payload)
        number = facts.get("id")
        queue = redo.catalog.queues.get(number) if isinstance(number, int) else None
        if queue is not None:
            configure(queue, definition_from_json(facts))

    def image(self, record: LogRecord) -> FoundImage | None:
        return _image_of(unpack_json(record.payload), record.lsn)

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        facts: Values = unpack_json(record.payload)
        names.note(facts)
        return {"facts": facts}


def _image_of(facts: dict[str, object], lsn: int) -> FoundImage | None:
    """An empty queue needs no other image than the record that defined it."""
    number, ns = facts.get("id"), facts.get("created_ns")
    is_made = facts.get("made") and facts.get("type") == LOCAL
    if is_made and isinstance(number, int) and isinstance(ns, int):
        return FoundImage(number, lsn, lsn, ns)
    return None


def _redo_facts(redo: Redo, facts: dict[str, object]) -> None:
    if facts.get("type") == QMGR:
        attributes = facts["attributes"]
        if isinstance(attributes, dict):
            redo.catalog.qmgr.update(attributes)
        if "altered_ns" in facts:
            redo.catalog.facts["altered_ns"] = integer_of(facts["altered_ns"])
        redo.catalog.changed = True
        return
    _redo_stored(redo, definition_from_json(facts))
    also = facts.get("also")
    if isinstance(also, dict):
        _redo_stored(redo, definition_from_json(also))


def _redo_stored(redo: Redo, definition: Definition) -> None:
    before = redo.definitions.get(definition.object_id)
    if before is not None and before.folder_number > definition.folder_number:
        definition.folder_number = before.folder_number  # it was re-created since
    redo.catalog.add(definition)
    redo.definitions[definition.object_id] = definition
    if not definition.is_queue:
        return
    redo.find_journal(definition)
    queue = redo.catalog.queues.get(definition.object_id)
    if queue is not None:
        redo.catalog.install(definition, queue)


# ---- OBJECT_DELETED


@final
class ObjectDeletedKind(RecordKind):
    """An object is gone."""

    def redo(self, redo: Redo, record: LogRecord) -> None:
        facts = unpack_json(record.payload)
        _redo_gone(redo, record.lsn, integer_of(facts["id"]))
        also = facts.get("also")
        if isinstance(also, list):
            for number in also:
                _redo_gone(redo, record.lsn, integer_of(number))

    def redo_catalog(self, redo: Redo, record: LogRecord) -> None:
        self.redo(redo, record)

    def describe(self, record: LogRecord, names: Names, data_bytes: int) -> Values:
        facts: Values = unpack_json(record.payload)
        names.note(facts)
        return {"facts": facts}


def _redo_gone(redo: Redo, lsn: int, object_id: int) -> None:
    definition = redo.definitions.pop(object_id, None)
    if definition is None or lsn < redo.catalog.lsn:
        return
    queue = redo.catalog.queues.get(object_id)
    if queue is not None:
        for entry in list(queue.number_index().values()):
            redo.in_log.remove(entry)
    redo.catalog.remove(definition)
