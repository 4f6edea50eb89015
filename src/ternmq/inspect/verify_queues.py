"""Verifying catalog, register and the files of every queue: each by its checksums, and all against
each other: what a journal names is there and has its length, what nothing names is a leftover.
"""

from __future__ import annotations

from typing import Final

from ternmq.base.attributes import LOCAL
from ternmq.base.errors import IntegrityError
from ternmq.inspect.overlay import Overlay
from ternmq.inspect.report import DAMAGED, LEFTOVER, MISSING, SOUND, UNKNOWN, UNNEEDED, Report
from ternmq.inspect.verify_streams import verify_stream
from ternmq.log.opened import OpenedLog
from ternmq.store.catalog import Catalog, Definition
from ternmq.store.catalog_file import CATALOG_PATH, CHANGES_PATH, load_catalog
from ternmq.store.loading import state_path
from ternmq.store.register import (
    BEHIND_LSN,
    REGISTER_PATHS,
    RegisterRow,
    load_register,
)
from ternmq.store.segment_file import verify_segment
from ternmq.store.state_journal import QueueState, SegmentState, StateJournal
from ternmq.txn.media.catalog_recovery import find_catalog, register_statement

QUEUES: Final = "queues"
_FRESH: Final = ".new"  # a file that was being written when everything stopped


def verify_catalog(disk: Overlay, opened: OpenedLog, report: Report) -> Catalog | None:
    """The catalog file; if it is bad, the catalog that a linear log can make good."""
    what = "catalog"
    try:
        found, damage = find_catalog(disk, opened)
    except IntegrityError as error:
        _add_damaged_catalog(disk, report, str(error))
        return None
    if damage:
        _add_damaged_catalog(disk, report, f"{damage}; the log has it")
        return found
    size = disk.size(CATALOG_PATH)
    objects = len(load_catalog(disk).all_definitions())
    report.add(CATALOG_PATH, what, SOUND, f"{objects} objects as of LSN {found.lsn}", size)
    if disk.exists(CHANGES_PATH):
        _verify_changes(disk, report)
    report.name = str(found.facts["name"])
    return found


def _add_damaged_catalog(disk: Overlay, report: Report, detail: str) -> None:
    """The file itself, or if that can be read, the changes that should make it newer."""
    path = CHANGES_PATH
    try:
        load_catalog(disk)
    except IntegrityError:
        path = CATALOG_PATH
    size = disk.size(path) if disk.exists(path) else 0
    report.add(path, "catalog", DAMAGED if size else MISSING, detail, size)


def _verify_changes(disk: Overlay, report: Report) -> None:
    """The file of changes; all up to the last checkpoint is there, or nothing would start."""
    size = disk.size(CHANGES_PATH)
    counts = load_catalog(disk).position.offset
    if counts:
        report.add(CHANGES_PATH, "catalog", SOUND, f"{counts} bytes of changes", size)
    else:
        report.add(CHANGES_PATH, "catalog", UNNEEDED, "the catalog has been written since", size)


def verify_register(disk: Overlay, opened: OpenedLog, report: Report) -> dict[int, RegisterRow]:
    """The register that the last checkpoint speaks of; the other file is of no use."""
    statement = register_statement(opened)
    rows: dict[int, RegisterRow] = {}
    counts = -1
    if statement is not None:
        counts = statement[0]
        if counts >= 0:
            path = REGISTER_PATHS[counts]
            size = disk.size(path) if disk.exists(path) else 0
            try:
                rows = load_register(disk, statement)[1]
                detail = f"{statement[1]} batches, {len(rows)} rows"
                report.add(path, "register", SOUND, detail, size)
            except IntegrityError as error:
                report.add(path, "register", DAMAGED if size else MISSING, str(error), size)
    for number, path in enumerate(REGISTER_PATHS):
        if number != counts and disk.exists(path):
            report.add(path, "register", UNNEEDED, "the other one counts", disk.size(path))
    return rows


