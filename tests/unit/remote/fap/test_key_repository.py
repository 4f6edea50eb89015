"""Key repositories: what SSLKEYR may name, which label is whose, and what cannot be read.

Method: certificates made for the run, written in each form that people have them in, and used in a
handshake where that is what counts.
"""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path

import pytest

from ternmq.remote.fap.certificates import load_entry
from ternmq.remote.fap.key_repository import KeyRepositoryError, read_key_repository
from tests.unit.network.certificates import Certificates


@pytest.fixture(scope="module")
def certificates() -> Certificates:
    return Certificates()


def usable(path: Path, label: str = "", password: str = "") -> None:
    """The repository has that label, and certificate and key belong together."""
    repository = read_key_repository(str(path), password)
    entry = repository.entry(label, "QM1")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    load_entry(context, [*entry.chain, entry.key], password)


def test_a_folder_has_labels_and_what_is_trusted(
    certificates: Certificates, tmp_path: Path
) -> None:
    certificates.write_folder(tmp_path)
    repository = read_key_repository(str(tmp_path))
    assert sorted(repository.entries) == ["elliptic", "ibmwebspheremqqm1", "second"]
    assert len(repository.trusted) == 1
    usable(tmp_path)  # the queue manager's own label
    usable(tmp_path, "SECOND")  # in whatever letters


def test_certificate_and_key_may_be_two_files(certificates: Certificates, tmp_path: Path) -> None:
    one = certificates.queue_manager
    one.cert_chain_pems[0].write_to_path(tmp_path / "only.crt")
    one.private_key_pem.write_to_path(tmp_path / "only.key")
    repository = read_key_repository(str(tmp_path))
    assert list(repository.entries) == ["only"]
    usable(tmp_path)  # the only one needs no label
    assert repository.entry("", "QM1").label == "only"


def test_a_pem_file_has_one_label_its_name(certificates: Certificates, tmp_path: Path) -> None:
    path = tmp_path / "mine.pem"
    certificates.queue_manager.private_key_and_cert_chain_pem.write_to_path(path)
    certificates.authority.cert_pem.write_to_path(path, append=True)
    repository = read_key_repository(str(path))
    assert list(repository.entries) == ["mine"]
    assert len(repository.trusted) == 1
    usable(path, "mine")
    usable(tmp_path / "mine")  # as a stem


def test_a_pkcs12_file_has_its_friendly_names(certificates: Certificates, tmp_path: Path) -> None:
    path = certificates.write_pkcs12(tmp_path / "key.p12", "geheim")
    repository = read_key_repository(str(path), "geheim")
    assert list(repository.entries) == ["ibmwebspheremqqm1"]
    assert len(repository.trusted) == 1
    usable(path, "ibmwebspheremqqm1", "geheim")
    usable(tmp_path / "key", password="geheim")
    with pytest.raises(KeyRepositoryError, match="password") as refused:
        read_key_repository(str(path), "falsch")
    assert "falsch" not in str(refused.value)


def test_an_encrypted_key_needs_the_password(certificates: Certificates, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    certificates.queue_manager.private_key_pem.write_to_path(plain)
    command = ["openssl", "pkcs8", "-topk8", "-in", str(plain), "-passout", "pass:geheim"]
    command += ["-out", str(tmp_path / "one.key")]
    subprocess.run(command, check=True, capture_output=True)
    certificates.queue_manager.cert_chain_pems[0].write_to_path(tmp_path / "one.crt")
    usable(tmp_path, "one", "geheim")
    with pytest.raises(KeyRepositoryError):
        usable(tmp_path, "one", "falsch")


def test_a_cms_database_is_refused_and_the_way_out_reported(tmp_path: Path) -> None:
    (tmp_path / "key.kdb").write_bytes(b"\0")
    for path in (tmp_path / "key", tmp_path / "key.kdb"):
        with pytest.raises(KeyRepositoryError, match="pkcs12"):
            read_key_repository(str(path))


def test_what_cannot_be_used_is_named(certificates: Certificates, tmp_path: Path) -> None:
    with pytest.raises(KeyRepositoryError, match="not there"):
        read_key_repository(str(tmp_path / "nowhere"))
    certificates.write_folder(tmp_path)
    repository = read_key_repository(str(tmp_path))
    with pytest.raises(KeyRepositoryError, match="labels there: Second, elliptic, ibm"):
        repository.entry("nobody", "QM1")
    (tmp_path / "two.pem").write_bytes(
        certificates.queue_manager.private_key_and_cert_chain_pem.bytes() * 2
    )
    with pytest.raises(KeyRepositoryError, match="2 private keys"):
        read_key_repository(str(tmp_path))
    (tmp_path / "two.pem").unlink()
    certificates.second.private_key_pem.write_to_path(tmp_path / "bare.pem")
    with pytest.raises(KeyRepositoryError, match="without a certificate"):
        read_key_repository(str(tmp_path))


def test_a_key_of_another_certificate_is_refused(
    certificates: Certificates, tmp_path: Path
) -> None:
    certificates.queue_manager.cert_chain_pems[0].write_to_path(tmp_path / "one.crt")
    certificates.second.private_key_pem.write_to_path(tmp_path / "one.key")
    with pytest.raises(KeyRepositoryError, match="cannot be used"):
        usable(tmp_path, "one")
