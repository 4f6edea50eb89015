"""What a queue manager measures, and where it goes: SMF records, messages, metrics.

One object a queue manager, there from its start and light until something is measured: the tables
of records and messages are read when the first snapshot comes. `MeasureSettings` of the process
that runs the queue manager say where SMF records go.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_UNKNOWN_OBJECT_NAME
from ternmq.host.shell import Shell
from ternmq.outlets.restarting import OnFault
from ternmq.outlets.snapshot_queue import SnapshotQueue
from ternmq.telemetry.snapshot import (
    MONITOR,
    PCF,
    SMF,
    ChannelInterval,
    Destination,
    StatisticsInterval,
    TaskRecord,
)
from ternmq.values.status import SMFRead, SMFStatus

if TYPE_CHECKING:
    from ternmq.kernel.call_trace import TracedCall
    from ternmq.outlets.activity_destination import ActivityDestination
    from ternmq.outlets.metrics_server import MetricsServer
    from ternmq.outlets.monitor_destination import MonitorDestination
    from ternmq.outlets.pcf_destination import MessageDestination
    from ternmq.outlets.smf_destination import SmfDestination
    from ternmq.outlets.smf_memory import MemoryStream
    from ternmq.outlets.smf_settings import SMFDestination

LOOPBACK: Final = "127.0.0.1"
METRICS_PORT: Final = 9157  # the one that is registered for MQ
PORT_MAX: Final = 65_535
ALL_QUEUES: Final = ("*",)


@dataclass(frozen=True)
class MeasureSettings:
    """Where SMF records go, and whether metrics are served."""

    folder: str = ""  # of the queue manager; empty: it has none
    smf: tuple[SMFDestination, ...] | None = None  # None: the usual
    metrics_port: int | None = None  # 0: one that the system chooses; None: not served
    metrics_at_start: bool = True  # with the queue manager; else its process opens the port
    metrics_address: str = LOOPBACK  # "*" is every one
    metrics_scheme: str = "Both"
    metrics_queues: tuple[str, ...] = ALL_QUEUES

    def __post_init__(self) -> None:
        if self.metrics_port is not None and not 0 <= self.metrics_port <= PORT_MAX:
            raise ValueError(f"metrics_port is 0 to {PORT_MAX}, not {self.metrics_port}")
        names = [] if self.smf is None else [one.name for one in self.smf]
        if len(names) != len(set(names)):
            raise ValueError(f"two SMF destinations have one name: {', '.join(names)}")


def measure_settings(
    smf: Sequence[SMFDestination] | None, metrics_port: int | None
) -> MeasureSettings:
    """Those of an embedded queue manager."""
    return MeasureSettings(smf=None if smf is None else tuple(smf), metrics_port=metrics_port)


def notices_of(shell: Shell) -> Callable[..., None]:
    """Writes messages to operators as notices of the queue manager, from any thread."""

    def log_message(message: str, *inserts: str | int) -> None:
        with shell.lock:
            shell.engine.kernel.notices.add(message, inserts)

    return log_message


class Measurement(Destination):
    """All destinations of one queue manager, made when they are needed."""

    def __init__(
        self, shell: Shell, settings: MeasureSettings, on_fault: OnFault | None = None
    ) -> None:
        self.settings = settings
        self._on_fault = on_fault
        self._shell = shell
        self._smf: SmfDestination | None = None
        self._messages: MessageDestination | None = None
        self._monitor: MonitorDestination | None = None
        self._traces: ActivityDestination | None = None
        log_message = notices_of(shell)
        self._log_message = log_message
        # Records and messages are made in threads of their own: the housekeeper has other work.
        self._queues = {
            family: SnapshotQueue(name, log_message, on_fault=on_fault)
            for family, name in ((SMF, "SMF"), (PCF, "PCF"), (MONITOR, "MONITOR"))
        }
        self._making = threading.Lock()
        self.metrics: MetricsServer | None = None
        shell.engine.collector.destinations.append(self)

    # ---- what the collector hands over

    def takes(self, family: str) -> bool:
        """All there is."""
        return family in (SMF, PCF, MONITOR)

    def statistics(self, interval: StatisticsInterval) -> None:
        """The end of an interval."""
        interval.storage.process_bytes = resident_bytes()
        self._queues[interval.family].add(lambda: self._of(interval.family).statistics(interval))

    def task(self, record: TaskRecord) -> None:
        """The end of a task, or of a part of it."""
        self._queues[record.family].add(lambda: self._of(record.family).task(record))

    def channels(self, interval: ChannelInterval) -> None:
        """Accounting of channels, which only SMF has."""
        self._queues[SMF].add(lambda: self.smf.channels(interval))

    def activity(self, calls: list[TracedCall]) -> None:
        """Calls that somebody traces."""
        self._queues[MONITOR].add(lambda: self.traces.publish(calls))

    def drain(self) -> bool:
        """Wait until all handed over so far is records and messages; False if it takes too long."""
        return all(one.drain() for one in self._queues.values())

    def shown(self) -> list[tuple[str, int]]:
        """Destinations of SMF records, as DISPLAY TRACE shows them. With the engine's lock."""
        if self._smf is None:  # nothing was recorded yet
            values = self.settings.smf
            return [("SMF", 0)] if values is None else [(one.name, 0) for one in values]
        return [(one.name, one.lost) for one in self._smf.status()]

    def close(self) -> None:
        """The queue manager has ended."""
        for queue in self._queues.values():
            queue.end()
        if self._smf is not None:
            self._smf.close()

    def _of(self, family: str) -> Destination:
        if family == MONITOR:
            return self.monitor
        return self.smf if family == SMF else self.messages

    # ---- the destinations

    @property
    def smf(self) -> SmfDestination:
        """Where SMF records go."""
        with self._making:
            if self._smf is None:
                from ternmq.outlets.smf_destination import SmfDestination
                from ternmq.outlets.smf_settings import IN_FOLDER, IN_MEMORY

                settings = self.settings.smf
                if settings is None:
                    settings = IN_FOLDER if self.settings.folder else IN_MEMORY
                self._smf = SmfDestination(
                    self.settings.folder, settings, self._log_message, on_fault=self._on_fault
                )
            return self._smf

    @property
    def messages(self) -> MessageDestination:
        """The queues of statistics and accounting messages."""
        with self._making:
            if self._messages is None:
                from ternmq.outlets.pcf_destination import MessageDestination

                self._messages = MessageDestination(self._shell)
            return self._messages

    @property
    def monitor(self) -> MonitorDestination:
        """The topics of resources."""
        with self._making:
            if self._monitor is None:
                from ternmq.outlets.monitor_destination import MonitorDestination

                self._monitor = MonitorDestination(self._shell, self.settings.folder)
            return self._monitor

    @property
    def traces(self) -> ActivityDestination:
        """The topics of application activity trace."""
        with self._making:
            if self._traces is None:
                from ternmq.outlets.activity_destination import ActivityDestination

                self._traces = ActivityDestination(self._shell)
            return self._traces

    # ---- for people and programs

    def smf_status(self) -> list[SMFStatus]:
        """How the destinations of SMF records are doing."""
        return self.smf.status()

    def smf_switch(self, name: str = "") -> list[str]:
        """Begin new data sets or segments, of one destination or of all."""
        if name and name not in self.smf.outlets:
            raise _unknown(name, self.smf.outlets)
        return self.smf.switch(name)

    def smf_stream(self, name: str = "") -> MemoryStream:
        """The in-memory stream of that name, or the only one."""
        streams = self.smf.streams
        if not name and len(streams) == 1:
            return next(iter(streams.values()))
        if name not in streams:
            raise _unknown(name, streams)
        return streams[name]

    def smf_read(self, position: int, name: str = "", wait_s: float = 0.0) -> SMFRead:
        """Records of an in-memory stream from a number on; waits so long for the first one."""
        stream = self.smf_stream(name)
        at = stream.bounds[1] if position < 0 else position
        if wait_s > 0:
            stream.wait(at, wait_s)
        found = stream.read(at)
        return SMFRead(found.records, found.next, found.missed)

    # ---- metrics

    def serve_metrics(self, channels_max: int = 0) -> int:
        """Open the port that the settings name, once; which one it is. OSError if it cannot be."""
        if self.metrics is None:
            from ternmq.outlets.metrics import Metrics
            from ternmq.outlets.metrics_server import MetricsServer

            settings = self.settings
            port = METRICS_PORT if settings.metrics_port is None else settings.metrics_port
            metrics = Metrics(self._shell, settings.metrics_queues, channels_max)
            self.metrics = MetricsServer(
                metrics,
                settings.metrics_address,
                port,
                settings.metrics_scheme,
                log_message=self._log_message,
                on_fault=self._on_fault,
            )
        return self.metrics.port

    def disown(self) -> None:
        """In a forked child: the port is the parent's."""
        if self.metrics is not None:
            self.metrics.disown()
            self.metrics = None

    def end_metrics(self) -> None:
        """Serve them no more."""
        if self.metrics is not None:
            self.metrics.close()
            self.metrics = None


def _unknown(name: str, known: Iterable[str]) -> MQError:
    names = ", ".join(known) or "none"
    detail = f"there is no such SMF destination here; there are: {names}"
    return mq_error(MQRC_UNKNOWN_OBJECT_NAME, object=name, detail=detail)


def resident_bytes() -> int:
    """Memory that the process has; 0 where the system does not report it."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
