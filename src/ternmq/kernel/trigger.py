"""Triggering: a message on an application queue makes a trigger message on an initiation queue.

When, for TRIGTYPE (messages count from priority TRIGMPRI on, committed or not):

    FIRST   a put to a queue that had none; or any put, if the last trigger is longer ago than
            TRIGINT
    EVERY   each put
    DEPTH   a put that makes TRIGDPTH or more; TRIGGER is switched off then

FIRST and DEPTH need a queue that no program has open for input. They are looked at again when the
last such program closes the queue, when the queue's attributes are altered, and when a program
opens its initiation queue, so that a start of the trigger monitor finds what is waiting. Always:
GET is enabled, the process exists (a transmission queue may have none), and the initiation queue is
a local queue of USAGE(NORMAL) with puts and gets enabled that a program has open for input.

A trigger inside a unit of work waits for its end, commit or backout. A trigger message that the
initiation queue does not take goes to the dead-letter queue. Opens of initiation queues are looked
at with the next tick, since finding their application queues is a walk over all definitions.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.object_types import LOCAL, PROCESS
from ternmq.base.reasons import MQRC_RESOURCE_PROBLEM
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqtm import TriggerMessage
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering import was_generated
from ternmq.kernel.objects import LocalQueue, is_triggered
from ternmq.kernel.put import put
from ternmq.kernel.requests import PutRequest
from ternmq.kernel.resolve import attach, detach
from ternmq.kernel.trigger_sink import TriggerSink
from ternmq.store.catalog import Definition
from ternmq.txn.unit import ENDED, UnitOfWork
from ternmq.values.entry import Entry

NANOSECONDS_A_MS: Final = 1_000_000
OPENED_MAX: Final = 1000  # initiation queues to look at with the next tick


@final
class Triggers(TriggerSink):
    """Makes trigger messages."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__()
        self._kernel = kernel
        self._connection = Connection(0, b"", "", kernel.name)
        # unit of work -> queues whose trigger waits, and by which handle it came to that
        self._waiting: dict[int, list[tuple[str, Handle | None]]] = {}
        self._units: dict[int, UnitOfWork] = {}  # those units
        self._opened: dict[str, int] = {}  # initiation queues, and when they were opened
        self._to_load: list[tuple[Definition, int]] = []  # their queues, and the same
        self._busy = False  # an initiation queue that is triggered itself triggers nothing

    # ---- what the kernel reports

    def was_put(
        self, local: LocalQueue, entry: Entry, unit: UnitOfWork | None, handle: Handle | None
    ) -> None:
        definition = local.definition
        if self._busy:
            return
        if entry.priority < definition.number("trigger_priority"):
            return
        kind = definition.number("trigger_type")
        if kind == mq.MQTT_FIRST:
            due = local.open_input == 0 and self._is_first(local)
        elif kind == mq.MQTT_DEPTH:
            due = local.open_input == 0 and self._is_deep(local)
        else:
            due = kind == mq.MQTT_EVERY
        if not due:
            return
        if unit is None:
            self._trigger(local, handle)
            return
        number = int(unit.unit_id)
        waiting = self._waiting.get(number)
        if waiting is None:
            waiting = []
            self._waiting[number] = waiting
            self._units[number] = unit
            self.in_units = True
        waiting.append((local.name, handle))

    def input_closed(self, local: LocalQueue) -> None:
        self._look_again(local)

    def input_opened(self, local: LocalQueue) -> None:
        if len(self._opened) < OPENED_MAX:
            self._opened[local.name] = int(self._kernel.clock.monotonic_ns())

    def changed(self, local: LocalQueue) -> None:
        if local.open_input == 0:
            self._look_again(local)

    def unit_ended(self, number: int) -> None:
        waiting = self._waiting.pop(number, None)
        self._units.pop(number, None)
        self.in_units = len(self._waiting) > 0
        if waiting is None:
            return
        for name, handle in waiting:
            local = self._kernel.locals.get(name)
            if local is not None and local.triggered:
                self._trigger(local, handle)

    def tick(self) -> None:
        """Initiation queues that were opened, and units that ended without a verb."""
        kernel = self._kernel
        if self.in_units:
            # The coordinator lists only units that have something in the log.
            for number in list(self._units):
                if self._units[number].state == ENDED:
                    self.unit_ended(number)
        if self._opened:
            opened = self._opened
            self._opened = {}
            for definition in kernel.catalog.definitions.values():
                if definition.object_type == LOCAL and is_triggered(definition):
                    opened_ns = opened.get(definition.text("initiation_queue"), -1)
                    if opened_ns >= 0:
                        self._to_load.append((definition, opened_ns))
        if self._to_load:
            self._look_at_waiting()

    def _look_at_waiting(self) -> None:
        """Queues that may have been waiting for their monitor; some have to be loaded first. One
        that had its trigger since the monitor came does not wait."""
        kernel = self._kernel
        later: list[tuple[Definition, int]] = []
        for definition, opened_ns in self._to_load:
            if kernel.catalog.definitions.get(definition.name) is not definition:
                continue
            try:
                self._connection.begin_verb()
                local = kernel.local_queue(self._connection, definition)
            except MQError:
                continue  # damaged, or not to be read now: an MQOPEN reports it
            if local is None:
                later.append((definition, opened_ns))
            elif local.open_input == 0:
                if not local.was_triggered or local.triggered_ns <= opened_ns:
                    self._look_again(local)
        self._connection.park = None
        self._to_load = later

    # ---- conditions

    def _count(self, local: LocalQueue) -> int:
        """Messages that count. Above priority 0 only those in memory and segments do, since
        uncommitted ones are in no lane; a FIFO queue has one lane for all."""
        lowest = local.definition.number("trigger_priority")
        queue = local.queue
        if lowest == 0 or queue.fifo:
            return int(queue.depth)
        count = 0
        for lane in queue.lanes[lowest:]:
            count += int(lane.front.count + lane.rear.count + lane.strays.count)
            for segment in lane.swept:
                count += int(segment.alive)
        return count

    def _is_first(self, local: LocalQueue) -> bool:
        if self._count(local) <= 1:
            return True
        interval_ns = self._kernel.number("trigger_interval_ms") * NANOSECONDS_A_MS
        since_ns = int(self._kernel.clock.monotonic_ns() - local.triggered_ns)
        return since_ns > interval_ns

    def _is_deep(self, local: LocalQueue) -> bool:
        return self._count(local) >= local.definition.number("trigger_depth")

    def _look_again(self, local: LocalQueue) -> None:
        """Something but a put may have made the conditions true."""
        if not local.triggered:
            return
        kind = local.definition.number("trigger_type")
        if (kind == mq.MQTT_FIRST and self._count(local) > 0) or (
            kind == mq.MQTT_DEPTH and self._is_deep(local)
        ):
            self._trigger(local, None)

    def _initiation(self, local: LocalQueue) -> LocalQueue | None:
        """The initiation queue, if everything about it is as it must be."""
        kernel = self._kernel
        found = kernel.locals.get(local.definition.text("initiation_queue"))
        if found is None or found.deleted or found.open_input == 0:
            return None
        if found.put_inhibited or found.get_inhibited or found.temporary:
            return None
        if found.definition.number("usage") != mq.MQUS_NORMAL:
            return None
        return found

    # ---- the trigger message

    def _trigger(self, local: LocalQueue, handle: Handle | None) -> None:
        initiation = self._initiation(local)
        message = self._message(local)
        if initiation is None or message is None or local.get_inhibited:
            return
        local.triggered_ns = self._kernel.clock.monotonic_ns()
        local.was_triggered = True
        data = message.pack(LITTLE, self._kernel.number("ccsid"))
        try:
            was_made = self._put(initiation, data, mq.MQFMT_TRIGGER)
        except MQError as refused:
            was_made = self._bury(initiation, data, refused.reason)
        if was_made and handle is not None:
            was_generated(self._kernel, handle)
        if local.definition.number("trigger_type") == mq.MQTT_DEPTH:
            self._switch_off(local)

    def _message(self, local: LocalQueue) -> TriggerMessage | None:
        """None: there is no process, and the queue needs one."""
        definition = local.definition
        name = definition.text("process")
        message = TriggerMessage(
            queue_name=local.name, process_name=name, trigger_data=definition.text("trigger_data")
        )
        if not name:
            return message if definition.number("usage") == mq.MQUS_TRANSMISSION else None
        process = self._kernel.catalog.find(PROCESS, name)
        if process is None:
            return None
        message.application_type = process.number("application_type")
        message.application_id = process.text("application")
        message.environment_data = process.text("environment_data")
        message.user_data = process.text("user_data")
        return message

    def _put(self, target: LocalQueue, data: bytes, format: str) -> bool:
        """Outside any unit of work, by the queue manager itself; False: there was no room."""
        kernel = self._kernel
        connection = self._connection
        connection.begin_verb()
        descriptor = Descriptor(
            format=format,
            ccsid=kernel.number("ccsid"),
            encoding=mq.MQENC_NATIVE,
            put_appl_type=mq.MQAT_QMGR,
            put_appl_name=kernel.name[: mq.MQ_PUT_APPL_NAME_LENGTH],
        )
        handle = Handle(connection, 0, mq.MQOO_OUTPUT)
        attach(handle, target, [])
        self._busy = True
        try:
            request = PutRequest(0, descriptor.pack(), False)
            if put(kernel, connection, handle, request, data) is None:
                connection.park = None
                kernel.notices.add("AMQ7315E", (target.name, MQRC_RESOURCE_PROBLEM))
                return False
        finally:
            detach(handle)
            self._busy = False
        return True

    def _bury(self, initiation: LocalQueue, data: bytes, reason: int) -> bool:
        """To the dead-letter queue; without one, operators get a message, and it is False."""
        kernel = self._kernel
        name = str(kernel.catalog.qmgr.get("dead_letter_queue", ""))
        header = DeadLetterHeader(
            reason=reason,
            destination_queue=initiation.name,
            destination_qmgr=kernel.name,
            encoding=mq.MQENC_NATIVE,
            ccsid=kernel.number("ccsid"),
            format=mq.MQFMT_TRIGGER,
            put_appl_type=mq.MQAT_QMGR,
            put_appl_name=kernel.name[: mq.MQ_PUT_APPL_NAME_LENGTH],
        )
        definition = kernel.catalog.definitions.get(name)
        try:
            self._connection.begin_verb()
            target = None
            if definition is not None and definition.object_type == LOCAL:
                target = kernel.local_queue(self._connection, definition)
            self._connection.park = None
            if target is None:
                kernel.notices.add("AMQ7315E", (name or initiation.name, reason))
                return False
            packed = header.pack(LITTLE, kernel.number("ccsid"))
            return self._put(target, packed + data, mq.MQFMT_DEAD_LETTER_HEADER)
        except MQError as refused:
            kernel.notices.add("AMQ7315E", (name, refused.reason))
            return False

    def _switch_off(self, local: LocalQueue) -> None:
        """TRIGTYPE(DEPTH) triggers once; the application switches it on again with MQSET."""
        definition = local.definition
        definition.attributes["trigger"] = mq.MQTC_OFF
        definition.touched()
        kernel = self._kernel
        if definition.temporary:
            pass
        elif kernel.can_log_object(self._connection, "MQPUT", definition.name):
            kernel.coordinator.define(kernel.catalog, definition)
        else:
            self._connection.park = None
            kernel.catalog.note_altered(definition)  # with the next checkpoint
        local.refresh()
