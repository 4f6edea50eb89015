"""Copies of messages for streaming queues: which queues take one now, and putting them.

All that may refuse is asked before anything is changed: under MUSTDUP a queue that does not take
its copy refuses the message as a whole, with its own reason, and neither queue has it; under BESTEF
the copy is left out. Either way operators get a message, once a handle until the reason changes.
The message and its copies are put in one step and, if they are persistent, with one log record and
one body, so no crash parts them. Copies do not count in MAXUMSGS.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_OBJECT_IN_USE, MQRC_SEGMENTATION_NOT_ALLOWED
from ternmq.codec.property_header import length_as_put
from ternmq.kernel.acceptance import BACKLOG_BUFFERS, check_queue, check_room, is_behind, relieve
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.delivery import serve, wake_own
from ternmq.kernel.ending import commit_unit
from ternmq.kernel.events import PERFORMANCE
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering import was_copied
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.segmented_put import SegmentedPut
from ternmq.kernel.streaming import CopyTarget, plan_of
from ternmq.kernel.transmission import (
    XQH_BYTES,
    as_transmitted,
    extension_bytes,
    segment_header_bytes,
)
from ternmq.store.copying import copy_of
from ternmq.store.queue import Queue
from ternmq.txn.copied_put import has_room_for_copies, put_all
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import AVAILABLE, PERSISTENT, Entry

COPY_FAILED: Final = "AMQ7587E"


@final
class _Asking:
    """One message on its way: the queues that were asked, and those that take a copy."""

    __slots__ = (
        "_away_bytes",
        "_data",
        "_request",
        "all_bytes",
        "area_bytes",
        "connection",
        "handle",
        "kernel",
        "length",
        "messages",
        "persistence",
        "taken",
    )

    def __init__(
        self,
        kernel: Kernel,
        connection: Connection,
        handle: Handle,
        length: i64,
        area_bytes: i64,
        persistence: i64,
        request: PutRequest,
        data: bytes,
    ) -> None:
        self.kernel = kernel
        self.connection = connection
        self.handle = handle
        self.length: i64 = length
        self.area_bytes: i64 = area_bytes
        self.persistence: i64 = persistence
        self.taken: list[CopyTarget] = []
        self._request = request
        self._data = data
        self._away_bytes: i64 = 0
        self.messages: i64 = 1  # more if it is put in segments, with so many bytes in all
        self.all_bytes: i64 = 0

    def away_bytes(self) -> i64:
        """The length of a copy that goes to another queue manager: behind its headers it has the
        properties in an MQRFH2, which may be much longer than their area."""
        if self._away_bytes == 0:
            length = self.length
            area = self._request.properties
            if self.handle.route is None:
                length += extension_bytes(self._request)
                if area:
                    length += length_as_put(area, self._data, self._request.base) - len(self._data)
            self._away_bytes = length + XQH_BYTES
        return self._away_bytes

    def ask_all(self, targets: list[CopyTarget], must: bool, source: str) -> MQError | None:
        """Ask the targets of a queue; why one that must take its copy does not. The connection may
        be parked afterwards."""
        for target in targets:
            before = len(self.taken)
            refusal = self._ask(target)
            if refusal is None:
                if self.connection.park is not None:
                    return None
                continue
            del self.taken[before:]
            self._log_refusal(target, source, refusal)
            if must:
                return refusal
        return None

    def _ask(self, target: CopyTarget) -> MQError | None:
        if target.is_topic:
            return self._ask_topic(target)
        local = target.local
        if local is None or target.reason:
            return target.error()
        length = self.length
        area_bytes = self.area_bytes
        if target.route is not None:
            length = self.away_bytes()
            area_bytes = 0
        kernel = self.kernel
        connection = self.connection
        try:
            if local.queue.clearing_before or local.held_by is not None:
                raise mq_error(MQRC_OBJECT_IN_USE, verb="MQPUT", object=local.name)
            check_queue(kernel, connection, local, target.via, length, area_bytes, self.persistence)
            if self.messages > 1:
                check_room(kernel, local, self.messages, self.all_bytes)
            if is_behind(kernel, connection, local, length + area_bytes):
                return None
        except MQError as refusal:
            return refusal
        self.taken.append(target)
        if target.onward:
            return self.ask_all(target.onward, target.must, local.name)
        return None

    def _ask_topic(self, target: CopyTarget) -> MQError | None:
        try:
            if self.messages > 1:
                raise mq_error(MQRC_SEGMENTATION_NOT_ALLOWED, verb="MQPUT", object=target.name)
            target.publication = self.kernel.topics.ask_stream(
                self.connection,
                self.handle,
                target.via[0],
                target.cap,
                self._request,
                self._data,
                self.persistence,
            )
        except MQError as refusal:
            return refusal
        if target.publication is not None:
            self.taken.append(target)
        return None

    def _log_refusal(self, target: CopyTarget, source: str, refusal: MQError) -> None:
        refused = self.handle.copies_refused
        if refused is None:
            refused = {}
            self.handle.copies_refused = refused
        if refused.get(target.name) != refusal.reason:
            refused[target.name] = refusal.reason
            inserts = (target.name, source, refusal.reason, refusal.reason_name)
            self.kernel.notices.add(COPY_FAILED, inserts)


def copies_for(
    kernel: Kernel,
    connection: Connection,
    handle: Handle,
    local: LocalQueue,
    unit: UnitOfWork | None,
    length: i64,
    area_bytes: i64,
    persistence: i64,
    request: PutRequest,
    data: bytes,
) -> list[CopyTarget] | None:
    """The queues that take a copy of a message; None: the connection is parked. Raises the reason
    of one that must and does not."""
    if request.copies is not None:
        return request.copies
    plan = local.stream_plan
    if plan is None or plan.version != kernel.catalog.version:
        plan = plan_of(kernel, connection, local)
        if plan is None:
            return None
    if plan.plain and _takes_one(
        kernel, connection, plan.targets[0], unit, length, area_bytes, persistence
    ):
        return plan.targets
    asking = _Asking(kernel, connection, handle, length, area_bytes, persistence, request, data)
    refusal = asking.ask_all(plan.targets, plan.must, local.name)
    if connection.park is not None:
        return None
    if refusal is not None:
        raise refusal
    if persistence == PERSISTENT and asking.taken:
        if not _has_room(kernel, connection, unit, asking):
            return None
    return asking.taken


def copies_for_all(
    kernel: Kernel, connection: Connection, handle: Handle, local: LocalQueue, state: SegmentedPut
) -> list[CopyTarget] | None:
    """The same for all segments of a message, as to queues: a queue gets copies of all of them or
    of none. The log is the caller's business."""
    plan = local.stream_plan
    if plan is None or plan.version != kernel.catalog.version:
        plan = plan_of(kernel, connection, local)
        if plan is None:
            return None
    place = state.place
    area_bytes: i64 = len(state.request.properties)
    longest = state.pieces.longest + segment_header_bytes(handle)
    asking = _Asking(
        kernel,
        connection,
        handle,
        longest,
        area_bytes,
        place.persistence,
        state.request,
        state.data[: state.pieces.end_of(0)],
    )
    asking.messages = state.pieces.count
    asking.all_bytes = state.pieces.length + area_bytes
    refusal = asking.ask_all(plan.targets, plan.must, local.name)
    if connection.park is not None:
        return None
    if refusal is not None:
        raise refusal
    return asking.taken


