"""What the driver of an agent waits for, beside its socket: a force, time, room in the socket, a
message on the transmission queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.base.errors import MQError
from ternmq.channel.channel_agent import timeout_s
from ternmq.host.jobs import Job

if TYPE_CHECKING:
    from ternmq.network.channels.agent_driver import AgentDriver

_NS: Final = 1_000_000_000


class HeldAnswer(Job):
    """The force of a batch that was received, while the next one comes."""

    def __init__(self, driver: AgentDriver) -> None:
        super().__init__(driver.turns)
        self._driver = driver

    def is_gone(self) -> bool:
        return self._driver.is_gone()

    def forced(self, error: MQError | None) -> None:
        self._driver.answer_forced(error)


class DriverDeadline(Job):
    """The agent's deadline."""

    def __init__(self, driver: AgentDriver) -> None:
        super().__init__(driver.turns)
        self._driver = driver

    def time_is_over(self) -> None:
        self._driver.time_has_come()


class Stall(Job):
    """Looks at a socket that is full: one that takes nothing for as long as silence may last is
    lost. The agent cannot see it, as it waits for a message that it may not have yet."""

    def __init__(self, driver: AgentDriver) -> None:
        super().__init__(driver.turns)
        self._driver = driver
        self._sent_bytes = 0

    def begin(self) -> None:
        """The socket has no room."""
        limit_s = timeout_s(self._driver.agent.heartbeat_s)
        if self.due_ns or not limit_s:
            return
        self._sent_bytes = self._driver.socket.outlet.sent_bytes()
        self.turns.at(self, self._driver.now_ns() + limit_s * _NS)

    def time_is_over(self) -> None:
        sock = self._driver.socket
        if sock.is_writable:
            return
        if sock.outlet.sent_bytes() == self._sent_bytes:
            sock.give_up("it has taken nothing for as long as silence may last")
        else:
            self.begin()


class MessageWatch(Job):
    """Waits for a message on the transmission queue."""

    def __init__(self, driver: AgentDriver) -> None:
        super().__init__(driver.turns)
        self._driver = driver
        self._is_on = False

    def begin(self) -> None:
        """Have this woken when there is a message."""
        engine = self._driver.engine
        if self._is_on or engine is None:
            return
        self._is_on = True
        if not engine.watch(self):
            self.turns.later(self)  # there is one already

    def end(self) -> None:
        """There is nothing to wait for any more."""
        engine = self._driver.engine
        if self._is_on and engine is not None:
            self._is_on = False
            engine.stop_watching()

    def go_on(self) -> None:
        if self._is_on:
            self._is_on = False
            self._driver.message_there()
