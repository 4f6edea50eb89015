"""CipherSpecs: every row is known to OpenSSL here and back, aliases stand for what they say, and a
channel's name survives its way through the server name of a handshake.
"""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.wire.cipher_specs import (
    ALIASES,
    CIPHER_SPECS,
    SNI_SUFFIX,
    TLS_1_2,
    TLS_1_3,
    channel_of_sni,
    cipher_spec_of_suite,
    cipher_specs_of,
    sni_of_channel,
)

pytestmark = pytest.mark.core

NAME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./_%"


def test_rows_of_tls_1_2_are_suites_that_openssl_has_under_the_same_number() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    rows = [row for row in CIPHER_SPECS if row.version == TLS_1_2]
    context.set_ciphers(":".join(row.openssl_name for row in rows))
    known = {one["name"]: one["id"] & 0xFFFF for one in context.get_ciphers()}
    for row in rows:
        assert known[row.openssl_name] == row.number, row.name


def test_numbers_and_names_of_the_table_are_unique() -> None:
    for column in ("name", "number", "openssl_name"):
        values = [getattr(row, column) for row in CIPHER_SPECS]
        assert len(values) == len(set(values)), column


@pytest.mark.parametrize(
    ("alias", "versions"),
    [
        ("ANY", {TLS_1_2, TLS_1_3}),
        ("ANY_TLS12", {TLS_1_2}),
        ("ANY_TLS12_OR_HIGHER", {TLS_1_2, TLS_1_3}),
        ("ANY_TLS13", {TLS_1_3}),
        ("ANY_TLS13_OR_HIGHER", {TLS_1_3}),
    ],
)
def test_an_alias_stands_for_all_rows_of_its_versions(alias: str, versions: set[str]) -> None:
    assert alias in ALIASES
    assert cipher_specs_of(alias) == [row for row in CIPHER_SPECS if row.version in versions]


@pytest.mark.parametrize("name", ["", "NULL_MD5", "RC4_SHA_US", "TLS_RSA_WITH_AES_256_CBC_SHA"])
def test_what_is_weak_or_unknown_is_no_cipher_spec(name: str) -> None:
    assert cipher_specs_of(name) == []


def test_a_suite_leads_back_to_its_cipher_spec() -> None:
    for row in CIPHER_SPECS:
        assert cipher_spec_of_suite(row.openssl_name) is row
    assert cipher_spec_of_suite("ADH-AES128-SHA256") is None


@pytest.mark.parametrize(
    ("channel", "server_name"),
    [
        ("MQ.CLIENT.SVRCONN", "mq2e-client2e-svrconn"),
        ("EXT.CONN", "ext2e-conn"),
        ("QM2CHL", "qm2chl"),
        ("To.QM_2", "t6f-2e-qm5f-2"),
        ("A/B%1", "a2f-b25-1"),
    ],
)
def test_a_channel_name_becomes_the_server_name_that_ibm_mq_sends(
    channel: str, server_name: str
) -> None:
    assert sni_of_channel(channel) == server_name + SNI_SUFFIX
    assert channel_of_sni(server_name + SNI_SUFFIX) == channel


@given(st.text(NAME_CHARACTERS, min_size=1, max_size=20))
def test_a_channel_name_comes_back_from_its_server_name(channel: str) -> None:
    assert channel_of_sni(sni_of_channel(channel)) == channel
    assert channel_of_sni(sni_of_channel(channel).upper()) == channel


@pytest.mark.parametrize(
    "server_name",
    [
        "",
        "localhost",
        "qm1.example.com",
        "chl.mq.ibm.com",
        "-" + SNI_SUFFIX,
        "a..b" + SNI_SUFFIX,
        "x" * 21 + SNI_SUFFIX,
    ],
)
def test_another_server_name_names_no_channel(server_name: str) -> None:
    assert channel_of_sni(server_name) == ""


def test_the_page_of_the_network_has_every_row() -> None:
    page = (Path(__file__).parents[3] / "docs" / "administration" / "network.md").read_text()
    rows = [f"| {r.name} | {r.number:04X} | {r.openssl_name} | {r.version} |" for r in CIPHER_SPECS]
    shown = [line for line in page.splitlines() if line.endswith(("| TLSV12 |", "| TLSV13 |"))]
    assert shown == rows
    assert all(alias in page for alias in ALIASES)
