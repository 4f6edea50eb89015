"""The state that all verbs share, and the few things that only it can do.

Verbs are functions in the files beside this one; they take the kernel as their first argument.
Built by the engine, stepped by one thread at a time.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base.accounts import TaskAccount
from ternmq.base.constants import MQMON_NONE, MQMON_OFF, MQMON_ON, MQMON_Q_MGR
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CONNECTION_BROKEN,
    MQRC_OBJECT_DAMAGED,
    MQRC_Q_MGR_QUIESCING,
    MQRC_Q_MGR_STOPPING,
    MQRC_Q_SPACE_NOT_AVAILABLE,
    MQRC_RESOURCE_PROBLEM,
)
from ternmq.codec.conversion_service import ConversionService
from ternmq.kernel.connection import Connection
from ternmq.kernel.delays import DelayIndex
from ternmq.kernel.events import EventSink, events_on
from ternmq.kernel.meter import ACCOUNTING, ACCTG, STAT, STATISTICS, TRACED, Meter
from ternmq.kernel.notices import Notices
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.parts import Parts
from ternmq.kernel.report_sink import ReportSink
from ternmq.kernel.requests import GetCall
from ternmq.kernel.selection import CompiledSelectors
from ternmq.kernel.services import Services
from ternmq.kernel.topic_sink import TopicSink
from ternmq.kernel.trigger_sink import TriggerSink
from ternmq.kernel.verb_clock import VerbClock
from ternmq.ports.clock import Clock
from ternmq.ports.effect import Outbox
from ternmq.security.object_authority import ObjectAuthority
from ternmq.store.catalog import Catalog, Definition
from ternmq.store.loading import QueueLoad
from ternmq.store.sweep import ENTRY_BYTES
from ternmq.txn.coordinator import Coordinator
from ternmq.txn.keeper import Keeper
from ternmq.txn.unit import UnitOfWork

RUNNING: Final = 0
QUIESCING: Final = 1
STOPPING: Final = 2
BROKEN: Final = 3

STATUS_NAMES: Final = ("RUNNING", "QUIESCING", "STOPPING", "BROKEN")
LOG_TRIES_MAX: Final = 64
DISK_FULL: Final = "the disk is full, and puts are refused until messages are got or space is free"
OBJECT_RECORD_BYTES: Final = 4096  # more than any definition takes without its texts


@final
class Kernel:
    """One queue manager's shared state."""

    def __init__(
        self,
        name: str,
        identity: str,
        clock: Clock,
        outbox: Outbox,
        coordinator: Coordinator,
        catalog: Catalog,
        keeper: Keeper,
    ) -> None:
        self.name = name
        self.identity = identity  # QMID
        self.clock = clock
        self.outbox = outbox
        self.coordinator = coordinator
        self.catalog = catalog
        self.keeper = keeper
        catalog.stream_memory.connect(outbox)
        catalog.remover.connect(outbox, list(catalog.queues.values()))
        self.authority = ObjectAuthority()  # lets everybody do everything until it is enabled
        self.parts = Parts()  # listeners and services
        # where it runs, set by the shell for DISPLAY QMSTATUS: HOSTNAME, DATPATH, LOGPATH ...
        self.environment: dict[str, str] = {}
        self.started_ns = int(clock.now_ns())
        self.conversion = ConversionService()
        self.conversion.failed = self.exit_failed
        self.notices = Notices()  # what operators should know; the shell writes it down
        self.status: i64 = RUNNING
        self.broken_by = ""
        self.locals: dict[str, LocalQueue] = {}
        self.selectors = CompiledSelectors()
        self.connections: dict[int, Connection] = {}
        self.next_connection = 1
        self.waiting: dict[int, GetCall] = {}  # gets that wait for a message, by handle
        self.waits: i64 = 0  # how many there are: a handle may have two
        self.multicast_key = b""  # of all groups; who serves clients gives it
        self.msg_prefix = b"AMQ " + name.encode("ascii").ljust(12)[:12]
        self.msg_counter: i64 = clock.now_ns() // 1000  # so that a restart never makes an id again
        self.max_uncommitted: i64 = 0
        self.max_length: i64 = 0
        self.max_properties: i64 = -1  # MAXPROPL; -1: no limit
        self.max_handles: i64 = 0
        self.mark_interval_ms: i64 = 0
        self.expired_total: i64 = 0
        self.events: i64 = 0  # the kinds of events that are on
        self.event_sink = EventSink()
        self.triggers = TriggerSink()
        self.topics = TopicSink()
        self.reports = ReportSink()
        self.delays = DelayIndex(outbox)  # messages with a delivery delay
        self.services = Services()
        self.measured: i64 = 0  # what is counted
        self.meter = Meter()
        self.refresh()

    def refresh(self) -> None:
        """After the queue manager's attributes changed."""
        self.max_uncommitted = self.number("max_uncommitted")
        self.max_length = self.number("max_message_length")
        self.max_properties = self.number("max_properties_length")
        self.max_handles = self.number("max_handles")
        self.mark_interval_ms = self.number("mark_interval_ms")
        self.conversion.ccsid = self.number("ccsid")
        self.events = events_on(self.catalog.qmgr)
        for local in self.locals.values():
            self.watch(local)
        self.measure()
        self.topics.refreshed()

    def exit_failed(self, format: str, error: BaseException) -> None:
        """A data-conversion exit has raised."""
        self.notices.add("AMQ6299E", (format, f"{type(error).__name__}: {error}"))

    def watch(self, local: LocalQueue) -> None:
        """Let MONQ and STATQ of the queue and of the queue manager count."""
        local.watched = self.monitoring_of(local.definition) != MQMON_OFF
        local.reported = self.is_reported(local.definition)
        if local.reported and not self.measured & STATISTICS:
            self.measured |= STATISTICS
            self.meter.sink.settings_changed()

    def _is_on(self, attribute: str, definition: Definition) -> bool:
        """Whether STATQ or ACCTQ of a queue is on, by itself or by the queue manager."""
        default = self.number(attribute)
        if default == MQMON_NONE:  # for none, whatever the queues say
            return False
        value = definition.number(attribute)
        return (default if value == MQMON_Q_MGR else value) == MQMON_ON

    def is_reported(self, definition: Definition) -> bool:
        """STATQ of a queue."""
        return self._is_on("statistics", definition)

    def is_accounted(self, definition: Definition) -> bool:
        """ACCTQ of a queue."""
        return self._is_on("accounting", definition)

    def measure(self) -> None:
        """What is counted, after traces or attributes have changed. Tasks that are there are
        accounted for from now on, or no longer."""
        meter = self.meter
        system = meter.system
        on: i64 = 0
        if (
            meter.is_watched
            or meter.monitors > 0
            or self.number("statistics_mqi") == MQMON_ON
            or self.number("statistics") == MQMON_ON
            or system.classes(STAT) & {1, 5}
            or any(local.reported for local in self.locals.values())
        ):
            on = STATISTICS
        meter.mqi_accounting = self.number("accounting_mqi") == MQMON_ON
        meter.queue_accounting = self.number("accounting") == MQMON_ON or any(
            one.is_queue and one.attributes.get("accounting") == MQMON_ON
            for one in self.catalog.definitions.values()
        )
        if self.number("accounting") == MQMON_NONE:
            meter.queue_accounting = False
        meter.override = self.number("accounting_override") != 0
        meter.task_traces = bool(system.classes(ACCTG) & {1, 3})
        if meter.task_traces or meter.mqi_accounting or meter.queue_accounting or meter.override:
            on |= ACCOUNTING
        if meter.tracers > 0:
            on |= TRACED
        self.measured = on
        for connection in self.connections.values():
            if not on & ACCOUNTING:
                connection.account = None
                connection.clock = None
            elif connection.account is None:
                self.account_for(connection, self.clock.now_ns())
        meter.sink.settings_changed()

    def may_account(self, definition: Definition) -> None:
        """A definition is new or has changed: ACCTQ(ON) of one queue begins accounting."""
        if definition.is_queue and definition.attributes.get("accounting") == MQMON_ON:
            if not self.meter.queue_accounting and self.is_accounted(definition):
                self.measure()

    def account_for(self, connection: Connection, now_ns: i64) -> None:
        """Keep an account of a connection from now on."""
        connection.account = TaskAccount(connection.started_ns or now_ns, now_ns)
        connection.clock = VerbClock()

    def monitoring_of(self, definition: Definition) -> int:
        """MONQ of a queue, or of the queue manager if the queue leaves it to that: MQMON_."""
        default = self.number("monitoring")
        if default == MQMON_NONE:  # none, whatever the queues say
            return MQMON_OFF
        level = definition.number("monitoring")
        return default if level == MQMON_Q_MGR else level

    def number(self, name: str) -> int:
        """An integer attribute of the queue manager."""
        value = self.catalog.qmgr[name]
        return value if isinstance(value, int) else 0

    def new_id(self) -> bytes:
        """A message or correlation identifier that no other has."""
        self.msg_counter += 1
        return self.msg_prefix + int(self.msg_counter).to_bytes(8, "big")

    def unit_of(self, connection: Connection, verb: str) -> UnitOfWork:
        """The connection's unit of work, begun at its first use."""
        unit = connection.unit
        if unit is None:
            unit = self.coordinator.begin()
            unit.started_ns = self.clock.now_ns()
            connection.unit = unit
        elif unit.backed_out_by:
            self.refuse_if_backed_out(connection, verb)
        elif connection.undertaking is not None:
            self._have_alone(connection, unit)
        return unit

    def _have_alone(self, connection: Connection, unit: UnitOfWork) -> None:
        """If a consumer is in the middle of a get in the unit of work, that is undone, and begins
        again later: it could not be undone alone any more."""
        from ternmq.kernel.ending import give_up  # which ends units of work

        under_way = connection.undertaking
        if under_way is not None and under_way.beside and under_way.unit is unit:
            give_up(self, connection)
            connection.again = False

    def refuse_if_backed_out(self, connection: Connection, verb: str) -> None:
        """MQRC_BACKED_OUT to a verb inside the unit of work if the queue manager has backed that
        out, until MQBACK, MQCMIT or MQDISC ends it."""
        unit = connection.unit
        if unit is not None and unit.backed_out_by:
            connection.log_tries = 0
            raise mq_error(MQRC_BACKED_OUT, verb=verb, detail=unit.backed_out_by)

    def local_queue(self, connection: Connection, definition: Definition) -> LocalQueue | None:
        """The queue in use; None if it must be loaded first, and the verb is parked until it is."""
        damage = self.catalog.damaged.get(definition.object_id)
        if damage is not None:
            raise mq_error(MQRC_OBJECT_DAMAGED, object=definition.name, detail=damage)
        local = self.locals.get(definition.name)
        if local is not None and local.queue is self.catalog.queues.get(definition.object_id):
            return local
        queue = self.catalog.loaded(definition)
        if queue is None:
            lacking = self.catalog.unloaded.pop(definition.object_id, None)
            if lacking is not None:
                raise mq_error(MQRC_RESOURCE_PROBLEM, object=definition.name, detail=lacking)
            connection.park = self.load(definition)
            return None
        local = LocalQueue(definition, queue, int(self.clock.monotonic_ns()))
        self.watch(local)
        self.locals[definition.name] = local
        self.topics.queue_loaded(definition.name)
        return local

    def load(self, definition: Definition) -> QueueLoad:
        """Begin to load a queue, or join a load under way."""
        for effect in self.keeper.loads:
            if effect.definition is definition and not effect.done:
                return effect
        effect = QueueLoad(self.catalog, definition)
        self.keeper.loads = [one for one in self.keeper.loads if not one.done]
        self.keeper.loads.append(effect)
        self.outbox.add(effect)
        return effect

    def refuse_if_ending(self, fail_if_quiescing: bool, verb: str) -> None:
        """MQRC_Q_MGR_QUIESCING, MQRC_Q_MGR_STOPPING or MQRC_CONNECTION_BROKEN as the case is."""
        if self.status == RUNNING:
            return
        if self.status == QUIESCING:
            if fail_if_quiescing:
                raise mq_error(MQRC_Q_MGR_QUIESCING, verb=verb, object=self.name)
            return
        raise self.ending_error(verb)

    def refuse_if_broken(self, verb: str) -> None:
        """MQRC_CONNECTION_BROKEN after a failed force: nothing is acknowledged any more."""
        if self.status == BROKEN:
            raise self.ending_error(verb)

    def ending_error(self, verb: str) -> MQError:
        """Why nothing works any more."""
        if self.status == BROKEN:
            return mq_error(
                MQRC_CONNECTION_BROKEN, verb=verb, object=self.name, detail=self.broken_by
            )
        return mq_error(MQRC_Q_MGR_STOPPING, verb=verb, object=self.name)

    def can_log_object(
        self,
        connection: Connection,
        verb: str,
        name: str,
        data_bytes: i64 = OBJECT_RECORD_BYTES,
    ) -> bool:
        """Whether the log has room for a record about an object; if not, the verb is parked."""
        if self.coordinator.has_room(None, data_bytes):
            connection.log_tries = 0
            return True
        self.make_room(connection, verb, name, data_bytes)
        return False

    def make_room(self, connection: Connection, verb: str, name: str, data_bytes: i64) -> None:
        """The log has no room for this verb now: park it until it has, or refuse it with nothing
        done."""
        largest = self.coordinator.largest_data_bytes(self.keeper.checkpoint_reserve)
        if data_bytes > largest:  # no unit of work is backed out in vain
            connection.log_tries = 0
            raise self._log_error(
                verb,
                name,
                f"{data_bytes} bytes of data are too many for the recovery log, which can hold "
                f"{max(largest, 0)} at once; a log of more or larger files (LogPrimaryFiles, "
                "LogSecondaryFiles, LogFilePages) is needed; nothing was done",
            )
        running = self.keeper.running
        if connection.log_tries == 0 or running is None or not running.awaits_fill:
            connection.log_tries += 1
        effect = None
        if connection.log_tries <= LOG_TRIES_MAX:
            effect = self.keeper.make_room(connection.log_tries, verb == "MQGET")
        if effect is None:
            connection.log_tries = 0
            self.notices.add("AMQ7463E", (self.name,))
            space = self.coordinator.space
            why = self.keeper.prepare_error or self.keeper.last_failure
            raise self._log_error(
                verb,
                name,
                f"the recovery log is full: {data_bytes} bytes of data and {space.reserved} that "
                f"are reserved do not fit into the {space.left_bytes} that are left"
                f"{'; ' + why if why else ''}; nothing was done",
            )
        self.meter.log.space_waits += 1
        connection.park = effect

    def disk_takes(self, messages: i64, data_bytes: i64) -> bool:
        """Whether so much more can be put and a checkpoint still write all that is in no file but
        the log. To be asked where the reserve is not whole."""
        coordinator = self.coordinator
        size = coordinator.in_log.bytes + messages * ENTRY_BYTES + data_bytes
        for stream in self.catalog.stream_memory.streams.values():
            size += stream.unwritten + stream.open.bytes
        return size <= coordinator.reserve.left

    def make_disk_room(self, connection: Connection, verb: str, name: str) -> None:
        """The disk has no room for this put: park it until it has, or refuse it with nothing
        done."""
        connection.log_tries += 1
        effect = None
        if connection.log_tries <= LOG_TRIES_MAX:
            effect = self.keeper.make_disk_room(connection.log_tries)
        if effect is None:
            connection.log_tries = 0
            reserve = self.coordinator.reserve
            self.notices.add("AMQ7002E", (DISK_FULL,))
            raise mq_error(
                MQRC_Q_SPACE_NOT_AVAILABLE,
                verb=verb,
                object=name,
                detail=f"the disk is full: {reserve.size} of {reserve.wanted} bytes are left that "
                "are kept for gets; get messages or free disk space; nothing was done",
            )
        connection.park = effect

    def _log_error(self, verb: str, name: str, detail: str) -> MQError:
        return mq_error(MQRC_RESOURCE_PROBLEM, verb=verb, object=name, detail=detail)
