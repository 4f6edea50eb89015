"""Goal: a text that is no selector is refused at once, with a reason, the place and what to do.

Method: texts with one fault each and the words of the refusal; texts at and above every limit.
"""

from __future__ import annotations

import contextlib
import time

import pytest

from ternmq.base import reasons
from ternmq.base.errors import BadOptions, MQError
from ternmq.codec.selector.selector import compile_selector
from ternmq.codec.selector.source import PropertiesByName

pytestmark = pytest.mark.core

SECONDS_MAX = 5.0  # what grows by powers would take minutes; this is no measure of speed
VALUE = "expected a name, a literal or ("
NUMBER = "is not a number; one like 57, 57L, 6.2, 7E3, 0x1F or octal 0177 is"
BYTE_STRING = "a byte string is \"0x and pairs of hexadecimal digits\"; a string has 'single' marks"


def refusal(text: str) -> MQError:
    with pytest.raises(MQError) as caught:
        compile_selector(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        # S3: IBM's own examples of what is wrong.
        ("a == 1", f"character 4: found '=', {VALUE}"),
        ("a != 1", "character 3: '!' has no meaning here; not equal is <>"),
        ("a && b", "character 3: '&' has no meaning here; write AND, OR"),
        ("a | b", "character 3: '|' has no meaning here; write AND, OR"),
        ("a IS 3", "character 6: found '3', expected NULL or NOT NULL after IS; equal is ="),
        (
            "b IS 'red'",
            "character 6: found \"'red'\", expected NULL or NOT NULL after IS; equal is =",
        ),
        (
            "20 < b < 30",
            "character 8: '<' cannot follow a condition; join conditions with AND or OR",
        ),
        (
            "(20 < b) < 30",
            "character 10: '<' cannot follow a condition; join conditions with AND or OR",
        ),
        ('a = "red"', f"character 5: {BYTE_STRING}"),
        ('b = "0xABC"', f"character 5: {BYTE_STRING}"),
        ('b = "0x"', f"character 5: {BYTE_STRING}"),
        ("a = 09", f"character 5: '09' {NUMBER}"),
        ("(a = 1", "character 1: this ( is never closed"),
        ("a = 1)", "character 6: this ) closes nothing"),
        # Numbers.
        ("a = 1.2.3", f"character 5: '1.2.3' {NUMBER}"),
        ("a = 0x", f"character 5: '0x' {NUMBER}"),
        ("a = 01.5", f"character 5: '01.5' {NUMBER}"),
        ("a = 1e", f"character 5: '1e' {NUMBER}"),
        ("a = 57x", f"character 5: '57x' {NUMBER}"),
        (
            "a = 9223372036854775808",
            "character 5: '9223372036854775808' is larger than a number can be",
        ),
        (
            "a = 5 - 9223372036854775808",
            "character 9: '9223372036854775808' is larger than a number can be",
        ),
        (
            "a = 99999999999999999999",
            "character 5: '99999999999999999999' is larger than a number can be",
        ),
        ("a = 1E309", "character 5: '1E309' is larger than a number can be"),
        # Strings and names.
        ("a = 'red", "character 5: the string that begins here has no closing mark '"),
        ("a = \u2018red\u2019", "character 5: '\u2018' cannot be in a name like '\u2018red\u2019'"),
        ("a..b = 1", "character 3: 'a..b' has a period with no name beside it"),
        ("a. = 1", "character 3: 'a.' has a period with no name beside it"),
        ("a.1 = 1", "character 3: '1' cannot be in a name like 'a.1'"),
        ("a = \0", "character 5: '\\x00' has no meaning here"),
        # Grammar.
        ("", f"character 1: found the end, {VALUE}"),
        ("   ", f"character 4: found the end, {VALUE}"),
        ("a = 1 AND", f"character 10: found the end, {VALUE}"),
        ("a b", "character 3: found 'b', expected an operator"),
        ("a = 1 2", "character 7: found '2', expected an operator"),
        ("a, b", "character 2: found ',', expected an operator"),
        ("a = NULL", f"character 5: found 'NULL', {VALUE}"),
        ("a = NOT b", f"character 5: found 'NOT', {VALUE}"),
        ("()", f"character 2: found ')', {VALUE}"),
        ("a NOT 1", "character 7: found '1', expected BETWEEN, IN or LIKE after NOT"),
        ("a NOT IS NULL", "character 7: found 'IS', expected BETWEEN, IN or LIKE after NOT"),
        ("5", "character 1: a condition is needed here, and this is only a value"),
        ("'a' AND b", "character 1: a condition is needed here, and this is only a value"),
        ("a + 1 OR b", "character 1: a condition is needed here, and this is only a value"),
        ("a = (b = 1)", "character 6: a value is needed here, and this is a condition"),
        ("a + (b = 1) = 2", "character 6: a value is needed here, and this is a condition"),
        # BETWEEN, IN, LIKE, IS NULL.
        ("a BETWEEN 1", "character 3: BETWEEN needs two numbers with AND between them"),
        ("a BETWEEN 1 OR 2", "character 3: BETWEEN needs two numbers with AND between them"),
        ("a BETWEEN 'a' AND 'b'", "character 11: a number is needed here"),
        ("a IN 'x'", "character 6: found \"'x'\", expected ( after IN"),
        (
            "a IN ()",
            "character 7: found ')', expected a string in 'single' marks after IN ( or a comma",
        ),
        (
            "a IN (1)",
            "character 7: found '1', expected a string in 'single' marks after IN ( or a comma",
        ),
        ("a IN ('x'", "character 10: found the end, expected ) after the strings of IN"),
        ("'x' IN ('x')", "character 1: IN needs the name of a property before it"),
        ("a + 1 IS NULL", "character 1: IS needs the name of a property before it"),
        ("-a LIKE 'x'", "character 1: LIKE needs the name of a property before it"),
        ("a LIKE b", "character 8: found 'b', expected a string in 'single' marks after LIKE"),
        ("a LIKE 'x' ESCAPE 'ab'", "character 19: ESCAPE has one character, not \"'ab'\""),
        ("a LIKE 'x' ESCAPE ''", "character 19: ESCAPE has one character, not \"''\""),
        (
            "a LIKE 'x!' ESCAPE '!'",
            "character 8: nothing follows the last escape character '!' of the pattern",
        ),
        # Types that the text alone shows to be wrong (S7).
        ("'a' > 'b'", "character 5: strings and booleans are compared by = and <> only"),
        ("TRUE >= FALSE", "character 6: strings and booleans are compared by = and <> only"),
        ('"0x01" < "0x02"', "character 8: strings and booleans are compared by = and <> only"),
        ("a = 'x' + 1", "character 5: a number is needed here"),
        ("a = -TRUE", "character 6: a number is needed here"),
    ],
)
def test_wrong_text_is_refused_with_its_place(text: str, detail: str) -> None:
    error = refusal(text)
    assert error.reason == reasons.MQRC_SELECTOR_SYNTAX_ERROR
    assert isinstance(error, BadOptions)
    assert error.detail == detail