def _takes_one(
    kernel: Kernel,
    connection: Connection,
    target: CopyTarget,
    unit: UnitOfWork | None,
    length: i64,
    area_bytes: i64,
    persistence: i64,
) -> bool:
    """Whether the one target of a plain plan takes its copy without further ado. The questions are
    those of `check_queue`, which is asked for the reason if one of them is answered by no."""
    local = target.local
    if local is None or local.put_inhibited or local.held_by is not None:
        return False
    queue = local.queue
    held = queue.plain_bytes + queue.persistent_bytes
    if (
        queue.clearing_before
        or queue.damaged
        or length > local.max_length
        or queue.available + queue.swept_alive + queue.uncommitted_puts >= local.max_depth
        or queue.file_bytes + held + length + area_bytes > local.max_bytes
        or held > BACKLOG_BUFFERS * (queue.plain_limit + queue.persistent_limit)
    ):
        return False
    if persistence == PERSISTENT:
        room = has_room_for_copies(kernel.coordinator, unit, length + area_bytes, 1, 0, 0)
        room = room and kernel.coordinator.reserve.is_whole
        return room and not local.temporary
    return True


def _has_room(
    kernel: Kernel, connection: Connection, unit: UnitOfWork | None, asking: _Asking
) -> bool:
    """Whether the log takes the message and all copies; the connection is parked if not."""
    away: i64 = 0
    for target in asking.taken:
        if target.route is not None:
            away += 1
    copies = len(asking.taken)
    length = asking.length + asking.area_bytes
    coordinator = kernel.coordinator
    away_bytes: i64 = asking.away_bytes() if away else 0
    all_bytes: i64 = (1 + copies - away) * length + away * away_bytes
    if not coordinator.reserve.is_whole and not kernel.disk_takes(1 + copies, all_bytes):
        kernel.make_disk_room(connection, "MQPUT", asking.handle.resolved_name)
        return False
    if has_room_for_copies(coordinator, unit, length, copies - away, away, away_bytes):
        return True
    all_bytes = length + away * away_bytes
    kernel.make_room(connection, "MQPUT", asking.handle.resolved_name, all_bytes)
    return False


