"""What can still be read of a queue's messages, from damaged files too: written to a file, one JSON
object a message, with all of its data.

The queue manager refuses a damaged queue whole, because it cannot promise order and completeness.
Here nothing is promised: every message of every segment that passes its own checksum is taken, also
where the journal or an index is gone, and every PUT of the log. What journal and log say of its
end (got, expired, cleared) is followed as far as they can be read; where the journal cannot,
`state` is "unknown".
"""

from __future__ import annotations

import json
import os
from typing import Final, final

from ternmq.base.attributes import LOCAL
from ternmq.base.errors import IntegrityError, mq_error
from ternmq.base.reasons import MQRC_UNKNOWN_OBJECT_NAME
from ternmq.codec.message_image import unpack_header
from ternmq.inspect.buffers import definitions_now
from ternmq.inspect.dump import LogDump, Range
from ternmq.inspect.folder import Folder
from ternmq.inspect.overlay import Overlay
from ternmq.inspect.text import table
from ternmq.store.catalog import Definition
from ternmq.store.catalog_file import load_catalog
from ternmq.store.loading import state_path
from ternmq.store.segment_file import SegmentFile
from ternmq.store.segment_format import SegmentIndex, scan_records
from ternmq.store.state_journal import QueueState, StateJournal
from ternmq.txn.families.describing import Values, describe_message
from ternmq.txn.families.message_history import MessageHistory
from ternmq.txn.families.table import kind_of
from ternmq.txn.unit import CHANGE_PUT

ALIVE: Final = "alive"
DEAD: Final = "dead"
UNKNOWN: Final = "unknown"  # nothing that can be read says
UNCOMMITTED: Final = "uncommitted"

_WHOLE: Final = 1 << 62


@final
class Salvaged:
    """The messages by number, and what was in the way."""

    def __init__(self, queue: str) -> None:
        self.queue = queue
        self.images: dict[int, bytes] = {}
        self.sources: dict[int, str] = {}
        self.states: dict[int, str] = {}
        self.sequences: dict[int, int] = {}
        self.faults: list[str] = []

    def take(self, image: bytes, source: str, state: str) -> None:
        """A message that can be read."""
        header = unpack_header(image, 0)
        number = header.number
        if number not in self.images:
            self.images[number] = image
            self.sources[number] = source
            self.sequences[number] = header.sequence
            self.states.setdefault(number, state)

    def count(self, state: str) -> int:
        return sum(1 for number in self.images if self.states[number] == state)

    def values(self, number: int) -> Values:
        """One message for the file."""
        place = {
            "number": number,
            "sequence": self.sequences[number],
            "state": self.states[number],
            "source": self.sources[number],
        }
        return {**place, **describe_message(self.images[number], _WHOLE)}

    def as_json(self) -> str:
        """What was done, as one JSON object."""
        counts = {state: self.count(state) for state in (ALIVE, UNCOMMITTED, UNKNOWN, DEAD)}
        return json.dumps({"queue": self.queue, "messages": counts, "faults": self.faults})

    def lines(self) -> list[str]:
        """What was done, for eyes."""
        rows = [(state, self.count(state)) for state in (ALIVE, UNCOMMITTED, UNKNOWN, DEAD)]
        return [*table((f"messages of {self.queue}", "found"), rows), *self.faults]


def salvage(path: str | os.PathLike[str], name: str | None, queue: str) -> Salvaged:
    """Everything that can be read of a queue of a queue manager that is down."""
    with Folder(path, name) as folder:
        disk = folder.overlay()
        definition = _definition(disk, queue)
        found = Salvaged(queue)
        history = LogHistory(definition.object_id, found)
        try:
            dump = LogDump(folder)
            for record in dump.records(Range(base=True)):
                try:
                    kind_of(record).follow(record, history)
                except IntegrityError as error:  # of one record, whose checksum is right
                    found.faults.append(str(error))
            if not dump.is_sound:
                found.faults.append(dump.ending)
        except IntegrityError as error:
            found.faults.append(str(error))
        _read_segments(disk, definition, found)
        history.conclude()
        return found


def salvage_to_file(
    path: str | os.PathLike[str],
    name: str | None,
    queue: str,
    output: str | os.PathLike[str],
    *,
    dead: bool = False,
) -> Salvaged:
    """The same, written to a file in order of sequence; `dead`: also messages that were got."""
    found = salvage(path, name, queue)
    order = sorted(found.images, key=lambda number: (found.sequences[number], number))
    with open(output, "w", encoding="utf-8") as file:
        for number in order:
            if dead or found.states[number] != DEAD:
                file.write(json.dumps(found.values(number)) + "\n")
    return found