def test_whole_text_of_a_refusal_has_reason_and_place() -> None:
    assert str(refusal("a != 1")) == (
        "MQRC_SELECTOR_SYNTAX_ERROR (2459): the selection string is not well formed; "
        "character 3: '!' has no meaning here; not equal is <>"
    )


def test_refusal_names_verb_and_object_when_they_are_given() -> None:
    with pytest.raises(MQError) as caught:
        compile_selector("a ==", verb="MQOPEN", object="Q")
    assert "[MQOPEN, object 'Q'] character 4" in str(caught.value)


@pytest.mark.parametrize(
    "text", ["FALSE", "1 > 2", "NOT TRUE", "1 / 0 = 1", "'a' = 1", "1 = 2 OR FALSE"]
)
def test_selector_without_names_that_is_not_true_is_refused(text: str) -> None:
    error = refusal(text)
    assert error.reason == reasons.MQRC_SELECTOR_ALWAYS_FALSE
    assert "no message could match" in error.detail


@pytest.mark.parametrize("name", ["Body.x", "Root.XMLNSC.a", "Root.MQMD"])
def test_name_in_the_data_needs_another_service(name: str) -> None:
    error = refusal(f"a = 1 OR {name} = 1")
    assert error.reason == reasons.MQRC_SELECTION_NOT_AVAILABLE
    assert error.detail.startswith(f"character 10: '{name}' is in the data")


