"""The queue manager as one deterministic object: built from ports, stepped by one thread at a time.

`create` makes the files of a new one, `start` restarts from them. The verbs here are what the
shells call under their lock: each leaves in the connection what the shell has to do before it
answers (`durable_at`, `park`, `again`). Effects that arise are in `outbox`; `finish` takes their
completion in.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.admin.default_objects import complete_default_objects, has_default_objects
from ternmq.admin.events.event_content import Events
from ternmq.base.attributes import QMGR, defaults_of
from ternmq.base.constants import (
    MQRQ_FAILOVER_NOT_PERMITTED,
    MQRQ_Q_MGR_QUIESCING,
    MQRQ_Q_MGR_STOPPING,
)
from ternmq.base.errors import ForceFailed, IntegrityError, MQError, check, mq_error
from ternmq.base.ids import (
    UNIQUE_RESERVE,
    connection_id_stem,
    first_unique,
    queue_manager_id,
    unique_id,
)
from ternmq.base.names import is_name, name_fault
from ternmq.base.reasons import MQRC_CONNECTION_BROKEN, MQRC_Q_MGR_NAME_ERROR
from ternmq.engine.backup import refuse_backup
from ternmq.kernel.authority import check_connect
from ternmq.kernel.authority_records import load_records
from ternmq.kernel.connection import Connection
from ternmq.kernel.cursor_expiry import LOOK_NS, expire_cursors
from ternmq.kernel.deferred import DelayedDelivery
from ternmq.kernel.delivery import serve_all
from ternmq.kernel.ending import back_out_some
from ternmq.kernel.events import LOGGER
from ternmq.kernel.expiry import ExpiryScan
from ternmq.kernel.get import cancel
from ternmq.kernel.kernel import BROKEN, QUIESCING, RUNNING, STOPPING, Kernel
from ternmq.kernel.media import ImageSchedule, begin_image, cancel_images
from ternmq.kernel.metering_calls import has_connected
from ternmq.kernel.refusals import refused
from ternmq.kernel.reports import Reports
from ternmq.kernel.requests import GetCall
from ternmq.kernel.retention import retain
from ternmq.kernel.trigger import Triggers
from ternmq.kernel.unloaded import look_at_journals
from ternmq.log.control import CONTROL_PATHS
from ternmq.log.kinds import RESTART
from ternmq.log.opened import OpenedLog, create_log, open_log
from ternmq.log.parameters import LogParameters
from ternmq.ports.clock import Clock
from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect, Outbox
from ternmq.ports.entropy import Entropy
from ternmq.ports.progress import Progress
from ternmq.pubsub.publish_subscribe import PublishSubscribe, pubsub_of
from ternmq.pubsub.queued.queued_interface import QueuedInterface
from ternmq.pubsub.stored_loading import load_stored
from ternmq.store.catalog import Catalog
from ternmq.store.catalog_file import catalog_bytes, save_catalog
from ternmq.store.slow_queue import SlowQueueSweeper
from ternmq.store.sweep import sweep_overflow
from ternmq.telemetry.collector import Collector
from ternmq.telemetry.system_topics import ResourceTopics
from ternmq.txn.coordinator import Coordinator
from ternmq.txn.families.packing import pack_json
from ternmq.txn.keeper import Keeper
from ternmq.txn.media.catalog_recovery import find_catalog
from ternmq.txn.media.extent_needs import CATALOG_NAME
from ternmq.txn.reserves import CHANGE_RESERVE, UNIT_RESERVE
from ternmq.txn.restart import Replay
from ternmq.txn.unit import PREPARED

EXPIRY_STEPS_A_TICK: Final = 64
CERTIFICATE_LABEL: Final = "ibmwebspheremq"  # then its name, as key tools expect it


def create_queue_manager(
    disk: Disk, clock: Clock, entropy: Entropy, name: str, parameters: LogParameters
) -> None:
    """Make the files of a new queue manager. The log comes last: without it there is no queue
    manager."""
    if not is_name(name):
        raise mq_error(MQRC_Q_MGR_NAME_ERROR, verb="crtmqm", object=name, detail=name_fault(name))
    check(not exists(disk), f"queue manager {name} is there; it is not made again")
    catalog = Catalog()
    now_ns = clock.now_ns()
    catalog.qmgr.update(defaults_of(QMGR))
    catalog.qmgr["certificate_label"] = f"{CERTIFICATE_LABEL}{name.lower()}"
    catalog.facts["name"] = name
    catalog.facts["identity"] = queue_manager_id(name, now_ns)
    catalog.facts["created_ns"] = now_ns
    disk.make_dir("queues")
    save_catalog(disk, catalog_bytes(catalog, 0))
    create_log(disk, parameters, entropy.bytes(16))


def exists(disk: Disk) -> bool:
    """Whether a queue manager is here, whole or not: its log is what makes it exist."""
    return any(disk.exists(path) for path in CONTROL_PATHS)


@final
class Engine:
    """A running queue manager."""

    def __init__(
        self,
        disk: Disk,
        clock: Clock,
        begun_as: int = MQRQ_FAILOVER_NOT_PERMITTED,
        host_name: str = "",
        progress: Progress | None = None,
    ) -> None:
        self._progress = progress or Progress()
        self.begun_as = begun_as  # with or without a standby, or after having been one
        self.host_name = host_name
        self.disk = disk
        self.clock = clock
        self.outbox = Outbox()
        self.report: list[str] = []  # what restart did; strmqm prints it
        opened: OpenedLog = open_log(disk)
        refuse_backup(opened)
        catalog, damage = find_catalog(disk, opened)
        self.name = str(catalog.facts["name"])
        if damage:
            self._say(f"Recovered from the log: the catalog. {damage}")
        replay = Replay(disk, opened, catalog)
        replay.progress = self._progress
        replay.run_to_end()
        self.records_replayed = replay.records
        self._report_replay(replay)
        self.opened = opened
        unique = first_unique(clock.now_ns(), opened.control.unique_below)
        opened.control.unique_below = unique + UNIQUE_RESERVE  # saved by the next line
        writer, files, space = opened.resume(opened.reader.end_lsn)
        self.log = writer
        self.files = files
        coordinator = Coordinator(writer, space, replay.in_log)
        self.coordinator = coordinator
        self._take_units(replay)
        self.keeper = Keeper(coordinator, catalog, self.outbox, opened.control, files, space)
        self.sweeper = SlowQueueSweeper(catalog, self.outbox, coordinator.in_log)
        self.kernel = Kernel(
            self.name,
            str(catalog.facts["identity"]),
            clock,
            self.outbox,
            coordinator,
            catalog,
            self.keeper,
        )
        self.kernel.msg_counter = unique
        load_records(self.kernel)
        self.events = Events(self.kernel)
        self.collector = Collector(self.kernel)
        self.triggers = Triggers(self.kernel)
        self.delayed = DelayedDelivery(self.kernel)
        self.images = ImageSchedule(self.kernel)
        self.expiry: ExpiryScan | None = None
        self.expiry_due_ns: i64 = 0
        self.cursors_due_ns: i64 = 0  # when idle cursors are checked for expiry
        self._join_parts()
        self._recover_units(replay)
        self._note_restart(replay)
        self._begin_work(catalog)

    def _join_parts(self) -> None:
        """What the verbs report to."""
        self.kernel.event_sink = self.events
        self.kernel.triggers = self.triggers
        self.kernel.reports = Reports(self.kernel)
        pubsub = PublishSubscribe(self.kernel)
        self.kernel.topics = pubsub
        topics = ResourceTopics(self.kernel, pubsub)
        pubsub.system_topics = topics
        self.collector.topics = topics
        self.queued = QueuedInterface(pubsub)

    def _take_units(self, replay: Replay) -> None:
        """Numbers of units of work go on, and operators' decisions are known."""
        coordinator = self.coordinator
        coordinator.next_unit = replay.next_unit
        coordinator.heuristic = replay.heuristic
        coordinator.heuristic_owners = replay.heuristic_owners

    def _say(self, line: str) -> None:
        self.report.append(line)
        self._progress.said(line)

    def _note_restart(self, replay: Replay) -> None:
        facts: dict[str, object] = {"epoch": self.log.epoch, "records": replay.records}
        if self.coordinator.has_room(None, 0):  # starts that are killed must not fill the log
            self.log.append(RESTART, 0, 0, [pack_json(facts)])
        self._say(f"Transaction manager state recovered for queue manager '{self.name}'.")

    def _report_replay(self, replay: Replay) -> None:
        self._say(
            f"{replay.records} log records accessed on queue manager '{self.name}' "
            "during the log replay phase."
        )
        for note in replay.notes:
            self._say(note)
        self._say(f"Log replay for queue manager '{self.name}' complete.")

    def _begin_work(self, catalog: Catalog) -> None:
        """The last part of a start: what has to be under way, and the report."""
        coordinator = self.coordinator
        name = self.name
        for queue in catalog.queues.values():
            if (
                queue.plain_bytes > queue.plain_limit
                or queue.persistent_bytes > queue.persistent_limit
            ):
                sweep_overflow(queue, self.outbox, coordinator.in_log)
        if not has_default_objects(self.kernel):
            complete_default_objects(self.kernel)
        if catalog.keeps_images and not catalog.image_of_catalog():
            begin_image(self.kernel, Connection(0, b"", "", ""), CATALOG_NAME)
        load_stored(pubsub_of(self.kernel), self.disk)
        if self.undone or self.in_doubt:
            self._say(
                f"{self.undone} units of work backed out, {self.in_doubt} in doubt "
                f"on queue manager '{name}'."
            )
        for _, text in sorted(catalog.damaged.items()):
            self._say(f"Damaged: {text}")
        self.report.append(f"TernMQ queue manager '{name}' started.")
        self.events.started(self.begun_as, self.host_name)

    def _recover_units(self, replay: Replay) -> None:
        """The in-doubt and undo phases."""
        coordinator = self.coordinator
        coordinator.reserve.load(replay.disk)
        for number in sorted(replay.units):
            unit = replay.units[number]
            coordinator.units[number] = unit
            unit.reserved = UNIT_RESERVE + CHANGE_RESERVE * (len(unit.changes) + 1)
            coordinator.space.reserve(int(unit.reserved))
            if unit.state == PREPARED and unit.xid is not None:
                coordinator.prepared[unit.xid.key] = unit
                coordinator.in_doubt.add(number, unit.xid.owner, int(unit.reserved))
        self._make_room()
        self.in_doubt = len(coordinator.prepared)
        self.undone = 0
        for number in sorted(replay.units):
            unit = replay.units[number]
            if unit.state != PREPARED:
                self.undone += 1
                while not back_out_some(self.kernel, unit):
                    pass

    def _make_room(self) -> None:
        """What is reserved for units of work must fit. It always does where they were begun; a
        backup that was activated has the log up to here and no file more."""
        space = self.coordinator.space
        while not space.fits(0, 0):
            extent = space.wants_extent(self.log.end_lsn)
            if extent is None:
                break
            try:
                self.files.prepare(extent)
            except OSError:
                # A checkpoint that a crash has cut short has used what is reserved for it. That
                # must not keep a queue manager on a full disk from starting.
                if self.keeper.fits_checkpoint(0):
                    break
                raise
            space.extent_ready(extent)

    # ---- connections

    def connect(self, user: str, application: str) -> Connection:
        """MQCONN."""
        kernel = self.kernel
        kernel.refuse_if_ending(True, "MQCONN")
        number = kernel.next_connection
        kernel.next_connection = number + 1
        kernel.msg_counter += 1
        tag = unique_id(connection_id_stem(self.name), int(kernel.msg_counter))
        connection = Connection(number, tag, user, application)
        try:
            check_connect(kernel, connection)
        except MQError:
            if kernel.measured:
                refused(kernel, connection, "MQCONN", None)
            raise
        connection.conversion = kernel.conversion
        kernel.connections[number] = connection
        has_connected(kernel, connection)
        return connection

    # ---- steps

    def after_step(self) -> None:
        """Housekeeping that may follow any step; cheap when there is nothing to do."""
        self.keeper.after_step()
        if self.events.due or self.kernel.events & LOGGER:
            self.events.after_step()
        restored = self.keeper.restored
        if restored:
            self.keeper.restored = []
            for queue in restored:
                local = self.kernel.locals.get(queue.name)
                if local is not None and local.queue is queue:
                    serve_all(self.kernel, local)

    def tick(self) -> None:
        """Time has passed: waits end, expired messages go, checkpoints come due."""
        kernel = self.kernel
        now_ns: i64 = self.clock.monotonic_ns()
        if kernel.waiting:
            for call in list(kernel.waiting.values()):
                if call.deadline_ns and call.deadline_ns <= now_ns:
                    self.end_wait(call)
        self.keeper.tick(now_ns)
        self.images.tick(int(now_ns))
        self.sweeper.tick(now_ns)
        if self.sweeper.wants_checkpoint:
            self.sweeper.wants_checkpoint = False
            self.keeper.begin(False, False)
        self._expire(now_ns)
        retain(kernel)
        if now_ns >= self.cursors_due_ns:
            self.cursors_due_ns = now_ns + LOOK_NS
            expire_cursors(kernel, now_ns)
        self._reserve_ids()
        kernel.notices.look(kernel)
        self.triggers.tick()
        self.kernel.topics.tick(int(now_ns))
        self.delayed.tick()
        self.delayed.step()
        self.queued.tick()
        self.queued.step()
        self.collector.tick()
        self.after_step()

    def _reserve_ids(self) -> None:
        """Half of what the control file allows is still unused when its limit is raised."""
        control = self.keeper.control
        given = int(self.kernel.msg_counter)
        if given > control.unique_below - UNIQUE_RESERVE // 2:
            control.unique_below = given + UNIQUE_RESERVE
            self.keeper.begin(False, False)

    def end_wait(self, call: GetCall) -> None:
        """The wait interval of a get is over."""
        if call.waiting:
            cancel(self.kernel, call, 2033)
            self.outbox.wake(call.waker)

    def _expire(self, now_ns: i64) -> None:
        interval: i64 = self.kernel.number("expiry_interval_s") * 1_000_000_000
        if interval == 0:
            return
        if self.expiry_due_ns == 0:
            self.expiry_due_ns = now_ns + interval
            look_at_journals(self.kernel)
        elif self.expiry_due_ns > now_ns + interval:  # EXPRYINT is less than it was
            self.expiry_due_ns = now_ns + interval
        if self.expiry is None and now_ns >= self.expiry_due_ns:
            self.expiry_due_ns = now_ns + interval
            self.expiry = ExpiryScan(self.kernel)
        self.scan_expired(EXPIRY_STEPS_A_TICK)

    def scan_expired(self, steps: int) -> bool:
        """Some steps of the pass that is under way; False when there is nothing to do now."""
        scan = self.expiry
        while scan is not None and steps > 0:
            steps -= 1
            if not scan.step():
                if not scan.is_waiting:
                    self.expiry = None
                return False
        return scan is not None

    def work_some(self) -> bool:
        """A step of expiry, of delayed delivery and of queued publish/subscribe; False when there
        is nothing to do now."""
        expires = self.scan_expired(4)
        works_off = self.queued.step()
        return self.delayed.step() or works_off or expires

    @property
    def is_parked(self) -> bool:
        """Whether work in the background waits for an effect."""
        return self.delayed.is_parked or self.queued.is_parked

    def due_in_s(self, longest: float) -> float:
        """Seconds until the next tick should come, at most `longest`."""
        longest = self.queued.due_in_s(self.collector.due_in_s(longest))
        return self.delayed.due_in_s(longest)

    def begin_expiry_scan(self) -> None:
        """Start a pass now."""
        if self.expiry is None or self.expiry.is_waiting:
            self.expiry = ExpiryScan(self.kernel)

    # ---- effects

    def finish(self, effect: Effect, error: Exception | None) -> None:
        """Take in how an effect ended."""
        try:
            if error is None:
                effect.complete()
            elif isinstance(error, OSError):
                effect.fail(error)
            elif isinstance(error, IntegrityError):
                effect.damage(str(error))
            else:
                raise error
        except (IntegrityError, ForceFailed) as failure:
            self.break_down(str(failure))
        self.outbox.done(effect)
        self.after_step()

    # ---- the end

    def quiesce(self) -> None:
        """Refuse new work that has FAIL_IF_QUIESCING; gets that wait with that option end."""
        kernel = self.kernel
        if kernel.status == RUNNING:
            self.events.stopping(MQRQ_Q_MGR_QUIESCING)
            kernel.status = QUIESCING
            self._look_again()

    def stop(self) -> None:
        """Refuse new work from now on; gets that wait end with the reason."""
        kernel = self.kernel
        if kernel.status in (RUNNING, QUIESCING):
            self.events.stopping(MQRQ_Q_MGR_STOPPING)
            kernel.status = STOPPING
            cancel_images(kernel)
            self._look_again()

    def break_down(self, why: str) -> None:
        """A force failed or an invariant broke: nothing is answered with success from here on."""
        kernel = self.kernel
        if kernel.status != BROKEN:
            kernel.status = BROKEN
            kernel.broken_by = why
            kernel.notices.add("AMQ6118S", (why, ""))
            for call in list(kernel.waiting.values()):
                cancel(kernel, call, MQRC_CONNECTION_BROKEN)
                call.error = kernel.ending_error("MQGET")
                self.outbox.wake(call.waker)

    def _look_again(self) -> None:
        for local in list(self.kernel.locals.values()):
            serve_all(self.kernel, local)

    def error_for(self, verb: str) -> MQError | None:
        """Why the queue manager cannot answer, if it cannot."""
        if self.kernel.status == BROKEN:
            return self.kernel.ending_error(verb)
        return None
