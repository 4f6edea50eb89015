"""Goal: the language of selectors is IBM's, row by row of the conformance list and of its page.

Method: a selector, the properties of a message, and whether it is selected; unknown and false are
told apart by the negation.
"""

from __future__ import annotations

import pytest

from ternmq.codec.property import PropertyValue
from ternmq.codec.selector.selector import compile_selector
from ternmq.codec.selector.source import PropertiesByName

pytestmark = pytest.mark.core

TRUTHS = {"true": True, "false": False, "unknown": None}


def selects(text: str, **properties: PropertyValue) -> bool:
    return selects_by(text, dict(properties))


def selects_by(text: str, properties: dict[str, PropertyValue]) -> bool:
    selector = compile_selector(text)
    source = PropertiesByName(selector.names)
    source.load(properties)
    return selector.matches(source)


def truth(text: str, **properties: PropertyValue) -> str:
    """true, false or unknown."""
    if selects(text, **properties):
        return "true"
    return "false" if selects(f"NOT ({text})", **properties) else "unknown"


def join(word: str, left: bool | None, right: bool | None) -> bool | None:
    decides = word == "OR"
    if left is decides or right is decides:
        return decides
    return None if left is None or right is None else not decides


# ---- three-valued logic (S6)


@pytest.mark.parametrize("word", ["AND", "OR"])
@pytest.mark.parametrize("left", TRUTHS)
@pytest.mark.parametrize("right", TRUTHS)
def test_truth_table_of_two_properties_is_sql92(word: str, left: str, right: str) -> None:
    expected = join(word, TRUTHS[left], TRUTHS[right])
    found = truth(f"a {word} b", a=TRUTHS[left], b=TRUTHS[right])
    assert TRUTHS[found] is expected


@pytest.mark.parametrize("word", ["AND", "OR"])
@pytest.mark.parametrize("left", ["TRUE", "FALSE", "1 / 0 = 1"])
@pytest.mark.parametrize("right", TRUTHS)
def test_truth_table_with_a_constant_is_the_same(word: str, left: str, right: str) -> None:
    constant = {"TRUE": True, "FALSE": False}.get(left)
    expected = join(word, constant, TRUTHS[right])
    assert TRUTHS[truth(f"({left}) {word} a", a=TRUTHS[right])] is expected
    assert TRUTHS[truth(f"a {word} ({left})", a=TRUTHS[right])] is expected


@pytest.mark.parametrize(("value", "expected"), [("true", "false"), ("false", "true")])
def test_not_of_a_truth_is_the_other(value: str, expected: str) -> None:
    assert truth("NOT a", a=TRUTHS[value]) == expected


def test_not_of_unknown_is_unknown() -> None:
    assert truth("NOT a", a=None) == "unknown"
    assert truth("NOT NOT a") == "unknown"


def test_precedence_of_not_and_or_is_that_of_sql() -> None:
    assert selects("a OR b AND c", a=True, b=False, c=False)
    assert not selects("(a OR b) AND c", a=True, b=False, c=False)
    assert selects("NOT a = 1 OR b", a=1, b=True)
    assert not selects("NOT (a = 1 OR b)", a=1, b=True)
    assert selects("NOT a AND b", a=False, b=True)


# ---- constants (S4)


@pytest.mark.parametrize("text", ["TRUE", "TRUE <> FALSE", "1 < 2", "'a' <> 'b'", "true OR false"])
def test_selector_without_names_that_is_true_selects_every_message(text: str) -> None:
    assert selects(text)


def test_selector_with_a_name_that_is_never_true_is_accepted() -> None:
    assert not selects("a = 1 AND FALSE", a=1)
    assert selects("a = 1 OR TRUE")


# ---- literals (S11)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("57", 57),
        ("-957", -957),
        ("+62", 62),
        ("57L", 57),
        ("57l", 57),
        ("0x1F", 31),
        ("0Xaf", 175),
        ("0177", 127),
        ("0", 0),
        ("9223372036854775807", (1 << 63) - 1),
        ("-9223372036854775808", -(1 << 63)),
        ("7E3", 7000.0),
        ("-57.9E2", -5790.0),
        ("7.", 7.0),
        ("-95.7", -95.7),
        ("+6.2", 6.2),
        (".5", 0.5),
        ("7e-3", 0.007),
        ("5F", 5.0),
        ("6.25d", 6.25),
        ("'literal'", "literal"),
        ("'literal''s'", "literal's"),
        ("''", ""),
        ("TRUE", True),
        ("false", False),
        ('"0x0AFC23"', b"\x0a\xfc\x23"),
        ('"0X0afc23"', b"\x0a\xfc\x23"),
    ],
)
def test_literal_equals_its_value_and_no_other(written: str, value: PropertyValue) -> None:
    assert truth(f"a = {written}", a=value) == "true"
    assert truth(f"{written} = a", a=value) == "true"
    assert truth(f"a <> {written}", a=value) == "false"
    assert truth(f"a = {written}", a="another") == "false"
    assert truth(f"a = {written}", a=None) == "unknown"


