"""Resources published below $SYS/MQ every ten seconds, as long as there is a subscription to one.

What was counted comes from the collector, the rest from the operating system. As with statistics
messages, nothing that goes wrong with a publication touches an application: it is lost. The lock is
taken for each publication, and for a bounded number of questions whether a topic interests anybody.
"""

from __future__ import annotations

import os
from typing import Final

from ternmq.base.errors import MQError
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.host.shell import Shell
from ternmq.kernel.kernel import Kernel
from ternmq.outlets.machine_figures import (
    FileSystem,
    MachineFigures,
    ProcessorTimes,
    fault_reports,
    part_of,
)
from ternmq.pubsub.own_publications import OwnPublisher
from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.telemetry.monitor import monitor_rows as rows
from ternmq.telemetry.monitor.monitor_messages import DataMessages, data_topic
from ternmq.telemetry.monitor.monitor_views import MQIView, QueueView
from ternmq.telemetry.snapshot import MONITOR, Destination, QueueSample, StatisticsInterval
from ternmq.txn.media.extent_needs import extent_needs

_MEGABYTE: Final = 1 << 20
_PAGE: Final = 4096
_QUEUES_A_LOOK: Final = 20
_ERRORS: Final = "errors"


class ProcessorView:
    """CPU."""

    def __init__(self, machine: MachineFigures, resident_bytes: int) -> None:
        self.machine = machine
        self.own_user_percent = machine.own_user_percent
        self.own_system_percent = machine.own_system_percent
        self.own_megabytes = resident_bytes // _MEGABYTE


class DiskView:
    """DISK."""

    def __init__(self, kernel: Kernel, interval: StatisticsInterval, folder: str) -> None:
        errors = os.path.join(folder, _ERRORS) if folder else ""
        errors = errors if os.path.isdir(errors) else folder
        self.errors = FileSystem(errors)
        self.fault_reports = fault_reports(errors)
        self.data = FileSystem(folder)
        self.log_files = self.data  # the log is in the same folder
        log = interval.log
        self.log = log
        writes = int(log.writes)
        self.log_written_bytes = int(log.blocks) * _PAGE
        self.write_bytes = self.log_written_bytes // writes if writes else 0
        self.write_ns = int(log.io_ns) // writes if writes else 0
        self.slowest_ns = int(interval.slowest_ns)
        self.slowest_at_ns = int(interval.slowest_at_ns)
        keeper = kernel.keeper
        parameters = keeper.control.parameters
        extent_bytes = int(keeper.extent_bytes)
        end_lsn = int(kernel.coordinator.log.end_lsn)
        primary_bytes = parameters.primary * extent_bytes
        self.log_used_bytes = round(keeper.space.used_fraction(end_lsn) * primary_bytes)
        self.log_limit_bytes = (parameters.primary + parameters.secondary) * extent_bytes
        self.log_used_percent = part_of(self.log_used_bytes, primary_bytes)
        self.log_workload_percent = part_of(int(log.record_bytes), primary_bytes)
        self.forced_lsn = int(kernel.coordinator.log.forced_lsn)
        self.media_megabytes = 0
        if parameters.is_linear:
            needs = extent_needs(keeper)
            if needs.media >= 0:
                held = needs.current - needs.media + 1
                self.media_megabytes = held * extent_bytes // _MEGABYTE


class MonitorDestination(Destination):
    """Publishes what an interval has counted."""

    def __init__(self, shell: Shell, folder: str) -> None:
        self._shell = shell
        self._folder = folder
        self._name = shell.engine.kernel.name
        self._publisher = OwnPublisher(pubsub_of(shell.engine.kernel))
        self._times = ProcessorTimes()
        self._messages = {
            (one.name, kind.name): DataMessages(one, kind)
            for one in rows.CLASSES
            for kind in one.types
        }
        self.published = 0
        self.lost = 0

    def takes(self, family: str) -> bool:
        """Those of ten seconds."""
        return family == MONITOR

    def statistics(self, interval: StatisticsInterval) -> None:
        """An interval has ended."""
        now = ProcessorTimes()
        machine = MachineFigures(self._times, now)
        self._times = now
        if interval.is_last:  # nothing is delivered any more
            return
        with self._shell.lock:
            disk = DiskView(self._shell.engine.kernel, interval, self._folder)
        processor = ProcessorView(machine, int(interval.storage.process_bytes))
        views: dict[str, object] = {
            rows.CPU: processor,
            rows.DISK: disk,
            rows.STATMQI: MQIView(interval),
        }
        interval_us = max(0, interval.ended_ns - interval.started_ns) // 1000
        for one in rows.CLASSES:
            if one.flags & rows.BY_OBJECT:
                if self._shell.engine.kernel.meter.queue_monitors > 0:
                    self._publish_queues(interval, interval_us)
                continue
            for kind in one.types:
                topic_string = data_topic(self._name, one, kind, "")
                if self._wanted([topic_string]):
                    messages = self._messages[one.name, kind.name]
                    message = messages.message(self._name, views[one.name], interval_us)
                    self._publish(topic_string, message)

    def _publish_queues(self, interval: StatisticsInterval, interval_us: int) -> None:
        of_queues = [one for (name, _), one in self._messages.items() if name == rows.STATQ]
        for at in range(0, len(interval.queues), _QUEUES_A_LOOK):
            for queue, kinds in self._asked(interval.queues[at : at + _QUEUES_A_LOOK], of_queues):
                view = QueueView(queue)
                for messages in kinds:
                    topic_string = data_topic(self._name, messages.one, messages.kind, queue.name)
                    message = messages.message(self._name, view, interval_us, queue.name)
                    self._publish(topic_string, message)

    def _asked(
        self, queues: list[QueueSample], of_queues: list[DataMessages]
    ) -> list[tuple[QueueSample, list[DataMessages]]]:
        """Of some queues, what anybody wants to know; queues that are gone interest nobody."""
        found: list[tuple[QueueSample, list[DataMessages]]] = []
        with self._shell.lock:
            definitions = self._shell.engine.kernel.catalog.definitions
            for queue in queues:
                if queue.name not in definitions:
                    continue
                kinds = [
                    one
                    for one in of_queues
                    if self._publisher.is_wanted(
                        data_topic(self._name, one.one, one.kind, queue.name)
                    )
                ]
                if kinds:
                    found.append((queue, kinds))
        return found

    def _wanted(self, topic_strings: list[str]) -> bool:
        with self._shell.lock:
            return any(self._publisher.is_wanted(one) for one in topic_strings)

    def _publish(self, topic_string: str, message: PCFMessage) -> None:
        shell = self._shell
        publisher = self._publisher
        with shell.lock:
            try:
                while not publisher.publish(topic_string, message):
                    shell.wait_for_park(publisher.link)
            except MQError:
                self.lost += 1
            else:
                self.published += 1
            shell.settle()
