"""What both ends of TLS share: versions and suites of CipherSpecs, certificates given to a context,
and what a handshake agreed on.
"""

from __future__ import annotations

import os
import ssl
from typing import Any, Final

from ternmq.remote.fap.key_repository import KeyRepositoryError
from ternmq.wire.cipher_specs import TLS_1_2, TLS_1_3, CipherSpec, cipher_spec_of_suite

_VERSIONS: Final = {TLS_1_2: ssl.TLSVersion.TLSv1_2, TLS_1_3: ssl.TLSVersion.TLSv1_3}
_PROTOCOLS: Final = {"TLSv1.2": TLS_1_2, "TLSv1.3": TLS_1_3}
_UNIT: Final = "organizationalUnitName"
# OpenSSL's names of what stands in a distinguished name, as SSLPEER has them.
_DN_NAMES: Final[dict[str, str]] = {
    "emailAddress": "MAIL",
    "userId": "UID",
    "commonName": "CN",
    "title": "T",
    "organizationalUnitName": "OU",
    "domainComponent": "DC",
    "organizationName": "O",
    "streetAddress": "STREET",
    "localityName": "L",
    "stateOrProvinceName": "ST",
    "postalCode": "PC",
    "countryName": "C",
    "unstructuredName": "UNSTRUCTUREDNAME",
    "unstructuredAddress": "UNSTRUCTUREDADDRESS",
    "dnQualifier": "DNQ",
}


def set_versions(context: ssl.SSLContext, specs: list[CipherSpec]) -> None:
    """Allow what CipherSpecs stand for, and nothing below."""
    versions = sorted(_VERSIONS[one.version] for one in specs)
    context.minimum_version = versions[0]
    context.maximum_version = versions[-1]
    suites = [one.openssl_name for one in specs if one.version == TLS_1_2]
    if suites:
        context.set_ciphers(":".join(suites))


def load_entry(context: ssl.SSLContext, pems: list[str], password: str) -> None:
    """Give a context its certificate, chain and key. Python reads them from a file only: this one
    is in memory and has no name, so that no key is written to a disk."""
    data = "\n".join(pems).encode("ascii", "replace")
    with open(os.memfd_create("certificate"), "wb") as file:
        file.write(data)
        file.flush()
        try:
            context.load_cert_chain(f"/dev/fd/{file.fileno()}", password=lambda: password)
        except (ssl.SSLError, ValueError) as error:
            why = getattr(error, "reason", None) or str(error)
            raise KeyRepositoryError(f"a certificate and its key cannot be used: {why}") from error


def facts(ssl_object: Any) -> tuple[str, str, str, str]:
    """What a handshake agreed on: CipherSpec, SECPROT, subject and issuer of the certificate."""
    suite = ssl_object.cipher()
    row = cipher_spec_of_suite(suite[0]) if suite else None
    name = row.name if row is not None else str(suite[0]) if suite else ""
    protocol = _PROTOCOLS.get(str(ssl_object.version()), "NONE")
    certificate = ssl_object.getpeercert()
    if not certificate:
        return name, protocol, "", ""
    serial = str(certificate.get("serialNumber", ""))
    pairs = ":".join(serial[at : at + 2] for at in range(0, len(serial), 2))
    subject = distinguished_name(certificate.get("subject", ()))
    if pairs:
        subject = f"SERIALNUMBER={pairs},{subject}"
    return name, protocol, subject, distinguished_name(certificate.get("issuer", ()))


def distinguished_name(parts: tuple[tuple[tuple[str, str], ...], ...]) -> str:
    """A name as SSLPEER writes it: the most particular part first, but of several units the
    largest, which stands first in a certificate."""
    found: list[str] = []
    units = [value for relative in parts for key, value in relative if key == _UNIT]
    for relative in reversed(parts):
        for key, given in relative:
            if key == "serialNumber":
                continue  # of a person, where IBM MQ has that of the certificate
            value = units.pop(0) if key == _UNIT else given
            short = _DN_NAMES.get(key, key.upper())
            quoted = value
            if any(one in value for one in ',;="+') or value != value.strip():
                doubled = value.replace('"', '""')
                quoted = f'"{doubled}"'
            found.append(f"{short}={quoted}")
    return ",".join(found)
