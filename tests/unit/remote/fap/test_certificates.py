"""Distinguished names as SSLPEER and DISPLAY CHSTATUS have them."""

from __future__ import annotations

import pytest

from ternmq.remote.fap.certificates import distinguished_name
from ternmq.security.patterns import peer_matches

Name = tuple[tuple[tuple[str, str], ...], ...]

# As a certificate has them, and Python gives them.
NAME: Name = (
    (("countryName", "GB"),),
    (("organizationName", "Org, Inc."),),
    (("organizationalUnitName", "Large"),),
    (("organizationalUnitName", "Medium"),),
    (("organizationalUnitName", "Small"),),
    (("commonName", 'the "app"'),),
    (("emailAddress", "app@example.com"),),
)


def test_a_name_has_the_most_particular_part_first_and_units_from_the_largest_down() -> None:
    assert distinguished_name(NAME) == (
        'MAIL=app@example.com,CN="the ""app""",OU=Large,OU=Medium,OU=Small,O="Org, Inc.",C=GB'
    )


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("OU=Large", True),
        ("OU=Large,OU=Medium", True),
        ("OU=Large,OU=M*,OU=Small", True),
        ("OU=Medium", False),
        ("OU=Large,OU=Small", False),
        ('ou=large;o="org, inc."', True),
        ("E=app@example.com", True),
        ('CN="the *",C=GB', True),
        ("C=US", False),
        ("L=*", False),
    ],
)
def test_a_pattern_fits_a_name_by_the_rules_of_sslpeer(pattern: str, fits: bool) -> None:
    assert peer_matches(pattern, distinguished_name(NAME)) is fits


@pytest.mark.parametrize(
    "value", ["x,O=Org", "x;O=Org", 'x",O="Org', 'x"";O=Org', '"', 'x" ;O=Org;CN="y', "x\\,O=Org"]
)
def test_no_value_of_a_certificate_can_look_like_another_attribute(value: str) -> None:
    name = distinguished_name(((("commonName", value),), (("organizationalUnitName", value),)))
    assert not peer_matches("O=*", name)
    assert peer_matches("CN=*,OU=*", name)