def verify_queue(
    disk: Overlay, definition: Definition, row: RegisterRow | None, trust: bool, report: Report
) -> None:
    """State journal and segments of one local queue. `trust`: its non-persistent messages have
    outlived the stop."""
    path = state_path(definition.folder)
    proven = 0 if row is None else row.journal_lsn
    what = f"state journal of {definition.name}"
    if not disk.exists(path):
        if proven:
            detail = "the register knows of it"
            report.add(path, what, MISSING, detail, 0)
        return
    size = disk.size(path)
    if proven >= BEHIND_LSN:
        detail = "it is behind the log, parts of which were passed over because of damage"
        report.add(path, what, DAMAGED, detail, size)
        return
    try:
        state = StateJournal.load(disk, path, proven)
    except IntegrityError as error:
        report.add(path, what, DAMAGED, str(error), size)
        return
    if state.lsn and state.queue_id != definition.object_id:
        detail = f"it is that of queue {state.queue_id}, not {definition.object_id}"
        report.add(path, what, DAMAGED, detail, size)
        return
    report.add(path, what, SOUND, _describe(state), size)
    for segment in state.segments.values():
        _verify_segment(disk, definition, segment, trust, report)
    verify_stream(disk, definition, state, report)


def _describe(state: QueueState) -> str:
    living = sum(living_in(segment) for segment in state.segments.values())
    seal = "" if state.is_sealed else "; the last batch has no seal, the next start writes it again"
    return f"LSN {state.lsn}, {len(state.segments)} segments, {living} messages live{seal}"


def living_in(segment: SegmentState) -> int:
    """Messages of a segment that the journal does not call dead."""
    return segment.count - int.from_bytes(segment.dead, "little").bit_count()


def _verify_segment(
    disk: Overlay, definition: Definition, state: SegmentState, trust: bool, report: Report
) -> None:
    path = f"{definition.folder}/S{state.number:010d}.seg"
    living = living_in(state)
    what = f"segment of {definition.name}"
    size = disk.size(path) if disk.exists(path) else 0
    if state.persistent == 0 and not trust:
        detail = "non-persistent messages that the stop has ended"
        report.add(path, what, UNNEEDED, detail, size)
        return
    found = verify_segment(disk, path)
    index = found.index
    faults = list(found.faults)
    if index is not None:
        try:
            index.expect(definition.object_id, definition.object_id, state.number)
        except IntegrityError as error:
            faults.append(str(error))
        if (index.count, index.file_bytes) != (state.count, state.file_bytes):
            faults.append(
                f"{index.count} messages in {index.file_bytes} bytes, the journal says "
                f"{state.count} in {state.file_bytes}"
            )
    if faults:
        more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
        readable = f"{found.messages_sound} of {state.count} messages can be read"
        verdict = DAMAGED if size else MISSING
        report.add(path, what, verdict, f"{faults[0]}{more}; {readable}", size)
    else:
        report.add(path, what, SOUND, f"{living} of {state.count} messages live", size)


def verify_leftovers(disk: Overlay, catalog: Catalog | None, report: Report) -> None:
    """Everything else in the folder."""
    folders = {}
    if catalog is not None:
        for definition in catalog.definitions.values():
            if definition.object_type == LOCAL:
                folders[definition.folder] = definition.name
    for path in _all_files(disk, ""):
        if report.knows(path):
            continue
        above = path.rpartition("/")[0]
        verdict = UNKNOWN
        detail = ""
        if path.endswith(_FRESH):
            verdict = LEFTOVER
            detail = "it was being written when everything stopped"
        elif above in folders and path.endswith((".seg", ".stream")):
            verdict = LEFTOVER
            detail = f"the journal of {folders[above]} does not name it"
        elif above.startswith(QUEUES + "/"):
            verdict = LEFTOVER
            detail = "of a queue that was deleted or re-created"
        report.add(path, "file", verdict, detail, disk.size(path))


def _all_files(disk: Overlay, folder: str) -> list[str]:
    found: list[str] = []
    for name in disk.list(folder):
        path = f"{folder}/{name}" if folder else name
        if disk.is_folder(path):
            found += _all_files(disk, path)
        else:
            found.append(path)
    return found
