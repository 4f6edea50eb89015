"""Accepting a partner: from the accepted socket to the protocol that serves it.

The first bytes decide: a handshake of TLS goes to TLS with the context of the channel it asks for,
a segment to the protocol, and anything else away. Until a partner has shown who it is it is
unauthenticated: of those there may be so many at once, in all and from one address, and each has a
deadline.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import cast

from ternmq.base import constants as mq
from ternmq.base.limits import (
    AUTHENTICATE_S_MAX,
    UNAUTHENTICATED_MAX,
    UNAUTHENTICATED_OF_ADDRESS_MAX,
)
from ternmq.network.edge.admission import Peer
from ternmq.network.edge.channel_tls import TlsContexts, failure
from ternmq.network.edge.tls_link import TlsLink
from ternmq.remote.fap.key_repository import KeyRepositoryError
from ternmq.wire.cipher_specs import channel_of_sni
from ternmq.wire.tls_hello import (
    bytes_wanted,
    is_segment,
    is_tls,
    server_name,
)

LogMessage = Callable[..., None]
TlsFailed = Callable[[int, str, str], None]  # MQRQ_, channel, address
ProtocolOf = Callable[[Peer], asyncio.Protocol]
_UNKNOWN_CHANNEL = "????"


class Unauthenticated:
    """How many partners there are that have not shown who they are."""

    def __init__(self) -> None:
        self.most = UNAUTHENTICATED_MAX
        self.most_of_address = UNAUTHENTICATED_OF_ADDRESS_MAX
        self.count = 0
        self.of_address: dict[str, int] = {}

    def share(self, sockets: int) -> None:
        """Of so many sockets in all, half may be theirs, and half of those from one address."""
        self.most = min(UNAUTHENTICATED_MAX, max(sockets // 2, 1))
        self.most_of_address = min(UNAUTHENTICATED_OF_ADDRESS_MAX, max(self.most // 2, 1))

    def has_room(self, address: str) -> bool:
        """Whether one more may come from there."""
        if self.count >= self.most:
            return False
        return self.of_address.get(address, 0) < self.most_of_address

    def come(self, address: str) -> None:
        """One more."""
        self.count += 1
        self.of_address[address] = self.of_address.get(address, 0) + 1

    def go(self, address: str) -> None:
        """One less."""
        self.count -= 1
        left = self.of_address.get(address, 0) - 1
        if left > 0:
            self.of_address[address] = left
        else:
            self.of_address.pop(address, None)


class Acceptor:
    """What all listeners of a queue manager share. Used in the loop's thread."""

    def __init__(
        self,
        tls: TlsContexts,
        protocol_of: ProtocolOf,
        log_message: LogMessage,
        tls_failed: TlsFailed,
    ) -> None:
        self.tls = tls
        self.protocol_of = protocol_of
        self.log_message = log_message
        self.tls_failed = tls_failed
        self.unauthenticated = Unauthenticated()
        self.visitors: set[Visitor] = set()
        self.waiting = 0  # of them, those that no protocol serves yet
        self.is_full: Callable[[], bool] = lambda: False  # there are as many sockets as may be
        self.authenticate_s = AUTHENTICATE_S_MAX

    def enter(self, sock: socket.socket, peer: Peer) -> None:
        """A partner has connected."""
        if self.is_full() or not self.unauthenticated.has_room(peer.origin):
            sock.close()
            self.log_message("AMQ9513E")
            return
        visitor = Visitor(self, peer)
        self.visitors.add(visitor)
        visitor.enter(sock)

    def close(self) -> None:
        """Cut off the connections that are still unauthenticated."""
        for visitor in list(self.visitors):
            visitor.cut()


