"""Goal: what is packed into a property area is read again, one property or all, and no area from
outside is misread.

Method: properties of every type by hypothesis; areas that are cut, flipped or lie about a length.
"""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.base import constants as mq
from ternmq.base.errors import IntegrityError
from ternmq.codec.property import Property
from ternmq.codec.property_area import (
    HAS_JMS_FOLDER,
    HEAD_BYTES,
    Original,
    WantedProperties,
    area_flags,
    check_area,
    find_property,
    find_value,
    leading_area,
    original_of,
    pack_area,
    property_bytes,
    read_properties,
    read_values,
)

pytestmark = pytest.mark.core

_TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
_VALUES = st.one_of(
    st.tuples(st.just(mq.MQTYPE_NULL), st.none()),
    st.tuples(st.just(mq.MQTYPE_BOOLEAN), st.booleans()),
    st.tuples(st.just(mq.MQTYPE_BYTE_STRING), st.binary(max_size=30)),
    st.tuples(st.just(mq.MQTYPE_INT8), st.integers(-128, 127)),
    st.tuples(st.just(mq.MQTYPE_INT16), st.integers(-(1 << 15), (1 << 15) - 1)),
    st.tuples(st.just(mq.MQTYPE_INT32), st.integers(-(1 << 31), (1 << 31) - 1)),
    st.tuples(st.just(mq.MQTYPE_INT64), st.integers(-(1 << 63), (1 << 63) - 1)),
    st.tuples(st.just(mq.MQTYPE_FLOAT32), st.floats(width=32, allow_nan=False)),
    st.tuples(st.just(mq.MQTYPE_FLOAT64), st.floats(allow_nan=False)),
    st.tuples(st.just(mq.MQTYPE_STRING), _TEXT),
)
_PROPERTIES = st.lists(
    st.builds(
        lambda name, typed, mark: Property(name, typed[0], typed[1], *mark),
        _TEXT,
        _VALUES,
        st.sampled_from([(1, 0, 22), (mq.MQPD_SUPPORT_REQUIRED, 1, mq.MQCOPY_ALL)]),
    ),
    max_size=6,
)
_ORIGINALS = st.one_of(
    st.none(),
    st.builds(
        Original, st.binary(max_size=60), st.just(7), st.just(546), st.just(-2), st.just(b"X")
    ),
)


def facts(one: Property) -> tuple[object, ...]:
    return one.name, one.type, one.value, one.support, one.context, one.copy_options


@settings(max_examples=300)
@given(_PROPERTIES, _ORIGINALS)
def test_area_when_packed_then_all_of_it_is_read_again(
    properties: list[Property], original: Original | None
) -> None:
    area = pack_area(properties, original)
    check_area(area)
    assert [facts(one) for one in read_properties(area)] == [facts(one) for one in properties]
    found = original_of(area)
    if original is None:
        assert found is None
    else:
        assert found is not None
        assert (found.header, found.replaced, found.encoding, found.ccsid) == (
            original.header,
            7,
            546,
            -2,
        )
        assert found.format == b"X       "
    for one in properties:
        first = next(other for other in properties if other.name == one.name)
        again = find_property(area, one.name)
        assert again is not None
        assert facts(again) == facts(first)
    assert find_property(area, "not there at all, for it is too long") is None


def test_area_when_there_is_nothing_then_it_is_empty() -> None:
    assert pack_area([]) == b""
    assert read_properties(b"") == []
    assert find_property(b"", "a") is None
    assert original_of(b"") is None
    assert property_bytes(b"") == 0
    check_area(b"")


def test_area_when_it_has_one_short_property_then_it_is_short() -> None:
    area = pack_area([Property("colour", mq.MQTYPE_STRING, "red")])
    assert len(area) == HEAD_BYTES + 8 + len("colour") + len("red")
    assert property_bytes(area) == len("colour") + len("red")


