"""Where the kernel reports what triggers depend on.

`LocalQueue.triggered` says whether a queue has triggering at all, so that a put pays one test while
it has not. What answers is `trigger`, which puts messages itself and so stands above the verbs that
call this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ternmq.kernel.connection import Handle
    from ternmq.kernel.objects import LocalQueue
    from ternmq.txn.unit import UnitOfWork
    from ternmq.values.entry import Entry


class TriggerSink:
    """What the kernel reports. This one ignores it."""

    def __init__(self) -> None:
        self.in_units = False  # trigger messages wait for the end of their unit of work

    def was_put(
        self, local: LocalQueue, entry: Entry, unit: UnitOfWork | None, handle: Handle | None
    ) -> None:
        """A message was put on a triggered queue; by an application, if there is a handle."""

    def input_closed(self, local: LocalQueue) -> None:
        """No handle has the triggered queue open for input any more."""

    def input_opened(self, local: LocalQueue) -> None:
        """A handle has opened the queue for input; it may be a trigger monitor's."""

    def changed(self, local: LocalQueue) -> None:
        """What triggering of the queue depends on was altered."""

    def unit_ended(self, number: int) -> None:
        """A unit of work has ended, one way or the other."""
