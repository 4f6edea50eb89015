"""The server name of a ClientHello: read from hellos that OpenSSL makes, whole and cut anywhere;
and no bytes whatever make the reader fail.
"""

from __future__ import annotations

import ssl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.wire.tls_hello import (
    RECORD_BYTES_MAX,
    RECORD_HEAD_BYTES,
    bytes_wanted,
    is_segment,
    is_tls,
    server_name,
)

pytestmark = pytest.mark.core


def hello(name: str | None, highest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3) -> bytes:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.maximum_version = highest
    out = ssl.MemoryBIO()
    channel = context.wrap_bio(ssl.MemoryBIO(), out, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        channel.do_handshake()
    return out.read()


@pytest.mark.parametrize("highest", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("name", ["qm1.example.com", "dev2e-app2e-svrconn.chl.mq.ibm.com"])
def test_the_name_that_openssl_sends_is_found(name: str, highest: ssl.TLSVersion) -> None:
    data = hello(name, highest)
    assert is_tls(data[0])
    assert bytes_wanted(data) == len(data)
    assert server_name(data) == name


def test_a_hello_without_a_name_has_none() -> None:
    assert server_name(hello(None)) == ""


def test_a_hello_that_is_cut_anywhere_has_no_name_or_the_whole_one() -> None:
    data = hello("qm1.example.com")
    names = {server_name(data[:end]) for end in range(len(data) + 1)}
    assert names == {"", "qm1.example.com"}


def test_how_much_is_wanted_is_bounded_whatever_the_record_says() -> None:
    assert bytes_wanted(b"") == RECORD_HEAD_BYTES
    assert bytes_wanted(b"\x16\x03\x01\xff\xff") == RECORD_HEAD_BYTES + RECORD_BYTES_MAX
    assert bytes_wanted(b"\x16TSH DEV.APP.SVRCONN") == len(b"\x16TSH DEV.APP.SVRCONN")


@given(st.binary(max_size=400))
def test_no_bytes_make_the_reader_fail(data: bytes) -> None:
    assert isinstance(server_name(data), str)


@given(st.data())
def test_no_damage_of_a_hello_makes_the_reader_fail(data: st.DataObject) -> None:
    damaged = bytearray(hello("qm1.example.com"))
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    assert isinstance(server_name(bytes(damaged)), str)


def test_what_begins_neither_a_handshake_nor_a_segment_is_distinguished() -> None:
    assert [one for one in range(256) if is_tls(one)] == [0x16]
    assert [one for one in range(256) if is_segment(one)] == [b"TSH "[0], 0xE3]
