"""Which clients may connect over the network, on which channel and as which user.

The seam between the sockets (`partner_socket`, `server_dialogue`) and the rules (channel
definitions, CHLAUTH, CONNAUTH, limits). A socket is made by the listener as
`NetSocket(host, peer)`, where `peer` is a `Peer` and `host.admission` the `Admission`; in this
order it

    peer.connected(transport)       in connection_made: address, and what TLS has found out
    admission.channel(asked, peer)  for the first initial data: an instance, or Refused
    await admission.user(...)       for each conversation, once USERID_DATA and CONAUTH_INFO came
    admission.broken(...)           if the partner went away in the middle of a conversation
    admission.leave(instance)       once, if there was an instance
    peer.lost()                     in connection_lost, always

A peer that has not got through `user` in time is cut off by the listener, which also counts how
many such there are. `instance.ask_to_stop` is set by the socket; it is called in the loop's thread.
Whatever is refused is written to the error log here.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.object_types import CLNTCONN, SVRCONN
from ternmq.kernel.channel_instance import RUNNING
from ternmq.kernel.channel_instance import ChannelInstance as ChannelInstance
from ternmq.remote.fap.certificates import facts
from ternmq.security.patterns import peer_matches
from ternmq.store.catalog import Definition
from ternmq.wire.cipher_specs import cipher_specs_of
from ternmq.wire.fap.initial_data import InitialData
from ternmq.wire.fap.vocabulary import (
    CAP_MQI,
    CHANNEL_WRONG_TYPE,
    CIPHER_SPEC,
    NO_CHANNEL,
    PEER_NAME,
    QM_TERMINATING,
    SSL_CLIENT_CERTIFICATE,
)

if TYPE_CHECKING:
    from ternmq.network.edge.channel_instances import Channels
    from ternmq.network.edge.channel_users import Users
    from ternmq.network.edge.network_host import NetworkHost

__all__ = ["Admission", "ChannelInstance", "Peer", "Refused"]

LogMessage = Callable[..., None]
_IPV6_PREFIX: Final = 64  # of the networks that are given out
# What an SSL event says about a refusal because of TLS.
_QUALIFIERS: Final[dict[int, int]] = {
    CIPHER_SPEC: mq.MQRQ_SSL_CIPHER_SPEC_ERROR,
    PEER_NAME: mq.MQRQ_SSL_PEER_NAME_ERROR,
    SSL_CLIENT_CERTIFICATE: mq.MQRQ_SSL_CLIENT_AUTH_ERROR,
}


class Refused(Exception):
    """A partner that may not come in: what STATUS_DATA says to it, and what the error log says."""

    def __init__(self, status: int, message_id: str, inserts: tuple[object, ...] = ()) -> None:
        super().__init__(status, message_id, inserts)
        self.status = status  # a code of STATUS_DATA
        self.message_id = message_id
        self.inserts = inserts


def origin_of(address: str) -> str:
    """The address; of IPv6 the network, as a host with one address there has 2**64 of them."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return address
    return str(ipaddress.ip_network((parsed, _IPV6_PREFIX), strict=False))


class Peer:
    """The other end of one socket."""

    def __init__(self, address: str, port: int, local_address: str = "") -> None:
        self.address = address
        self.origin = origin_of(address)  # by which sockets are counted
        self.port = port
        self.local_address = local_address
        self.host = ""  # its name, where a rule wanted it looked up
        self.server_name = ""  # that its handshake asked for
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
        ssl_object = transport.get_extra_info("ssl_object")
        if ssl_object is not None:
            self.is_tls = True
            self.cipher, self.protocol, self.certificate_subject, self.certificate_issuer = facts(
                ssl_object
            )

    def authenticated(self) -> None:
        """It has shown who it is: it no longer counts among those that have not."""
        if not self.is_authenticated:
            self.is_authenticated = True
            if self.on_authenticated is not None:
                self.on_authenticated()

    def lost(self) -> None:
        """The socket is gone."""
        self.transport = None
        if self.on_lost is not None:
            self.on_lost()

    @property
    def connection_name(self) -> str:
        """As CONNAME shows it."""
        return self.address


