"""Putting event messages on their queues.

An event is put in the step that it reports, outside any unit of work, by the queue manager itself.
Nothing that goes wrong with it touches the verb: if the queue is missing, full, inhibited or
damaged, or the log has no room, the event is lost and counted. If the queue has to be loaded first,
up to 100 events wait for it. An alias, or a definition of a remote queue, may stand in place of an
event queue: an alias of a topic publishes its events. An event that this causes for the same queue
is lost too: each would cause another.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.object_types import LOCAL
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.ending import give_up
from ternmq.kernel.events import EventSink
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.put import put
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.resolve import attach, close_handle, detach, open_queue
from ternmq.store.catalog import Definition

WAITING_EVENTS_MAX: Final = 100

QMGR_EVENTS: Final = "SYSTEM.ADMIN.QMGR.EVENT"
PERFORMANCE_EVENTS: Final = "SYSTEM.ADMIN.PERFM.EVENT"
CONFIGURATION_EVENTS: Final = "SYSTEM.ADMIN.CONFIG.EVENT"
COMMAND_EVENTS: Final = "SYSTEM.ADMIN.COMMAND.EVENT"
LOGGER_EVENTS: Final = "SYSTEM.ADMIN.LOGGER.EVENT"
CHANNEL_EVENTS: Final = "SYSTEM.ADMIN.CHANNEL.EVENT"
PUBSUB_EVENTS: Final = "SYSTEM.ADMIN.PUBSUB.EVENT"
EVENT_QUEUES: Final = (
    QMGR_EVENTS,
    PERFORMANCE_EVENTS,
    CONFIGURATION_EVENTS,
    COMMAND_EVENTS,
    LOGGER_EVENTS,
    CHANNEL_EVENTS,
    PUBSUB_EVENTS,
)


@final
class _Waiting:
    """An event whose queue is being loaded."""

    __slots__ = ("correl_id", "data", "queue_name")

    def __init__(self, queue_name: str, data: bytes, correl_id: bytes) -> None:
        self.queue_name = queue_name
        self.data = data
        self.correl_id = correl_id


@final
class EventQueues:
    """The queue manager as an application that puts events."""

    def __init__(self, kernel: Kernel, sink: EventSink) -> None:
        self._kernel = kernel
        self._sink = sink
        self._connection = Connection(0, b"", "", kernel.name)
        self._waiting: list[_Waiting] = []
        self._busy: list[str] = []  # queues whose event is being put where they lead to
        self.made = 0  # events that reached their queue
        self.lost = 0
        self.last_loss = ""  # why

    def put(self, queue_name: str, event: PCFMessage, correl_id: bytes = mq.MQCI_NONE) -> None:
        """Put one event, or keep it until its queue is loaded, or count it as lost."""
        try:
            data = event.pack(LITTLE, mq_ccsid(self._kernel))
        except MQError as error:  # the queue manager's CCSID lacks a character
            self._lose(str(error))
            return
        self._put_or_keep(_Waiting(queue_name, data, correl_id))

    def put_waiting(self) -> None:
        """Those whose queue is loaded by now."""
        waiting = self._waiting
        self._waiting = []
        for one in waiting:
            self._put_or_keep(one)

    def _put_or_keep(self, event: _Waiting) -> None:
        definition = self._kernel.catalog.definitions.get(event.queue_name)
        if definition is None:
            self._lose(f"{event.queue_name} is not a local queue, an alias or a remote queue")
            return
        if event.queue_name in self._busy:
            self._lose(f"{event.queue_name}: the event is about an event for it")
            return
        try:
            done = self._attempt(definition, event)
        except MQError as refused:
            self._lose(str(refused))
            return
        if done:
            self.made += 1
        elif len(self._waiting) < WAITING_EVENTS_MAX:
            self._waiting.append(event)
            self._sink.due = True
        else:
            self._lose(f"{event.queue_name} is not loaded in time")

    def _lose(self, why: str) -> None:
        self.lost += 1
        self.last_loss = why

    def _attempt(self, definition: Definition, event: _Waiting) -> bool:
        """False: the queue is being loaded."""
        kernel = self._kernel
        connection = self._connection
        if definition.object_type != LOCAL:
            return self._attempt_by_name(event)
        connection.begin_verb()
        local = kernel.local_queue(connection, definition)
        if local is None:
            return False
        # Opened for this one put, so that the queue can be cleared and deleted in between.
        handle = Handle(connection, 0, mq.MQOO_OUTPUT)
        attach(handle, local, [])
        try:
            entry = put(kernel, connection, handle, self._request(event), event.data)
        finally:
            detach(handle)
        if entry is None:
            self._lose(f"{event.queue_name}: the log or the disk has no room now")
            self.made -= 1
        return True

    def _attempt_by_name(self, event: _Waiting) -> bool:
        """To wherever an alias or a definition of a remote queue leads, by a connection of its own:
        an event that arises meanwhile has the usual one."""
        kernel = self._kernel
        connection = Connection(0, b"", "", kernel.name)
        self._busy.append(event.queue_name)
        try:
            handle = open_queue(
                kernel, connection, event.queue_name, "", "", mq.MQOO_OUTPUT, "MQPUT1"
            )
            if handle is None:
                return False
            try:
                request = self._request(event)
                entry = put(kernel, connection, handle, request, event.data)
                while entry is None and connection.again:  # to more subscribers than one step takes
                    entry = put(kernel, connection, handle, request, event.data)
            finally:
                give_up(kernel, connection)
                close_handle(kernel, handle, 0)
        finally:
            self._busy.remove(event.queue_name)
        return entry is not None

    def _request(self, event: _Waiting) -> PutRequest:
        kernel = self._kernel
        descriptor = Descriptor(
            format=mq.MQFMT_EVENT,
            ccsid=mq_ccsid(kernel),
            encoding=mq.MQENC_NATIVE,
            reply_to_qmgr=kernel.name,
            put_appl_type=mq.MQAT_QMGR,
            put_appl_name=kernel.name[: mq.MQ_PUT_APPL_NAME_LENGTH],
        )
        request = PutRequest(0, descriptor.pack(), False)
        request.correl_id = event.correl_id
        return request


def mq_ccsid(kernel: Kernel) -> int:
    """The character set of messages that the queue manager makes."""
    return kernel.number("ccsid")
