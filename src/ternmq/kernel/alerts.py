"""Alerts: a connection with several consumers is woken when one of its queues may have a message.

An alert belongs to a handle. Whatever makes a message available, or changes what a get would
answer, raises it; then it is off the queue's list and costs no put anything. `set_alert` sets it
again before its caller looks, so nothing comes unseen in between. A new alert is raised.
"""

from __future__ import annotations

from itertools import islice
from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.kernel.connection import Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.waiters import Alert, AlertWait
from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect

RAISED_AT_ONCE: Final = 256  # alerts that one step raises; later steps raise the rest


def set_alert(kernel: Kernel, handle: Handle) -> bool:
    """Whether the alert of a handle was raised since it was set; it is set again."""
    local = handle.local
    if local is None or local.deleted or not _may_get(handle):
        return True  # a get says why
    alert = handle.alert
    if alert is None:
        alert = Alert(handle.key)
        handle.alert = alert
    if not alert.is_raised:
        return False
    alert.is_raised = False
    waiters = local.waiters
    waiters.alerts[alert.key] = alert
    waiters.count += 1
    kernel.waits += 1
    return True


def _may_get(handle: Handle) -> bool:
    return handle.input != 0 or handle.options & mq.MQOO_BROWSE != 0


def raise_alerts(kernel: Kernel, local: LocalQueue) -> None:
    """A message has come, or a get would answer something else than before."""
    alerts = local.waiters.alerts
    if alerts:
        _raise_oldest(kernel, local, len(alerts))


def _raise_oldest(kernel: Kernel, local: LocalQueue, count: i64) -> None:
    waiters = local.waiters
    now: i64 = count
    if now > RAISED_AT_ONCE:
        now = RAISED_AT_ONCE
    for alert in list(islice(waiters.alerts.values(), now)):
        _take_off(kernel, local, alert)
        if alert.wait is not None:
            end_wait(kernel, alert.wait)
    if count > now:
        kernel.outbox.add(RaiseRest(kernel, local, count - now))


def end_wait(kernel: Kernel, wait: AlertWait) -> None:
    """Wake the caller that waits, unless it was woken already."""
    waker = wait.waker
    wait.waker = None
    kernel.outbox.wake(waker)


def _take_off(kernel: Kernel, local: LocalQueue, alert: Alert) -> None:
    alert.is_raised = True
    del local.waiters.alerts[alert.key]
    local.waiters.count -= 1
    kernel.waits -= 1


def raise_alert(kernel: Kernel, handle: Handle) -> None:
    """A get by this handle alone would answer something else than before."""
    alert = handle.alert
    local = handle.local
    if alert is not None and local is not None and not alert.is_raised:
        _take_off(kernel, local, alert)
        if alert.wait is not None:
            end_wait(kernel, alert.wait)


def drop_alert(kernel: Kernel, handle: Handle) -> None:
    """The handle is being closed."""
    alert = handle.alert
    local = handle.local
    if alert is not None and local is not None:
        handle.alert = None
        if not alert.is_raised:
            _take_off(kernel, local, alert)


@final
class RaiseRest(Effect):
    """Raises alerts that one step did not. There is nothing to run outside a step."""

    def __init__(self, kernel: Kernel, local: LocalQueue, count: i64) -> None:
        super().__init__()
        self.kernel = kernel
        self.local = local
        self.count: i64 = count

    def run(self, disk: Disk) -> None:
        pass

    def fail(self, error: OSError) -> None:
        """A signal came while nothing was run: they are raised all the same."""
        self.complete()

    def complete(self) -> None:
        count: i64 = len(self.local.waiters.alerts)
        if self.count < count:
            count = self.count
        _raise_oldest(self.kernel, self.local, count)
