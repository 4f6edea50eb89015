"""The instances of channels that run, how many there may be, and how they end.

MAXINST bounds the instances of a channel, MAXINSTC those from one address, MaxChannels and
MaxActiveChannels those of the queue manager (`kernel/channel_control`). DISCINT ends an instance
without a call for so long; one in a call (a get that waits) is not idle. KAINT is how long TCP
waits before it asks whether the other end is still there: AUTO is a minute more than the heartbeat
interval, 0 is never. STOP CHANNEL ends instances and, but for STATUS(INACTIVE), keeps new ones out
until START CHANNEL.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Final

from ternmq.base import constants as mq
from ternmq.base.object_types import SPACE_OF, SVRCONN
from ternmq.kernel.channel_instance import QUIESCE, STOPPING, ChannelInstance
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.parts import is_stopped
from ternmq.network.edge.admission import Peer, Refused
from ternmq.store.catalog import Definition
from ternmq.wire.fap.vocabulary import CHANNEL_UNAVAILABLE, MAX_CONNS_LIMIT_REACHED

LOOK_S: Final = 1.0
KEEP_ALIVE_MORE_S: Final = 60
KEEP_ALIVE_S_MAX: Final = 32_767  # as TCP has it
LogMessage = Callable[..., None]


class Channels:
    """All instances of a queue manager. Changed in the loop's thread, with the engine's lock held:
    commands read them with it in any thread."""

    def __init__(self, kernel: Kernel, instances_max: int, log_message: LogMessage) -> None:
        self._parts = kernel.parts
        self._meter = kernel.meter
        self._clock = kernel.clock
        self._at_work = kernel.catalog.at_work.setdefault(SPACE_OF[SVRCONN], set())
        self._parts.control.channels_max = instances_max
        kernel.meter.dispatcher.channels_max = instances_max
        self._log_message = log_message
        self._loop = asyncio.get_running_loop()
        self._last_number = 0
        self._of_channel: dict[str, int] = {}  # how many there are
        self._of_address: dict[tuple[str, str], int] = {}  # of a channel from one address
        self._idle: dict[int, tuple[int, float]] = {}  # calls at the last look, and since when
        self._timer: asyncio.TimerHandle | None = None

    @property
    def instances(self) -> dict[int, ChannelInstance]:
        """Those that there are, by their number."""
        return self._parts.instances

    def enter(self, channel: Definition, peer: Peer, now_ns: int) -> ChannelInstance:
        """A new instance of a client's channel; Refused if it may not begin."""
        self._check_room(channel, peer.address)
        instance = self.begin(channel, peer.address, now_ns)
        self.note_peer(instance, peer)
        if channel.number("disconnect_s") and self._timer is None:
            self._timer = self._loop.call_later(LOOK_S, self._look)
        return instance

    def begin(self, channel: Definition, address: str, now_ns: int) -> ChannelInstance:
        """A new instance, of any type, that may be there."""
        self._last_number += 1
        own = Definition(
            channel.object_type, channel.name, 0, dict(channel.attributes), channel.altered_ns
        )
        instance = ChannelInstance(self._last_number, own, address, now_ns)
        self.instances[instance.number] = instance
        self._count(instance, 1)
        dispatcher = self._meter.dispatcher
        if len(self.instances) > dispatcher.channels_high:
            dispatcher.channels_high = len(self.instances)
        return instance

    def note_peer(self, instance: ChannelInstance, peer: Peer) -> None:
        """The other end of its socket is known."""
        instance.host = peer.host
        instance.local_address = peer.local_address
        instance.cipher = peer.cipher
        instance.protocol = peer.protocol
        instance.certificate_subject = peer.certificate_subject
        instance.certificate_issuer = peer.certificate_issuer

    def _check_room(self, channel: Definition, address: str) -> None:
        name = channel.name
        if is_stopped(channel):
            raise Refused(CHANNEL_UNAVAILABLE, "AMQ9534E", (name,))
        control = self._parts.control
        if not control.has_room() or not control.has_place():
            raise Refused(MAX_CONNS_LIMIT_REACHED, "AMQ9513E")
        most = channel.number("max_instances")
        if self._of_channel.get(name, 0) >= most:
            raise Refused(CHANNEL_UNAVAILABLE, "AMQ9489E", (most, name))
        most = channel.number("max_client_instances")
        if self._of_address.get((name, address), 0) >= most:
            raise Refused(CHANNEL_UNAVAILABLE, "AMQ9490E", (most, name, address))

    def _count(self, instance: ChannelInstance, change: int) -> None:
        name = instance.name
        pair = (name, instance.address)
        self._of_channel[name] = self._of_channel.get(name, 0) + change
        self._of_address[pair] = self._of_address.get(pair, 0) + change
        self._at_work.add(name)
        if not self._of_channel[name]:
            del self._of_channel[name]
            self._at_work.discard(name)
        if not self._of_address[pair]:
            del self._of_address[pair]

    def leave(self, instance: ChannelInstance) -> None:
        """An instance has ended."""
        if self.instances.pop(instance.number, None) is not None:
            self._count(instance, -1)
            control = self._parts.control
            control.fill()
            if control.to_dial:
                self._parts.look_at_channels()
            meter = self._meter
            if meter.channels_wanted:
                instance.stopped_ns = int(self._clock.now_ns())
                meter.channels_gone.append(instance)
            self._idle.pop(instance.number, None)

    def keep_alive(self, instance: ChannelInstance, peer: Peer) -> None:
        """Have TCP ask now and then whether the partner is still there."""
        interval_s = instance.channel.number("keep_alive_s")
        if interval_s == mq.MQKAI_AUTO:
            interval_s = instance.heartbeat_s + KEEP_ALIVE_MORE_S if instance.heartbeat_s else 0
        sock = None if peer.transport is None else peer.transport.get_extra_info("socket")
        if sock is None or interval_s <= 0:
            return
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_KEEPIDLE"):
            seconds = min(interval_s, KEEP_ALIVE_S_MAX)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, seconds)

    # ---- ends

    def ask_to_stop(self, instances: list[ChannelInstance], mode: int) -> None:
        """Begin to end instances; from any thread, with the engine's lock."""
        for instance in instances:
            instance.status = STOPPING
            instance.stop_requested = True
            self._loop.call_soon_threadsafe(self._stop, instance, mode)

    def _stop(self, instance: ChannelInstance, mode: int) -> None:
        if instance.number in self.instances and instance.ask_to_stop is not None:
            self._log_message("AMQ9258E", instance.name)
            instance.ask_to_stop(mode)

    def _look(self) -> None:
        """End what has been idle for too long."""
        self._timer = None
        now = self._loop.time()
        watched = False
        for instance in list(self.instances.values()):
            if instance.channel.object_type != SVRCONN:
                continue  # an agent has its own DISCINT
            limit_s = instance.channel.number("disconnect_s")
            if limit_s <= 0:
                continue
            watched = True
            calls = int(instance.messages)
            before, since = self._idle.get(instance.number, (-1, now))
            if calls != before or instance.calls_under_way > 0:
                self._idle[instance.number] = (calls, now)
            elif now - since >= limit_s and instance.ask_to_stop is not None:
                self._log_message("AMQ9545I", instance.name)
                instance.status = STOPPING
                instance.ask_to_stop(QUIESCE)
        if watched:
            self._timer = self._loop.call_later(LOOK_S, self._look)

    def close(self) -> None:
        """No more looks."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