class Admission:
    """Lets partners in. One for all sockets of a queue manager; used in the loop's thread."""

    def __init__(
        self, host: NetworkHost, channels: Channels, users: Users, log_message: LogMessage
    ) -> None:
        self._host = host
        self._lock = host.shell.lock
        self._kernel = host.engine.kernel
        self._log_message = log_message
        self.channels = channels
        self.users = users
        # Defines a channel that a partner calls, if that is wanted.
        self.define: Callable[[str, InitialData, Peer], Definition | None] = _defines_nothing

    def channel(self, asked: InitialData, peer: Peer) -> ChannelInstance:
        """The instance for a partner's first initial data; Refused if it may not begin."""
        name = asked.channel_name.strip(" \0")
        try:
            self.define(name, asked, peer)
            with self._lock:
                definition = self._definition(name, asked, peer)
                check_tls(definition, peer)
                now_ns = int(self._kernel.clock.now_ns())
                instance = self.channels.enter(definition, peer, now_ns)
        except Refused as refused:
            self.refuse(refused, name, peer)
            raise
        instance.product = asked.product_id[:4]
        instance.version = asked.product_id[4:12]
        instance.process_id = asked.process_id
        return instance

    def _definition(self, name: str, asked: InitialData, peer: Peer) -> Definition:
        if not self._host.is_running:
            raise Refused(QM_TERMINATING, "AMQ9508E", (self._kernel.name, 2161))
        definition = self._kernel.catalog.find(SVRCONN, name)
        if definition is None or definition.object_type == CLNTCONN:
            raise Refused(NO_CHANNEL, "AMQ9519E", (name,))
        is_mqi = asked.capabilities_1 & CAP_MQI != 0
        if definition.object_type != SVRCONN or not is_mqi:
            raise Refused(CHANNEL_WRONG_TYPE, "AMQ9502E", (name, peer.address))
        return definition

    def refuse(self, refused: Refused, name: str, peer: Peer) -> None:
        """For the error log, and an event."""
        self._log_message(refused.message_id, *refused.inserts)
        self._log_message("AMQ9999E", name, peer.address)
        qualifier = _QUALIFIERS.get(refused.status)
        if qualifier is not None:
            subject, issuer = peer.certificate_subject, peer.certificate_issuer
            self.tls_failed(qualifier, name, peer.address, subject, issuer)

    def tls_failed(
        self, qualifier: int, name: str, address: str, subject: str = "", issuer: str = ""
    ) -> None:
        """The event, if such events are on."""
        shell = self._host.shell
        with self._lock:
            self._kernel.event_sink.tls_failed(qualifier, name, address, subject, issuer)
            shell.settle()

    async def user(
        self,
        instance: ChannelInstance,
        peer: Peer,
        client_user: str,
        csp_user: str,
        csp_password: str | None,
        application: str = "",
        exit_user: str | None = None,
    ) -> str:
        """The user that a conversation runs as; MQError with MQRC_NOT_AUTHORIZED if none.

        `client_user` is USERID_DATA's (the long one where there is one), the other two are of
        CONAUTH_INFO; a password of None says that there was none. `exit_user` is what a security
        exit has set in place of MCAUSER.
        """
        user = await self.users.user(
            instance, peer, client_user, csp_user, csp_password, application, exit_user
        )
        if instance.number in self.channels.instances and not instance.stop_requested:
            instance.status = RUNNING
        if not instance.user:
            instance.user = user
            instance.client_user = client_user
            instance.application = application
            instance.host = peer.host
        peer.authenticated()
        self.channels.keep_alive(instance, peer)
        return user

    def broken(self, instance: ChannelInstance, peer: Peer, error: Exception | None) -> None:
        """A partner has gone in the middle of a conversation."""
        if error is None:
            self._log_message("AMQ9209E", peer.address, instance.name)
        else:
            self._log_message("AMQ9208E", peer.address, str(error) or type(error).__name__)
        self._log_message("AMQ9999E", instance.name, peer.address)

    def leave(self, instance: ChannelInstance) -> None:
        """The socket of an instance is gone."""
        with self._lock:
            self.channels.leave(instance)


def _defines_nothing(_name: str, _asked: InitialData, _peer: Peer) -> Definition | None:
    return None


def check_tls(channel: Definition, peer: Peer) -> None:
    """Whether the socket is secured as the channel wants it."""
    name = channel.name
    wanted = channel.text("cipher")
    if not wanted:
        if peer.is_tls:
            raise Refused(CIPHER_SPEC, "AMQ9635E", (name, peer.address))
        return
    if not peer.is_tls:
        raise Refused(CIPHER_SPEC, "AMQ9639E", (name, peer.address, wanted))
    if peer.cipher not in [row.name for row in cipher_specs_of(wanted)]:
        inserts = (name, peer.cipher, wanted, peer.address)
        raise Refused(CIPHER_SPEC, "AMQ9631E", inserts)
    subject = peer.certificate_subject
    # A sender has no SSLCAUTH: whoever calls it shows a certificate.
    is_required = channel.attributes.get("client_authentication") in (None, mq.MQSCA_REQUIRED)
    pattern = channel.text("ssl_peer")
    if not subject and (is_required or pattern):
        raise Refused(SSL_CLIENT_CERTIFICATE, "AMQ9637E", (name, peer.address))
    if not peer_matches(pattern, subject):
        raise Refused(PEER_NAME, "AMQ9636E", (name, peer.address, subject, pattern))