class Visitor(asyncio.Protocol):
    """One partner until it has gone, or is authenticated."""

    def __init__(self, acceptor: Acceptor, peer: Peer) -> None:
        self._acceptor = acceptor
        self._peer = peer
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._task: asyncio.Task[None] | None = None  # kept, or it would be collected
        self._first = b""
        peer.on_authenticated = self._done
        peer.on_lost = self._done
        self._is_served = False
        acceptor.waiting += 1
        acceptor.unauthenticated.come(peer.origin)
        self._timer: asyncio.TimerHandle | None = self._loop.call_later(
            acceptor.authenticate_s, self._late
        )

    def enter(self, sock: socket.socket) -> None:
        """Begin to read from an accepted socket."""
        self._task = self._loop.create_task(self._connect(sock))

    async def _connect(self, sock: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(lambda: self, sock)
        except OSError:
            sock.close()  # it has gone already
            self._done()

    # ---- the first bytes

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is the loop's."""
        stream = cast("asyncio.Transport", transport)  # other loops have classes of their own
        self._transport = stream
        if self._timer is None:  # cut off meanwhile
            stream.abort()

    def data_received(self, data: bytes) -> None:
        """The first bytes, and perhaps some more."""
        transport = self._transport
        if transport is None or self._timer is None:
            return
        self._first += data
        first = self._first
        if is_segment(first[0]):
            self._receive(transport)
        elif not is_tls(first[0]):
            self._acceptor.log_message("AMQ9207E", self._peer.address, _UNKNOWN_CHANNEL)
            self.cut()
        elif len(first) >= bytes_wanted(first):
            self._start_tls(transport, server_name(first))

    def connection_lost(self, error: Exception | None) -> None:
        """It has gone without a word, as port scanners and load balancers do."""
        self._done()

    def _receive(self, transport: asyncio.Transport) -> None:
        """From here on the socket is that of the protocol."""
        first = self._first
        self._first = b""
        protocol = self._welcome(transport)
        transport.set_protocol(protocol)
        protocol.data_received(first)

    def _serve(self) -> None:
        """It does not wait to be accepted any more: a protocol serves it, or it is closed."""
        if not self._is_served:
            self._is_served = True
            self._acceptor.waiting -= 1

    def _welcome(self, transport: asyncio.Transport) -> asyncio.Protocol:
        self._serve()
        protocol = self._acceptor.protocol_of(self._peer)
        protocol.connection_made(transport)
        return protocol

    def _start_tls(self, transport: asyncio.Transport, name: str) -> None:
        self._peer.server_name = name
        try:
            context = self._acceptor.tls.context(name)
        except KeyRepositoryError as error:
            self._acceptor.log_message("AMQ9660E", error)
            self._report_failure()
            self.cut()
            return
        first = self._first
        self._first = b""
        link = TlsLink(transport, context, self._welcome, self._tls_failed)
        transport.set_protocol(link)
        link.data_received(first)

    def _tls_failed(self, error: BaseException) -> None:
        """The handshake failed; one that has gone or was late needs no more."""
        if self._timer is None:
            return
        message_id, reason = failure(error)
        channel = channel_of_sni(self._peer.server_name) or _UNKNOWN_CHANNEL
        self._acceptor.log_message(message_id, channel, self._peer.address, reason)
        self._report_failure()
        self._done()

    def _report_failure(self) -> None:
        channel = channel_of_sni(self._peer.server_name)
        self._acceptor.tls_failed(mq.MQRQ_SSL_HANDSHAKE_ERROR, channel, self._peer.address)

    # ---- the end

    def _late(self) -> None:
        self._acceptor.log_message("AMQ9271E", _UNKNOWN_CHANNEL, self._peer.address)
        self.cut()

    def _done(self) -> None:
        """Gone, or authenticated."""
        if self._timer is None:
            return
        self._timer.cancel()
        self._timer = None
        self._serve()
        self._peer.on_authenticated = None
        self._peer.on_lost = None
        self._acceptor.unauthenticated.go(self._peer.origin)
        self._acceptor.visitors.discard(self)

    def cut(self) -> None:
        """Close the connection, whatever is on its way."""
        self._done()
        if self._transport is not None:
            self._transport.abort()
