"""Records of tasks: at their end, and for long ones at the end of an interval.

A task is long for an interval if it was there when the interval began, so the first end of an
interval that a task sees passes it by; its record comes with the second, or with its own end. SMF
class 1 reports a whole task when it ends; class 3 and PCF report each stretch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from ternmq.base import constants as mq
from ternmq.base.accounts import TaskAccount
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.meter import ACCTG, Meter
from ternmq.telemetry.accumulation import TaskSums
from ternmq.telemetry.sampling import identity_of
from ternmq.telemetry.snapshot import CLASS_TASK_TOTALS, CLASS_TASKS, PCF, SMF, TaskRecord

if TYPE_CHECKING:
    from ternmq.telemetry.collector import Turn

_WHOLE: Final = "whole"  # since the task began: SMF class 1


@final
class AccountingSettings:
    """Which accounting is on at a moment. What ended at that moment is reported as these say,
    whatever has been switched off before it is delivered."""

    def __init__(self, families: list[str], meter: Meter) -> None:
        self.families = families
        self.classes = meter.system.classes(ACCTG)
        self.mqi = meter.mqi_accounting
        self.queues = meter.queue_accounting
        self.override = meter.override


@final
class TaskReports:
    """What is owed about tasks."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._settings = AccountingSettings([], kernel.meter)
        self._sums: dict[str, TaskSums] = {SMF: TaskSums(), PCF: TaskSums(), _WHOLE: TaskSums()}

    def records(self, turn: Turn) -> list[TaskRecord]:
        """What has to be reported now, for the families that were on."""
        made: list[TaskRecord] = []
        self._settings = turn.accounting
        families = self._settings.families
        for family, sums in self._sums.items():
            if (SMF if family == _WHOLE else family) not in families:
                sums.clear()
        for cut in turn.tasks:
            self._add(cut.connection, cut.account, families)
            for family, began_ns in turn.tasks_of.items():
                if cut.account.started_ns <= began_ns:
                    self._record(made, family, cut.connection, turn.now_ns)
        for ended in turn.ended:
            self._add(ended.connection, ended.account, families)
            for family in families:
                last = self._record(made, family, ended.connection, ended.ended_ns)
                if last is not None:
                    last.is_last = True
                    last.ended_how = ended.how
            self._whole(made, ended.connection, ended.ended_ns, ended.how)
            for sums in self._sums.values():
                sums.forget(ended.connection.connection_id)
        return made

    def _add(self, connection: Connection, account: TaskAccount, families: list[str]) -> None:
        number = connection.connection_id
        for family in families:
            self._sums[family].add(number, account)
        if CLASS_TASK_TOTALS in self._settings.classes:
            self._sums[_WHOLE].add(number, account)

    def _record(
        self, made: list[TaskRecord], family: str, connection: Connection, ended_ns: int
    ) -> TaskRecord | None:
        sums = self._sums[family]
        account = sums.take(connection.connection_id)
        if account is None:
            return None
        record = TaskRecord(family, self._kernel.name, identity_of(connection), account)
        if family == PCF:
            self._choose(record, connection)
        elif CLASS_TASKS in self._settings.classes:
            record.classes = frozenset((CLASS_TASKS,))
        if not (record.classes or record.mqi_reported or record.queues_reported):
            return None
        record.ended_ns = ended_ns
        record.sequence = sums.next_sequence(connection.connection_id)
        made.append(record)
        return record

    def _whole(
        self, made: list[TaskRecord], connection: Connection, ended_ns: int, how: int
    ) -> None:
        account = self._sums[_WHOLE].take(connection.connection_id)
        if account is None:
            return
        record = TaskRecord(SMF, self._kernel.name, identity_of(connection), account)
        record.classes = frozenset((CLASS_TASK_TOTALS,))
        record.ended_ns = ended_ns
        record.is_last = True
        record.ended_how = how
        made.append(record)

    def _choose(self, record: TaskRecord, connection: Connection) -> None:
        """ACCTMQI and ACCTQ, or what the application asked for if ACCTCONO lets it."""
        settings = self._settings
        record.mqi_reported = settings.mqi
        record.queues_reported = settings.queues
        if settings.override:
            options = connection.connect_options
            if options & mq.MQCNO_ACCOUNTING_MQI_ENABLED:
                record.mqi_reported = True
            elif options & mq.MQCNO_ACCOUNTING_MQI_DISABLED:
                record.mqi_reported = False
            if options & mq.MQCNO_ACCOUNTING_Q_ENABLED:
                record.queues_reported = True
                for queue in record.account.queues.values():
                    queue.reported = True
            elif options & mq.MQCNO_ACCOUNTING_Q_DISABLED:
                record.queues_reported = False