def test_byte_string_counts_every_zero() -> None:
    value = b"\x0a\xfc\x23"
    assert not selects('a = "0x0AFC2300"', a=value)
    assert not selects('a = "0x000AFC23"', a=value)
    assert not selects('a = "0x23FC0A"', a=value)
    assert not selects("a = '0x0AFC23'", a=value)
    assert selects('a <> "0x23FC0A"', a=value)


# ---- names (S14)


@pytest.mark.parametrize(
    "name",
    ["a", "_x", "$x", "Grösse", "a.b.c", "Root.MQMD.MsgType", "JMSPriority", "and.or", "a\u0301"],
)
def test_name_of_java_identifiers_with_periods_is_taken(name: str) -> None:
    assert selects_by(f"{name} = 4", {name: 4})


def test_names_have_case_and_keywords_have_not() -> None:
    assert not selects("Colour = 'red'", colour="red")
    assert selects("a is not null And a iN ('x') aNd a like 'x' oR tRue", a="x")


def test_white_space_of_every_kind_separates() -> None:
    assert selects("\ta\n=\u30001\u2003AND\fb\x1f=\r'x'\x0b", a=1, b="x")


# ---- types (S7)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a = 3", "3"),
        ("a <> 3", "3"),
        ("a = '3'", 3),
        ("a <> '3'", 3),
        ("a = TRUE", 1),
        ("a = 1", True),
        ("a <> FALSE", "FALSE"),
        ("a > 'a'", "b"),
        ("'a' < a", "b"),
        ("a > FALSE", True),
        ('a > "0x01"', b"\x02"),
        ("a = 'x'", b"x"),
        ("a", "TRUE"),
        ("a", 1),
        ("a LIKE '3'", 3),
        ("a NOT LIKE '4'", 3),
        ("a LIKE 'x%'", b"xyz"),
        ("a IN ('3')", 3),
        ("a NOT IN ('4')", 3),
        ("a BETWEEN 1 AND 5", "3"),
        ("a NOT BETWEEN 4 AND 5", "3"),
        ("a + 1 = 4", "3"),
        ("a + 1 <> 4", "3"),
        ("-a = 'x'", "x"),
        ("+a = 'x'", "x"),
        ("-a = 1", True),
        ("a = a", float("nan")),
        ("a <> 1", float("nan")),
    ],
)
def test_value_of_the_wrong_type_makes_a_test_false(text: str, value: PropertyValue) -> None:
    assert truth(text, a=value) == "false"


def test_two_properties_of_one_type_are_compared() -> None:
    assert selects("a = b", a="x", b="x")
    assert selects("a = b", a=True, b=True)
    assert selects("a <> b", a=b"x", b=b"y")
    assert selects("a >= b", a=2, b=2)
    assert truth("a < b", a="x", b="y") == "false"


def test_integer_beside_a_real_becomes_a_real() -> None:
    assert selects("a = 3.0", a=3)
    assert selects("a = 3", a=3.0)
    assert selects("a < 3.5", a=3)
    assert selects("a = 9007199254740992.0", a=9007199254740993)  # as Java promotes a long
    assert selects("a = 0", a=-0.0)


# ---- LIKE (S8)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("'12%3'", ["123", "12993", "12\n3"], ["1234", "23", "12"]),
        ("'l_se'", ["lose", "l\nse", "l😀se"], ["loose", "lse"]),
        ("'\\_%' ESCAPE '\\'", ["_foo", "_"], ["bar", "\\_"]),
        ("'_'", ["a", "%"], ["", "ab"]),
        ("''", [""], ["a"]),
        ("'%'", ["", "a"], []),
        ("'%b%'", ["b", "abc"], ["ac"]),
        ("'a*'", ["a*"], ["ab"]),
        ("'a?'", ["a?"], ["ab"]),
        ("'a.c'", ["a.c"], ["abc"]),
        ("'%a_c%d_'", ["xabcyde", "aacaacdd"], ["abc", "acd"]),
        ("'%%a%%'", ["a"], ["b"]),
        ("'50%%' ESCAPE '%'", ["50%"], ["500"]),
        ("'a!b' ESCAPE '!'", ["ab"], ["a!b"]),
        ("'it''s%'", ["it's me"], ["its"]),
        ("'ab%ba'", ["abba", "abxba"], ["aba"]),
        ("'A%'", ["Ab"], ["ab"]),
    ],
)
def test_like_takes_what_fits_its_pattern(pattern: str, yes: list[str], no: list[str]) -> None:
    for value in yes:
        assert selects(f"a LIKE {pattern}", a=value), value
        assert not selects(f"a NOT LIKE {pattern}", a=value), value
    for value in no:
        assert not selects(f"a LIKE {pattern}", a=value), value
        assert selects(f"a NOT LIKE {pattern}", a=value), value


