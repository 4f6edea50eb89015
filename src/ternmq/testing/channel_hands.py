"""Carries out the wants of an agent on a queue manager of a simulated world, by the steps that the
drivers of the network attempt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ternmq.channel.agent import Agent, Want
from ternmq.kernel.channel_work import ChannelWork, await_message, stop_awaiting
from ternmq.mqi.steps.channel_receiving import receiving_step
from ternmq.mqi.steps.channel_sending import sending_step
from ternmq.ports.effect import Wakeable
from ternmq.testing.node import Node
from ternmq.testing.verbs import Steps

if TYPE_CHECKING:
    from ternmq.testing.channel_node import ChannelDefinition


class Hands:
    """What a queue manager holds for one end of a channel, and the connection for it."""

    def __init__(self, node: Node, channel: ChannelDefinition, agent: Agent) -> None:
        self.node = node
        self.agent = agent
        self.sends = channel.sends
        settings = channel.settings
        definition = node.engine.kernel.catalog.find(settings.kind, settings.name)
        assert definition is not None, settings.name
        self.work = ChannelWork(definition, settings, channel.queue, channel.place)
        self.link = node.verbs.connect("channel", settings.name)

    def carry_out(self, want: Want, worked: Callable[[], None]) -> Steps[None]:
        """Do what is wanted; the end is when the log is forced so far."""
        self.work.partner_qmgr = self.agent.partner_qmgr
        make = sending_step if self.sends else receiving_step
        step = make(self.work, want)
        yield from self.node.verbs.attempts(self.link, step)
        worked()
        yield int(self.link.durable_at)

    def leave(self) -> Steps[None]:
        """The end of the connection backs out the batch that is open."""
        yield from self.node.verbs.disconnect(self.link, True)

    def watch(self, waker: Wakeable) -> bool:
        """Have it woken when the transmission queue may have a message; False: it may now."""
        shell = self.node.verbs.shell
        with shell.lock:
            found = await_message(shell.engine.kernel, self.link, self.work, waker)
            shell.flush()
        return found

    def stop_watching(self) -> None:
        shell = self.node.verbs.shell
        with shell.lock:
            stop_awaiting(shell.engine.kernel, self.work)
