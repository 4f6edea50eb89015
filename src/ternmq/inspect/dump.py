"""The recovery log, record by record, as dmpmqlog shows it: for people, and as JSON lines.

A `Range` says where to begin and end. Reading follows the rules of restart: what restart
would put in place from the tail copy is in place, a torn last batch is where the log ends, and
damage is named and never read past.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any, Final, final

from ternmq.base.errors import IntegrityError, MQError
from ternmq.base.words import count_text
from ternmq.inspect.folder import Folder
from ternmq.inspect.overlay import Overlay
from ternmq.inspect.text import hex_rows
from ternmq.log.archive import stored_extents
from ternmq.log.control import Control
from ternmq.log.extents import ExtentTable, extent_path
from ternmq.log.look_ahead import find_batch_in_extent
from ternmq.log.opened import open_log
from ternmq.log.reader import LogReader
from ternmq.log.record import (
    BLOCK_BYTES,
    FIRST_LSN,
    FIRST_OF_BATCH,
    LogDamaged,
    LogRecord,
    block_end,
    checksum_seed,
)
from ternmq.store.catalog import Catalog
from ternmq.store.catalog_file import load_catalog
from ternmq.txn.families.describing import Names, Values
from ternmq.txn.families.table import kind_name, kind_of

DATA_BYTES_SHOWN: Final = 64
NO_END: Final = 1 << 62


@final
class Range:
    """Which part of the log. `base`: from the oldest record that is still there; `start`: from the
    first record at or after an LSN; `extent`: from the first batch of an extent; `checkpoint`: from
    the last checkpoint. None of them: from where restart would begin."""

    def __init__(
        self,
        *,
        base: bool = False,
        start: int | None = None,
        extent: int | None = None,
        checkpoint: bool = False,
        end: int | None = None,
        count: int | None = None,
    ) -> None:
        given = [base, start is not None, extent is not None, checkpoint]
        if sum(given) > 1:
            raise ValueError("base, start, extent and checkpoint exclude each other")
        self.base = base
        self.start = start
        self.extent = extent
        self.checkpoint = checkpoint
        self.end = NO_END if end is None else end
        self.count = NO_END if count is None else count


@final
class LogDump:
    """A log opened for dumping. After `records`, `ending` says how it ended, and `is_sound` whether
    that is as it should be."""

    def __init__(self, folder: Folder, copy: int = 0) -> None:
        self._disk: Overlay = folder.overlay(copy)
        opened = open_log(self._disk)  # finishes an interrupted restart, in the overlay alone
        self.control: Control = opened.control
        opened.close()
        if copy > self.control.parameters.copies:
            raise ValueError(f"the log has one copy only, not {copy}")
        self.copies = self.control.parameters.copies
        self._copy = max(copy - 1, 0)  # whose file names are shown
        if copy:
            self.control.parameters.is_dual = False
        self.table = ExtentTable(self._disk, self.control)
        self.table.load(self._oldest_extent())
        self._seed = checksum_seed(self.control.identity)
        self.catalog_fault = ""
        self.names = Names(self._catalog())
        self.ending = ""
        self.is_sound = True
        self.records_read = 0

    def _oldest_extent(self) -> int:
        control = self.control
        if not control.parameters.is_linear:
            return control.oldest_extent
        needed = control.redo_lsn // control.parameters.extent_bytes
        stored = set(stored_extents(self._disk, control))
        while needed - 1 in stored:
            needed -= 1
        return needed

    def _catalog(self) -> Catalog | None:
        try:
            return load_catalog(self._disk)
        except IntegrityError as error:
            self.catalog_fault = str(error)
            return None

    # ---- where to begin

    def start_lsn(self, wanted: Range) -> int:
        """The record to begin with; LogDamaged if there is none."""
        control = self.control
        if wanted.checkpoint:
            return control.checkpoint_lsn or control.redo_lsn
        if wanted.extent is not None:
            return self._first_batch(wanted.extent, wanted.extent)
        if wanted.start is not None:
            return self._batch_before(wanted.start)
        if wanted.base:
            return self._first_batch(min(self.table.slots, default=0), NO_END)
        return control.redo_lsn

    def _first_batch(self, first: int, last: int) -> int:
        """Where the first batch begins in some extents, in the order of the log."""
        start = max(first * self.table.extent_bytes, FIRST_LSN)
        for extent in sorted(self.table.slots):
            if first <= extent <= last:
                found = find_batch_in_extent(self.table, extent, start, self._seed)
                if found is not None:
                    return found.lsn
        if first == self.control.redo_lsn // self.table.extent_bytes:
            return self.control.redo_lsn
        raise LogDamaged(f"no batch of records begins in log extent {first}, or it is not there")

    def _batch_before(self, lsn: int) -> int:
        """A place to read from that comes to this LSN."""
        extent = lsn // self.table.extent_bytes
        while extent in self.table.slots:
            start = max(extent * self.table.extent_bytes, FIRST_LSN)
            found = find_batch_in_extent(self.table, extent, start, self._seed)
            if found is not None and found.lsn <= lsn:
                return found.lsn
            extent -= 1
        raise LogDamaged(f"LSN {lsn} is not in the log, which begins with extent {extent + 1}")

    # ---- records

    def records(self, wanted: Range) -> Iterator[LogRecord]:
        """The records of a range. Damage ends it: see `ending`."""
        first = wanted.start or 0
        reader = LogReader(self._disk, self.control, self.table)
        self.records_read = 0
        try:
            for record in reader.records(self.start_lsn(wanted)):
                if record.lsn < first:
                    continue
                if record.lsn >= wanted.end or self.records_read == wanted.count:
                    self.ending = f"ended as asked, before LSN {record.lsn}"
                    return
                self.records_read += 1
                yield record
        except LogDamaged as error:
            self.is_sound = False
            self.ending = f"DAMAGED: {error}; nothing is read beyond"
            return
        self.ending = self._end_of_log(reader.end_lsn)

    def _end_of_log(self, end_lsn: int) -> str:
        text = f"end of the log at LSN {end_lsn}"
        if self.control.is_clean_stop:
            return f"{text}, after a clean stop"
        after = block_end(end_lsn)
        for copy in range(self.table.copies):
            block = self.table.read(copy, after, BLOCK_BYTES)
            if block.strip(b"\0"):
                return f"{text}; what follows is a torn batch or of an earlier use, as is normal"
        return f"{text}; it was not stopped cleanly"

    def values(self, record: LogRecord, data_bytes: int = DATA_BYTES_SHOWN) -> Values:
        """One record as values: header, place, meaning."""
        extent = record.lsn // self.table.extent_bytes
        slot = self.table.slots.get(extent, 0)
        head: Values = {
            "lsn": record.lsn,
            "kind": kind_name(record.kind),
            "uow": record.uow,
            "previous": record.previous,
            "length": record.end_lsn - record.lsn,
            "epoch": record.epoch,
            "batch": bool(record.flags & FIRST_OF_BATCH),
            "extent": extent,
            "file": extent_path(self._copy, slot),
            "offset": BLOCK_BYTES + record.lsn % self.table.extent_bytes,
        }
        return {**head, **describe(record, self.names, data_bytes)}


def describe(record: LogRecord, names: Names, data_bytes: int) -> Values:
    """What the payload says; `data_bytes` of a message's data at most. A kind that this version
    does not know, and a payload that is not what its kind says, are shown as such; the record
    itself was checked by its checksum before."""
    try:
        return kind_of(record).describe(record, names, data_bytes)
    except (IntegrityError, MQError, ValueError, KeyError, struct.error) as error:
        return {"not_understood": str(error), "payload": record.payload[:data_bytes].hex()}


def control_values(dump: LogDump) -> Values:
    """What the control file says of the log."""
    control = dump.control
    parameters = control.parameters
    return {
        "log_type": "linear" if parameters.is_linear else "circular",
        "primary_files": parameters.primary,
        "secondary_files": parameters.secondary,
        "file_pages": parameters.pages,
        "copies": dump.copies,
        "epoch": control.epoch,
        "checkpoint_lsn": control.checkpoint_lsn,
        "redo_lsn": control.redo_lsn,
        "proven_lsn": control.forced_lsn,
        "oldest_extent": control.oldest_extent,
        "clean_stop": control.is_clean_stop,
    }


def json_lines(dump: LogDump, wanted: Range, data_bytes: int = DATA_BYTES_SHOWN) -> Iterator[str]:
    """One JSON object a line: the control file, the records, the end."""
    yield _json({"control": control_values(dump)})
    for record in dump.records(wanted):
        yield _json(dump.values(record, data_bytes))
    end = {"end": dump.ending, "sound": dump.is_sound, "records": dump.records_read}
    yield _json(end)


def _json(value: Values) -> str:
    return json.dumps(value, separators=(",", ":"))


def text_lines(
    dump: LogDump, wanted: Range, data_bytes: int = DATA_BYTES_SHOWN, brief: bool = False
) -> Iterator[str]:
    """The same for eyes: a line a record, and unless `brief` what it says below."""
    for name, value in control_values(dump).items():
        yield f"{name.replace('_', ' '):<16} {value}"
    if dump.catalog_fault:
        yield f"queues have numbers only: {dump.catalog_fault}"
    yield ""
    for record in dump.records(wanted):
        values = dump.values(record, data_bytes)
        yield _headline(values)
        if not brief:
            yield from _details(values)
    yield ""
    yield f"{count_text(dump.records_read, 'record')}; {dump.ending}"


_HEAD: Final = (
    "lsn", "kind", "uow", "previous", "length", "epoch", "batch", "extent", "file", "offset",
)  # fmt: skip


def _headline(values: Values) -> str:
    mark = "*" if values["batch"] else " "
    unit = f"uow {values['uow']}" if values["uow"] else ""
    back = f"after {values['previous']}" if values["previous"] else ""
    line = (
        f"{mark}{values['lsn']:>14}  {values['kind']:<14} {values['length']:>9} bytes"
        f"  epoch {values['epoch']:<3} {unit:<12} {back}"
    )
    return line.rstrip()


def _details(values: Values) -> Iterator[str]:
    for name, value in values.items():
        if name in _HEAD:
            continue
        if name == "message":
            yield from _message(value)
        elif isinstance(value, list):
            for row in value:
                yield f"    {name[:-1] if name.endswith('s') else name:<12} {_row(row)}"
        else:
            yield f"    {name:<12} {_row(value)}"


def _row(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(
            f"{name} {_flat(one)}" for name, one in value.items() if name != "queue_id"
        )
    return str(value)


def _flat(value: Any) -> str:
    return _json(value) if isinstance(value, dict) else str(value)


def _message(message: Values) -> Iterator[str]:
    shown = {
        name: one
        for name, one in message.items()
        if name not in ("data", "data_length", "properties")
    }
    line = "    message     "
    for name, one in shown.items():
        text = " ".join(one) if isinstance(one, list) else str(one)
        if not text.strip("0 "):
            continue
        if len(line) + len(name) + len(text) > 110:
            yield line.rstrip()
            line = " " * 16
        line += f" {name} {text}"
    yield line.rstrip()
    if "properties" in message:
        yield f"    properties   {_json(message['properties'])}"
    data = bytes.fromhex(message["data"])
    whole = message["data_length"]
    cut = f", the first {len(data)}" if len(data) < whole else ""
    yield f"    data         {whole} bytes{cut}"
    for row in hex_rows(data):
        yield f"                 {row}"
