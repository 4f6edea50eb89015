"""What the network needs of the queue manager's process: `server.host` has the rest of it.

The network owns this class, so that `server` stands on `network` and not the other way round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ternmq.host.jobs import Turns
from ternmq.host.loop_shell import loop_shell_of
from ternmq.host.shell import Shell
from ternmq.network.edge.identity import Identity

if TYPE_CHECKING:
    from ternmq.network.channels.channel_socket import ChannelSocket
    from ternmq.network.channels.message_channels import MessageChannels
    from ternmq.network.edge.admission import Admission
    from ternmq.network.edge.partner_socket import PartnerSocket
    from ternmq.network.edge.tcp_listener import Network
    from ternmq.network.multicast.bridge import Bridges
    from ternmq.values.multicast_terms import MulticastTerms


class CallTrace:
    """A trace of what goes in and out."""

    def __init__(self) -> None:
        self.on = False

    def record(self, component: str, verb: str, **facts: object) -> None:
        """Write one line, if it is wanted."""
        raise NotImplementedError


class NetworkHost:
    """What the sockets of one queue manager share. Made inside the loop."""

    def __init__(self, shell: Shell, sessions_max: int) -> None:
        self.shell = shell
        self.loop_shell = loop_shell_of(shell)
        self.engine = shell.engine
        self.identity = Identity(shell)
        self.turns = Turns(self.loop_shell)
        self.sockets: set[PartnerSocket] = set()  # partners from the network
        self.channel_sockets: set[ChannelSocket] = set()  # of message channels
        self.message_channels: MessageChannels | None = None
        self.bridges: Bridges | None = None  # of multicast, once a client uses it
        self.sessions_max = sessions_max  # sockets of all kinds
        self.network: Network | None = None  # what lets partners in
        self.trace: CallTrace | None = None

    @property
    def is_running(self) -> bool:
        """Whether it does not end yet."""
        raise NotImplementedError

    @property
    def own_user(self) -> str:
        """The user that the queue manager runs as."""
        raise NotImplementedError

    @property
    def open_sockets(self) -> int:
        """Of applications and partners, also of those that have not shown who they are."""
        raise NotImplementedError

    @property
    def admission(self) -> Admission:
        """Decides which partners may connect from the network."""
        if self.network is None:
            raise RuntimeError("this queue manager has no network")
        return self.network.admission

    def fault(self, error: BaseException, doing: str) -> None:
        """An unforeseen exception was raised: write a report."""
        raise NotImplementedError

    def group_joined(self, terms: MulticastTerms, local_host: str) -> None:
        """A client that has come by this address uses a multicast group."""
        if self.bridges is None:
            from ternmq.network.multicast.bridge import Bridges  # few use it

            self.bridges = Bridges(self)
        self.bridges.joined(terms, local_host)

    def leave_socket(self, socket: PartnerSocket) -> None:
        """A partner has gone, and nothing is left of it."""
        self.sockets.discard(socket)
        self.look()

    def look(self) -> None:
        """Something changed that the end may wait for."""
        raise NotImplementedError
