"""Goal: profiles match what MQ says they match, and the most specific one wins.

Method: tables of cases, and every pair of profiles that match a name has an order.
"""

import itertools

import pytest

from ternmq.security.profiles import (
    fault_of,
    fixed_part,
    is_generic,
    matches,
    qualifier_matches,
    specificity,
)

pytestmark = pytest.mark.core


@pytest.mark.parametrize(
    ("profile", "yes", "no"),
    [
        ("ABC", ["ABC"], ["ABCD", "AB", "abc", ""]),
        ("AB.?D", ["AB.CD", "AB.ED"], ["AB.D", "AB.CCD", "AB..D", "ABXCD"]),
        ("ABC.*.JKL", ["ABC.DEF.JKL", "ABC.GHI.JKL"], ["ABC.JKL", "ABC.D.E.JKL"]),
        ("ABC.DE*.JKL", ["ABC.DE.JKL", "ABC.DEF.JKL", "ABC.DEGH.JKL"], ["ABC.D.JKL", "ABC.DE"]),
        ("*", ["A", "ABC"], ["A.B"]),
        ("**", ["A", "A.B.C", "SYSTEM.DEF.SVRCONN"], []),
        ("**.ABC", ["ABC", "X.ABC", "X.Y.ABC"], ["XABC", "ABC.X"]),
        ("DEV.**", ["DEV", "DEV.A", "DEV.A.B"], ["DEVX", "XDEV.A"]),
        ("A.**.Z", ["A.Z", "A.B.Z", "A.B.C.Z"], ["A.B", "AZ", "A.B.ZZ"]),
        ("A*C*E", ["ACE", "ABCDE", "ACCE", "AEECE"], ["ACEF", "AE"]),
        ("*A", ["A", "BA", "AAA"], ["AB"]),
        ("?", ["A"], ["AB", "."]),
    ],
)
def test_a_profile_matches_names(profile: str, yes: list[str], no: list[str]) -> None:
    for name in yes:
        assert matches(profile, name), name
    for name in no:
        assert not matches(profile, name), name


@pytest.mark.parametrize(
    ("name", "ordered"),
    [
        ("AB.CD", ["AB.CD", "AB.C?", "AB.C*", "AB.?D", "AB.??", "AB.*", "AB.**", "A?.**", "*.CD"]),
        ("AB.CD", ["*.CD", "*.*", "**.CD", "**"]),
        ("BA", ["*A", "*", "**"]),
        ("SYSTEM.ADMIN.EVENT", ["SYSTEM.ADMIN.**", "SYSTEM.*.EVENT", "SYSTEM.**", "**.EVENT"]),
    ],
)
def test_the_more_specific_profile_comes_first(name: str, ordered: list[str]) -> None:
    for profile in ordered:
        assert matches(profile, name), profile
    for first, second in itertools.pairwise(ordered):
        assert specificity(first) < specificity(second), (first, second)


def test_an_exact_name_is_always_the_most_specific() -> None:
    generic = ["AB.**", "A?", "AB*", "**", "*", "?B", "**.AB"]
    for profile in generic:
        assert matches(profile, "AB")
        assert specificity("AB") < specificity(profile)


@pytest.mark.parametrize(
    "profile", ["A", "A.B", "**", "*", "A.**.B", "?", "A*?*", "@class", "self", "A" * 48]
)
def test_good_profiles_have_no_fault(profile: str) -> None:
    assert fault_of(profile) == ""


@pytest.mark.parametrize(
    ("profile", "fault"),
    [
        ("", "1 to 48"),
        ("A" * 49, "1 to 48"),
        ("A B", "character"),
        ("A.**.B.**", "once"),
        ("A**", "whole qualifiers"),
        ("***", "whole qualifiers"),
        ("ä", "character"),
        ("@other", "character"),
    ],
)
def test_bad_profiles_say_why(profile: str, fault: str) -> None:
    assert fault in fault_of(profile)


def test_long_patterns_of_stars_end() -> None:
    assert not qualifier_matches("*A" * 23 + "*B", "A" * 48)
    assert qualifier_matches("*A" * 23 + "*", "A" * 48)
    assert is_generic("A?")
    assert is_generic("*")
    assert not is_generic("A.B")


def test_every_name_that_matches_begins_as_the_profile_does() -> None:
    profiles = [
        "".join(one) for size in (1, 2, 3, 4, 5) for one in itertools.product("A.*?", repeat=size)
    ]
    names = ["".join(one) for size in (1, 2, 3, 4) for one in itertools.product("AB.", repeat=size)]
    matched = 0
    for profile in profiles:
        if fault_of(profile):
            continue
        for name in names:
            if matches(profile, name):
                matched += 1
                assert name.startswith(fixed_part(profile)), (profile, name)
    assert matched > 1000
    assert [fixed_part(one) for one in ("AB.**", "AB.*", "A?", "**", "AB")] == [
        "AB",
        "AB",
        "A",
        "",
        "AB",
    ]
