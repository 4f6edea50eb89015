"""Cursors that are not used any more: those with EXPIRY are deleted after so long without a use, so
that a reader which never comes back does not keep messages for ever.

A use is to open, advance or reset the cursor. Time is counted by the monotonic clock, and in one
life of the queue manager: while it is down no cursor can be used, and a clock that is set must
not delete one.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from ternmq.kernel.kernel import Kernel
from ternmq.store.stream.named_cursor import StreamCursor
from ternmq.txn.families.cursor_records import CURSOR_RECORD_BYTES, DELETE, log_change

LOOK_NS: Final = 60_000_000_000
DELETED_A_LOOK: Final = 64
_MINUTE_NS: Final = 60_000_000_000


def note_use(kernel: Kernel, cursor: StreamCursor) -> None:
    """The cursor is used now."""
    cursor.used_ns = int(kernel.clock.now_ns())
    cursor.idle_since_ns = int(kernel.clock.monotonic_ns())


def expire_cursors(kernel: Kernel, now_ns: i64) -> int:
    """Delete those whose time is over, some of them at a time; how many there were."""
    over: list[StreamCursor] = []
    for cursor in kernel.catalog.cursors.by_name.values():
        if cursor.expiry_m == 0:
            continue
        if cursor.idle_since_ns == 0:
            cursor.idle_since_ns = int(now_ns)  # its time begins with this life
        elif now_ns - cursor.idle_since_ns >= cursor.expiry_m * _MINUTE_NS:
            over.append(cursor)
    found = 0
    coordinator = kernel.coordinator
    for cursor in over[:DELETED_A_LOOK]:
        if not coordinator.has_room(None, CURSOR_RECORD_BYTES):
            break  # the next look finds it again
        log_change(coordinator, kernel.catalog.cursors, DELETE, cursor)
        definition = kernel.catalog.definitions.get(cursor.queue_name)
        if definition is not None:
            coordinator.settle_stream(kernel.catalog, definition)
        kernel.notices.add("AMQ8980I", (cursor.name, cursor.queue_name, cursor.expiry_m))
        found += 1
    return found
