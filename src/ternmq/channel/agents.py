"""Which agent serves which end of a channel, by the type of the channel and who has called."""

from __future__ import annotations

from ternmq.base.object_types import CLUSSDR, SENDER, SERVER
from ternmq.channel.agent import Agent
from ternmq.channel.exit_points import ExitChain
from ternmq.channel.ping import PingingAgent
from ternmq.channel.receiver import ReceivingAgent
from ternmq.channel.sender import SendingAgent
from ternmq.channel.settings import ChannelSettings
from ternmq.wire.fap.dialogue import ACCEPTOR, INITIATOR


def make_agent(
    settings: ChannelSettings, is_initiator: bool, exits: ExitChain | None = None
) -> Agent:
    """The agent of a channel. A sender that was called calls back: it never sends on a connection
    that it has not opened."""
    role = INITIATOR if is_initiator else ACCEPTOR
    if not settings.kind & (SENDER | SERVER | CLUSSDR):
        return ReceivingAgent(settings, role, exits)
    if not is_initiator and settings.kind & SENDER:
        settings.callback_only = True
    return SendingAgent(settings, role, exits)


def ping_agent(settings: ChannelSettings, data: bytes, exits: ExitChain | None = None) -> Agent:
    """PING CHANNEL; its end is NORMAL if the data came back as it was."""
    return PingingAgent(settings, data, exits)
