"""What callbacks were called with, for tests that wait for it."""

from __future__ import annotations

import threading
from typing import Any

import ternmq
from ternmq.base import constants_all as mq

CALL_TYPES = {
    value: name.removeprefix("MQCBCT_")
    for name, value in vars(mq).items()
    if name.startswith("MQCBCT_")
}


class Recorded:
    """Messages and events, in order."""

    def __init__(self) -> None:
        self.data: list[bytes] = []
        self.calls: list[tuple[str, int, int]] = []  # call type, reason, state
        self.contexts: list[ternmq.CallContext] = []
        self.changed = threading.Condition()

    def take(self, message: ternmq.Message) -> None:
        with self.changed:
            self.data.append(message.data)
            self.changed.notify_all()

    def event(self, context: ternmq.CallContext) -> None:
        with self.changed:
            self.contexts.append(context)
            kind = CALL_TYPES[context.call_type]
            self.calls.append((kind, context.reason, context.state))
            self.changed.notify_all()

    def until(self, messages: int = 0, calls: int = 0) -> None:
        """Wait for so many of each."""
        with self.changed:
            enough = self.changed.wait_for(
                lambda: len(self.data) >= messages and len(self.calls) >= calls, 10
            )
        assert enough, (self.data, self.calls)

    @property
    def reasons(self) -> list[int]:
        return [reason for _, reason, _ in self.calls]


def numbered(count: int, prefix: str = "") -> list[bytes]:
    return [f"{prefix}{number}".encode() for number in range(count)]


def put_all(connection: Any, queue: str, data: list[bytes]) -> None:
    for one in data:
        connection.put(queue, one)
