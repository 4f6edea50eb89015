"""Goal: properties are the same in whatever order they are asked for, however often.

Method: all orders of five names, twice each, of an area in which a name comes twice.
"""

from __future__ import annotations

import itertools

import pytest

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_PROPERTIES_TOO_BIG
from ternmq.codec.property import Property, PropertyValue
from ternmq.codec.property_area import COUNT_MAX, pack_area
from ternmq.values.message_properties import MessageProperties, area_of

pytestmark = pytest.mark.core

NAMES = ("a", "b", "c", "missing", "usr.a")
VALUES = {"a": "first", "b": None, "c": -5, "usr.a": "first"}


def doubled() -> bytes:
    return pack_area(
        [
            Property("a", mq.MQTYPE_STRING, "first"),
            Property("a", mq.MQTYPE_STRING, "second"),
            Property("b", mq.MQTYPE_NULL, None),
            Property("c", mq.MQTYPE_INT64, -5),
            Property("b", mq.MQTYPE_STRING, "later"),
        ]
    )


@pytest.mark.parametrize("order", list(itertools.permutations(NAMES)))
def test_properties_when_asked_for_in_any_order_then_the_first_of_each_name(
    order: tuple[str, ...],
) -> None:
    found = MessageProperties(doubled())
    for name in (*order, *order):
        if name in VALUES:
            assert found[name] == VALUES[name]
        else:
            with pytest.raises(KeyError):
                found[name]
    assert dict(found) == {"a": "first", "b": None, "c": -5}


def test_properties_when_there_are_none_then_no_name_is_found() -> None:
    found = MessageProperties(b"")
    for name in ("a", "\ud800", "a"):
        with pytest.raises(KeyError):
            found[name]
    assert found.get("a", 7) == 7


NUMBERS = (0, 1, -1, 127, -128, 1 << 31, -(1 << 31), (1 << 63) - 1, -(1 << 63), 0.5, -0.0)
OTHERS = (True, False, "", "x" * 63, "x" * 64, "ü" * 40, None, b"", b"\0\1")


@pytest.mark.parametrize("value", [*NUMBERS, *OTHERS])
def test_value_when_packed_and_read_then_it_is_the_same(value: PropertyValue) -> None:
    """Also where it is one of those that are packed without a Property."""
    area = area_of({"name": value, "other": 1})
    assert area == area_of({"name": value, "other": 1})
    for found in (MessageProperties(area)["name"], MessageProperties(area).as_dict()["name"]):
        assert (type(found), repr(found)) == (type(value), repr(value))
    typed = MessageProperties(area).in_order()
    assert pack_area(typed) == area


def test_properties_when_a_name_begins_like_folder_usr_then_it_is_found_by_it() -> None:
    area = pack_area(
        [
            Property("usr.x", mq.MQTYPE_STRING, "long"),
            Property("x", mq.MQTYPE_STRING, "short"),
            Property("y", mq.MQTYPE_STRING, "other"),
        ]
    )
    found = MessageProperties(area)
    assert dict(found) == {"usr.x": "long", "x": "short", "y": "other"}
    assert all(name in found for name in found)
    assert (found["usr.y"], "usr.y" in found, "usr.z" in found) == ("other", True, False)
    assert found.typed("usr.x").value == "long"
    assert found.typed("usr.y").value == "other"


def test_properties_when_there_are_too_many_then_2478() -> None:
    with pytest.raises(MQError) as raised:
        area_of({f"n{number}": number for number in range(COUNT_MAX + 1)})
    assert raised.value.reason == MQRC_PROPERTIES_TOO_BIG
