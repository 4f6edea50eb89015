"""The message channels of one queue manager in a simulated world: what listener and initiator do.

A channel that is started connects, and connects again a while after each failure, until it is
stopped or its agent says that a retry is of no use. A call for a channel that still has an end here
(its connection was lost, and this side does not know) adopts it: the old end is ended first. What
is started survives a restart of the queue manager.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.api import definitions
from ternmq.base import object_types as kinds
from ternmq.channel.agent import CALL_BACK, NO_RETRY, Agent, End
from ternmq.channel.agents import make_agent
from ternmq.channel.settings import ChannelSettings
from ternmq.kernel.channel_instance import QUIESCE
from ternmq.testing.channel_end import BYTES_MAX, ChannelEnd, Observer
from ternmq.testing.node import Node
from ternmq.testing.sim_network import SimLink
from ternmq.values.calls.administration import RunCommands
from ternmq.values.command import Command
from ternmq.wire.fap.initial_data import read_initial_data
from ternmq.wire.fap.segment import SegmentError
from ternmq.wire.fap.segment_reader import SegmentReader

if TYPE_CHECKING:
    from ternmq.testing.world import World

RETRY_S: Final = (0.02, 0.2)
ADOPT_S: Final = 0.005
CALL_BACK_S: Final = 2.0  # so long a requester waits for its sender's call


class ChannelDefinition:
    """A channel as one queue manager has it."""

    def __init__(self, settings: ChannelSettings, place: str = "", queue: str = "") -> None:
        self.settings = settings
        self.place = place  # of the partner, for one that calls: CONNAME
        self.queue = queue  # of one that sends: XMITQ
        self.is_started = False
        self.is_stopped = False  # by an operator, or because no retry helps
        self.is_held = False  # not called now, nor let in: a test looks at it
        self.waits_until_s = 0.0  # for a call back
        self.ends: list[ChannelEnd] = []
        self.last_end: End | None = None
        self.connections = 0

    @property
    def sends(self) -> bool:
        return self.settings.kind in (kinds.SENDER, kinds.SERVER)

    @property
    def last_text(self) -> str:
        """How it has ended last."""
        end = self.last_end
        return "" if end is None else f"{end.message_id} {end.inserts} {end.status}"


class ChannelNode:
    """Listener and initiator of a node."""

    def __init__(self, world: World, node: Node, observer: Observer | None = None) -> None:
        self.world = world
        self.node = node
        self.observer = observer or Observer()
        self.chance = world.chance.branch(f"{node.name}.channels")
        self.retry_s = RETRY_S
        self.channels: dict[str, ChannelDefinition] = {}
        world.net.listen(node.name, self._accept)

    def define(self, channel: ChannelDefinition) -> ChannelDefinition:
        self.channels[channel.settings.name] = channel
        return channel

    # ---- the initiator

    def start(self, name: str) -> None:
        """START CHANNEL."""
        channel = self.channels[name]
        channel.is_stopped = False
        if channel.place and not channel.is_started:
            channel.is_started = True
            self._connect(channel)

    def stop(self, name: str, mode: int = QUIESCE) -> None:
        """STOP CHANNEL."""
        channel = self.channels[name]
        channel.is_stopped = True
        for end in list(channel.ends):
            end.stop(mode)

    def is_running(self, name: str) -> bool:
        return any(end.is_alive for end in self.channels[name].ends)

    def _connect(self, channel: ChannelDefinition) -> None:
        """Call the partner, unless there is a reason not to; look again later."""
        self._drop_dead(channel)
        if channel.is_stopped:
            channel.is_started = False
            return
        is_free = not channel.ends and not channel.is_held
        if self.node.is_up and is_free and self.world.now_s >= channel.waits_until_s:
            self._call(channel)
        self.world.after(self.chance.uniform(*self.retry_s), lambda: self._connect(channel))

    def _call(self, channel: ChannelDefinition) -> None:
        channel.connections += 1
        link = self.world.net.connect(channel.place, self.node.name)
        end = self._make(channel, link, True)
        self.observer.dials(end)
        end.start()

    def _make(self, channel: ChannelDefinition, link: SimLink, calls: bool) -> ChannelEnd:
        agent = self._agent(channel, calls)
        end = ChannelEnd(self, channel, agent, link, calls)
        channel.ends.append(end)
        return end

    def _drop_dead(self, channel: ChannelDefinition) -> None:
        channel.ends = [end for end in channel.ends if end.is_alive]

    def dropped(self, end: ChannelEnd) -> None:
        """An end is gone."""
        channel = end.channel
        channel.last_end = end.agent.end
        if end in channel.ends:
            channel.ends.remove(end)
        kind = -1 if channel.last_end is None else channel.last_end.kind
        if kind == NO_RETRY:
            channel.is_stopped = True
        elif kind == CALL_BACK and not channel.sends:
            channel.waits_until_s = self.world.now_s + CALL_BACK_S
        elif kind == CALL_BACK and not channel.ends:
            self._call(channel)

    # ---- the listener

    def _accept(self, link: SimLink) -> None:
        """A connection has come: its first frame names the channel."""
        if not self.node.is_up:
            link.close()
            return
        life = self.node.life
        reader = SegmentReader(BYTES_MAX)
        kept = bytearray()

        def take(data: bytes) -> None:
            if self.node.life != life or not self.node.is_up:
                return
            kept.extend(data)
            reader.feed(data)
            try:
                one = reader.next()
                named = read_initial_data(one).channel_name if one is not None else None
            except SegmentError:
                link.close()
                return
            if named is not None:
                link.on_bytes = lambda more: kept.extend(more)
                self._enter(named.rstrip(), link, kept)

        link.on_bytes = take

    def _enter(self, name: str, link: SimLink, kept: bytearray) -> None:
        """A partner calls a channel. An end that is left of an older call is ended first."""
        channel = self.channels.get(name)
        if channel is None or channel.is_stopped or channel.is_held or not self.node.is_up:
            link.close()
            return
        self._drop_dead(channel)
        if channel.ends:
            for end in channel.ends:
                end.lose("a newer call adopts the channel")
            self.world.after(ADOPT_S, lambda: self._enter(name, link, kept))
            return
        channel.connections += 1
        end = self._make(channel, link, False)
        self.observer.accepted(end)
        end.start(bytes(kept))

    def _agent(self, channel: ChannelDefinition, calls: bool) -> Agent:
        settings = _copy(channel.settings)
        settings.started_s = self.node.clock.now_ns() // 1_000_000_000
        settings.address = channel.place
        return make_agent(settings, calls)


def _copy(settings: ChannelSettings) -> ChannelSettings:
    """`copy` cannot make a compiled object."""
    fresh = ChannelSettings(settings.name, settings.kind, settings.qmgr_name)
    for name in dir(fresh):
        if not name.startswith("_"):
            setattr(fresh, name, getattr(settings, name))
    return fresh


# ---- definitions


def define_channel(name: str, kind: int, partner: str) -> RunCommands:
    """DEFINE CHANNEL, with the partner's transmission queue where it sends."""
    command = Command("DEFINE", "CHANNEL", name)
    command.given = {"CHLTYPE": kinds.BY_BIT[kind].noun, "TRPTYPE": "TCP"}
    if kind in (kinds.SENDER, kinds.SERVER):
        command.given["XMITQ"] = partner
    if kind in (kinds.SENDER, kinds.REQUESTER):
        command.given["CONNAME"] = partner
    return RunCommands([command], verb="DEFINE CHANNEL")


def define_remote(name: str, queue: str, partner: str) -> RunCommands:
    """DEFINE QREMOTE."""
    given = {"remote_queue": queue, "remote_qmgr": partner, "transmission_queue": partner}
    return definitions.define(kinds.REMOTE, name, given, False)
