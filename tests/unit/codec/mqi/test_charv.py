"""Goal: a string outside its structure is found where its description says, or refused.

Method: write some behind a structure and read them; descriptions that point elsewhere.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_OBJECT_STRING_ERROR
from ternmq.codec.mqi.charv import CharV, read_charv, write_charv

pytestmark = pytest.mark.core


def read(described: CharV, data: bytes, start: int = 0, bytes_max: int = 10_240) -> str:
    return read_charv(described, data, start, 1208, MQRC_OBJECT_STRING_ERROR, bytes_max)


@given(st.text(max_size=30), st.sampled_from([1208, 1200]), st.integers(0, 9))
def test_string_is_read_as_it_was_written(text: str, ccsid: int, start: int) -> None:
    described = CharV()
    tail = write_charv(described, text, 16, ccsid)
    assert read(described, bytes(start + 16) + tail + b"more", start) == text


def test_string_of_the_application_is_in_its_character_set() -> None:
    described = CharV(offset=2, length=2)
    data = b"xx\xc1\xc2"
    assert read_charv(described, data, 0, 37, MQRC_OBJECT_STRING_ERROR, 9) == "AB"


def test_string_without_a_length_ends_at_a_nul_or_with_the_data() -> None:
    described = CharV(offset=2, length=-1)
    assert read(described, b"xxab\0c") == "ab"
    assert read(described, b"xxabc") == "abc"


def test_no_length_or_no_place_is_the_empty_string() -> None:
    assert read(CharV(offset=4), b"") == ""
    assert read(CharV(length=4), b"") == ""


@pytest.mark.parametrize(
    "described",
    [
        CharV(offset=2, length=9),
        CharV(offset=2, length=-2),
        CharV(offset=-2, length=1),
        CharV(offset=9, length=1),
        CharV(offset=2**31 - 1, length=2**31 - 1),
        CharV(offset=7, length=-1),
    ],
)
def test_string_that_is_not_all_there_is_refused(described: CharV) -> None:
    with pytest.raises(MQError) as caught:
        read(described, b"xxabcd")
    assert caught.value.reason == MQRC_OBJECT_STRING_ERROR


def test_string_over_the_limit_is_refused() -> None:
    with pytest.raises(MQError, match="3 allowed"):
        read(CharV(offset=1, length=4), b"xabcd", bytes_max=3)


def test_descriptions_are_equal_by_value() -> None:
    assert CharV(length=1) == CharV(length=1)
    assert CharV(length=1) != CharV(length=2)
    assert CharV() != (0, 0, 0, 0, -3)
    assert len({CharV(), CharV(), CharV(length=1)}) == 2
