"""Verifying the stream files of a queue: every block that the state journal counts, by checksums
and against the stream it must belong to.
"""

from __future__ import annotations

from ternmq.base.errors import IntegrityError
from ternmq.codec.stream_block_format import check_block
from ternmq.inspect.overlay import Overlay
from ternmq.inspect.report import DAMAGED, MISSING, SOUND, Report
from ternmq.store.catalog import Definition
from ternmq.store.state_journal import QueueState
from ternmq.store.stream.numbered_stream import Stream, StreamFile
from ternmq.store.stream.stream_file import check_owner, read_index
from ternmq.store.stream.stream_state import recorded_bounds, recorded_files


def verify_stream(disk: Overlay, definition: Definition, state: QueueState, report: Report) -> None:
    """All files that the journal names."""
    if not state.stream:
        return
    incarnation, earliest, _ = recorded_bounds(state.stream)
    stream = Stream(definition.object_id, definition.folder, incarnation, earliest)
    what = f"stream of {definition.name}"
    for file in recorded_files(definition.folder, state.stream):
        if not disk.exists(file.path):
            detail = f"numbers {int(file.first)} to {int(file.last)}; the queue itself is unharmed"
            report.add(file.path, what, MISSING, detail, 0)
            continue
        size = disk.size(file.path)
        blocks, fault = _read(disk, stream, file)
        numbers = f"{blocks} blocks, numbers {int(file.first)} to {int(file.last)}"
        if fault:
            detail = f"{fault}; {blocks} blocks can be read, the queue itself is unharmed"
            report.add(file.path, what, DAMAGED, detail, size)
        else:
            report.add(file.path, what, SOUND, numbers, size)


def _read(disk: Overlay, stream: Stream, file: StreamFile) -> tuple[int, str]:
    """How many blocks are sound, and the first fault."""
    sound = 0
    fault = ""
    opened = disk.open(file.path)
    try:
        for block in read_index(opened, stream, int(file.start), int(file.end)):
            data = opened.pread(int(block.offset), int(block.length))
            try:
                check_owner(check_block(data), stream)
                sound += 1
            except IntegrityError as error:
                fault = fault or f"offset {int(block.offset)}: {error}"
    except IntegrityError as error:
        fault = fault or str(error)
    finally:
        opened.close()
    return sound, fault
