"""TLS of the network client, blocking and asyncio, against a queue manager of this process.

CipherSpecs, certificates, SSLPEER, and what the application is told if TLS does not come about.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ternmq
import ternmq.aio
from ternmq.base import reasons as rc
from tests.unit.api.networked import Networked, in_memory
from tests.unit.network.certificates import Certificates

pytestmark = pytest.mark.core

CHANNELS = """
DEFINE QLOCAL(A)
DEFINE CHANNEL(TLS) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)
DEFINE CHANNEL(MUTUAL) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(REQUIRED)
DEFINE CHANNEL(TWELVE) CHLTYPE(SVRCONN) SSLCIPH(ECDHE_RSA_AES_128_GCM_SHA256) SSLCAUTH(OPTIONAL)
"""


@pytest.fixture(scope="module")
def certificates() -> Certificates:
    return Certificates()


@pytest.fixture
def served(certificates: Certificates) -> Iterator[Networked]:
    """A queue manager with channels for TLS."""
    served = in_memory()
    with served:
        certificates.write_folder(served.folder / "ssl")
        with served.connect() as connection:
            for answer in connection.mqsc(CHANNELS):
                assert answer.ok, answer
        yield served


@pytest.fixture
def keys(certificates: Certificates, tmp_path: Path) -> Path:
    """A client's key repository: whom it trusts, and two certificates of its own."""
    folder = tmp_path / "keys"
    folder.mkdir()
    certificates.authority.cert_pem.write_to_path(folder / "authority.crt")
    certificates.client.private_key_and_cert_chain_pem.write_to_path(folder / "app1.pem")
    certificates.other_client.private_key_and_cert_chain_pem.write_to_path(folder / "app2.pem")
    return folder


def in_both(served: Networked, **arguments: Any) -> None:
    """Put and get over each API."""
    data = bytes(200_000)
    with served.connect(**arguments) as connection, connection.queue("A") as queue:
        queue.put(data)
        assert queue.get(wait=5).data == data

    async def main() -> None:
        way = served.connect_task(**arguments)
        async with way as connection, connection.queue("A") as queue:
            await queue.put(data)
            assert (await queue.get(wait=5)).data == data

    asyncio.run(main())


def refused(served: Networked, **arguments: Any) -> set[int]:
    """The reasons that each API gives."""
    with pytest.raises(ternmq.MQError) as blocking:
        served.connect(**arguments)

    async def main() -> int:
        with pytest.raises(ternmq.MQError) as error:
            await served.connect_task(**arguments)
        return error.value.reason

    return {blocking.value.reason, asyncio.run(main())}


@pytest.mark.parametrize(
    "cipher", ["ANY", "ANY_TLS12", "ANY_TLS13", "ANY_TLS12_OR_HIGHER", "TLS_AES_256_GCM_SHA384"]
)
def test_messages_travel_by_any_cipher_spec_that_both_have(
    served: Networked, keys: Path, cipher: str
) -> None:
    in_both(served, channel="TLS", cipher=cipher, key_repository=keys)


def test_one_suite_of_tls_1_2_is_agreed_on(served: Networked, keys: Path) -> None:
    cipher = "ECDHE_RSA_AES_128_GCM_SHA256"
    in_both(served, channel="TWELVE", cipher=cipher, key_repository=keys)
    other = "ECDHE_RSA_AES_256_GCM_SHA384"
    assert refused(served, channel="TWELVE", cipher=other, key_repository=keys) == {
        rc.MQRC_SSL_INITIALIZATION_ERROR
    }


def test_a_client_shows_its_certificate_by_label(served: Networked, keys: Path) -> None:
    tls = {"channel": "MUTUAL", "cipher": "ANY_TLS12_OR_HIGHER", "key_repository": keys}
    in_both(served, **tls, certificate_label="APP1")
    with served.connect(**tls, certificate_label="app2") as connection:
        (shown,) = connection.mqsc("DISPLAY CHSTATUS(MUTUAL) SSLPEER")
        assert "CN=bob" in str(shown["SSLPEER"])
    # Without a label there is none to choose among two.
    assert refused(served, **tls) <= {
        rc.MQRC_SSL_INITIALIZATION_ERROR,
        rc.MQRC_CHANNEL_CONFIG_ERROR,
    }
    assert refused(served, **tls, certificate_label="app3") == {rc.MQRC_SSL_INITIALIZATION_ERROR}


def test_the_queue_managers_name_is_compared_with_sslpeer(served: Networked, keys: Path) -> None:
    tls = {"channel": "TLS", "cipher": "ANY_TLS12_OR_HIGHER", "key_repository": keys}
    in_both(served, **tls, peer_name="CN=QM*")
    assert refused(served, **tls, peer_name="CN=OTHER") == {rc.MQRC_SSL_PEER_NAME_MISMATCH}


def test_an_unknown_queue_manager_is_not_believed(
    served: Networked, certificates: Certificates, tmp_path: Path
) -> None:
    folder = tmp_path / "stranger"
    folder.mkdir()
    certificates.stranger.cert_pem.write_to_path(folder / "authority.crt")
    reasons = refused(served, channel="TLS", cipher="ANY", key_repository=folder)
    assert reasons == {rc.MQRC_SSL_INITIALIZATION_ERROR}


def test_a_channel_that_wants_tls_is_not_had_without_and_the_other_way_round(
    served: Networked, keys: Path
) -> None:
    assert refused(served, channel="TLS") == {rc.MQRC_SSL_INITIALIZATION_ERROR}
    reasons = refused(served, channel="APP.SVRCONN", cipher="ANY", key_repository=keys)
    assert reasons == {rc.MQRC_SSL_INITIALIZATION_ERROR}


@pytest.mark.parametrize(
    ("arguments", "reason", "values"),
    [
        ({"cipher": "ROT13"}, rc.MQRC_SSL_INITIALIZATION_ERROR, "ROT13"),
        ({"cipher": "ANY"}, rc.MQRC_KEY_REPOSITORY_ERROR, "no key repository"),
        (
            {"cipher": "ANY", "key_repository": "/not/there"},
            rc.MQRC_KEY_REPOSITORY_ERROR,
            "/not/there",
        ),
    ],
)
def test_settings_of_tls_that_cannot_be_are_reported(
    served: Networked, arguments: dict[str, str], reason: int, values: str
) -> None:
    with pytest.raises(ternmq.MQError) as error:
        served.connect(channel="TLS", **arguments)
    assert error.value.reason == reason
    assert values in error.value.detail


def test_a_cut_in_tls_is_a_broken_connection(served: Networked, keys: Path) -> None:
    connection = served.connect(channel="TLS", cipher="ANY", key_repository=keys)
    queue = connection.queue("A")
    served.cut()
    with pytest.raises(ternmq.MQError) as error:
        queue.get(wait=-1)
    assert error.value.reason == rc.MQRC_CONNECTION_BROKEN