@pytest.mark.parametrize(
    ("name", "expected"), [("a", True), ("jms.Dst", True), ("a.b", False), ("mq_usr.a", False)]
)
def test_area_when_a_folder_is_one_of_jms_then_it_says_so(name: str, expected: bool) -> None:
    area = pack_area([Property(name, mq.MQTYPE_STRING, "")])
    assert bool(area_flags(area) & HAS_JMS_FOLDER) is expected


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (mq.MQTYPE_INT8, 300),
        (mq.MQTYPE_FLOAT32, 1e300),
        (mq.MQTYPE_STRING, b"x"),
        (mq.MQTYPE_BOOLEAN, 1),
        (mq.MQTYPE_NULL, ""),
        (3, 1),
    ],
)
def test_pack_when_a_value_is_not_of_its_type_then_it_is_refused(kind: int, value: object) -> None:
    with pytest.raises(ValueError, match="property p"):
        pack_area([Property("p", kind, value)])  # type: ignore[arg-type]


@settings(max_examples=300)
@given(_PROPERTIES, _ORIGINALS, st.data())
def test_check_when_bytes_are_changed_then_it_is_refused_or_still_read(
    properties: list[Property], original: Original | None, data: st.DataObject
) -> None:
    area = pack_area(properties, original)
    if not area:
        return
    cut = data.draw(st.integers(1, len(area) - 1))
    with pytest.raises(IntegrityError):
        check_area(area[:cut])
    with pytest.raises(IntegrityError):
        check_area(area + b"\0")
    at = data.draw(st.integers(0, len(area) - 1))
    changed = area[:at] + bytes([area[at] ^ data.draw(st.integers(1, 255))]) + area[at + 1 :]
    try:
        check_area(changed)
    except IntegrityError:
        return
    read_properties(changed)
    original_of(changed)
    find_property(changed, "a")


def test_check_when_a_count_is_too_high_then_it_is_refused() -> None:
    area = pack_area([Property("a", mq.MQTYPE_STRING, "b")])
    lying = area[:2] + struct.pack("<H", 2) + area[4:]
    with pytest.raises(IntegrityError):
        check_area(lying)


_FEW_NAMES = st.sampled_from(["a", "b", "aa", "ab", "ba", "usr", "jms.Cid", "ü"])
_FEW = st.lists(
    st.builds(
        lambda name, typed, mark: Property(name, typed[0], typed[1], *mark),
        _FEW_NAMES,
        _VALUES,
        st.sampled_from([(1, 0, 22), (mq.MQPD_SUPPORT_REQUIRED, 1, mq.MQCOPY_ALL)]),
    ),
    max_size=9,
)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(_FEW, min_size=1, max_size=3),
    st.lists(_FEW_NAMES, min_size=1, max_size=5, unique=True),
    st.lists(st.integers(0, 4), max_size=10),
)
def test_wanted_names_when_asked_for_in_any_order_then_the_values_that_are_found_alone(
    messages: list[list[Property]], names: list[str], asked: list[int]
) -> None:
    packed = [name.encode() for name in names]
    wanted = WantedProperties(packed)
    for properties in messages:
        area = pack_area(properties)
        wanted.load(area)
        values = read_values(area)
        for number in asked:
            slot = number % len(names)
            expected = repr(find_value(area, packed[slot]))
            assert repr(wanted.value(slot)) == expected
            assert repr(values.get(names[slot])) == expected


@settings(max_examples=200, deadline=None)
@given(_PROPERTIES.filter(bool), _ORIGINALS, st.binary(max_size=30))
def test_area_before_data_when_split_then_both_are_as_they_were(
    properties: list[Property], original: Original | None, data: bytes
) -> None:
    area = pack_area(properties, original)
    assert leading_area(area + data) == area


@pytest.mark.parametrize("data", [b"", b"\1", bytes(12), b"RFH " + bytes(40)])
def test_data_without_an_area_when_split_then_refused(data: bytes) -> None:
    with pytest.raises(IntegrityError):
        leading_area(data)
