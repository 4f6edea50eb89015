"""One instance of a message channel while the network runs it."""

from __future__ import annotations

import asyncio

from ternmq.channel.agent import End
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.network.channels.agent_driver import AgentDriver
from ternmq.store.catalog import Definition


class ChannelRun:
    """From its start to its end, over more than one socket if a requester is called back."""

    def __init__(
        self, instance: ChannelInstance, definition: Definition, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.instance = instance
        self.definition = definition
        self.user = ""  # as whom it runs; "": as the queue manager
        self.partner_qmgr = ""  # as it says
        self.address = ""  # of the partner, once there is a socket
        self.driver: AgentDriver | None = None
        self.task: asyncio.Task[None] | None = None  # that dials
        self.timer: asyncio.TimerHandle | None = None  # while a call back is waited for
        self.stop_mode = 0
        self.restarts = False  # once it has ended, it is started again at once: for new keys of TLS
        self.gone: asyncio.Future[End] = loop.create_future()

    @property
    def awaits_callback(self) -> bool:
        """A requester that waits for its sender's call."""
        return self.timer is not None

    @property
    def is_ending(self) -> bool:
        """Whether it will be gone by itself."""
        return self.driver is not None and self.driver.is_ending

    def finish(self) -> None:
        """Nothing is waited for any more."""
        if self.task is not None:
            self.task.cancel()
            self.task = None
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
