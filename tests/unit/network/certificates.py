"""Certificates for tests of TLS: two authorities, certificates of queue managers and of clients,
made anew for each run.
"""

from __future__ import annotations

import datetime
import ssl
import subprocess
from pathlib import Path

import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa

LONG_AGO = datetime.datetime(2001, 1, 1, tzinfo=datetime.UTC)
NOT_SO_LONG_AGO = datetime.datetime(2001, 2, 1, tzinfo=datetime.UTC)
FAR = datetime.datetime(2090, 1, 1, tzinfo=datetime.UTC)


class Certificates:
    """What the tests need, made once."""

    def __init__(self) -> None:
        rsa = trustme.KeyType.RSA
        self.authority = trustme.CA(organization_name="Trusted", key_type=rsa)
        self.stranger = trustme.CA(organization_name="Stranger", key_type=rsa)
        issue = self.authority.issue_cert
        self.queue_manager = issue("qm1.example.com", common_name="QM1", key_type=rsa)
        self.second = issue("second.example.com", common_name="SECOND", key_type=rsa)
        self.elliptic = issue("ec.example.com", common_name="ELLIPTIC")
        self.client = issue(
            "app1.example.com",
            common_name="app1",
            organization_name="Org",
            organization_unit_name="Sales",
        )
        self.other_client = issue(
            "app2.example.com", common_name="bob", organization_name="Org, Inc."
        )
        self.expired = issue(
            "old.example.com", common_name="app1", not_before=LONG_AGO, not_after=NOT_SO_LONG_AGO
        )
        self.not_yet = issue("new.example.com", common_name="app1", not_before=FAR)
        self.foreign = self.stranger.issue_cert("app1.example.com", common_name="app1")

    def write_folder(self, folder: Path) -> Path:
        """A key repository that is a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for label, one in (
            ("ibmwebspheremqqm1", self.queue_manager),
            ("Second", self.second),
            ("elliptic", self.elliptic),
        ):
            one.private_key_and_cert_chain_pem.write_to_path(folder / f"{label}.pem")
        self.authority.cert_pem.write_to_path(folder / "authority.crt")
        return folder

    def write_pkcs12(self, path: Path, password: str) -> Path:
        """A key repository that is a PKCS#12 file, with one label."""
        pem = path.with_suffix(".parts")
        self.queue_manager.private_key_and_cert_chain_pem.write_to_path(pem)
        authority = path.with_suffix(".authority")
        self.authority.cert_pem.write_to_path(authority)
        command = ["openssl", "pkcs12", "-export", "-name", "ibmwebspheremqqm1"]
        command += ["-in", str(pem), "-certfile", str(authority), "-out", str(path)]
        command += ["-passout", f"pass:{password}"]
        subprocess.run(command, check=True, capture_output=True)
        return path


def client_context(
    certificates: Certificates,
    own: trustme.LeafCert | None = None,
    *,
    trusts: trustme.CA | None = None,
    lowest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2,
    highest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3,
    ciphers: str = "",
) -> ssl.SSLContext:
    """A client's side."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.minimum_version = lowest
    context.maximum_version = highest
    if ciphers:
        context.set_ciphers(ciphers)
    (trusts or certificates.authority).configure_trust(context)
    if own is not None:
        own.configure_cert(context)
    return context


def write_revocations(authority: trustme.CA, revoked: list[trustme.LeafCert], path: Path) -> None:
    """The list of an authority."""
    key = serialization.load_pem_private_key(authority.private_key_pem.bytes(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    issuer = x509.load_pem_x509_certificate(authority.cert_pem.bytes())
    builder = x509.CertificateRevocationListBuilder().issuer_name(issuer.subject)
    builder = builder.last_update(LONG_AGO).next_update(FAR)
    for leaf in revoked:
        certificate = x509.load_pem_x509_certificate(leaf.cert_chain_pems[0].bytes())
        entry = x509.RevokedCertificateBuilder().serial_number(certificate.serial_number)
        builder = builder.add_revoked_certificate(entry.revocation_date(LONG_AGO).build())
    made = builder.sign(key, hashes.SHA256())
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
