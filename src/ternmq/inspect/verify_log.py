"""Verifying the log: control files, tail copy, extents of each copy, every record of each copy."""

from __future__ import annotations

from ternmq.base.errors import IntegrityError, MQError
from ternmq.inspect.dump import LogDump, Range
from ternmq.inspect.folder import Folder
from ternmq.inspect.overlay import Overlay
from ternmq.inspect.report import DAMAGED, MISSING, SOUND, UNNEEDED, Report
from ternmq.log.control import CONTROL_PATHS, SECTOR_BYTES, Control, decode_control
from ternmq.log.extents import FOLDERS, ExtentTable, extent_path, slot_of_name
from ternmq.log.record import BLOCK_BYTES, LogDamaged
from ternmq.log.tail import TAIL_PATH, load_tail_copy


def verify_control(disk: Overlay, report: Report) -> Control | None:
    """Both copies; the one that counts, if one does."""
    best: Control | None = None
    found: list[tuple[str, Control]] = []
    for path in CONTROL_PATHS:
        what = "log control file"
        if not disk.exists(path):
            report.add(path, what, MISSING, "", 0)
            continue
        file = disk.open(path)
        try:
            control = decode_control(file.pread(0, SECTOR_BYTES))
        except LogDamaged as error:
            report.add(path, what, DAMAGED, str(error), file.size())
            continue
        finally:
            file.close()
        found.append((path, control))
        if best is None or control.generation > best.generation:
            best = control
    for path, control in found:
        counts = "it counts" if control is best else "the other one counts"
        if best is not None and control.generation == best.generation:
            counts = "both are the same"
        detail = (
            f"generation {control.generation}, checkpoint at LSN {control.checkpoint_lsn}, "
            f"redo from {control.redo_lsn}, forced to {control.forced_lsn}; {counts}"
        )
        report.add(path, "log control file", SOUND, detail, disk.size(path))
    return best


def verify_tail(disk: Overlay, control: Control, report: Report) -> None:
    """The tail copy is only of use while a restart writes."""
    what = "tail copy"
    if not disk.exists(TAIL_PATH):
        report.add(TAIL_PATH, what, UNNEEDED, "not there; the next start makes it", 0)
        return
    piece = load_tail_copy(disk, control)
    detail = "no restart was interrupted"
    if piece is not None:
        detail = f"a restart was interrupted: {len(piece[1])} bytes from LSN {piece[0]} are kept"
    report.add(TAIL_PATH, what, SOUND, detail, disk.size(TAIL_PATH))


def verify_extents(folder: Folder, disk: Overlay, control: Control, report: Report) -> None:
    """Each file by its header and size, then each copy record by record."""
    table = ExtentTable(disk, control)
    try:
        table.load(0)
    except LogDamaged as error:
        report.add(FOLDERS[0], "log", DAMAGED, str(error), 0)
    holds = {slot: extent for extent, slot in table.slots.items()}
    needed = control.redo_lsn // table.extent_bytes
    for copy in range(table.copies):
        for slot in sorted(table.present[copy] | set(holds)):
            _verify_extent(table, copy, slot, holds.get(slot, -1), needed, report)
    table.close()
    for copy in range(1, table.copies + 1):
        _verify_records(folder, copy, report)


def _verify_extent(
    table: ExtentTable, copy: int, slot: int, extent: int, needed: int, report: Report
) -> None:
    path = extent_path(copy, slot)
    what = "log extent"
    if slot not in table.present[copy]:
        verdict = MISSING if extent >= needed else UNNEEDED
        report.add(path, what, verdict, f"extent {extent} has no file in this copy", 0)
        return
    size = table.disk.size(path)
    if extent < 0:
        # A slot that was being prepared for its first use; nothing is in it.
        report.add(path, what, UNNEEDED, "no valid header", size)
    elif size != BLOCK_BYTES + table.extent_bytes:
        report.add(path, what, DAMAGED, f"extent {extent} is cut or too long", size)
    else:
        use = "restart begins here" if extent == needed else ""
        if extent < needed:
            use = "not needed by restart"
        detail = f"extent {extent}{', ' + use if use else ''}"
        report.add(path, what, SOUND, detail, size)


def _verify_records(folder: Folder, copy: int, report: Report) -> None:
    """Read one copy alone to the end: all that is kept of a linear log, of a circular one what
    restart needs."""
    own = FOLDERS[copy - 1]
    try:
        dump = LogDump(folder, copy)
        for _ in dump.records(Range(base=dump.control.parameters.is_linear)):
            pass
    except (IntegrityError, MQError, OSError) as error:
        report.add(own, "log", DAMAGED, str(error), 0)
        return
    if dump.is_sound:
        return
    # The view of one copy calls it the first one, whichever it is.
    text = dump.ending.replace(f"{FOLDERS[0]}/", f"{own}/").replace(f"{FOLDERS[0]}:", f"{own}:")
    report.add(_damaged_file(text, own), "log extent", DAMAGED, text, 0)


def _damaged_file(text: str, own: str) -> str:
    """The file that the text of a LogDamaged names."""
    for word in text.replace(":", " ").split():
        name = word.rpartition("/")[2]
        if word.startswith(own) and slot_of_name(name) >= 0:
            return word
    return own
