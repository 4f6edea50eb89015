"""Goal: what a selector says of itself lets a queue look in its index, and never misleads.

Method: names by index, ids that a text requires, and names whose values change on a queue.
"""

from __future__ import annotations

import pytest

from ternmq.codec.selector.selector import (
    CORRELATION_ID,
    GROUP_ID,
    MESSAGE_ID,
    compile_selector,
)
from ternmq.codec.selector.source import PropertiesByName, PropertySource

pytestmark = pytest.mark.core

ID = bytes(range(24))
TEXT = f"'ID:{ID.hex()}'"
BYTES = f'"0x{ID.hex()}"'


def test_names_are_numbered_as_they_first_stand() -> None:
    selector = compile_selector("b = 1 AND a = 2 OR b > a AND Root.MQMD.MsgType = 8")
    assert selector.names == ["b", "a", "Root.MQMD.MsgType"]
    assert selector.uses("a")
    assert not selector.uses("c")
    assert selector.text.startswith("b = 1")


def test_value_is_asked_for_by_the_index_of_its_name() -> None:
    selector = compile_selector("b = 1 AND a = 'x'")
    source = PropertiesByName(selector.names)
    source.load({"a": "x", "b": 1})
    assert [source.value_at(index) for index in range(2)] == [1, "x"]
    assert selector.matches(source)
    source.load({})
    assert source.value_at(0) is None
    assert not selector.matches(source)


def test_source_without_a_reader_says_so() -> None:
    with pytest.raises(NotImplementedError):
        compile_selector("a = 1").matches(PropertySource())


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"JMSMessageID = {TEXT}", MESSAGE_ID),
        (f"JMSCorrelationID = {TEXT}", CORRELATION_ID),
        (f"JMSXGroupID = {TEXT}", GROUP_ID),
        (f"Root.MQMD.MsgId = {BYTES}", MESSAGE_ID),
        (f"Root.MQMD.CorrelId = {BYTES}", CORRELATION_ID),
        (f"Root.MQMD.GroupId = {BYTES}", GROUP_ID),
        (f"{TEXT} = JMSMessageID", MESSAGE_ID),
        (f"{BYTES} = Root.MQMD.CorrelId", CORRELATION_ID),
        (f"(a = 1 AND (b OR c)) AND (JMSMessageID = {TEXT})", MESSAGE_ID),
        (f"a = 1 AND (b = 2 AND Root.MQMD.CorrelId = {BYTES})", CORRELATION_ID),
        (f"NOT NOT JMSMessageID = {TEXT}", MESSAGE_ID),
        (f"TRUE AND JMSMessageID = {TEXT}", MESSAGE_ID),
        (f"Root.MQMD.CorrelId = {BYTES} AND JMSMessageID = {TEXT}", CORRELATION_ID),
    ],
)
def test_id_that_a_selector_requires_is_known(text: str, kind: int) -> None:
    assert compile_selector(text).required_id() == (kind, ID)


@pytest.mark.parametrize(
    "text",
    [
        "a = 1",
        f"JMSMessageID <> {TEXT}",
        f"NOT JMSMessageID = {TEXT}",
        f"JMSMessageID = {TEXT} OR a = 1",
        f"JMSMessageID = {BYTES}",
        f"Root.MQMD.MsgId = {TEXT}",
        f"JMSMessageID = {TEXT[:-3]}'",
        f"JMSMessageID = 'ID:{'g' * 48}'",
        f"JMSMessageID = 'ID:{'0 ' * 24}'",
        f"JMSCorrelationID = '{ID.hex()}'",
        'Root.MQMD.CorrelId = "0x00"',
        f"a = {BYTES}",
        f"JMSMessageID IN ({TEXT})",
        "JMSCorrelationID = 'order 5'",
    ],
)
def test_selector_that_requires_no_id_names_none(text: str) -> None:
    assert compile_selector(text).required_id() is None


@pytest.mark.parametrize(
    "name", ["JMSXDeliveryCount", "JMSRedelivered", "Root.MQMD.BackoutCount", "Root.MQMD.Expiry"]
)
def test_answer_by_a_name_that_changes_can_change(name: str) -> None:
    assert compile_selector(f"a = 1 AND {name} = 2").can_change
    assert not compile_selector("a = 1 AND JMSPriority > 4").can_change


def test_required_texts_when_every_match_needs_them_then_they_are_named() -> None:
    for text, needed in (
        ("a = 'x'", [("a", "x")]),
        ("'x' = a", [("a", "x")]),
        ("a = 'x' AND b > 5 AND c.d = 'it''s'", [("a", "x"), ("c.d", "it's")]),
        ("a = 'x' OR b = 'y'", []),
        ("NOT a = 'x'", []),
        ("a <> 'x'", []),
    ):
        assert compile_selector(text).required_texts() == needed
