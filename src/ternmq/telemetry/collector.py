"""When intervals end, and what is reported then: statistics every STATIME (SMF) and STATINT (PCF),
tasks every ACCTIME and ACCTINT and when they end.

`tick` and `end_statistics` run under the engine's lock and only take counters away; `deliver` makes
snapshots of them and calls the destinations, outside the lock and by one thread at a time (the
housekeeper's, and at the end the one that stops the queue manager). All of it goes by the clocks
of the engine, so that a simulated one makes the same records every time.
"""

from __future__ import annotations

from collections import deque
from typing import Final, final

from ternmq.base.constants import MQMON_NONE, MQMON_OFF, MQMON_ON
from ternmq.base.counters import LogCounts
from ternmq.base.errors import MQError
from ternmq.base.object_types import LOCAL
from ternmq.kernel.call_trace import TracedCall
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.meter import ACCTG, STAT, EndedTask, MeasureSink
from ternmq.kernel.unloaded import look_at_journals, resting_depth
from ternmq.telemetry.accumulation import StatisticsSum
from ternmq.telemetry.channel_watch import ChannelWatch, InitiatorWatch
from ternmq.telemetry.cut import Cutter, StatisticsCut, TaskCut
from ternmq.telemetry.sampling import queue_sample, resting_sample
from ternmq.telemetry.snapshot import (
    CLASS_CHANNELS,
    CLASS_QUEUES,
    MONITOR,
    PCF,
    SMF,
    ChannelInterval,
    Destination,
    QueueSample,
    StatisticsInterval,
)
from ternmq.telemetry.storage_watch import StorageWatch
from ternmq.telemetry.system_topics import ResourceTopics
from ternmq.telemetry.task_reports import AccountingSettings, TaskReports

_SECOND_NS: Final = 1_000_000_000
MONITOR_INTERVAL_S: Final = 10
GLOBAL_INTERVAL_S: Final = 1800  # STATIME(0): what z/OS calls the SMF interval


@final
class Schedule:
    """One interval that goes on and on."""

    def __init__(self) -> None:
        self.is_on = False
        self.seconds = 0  # 0: it never ends by itself
        self.due_ns = 0  # monotonic
        self.started_ns = 0  # wall clock

    def switch(self, is_on: bool, seconds: int, now_ns: int, wall_ns: int) -> None:
        """It begins, ends, or goes on. Another length holds from the next interval on."""
        if is_on and not self.is_on:
            self.begin(seconds, now_ns, wall_ns)
        self.is_on = is_on

    def begin(self, seconds: int, now_ns: int, wall_ns: int) -> None:
        """The next interval. It ends a whole number of lengths after this one did, unless that is
        over already."""
        self.seconds = seconds
        self.due_ns += seconds * _SECOND_NS
        if self.due_ns <= now_ns or self.due_ns > now_ns + seconds * _SECOND_NS:
            self.due_ns = now_ns + seconds * _SECOND_NS
        self.started_ns = wall_ns

    def is_due(self, now_ns: int) -> bool:
        """Whether it ends now."""
        return self.is_on and self.seconds > 0 and now_ns >= self.due_ns


@final
class Turn:
    """What one moment has ended, until it is delivered."""

    def __init__(self, now_ns: int, accounting: AccountingSettings) -> None:
        self.now_ns = now_ns
        self.accounting = accounting  # that was on until then
        self.statistics: StatisticsCut | None = None
        self.counts_for: list[str] = []  # families that its counters are for
        self.statistics_of: list[str] = []  # families whose interval it ends
        self.tasks: list[TaskCut] = []
        # families whose accounting interval it ends, and since when a task must be there for it
        self.tasks_of: dict[str, int] = {}
        self.ended: list[EndedTask] = []
        self.channels_gone: list[ChannelInstance] = []
        self.calls: list[TracedCall] = []
        self.is_last = False


