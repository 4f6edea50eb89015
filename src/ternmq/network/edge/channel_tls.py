"""TLS of channels: contexts by channel, what a handshake found out, and why one failed.

The server name of a ClientHello may say which channel is asked for (`wire/cipher_specs`): then the
context has the versions and CipherSpecs of that channel (SSLCIPH) and its certificate (CERTLABL).
Else any CipherSpec is agreed to, with the queue manager's certificate, and whether it is one that
the channel wants is decided when the channel is known (`admission`), as in IBM MQ.

A client's certificate is always asked for. One that comes must be valid; whether one must come is
again the channel's (SSLCAUTH). Sessions are not resumed: a certificate that has expired since, or
is revoked, would come in by an old one. Neither side can renegotiate keys: Python has no call for
it (message channels connect again for SSLRKEYC), and a client that wants to is refused. Which
suites of TLS 1.3 there are is OpenSSL's default, as Python cannot choose among them; a channel that
names one refuses the others later.
"""

from __future__ import annotations

import os
import ssl
from typing import Final

from ternmq.base.object_types import SVRCONN
from ternmq.remote.fap.certificates import load_entry, set_versions
from ternmq.remote.fap.key_repository import KeyRepository, KeyRepositoryError, read_key_repository
from ternmq.store.catalog import Catalog, Definition
from ternmq.wire.cipher_specs import TLS_1_3, CipherSpec, channel_of_sni, cipher_specs_of

ANY: Final = "ANY"
KEY_FOLDER: Final = "ssl"
# What a failed handshake is reported as; anything else is AMQ9638E.
_FAILURES: Final[tuple[tuple[str, str], ...]] = (
    ("NO_SHARED_CIPHER", "AMQ9616E"),
    ("UNSUPPORTED_PROTOCOL", "AMQ9616E"),
    ("VERSION_TOO_LOW", "AMQ9616E"),
    ("ALERT_PROTOCOL_VERSION", "AMQ9616E"),  # the other end says so, when this one calls
    ("ALERT_HANDSHAKE_FAILURE", "AMQ9616E"),
    ("CERTIFICATE_VERIFY_FAILED", "AMQ9633E"),
    ("PEER_DID_NOT_RETURN_A_CERTIFICATE", "AMQ9637E"),
    ("ALERT_UNKNOWN_CA", "AMQ9633E"),
    ("ALERT_BAD_CERTIFICATE", "AMQ9633E"),
    ("CERTIFICATE_EXPIRED", "AMQ9633E"),
    ("CERTIFICATE_UNKNOWN", "AMQ9633E"),
)


class TlsContexts:
    """The contexts of one queue manager, made when they are first needed.

    `refresh` (REFRESH SECURITY TYPE(SSL)) forgets them: the files are then read again.
    """

    def __init__(self, catalog: Catalog, qmgr_name: str, folder: str) -> None:
        self._catalog = catalog
        self._qmgr_name = qmgr_name
        self._folder = folder
        self._made: dict[tuple[str, str], ssl.SSLContext] = {}
        self._calling: dict[tuple[str, str], ssl.SSLContext] = {}  # for calls out
        self._repository: KeyRepository | None = None
        self.allows_tls_1_3 = True  # AllowTLSV13 of qm.ini

    def refresh(self) -> None:
        """Forget what was read."""
        self._made.clear()
        self._calling.clear()
        self._repository = None

    def context(self, server_name: str) -> ssl.SSLContext:
        """The context for a handshake; KeyRepositoryError if it cannot be made."""
        cipher = ANY
        label = str(self._catalog.qmgr.get("certificate_label", ""))
        channel = self.channel(server_name)
        if channel is not None and channel.text("cipher"):
            cipher = channel.text("cipher")
            label = channel.text("certificate_label") or label
        key = (label, cipher)
        context = self._made.get(key)
        if context is None:
            specs = [one for one in cipher_specs_of(cipher) if self._allows(one)]
            context = self._make(label, specs)
            self._made[key] = context
        return context

    def outbound(self, channel: Definition) -> ssl.SSLContext:
        """The context with which this queue manager calls; KeyRepositoryError if it
        cannot be made. A queue manager that has no certificate calls without one."""
        cipher = channel.text("cipher")
        own = str(self._catalog.qmgr.get("certificate_label", ""))
        label = channel.text("certificate_label")
        key = (label, cipher)
        context = self._calling.get(key)
        if context is not None:
            return context
        specs = [one for one in cipher_specs_of(cipher) if self._allows(one)]
        if not specs:
            raise KeyRepositoryError(f"SSLCIPH({cipher}) is not a CipherSpec that is allowed here")
        repository = self._read()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False  # SSLPEER says whom the certificate must name
        context.verify_mode = ssl.CERT_REQUIRED
        set_versions(context, specs)
        context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
        try:
            entry = repository.entry(label or own, self._qmgr_name)
        except KeyRepositoryError:
            if label:
                raise
        else:
            load_entry(context, [*entry.chain, entry.key], repository.password)
        _trust(context, repository)
        self._calling[key] = context
        return context

    def _allows(self, spec: CipherSpec) -> bool:
        return self.allows_tls_1_3 or spec.version != TLS_1_3

    def channel(self, server_name: str) -> Definition | None:
        """The channel that a server name asks for."""
        name = channel_of_sni(server_name)
        return self._catalog.find(SVRCONN, name) if name else None

    def _read(self) -> KeyRepository:
        if self._repository is None:
            path = str(self._catalog.qmgr.get("key_repository", ""))
            password = str(self._catalog.qmgr.get("key_repository_password", ""))
            path = path or os.path.join(self._folder, KEY_FOLDER)
            self._repository = read_key_repository(path, password)
        return self._repository

    def _make(self, label: str, specs: list[CipherSpec]) -> ssl.SSLContext:
        if not specs:
            raise KeyRepositoryError("no CipherSpec of the channel is allowed here")
        repository = self._read()
        entry = repository.entry(label, self._qmgr_name)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        set_versions(context, specs)
        context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_TICKET | ssl.OP_NO_COMPRESSION
        context.options |= ssl.OP_CIPHER_SERVER_PREFERENCE
        context.num_tickets = 0
        context.verify_mode = ssl.CERT_OPTIONAL
        load_entry(context, [*entry.chain, entry.key], repository.password)
        _trust(context, repository)
        return context


def _trust(context: ssl.SSLContext, repository: KeyRepository) -> None:
    """Whose certificates are believed, and which of them no more."""
    if repository.trusted:
        context.load_verify_locations(cadata="\n".join(repository.trusted))
    for path in repository.revocations:
        context.load_verify_locations(cafile=path)
        context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF


def failure(error: BaseException) -> tuple[str, str]:
    """The message that says why a handshake failed, and the reason in words."""
    reason = str(getattr(error, "reason", "") or "")
    verify = str(getattr(error, "verify_message", "") or "")
    for part, message_id in _FAILURES:
        if part in reason:
            return message_id, verify or reason.replace("_", " ").lower()
    text = reason.replace("_", " ").lower() or str(error) or type(error).__name__
    return "AMQ9638E", text