def _definition(disk: Overlay, queue: str) -> Definition:
    try:
        catalog = definitions_now(disk)
    except IntegrityError:  # the log is damaged: the catalog file is what is left
        catalog = load_catalog(disk)
    definition = catalog.definitions.get(queue)
    if definition is None or definition.object_type != LOCAL:
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb="salvage", object=queue)
    return definition


def _read_segments(disk: Overlay, definition: Definition, found: Salvaged) -> None:
    state: QueueState | None = None
    try:
        state = StateJournal.load(disk, state_path(definition.folder))
    except IntegrityError as error:
        found.faults.append(str(error))
    for name in disk.list(definition.folder):
        if not name.endswith(".seg"):
            continue
        path = f"{definition.folder}/{name}"
        number = int(name[1:-4]) if name[1:-4].isdecimal() else -1
        recorded = None if state is None else state.segments.get(number)
        dead = None if recorded is None else int.from_bytes(recorded.dead, "little")
        unnamed = UNKNOWN if state is None else DEAD
        for ordinal, image in _messages(disk, path, found):
            status = unnamed
            if dead is not None:
                status = DEAD if dead >> ordinal & 1 else ALIVE
            found.take(image, path, status)


def _messages(disk: Overlay, path: str, found: Salvaged) -> list[tuple[int, bytes]]:
    """The messages of a segment that pass their checksum; by its index, or by going through it."""
    messages: list[tuple[int, bytes]] = []
    segment = SegmentFile(disk, path)
    try:
        try:
            index: SegmentIndex = segment.load_index()
        except IntegrityError as error:
            found.faults.append(str(error))
            return _without_index(disk, path, found)
        for ordinal in range(index.count):
            try:
                messages.append((ordinal, segment.read_message(index, ordinal)))
            except IntegrityError as error:
                found.faults.append(str(error))
    finally:
        segment.close()
    return messages


def _without_index(disk: Overlay, path: str, found: Salvaged) -> list[tuple[int, bytes]]:
    file = disk.open(path)
    try:
        return scan_records(path, file.pread(0, file.size()))
    except IntegrityError as error:  # not even a header
        found.faults.append(str(error))
        return []
    finally:
        file.close()


@final
class LogHistory(MessageHistory):
    """What the log says of one queue's messages."""

    def __init__(self, queue_id: int, found: Salvaged) -> None:
        self._queue_id = queue_id
        self._found = found
        self._ended: set[int] = set()  # numbers that were got, expired or cleared
        self._cleared_below = 0
        self._gets: dict[int, set[int]] = {}  # by unit of work
        self._puts: dict[int, set[int]] = {}

    def conclude(self) -> None:
        """All that can be read was read: which of the messages have ended."""
        found = self._found
        open_puts = {number for numbers in self._puts.values() for number in numbers}
        for number in found.images:
            if number in self._ended or number < self._cleared_below:
                found.states[number] = DEAD
            elif number in open_puts or (
                found.sequences[number] == 0 and found.states[number] == ALIVE
            ):
                found.states[number] = UNCOMMITTED

    def put(self, lsn: int, unit: int, queue_id: int, number: int, image: bytes) -> None:
        if queue_id != self._queue_id:
            return
        self._found.take(image, f"log LSN {lsn}", ALIVE)
        if unit:
            self._puts.setdefault(unit, set()).add(number)
            self._ended.discard(number)  # a get by its own unit was taken back

    def got(self, unit: int, queue_id: int, number: int) -> None:
        if queue_id != self._queue_id:
            return
        if unit:
            self._gets.setdefault(unit, set()).add(number)
        else:
            self._ended.add(number)

    def committed(self, unit: int, rows: list[tuple[int, int, int]]) -> None:
        self._ended.update(self._gets.pop(unit, set()))
        self._puts.pop(unit, None)
        for queue_id, number, sequence in rows:
            if queue_id == self._queue_id and number in self._found.images:
                self._found.sequences[number] = sequence

    def undone(self, unit: int, change: int, queue_id: int, number: int) -> None:
        if queue_id != self._queue_id:
            return
        changes = self._puts if change == CHANGE_PUT else self._gets
        changes.get(unit, set()).discard(number)
        if change == CHANGE_PUT:
            self._ended.add(number)

    def expired(self, queue_id: int, number: int) -> None:
        if queue_id == self._queue_id:
            self._ended.add(number)

    def cleared(self, queue_id: int, next_number: int) -> None:
        if queue_id == self._queue_id:
            self._cleared_below = max(self._cleared_below, next_number)
