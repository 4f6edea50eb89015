"""Messages of a list for other queue managers: one message with an MQDH for all destinations behind
one transmission queue with DISTL(YES).

Destinations share a message if priority, persistence and expiry are the same. An MQDH that is too
long for the queue is split; if the message fits only without one, or the queue has DISTL(NO), each
destination has a message of its own.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.codec.headers.mqdh import HEAD_BYTES, DistributionHeader
from ternmq.codec.mqi.list_records import (
    OBJECT_RECORD_BYTES,
    Destination,
    PutRecord,
    put_record_bytes,
)
from ternmq.codec.property_header import length_as_put
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.list_requests import ListRequests
from ternmq.kernel.objects import LocalQueue, cap_of, lowest_cap
from ternmq.kernel.put import defaults_of, put
from ternmq.kernel.transmission import XQH_BYTES, Route, extension_bytes
from ternmq.values.entry import ZERO_ID, Entry

DESTINATIONS_MAX: Final = 256  # of one message


@final
class _Group:
    """Destinations that can share messages."""

    __slots__ = ("cap", "first", "indexes", "local", "persistence", "priority", "route")

    def __init__(
        self,
        first: Handle,
        local: LocalQueue,
        route: Route,
        priority: i64,
        persistence: i64,
        cap: i64,
    ) -> None:
        self.first = first
        self.local = local
        self.route = route
        self.priority: i64 = priority
        self.persistence: i64 = persistence
        self.cap: i64 = cap
        self.indexes: list[i64] = []


@final
class ListTransmission:
    """What one put to a list sends to other queue managers."""

    __slots__ = ("_fields", "_groups", "_members", "_records", "_requests")

    def __init__(self, requests: ListRequests, members: list[Handle | None]) -> None:
        self._requests = requests
        self._members = members
        self._groups: list[_Group] = []
        self._fields = 0  # of the records in the last MQDH
        self._records: list[PutRecord] = []

    def collect(self, kernel: Kernel, member: Handle, at: i64) -> bool:
        """Keep a destination for a message that it shares; False: it has one of its own."""
        local = member.local
        route = member.route
        if route is None or local is None or local.deleted:
            return False
        if not self._requests.can_share:
            return False
        if local.definition.number("distribution_lists") != mq.MQDL_SUPPORTED:
            return False
        cap = local.cap_expiry
        for definition in member.via:
            if definition.number("put") != 0:
                return False  # its own put is refused
            cap = lowest_cap(cap, cap_of(definition))
        persistence, priority = defaults_of(member, local, self._requests.request)
        group = self._group(local, priority, persistence, cap)
        if group is None:
            group = _Group(member, local, route, priority, persistence, cap)
            self._groups.append(group)
        group.indexes.append(at)
        return True

    def _group(self, local: LocalQueue, priority: i64, persistence: i64, cap: i64) -> _Group | None:
        for one in self._groups:
            if (
                one.local is local
                and one.priority == priority
                and one.persistence == persistence
                and one.cap == cap
            ):
                return one
        return None

    def has_more(self) -> bool:
        """Whether some destinations wait for their message."""
        return len(self._groups) > 0

    def next_chosen(self, kernel: Kernel, data: bytes) -> list[i64]:
        """The destinations of the next message."""
        group = self._groups[0]
        request = self._requests.request
        length: i64 = len(data)
        if request.properties:
            length = length_as_put(request.properties, data, request.base)
        room = min(group.local.max_length, kernel.max_length)
        room -= XQH_BYTES + extension_bytes(request) + HEAD_BYTES + length
        fit = room // (OBJECT_RECORD_BYTES + put_record_bytes(self._fields_sent()))
        if fit < 2:
            fit = 1
        return group.indexes[: min(fit, DESTINATIONS_MAX)]

    def done(self, chosen: list[i64]) -> None:
        """They have their message, or their reason."""
        group = self._groups[0]
        group.indexes = group.indexes[len(chosen) :]
        if not group.indexes:
            del self._groups[0]

    def _fields_sent(self) -> int:
        """GroupId is not among them: messages in groups share nothing."""
        fields = self._requests.fields & ~mq.MQPMRF_GROUP_ID
        if self._requests.request.new_correl_id:
            fields &= ~mq.MQPMRF_CORREL_ID
        return fields

    def put(
        self, kernel: Kernel, connection: Connection, chosen: list[i64], data: bytes
    ) -> Entry | None:
        """Put the message of several destinations; None: parked."""
        group = self._groups[0]
        first = group.first
        header = self._header(kernel, chosen)
        handle = Handle(connection, 0, first.options)
        handle.local = group.local
        handle.definition = first.definition
        handle.via = first.via
        handle.is_put1 = first.is_put1
        handle.resolved_name = group.local.name
        route = Route("", "", group.route.transmission)
        route.list_header = header
        handle.route = route
        handle.header_bytes = XQH_BYTES + header.size()
        requests = self._requests
        request = requests.request.with_ids(
            requests.request.msg_id, requests.correl_id(kernel, len(requests.records))
        )
        request.new_correl_id = False
        return put(kernel, connection, handle, request, data)

    def _header(self, kernel: Kernel, chosen: list[i64]) -> DistributionHeader:
        requests = self._requests
        request = requests.request
        self._fields = self._fields_sent()
        destinations: list[Destination] = []
        self._records = []
        for at in chosen:
            member = self._members[at]
            route = None if member is None else member.route
            if route is not None:
                destinations.append(Destination(route.remote_queue, route.remote_qmgr))
            if self._fields:
                self._records.append(self._record(kernel, at))
        flags = mq.MQDHF_NONE
        is_new = request.options & mq.MQPMO_NEW_MSG_ID != 0 or request.msg_id == ZERO_ID
        if is_new and not self._fields & mq.MQPMRF_MSG_ID:
            flags = mq.MQDHF_NEW_MSG_IDS
        return DistributionHeader(
            flags=flags,
            put_record_fields=self._fields,
            destinations=destinations,
            put_records=self._records,
        )

    def _record(self, kernel: Kernel, at: i64) -> PutRecord:
        """What the message has at one destination, in full: there, no descriptor fills gaps."""
        made = self._requests.request_for(kernel, at)
        msg_id = made.msg_id
        if self._fields & mq.MQPMRF_MSG_ID and msg_id == ZERO_ID:
            msg_id = kernel.new_id()
        feedback = int.from_bytes(made.base[20:24], "little", signed=True)
        return PutRecord(msg_id, made.correl_id, ZERO_ID, feedback, made.base[208:240])

    def msg_id(self, number: i64) -> bytes:
        """Of a destination of the last message; empty if the next queue manager makes it."""
        if self._fields & mq.MQPMRF_MSG_ID:
            return self._records[number].msg_id
        request = self._requests.request
        return b"" if request.msg_id == ZERO_ID else request.msg_id

    def correl_id(self, number: i64, entry: Entry) -> bytes:
        """Of a destination of the last message, whose entry this is."""
        if self._fields & mq.MQPMRF_CORREL_ID:
            return self._records[number].correl_id
        return entry.correl_id
