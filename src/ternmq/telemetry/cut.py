"""What is taken away from the engine at the end of an interval, under its lock: pointers, not
copies, so that the engine loses microseconds. Everything else is done outside.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.base.accounts import TaskAccount
from ternmq.base.counters import LogCounts, QmgrFigures, QueueFigures
from ternmq.base.topic_counters import TopicFigures
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.meter import EndedTask
from ternmq.kernel.objects import LocalQueue
from ternmq.store.catalog import Definition


@final
class StatisticsCut:
    """The counters of one stretch of time."""

    def __init__(self, now_ns: int) -> None:
        self.ended_ns = now_ns
        self.figures = QmgrFigures(0)
        self.log = LogCounts()
        self.touched: list[tuple[LocalQueue, QueueFigures]] = []
        self.loaded: list[LocalQueue] = []
        self.defined: list[Definition] = []  # queues of all types, where class 5 is on
        self.connections = 0


@final
class TaskCut:
    """The account of one task that goes on."""

    def __init__(self, connection: Connection, account: TaskAccount) -> None:
        self.connection = connection
        self.account = account


@final
class Cutter:
    """Takes counters away from a kernel and leaves it new ones."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self._log_records: i64 = kernel.coordinator.log.records
        self._log_end: i64 = kernel.coordinator.log.end_lsn
        self._extent: i64 = self._current_extent()
        self._checkpoints: i64 = kernel.keeper.checkpoints

    def statistics(self, now_ns: int) -> StatisticsCut:
        """With the lock."""
        kernel = self.kernel
        meter = kernel.meter
        cut = StatisticsCut(now_ns)
        cut.figures = meter.figures
        meter.figures = QmgrFigures(len(kernel.connections))
        meter.figures.topics = TopicFigures(meter.subscriptions)
        cut.log = meter.log
        meter.log = LogCounts()
        self._count_log(cut.log)
        cut.touched = meter.touched
        meter.touched = []
        meter.interval += 1
        cut.loaded = list(kernel.locals.values())
        cut.connections = len(kernel.connections)
        return cut

    def _count_log(self, log: LogCounts) -> None:
        """What the log and its keeper count since the start."""
        writer = self.kernel.coordinator.log
        log.records = writer.records - self._log_records
        log.record_bytes = writer.end_lsn - self._log_end
        extent = self._current_extent()
        log.extents_begun = extent - self._extent
        self._extent = extent
        log.checkpoints = self.kernel.keeper.checkpoints - self._checkpoints
        self._log_records = writer.records
        self._log_end = writer.end_lsn
        self._checkpoints = self.kernel.keeper.checkpoints

    def _current_extent(self) -> i64:
        """The number of the extent that holds the last record."""
        kernel = self.kernel
        extent_bytes = kernel.keeper.extent_bytes
        return (kernel.coordinator.log.end_lsn - 1) // extent_bytes

    def ended(self) -> list[EndedTask]:
        """With the lock: tasks that have ended since the last time."""
        meter = self.kernel.meter
        ended = meter.ended
        if ended:
            meter.ended = []
        return ended

    def tasks(self, now_ns: int, started_by_ns: int) -> list[TaskCut]:
        """With the lock: the accounts of tasks that began no later than this."""
        cuts: list[TaskCut] = []
        for connection in self.kernel.connections.values():
            account = connection.account
            if account is None or account.started_ns > started_by_ns:
                continue
            for handle in connection.handles.values():
                if handle.local is not None and handle.definition is not None:
                    queue = account.queues.get((handle.definition.name, handle.local.name))
                    if queue is not None:
                        queue.handles += 1
            connection.account = TaskAccount(account.started_ns, now_ns)
            cuts.append(TaskCut(connection, account))
        return cuts
