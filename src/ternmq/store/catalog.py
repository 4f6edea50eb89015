"""The catalog: every object's definition, and the queues whose messages are loaded.

Plain tables: one for the names of queues, one for each other space of names. Changes are logged by
the coordinator, noted here, and go to the catalog file with the next checkpoint (`catalog_file`).
Deleting and defining again gives a new object id, so that nothing in the log or on disk is mistaken
for the new queue's.
"""

from __future__ import annotations

import json
from typing import final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.attributes import Value, defaults_of
from ternmq.base.errors import IntegrityError, check
from ternmq.base.names import file_name
from ternmq.base.object_types import LOCAL, QUEUE_SPACE, QUEUES, SPACE_OF
from ternmq.store.ledger import LedgerRow
from ternmq.store.queue import Queue
from ternmq.store.register import (
    BEHIND_LSN,
    CATALOG_ROW,
    RegisterPosition,
    RegisterRow,
    no_register,
)
from ternmq.store.stream.memory import StreamMemory
from ternmq.store.stream.named_cursor import CursorTable
from ternmq.store.stream.terms import begin_stream, end_stream, keeps_stream, set_terms
from ternmq.store.waste import Remover


@final
class Definition:
    """A named object: its type and its attributes."""

    __slots__ = (
        "altered_ns",
        "attributes",
        "created_ns",
        "definition_type",
        "folder_number",
        "name",
        "object_id",
        "object_type",
        "_packed",
        "_packed_of",
    )

    def __init__(
        self, object_type: int, name: str, object_id: int, attributes: dict[str, Value], now_ns: int
    ) -> None:
        self.object_type = object_type
        self.name = name
        self.object_id = object_id
        self.attributes = attributes
        self.definition_type: int = mq.MQQDT_PREDEFINED
        self.created_ns = now_ns
        self.altered_ns = now_ns
        self.folder_number = 0  # how often its files were re-created, each time in a new folder
        self._packed = ""
        self._packed_of: tuple[int, int, int] = (0, 0, 0)

    @property
    def temporary(self) -> bool:
        """A temporary dynamic queue, which leaves no trace in the log."""
        return self.definition_type == mq.MQQDT_TEMPORARY_DYNAMIC

    @property
    def is_queue(self) -> bool:
        """Whether its name is one of the queues' names."""
        return self.object_type & QUEUES != 0

    @property
    def folder(self) -> str:
        """Where the segments and the state of a local queue are."""
        stem = f"queues/{file_name(self.name)}~{self.object_id}"
        return f"{stem}.{self.folder_number}" if self.folder_number else stem

    def number(self, name: str) -> int:
        """An integer attribute."""
        value = self.attributes[name]
        if not isinstance(value, int):
            raise IntegrityError(f"{self.name}: {name} is not a number")
        return value

    def text(self, name: str) -> str:
        """A character attribute."""
        return str(self.attributes[name])

    def to_json(self) -> dict[str, object]:
        """As the log and the catalog file keep it: of attributes, those that differ from the
        schema's defaults."""
        return {
            "type": self.object_type,
            "name": self.name,
            "id": self.object_id,
            "attributes": differences(self.object_type, self.attributes),
            "definition_type": self.definition_type,
            "created_ns": self.created_ns,
            "altered_ns": self.altered_ns,
            "folder": self.folder_number,
        }

    def touched(self) -> None:
        """An attribute was changed: what was packed before is old."""
        self._packed = ""

    def packed(self) -> str:
        """`to_json` as text, kept: a checkpoint must not pack ten thousand objects for one that
        changed."""
        of = (self.altered_ns, self.folder_number, self.definition_type)
        if not self._packed or self._packed_of != of:
            self._packed = json.dumps(self.to_json(), separators=(",", ":"))
            self._packed_of = of
        return self._packed


def differences(object_type: int, attributes: dict[str, Value]) -> dict[str, Value]:
    """Attributes with another value than the schema's default. A default that a release changes
    would change every object that has it: see `tests/unit/store/test_defaults.py`."""
    usual = defaults_of(object_type)
    return {name: value for name, value in attributes.items() if usual.get(name) != value}


def definition_from_json(value: dict[str, object]) -> Definition:
    """The reverse of `Definition.to_json`, with defaults for attributes that came later."""
    object_type = _integer(value, "type")
    given = value["attributes"]
    attributes: dict[str, Value] = defaults_of(object_type)
    if not isinstance(given, dict):
        check(False, "definition without attributes")
    else:
        for name, setting in given.items():
            attributes[str(name)] = setting
    created_ns = _integer(value, "created_ns")
    name = str(value["name"])
    definition = Definition(object_type, name, _integer(value, "id"), attributes, created_ns)
    definition.definition_type = _integer(value, "definition_type")
    definition.altered_ns = _integer(value, "altered_ns")
    if "folder" in value:
        definition.folder_number = _integer(value, "folder")
    return definition


