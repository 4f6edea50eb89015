"""A partner at the door: from the accepted socket to the protocol that serves it.

The first bytes are looked at without being taken: a handshake of TLS goes to TLS with the context
of the channel it asks for, a segment to the protocol, and anything else away. Until a partner has
shown who it is it is a stranger: of those there may be so many at once, in all and from one
address, and each has a deadline.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable

from ternmq.base import constants as mq
from ternmq.base.limits import (
    AUTHENTICATE_S_MAX,
    HANDSHAKE_S_MAX,
    STRANGERS_MAX,
    STRANGERS_OF_ADDRESS_MAX,
)
from ternmq.server.net_admission import Peer
from ternmq.server.net_keys import KeyRepositoryError
from ternmq.server.net_tls import TlsContexts, failure
from ternmq.wire.cipher_specs import channel_of_sni
from ternmq.wire.tls_hello import (
    RECORD_BYTES_MAX,
    RECORD_HEAD_BYTES,
    bytes_wanted,
    is_segment,
    is_tls,
    server_name,
)

Tell = Callable[..., None]
TlsFailed = Callable[[int, str, str], None]  # MQRQ_, channel, address
ProtocolOf = Callable[[Peer], asyncio.Protocol]
_UNKNOWN_CHANNEL = "????"


class Strangers:
    """How many partners there are that have not shown who they are."""

    def __init__(self) -> None:
        self.count = 0
        self.of_address: dict[str, int] = {}

    def has_room(self, address: str) -> bool:
        """Whether one more may come from there."""
        if self.count >= STRANGERS_MAX:
            return False
        return self.of_address.get(address, 0) < STRANGERS_OF_ADDRESS_MAX

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


class Doorway:
    """What all doors of a queue manager share. Used in the loop's thread."""

    def __init__(
        self, tls: TlsContexts, protocol_of: ProtocolOf, tell: Tell, tls_failed: TlsFailed
    ) -> None:
        self.tls = tls
        self.protocol_of = protocol_of
        self.tell = tell
        self.tls_failed = tls_failed
        self.strangers = Strangers()
        self.visitors: set[Visitor] = set()
        self.authenticate_s = AUTHENTICATE_S_MAX
        self.handshake_s = HANDSHAKE_S_MAX

    def enter(self, sock: socket.socket, peer: Peer) -> None:
        """A partner has connected."""
        if not self.strangers.has_room(peer.address):
            sock.close()
            self.tell("AMQ9513E")
            return
        self.visitors.add(Visitor(self, sock, peer))

    def close(self) -> None:
        """Those who are still strangers are cut off."""
        for visitor in list(self.visitors):
            visitor.cut()


class Visitor:
    """One partner until it has gone, or is no stranger any more."""

    def __init__(self, doorway: Doorway, sock: socket.socket, peer: Peer) -> None:
        self._doorway = doorway
        self._sock: socket.socket | None = sock
        self._peer = peer
        self._loop = asyncio.get_running_loop()
        self._seen = -1
        self._watched = True
        self._task: asyncio.Task[None] | None = None
        peer.on_authenticated = self._done
        peer.on_lost = self._done
        doorway.strangers.come(peer.address)
        self._timer: asyncio.TimerHandle | None = self._loop.call_later(
            doorway.authenticate_s, self._late
        )
        self._loop.add_reader(sock, self._look)

    # ---- the first bytes

    def _look(self) -> None:
        sock = self._sock
        if sock is None:
            return
        try:
            data = sock.recv(RECORD_HEAD_BYTES + RECORD_BYTES_MAX, socket.MSG_PEEK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.cut()  # it has gone without a word: port scanners and load balancers do
        elif is_segment(data[0]):
            self._hand_over(None)
        elif not is_tls(data[0]):
            self._doorway.tell("AMQ9207E", self._peer.address, _UNKNOWN_CHANNEL)
            self.cut()
        elif len(data) >= bytes_wanted(data) or len(data) == self._seen:
            # Woken without more bytes: there will be none, and the handshake finds out.
            self._start_tls(server_name(data))
        else:
            self._seen = len(data)
            # Not again before the whole record is there.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, bytes_wanted(data))

    def _start_tls(self, name: str) -> None:
        try:
            context = self._doorway.tls.context(name)
        except KeyRepositoryError as error:
            self._doorway.tell("AMQ9660E", error)
            self._tell_failure(mq.MQRQ_SSL_HANDSHAKE_ERROR, name)
            self.cut()
            return
        self._peer.server_name = name
        self._hand_over(context)

    def _unwatch(self, sock: socket.socket) -> None:
        if self._watched:
            self._watched = False
            self._loop.remove_reader(sock)

    def _hand_over(self, context: ssl.SSLContext | None) -> None:
        sock = self._sock
        if sock is None:
            return
        self._unwatch(sock)
        if self._seen >= 0:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)
        self._task = self._loop.create_task(self._connect(sock, context))

    async def _connect(self, sock: socket.socket, context: ssl.SSLContext | None) -> None:
        """Give the socket to its protocol; with TLS, after the handshake."""
        doorway = self._doorway
        peer = self._peer
        timeout_s = doorway.handshake_s if context is not None else None
        self._sock = None  # from now on it is the transport's, which closes it whatever happens
        try:
            await self._loop.connect_accepted_socket(
                lambda: doorway.protocol_of(peer),
                sock,
                ssl=context,
                ssl_handshake_timeout=timeout_s,
            )
        except OSError as error:  # SSLError is one, and so is a reset or a timeout
            self._failed(error)

    def _failed(self, error: OSError) -> None:
        message_id, reason = failure(error)
        channel = channel_of_sni(self._peer.server_name) or _UNKNOWN_CHANNEL
        self._doorway.tell(message_id, channel, self._peer.address, reason)
        self._tell_failure(mq.MQRQ_SSL_HANDSHAKE_ERROR, self._peer.server_name)
        self.cut()

    def _tell_failure(self, qualifier: int, name: str) -> None:
        self._doorway.tls_failed(qualifier, channel_of_sni(name), self._peer.address)

    # ---- the end

    def _late(self) -> None:
        self._doorway.tell("AMQ9271E", _UNKNOWN_CHANNEL, self._peer.address)
        self.cut()

    def _done(self) -> None:
        """Gone, or no stranger any more."""
        if self._timer is None:
            return
        self._timer.cancel()
        self._timer = None
        self._peer.on_authenticated = None
        self._peer.on_lost = None
        self._doorway.strangers.go(self._peer.address)
        self._doorway.visitors.discard(self)

    def cut(self) -> None:
        """Close the connection, whatever is on its way."""
        self._done()
        if self._peer.transport is not None:
            self._peer.transport.abort()
        elif self._task is not None:
            self._task.cancel()
        sock = self._sock
        self._sock = None
        if sock is not None:
            self._unwatch(sock)
            sock.close()
