"""What the edge writes to the error log, within bounds: unauthenticated connections cause these
messages, and a thousand of them a second must not fill the log or keep the loop busy writing it.

Of each message so many are written in an interval; the rest is counted, and the count is logged
when the interval is over and the message comes again, or when the queue manager ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

LogMessage = Callable[..., None]
MESSAGES_MAX: Final = 50
INTERVAL_S: Final = 10.0
ALWAYS: Final = ("AMQ5026I", "AMQ5027I", "AMQ9218E")  # an operator causes these


class LogThrottle:
    """A function that logs a message, or does not."""

    def __init__(self, log_message: LogMessage, now: Callable[[], float] = time.monotonic) -> None:
        self._log_message = log_message
        self._now = now
        self._begun: dict[str, float] = {}  # the interval of a message
        self._reported: dict[str, int] = {}  # how often it came in it

    def __call__(self, message_id: str, *inserts: object) -> None:
        """Log a message of the table, unless it was logged often enough."""
        if message_id not in ALWAYS and not self._may_log(message_id):
            return
        self._log_message(message_id, *inserts)

    def _may_log(self, message_id: str) -> bool:
        now = self._now()
        if now - self._begun.get(message_id, now - INTERVAL_S) >= INTERVAL_S:
            self._log_rest(message_id)
            self._begun[message_id] = now
            self._reported[message_id] = 0
        self._reported[message_id] += 1
        return self._reported[message_id] <= MESSAGES_MAX

    def _log_rest(self, message_id: str) -> None:
        rest = self._reported.get(message_id, 0) - MESSAGES_MAX
        if rest > 0:
            text = f"{message_id} came {rest} times more, which was not written"
            self._log_message("AMQ9492E", text)
            self._reported[message_id] = 0

    def close(self) -> None:
        """Log what was counted and not logged yet."""
        for message_id in list(self._reported):
            self._log_rest(message_id)
