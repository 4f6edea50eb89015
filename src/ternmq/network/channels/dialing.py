"""Dialling: from a channel's CONNAME to a socket, with TLS if the channel has a CipherSpec.

The addresses of CONNAME are tried in their order, and of a host name all that it stands for, until
one takes the call; names are looked up in threads. LOCLADDR says from where. Each attempt has
`connect_s`, handshake of TLS included. What went wrong with the last one is what is reported.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import ssl
from collections.abc import Callable
from typing import Any, cast

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.network.channels.local_address import LocalAddress, local_addresses
from ternmq.network.edge.admission import Peer
from ternmq.network.edge.channel_tls import TlsContexts, failure
from ternmq.network.edge.tcp_listener import plain_address
from ternmq.network.edge.tls_link import TlsLink
from ternmq.remote.fap.client_channel import Address, addresses_of
from ternmq.remote.fap.key_repository import KeyRepositoryError
from ternmq.security.patterns import peer_matches
from ternmq.store.catalog import Definition
from ternmq.wire.cipher_specs import cipher_specs_of, sni_of_channel

Place = tuple[Any, ...]  # an address as sockets have it
ProtocolOf = Callable[[Peer], asyncio.Protocol]


class DialFailed(Exception):
    """No address of a channel could be reached: what the error log says, and whether another
    attempt may do better."""

    def __init__(self, message_id: str, inserts: tuple[object, ...], may_heal: bool = True) -> None:
        super().__init__(message_id, inserts)
        self.message_id = message_id
        self.inserts = inserts
        self.may_heal = may_heal
        self.qualifier = 0  # of an SSL event, MQRQ_
        self.peer: Peer | None = None


class Dialer:
    """Dials for the channels of one queue manager. Used in the loop's thread."""

    def __init__(self, tls: TlsContexts, connect_s: float, keep_alive: bool) -> None:
        self._tls = tls
        self._loop = asyncio.get_running_loop()
        self.connect_s = connect_s
        self._keep_alive = keep_alive

    async def dial(self, channel: Definition, protocol_of: ProtocolOf) -> asyncio.Protocol:
        """The protocol at the other end of a socket that is connected; DialFailed if none is."""
        name = channel.name
        conn = channel.text("connection_name")
        if channel.attributes.get("transport", mq.MQXPT_TCP) != mq.MQXPT_TCP:
            detail = "its TRPTYPE is not TCP, and no other network is there"
            raise DialFailed("AMQ9203E", (name, detail), may_heal=False)
        try:
            addresses = addresses_of(conn, name)
        except MQError as error:
            raise DialFailed("AMQ9203E", (name, error.detail), may_heal=False) from error
        try:
            local = local_addresses(channel.text("local_address"))
        except ValueError as error:
            raise DialFailed("AMQ9203E", (name, error), may_heal=False) from error
        context = self._context(channel)
        failed = DialFailed("AMQ9202E", (conn, "it has no address"))
        for address in addresses:
            try:
                return await self._try_host(channel, address, local, context, protocol_of)
            except DialFailed as error:
                failed = error
        raise failed

    def _context(self, channel: Definition) -> ssl.SSLContext | None:
        if not channel.text("cipher"):
            return None
        try:
            return self._tls.outbound(channel)
        except (KeyRepositoryError, OSError, ssl.SSLError) as error:
            raise DialFailed("AMQ9660E", (str(error),), may_heal=False) from error

    async def _try_host(
        self,
        channel: Definition,
        address: Address,
        local: tuple[LocalAddress, ...],
        context: ssl.SSLContext | None,
        protocol_of: ProtocolOf,
    ) -> asyncio.Protocol:
        """All places that a host name stands for."""
        failed: DialFailed | None = None
        try:
            async with asyncio.timeout(self.connect_s):
                places = await self._places(address.host, address.port)
        except (OSError, UnicodeError) as error:
            raise DialFailed("AMQ9202E", (str(address), _why(error))) from error
        for family, place in places:
            try:
                async with asyncio.timeout(self.connect_s):
                    sock = await self._connected(family, place, local)
                    return await self._protocol(channel, sock, context, protocol_of)
            except DialFailed as error:
                failed = error
            except (OSError, EOFError) as error:
                failed = DialFailed("AMQ9202E", (str(address), _why(error)))
        raise failed or DialFailed("AMQ9202E", (str(address), "the name has no address"))

    async def _places(self, host: str, port: int) -> list[tuple[int, Place]]:
        found = await self._loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return [(family, place) for family, _, _, _, place in found]

    # ---- TCP

    async def _connected(
        self, family: int, place: Place, local: tuple[LocalAddress, ...]
    ) -> socket.socket:
        sock = socket.socket(family, socket.SOCK_STREAM)
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._keep_alive:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if local:
                await self._bind(sock, family, local)
            await self._loop.sock_connect(sock, place)
        except BaseException:
            sock.close()
            raise
        return sock

    async def _bind(
        self, sock: socket.socket, family: int, local: tuple[LocalAddress, ...]
    ) -> None:
        """To the first address of this family that LOCLADDR has, and a port of its range."""
        for one in local:
            host = ""
            if one.host:
                found = [own for kind, own in await self._places(one.host, 0) if kind == family]
                if not found:
                    continue
                host = str(found[0][0])
            if one.low:  # a port of a range is used again as soon as its last call is over
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            for port in one.ports:
                try:
                    sock.bind((host, port))
                except OSError as error:
                    if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                        raise DialFailed("AMQ9248E", (f"{host}({port})", _why(error))) from error
                else:
                    return
            raise DialFailed("AMQ9248E", (f"{host}({one.low},{one.high})", "no port is free"))
        why = os.strerror(errno.EADDRNOTAVAIL)
        raise DialFailed("AMQ9248E", (",".join([one.host for one in local]), why))

    # ---- protocol and TLS

    async def _protocol(
        self,
        channel: Definition,
        sock: socket.socket,
        context: ssl.SSLContext | None,
        protocol_of: ProtocolOf,
    ) -> asyncio.Protocol:
        peer = _peer(sock)
        if context is None:
            making = asyncio.ensure_future(
                self._loop.create_connection(lambda: protocol_of(peer), sock=sock)
            )
            try:
                # uvloop does not call connection_lost for a socket that is cancelled here.
                return (await asyncio.shield(making))[1]
            except asyncio.CancelledError:
                making.add_done_callback(_abort)
                raise
        shake = Handshake(self._loop, context, sni_of_channel(channel.name))
        transport, _ = await self._loop.create_connection(lambda: shake, sock=sock)
        try:
            inside = await shake.over
        except BaseException as error:
            transport.abort()
            if isinstance(error, (OSError, EOFError)) and not isinstance(error, TimeoutError):
                raise _tls_failed(channel, peer, error) from error
            raise
        peer.connected(inside)
        try:
            _check(channel, peer)
        except DialFailed:
            inside.close()
            raise
        made = protocol_of(peer)
        inside.set_protocol(made)
        made.connection_made(inside)
        return made