def put_with_copies(
    kernel: Kernel,
    connection: Connection,
    local: LocalQueue,
    unit: UnitOfWork | None,
    entry: Entry,
    targets: list[CopyTarget],
    request: PutRequest,
) -> None:
    """Put a message and its copies."""
    if len(targets) == 1 and entry.flags & PERSISTENT == 0:
        target = targets[0]
        if target.route is None and target.local is not None:
            _put_pair(kernel, connection, local, unit, entry, target, target.local, request)
            return
    locals_: list[LocalQueue] = [local]
    queues: list[Queue] = [local.queue]
    entries: list[Entry] = [entry]
    away: list[CopyTarget] = []
    for target in targets:
        queue = target.local
        if target.route is not None or queue is None:
            away.append(target)
            continue
        locals_.append(queue)
        queues.append(queue.queue)
        base = request.copied_base(entry.base, target.cap)
        entries.append(copy_of(entry, base, target.cap))
    if away:
        _put_also_away(kernel, connection, unit, locals_, queues, entries, away, request)
    else:
        connection.depends_on(put_all(kernel.coordinator, unit, queues, entries))
    at: i64 = 0
    while at < len(entries):
        arrived(kernel, connection, locals_[at], entries[at], unit, at > 0)
        at += 1


def _put_pair(
    kernel: Kernel,
    connection: Connection,
    local: LocalQueue,
    unit: UnitOfWork | None,
    entry: Entry,
    target: CopyTarget,
    other: LocalQueue,
    request: PutRequest,
) -> None:
    """The same for one copy that is not persistent: nothing of the two is logged, so nothing can
    part them."""
    coordinator = kernel.coordinator
    copy = copy_of(entry, request.copied_base(entry.base, target.cap), target.cap)
    connection.depends_on(coordinator.put(unit, local.queue, entry))
    connection.depends_on(coordinator.put(unit, other.queue, copy))
    if unit is not None:
        unit.copies += 1
    arrived(kernel, connection, local, entry, unit, False)
    arrived(kernel, connection, other, copy, unit, True)


def _put_also_away(
    kernel: Kernel,
    connection: Connection,
    unit: UnitOfWork | None,
    locals_: list[LocalQueue],
    queues: list[Queue],
    entries: list[Entry],
    away: list[CopyTarget],
    request: PutRequest,
) -> None:
    """The same where a copy goes to another queue manager: it has headers of its own and so a
    record of its own, and outside syncpoint a unit of work keeps it together with the others."""
    original = entries[0]
    within = unit
    if unit is None and original.flags & PERSISTENT:
        within = kernel.coordinator.begin()
    connection.depends_on(put_all(kernel.coordinator, within, queues, entries))
    for target in away:
        publication = target.publication
        if publication is not None:
            target.publication = None
            publication.put(within)
            continue
        route = target.route
        local = target.local
        if route is None or local is None:
            continue
        copy = copy_of(original, request.copied_base(original.base, target.cap), target.cap)
        sent = as_transmitted(kernel, route, copy)
        connection.depends_on(kernel.coordinator.put(within, local.queue, sent))
        if within is not None:
            within.copies += 1
        locals_.append(local)
        entries.append(sent)
    if within is not None and within is not unit:
        commit_unit(kernel, connection, within)


def arrived(
    kernel: Kernel,
    connection: Connection,
    local: LocalQueue,
    entry: Entry,
    unit: UnitOfWork | None,
    is_copy: bool,
) -> None:
    """What a put means for the queue: events, waiting gets, triggers. The verb itself sees to the
    last for the original."""
    # No handle need have it open, and one that is in use must not be unloaded by a checkpoint which
    # began before.
    local.queue.idle_checkpoints = 0
    if kernel.events & PERFORMANCE:
        kernel.event_sink.was_put(local)
    if is_copy and local.watched:
        local.watch.last_put_ns = entry.put_ns
    if is_copy and kernel.measured:
        was_copied(kernel, local, entry)
    if local.waiters.count:
        if unit is None and entry.state == AVAILABLE:
            serve(kernel, local, entry)
        elif unit is not None and unit is connection.unit:
            wake_own(kernel, connection, local)
    relieve(kernel, local.queue)
    if is_copy and local.triggered:
        kernel.triggers.was_put(local, entry, unit, None)
