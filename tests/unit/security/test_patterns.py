"""Goal: names, addresses and distinguished names of channel rules match as MQ says.

Method: tables of cases; two patterns meet if and only if some short name fits both.
"""

import itertools

import pytest

from ternmq.security.patterns import (
    address_fault,
    address_key,
    address_matches,
    name_key,
    name_matches,
    patterns_meet,
    peer_attributes,
    peer_fault,
    peer_key,
    peer_matches,
)

pytestmark = pytest.mark.core


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*", ["", "A", "SYSTEM.DEF.SVRCONN"], []),
        ("SYSTEM.*", ["SYSTEM.", "SYSTEM.DEF.SVRCONN"], ["SYSTEM", "DEV.SYSTEM."]),
        ("*.SVRCONN", ["A.SVRCONN", ".SVRCONN"], ["SVRCONN", "A.SVRCONNX"]),
        ("A?C", ["A?C"], ["ABC"]),
    ],
)
def test_names(pattern: str, yes: list[str], no: list[str]) -> None:
    assert all(name_matches(pattern, name) for name in yes)
    assert not any(name_matches(pattern, name) for name in no)


def test_patterns_meet_where_a_name_fits_both() -> None:
    patterns = ["".join(one) for size in range(4) for one in itertools.product("AB*", repeat=size)]
    names = ["".join(one) for size in range(7) for one in itertools.product("AB", repeat=size)]
    fits = {one: {name for name in names if name_matches(one, name)} for one in patterns}
    for one, other in itertools.product(patterns, repeat=2):
        assert patterns_meet(one, other) == bool(fits[one] & fits[other]), (one, other)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("192.0.2.7", ["192.0.2.7"], ["192.0.2.70", "192.0.2.8", "::1", "nonsense"]),
        ("192.0.2.1-7", ["192.0.2.1", "192.0.2.7"], ["192.0.2.8", "192.0.2.0"]),
        ("192.0.*", ["192.0.2.7", "192.0.255.1"], ["192.1.2.7"]),
        ("192.*.2.7", ["192.0.2.7", "192.9.2.7"], ["192.0.2.8"]),
        ("*", ["192.0.2.7", "::1"], []),
        ("", ["192.0.2.7"], []),
        ("2001:db8::7", ["2001:db8:0:0:0:0:0:7", "2001:db8::7"], ["2001:db8::8", "192.0.2.7"]),
        ("2001:db8:*", ["2001:db8::7"], ["2001:db9::7"]),
        ("::a-f", ["::b"], ["::10"]),
    ],
)
def test_addresses(pattern: str, yes: list[str], no: list[str]) -> None:
    for address in yes:
        assert address_matches(pattern, address), address
    for address in no:
        assert not address_matches(pattern, address), address


def test_host_names_match_without_case_and_only_if_known() -> None:
    assert address_matches("*.Example.com", "192.0.2.7", "HOST.example.COM")
    assert not address_matches("*.example.com", "192.0.2.7")
    assert not address_matches("*.example.com", "192.0.2.7", "example.com.org")


@pytest.mark.parametrize(
    "pattern", ["*", "192.0.2.7", "192.0.2.*", "192.0.1-9.*", "10.*", "::1", "*.example.com"]
)
def test_good_address_patterns(pattern: str) -> None:
    assert address_fault(pattern) == ""


@pytest.mark.parametrize(
    "pattern", ["", "192.0.2", "192.0.2.7.9", "192.0.2.256", "192.0.9-1.1", "192..2.1", "a b"]
)
def test_bad_address_patterns(pattern: str) -> None:
    assert address_fault(pattern)


def test_the_more_specific_address_comes_first() -> None:
    ordered = [
        "192.0.2.7", "192.0.2.6-7", "192.0.2.1-9", "192.0.2.*", "192.0.*", "*.0.2.7",
        "h.example.com", "*.example.com", "*", "",
    ]  # fmt: skip
    keys = [address_key(one) for one in ordered]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
    names = ["DEV.APP", "DEV.A*", "DEV.*", "D*", "*.APP", "*"]
    assert [name_key(one) for one in names] == sorted(name_key(one) for one in names)


def test_distinguished_names() -> None:
    name = 'CN="app, one",OU=Sales,OU=Europe,O=Tern,C=GB'
    assert peer_attributes(name)[0] == ("CN", "app, one")
    assert peer_matches('CN="app*"', name)
    assert peer_matches("OU=Sales, OU=Europe", name)
    assert peer_matches("ou=Eur*", name) is False  # the first OU is Sales
    assert peer_matches("OU=Sales,OU=Asia", name) is False
    assert peer_matches("L=London", name) is False
    assert peer_matches("", name)
    assert peer_attributes('CN="a""b"') == [("CN", 'a"b')]
    assert peer_attributes("CN=a ; O=b;E=c@d , S=e") == [
        ("CN", "a"), ("O", "b"), ("MAIL", "c@d"), ("ST", "e"),
    ]  # fmt: skip
    assert peer_matches('cn="APP, *"; ou=SALES', name)
    keys = [peer_key(one) for one in ("CN=a,O=b", "CN=abc", "CN=a", "CN=ab*", "CN=*", "")]
    assert keys == sorted(keys)


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("", ""),
        ("CN=a", ""),
        ('CN="a, b" ; OU=c', ""),
        ("cn=a,E=b", ""),
        ("app1", "'app1'"),
        ("CN=a,app1", "'app1'"),
        ("CN=a,app1,O=b", "'app1'"),
        ('CN="a"b', "'b'"),
        ("XX=a", "'XX'"),
        ("=a", "''"),
        (" , ", "no attribute"),
    ],
)
def test_a_text_that_is_no_pattern_of_names_is_reported_and_fits_nobody(
    pattern: str, fault: str
) -> None:
    assert fault in peer_fault(pattern)
    assert bool(fault) == bool(peer_fault(pattern))
    if fault:
        assert not peer_matches(pattern, "CN=a,O=b,OU=c,XX=a")
