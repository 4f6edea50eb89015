"""Goal: LOCLADDR means what IBM's documentation says. Method: its forms, and what is none."""

from __future__ import annotations

import pytest

from ternmq.network.channels.local_address import LocalAddress, local_addresses


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("192.0.2.1", (LocalAddress("192.0.2.1"),)),
        ("192.0.2.1(1000)", (LocalAddress("192.0.2.1", 1000, 1000),)),
        ("192.0.2.1(1000,2000)", (LocalAddress("192.0.2.1", 1000, 2000),)),
        ("(1000)", (LocalAddress("", 1000, 1000),)),
        ("(1000,2000)", (LocalAddress("", 1000, 2000),)),
        ("host.example.com ( 5 , 6 )", (LocalAddress("host.example.com", 5, 6),)),
        ("[2001:db8::1](7)", (LocalAddress("2001:db8::1", 7, 7),)),
        ("192.0.2.1(7),fe80::1", (LocalAddress("192.0.2.1", 7, 7), LocalAddress("fe80::1"))),
    ],
)
def test_local_address_when_read_then_host_and_ports_are_known(
    text: str, expected: tuple[LocalAddress, ...]
) -> None:
    assert local_addresses(text) == expected


@pytest.mark.parametrize(
    "text", ["(2000,1000)", "host(70000)", "host(1", "a b", "host(x)", "a(1)b"]
)
def test_local_address_when_it_is_none_then_it_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="LOCLADDR"):
        local_addresses(text)


def test_ports_when_a_range_then_all_are_tried_in_order() -> None:
    assert list(LocalAddress("", 5, 7).ports) == [5, 6, 7]
    assert list(LocalAddress().ports) == [0]