@final
class Collector(MeasureSink):
    """The intervals of one queue manager."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.destinations: list[Destination] = []
        self.topics: ResourceTopics | None = None  # the engine puts it here
        self.lost = 0  # snapshots that a destination failed to take
        self.last_failure = ""
        self._cutter = Cutter(kernel)
        self._statistics: dict[str, Schedule] = {
            SMF: Schedule(),
            PCF: Schedule(),
            MONITOR: Schedule(),
        }
        self._accounting: dict[str, Schedule] = {SMF: Schedule(), PCF: Schedule()}
        self._turns: deque[Turn] = deque()
        now_ns = int(kernel.clock.now_ns())
        self._sums = {
            SMF: StatisticsSum(now_ns),
            PCF: StatisticsSum(now_ns),
            MONITOR: StatisticsSum(now_ns),
        }
        self.totals: StatisticsSum | None = None  # since metrics were switched on
        self._slowest = LogCounts()  # of all writes since the start
        self._sequences = {SMF: 0, PCF: 0, MONITOR: 0}
        self._channels = {SMF: ChannelWatch(), PCF: ChannelWatch(), ACCTG: ChannelWatch()}
        self._initiators = {SMF: InitiatorWatch(), PCF: InitiatorWatch()}
        self._storage = {SMF: StorageWatch(), PCF: StorageWatch()}
        self._channel_sequence = 0
        self._reports = TaskReports(kernel)
        self._settings = AccountingSettings([], kernel.meter)
        kernel.meter.sink = self
        self.settings_changed()

    # ---- under the lock

    def settings_changed(self) -> None:
        kernel = self.kernel
        meter = kernel.meter
        system = meter.system
        now_ns = int(kernel.clock.monotonic_ns())
        wall_ns = int(kernel.clock.now_ns())
        self._keep_ended(wall_ns)
        channels = kernel.number("statistics_channels") not in (MQMON_OFF, MQMON_NONE)
        mqi = kernel.number("statistics_mqi") == MQMON_ON
        queues = kernel.number("statistics") == MQMON_ON or any(
            local.reported for local in kernel.locals.values()
        )
        statistics = self._statistics
        counting = self._counting()
        if not statistics[SMF].is_on:
            system.statistics_s = system.statistics_next_s  # no interval has to end first
        statistics[SMF].switch(
            bool(system.classes(STAT)), _interval(system.statistics_s), now_ns, wall_ns
        )
        statistics[PCF].switch(
            mqi or queues or channels, kernel.number("statistics_interval_s"), now_ns, wall_ns
        )
        statistics[MONITOR].switch(meter.monitors > 0, MONITOR_INTERVAL_S, now_ns, wall_ns)
        begun = [one for one in self._counting() if one not in counting]
        if begun:
            self._begin_statistics(begun, counting, wall_ns)
        accounting = self._accounting
        if not accounting[SMF].is_on:
            system.accounting_s = system.accounting_next_s
        accounting[SMF].switch(
            bool(system.classes(ACCTG)), _interval(system.accounting_interval_s), now_ns, wall_ns
        )
        accounting[PCF].switch(
            meter.mqi_accounting or meter.queue_accounting or meter.override,
            kernel.number("accounting_interval_s"),
            now_ns,
            wall_ns,
        )
        meter.channels_wanted = (
            channels
            or CLASS_CHANNELS in system.classes(ACCTG)
            or CLASS_CHANNELS in system.classes(STAT)
        )
        on = [one for one, schedule in accounting.items() if schedule.is_on]
        self._settings = AccountingSettings(on, meter)
        if CLASS_QUEUES in system.classes(STAT):
            look_at_journals(kernel)

    def _keep_ended(self, wall_ns: int) -> None:
        """Tasks that ended before a change of settings are reported by the settings of then."""
        if self.kernel.meter.ended:
            turn = Turn(wall_ns, self._settings)
            turn.ended = self._cutter.ended()
            self._turns.append(turn)

    def _counting(self) -> list[str]:
        """The families whose statistics are on."""
        return [one for one, schedule in self._statistics.items() if schedule.is_on]

    def _begin_statistics(self, families: list[str], others: list[str], wall_ns: int) -> None:
        """Their first interval begins. What was counted before, for others, is not theirs."""
        turn = Turn(wall_ns, self._settings)
        turn.statistics = self._cutter.statistics(wall_ns)
        turn.counts_for = others
        self._turns.append(turn)
        for family in families:
            self._sums[family] = StatisticsSum(wall_ns)

    def end_statistics(self) -> None:
        """RESET QMGR TYPE(STATISTICS): PCF's interval, as on the platforms that have it."""
        schedule = self._statistics[PCF]
        if schedule.is_on:
            turn = Turn(int(self.kernel.clock.now_ns()), self._settings)
            self._end_statistics(turn, [PCF], int(self.kernel.clock.monotonic_ns()))
            self._turns.append(turn)

    def is_traced(self, connection: Connection) -> bool:
        topics = self.topics
        return topics is not None and topics.is_traced(connection)

    def destinations_shown(self) -> list[tuple[str, int]]:
        return [shown for one in self.destinations for shown in one.shown()]

    def keep_totals(self) -> None:
        """Count from now on, whatever else asks for it: `totals` is never set back."""
        if self.totals is None:
            self.totals = StatisticsSum(int(self.kernel.clock.now_ns()))
            self.kernel.meter.is_watched = True
            self.kernel.measure()

    def count_now(self) -> None:
        """Take the counters, so that the next delivery adds them up; no interval ends by that."""
        turn = Turn(int(self.kernel.clock.now_ns()), self._settings)
        turn.statistics = self._cutter.statistics(turn.now_ns)
        turn.counts_for = self._counting()
        self._turns.append(turn)

    def tick(self) -> None:
        """Time has passed."""
        kernel = self.kernel
        now_ns = int(kernel.clock.monotonic_ns())
        due = [one for one, schedule in self._statistics.items() if schedule.is_due(now_ns)]
        tasks = [one for one, schedule in self._accounting.items() if schedule.is_due(now_ns)]
        meter = kernel.meter
        if not (due or tasks or meter.ended or meter.channels_gone or meter.traced_calls):
            return
        turn = Turn(int(kernel.clock.now_ns()), self._settings)
        self._end(turn, due, tasks, now_ns)

    def finish(self) -> None:
        """The queue manager ends: so do all intervals."""
        turn = Turn(int(self.kernel.clock.now_ns()), self._settings)
        turn.is_last = True
        due = [one for one, schedule in self._statistics.items() if schedule.is_on]
        tasks = [one for one, schedule in self._accounting.items() if schedule.is_on]
        self._end(turn, due, tasks, int(self.kernel.clock.monotonic_ns()))

    def _end(self, turn: Turn, due: list[str], tasks: list[str], now_ns: int) -> None:
        meter = self.kernel.meter
        turn.ended = self._cutter.ended()
        if meter.traced_calls:
            turn.calls = meter.traced_calls
            meter.traced_calls = []
        if meter.channels_gone:
            turn.channels_gone = meter.channels_gone
            meter.channels_gone = []
        if due:
            self._end_statistics(turn, due, now_ns)
        if tasks:
            self._end_accounting(turn, tasks, now_ns)
        self._turns.append(turn)

    def _end_statistics(self, turn: Turn, families: list[str], now_ns: int) -> None:
        turn.statistics = self._cutter.statistics(turn.now_ns)
        turn.counts_for = self._counting()
        turn.statistics_of = families
        system = self.kernel.meter.system
        wants_all = SMF in families and CLASS_QUEUES in system.classes(STAT)
        if MONITOR in families and self.kernel.meter.queue_monitors > 0:
            look_at_journals(self.kernel)  # of what is not known yet the next interval has it
            wants_all = True
        if wants_all:
            turn.statistics.defined = list(self.kernel.catalog.definitions.values())
        for family in families:
            if family == SMF:
                system.statistics_s = system.statistics_next_s
                seconds = _interval(system.statistics_s)
            elif family == PCF:
                seconds = self.kernel.number("statistics_interval_s")
            else:
                seconds = MONITOR_INTERVAL_S
            self._statistics[family].begin(seconds, now_ns, turn.now_ns)

    def _end_accounting(self, turn: Turn, families: list[str], now_ns: int) -> None:
        system = self.kernel.meter.system
        latest_ns = 0
        for family in families:
            schedule = self._accounting[family]
            turn.tasks_of[family] = schedule.started_ns
            latest_ns = max(latest_ns, schedule.started_ns)
            if family == SMF:
                system.accounting_s = system.accounting_next_s
                seconds = _interval(system.accounting_interval_s)
            else:
                seconds = self.kernel.number("accounting_interval_s")
            schedule.begin(seconds, now_ns, turn.now_ns)
        turn.tasks = self._cutter.tasks(turn.now_ns, latest_ns)

    def due_in_s(self, at_most_s: float) -> float:
        """How long until something ends, but no longer than this."""
        now_ns = int(self.kernel.clock.monotonic_ns())
        left_s = at_most_s
        for schedules in (self._statistics, self._accounting):
            for schedule in schedules.values():
                if schedule.is_on and schedule.seconds > 0:
                    left_s = min(left_s, max(schedule.due_ns - now_ns, 0) / _SECOND_NS)
        return left_s

    # ---- outside the lock

    @property
    def has_turns(self) -> bool:
        """Whether there is something to deliver."""
        return len(self._turns) > 0

    def deliver(self) -> None:
        """Hand the destinations what has ended."""
        while self._turns:
            turn = self._turns.popleft()
            for watch in self._channels.values():
                watch.left(turn.channels_gone)
            self._deliver_statistics(turn)
            self._deliver_tasks(turn)
            if turn.calls:
                for destination in self._takers(MONITOR):
                    destination.activity(turn.calls)
            if turn.is_last:
                for destination in self.destinations:
                    destination.close()

    def _deliver_statistics(self, turn: Turn) -> None:
        cut = turn.statistics
        if cut is None:
            return
        for family in turn.counts_for:
            self._sums[family].add(cut)
        self._slowest.merge(cut.log)
        if self.totals is not None:
            self.totals.add(cut)
            self.totals.forget_deleted()
        for family in turn.statistics_of:
            interval = self._interval_of(family, cut)
            interval.is_last = turn.is_last
            self._sums[family] = StatisticsSum(turn.now_ns)
            for destination in self._takers(family):
                try:
                    destination.statistics(interval)
                except (MQError, OSError) as failure:
                    self._lose(failure)

    def _interval_of(self, family: str, cut: StatisticsCut) -> StatisticsInterval:
        kernel = self.kernel
        total = self._sums[family]
        interval = StatisticsInterval(family, kernel.name, total.started_ns, cut.ended_ns)
        interval.qmgr_identity = kernel.identity
        interval.sequence = self._sequences[family]
        self._sequences[family] += 1
        if family == SMF:
            interval.classes = kernel.meter.system.classes(STAT)
        interval.mqi_reported = kernel.number("statistics_mqi") == MQMON_ON
        interval.figures = total.figures
        interval.log = total.log
        interval.connections = cut.connections
        interval.slowest_ns = self._slowest.longest_ns
        interval.slowest_at_ns = self._slowest.longest_at_ns
        if family != MONITOR:
            interval.storage = self._storage[family].look(cut.loaded)
        interval.queues = _queues_of(total, cut)
        if family != PCF:
            shown = {one.name for one in interval.queues}
            interval.queues += self._resting(cut, shown, family == MONITOR)
        if family == MONITOR:
            return interval
        interval.channels = self._channels[family].look(kernel)
        interval.initiator = self._initiators[family].look(kernel)
        return interval

    def _resting(
        self, cut: StatisticsCut, shown: set[str], whatever_statq: bool
    ) -> list[QueueSample]:
        """Queues with STATQ that no application uses: those without a reader are among them."""
        kernel = self.kernel
        samples: list[QueueSample] = []
        for definition in cut.defined:
            if definition.object_type != LOCAL or definition.name in shown:
                continue
            if whatever_statq or kernel.is_reported(definition):
                depth = resting_depth(kernel.catalog, definition)
                if depth >= 0:
                    samples.append(resting_sample(definition, depth))
        return samples

    def _deliver_tasks(self, turn: Turn) -> None:
        for record in self._reports.records(turn):
            for destination in self._takers(record.family):
                try:
                    destination.task(record)
                except (MQError, OSError) as failure:
                    self._lose(failure)
        classes = self.kernel.meter.system.classes(ACCTG)
        if SMF in turn.tasks_of and CLASS_CHANNELS in classes:
            interval = ChannelInterval(self.kernel.name, turn.tasks_of[SMF], turn.now_ns)
            interval.sequence = self._channel_sequence
            self._channel_sequence += 1
            interval.channels = self._channels[ACCTG].look(self.kernel)
            for destination in self._takers(SMF):
                try:
                    destination.channels(interval)
                except (MQError, OSError) as lost:
                    self._lose(lost)

    def _takers(self, family: str) -> list[Destination]:
        return [one for one in self.destinations if one.takes(family)]

    def _lose(self, failure: Exception) -> None:
        """A destination could not take a snapshot: it is counted, and the others go on."""
        self.lost += 1
        self.last_failure = str(failure)


def _interval(seconds: int) -> int:
    return GLOBAL_INTERVAL_S if seconds == 0 else seconds


def _queues_of(total: StatisticsSum, cut: StatisticsCut) -> list[QueueSample]:
    """Every loaded queue, and those that are gone and have counted something."""
    samples: list[QueueSample] = []
    seen: set[int] = set()
    for local in cut.loaded:
        key = local.definition.object_id
        seen.add(key)
        found = total.queues.get(key)
        figures = None if found is None else found.figures
        samples.append(queue_sample(local, figures, cut.ended_ns))
    for key, left in total.queues.items():
        if key not in seen:
            samples.append(queue_sample(left.local, left.figures, cut.ended_ns))
    return samples
