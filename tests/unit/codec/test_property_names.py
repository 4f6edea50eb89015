"""Goal: names of properties are accepted and refused as by IBM MQ, with its reasons.

Method: the rows of the rules, each with names on both sides of it; hypothesis over any name: what
is accepted can be an element.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.base.errors import MQError
from ternmq.codec.identifiers import KEYWORDS
from ternmq.codec.property_folders import is_element
from ternmq.codec.property_names import (
    Hierarchy,
    checked_name,
    is_identifier,
    name_matches,
)

pytestmark = pytest.mark.core


def refusal(name: str, validates: bool = True) -> int:
    with pytest.raises(MQError) as caught:
        checked_name(name, validates)
    return caught.value.reason


@pytest.mark.parametrize(
    "name", ["Grösse", "_x", "$x", "a.b.c", "a$", "x9", "名前", "a.€", "हिन्दी"]
)
def test_name_when_an_identifier_of_java_then_it_is_accepted(name: str) -> None:
    assert checked_name(name, True) == name


@pytest.mark.parametrize("name", ["usr.colour", "colour"])
def test_name_when_in_folder_usr_then_it_is_kept_without_it(name: str) -> None:
    assert checked_name(name, True) == "colour"


@pytest.mark.parametrize("validates", [True, False])
def test_name_when_longer_than_4095_then_2513(validates: bool) -> None:
    assert checked_name("a" * 4095, validates) == "a" * 4095
    assert refusal("a" * 4096, validates) == 2513


@pytest.mark.parametrize("name", ["", ".", ".a", "a.", "a..b", "usr."])
def test_name_when_a_part_is_empty_then_2442_on_every_handle(name: str) -> None:
    assert refusal(name) == 2442
    assert refusal(name, validates=False) == 2442


@pytest.mark.parametrize("name", ["a-b", "a:b", "\U0001d4b3", "a.b-c"])
def test_name_when_not_an_identifier_then_2442_unless_nothing_is_validated(name: str) -> None:
    assert refusal(name) == 2442
    assert checked_name(name, False) == name


@pytest.mark.parametrize(
    "name", ["1a", "a.9", "a%", "a+b", "a b", "a<b", "a/b", "a=b", "a&b", "a'b", "a\x01", "!a"]
)
def test_name_when_no_element_can_have_it_then_2442_on_every_handle(name: str) -> None:
    assert refusal(name) == 2442
    assert refusal(name, validates=False) == 2442


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_name_when_a_word_of_selectors_then_2442(word: str) -> None:
    for name in (word, word.lower(), word.title(), f"usr.{word}"):
        assert refusal(name) == 2442
    assert checked_name(word, False) == word
    assert checked_name(f"a.{word}", True) == f"a.{word}"


@pytest.mark.parametrize("name", ["JMSfoo", "usr.JMSfoo", "JMS_IBM_Format", "Body.x", "Root.x"])
def test_name_when_reserved_then_2442_unless_nothing_is_validated(name: str) -> None:
    assert refusal(name) == 2442
    assert checked_name(name, False) == name.removeprefix("usr.")


@pytest.mark.parametrize("name", ["Rooted", "Bodywork", "mcd.Msd", "jms.Cid", "jmsfoo", "sib.a.b"])
def test_name_when_it_only_resembles_a_reserved_one_then_it_is_accepted(name: str) -> None:
    assert checked_name(name, True) == name


def test_name_when_it_begins_with_mq_then_it_has_one_dot() -> None:
    for name in ("mq.a.b", "MQfoo.a.b", "mqext.a.b", "Mq.a.b.c"):
        assert refusal(name) == 2442
        assert checked_name(name, False) == name
    for name in ("mq.a", "MQfoo.a", "mq_usr.a.b", "mq_usr2.a.b", "mqfoo"):
        assert checked_name(name, True) == name


@pytest.mark.parametrize("name", ["usr.a.b", "usr.mcd.x", "usr.usr.a"])
def test_name_when_a_group_in_folder_usr_then_2442(name: str) -> None:
    assert refusal(name) == 2442


@settings(max_examples=500)
@given(st.text(max_size=12), st.booleans())
def test_name_when_accepted_then_each_part_can_be_an_element(name: str, validates: bool) -> None:
    try:
        kept = checked_name(name, validates)
    except MQError:
        assert refusal(name, validates) == 2442
        return
    for part in kept.split("."):
        assert is_element(part)
        assert is_identifier(part) or not validates


# ---- hierarchy


@pytest.mark.parametrize(("first", "second"), [("a.b", "a.b.c"), ("a.b.c", "a.b")])
def test_names_when_one_is_a_value_and_a_group_then_they_clash(first: str, second: str) -> None:
    names = Hierarchy()
    names.add(first)
    assert names.clash(second) == first
    names.remove(first)
    assert names.clash(second) == ""


def test_names_when_in_other_folders_then_they_do_not_clash() -> None:
    names = Hierarchy()
    names.add("a")  # of folder usr
    names.add("a.b.c")
    assert names.clash("a.b.d") == ""
    assert names.clash("a.d") == ""
    assert names.clash("a.bc") == ""
    assert names.clash("b") == ""


# ---- patterns


@pytest.mark.parametrize(
    ("pattern", "matching"),
    [
        ("%", {"colour", "com.ourcompany.a", "com.ourcompany.b.c", "mq_usr.x"}),
        ("com.ourcompany.%", {"com.ourcompany.a", "com.ourcompany.b.c"}),
        ("co%", {"colour", "com.ourcompany.a", "com.ourcompany.b.c"}),
        ("usr.%", {"colour"}),
        ("usr.co%", {"colour"}),
        ("usr.colour", {"colour"}),
        ("colour", {"colour"}),
        ("COLOUR", set()),
        ("com.ourcompany", set()),
        ("co%r", set()),
    ],
)
def test_pattern_when_it_ends_with_percent_then_any_characters_follow(
    pattern: str, matching: set[str]
) -> None:
    names = ("colour", "com.ourcompany.a", "com.ourcompany.b.c", "mq_usr.x")
    assert {name for name in names if name_matches(name, pattern)} == matching
