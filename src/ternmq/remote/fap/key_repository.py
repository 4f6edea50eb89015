"""The key repository of a queue manager (SSLKEYR): certificates with their keys, by label, and the
certificates that are trusted.

SSLKEYR names one of

    a folder       LABEL.pem with a certificate (and its chain) and its private key, or LABEL.crt
                   and LABEL.key; every other .pem, .crt or .cer holds certificates that are
                   trusted; .crl holds revocation lists, and if there are any, partners are checked
    a .pem file    one certificate with its chain and key, and what is trusted; the label is the
                   file's name
    a .p12 file    PKCS#12, also .pfx: labels are its friendly names. The openssl program reads it
    a stem         as IBM MQ has it, /path/key: key.p12, key.pfx or key.pem

Nothing in SSLKEYR is the folder ssl of the queue manager. A CMS file (.kdb) is refused: its format
is GSKit's own, and nothing but GSKit reads it. KEYRPWD is the password of a PKCS#12 file and of
encrypted keys. Labels are compared without regard to case, as GSKit does.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from typing import Final

_CERTIFICATE: Final = re.compile(
    r"-----BEGIN (?:TRUSTED )?CERTIFICATE-----.*?-----END (?:TRUSTED )?CERTIFICATE-----", re.S
)
_KEY: Final = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )?PRIVATE KEY-----.*?-----END (?:[A-Z0-9]+ )?PRIVATE KEY-----", re.S
)
_FRIENDLY_NAME: Final = re.compile(r"friendlyName: *(.*)")
_LOCAL_KEY_ID: Final = re.compile(r"localKeyID: *(.*)")
_CERTIFICATE_SUFFIXES: Final = (".pem", ".crt", ".cer")
_PKCS12_SUFFIXES: Final = (".p12", ".pfx")
_FILE_BYTES_MAX: Final = 4_194_304
_OPENSSL_S: Final = 30.0


class KeyRepositoryError(Exception):
    """A key repository that cannot be used; the text says why and has no secret."""


@dataclass
class KeyEntry:
    """A certificate, its chain and its private key, as PEM."""

    label: str
    chain: list[str]
    key: str


@dataclass
class KeyRepository:
    """What a queue manager can show, and whom it trusts."""

    path: str
    entries: dict[str, KeyEntry] = field(default_factory=dict)  # by label in lower case
    trusted: list[str] = field(default_factory=list)  # PEM
    revocations: list[str] = field(default_factory=list)  # paths of lists
    password: str = ""

    def entry(self, label: str, qmgr_name: str) -> KeyEntry:
        """The certificate of a label; without one, that of the queue manager's usual label, or the
        only one there is."""
        wanted = label or f"ibmwebspheremq{qmgr_name}"
        found = self.entries.get(wanted.lower())
        if found is None and not label and len(self.entries) == 1:
            (found,) = self.entries.values()
        if found is None:
            labels = ", ".join(sorted(one.label for one in self.entries.values())) or "none"
            raise KeyRepositoryError(
                f"{self.path} has no certificate with the label '{wanted}' and its key; labels "
                f"there: {labels}"
            )
        return found


def read_key_repository(path: str, password: str = "") -> KeyRepository:
    """What SSLKEYR names."""
    found = _located(path)
    try:
        if os.path.isdir(found):
            repository = _read_folder(found)
        elif found.lower().endswith(_PKCS12_SUFFIXES):
            repository = _read_pkcs12(found, password)
        else:
            repository = _read_pem(found)
    except OSError as error:
        raise KeyRepositoryError(f"{found} cannot be read: {error.strerror}") from error
    repository.password = password
    return repository


def _located(path: str) -> str:
    if path.lower().endswith(".kdb") or os.path.isfile(f"{path}.kdb"):
        raise KeyRepositoryError(
            f"{path} is a CMS key database, which only GSKit can read; export it as PKCS#12 "
            "(runmqakm -cert -export -target key.p12 -target_type pkcs12)"
        )
    if os.path.exists(path):
        return path
    for suffix in (*_PKCS12_SUFFIXES, ".pem"):
        if os.path.isfile(f"{path}{suffix}"):
            return f"{path}{suffix}"
    raise KeyRepositoryError(f"{path} is not there, and neither is {path}.p12 or {path}.pem")


def _text(path: str) -> str:
    with open(path, "rb") as file:
        data = file.read(_FILE_BYTES_MAX + 1)
    if len(data) > _FILE_BYTES_MAX:
        raise KeyRepositoryError(f"{path} is longer than {_FILE_BYTES_MAX} bytes")
    return data.decode("ascii", "replace")


def _read_folder(folder: str) -> KeyRepository:
    repository = KeyRepository(folder)
    for name in sorted(os.listdir(folder)):
        stem, suffix = os.path.splitext(name)
        path = os.path.join(folder, name)
        if suffix.lower() == ".crl":
            repository.revocations.append(path)
        elif suffix.lower() in _CERTIFICATE_SUFFIXES:
            text = _text(path)
            key_path = os.path.join(folder, f"{stem}.key")
            keys = _text(key_path) if os.path.isfile(key_path) else text
            _add(repository, stem, text, keys, path)
        elif suffix.lower() in _PKCS12_SUFFIXES:
            raise KeyRepositoryError(f"{path}: name the file itself in SSLKEYR, not its folder")
    return repository


def _read_pem(path: str) -> KeyRepository:
    repository = KeyRepository(path)
    text = _text(path)
    stem = os.path.splitext(os.path.basename(path))[0]
    _add(repository, stem, text, text, path)
    # One file has all: what stands behind the certificate itself is its chain, and trusted.
    for entry in repository.entries.values():
        repository.trusted += entry.chain[1:]
    return repository


def _add(repository: KeyRepository, label: str, text: str, keys: str, path: str) -> None:
    certificates = _CERTIFICATE.findall(text)
    found = _KEY.findall(keys)
    if len(found) > 1:
        raise KeyRepositoryError(f"{path} has {len(found)} private keys; a file has one")
    if found and not certificates:
        raise KeyRepositoryError(f"{path} has a private key without a certificate")
    if found:
        repository.entries[label.lower()] = KeyEntry(label, certificates, found[0])
    else:
        repository.trusted += certificates


def _read_pkcs12(path: str, password: str) -> KeyRepository:
    """By the openssl program. The keys stay in memory; the password goes by the environment of that
    process, where only its user sees it."""
    command = ["openssl", "pkcs12", "-in", path, "-nodes", "-passin", "env:KEYRPWD"]
    try:
        done = subprocess.run(
            command,
            env={**os.environ, "KEYRPWD": password},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_OPENSSL_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise KeyRepositoryError(f"{path}: there is no openssl program to read it") from error
    except subprocess.TimeoutExpired as error:
        raise KeyRepositoryError(f"{path}: openssl did not end") from error
    if done.returncode != 0:
        raise KeyRepositoryError(f"{path} cannot be opened: its password (KEYRPWD) may be wrong")
    return _of_bags(path, done.stdout.decode("utf-8", "replace"))


def _of_bags(path: str, text: str) -> KeyRepository:
    repository = KeyRepository(path)
    keys: dict[str, str] = {}
    certificates: list[tuple[str, str, str]] = []  # localKeyID, friendly name, PEM
    for bag in text.split("Bag Attributes")[1:]:
        found_id = _LOCAL_KEY_ID.search(bag)
        found_name = _FRIENDLY_NAME.search(bag)
        key_id = found_id.group(1).strip() if found_id else ""
        name = found_name.group(1).strip() if found_name else ""
        for key in _KEY.findall(bag):
            keys[key_id] = key
        certificates += [(key_id, name, one) for one in _CERTIFICATE.findall(bag)]
    others = [pem for key_id, _, pem in certificates if not key_id or key_id not in keys]
    for number, (key_id, name, pem) in enumerate(certificates):
        if key_id and key_id in keys:
            label = name or f"key{number}"
            repository.entries[label.lower()] = KeyEntry(label, [pem, *others], keys[key_id])
    repository.trusted = others
    return repository
