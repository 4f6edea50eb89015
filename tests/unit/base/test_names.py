"""Goal: each object name has one file name of its own inside its folder, and comes back from it.

Method: hypothesis over all valid names, over any two, and over any text as a file name.
"""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.errors import IntegrityError
from ternmq.base.names import file_name, is_name, name_of_file, pad, trim

pytestmark = pytest.mark.core

ALPHABET = string.ascii_letters + string.digits + "./_%"
NAMES = st.text(ALPHABET, min_size=1, max_size=48)


@pytest.mark.parametrize(
    "name", ["A", "a.b/c_d%1", "SYSTEM.DEFAULT.LOCAL.QUEUE", "X" * 48, "..", "/"]
)
def test_valid_names_are_names(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize(
    "name", ["", " ", "A B", "A ", "X" * 49, "Ä", "A-B", "A*", "A\0", "A!", "A&"]
)
def test_other_texts_are_no_names(name: str) -> None:
    assert not is_name(name)


def test_shorter_limit_holds_for_channels() -> None:
    assert is_name("C" * 20, 20)
    assert not is_name("C" * 21, 20)


@given(NAMES)
def test_name_comes_back_from_its_file_name(name: str) -> None:
    assert name_of_file(file_name(name)) == name


@given(NAMES, NAMES)
def test_two_names_never_share_a_file(one: str, other: str) -> None:
    assert (file_name(one) == file_name(other)) == (one == other)


@given(NAMES)
def test_file_name_stays_in_its_folder(name: str) -> None:
    file = file_name(name)
    assert file.isascii()
    assert not set(file) & set("./\\\0 ")
    assert len(file) == len(name)


@given(st.text(max_size=60))
def test_any_file_name_is_of_one_object_or_of_none(file: str) -> None:
    name = name_of_file(file)
    assert name is None or (is_name(name) and file_name(name) == file)


def test_file_names_are_those_that_people_know() -> None:
    assert file_name("QL.A") == "QL!A"
    assert file_name("a/b") == "a&b"


def test_file_name_of_a_text_that_is_no_name_is_refused() -> None:
    for name in ("", "a b", "x" * 49, "../etc\0"):
        with pytest.raises(IntegrityError, match="is not an object name"):
            file_name(name)


@given(NAMES)
def test_padded_name_is_trimmed_again(name: str) -> None:
    field = pad(name)
    assert len(field) == 48
    assert trim(field) == name


def test_field_ends_at_a_nul() -> None:
    assert trim(b"ABC\0garbage ") == "ABC"
    assert trim(b" AB  ") == " AB"
    assert trim(b"") == trim(b"    ") == ""


def test_pad_refuses_what_does_not_fit() -> None:
    for name, length in (("ABC", 2), ("Ä", 4)):
        with pytest.raises(IntegrityError):
            pad(name, length)
