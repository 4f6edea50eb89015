"""Waiting for a message on any of several open queues, without getting it: what a connection with
several consumers does between its gets."""

from __future__ import annotations

from typing import final

from ternmq.values.calls.call import Call
from ternmq.values.handle import ObjectHandle


@final
class AwaitMessages(Call):
    """Which of some open queues may have a message, or a reason why not, that their connection has
    not looked for yet. The first call names all; after that a queue is named once for each time
    that something came. So its caller gets from a queue that is named until it is empty.

    `connection` is the connection's id. If the queue manager knows the connection by another one,
    the client has reconnected while the call was under way, and the handles have other numbers now:
    the call is stale, and is made again.
    """

    def __init__(self, handles: list[ObjectHandle], connection: str, wait_ms: int) -> None:
        super().__init__("await_messages", "MQGET")
        self.handles = handles
        self.connection = connection
        self.wait_ms = wait_ms
        self.wait_s = wait_ms / 1000
        self.ready: list[int] = []  # numbers of handles
        self.is_stale = False
        self.is_interrupted = False  # by another thread of this process

    def lacks(self) -> bool:
        return not self.ready and not self.is_stale and not self.is_interrupted