# ---- limits (S2, S16)


def test_text_of_10240_characters_is_compiled_and_one_more_is_refused() -> None:
    longest = "a = 1" + " " * (10240 - 5)
    compile_selector(longest)
    error = refusal(longest + " ")
    assert error.reason == reasons.MQRC_SELECTION_STRING_ERROR
    assert error.detail == "10241 characters; 10240 are allowed"


@pytest.mark.parametrize(
    "test", ["a = 1", "a", "a IS NULL", "a IN ('x')", "TRUE", "a BETWEEN 1 AND 2"]
)
@pytest.mark.parametrize("word", [" AND ", " OR "])
def test_100_tests_are_compiled_and_101_are_refused(test: str, word: str) -> None:
    compile_selector(word.join([test] * 100))
    error = refusal(word.join([test] * 101))
    assert error.reason == reasons.MQRC_SELECTOR_SYNTAX_ERROR
    assert "the selector has more than 100 tests; use IN, or several selectors" in error.detail


def nested(form: str, levels: int) -> str:
    before, middle, after = form.split("|")
    return before * levels + middle + after * levels


@pytest.mark.parametrize(
    ("form", "levels"), [("(|a = 1|)", 100), ("NOT |a|", 100), ("-|a = 1|", 100), ("NOT (|a|)", 50)]
)
def test_nesting_of_100_is_compiled_and_more_is_refused(form: str, levels: int) -> None:
    selector = compile_selector(nested(form, levels))
    assert not selector.matches(PropertiesByName(selector.names))
    error = refusal(nested(form, levels + 1))
    assert error.reason == reasons.MQRC_SELECTOR_SYNTAX_ERROR
    assert "more than 100 parentheses, signs and NOT are inside each other" in error.detail


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_240,
        "(" * 5_000 + "a" + ")" * 5_000,
        "NOT " * 2_500 + "a",
        "a = " + "-" * 10_000 + "1",
        "a = 1" + "+1" * 5_000,
        "a = 0" + "*b" * 5_000,
        "a = " + "1" * 10_000,
        "a = 1." + "1" * 10_000,
        "a = 0x" + "F" * 10_000,
        "a IN (" + "''," * 3_400 + "'')",
        "a LIKE '" + "_%" * 5_000 + "'",
        "a = '" + "''" * 5_000 + "'",
        "a" + ".a" * 5_000 + " = 1",
        "é" * 10_240,
        "'" * 10_239,
        '"' * 10_240,
    ],
)
def test_text_at_the_limit_of_length_takes_little_time(text: str) -> None:
    begun = time.thread_time()
    with contextlib.suppress(MQError):
        selector = compile_selector(text)
        source = PropertiesByName(selector.names)
        source.load({"a": "x" * 10_000, "b": 1})
        selector.matches(source)
    assert time.thread_time() - begun < SECONDS_MAX


def test_refusal_of_a_long_text_is_short() -> None:
    assert len(refusal("a = " + "1" * 10_000).detail) < 100


def test_pattern_with_many_wildcards_takes_little_time() -> None:
    selector = compile_selector("a LIKE '" + "%a_a" * 1_000 + "%b'")
    source = PropertiesByName(selector.names)
    begun = time.thread_time()
    source.load({"a": "a" * 20_000 + "b"})
    assert selector.matches(source)
    source.load({"a": "a" * 20_000})
    assert not selector.matches(source)
    assert time.thread_time() - begun < SECONDS_MAX
