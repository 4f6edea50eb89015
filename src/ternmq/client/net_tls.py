"""TLS of the client: a context for a CipherSpec, and TLS between bytes for a socket of threads.

The queue manager is believed if its certificate comes from somebody in the key repository; as in MQ
its host name plays no role, SSLPEER does. What is wrong is MQRC_SSL_INITIALIZATION_ERROR, or
MQRC_SSL_PEER_NAME_MISMATCH.
"""

from __future__ import annotations

import socket
import ssl
import threading
from typing import TYPE_CHECKING, Any, Final

from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_SSL_INITIALIZATION_ERROR
from ternmq.client.net_channel import Address, ClientChannel
from ternmq.wire.cipher_specs import TLS_1_2, TLS_1_3, cipher_specs_of, sni_of_channel

if TYPE_CHECKING:
    from ternmq.client.net_reach import Reach, TlsSettings

_CHUNK_BYTES: Final = 1 << 18


class TlsPipe:
    """Clear bytes in, bytes of TLS out, and back. Threads read and write at the same time, which a
    socket of `ssl` does not bear."""

    def __init__(self, context: ssl.SSLContext, server_name: str) -> None:
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._lock = threading.Lock()
        self.object = context.wrap_bio(
            self._incoming, self._outgoing, server_hostname=server_name or None
        )

    def shake_hands(self, opened: socket.socket) -> None:
        """The handshake, on a socket with a timeout."""
        while True:
            try:
                self.object.do_handshake()
                break
            except ssl.SSLWantReadError:
                self._flush(opened)
                data = opened.recv(_CHUNK_BYTES)
                if data:
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()
            except ssl.SSLError:
                self._flush(opened)  # the other side is told why
                raise
        self._flush(opened)

    def _flush(self, opened: socket.socket) -> None:
        data = self._outgoing.read()
        if data:
            opened.sendall(data)

    def encrypted(self, data: bytes) -> bytes:
        """What to send for clear bytes."""
        with self._lock:
            view = memoryview(data)
            while view:
                view = view[self.object.write(view) :]
            return self._outgoing.read()

    def decrypted(self, data: bytes) -> tuple[bytes, bytes]:
        """The clear bytes of what came, and what TLS itself has to answer."""
        parts: list[bytes] = []
        with self._lock:
            self._incoming.write(data)
            while True:
                try:
                    part = self.object.read(_CHUNK_BYTES)
                except ssl.SSLWantReadError:
                    break
                except ssl.SSLZeroReturnError:
                    part = b""
                if not part:
                    if not parts:
                        raise EOFError("the queue manager closed the connection")
                    break
                parts.append(part)
            return b"".join(parts), self._outgoing.read()


def context_of(channel: ClientChannel, settings: TlsSettings) -> ssl.SSLContext:
    """The context for a channel's CipherSpec, with the certificates of the key repository."""
    specs = cipher_specs_of(channel.cipher)
    if not specs:
        detail = f"SSLCIPH({channel.cipher}) is no CipherSpec that is supported"
        raise mq_error(
            MQRC_SSL_INITIALIZATION_ERROR, verb="MQCONN", object=channel.name, detail=detail
        )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    versions = {one.version for one in specs}
    v2, v3 = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3
    context.minimum_version = v2 if TLS_1_2 in versions else v3
    context.maximum_version = v3 if TLS_1_3 in versions else v2
    names = [one.openssl_name for one in specs if one.version == TLS_1_2]
    if names:
        context.set_ciphers(":".join(names))
    return context


def server_name(reach: Reach, address: Address) -> str:
    """What the handshake says whom it wants: the channel, or the host."""
    return address.host if reach.tls.is_host_named else sni_of_channel(reach.channel.name)


def peer_checked(connected: Any, channel: ClientChannel, address: Address) -> None:
    """SSLPEER."""