class Handshake(asyncio.Protocol):
    """The protocol of a socket until TLS is there: the caller's side."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, context: ssl.SSLContext, server_name: str
    ) -> None:
        self._context = context
        self._server_name = server_name
        self.over: asyncio.Future[asyncio.Transport] = loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The other end has taken the call."""
        plain = cast("asyncio.Transport", transport)
        link = TlsLink(plain, self._context, self._made, self._failed, self._server_name)
        plain.set_protocol(link)
        link.begin()

    def _made(self, transport: asyncio.Transport) -> asyncio.Protocol:
        if not self.over.done():
            self.over.set_result(transport)
        return _Silence(transport)

    def _failed(self, error: BaseException) -> None:
        if not self.over.done():
            self.over.set_exception(error)


class _Silence(asyncio.Protocol):
    """Between the handshake and the protocol: the one that answers has nothing to say first."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._transport.abort()


def _abort(made: asyncio.Future[tuple[asyncio.Transport, asyncio.Protocol]]) -> None:
    """Nobody waits for this socket any more."""
    if not made.cancelled() and made.exception() is None:
        made.result()[0].abort()


def _peer(sock: socket.socket) -> Peer:
    place = sock.getpeername()
    own = sock.getsockname()
    address = plain_address(place[0])
    return Peer(address, place[1], f"{plain_address(own[0])}({own[1]})")


def _why(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, OSError) and not isinstance(error, socket.gaierror) and error.errno:
        return os.strerror(error.errno)  # loops differ in the words they have for it
    return str(error) or type(error).__name__


def _tls_failed(channel: Definition, peer: Peer, error: BaseException) -> DialFailed:
    message_id, reason = failure(error)
    # What a certificate or a CipherSpec lacks does not come by itself; a cut line does.
    is_lost = isinstance(error, (ConnectionError, EOFError))
    made = DialFailed(message_id, (channel.name, peer.address, reason), may_heal=is_lost)
    made.qualifier = mq.MQRQ_SSL_HANDSHAKE_ERROR
    made.peer = peer
    return made


def _check(channel: Definition, peer: Peer) -> None:
    """The suite is one of the CipherSpec, and the certificate is the partner's (SSLPEER)."""
    name = channel.name
    wanted = channel.text("cipher")
    pattern = channel.text("ssl_peer")
    failed: DialFailed | None = None
    if peer.cipher not in [one.name for one in cipher_specs_of(wanted)]:
        inserts = (name, peer.cipher, wanted, peer.address)
        failed = DialFailed("AMQ9631E", inserts, may_heal=False)
        failed.qualifier = mq.MQRQ_SSL_CIPHER_SPEC_ERROR
    elif not peer_matches(pattern, peer.certificate_subject):
        inserts = (name, peer.address, peer.certificate_subject, pattern)
        failed = DialFailed("AMQ9636E", inserts, may_heal=False)
        failed.qualifier = mq.MQRQ_SSL_PEER_NAME_ERROR
    if failed is not None:
        failed.peer = peer
        raise failed
