"""Adding up what was taken from the engine until the interval of a family of destinations ends.

SMF and PCF have intervals of their own over the same counters, so whatever is taken for one is
added up for the other. Nothing here is shared with the engine.
"""

from __future__ import annotations

from typing import final

from ternmq.base.accounts import TaskAccount
from ternmq.base.counters import LogCounts, QmgrFigures, QueueFigures
from ternmq.kernel.objects import LocalQueue
from ternmq.telemetry.cut import StatisticsCut


@final
class QueueSum:
    """What one queue has counted."""

    def __init__(self, local: LocalQueue, first: QueueFigures) -> None:
        self.local = local
        self.figures = QueueFigures(first.depth_low, first.input_low, first.output_low)
        self.figures.merge(first)


@final
class StatisticsSum:
    """The counters of an interval so far."""

    def __init__(self, started_ns: int) -> None:
        self.started_ns = started_ns
        self.figures = QmgrFigures(0)
        self.log = LogCounts()
        self.queues: dict[int, QueueSum] = {}  # by object id: a new queue may have an old name

    def add(self, cut: StatisticsCut) -> None:
        """What the engine has counted since the last time."""
        self.figures.merge(cut.figures)
        self.log.merge(cut.log)
        for local, figures in cut.touched:
            self.figures.add_queue(figures)
            key = local.definition.object_id
            found = self.queues.get(key)
            if found is None:
                self.queues[key] = QueueSum(local, figures)
            else:
                found.figures.merge(figures)
        self.figures.leave_out_copies(cut.figures)

    def forget_deleted(self) -> None:
        """What queues have counted that are gone stays in the sum of all, and nowhere else."""
        for key in [one for one, queue in self.queues.items() if queue.local.deleted]:
            del self.queues[key]


@final
class TaskSums:
    """The accounts of tasks since their last records, for one family."""

    def __init__(self) -> None:
        self._accounts: dict[int, TaskAccount] = {}  # by number of the connection
        self._sequences: dict[int, int] = {}

    def add(self, number: int, account: TaskAccount) -> None:
        """What a task has done since the last time."""
        found = self._accounts.get(number)
        if found is None:
            found = TaskAccount(account.started_ns, account.since_ns)
            self._accounts[number] = found
        found.merge(account)

    def take(self, number: int) -> TaskAccount | None:
        """For a record: the sum starts again at zero."""
        return self._accounts.pop(number, None)

    def next_sequence(self, number: int) -> int:
        """Of a task's records."""
        sequence = self._sequences.get(number, 0)
        self._sequences[number] = sequence + 1
        return sequence

    def forget(self, number: int) -> None:
        """The task has ended."""
        self._accounts.pop(number, None)
        self._sequences.pop(number, None)

    def clear(self) -> None:
        """Drop all sums: accounting is switched off."""
        self._accounts.clear()
        self._sequences.clear()
