"""Persistent messages of a list for several local queues: put with one log record and one body."""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_BACKED_OUT
from ternmq.kernel.acceptance import check_queue, is_behind
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.copies import arrived
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.list_requests import ListRequests
from ternmq.kernel.metering import was_put
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.put import defaults_of, new_entry, unit_for
from ternmq.kernel.requests import PutRequest
from ternmq.store.queue import Queue
from ternmq.txn.copied_put import has_room_for_list, put_all
from ternmq.txn.unit import UnitOfWork
from ternmq.values.distribution import Outcome
from ternmq.values.entry import PERSISTENT, Entry


def joins(request: PutRequest, member: Handle) -> bool:
    """Whether the message of a destination can share a record: a persistent one for a local queue
    that has no streaming queue."""
    local = member.local
    if local is None or member.route is not None or local.deleted or local.streams:
        return False
    if local.temporary:
        return False
    return defaults_of(member, local, request)[0] == PERSISTENT


@final
class JoinedPut:
    """Destinations that share a record, and their messages."""

    __slots__ = (
        "_data",
        "_locals",
        "_members",
        "_outcomes",
        "_requests",
        "_unit",
        "end",
        "entries",
        "indexes",
        "warnings",
    )

    def __init__(
        self,
        requests: ListRequests,
        data: bytes,
        members: list[Handle | None],
        outcomes: list[Outcome],
    ) -> None:
        self._requests = requests
        self._data = data
        self._members = members
        self._outcomes = outcomes
        self._locals: list[LocalQueue] = []
        self._unit: UnitOfWork | None = None
        self.indexes: list[i64] = []  # of the destinations that take it
        self.entries: list[Entry] = []
        self.warnings: list[i64] = []
        self.end: i64 = 0  # the destinations before it are seen to

    def gather(self, kernel: Kernel, connection: Connection, at: i64, most: i64) -> bool:
        """Ask destinations from `at` on, until one needs a put of its own; False: parked."""
        connection.begin_verb()
        request = self._requests.request
        seen: set[str] = set()
        end = min(at + most, len(self._members))
        while at < end:
            member = self._members[at]
            if member is None or not joins(request, member):
                break
            local = member.local
            # A queue that is there twice has two sequence numbers, which takes two records.
            if local is None or local.name in seen or self._is_full(kernel):
                break
            try:
                takes = self._ask(kernel, connection, member, local, at)
            except MQError as refusal:
                if refusal.reason == MQRC_BACKED_OUT:
                    raise
                self._outcomes[at].fail(refusal.reason)
                at += 1
                continue
            if not takes:
                if not self.entries:
                    return False
                connection.park = None  # first those that can go
                break
            seen.add(local.name)
            at += 1
        self.end = at
        return True

    def _is_full(self, kernel: Kernel) -> bool:
        """Whether MAXUMSGS allows no more; the next put of its own is refused."""
        unit = self._unit
        if unit is None:
            return False
        return unit.uncommitted + len(self.entries) >= kernel.max_uncommitted

    def _ask(
        self, kernel: Kernel, connection: Connection, member: Handle, local: LocalQueue, at: i64
    ) -> bool:
        request = self._requests.request_for(kernel, at)
        kernel.refuse_if_ending(request.options & mq.MQPMO_FAIL_IF_QUIESCING != 0, "MQPUT")
        connection.warning = 0
        persistence, priority = defaults_of(member, local, request)
        length: i64 = len(self._data)
        check_queue(kernel, connection, local, member.via, length, 0, persistence)
        self._unit = unit_for(kernel, connection, request)
        if is_behind(kernel, connection, local, length):
            return False
        entry = new_entry(kernel, member, local, request, self._data, priority, persistence)
        if self.entries:  # the record has one time for all
            first = self.entries[0]
            if entry.expiry_at:
                entry.expiry_at += first.put_ns - entry.put_ns
            entry.put_ns = first.put_ns
        self.entries.append(entry)
        self.indexes.append(at)
        self.warnings.append(connection.warning)
        self._locals.append(local)
        return True

    def put(self, kernel: Kernel, connection: Connection) -> bool:
        """Put them all; False: parked, and nothing was done."""
        entries = self.entries
        if not entries:
            return True
        if not self._has_room(kernel, connection):
            return False
        connection.log_tries = 0
        queues: list[Queue] = [local.queue for local in self._locals]
        unit = self._unit
        connection.depends_on(put_all(kernel.coordinator, unit, queues, entries, False))
        for number, entry in enumerate(entries):
            local = self._locals[number]
            self._arrived(kernel, connection, local, self.indexes[number], entry, unit)
        return True

    def _has_room(self, kernel: Kernel, connection: Connection) -> bool:
        coordinator = kernel.coordinator
        count: i64 = len(self.entries)
        length: i64 = len(self._data)
        name = self._locals[0].name
        if not coordinator.reserve.is_whole and not kernel.disk_takes(count, count * length):
            kernel.make_disk_room(connection, "MQPUT", name)
            return False
        if not has_room_for_list(coordinator, self._unit, length, count):
            kernel.make_room(connection, "MQPUT", name, length)
            return False
        return True

    def _arrived(
        self,
        kernel: Kernel,
        connection: Connection,
        local: LocalQueue,
        at: i64,
        entry: Entry,
        unit: UnitOfWork | None,
    ) -> None:
        """What the put means for the queue."""
        member = self._members[at]
        if local.watched:
            local.watch.last_put_ns = entry.put_ns
        if member is not None and kernel.measured:
            was_put(kernel, member, local, entry, False)
        arrived(kernel, connection, local, entry, unit, False)
        if local.triggered:
            kernel.triggers.was_put(local, entry, unit, member)