def _integer(value: dict[str, object], name: str) -> int:
    number = value[name]
    check(isinstance(number, int), f"definition: {name} is not a number")
    return number if isinstance(number, int) else 0


@final
class CatalogPosition:
    """Where the next changes go in the file of changes, and what their checksum begins with."""

    __slots__ = ("base_bytes", "crc", "offset")

    def __init__(self, base_bytes: int, crc: int, offset: int) -> None:
        self.base_bytes = base_bytes  # size of the file that the changes are to
        self.crc = crc
        self.offset = offset


@final
class Catalog:
    """Definitions by name; loaded queues by id."""

    def __init__(self) -> None:
        self.definitions: dict[str, Definition] = {}  # the queues of all types
        self.others: dict[str, dict[str, Definition]] = {
            space: {} for space in SPACE_OF.values() if space != QUEUE_SPACE
        }
        self.queues: dict[int, Queue] = {}
        # of queues that are not loaded: when the first message expires, 0 if none does
        self.expiries: dict[int, int] = {}
        self.depths: dict[int, int] = {}  # of the same: messages, -1 if that cannot be read
        self.looks = 0  # under way, at queues of which neither is known
        self.with_state: set[int] = set()  # ids of queues that have a state journal on disk
        self.register: dict[int, RegisterRow] = {}  # by id: what is known outside a queue's files
        self.unregistered: set[int] = set()  # ids of rows that the register file does not have yet
        self.register_position: RegisterPosition = no_register()
        self._newest_journal: tuple[int, int] = (0, 0)  # queue and LSN
        self.keeps_images = False  # the log is linear: queues can be re-created from it
        self.rewrite_register = False  # a batch of it failed: the next one begins a new file
        self.untrusted: set[int] = (
            set()
        )  # ids of queues whose non-persistent messages did not survive
        self.unloaded: dict[int, str] = {}  # by id: why it could not be loaded now; reported once
        self.damaged: dict[int, str] = {}  # by id: why a queue cannot be loaded
        self.given_up: dict[int, str] = {}  # those of them that restart could not replay
        self.qmgr: dict[str, Value] = {}  # attributes of the queue manager itself
        self.ledger: dict[str, LedgerRow] = {}  # by owner: the batches that were committed
        self.cursors = CursorTable()
        self.stream_memory = StreamMemory()
        self.keeps_streams = True  # not where one queue is recreated from the log
        self.knows_cursors = True  # not during a restart
        self.facts: dict[str, Value] = {}  # its name, QMID and the like, which never change
        self.at_work: dict[str, set[str]] = {}  # by space: what runs and is not deleted meanwhile
        self.next_id = 1
        # changes with every definition, and when a queue is loaded or unloaded
        self.version: i64 = 0
        self.lsn = 0  # everything up to here is in the catalog file
        self.log_end = 1 << 62  # where the log ended when restart had read it
        self.changed = True  # the catalog file is behind
        self.is_due = False  # the checkpoint that runs has to write it: the register relies on it
        self.rewrite_file = True  # all of it, not only what changed
        self.position = CatalogPosition(0, 0, 0)
        # What the file does not have yet: objects by id, ids of deleted ones, owners of rows.
        self.altered: dict[int, Definition] = {}
        self.gone: list[int] = []
        self.owners: set[str] = set()
        self.dead_folders: list[str] = []  # of deleted queues, removed after the next checkpoint
        self.remover = Remover()
        self.id_seed = 0  # of the tables of identifiers: secret, from the identity of the log

    def give_up(self, queue_id: int, text: str) -> None:
        """Restart has passed over what the log says of a queue that is damaged. From now on its
        files are behind, so it stays damaged even if they can be read again one day."""
        self.damaged[queue_id] = text
        self.given_up[queue_id] = text
        self.changed = True
        self.is_due = True
        self.row(queue_id).journal_lsn = BEHIND_LSN

    def recovered(self, queue_id: int) -> None:
        """A queue that was damaged has new files in a new folder."""
        self.damaged.pop(queue_id, None)
        self.given_up.pop(queue_id, None)
        self.untrusted.discard(queue_id)
        self.row(queue_id).journal_lsn = 0
        self.write_whole()

    def write_whole(self) -> None:
        """The checkpoint that runs, or else the next one, writes the whole file."""
        self.changed = True
        self.is_due = True
        self.rewrite_file = True

    def note_altered(self, definition: Definition) -> None:
        """A definition has to be written to the catalog file."""
        if not definition.temporary:
            self.altered[definition.object_id] = definition
            self.changed = True

    def all_saved(self) -> None:
        """What is noted is on its way to the catalog file."""
        self.altered = {}
        self.gone = []
        self.owners = set()
        self.changed = False
        self.is_due = False
        self.rewrite_file = False

    def row(self, queue_id: int) -> RegisterRow:
        """The queue's row of the register, to be changed: the next checkpoint writes it."""
        row = self.register.get(queue_id)
        if row is None:
            row = RegisterRow(0, 0, 0, 0)
            self.register[queue_id] = row
        self.unregistered.add(queue_id)
        return row

    def image_of_catalog(self) -> int:
        """LSN of the catalog's own media image; 0 if it has none."""
        row = self.register.get(CATALOG_ROW)
        return 0 if row is None else row.image_lsn

    def proven_lsn(self, queue_id: int) -> int:
        """How far the journal of a queue is known to have been forced."""
        row = self.register.get(queue_id)
        return 0 if row is None else row.journal_lsn

    def note_journal(self, queue_id: int, lsn: int) -> None:
        """A batch of a queue's journal was forced."""
        self.row(queue_id).journal_lsn = lsn
        if lsn >= self._newest_journal[1]:
            self._newest_journal = (queue_id, lsn)

    def newest_journal(self) -> tuple[int, int]:
        """The queue whose journal is the newest, and its LSN; zeros if no queue has one."""
        queue_id, lsn = self._newest_journal
        if lsn == 0 or self.proven_lsn(queue_id) != lsn:  # at first, and when it was deleted
            self._newest_journal = (0, 0)
            for number, row in self.register.items():
                if self._newest_journal[1] < row.journal_lsn < BEHIND_LSN:
                    self._newest_journal = (number, row.journal_lsn)
        return self._newest_journal

    def newest_lsn(self, queue_id: int) -> int:
        """No journal of a queue that is not loaded can be newer: it was there at the start, or was
        written since, and then the register knows it."""
        return max(self.log_end, self.proven_lsn(queue_id))

    def table_of(self, object_type: int) -> dict[str, Definition]:
        """The space of names that a type belongs to."""
        if object_type & QUEUES:
            return self.definitions
        return self.others[SPACE_OF[object_type]]

    def find(self, object_type: int, name: str) -> Definition | None:
        """The object of that name in the type's space, of whatever type; None without one."""
        return self.table_of(object_type).get(name)

    def other_named(self, name: str) -> Definition | None:
        """Some object of that name that is not a queue."""
        for space in self.others.values():
            if name in space:
                return space[name]
        return None

    def all_definitions(self) -> list[Definition]:
        """Every object, queues first, each space in the order of names."""
        found = [self.definitions[name] for name in sorted(self.definitions)]
        for space in self.others.values():
            found.extend([space[name] for name in sorted(space)])
        return found

    def add(self, definition: Definition) -> None:
        """A new or altered definition."""
        self.table_of(definition.object_type)[definition.name] = definition
        if definition.object_id >= self.next_id:
            self.next_id = definition.object_id + 1
        self.version += 1
        self.note_altered(definition)

    def remove(self, definition: Definition) -> None:
        """The object is deleted; its messages go with it."""
        del self.table_of(definition.object_type)[definition.name]
        self.version += 1
        if definition.object_type == LOCAL:
            queue = self.queues.pop(definition.object_id, None)
            has_files = definition.object_id in self.with_state
            if queue is not None:
                has_files = has_files or queue.has_files or queue.stream is not None
                end_stream(queue)
                has_files = has_files or len(queue.numbering.waste) > 0
                self.remover.drop(queue)
            if has_files:
                self.dead_folders.append(definition.folder)
            self.cursors.remove_queue(definition.object_id)
            self.with_state.discard(definition.object_id)
            self.register.pop(definition.object_id, None)
            self.unregistered.discard(definition.object_id)
            self.damaged.pop(definition.object_id, None)
            self.given_up.pop(definition.object_id, None)
            self.expiries.pop(definition.object_id, None)
            self.depths.pop(definition.object_id, None)
        if not definition.temporary:
            self.altered.pop(definition.object_id, None)
            self.gone.append(definition.object_id)
            self.changed = True

    def set_ledger(self, row: LedgerRow) -> None:
        """An owner has committed a batch."""
        self.ledger[row.owner] = row
        self.owners.add(row.owner)
        self.changed = True

    def drop_ledger(self, owner: str) -> None:
        """An owner's batches are forgotten."""
        self.ledger.pop(owner, None)
        self.owners.add(owner)
        self.changed = True

    def is_recoverable(self, definition: Definition) -> bool:
        """Whether IMGRCOVQ lets a local queue be re-created from the log."""
        wanted = definition.attributes.get("image_recover", mq.MQIMGRCOV_AS_Q_MGR)
        if wanted == mq.MQIMGRCOV_AS_Q_MGR:
            wanted = self.qmgr.get("image_recover_queues", mq.MQIMGRCOV_YES)
        is_queue = definition.object_type == LOCAL and not definition.temporary
        return is_queue and wanted == mq.MQIMGRCOV_YES

    def new_id(self) -> int:
        """An object id that was never used."""
        number = self.next_id
        self.next_id = number + 1
        return number

    def loaded(self, definition: Definition) -> Queue | None:
        """The queue in memory; made at once if nothing of it is on disk; None if it must be
        loaded first."""
        queue = self.queues.get(definition.object_id)
        if queue is None and definition.object_id not in self.with_state:
            name = definition.name
            queue = Queue(definition.object_id, name, definition.folder, self.id_seed)
            self.install(definition, queue)
        return queue

    def install(self, definition: Definition, queue: Queue) -> None:
        """A queue's messages are in memory."""
        configure(queue, definition)
        self.queues[definition.object_id] = queue
        queue.waste.remover = self.remover
        self.remover.release(queue)
        if definition.object_type == LOCAL:
            self.settle_stream(definition, queue)
        self.version += 1

    def settle_stream(self, definition: Definition, queue: Queue) -> None:
        """Let a queue have a stream if it has a cursor or retention, and none otherwise; its terms
        are those of the definition."""
        if not self.keeps_streams:
            queue.stream = None
            return
        if not self.knows_cursors:
            self._keep_stream(definition, queue)
            return
        queue_id = definition.object_id
        if not keeps_stream(definition.attributes, definition.temporary) and (
            definition.temporary or not self.cursors.has(queue_id)
        ):
            end_stream(queue)
            return
        incarnation = stream_incarnation(definition)
        stream = queue.stream
        if stream is None or stream.incarnation != incarnation:
            stream = begin_stream(queue, incarnation)
        set_terms(stream, definition.attributes, self.cursors.floor(queue_id))
        self.stream_memory.join(stream)

    def _keep_stream(self, definition: Definition, queue: Queue) -> None:
        """The same in a restart: what the journal has is kept whole until all cursors are known;
        where a stream begins later, the log says. A new queue with retention has one from its
        first message on."""
        if queue.stream is None and queue.state_lsn == 0:
            if keeps_stream(definition.attributes, definition.temporary):
                begin_stream(queue, stream_incarnation(definition))
        if queue.stream is not None:
            self.stream_memory.join(queue.stream)

    def begin_stream(self, definition: Definition, queue: Queue, begin: int) -> None:
        """The stream of a queue begins at a number."""
        stream = begin_stream(queue, stream_incarnation(definition), begin)
        self.stream_memory.join(stream)
        self.settle_stream(definition, queue)

    def settle_streams(self) -> None:
        """All cursors are known."""
        self.knows_cursors = True
        for definition in self.definitions.values():
            queue = self.queues.get(definition.object_id)
            if queue is not None and definition.object_type == LOCAL:
                self.settle_stream(definition, queue)

    def uninstall(self, queue: Queue) -> None:
        """A queue that is not in use leaves memory; all of it is on disk."""
        del self.queues[int(queue.queue_id)]
        ends = [int(one.min_expiry) for one in queue.segments.values() if one.min_expiry]
        self.expiries[int(queue.queue_id)] = min(ends) if ends else 0
        self.depths[int(queue.queue_id)] = int(queue.depth)
        self.version += 1
        if queue.stream is not None:
            self.stream_memory.leave(queue.stream)

    def names(self, object_type: int) -> list[str]:
        """Names of all objects of a type, or of several of one space, sorted."""
        lowest = object_type & -object_type
        table = self.table_of(lowest)
        return sorted([name for name, one in table.items() if one.object_type & object_type])

    def queue_names(self) -> list[str]:
        """Every queue of whatever type."""
        return self.names(QUEUES)


def stream_incarnation(definition: Definition) -> int:
    """A number that no other creation of a queue has: one that was deleted and defined again, or
    recreated from the log, has another stream. Object ids alone would come again in a queue manager
    that is created again."""
    seconds = definition.created_ns // 1_000_000_000 & (1 << 34) - 1
    object_id = definition.object_id & (1 << 20) - 1
    return seconds << 28 | object_id << 8 | definition.folder_number & 0xFF


def configure(queue: Queue, definition: Definition) -> None:
    """What the store needs to know of a queue's attributes."""
    queue.fifo = definition.number("delivery") == mq.MQMDS_FIFO
    queue.default_lane = definition.number("default_priority")
    queue.persistent_limit = definition.number("persistent_buffer")
    queue.plain_limit = definition.number("nonpersistent_buffer")
    queue.keep_plain = definition.number("nonpersistent_class") == mq.MQNPM_CLASS_HIGH
    queue.temporary = definition.temporary
