"""The notification that a get was cancelled, sent again until the client shows that it has it.

IBM's client lets go of its lock while it sends a request, and forgets afterwards what came
meanwhile: a failure that overtakes the thread that asked is lost, and the get waits to its end. A
request or MQCLOSE on the handle shows that it was not. A client that has it and does nothing more
on the handle takes no harm: its next get asks, whatever it was notified of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from ternmq.host.jobs import Job
from ternmq.network.clients.notifications import PUSHED, notify
from ternmq.wire.fap.vocabulary import STREAMING_FAILURE

if TYPE_CHECKING:
    from ternmq.network.clients.consumers import Consumer

FIRST_NS: Final = 50_000_000
_LAST_NS: Final = 32 * FIRST_NS  # twice as long each time


@final
class RepeatedCancel(Job):
    """Of one get."""

    def __init__(self, consumer: Consumer, reason: int) -> None:
        super().__init__(consumer.turns)
        self._consumer = consumer
        self._reason = reason
        self._after_ns = FIRST_NS
        consumer.ahead.is_cancelled = True
        self._wait()

    def _wait(self) -> None:
        self.turns.at(self, int(self.turns.clock.monotonic_ns()) + self._after_ns)

    def time_is_over(self) -> None:
        consumer = self._consumer
        if not consumer.ahead.is_cancelled:
            return
        conversation = consumer.conversation
        notify(conversation, consumer.handle.handle_id, STREAMING_FAILURE, self._reason, PUSHED)
        self._after_ns *= 2
        if self._after_ns <= _LAST_NS:
            self._wait()
