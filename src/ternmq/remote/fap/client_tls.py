"""TLS of the client: a context for a CipherSpec, and TLS between bytes for a socket of threads.

The client trusts a queue manager whose certificate has an issuer in the key repository; as in MQ
its host name plays no role, SSLPEER does. What is wrong is MQRC_SSL_INITIALIZATION_ERROR, or
MQRC_SSL_PEER_NAME_MISMATCH.
"""

from __future__ import annotations

import socket
import ssl
import threading
from typing import TYPE_CHECKING, Any, Final

from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_KEY_REPOSITORY_ERROR,
    MQRC_SSL_INITIALIZATION_ERROR,
    MQRC_SSL_PEER_NAME_MISMATCH,
)
from ternmq.remote.fap.certificates import facts, load_entry, set_versions
from ternmq.remote.fap.client_channel import Address, ClientChannel, system_user
from ternmq.remote.fap.key_repository import KeyRepository, KeyRepositoryError, read_key_repository
from ternmq.security.patterns import peer_matches
from ternmq.wire.cipher_specs import cipher_specs_of, sni_of_channel

if TYPE_CHECKING:
    from ternmq.remote.fap.endpoint import FapEndpoint, TlsSettings

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
                self._flush(opened)  # the alert, so that the other side knows why
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
        raise _not_possible(channel, f"SSLCIPH({channel.cipher}) is not a supported CipherSpec")
    if not settings.key_repository:
        detail = "no key repository: name it by key_repository or MQSSLKEYR"
        raise _not_possible(channel, detail, MQRC_KEY_REPOSITORY_ERROR)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    set_versions(context, specs)
    try:
        repository = read_key_repository(settings.key_repository, settings.password)
    except (KeyRepositoryError, OSError) as error:
        raise _not_possible(channel, str(error), MQRC_KEY_REPOSITORY_ERROR) from error
    try:
        _take_keys(context, channel, repository)
    except (KeyRepositoryError, OSError, ssl.SSLError) as error:
        raise _not_possible(channel, str(error)) from error
    return context


def _take_keys(context: ssl.SSLContext, channel: ClientChannel, repository: KeyRepository) -> None:
    label = channel.certificate_label or f"ibmwebspheremq{system_user().lower()}"
    entry = repository.entries.get(label.lower())
    if entry is None and not channel.certificate_label and len(repository.entries) == 1:
        entry = next(iter(repository.entries.values()))
    if entry is None and channel.certificate_label:
        raise KeyRepositoryError(f"no certificate {label} in {repository.path}")
    if entry is not None:
        load_entry(context, [*entry.chain, entry.key], repository.password)
    if repository.trusted:
        context.load_verify_locations(cadata="\n".join(repository.trusted))
    for path in repository.revocations:
        context.load_verify_locations(cafile=path)
        context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF


def _not_possible(
    channel: ClientChannel, why: str, reason: int = MQRC_SSL_INITIALIZATION_ERROR
) -> MQError:
    return mq_error(
        reason,
        verb="MQCONN",
        object=channel.name,
        detail=f"TLS for channel {channel.name}: {why}",
    )


def server_name(endpoint: FapEndpoint, address: Address) -> str:
    """What the handshake says whom it wants: the channel, or the host."""
    return address.host if endpoint.tls.is_host_named else sni_of_channel(endpoint.channel.name)


def peer_checked(connected: Any, channel: ClientChannel, address: Address) -> None:
    """SSLPEER, and that the suite is one of the CipherSpec: of those of TLS 1.3 none can be left
    out of what is offered."""
    cipher, _version, subject, _issuer = facts(connected)
    if cipher not in [one.name for one in cipher_specs_of(channel.cipher)]:
        raise _not_possible(channel, f"{address} agrees to {cipher}, not to {channel.cipher}")
    if channel.peer_name and not peer_matches(channel.peer_name, subject):
        raise mq_error(
            MQRC_SSL_PEER_NAME_MISMATCH,
            verb="MQCONN",
            object=channel.name,
            detail=f"{address} is {subject}, SSLPEER is {channel.peer_name}",
        )
