"""An operator of channels in a simulated world, who resolves a batch in doubt as the partner's
record says, and resets sequence numbers.

RESOLVE CHANNEL is for a partner that cannot be asked; a wrong word of an operator loses or doubles
a batch, so this one looks first. The channel is held meanwhile: it is neither called nor let in.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.errors import MQError
from ternmq.kernel.channel_in_doubt import batch_of_channel
from ternmq.kernel.channel_instance import FORCE
from ternmq.kernel.channel_orders import Resetting, Resolving
from ternmq.kernel.channel_states import StateReading, open_sync_queue
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.testing.channel_node import ChannelDefinition, ChannelNode
from ternmq.testing.clients import Doing
from ternmq.testing.node import Node, NodeDown
from ternmq.testing.verbs import TURN, Steps
from ternmq.testing.world import Ask, Client, Pause

LOOKS: Final = 40  # for the end of a channel
LOOK_S: Final = 0.02


class ChannelOperator:
    """Does one thing to one channel."""

    def __init__(self, name: str, here: ChannelNode, there: ChannelNode) -> None:
        self.name = name
        self.here = here  # the sending end
        self.there = there
        self.resolved = 0
        self.resets = 0

    @property
    def ends(self) -> list[tuple[ChannelNode, ChannelDefinition]]:
        return [(one, one.channels[self.name]) for one in (self.here, self.there)]

    def resolve(self) -> Client:
        """RESOLVE CHANNEL, if a batch is in doubt."""
        yield from self._held(self._resolve())

    def reset(self, sequence: int) -> Client:
        """RESET CHANNEL at the sending end."""
        yield from self._held(self._reset(sequence))

    def _held(self, doing: Doing) -> Doing:
        for _, channel in self.ends:
            channel.is_held = True
            for end in list(channel.ends):
                end.stop(FORCE)
        try:
            for _ in range(LOOKS):
                if not any(end.is_alive for _, channel in self.ends for end in channel.ends):
                    yield from doing
                    break
                yield Pause(LOOK_S)
        except (NodeDown, MQError) as error:
            self.here.world.note(f"{self.name}: the operator is answered {error}")
        for _, channel in self.ends:
            channel.is_held = False

    def _resolve(self) -> Doing:
        node = self.here.node
        partner = self.there.node
        if not node.is_up or not partner.is_up:
            return
        batch = batch_of_channel(node.engine.kernel, self.name, partner.name)
        if batch is None:
            return
        luwid = batch.luwid
        last = yield Ask(partner, self._last_luwid())
        yield Ask(node, self._order("RESOLVE", Resolving(self.name, last == luwid)))
        self.resolved += 1

    def _reset(self, sequence: int) -> Doing:
        node = self.here.node
        if node.is_up:
            yield Ask(node, self._order("RESET", Resetting(self.name, True, sequence)))
            self.resets += 1

    def _order(self, verb: str, order: Resolving | Resetting) -> Steps[None]:
        """At the sending end, forced before it is answered."""
        node = self.here.node
        self.here.world.note(f"{self.name}: {verb}")
        link = node.connect("operator")
        yield from _attempts(node, link, verb, order)
        yield int(link.durable_at)
        yield from node.verbs.disconnect(link, True)

    def _last_luwid(self) -> Steps[bytes]:
        """What the receiving end has committed last."""
        node = self.there.node
        link = node.connect("operator")
        reader = _StateReader(self.name, self.here.node.name)
        yield from _attempts(node, link, "READ_STATE", reader)
        yield from node.verbs.disconnect(link, True)
        return reader.luwid


def _attempts(
    node: Node, link: Connection, verb: str, order: Resolving | Resetting | _StateReader
) -> Steps[None]:
    """What a command's step does: compiled steps have no interpreted subclasses."""
    shell = node.verbs.shell
    while True:
        with shell.lock:
            done = order.go_on(shell.engine.kernel, link, verb)
            shell.settle()
        if done:
            return
        if link.park is not None:
            yield from node.verbs.unpark(link)
        else:
            yield TURN


@final
class _StateReader:
    """Reads the state of a channel that one end has."""

    def __init__(self, channel: str, partner: str) -> None:
        self.channel = channel
        self.partner = partner
        self.luwid = b""
        self._handle: Handle | None = None
        self._reading: StateReading | None = None

    def go_on(self, kernel: Kernel, link: Connection, verb: str) -> bool:
        if self._handle is None:
            self._handle = open_sync_queue(kernel, link, verb)
            if self._handle is None:
                return False
        if self._reading is None:
            self._reading = StateReading(self._handle, self.channel, self.partner, False)
        if not self._reading.go_on(kernel):
            return False
        self.luwid = self._reading.state.last_luwid
        return True
