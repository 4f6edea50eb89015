"""Many messages off a queue in one step, for a reader that takes whatever comes.

Each is a get outside syncpoint of the message at the head, with all that a get does; what is left
out is what a get may have to wait for. So only messages that are plain in every respect are drawn:
non-persistent, in memory, without expiry and reports, of the length that was asked for. The first
that is not ends it, and a get sees to that one.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.events import PERFORMANCE
from ternmq.kernel.get import BROWSE_OPTIONS
from ternmq.kernel.kernel import RUNNING, Kernel
from ternmq.kernel.metering import were_got
from ternmq.kernel.objects import LocalQueue
from ternmq.values.entry import PERSISTENT, REPORTS, ZERO_ID, Entry
from ternmq.values.get_request import GetRequest

DRAWN_MAX: Final = 64  # in one step
_NOT_PLAIN: Final = PERSISTENT | REPORTS
_MORE_THAN_A_GET: Final = BROWSE_OPTIONS | mq.MQGMO_MSG_UNDER_CURSOR | mq.MQGMO_LOCK


def draw(
    kernel: Kernel, connection: Connection, handle: Handle, request: GetRequest, bytes_max: i64
) -> list[Entry]:
    """The messages at the head, until they have so many bytes; none if it takes a get to say why.

    A message counts as its data and its descriptor.
    """
    drawn: list[Entry] = []
    local = handle.local
    if local is None or not _is_plain(kernel, connection, handle, request, local):
        return drawn
    queue = local.queue
    coordinator = kernel.coordinator
    size: i64 = 0
    count: i64 = 0
    while size < bytes_max and count < DRAWN_MAX:
        lane = queue.top_lane()
        if lane < 0:
            break
        entry = queue.lanes[lane].front.head
        if entry is None or entry.expiry_at or entry.visible_lsn or entry.flags & _NOT_PLAIN:
            break
        if entry.length > request.buffer_length or entry.segment is not None or entry.properties:
            break
        if entry.group_id is not ZERO_ID and entry.group_id != ZERO_ID:
            break
        coordinator.get(None, queue, entry)
        if kernel.events & PERFORMANCE:
            kernel.event_sink.was_got(local)
        drawn.append(entry)
        size += entry.memory_bytes()
        count += 1
    if count and (local.watched or kernel.measured or handle.options & mq.MQOO_SAVE_ALL_CONTEXT):
        _were_taken(kernel, handle, local, drawn)
    return drawn


def _were_taken(kernel: Kernel, handle: Handle, local: LocalQueue, drawn: list[Entry]) -> None:
    """Monitoring and accounting count all at once: they left in one step, so at one time."""
    now_ns: i64 = kernel.clock.now_ns()
    if local.watched:
        for entry in drawn:
            local.watch.got(now_ns, entry.put_ns)
    if kernel.measured:
        were_got(kernel, handle, local, drawn, now_ns)
    if handle.options & mq.MQOO_SAVE_ALL_CONTEXT:
        handle.context = drawn[-1]


def _is_plain(
    kernel: Kernel,
    connection: Connection,
    handle: Handle,
    request: GetRequest,
    local: LocalQueue,
) -> bool:
    if handle.connection is not connection or local.deleted or local.get_inhibited or handle.via:
        return False
    if kernel.status != RUNNING or not request.plain or handle.selection is not None:
        return False
    if request.syncpoint or request.extends or request.options & _MORE_THAN_A_GET:
        return False
    if handle.logical is not None:
        return False
    queue = local.queue
    if queue.damaged or queue.unread or queue.locks or queue.fetched or queue.swept_alive:
        return False
    return True
