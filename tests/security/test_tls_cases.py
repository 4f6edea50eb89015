"""G14, TLS: every way in which a handshake and a channel can fit or not, with its outcome.

Method: the real listener and admission on loopback (`tests/unit/network/edge`), certificates made
for the run, Python's own TLS as the client. A row is one connection: how the client comes, to which
channel, what it is answered, and what the error log says. Every row runs with the name of the
channel in the handshake, as IBM MQ's clients send it, and then without.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.codec.pcf.structures import unpack_pcf
from ternmq.server.settings.network_settings import NetworkSettings
from ternmq.wire.cipher_specs import CIPHER_SPECS, TLS_1_2, sni_of_channel
from ternmq.wire.fap import vocabulary as fap
from tests.unit.network.certificates import Certificates, client_context, write_revocations
from tests.unit.network.edge_setup import Edge, on_edge

V12 = ssl.TLSVersion.TLSv1_2
V13 = ssl.TLSVersion.TLSv1_3
CHANNELS = (
    "ALTER QMGR CONNAUTH(' ')",
    "REFRESH SECURITY TYPE(CONNAUTH)",
    "DEFINE CHANNEL(PLAIN) CHLTYPE(SVRCONN)",
    "DEFINE CHANNEL(ANY) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)",
    "DEFINE CHANNEL(EITHER) CHLTYPE(SVRCONN) SSLCIPH(ANY) SSLCAUTH(OPTIONAL)",
    "DEFINE CHANNEL(V12) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12) SSLCAUTH(OPTIONAL)",
    "DEFINE CHANNEL(V13) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS13) SSLCAUTH(OPTIONAL)",
    "DEFINE CHANNEL(V13UP) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS13_OR_HIGHER) SSLCAUTH(OPTIONAL)",
    "DEFINE CHANNEL(SPEC) CHLTYPE(SVRCONN) SSLCIPH(ECDHE_RSA_AES_128_GCM_SHA256) "
    "SSLCAUTH(OPTIONAL)",
    "DEFINE CHANNEL(SPEC13) CHLTYPE(SVRCONN) SSLCIPH(TLS_AES_256_GCM_SHA384) SSLCAUTH(OPTIONAL)",
    "DEFINE CHANNEL(OTHER13) CHLTYPE(SVRCONN) SSLCIPH(TLS_AES_128_GCM_SHA256) SSLCAUTH(OPTIONAL)",
    "DEFINE CHANNEL(MUTUAL) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(REQUIRED)",
    "DEFINE CHANNEL(PEER) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) "
    "SSLPEER('CN=\"app*\",O=Org')",
    "DEFINE CHANNEL(PEEROU) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLPEER('OU=Sales')",
    "DEFINE CHANNEL(PEEROPT) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL) "
    "SSLPEER('CN=app1')",
    "DEFINE CHANNEL(LABEL) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL) "
    "CERTLABL('second')",
    "DEFINE CHANNEL(EC) CHLTYPE(SVRCONN) SSLCIPH(ECDHE_ECDSA_AES_256_GCM_SHA384) "
    "SSLCAUTH(OPTIONAL) CERTLABL('elliptic')",
    "DEFINE CHANNEL(NOLABEL) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) CERTLABL('nobody')",
    "DEFINE CHANNEL('m.Case') CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)",
    "SET CHLAUTH('*') TYPE(SSLPEERMAP) SSLPEER('CN=bob') USERSRC(MAP) MCAUSER('robert')",
    "SET CHLAUTH('*') TYPE(SSLPEERMAP) SSLPEER('OU=Sales') SSLCERTI('O=Nobody') USERSRC(NOACCESS)",
)


NO_OPTIONS: dict[str, Any] = {}


class Case(NamedTuple):
    """One row."""

    name: str
    channel: str
    answer: str  # what it begins with
    logged: str = ""  # the first message in the error log
    client: dict[str, Any] | None = NO_OPTIONS  # None: without TLS
    own: str = ""  # the client's certificate
    alone: str = "same"  # the answer without the channel's name in the handshake; "" is not asked
    event: int = 0  # MQRQ_ of the SSL event


CIPHER = f"REFUSED {fap.CIPHER_SPEC}"
NO_CERTIFICATE = f"REFUSED {fap.SSL_CLIENT_CERTIFICATE}"
WRONG_PEER = f"REFUSED {fap.PEER_NAME}"
NEVER = "HANDSHAKE"
MISMATCH = mq.MQRQ_SSL_CIPHER_SPEC_ERROR
HANDSHAKE_ERROR = mq.MQRQ_SSL_HANDSHAKE_ERROR
ONLY_12 = {"highest": V12}
ONLY_13 = {"lowest": V13}

CASES = [
    # what fits
    Case("any version, no certificate", "ANY", "OK alice"),
    Case("any, TLS 1.2", "ANY", "OK alice", client=ONLY_12),
    Case("any, TLS 1.3", "ANY", "OK alice", client=ONLY_13),
    Case("the alias ANY", "EITHER", "OK alice"),
    Case("TLS 1.2 alone", "V12", "OK alice", client=ONLY_12),
    Case("TLS 1.3 alone", "V13", "OK alice", client=ONLY_13),
    Case("TLS 1.3 or higher", "V13UP", "OK alice", client=ONLY_13),
    Case(
        "a CipherSpec of TLS 1.2",
        "SPEC",
        "OK alice",
        client={"highest": V12, "ciphers": "ECDHE-RSA-AES128-GCM-SHA256"},
    ),
    Case("a CipherSpec of TLS 1.3", "SPEC13", "OK alice", client=ONLY_13),
    Case("a certificate that nobody wants", "ANY", "OK alice", own="client"),
    Case("a certificate that must be", "MUTUAL", "OK alice", own="client"),
    Case("the right peer", "PEER", "OK alice", own="client"),
    Case("the right unit", "PEEROU", "OK alice", own="client"),
    Case("the right peer though optional", "PEEROPT", "OK alice", own="client"),
    Case("a map by the certificate", "MUTUAL", "OK robert", own="other_client"),
    Case("mixed letters in the name", "m.Case", "OK alice"),
    Case("another label", "LABEL", "OK alice", alone="OK alice"),
    Case(
        "an elliptic certificate",
        "EC",
        "OK alice",
        client={"highest": V12, "ciphers": "ECDHE-ECDSA-AES256-GCM-SHA384"},
        alone="HANDSHAKE",  # the queue manager's own certificate is another kind
    ),
    Case("without TLS", "PLAIN", "OK alice", client=None),
    # a channel that leaves no choice finds one that the client has
    Case("the channel has TLS 1.2, the client both", "V12", "OK alice", alone=CIPHER),
    Case("the channel has one CipherSpec, the client all", "SPEC", "OK alice", alone=CIPHER),
    # what does not fit
    Case("plain to a channel with TLS", "ANY", CIPHER, "AMQ9639E", client=None, event=MISMATCH),
    Case("plain to mutual", "MUTUAL", CIPHER, "AMQ9639E", client=None, event=MISMATCH),
    Case("TLS to a channel without", "PLAIN", CIPHER, "AMQ9635E", event=MISMATCH),
    Case(
        "TLS and a certificate to a channel without",
        "PLAIN",
        CIPHER,
        "AMQ9635E",
        own="client",
        event=MISMATCH,
    ),
    Case(
        "TLS 1.3 client, TLS 1.2 channel",
        "V12",
        NEVER,
        "AMQ9616E",
        client=ONLY_13,
        alone=CIPHER,
        event=HANDSHAKE_ERROR,
    ),
    Case(
        "TLS 1.2 client, TLS 1.3 channel",
        "V13",
        NEVER,
        "AMQ9616E",
        client=ONLY_12,
        alone=CIPHER,
        event=HANDSHAKE_ERROR,
    ),
    Case(
        "another CipherSpec of TLS 1.2",
        "SPEC",
        NEVER,
        "AMQ9616E",
        client={"highest": V12, "ciphers": "ECDHE-RSA-AES256-GCM-SHA384"},
        alone=CIPHER,
        event=HANDSHAKE_ERROR,
    ),
    Case(
        "another CipherSpec of TLS 1.3",
        "OTHER13",
        CIPHER,
        "AMQ9631E",
        client=ONLY_13,
        event=MISMATCH,
    ),
    Case(
        "an unknown CipherSpec of TLS 1.2",
        "ANY",
        NEVER,
        "AMQ9616E",
        client={"highest": V12, "ciphers": "ECDHE-RSA-CHACHA20-POLY1305"},
        event=HANDSHAKE_ERROR,
    ),
    Case(
        "SHA-1",
        "ANY",
        NEVER,
        "AMQ9616E",
        client={"highest": V12, "ciphers": "ECDHE-RSA-AES256-SHA"},
        event=HANDSHAKE_ERROR,
    ),
    Case(
        "no authentication of the server",
        "ANY",
        NEVER,
        "AMQ9616E",
        client={"highest": V12, "ciphers": "ADH-AES256-GCM-SHA384:@SECLEVEL=0"},
        event=HANDSHAKE_ERROR,
    ),
    Case(
        "TLS 1.1",
        "ANY",
        NEVER,
        "AMQ9616E",
        client={
            "lowest": ssl.TLSVersion.TLSv1_1,
            "highest": ssl.TLSVersion.TLSv1_1,
            "ciphers": "ALL:@SECLEVEL=0",
        },
        event=HANDSHAKE_ERROR,
    ),
    Case(
        "TLS 1.0",
        "ANY",
        NEVER,
        "AMQ9616E",
        client={
            "lowest": ssl.TLSVersion.TLSv1,
            "highest": ssl.TLSVersion.TLSv1,
            "ciphers": "ALL:@SECLEVEL=0",
        },
        event=HANDSHAKE_ERROR,
    ),
    Case(
        "no certificate where one must be",
        "MUTUAL",
        NO_CERTIFICATE,
        "AMQ9637E",
        event=mq.MQRQ_SSL_CLIENT_AUTH_ERROR,
    ),
    Case(
        "no certificate, TLS 1.2",
        "MUTUAL",
        NO_CERTIFICATE,
        "AMQ9637E",
        client=ONLY_12,
        event=mq.MQRQ_SSL_CLIENT_AUTH_ERROR,
    ),
    Case(
        "no certificate where SSLPEER wants one",
        "PEEROPT",
        NO_CERTIFICATE,
        "AMQ9637E",
        event=mq.MQRQ_SSL_CLIENT_AUTH_ERROR,
    ),
    Case(
        "a wrong peer",
        "PEER",
        WRONG_PEER,
        "AMQ9636E",
        own="other_client",
        event=mq.MQRQ_SSL_PEER_NAME_ERROR,
    ),
    Case(
        "a peer without the unit",
        "PEEROU",
        WRONG_PEER,
        "AMQ9636E",
        own="other_client",
        event=mq.MQRQ_SSL_PEER_NAME_ERROR,
    ),
    Case("an expired certificate", "MUTUAL", NEVER, "AMQ9633E", own="expired"),
    Case("expired, TLS 1.2", "MUTUAL", NEVER, "AMQ9633E", client=ONLY_12, own="expired"),
    Case("expired, though none is wanted", "ANY", NEVER, "AMQ9633E", own="expired"),
    Case("a certificate of the future", "MUTUAL", NEVER, "AMQ9633E", own="not_yet"),
    Case("a foreign authority", "MUTUAL", NEVER, "AMQ9633E", own="foreign"),
    Case("foreign, TLS 1.2", "MUTUAL", NEVER, "AMQ9633E", client=ONLY_12, own="foreign"),
    Case("a label that is not there", "NOLABEL", "CLOSED", "AMQ9660E", alone=NO_CERTIFICATE),
    Case("an unknown channel", "UNKNOWN", f"REFUSED {fap.NO_CHANNEL}", "AMQ9519E"),
]


@pytest.fixture(scope="module")
def certificates() -> Certificates:
    return Certificates()


def context_of(case: Case, certificates: Certificates) -> ssl.SSLContext | None:
    if case.client is None:
        return None
    options = dict(case.client)
    own = getattr(certificates, case.own) if case.own else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of old versions: that is the case
        return client_context(certificates, own, **options)


def prepared(edge: Edge) -> None:
    edge.run(
        "SET CHLAUTH('SYSTEM.*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) ACTION(REMOVE)",
        *CHANNELS,
        "ALTER QMGR SSLEV(ENABLED)",
    )


def qualifiers_reported(edge: Edge) -> list[int]:
    found = []
    with edge.manager.queue("SYSTEM.ADMIN.CHANNEL.EVENT") as queue:
        while queue.depth:
            message = unpack_pcf(queue.get().data)
            assert message.reason == rc.MQRC_CHANNEL_SSL_ERROR
            values = {one.parameter: one.value for one in message.parameters}
            found.append(int(str(values[mq.MQIACF_REASON_QUALIFIER])))
    return found


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_case(case: Case, certificates: Certificates, tmp_path: Path) -> None:
    certificates.write_folder(tmp_path / "ssl")

    async def play(edge: Edge) -> None:
        prepared(edge)
        context = context_of(case, certificates)
        name = sni_of_channel(case.channel)
        answer = await edge.ask(f"{case.channel} alice", context, name)
        assert answer.startswith(case.answer), (answer, edge.logged)
        if case.logged:
            await edge.until(lambda: bool(edge.logged))
            assert edge.ids[0] == case.logged, edge.logged
        else:
            assert edge.logged == []
        if case.event:
            assert qualifiers_reported(edge) == [case.event]
        if context is not None and case.alone:
            expected = case.answer if case.alone == "same" else case.alone
            answer = await edge.ask(f"{case.channel} alice", context, "localhost")
            assert answer.startswith(expected), (answer, edge.logged)
        await edge.until(lambda: edge.network.acceptor.unauthenticated.count == 0)

    on_edge(play, tmp_path)


def test_the_table_has_the_cases_that_g14_wants() -> None:
    assert len(CASES) >= 40
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize(
    "row", [row for row in CIPHER_SPECS if "ECDSA" not in row.name and row.version == TLS_1_2]
)
def test_each_cipher_spec_of_tls_1_2_is_agreed_on_and_shown(
    row: Any, certificates: Certificates, tmp_path: Path
) -> None:
    certificates.write_folder(tmp_path / "ssl")

    async def play(edge: Edge) -> None:
        edge.run(
            *CHANNELS[:2],
            f"DEFINE CHANNEL(ONE) CHLTYPE(SVRCONN) SSLCIPH({row.name}) SSLCAUTH(OPTIONAL)",
        )
        context = client_context(certificates, highest=V12, ciphers=row.openssl_name)
        reader, writer = await edge.connect(context, sni_of_channel("ONE"))
        writer.write(b"TSH ONE alice\n")
        assert await reader.readline() == b"OK alice\n"
        (instance,) = edge.network.channels.instances.values()
        assert instance.cipher == row.name
        assert instance.protocol == TLS_1_2
        writer.transport.abort()

    on_edge(play, tmp_path)


@pytest.mark.parametrize("highest", [V12, V13])
def test_a_client_that_does_not_trust_the_queue_manager_is_reported_as_such(
    highest: ssl.TLSVersion, certificates: Certificates, tmp_path: Path
) -> None:
    """With a blocking client: the asyncio one keeps its alert to itself."""
    certificates.write_folder(tmp_path / "ssl")

    async def play(edge: Edge) -> None:
        prepared(edge)
        context = client_context(certificates, trusts=certificates.stranger, highest=highest)

        def connect() -> None:
            place = ("127.0.0.1", edge.listener.port)
            with socket.create_connection(place) as sock, pytest.raises(ssl.SSLError):
                context.wrap_socket(sock, server_hostname=sni_of_channel("ANY"))

        await asyncio.to_thread(connect)
        await edge.until(lambda: bool(edge.logged))
        assert edge.ids == ["AMQ9633E"]
        assert qualifiers_reported(edge) == [HANDSHAKE_ERROR]

    on_edge(play, tmp_path)


def test_the_label_of_a_channel_chooses_the_certificate(
    certificates: Certificates, tmp_path: Path
) -> None:
    certificates.write_folder(tmp_path / "ssl")

    async def play(edge: Edge) -> None:
        prepared(edge)
        for channel, name in (("ANY", "QM1"), ("LABEL", "SECOND")):
            context = client_context(certificates)
            _, writer = await edge.connect(context, sni_of_channel(channel))
            shown = dict(one[0] for one in writer.get_extra_info("peercert")["subject"])
            assert shown["commonName"] == name
            writer.transport.abort()

    on_edge(play, tmp_path)


def test_who_came_by_a_certificate_is_shown_with_it(
    certificates: Certificates, tmp_path: Path
) -> None:
    certificates.write_folder(tmp_path / "ssl")

    async def play(edge: Edge) -> None:
        prepared(edge)
        context = client_context(certificates, certificates.other_client)
        reader, writer = await edge.connect(context, sni_of_channel("MUTUAL"))
        writer.write(b"TSH MUTUAL alice\n")
        assert await reader.readline() == b"OK robert\n"
        (instance,) = edge.network.channels.instances.values()
        assert instance.certificate_subject.startswith("SERIALNUMBER=")
        assert ",CN=bob," in instance.certificate_subject
        assert 'O="Org, Inc."' in instance.certificate_subject
        assert "O=Trusted" in instance.certificate_issuer
        writer.transport.abort()

    on_edge(play, tmp_path)


def test_tls_1_3_can_be_forbidden_for_all_channels(
    certificates: Certificates, tmp_path: Path
) -> None:
    certificates.write_folder(tmp_path / "ssl")

    async def play(edge: Edge) -> None:
        prepared(edge)
        both = client_context(certificates)
        reader, writer = await edge.connect(both, sni_of_channel("ANY"))
        assert writer.get_extra_info("ssl_object").version() == "TLSv1.2"
        writer.transport.abort()
        answer = await edge.ask("V13 alice", both, sni_of_channel("V13"))
        assert answer == "CLOSED"
        assert reader is not None

    on_edge(play, tmp_path, NetworkSettings(allows_tls_1_3=False))


def test_new_certificates_count_after_refresh(certificates: Certificates, tmp_path: Path) -> None:
    folder = certificates.write_folder(tmp_path / "ssl")

    async def play(edge: Edge) -> None:
        prepared(edge)
        context = client_context(certificates)
        assert await edge.ask("ANY alice", context, sni_of_channel("ANY")) == "OK alice"
        fresh = certificates.stranger.issue_cert("qm1.example.com")
        fresh.private_key_and_cert_chain_pem.write_to_path(folder / "ibmwebspheremqqm1.pem")
        assert await edge.ask("ANY alice", context, sni_of_channel("ANY")) == "OK alice"
        edge.network.tls.refresh()
        answer = await edge.ask("ANY alice", context, sni_of_channel("ANY"))
        assert answer.startswith(NEVER)

    on_edge(play, tmp_path)


def test_a_revoked_certificate_is_refused_where_there_is_a_list(
    certificates: Certificates, tmp_path: Path
) -> None:
    folder = certificates.write_folder(tmp_path / "ssl")
    write_revocations(certificates.authority, [certificates.client], folder / "authority.crl")

    async def play(edge: Edge) -> None:
        prepared(edge)
        name = sni_of_channel("MUTUAL")
        revoked = client_context(certificates, certificates.client)
        assert (await edge.ask("MUTUAL alice", revoked, name)).startswith(NEVER)
        assert edge.logged[0] == ("AMQ9633E", ("MUTUAL", "127.0.0.1", "certificate revoked"))
        good = client_context(certificates, certificates.other_client)
        assert await edge.ask("MUTUAL alice", good, name) == "OK robert"

    on_edge(play, tmp_path)


def test_without_the_list_of_an_issuer_nobody_of_it_comes_in(
    certificates: Certificates, tmp_path: Path
) -> None:
    folder = certificates.write_folder(tmp_path / "ssl")
    write_revocations(certificates.stranger, [], folder / "another.crl")

    async def play(edge: Edge) -> None:
        prepared(edge)
        good = client_context(certificates, certificates.other_client)
        answer = await edge.ask("MUTUAL alice", good, sni_of_channel("MUTUAL"))
        assert answer.startswith(NEVER)
        assert edge.ids[0] == "AMQ9633E"

    on_edge(play, tmp_path)


def test_bytes_before_the_handshake_do_not_get_into_the_channel(
    certificates: Certificates, tmp_path: Path
) -> None:
    """TLS first: what is sent in the clear before a handshake is never taken for a request."""
    certificates.write_folder(tmp_path / "ssl")

    async def play(edge: Edge) -> None:
        prepared(edge)
        reader, writer = await edge.connect()
        writer.write(b"\x16TSH ANY alice\n")
        data = await reader.read()
        assert not data.startswith(b"OK")
        assert not edge.guests
        assert edge.ids[0] in ("AMQ9638E", "AMQ9616E")
        writer.transport.abort()

    on_edge(play, tmp_path)


def test_no_secret_is_reported_when_keys_cannot_be_used(
    certificates: Certificates, tmp_path: Path
) -> None:
    (tmp_path / "ssl").mkdir()
    certificates.write_pkcs12(tmp_path / "ssl" / "key.p12", "geheim")

    async def play(edge: Edge) -> None:
        prepared(edge)
        path = tmp_path / "ssl" / "key"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            edge.run(f"ALTER QMGR SSLKEYR('{path}') KEYRPWD('falsch')")
        context = client_context(certificates)
        assert await edge.ask("ANY alice", context, sni_of_channel("ANY")) == "CLOSED"
        assert edge.ids[0] == "AMQ9660E"
        assert "falsch" not in str(edge.logged)
        edge.run(f"ALTER QMGR SSLKEYR('{path}') KEYRPWD('geheim')")
        edge.network.tls.refresh()
        assert await edge.ask("ANY alice", context, sni_of_channel("ANY")) == "OK alice"

    on_edge(play, tmp_path)
