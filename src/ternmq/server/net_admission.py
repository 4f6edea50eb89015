"""Who may come in by the network, on which channel and as whom.

The seam between the sockets (`net_socket`, `net_opening`) and the rules (channel definitions,
CHLAUTH, CONNAUTH, limits). A socket is made by the listener as `NetSocket(host, peer)`, where
`peer` is a `Peer` and `host.admission` the `Admission`; in this order it

    peer.connected(transport)       in connection_made: address, and what TLS has found out
    admission.channel(asked, peer)  for the first initial data: an instance, or Refused
    await admission.user(...)       for each conversation, once USERID_DATA and CONAUTH_INFO came
    admission.leave(instance)       once, if there was an instance
    peer.lost()                     in connection_lost, always

A peer that has not got through `user` within AUTHENTICATE_S is cut off by the listener, which also
counts how many such there are. `instance.ask_to_stop` is set by the socket; it is called in the
loop's thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from ternmq.kernel.channel_instance import ChannelInstance as ChannelInstance
from ternmq.wire.fap_initial_data import InitialData

__all__ = ["Admission", "ChannelInstance", "Peer", "Refused"]

AUTHENTICATE_S: Final = 60.0


class Refused(Exception):
    """A partner that may not come in: what STATUS_DATA tells it, and what the error log says."""

    def __init__(self, status: int, message_id: str, inserts: tuple[object, ...] = ()) -> None:
        super().__init__(status, message_id, inserts)
        self.status = status  # a code of STATUS_DATA
        self.message_id = message_id
        self.inserts = inserts


class Peer:
    """The other end of one socket."""

    def __init__(self, address: str, port: int, local_address: str = "") -> None:
        self.address = address
        self.port = port
        self.local_address = local_address
        self.host = ""  # its name, where a rule wanted it looked up
        self.is_tls = False
        self.cipher = ""  # CipherSpec by MQ's name
        self.protocol = "NONE"  # NONE, TLSV12, TLSV13
        self.certificate_subject = ""  # distinguished name in MQ's order; "" without a certificate
        self.certificate_issuer = ""
        self.transport: asyncio.Transport | None = None
        self.is_authenticated = False
        self.on_authenticated: Callable[[], None] | None = None  # the listener's
        self.on_lost: Callable[[], None] | None = None

    def connected(self, transport: asyncio.Transport) -> None:
        """The socket is there; with TLS, after the handshake."""
        self.transport = transport

    def authenticated(self) -> None:
        """It has shown who it is: it no longer counts among those that have not."""
        if not self.is_authenticated:
            self.is_authenticated = True
            if self.on_authenticated is not None:
                self.on_authenticated()

    def lost(self) -> None:
        """The socket is gone."""
        if self.on_lost is not None:
            self.on_lost()

    @property
    def connection_name(self) -> str:
        """As CONNAME shows it."""
        return self.address


class Admission:
    """Lets partners in. One for all sockets of a queue manager; used in the loop's thread."""

    def channel(self, asked: InitialData, peer: Peer) -> ChannelInstance:
        """The instance for a partner's first initial data; Refused if there may be none."""
        raise NotImplementedError

    async def user(
        self,
        instance: ChannelInstance,
        peer: Peer,
        client_user: str,
        csp_user: str,
        csp_password: str | None,
        application: str = "",
    ) -> str:
        """The user that a conversation runs as; MQError with MQRC_NOT_AUTHORIZED if none.

        `client_user` is USERID_DATA's (the long one where there is one), the other two are of
        CONAUTH_INFO; a password of None says that there was none.
        """
        raise NotImplementedError

    def leave(self, instance: ChannelInstance) -> None:
        """The socket of an instance is gone."""
        raise NotImplementedError
