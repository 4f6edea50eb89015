"""The units of work of one task of the sink: puts in pieces that a queue manager takes, each
prepared for the driver's decision or committed at once.

A task may have more messages than a unit of work may hold (MAXUMSGS), so it has as many units as it
takes. Puts are sent ahead of their answers; before a unit is prepared the queue manager is asked
whether all of them went well, and if one did not, the unit is backed out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from ternmq.api.connection import Connection
from ternmq.base import constants as mq
from ternmq.base.errors import MQError, XAError, mq_error
from ternmq.base.reasons import MQRC_UNEXPECTED_ERROR
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.spark.mq.sink_options import SinkOptions
from ternmq.spark.mq.sink_rows import Puts, Target
from ternmq.values.calls.objects import Close, Open
from ternmq.values.handle import ObjectHandle
from ternmq.values.xid import XID

HANDLES_MAX: Final = 128  # MAXHANDS is 256 unless somebody changed it


@final
class Units:
    """Puts messages; `name` gives the XID of the n-th unit, and without it units are committed."""

    def __init__(
        self,
        connection: Connection,
        options: SinkOptions,
        name: Callable[[int], XID] | None,
    ) -> None:
        self.prepared: list[XID] = []
        self.messages = 0
        self._connection = connection
        self._options = options
        self._name = name
        self._handles: dict[Target, ObjectHandle] = {}
        self._unit_messages = 0
        self._unit_bytes = 0
        self._put_options = mq.MQPMO_SYNCPOINT | mq.MQPMO_FAIL_IF_QUIESCING
        self._open_options = mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING
        if options.has_context:
            self._put_options |= mq.MQPMO_SET_ALL_CONTEXT
            self._open_options |= mq.MQOO_SET_ALL_CONTEXT

    def put(self, puts: Puts) -> None:
        """Put messages to one queue or topic; units end between them as they must."""
        handle = self._opened(puts.target)
        put_options = self._put_options
        if self._options.retains and puts.target.is_topic:
            put_options |= mq.MQPMO_RETAIN
        ends = puts.lengths.cumsum()
        at = 0
        while at < len(puts.bodies):
            if not self._connection.in_unit:
                self._connection.begin()
            done_bytes = int(ends[at - 1]) if at else 0
            room_bytes = self._options.unit_bytes - self._unit_bytes
            fits = int(ends.searchsorted(done_bytes + room_bytes, "right"))
            if fits <= at and self._unit_messages:
                self.end()
                continue
            end = min(at + self._options.unit_messages - self._unit_messages, max(fits, at + 1))
            end = min(end, len(puts.bodies))
            pairs = zip(puts.descriptors[at:end], puts.bodies[at:end], strict=True)
            self._connection.transport.put_many(handle, put_options, pairs)
            self._unit_messages += end - at
            self._unit_bytes += int(ends[end - 1]) - done_bytes
            at = end
            if self._is_full():
                self.end()

    def _is_full(self) -> bool:
        options = self._options
        return (
            self._unit_messages >= options.unit_messages or self._unit_bytes >= options.unit_bytes
        )

    def _opened(self, target: Target) -> ObjectHandle:
        handle = self._handles.get(target)
        if handle is None:
            link = self._connection
            if len(self._handles) >= HANDLES_MAX:
                for one in self._handles.values():
                    link.run(Close(one))
                self._handles.clear()
            od = ObjectDescriptor(object_name=target.name)
            call = Open(od, self._open_options)
            if target.is_topic:
                od = ObjectDescriptor(object_type=mq.MQOT_TOPIC)
                call = Open(od, self._open_options, object_string=target.name)
            handle = link.run(call).opened()
            self._handles[target] = handle
        return handle

    def end(self) -> None:
        """End the unit of work, if there is one."""
        count = self._unit_messages
        if not count:
            return
        self._check_puts(count)
        if self._name is None:
            self._connection.commit()
        else:
            xid = self._name(len(self.prepared))
            self._connection.prepare(xid)
            self.prepared.append(xid)
        self.messages += count
        self._unit_messages = 0
        self._unit_bytes = 0

    def _check_puts(self, count: int) -> None:
        """Whether the puts that were not answered went well."""
        status = self._connection.status()
        if status.put_failure_count:
            raise mq_error(
                status.reason,
                verb="MQPUT",
                object=status.object_name,
                detail=f"{status.put_failure_count} of {count} messages of a unit of work",
            )
        went = status.put_success_count + status.put_warning_count
        if went not in (0, count):  # 0: every put was answered
            raise mq_error(
                MQRC_UNEXPECTED_ERROR,
                verb="MQSTAT",
                object=self._connection.name,
                detail=f"{count} messages were sent, and {went} were put",
            )

    def give_up(self) -> None:
        """The task has failed: back out what it prepared, as far as the queue manager can still be
        asked. What is left is an orphan, which the owner's next commit backs out."""
        try:
            if self._connection.in_unit:
                self._connection.backout()
            back_out(self._connection, self.prepared)
        except MQError:
            pass


def back_out(connection: Connection, xids: list[XID]) -> None:
    """Back prepared units out; those that are not there any more do not matter."""
    for xid in xids:
        try:
            connection.backout_prepared(xid)
        except XAError:
            continue
