"""Goal: a value is what its type says, in Python, as text of an MQRFH2 and as bytes.

Method: the limits of each type; hypothesis over values, forth and back; the whole table of
MQIMPO_CONVERT_TYPE.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.codec.property_types import (
    DT_OF_TYPE,
    TARGETS,
    checked_value,
    converted,
    pack_value,
    text_of_value,
    type_name,
    unpack_value,
    value_of_text,
)

pytestmark = pytest.mark.core

ALL_TYPES = (*DT_OF_TYPE, mq.MQTYPE_NULL)
INTEGERS = {
    mq.MQTYPE_INT8: 8,
    mq.MQTYPE_INT16: 16,
    mq.MQTYPE_INT32: 32,
    mq.MQTYPE_INT64: 64,
}
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\ufffe\uffff")).filter(
    lambda text: not any(c < " " and c not in "\t\n\r" for c in text)
)
VALUES = st.one_of(
    st.tuples(st.just(mq.MQTYPE_STRING), TEXT),
    st.tuples(st.just(mq.MQTYPE_BYTE_STRING), st.binary()),
    st.tuples(st.just(mq.MQTYPE_BOOLEAN), st.booleans()),
    st.tuples(st.just(mq.MQTYPE_FLOAT64), st.floats()),
    st.tuples(st.just(mq.MQTYPE_FLOAT32), st.floats(width=32)),
    st.tuples(st.just(mq.MQTYPE_NULL), st.none()),
    *(
        st.tuples(st.just(type), st.integers(-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
        for type, bits in INTEGERS.items()
    ),
)


def same(one: Any, other: Any) -> bool:
    """NaN is equal to nothing, so reals are compared as text."""
    return type(one) is type(other) and repr(one) == repr(other)


@pytest.mark.parametrize(("type", "bits"), INTEGERS.items())
def test_integer_when_it_does_not_fit_then_2473(type: int, bits: int) -> None:
    highest = (1 << (bits - 1)) - 1
    assert checked_value("n", type, highest) == highest
    assert checked_value("n", type, -highest - 1) == -highest - 1
    for value in (highest + 1, -highest - 2, 1.0, "1", None, b"1"):
        with pytest.raises(MQError) as caught:
            checked_value("n", type, value)
        assert caught.value.reason == 2473


@pytest.mark.parametrize(
    ("type", "value"),
    [
        (mq.MQTYPE_FLOAT32, 1e300),
        (mq.MQTYPE_FLOAT64, 10**400),
        (mq.MQTYPE_FLOAT64, "1"),
        (mq.MQTYPE_BOOLEAN, 2),
        (mq.MQTYPE_BOOLEAN, "TRUE"),
        (mq.MQTYPE_BYTE_STRING, "text"),
        (mq.MQTYPE_STRING, b"bytes"),
        (mq.MQTYPE_STRING, "a\x01"),
        (mq.MQTYPE_STRING, "\ud800"),
        (mq.MQTYPE_STRING, "\uffff"),
        (mq.MQTYPE_NULL, ""),
        (mq.MQTYPE_AS_SET, 1),
        (3, 1),
    ],
)
def test_value_when_not_of_its_type_then_2473(type: int, value: object) -> None:
    with pytest.raises(MQError) as caught:
        checked_value("n", type, value)
    assert caught.value.reason == 2473


def test_real_when_of_32_bits_then_it_is_rounded_to_them() -> None:
    assert checked_value("n", mq.MQTYPE_FLOAT32, 0.1) == 0.10000000149011612
    assert checked_value("n", mq.MQTYPE_FLOAT64, 0.1) == 0.1


@settings(max_examples=500)
@given(VALUES)
def test_value_when_written_as_text_then_it_is_read_the_same(typed: tuple[int, Any]) -> None:
    type, value = typed
    assert same(checked_value("n", type, value), value)
    if type != mq.MQTYPE_NULL:
        found = value_of_text(DT_OF_TYPE[type], text_of_value(value))
        assert found[0] == type
        assert same(found[1], value)


@settings(max_examples=500)
@given(VALUES, st.sampled_from([mq.MQENC_NATIVE, mq.MQENC_NORMAL]), st.sampled_from([1208, 1200]))
def test_value_when_packed_then_it_is_unpacked_the_same(
    typed: tuple[int, Any], encoding: int, ccsid: int
) -> None:
    type, value = typed
    data = pack_value(type, value, encoding, ccsid)
    assert same(unpack_value("n", type, data, encoding, ccsid), value)


def test_bytes_when_in_an_encoding_then_they_are_in_its_order() -> None:
    assert pack_value(mq.MQTYPE_INT32, 1, mq.MQENC_NORMAL, 0) == b"\0\0\0\1"
    assert pack_value(mq.MQTYPE_INT32, 1, mq.MQENC_REVERSED, 0) == b"\1\0\0\0"
    assert pack_value(mq.MQTYPE_BOOLEAN, True, mq.MQENC_NORMAL, 0) == b"\0\0\0\1"
    assert pack_value(mq.MQTYPE_FLOAT32, 1.0, mq.MQENC_FLOAT_IEEE_NORMAL, 0) == b"\x3f\x80\0\0"
    assert pack_value(mq.MQTYPE_STRING, "é", mq.MQENC_NORMAL, 819) == b"\xe9"
    assert pack_value(mq.MQTYPE_STRING, "é", mq.MQENC_NORMAL, mq.MQCCSI_APPL) == b"\xc3\xa9"


def test_bytes_when_of_a_wrong_length_then_2005() -> None:
    for type, data in (
        (mq.MQTYPE_INT8, b""),
        (mq.MQTYPE_INT32, b"12345"),
        (mq.MQTYPE_BOOLEAN, b"1"),
        (mq.MQTYPE_FLOAT64, b"1234"),
        (mq.MQTYPE_NULL, b"1"),
    ):
        with pytest.raises(MQError) as caught:
            unpack_value("n", type, data, mq.MQENC_NATIVE, 1208)
        assert caught.value.reason == 2005


def test_real_when_the_encoding_has_other_reals_then_2308() -> None:
    with pytest.raises(MQError) as caught:
        pack_value(mq.MQTYPE_FLOAT64, 1.0, mq.MQENC_S390, 1208)
    assert caught.value.reason == 2308


@pytest.mark.parametrize(
    ("dt", "text", "type", "value"),
    [
        ("int", "12", mq.MQTYPE_INT64, 12),
        ("i4", " +7 ", mq.MQTYPE_INT32, 7),
        ("boolean", "true", mq.MQTYPE_BOOLEAN, True),
        ("boolean", "0", mq.MQTYPE_BOOLEAN, False),
        ("r8", "-INF", mq.MQTYPE_FLOAT64, -math.inf),
        ("bin.hex", "00fF", mq.MQTYPE_BYTE_STRING, b"\0\xff"),
        ("bin.hex", "", mq.MQTYPE_BYTE_STRING, b""),
        ("string", "", mq.MQTYPE_STRING, ""),
        ("unheard", "x", mq.MQTYPE_STRING, "x"),
        ("i1", "300", mq.MQTYPE_STRING, "300"),
        ("r4", "1e300", mq.MQTYPE_STRING, "1e300"),
        ("i4", None, mq.MQTYPE_NULL, None),
    ],
)
def test_text_when_read_then_it_has_the_type_that_it_fits(
    dt: str, text: str | None, type: int, value: object
) -> None:
    assert value_of_text(dt, text) == (type, value)


# ---- MQIMPO_CONVERT_TYPE

SAMPLES: dict[int, Any] = {
    mq.MQTYPE_BOOLEAN: True,
    mq.MQTYPE_BYTE_STRING: b"\xf1\x12\0\xff",
    mq.MQTYPE_INT8: 1,
    mq.MQTYPE_INT16: 1,
    mq.MQTYPE_INT32: 1,
    mq.MQTYPE_INT64: 1,
    mq.MQTYPE_FLOAT32: 1.5,
    mq.MQTYPE_FLOAT64: 1.5,
    mq.MQTYPE_STRING: "1",
    mq.MQTYPE_NULL: None,
}


@pytest.mark.parametrize("target", ALL_TYPES, ids=type_name)
@pytest.mark.parametrize("type", ALL_TYPES, ids=type_name)
def test_conversion_when_not_in_the_table_then_2470(type: int, target: int) -> None:
    if target == type:
        assert converted("n", type, SAMPLES[type], target) == SAMPLES[type]
    elif target in TARGETS[type]:
        value = converted("n", type, SAMPLES[type], target)
        assert same(checked_value("n", target, value), value)
    else:
        with pytest.raises(MQError) as caught:
            converted("n", type, SAMPLES[type], target)
        assert caught.value.reason == 2470


@pytest.mark.parametrize(
    ("type", "value", "target", "expected"),
    [
        (mq.MQTYPE_STRING, "FALSE", mq.MQTYPE_BOOLEAN, False),
        (mq.MQTYPE_STRING, "0", mq.MQTYPE_BOOLEAN, False),
        (mq.MQTYPE_STRING, "True", mq.MQTYPE_BOOLEAN, True),
        (mq.MQTYPE_STRING, "1", mq.MQTYPE_BOOLEAN, True),
        (mq.MQTYPE_STRING, "12", mq.MQTYPE_INT32, 12),
        (mq.MQTYPE_STRING, "  -12 items", mq.MQTYPE_INT32, -12),
        (mq.MQTYPE_STRING, "1.5e2 m", mq.MQTYPE_FLOAT64, 150.0),
        (mq.MQTYPE_INT32, 7, mq.MQTYPE_STRING, "7"),
        (mq.MQTYPE_INT8, 65, mq.MQTYPE_STRING, "65"),
        (mq.MQTYPE_BOOLEAN, True, mq.MQTYPE_STRING, "TRUE"),
        (mq.MQTYPE_BOOLEAN, False, mq.MQTYPE_INT64, 0),
        (mq.MQTYPE_BYTE_STRING, b"\xf1\x12\0\xff", mq.MQTYPE_STRING, "F11200FF"),
        (mq.MQTYPE_INT32, 70000, mq.MQTYPE_INT64, 70000),
        (mq.MQTYPE_FLOAT32, 0.5, mq.MQTYPE_FLOAT64, 0.5),
    ],
)
def test_conversion_when_in_the_table_then_the_value_is_of_the_new_type(
    type: int, value: Any, target: int, expected: Any
) -> None:
    assert same(converted("n", type, value, target), expected)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("abc", mq.MQTYPE_INT32),
        ("", mq.MQTYPE_INT32),
        ("- 1", mq.MQTYPE_INT32),
        ("300", mq.MQTYPE_INT8),
        ("9" * 50, mq.MQTYPE_INT64),
        ("x", mq.MQTYPE_FLOAT64),
        (".5", mq.MQTYPE_FLOAT64),
        ("1e300", mq.MQTYPE_FLOAT32),
        ("1e999", mq.MQTYPE_FLOAT64),
        ("yes", mq.MQTYPE_BOOLEAN),
        ("TRUE ", mq.MQTYPE_BOOLEAN),
    ],
)
def test_conversion_when_a_string_is_not_such_a_value_then_2472(text: str, target: int) -> None:
    with pytest.raises(MQError) as caught:
        converted("n", mq.MQTYPE_STRING, text, target)
    assert caught.value.reason == 2472


@settings(max_examples=300)
@given(st.text(), st.sampled_from(sorted(TARGETS[mq.MQTYPE_STRING])))
def test_conversion_when_any_string_then_it_is_a_value_or_2472(text: str, target: int) -> None:
    try:
        value = converted("n", mq.MQTYPE_STRING, text, target)
    except MQError as refused:
        reason = refused.reason
    else:
        assert same(checked_value("n", target, value), value)
        return
    assert reason == 2472
