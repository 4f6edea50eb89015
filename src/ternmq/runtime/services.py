"""What verbs ask of the queue manager's process: figures of the log, and SMF records."""

from __future__ import annotations

from ternmq.host.log_status import log_figures
from ternmq.host.shell import Shell
from ternmq.kernel.services import Services
from ternmq.outlets.measurement import Measurement
from ternmq.ports.effect import Wakeable
from ternmq.values.status import LogStatus, SMFRead, SMFStatus


class RuntimeServices(Services):
    """Those of one queue manager."""

    def __init__(self, shell: Shell, measurement: Measurement) -> None:
        self._shell = shell
        self._measurement = measurement

    def log_status(self) -> LogStatus:
        return log_figures(self._shell)

    def report(self) -> list[str]:
        return list(self._shell.engine.report)

    def smf_status(self) -> list[SMFStatus]:
        return self._measurement.smf_status()

    def smf_switch(self, name: str) -> list[str]:
        return self._measurement.smf_switch(name)

    def smf_read(self, first: int, name: str) -> SMFRead:
        return self._measurement.smf_read(first, name)

    def smf_ended(self, name: str) -> bool:
        return self._measurement.smf_stream(name).ended

    def smf_await(self, first: int, name: str, waker: Wakeable) -> bool:
        stream = self._measurement.smf_stream(name)
        stream.watch(waker.wake)
        if stream.bounds[1] <= first:
            return True
        stream.unwatch(waker.wake)
        return False

    def smf_stop_awaiting(self, name: str, waker: Wakeable) -> None:
        self._measurement.smf_stream(name).unwatch(waker.wake)