# ---- BETWEEN and IN (S9)


def test_between_takes_its_ends() -> None:
    for value, is_in in ((14, False), (15, True), (19, True), (20, False), (15.0, True)):
        assert selects("age BETWEEN 15 AND 19", age=value) is is_in
        assert selects("age NOT BETWEEN 15 AND 19", age=value) is not is_in
    assert not selects("age BETWEEN 19 AND 15", age=17)
    assert selects("a BETWEEN b - 1 AND b * 2 AND c", a=4, b=2, c=True)
    assert selects("NOT a BETWEEN 1 AND 2 OR FALSE", a=3)


def test_between_with_null_is_as_its_comparisons() -> None:
    assert truth("a BETWEEN 1 AND 2") == "unknown"
    assert truth("a NOT BETWEEN 1 AND 2") == "unknown"
    assert truth("3 BETWEEN a AND 2") == "false"
    assert truth("3 NOT BETWEEN a AND 2") == "true"
    assert truth("1 BETWEEN a AND 2") == "unknown"


def test_in_takes_one_of_its_strings() -> None:
    assert selects("Country IN ('UK', 'US', 'France')", Country="UK")
    assert not selects("Country IN ('UK', 'US', 'France')", Country="Peru")
    assert selects("Country NOT IN ('UK', 'US', 'France')", Country="Peru")
    assert not selects("Country NOT IN ('UK')", Country="UK")
    assert selects("(Country) IN ('UK')", Country="UK")


@pytest.mark.parametrize("text", ["a IN ('x')", "a NOT IN ('x')", "a LIKE 'x'", "a NOT LIKE 'x'"])
def test_in_and_like_of_null_are_unknown(text: str) -> None:
    assert truth(text) == "unknown"


def test_is_null_reports_whether_a_property_is_there() -> None:
    assert selects("Colour IS NULL")
    assert selects("Colour IS NULL", Colour=None)
    assert not selects("Colour IS NULL", Colour="")
    assert selects("Colour IS NOT NULL", Colour=b"")
    assert not selects("Colour IS NOT NULL")


# ---- arithmetic (S10)


def test_arithmetic_has_the_precedence_of_java() -> None:
    assert selects("n * 2 + 1 = 7", n=3)
    assert selects("1 + n * 2 = 7", n=3)
    assert selects("(1 + n) * 2 = 8", n=3)
    assert selects("10 - n - 2 = 5", n=3)
    assert selects("24 / n / 2 = 4", n=3)
    assert selects("-n * 2 = -6", n=3)
    assert selects("- - n = 3", n=3)
    assert selects("2 - -n = 5", n=3)
    assert selects("+n = 3", n=3)
    assert selects("n + 1 < n * 2", n=3)


@pytest.mark.parametrize(("left", "right", "result"), [(7, 2, 3), (-7, 2, -3), (7, -2, -3)])
def test_division_of_integers_goes_towards_zero(left: int, right: int, result: int) -> None:
    assert selects(f"a / b = {result}", a=left, b=right)
    assert selects(f"{left} / {right} = {result}")


def test_division_with_a_real_is_exact() -> None:
    assert selects("a / 2.0 = 3.5", a=7)
    assert selects("a / 2 = 3.5", a=7.0)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 / a = 1", 0),
        ("1 / a <> 1", 0),
        ("1.0 / a = 1", 0),
        ("1 / a = 1", 0.0),
        ("a + 1 > 0", (1 << 63) - 1),
        ("a * 2 > 0", 1 << 62),
        ("a - 2 < 0", -(1 << 63) + 1),
        ("-a > 0", -(1 << 63)),
        ("a / -1 > 0", -(1 << 63)),
        ("a * 10 > 0", 1e308),
        ("a - a = 0", float("inf")),
        ("a + 1 = 1", None),
        ("1 - a = 1", None),
        ("-a = 1", None),
    ],
)
def test_result_that_is_no_number_is_unknown(text: str, value: PropertyValue) -> None:
    assert truth(text, a=value) == "unknown"


def test_mismatch_beside_null_is_unknown() -> None:
    assert truth("a + b = 1", a="x", b=None) == "unknown"
    assert truth("a = b", a="x", b=None) == "unknown"


def test_long_sums_are_added_from_left_to_right() -> None:
    assert selects("n" + " + 1" * 2000 + " = 2003", n=3)
    assert selects("n = 0" + " - 1 + 2" * 1000, n=1000)
    assert selects("n * 2 - 1 * 3 + 4 / 2 = 5", n=3)
