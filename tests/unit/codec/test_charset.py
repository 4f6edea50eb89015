"""Goal: text is read and written in the character sets that peers use, and others are refused.

Method: known bytes, and hypothesis over all bytes.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base.errors import FormatError
from ternmq.codec import charset, single_byte_tables

pytestmark = pytest.mark.core

SINGLE_BYTE = [37, 273, 424, 437, 500, 819, 850, 923, 1047, 1140, 1252]
KNOWN = [
    *single_byte_tables.EBCDIC,
    922,
    *charset._ASCII_FAMILY,
    *charset._EBCDIC_FAMILY,
    *charset._WIDE_FAMILY,
]


@pytest.mark.parametrize(
    ("ccsid", "text", "data"),
    [
        (1208, "aé€", "61c3a9e282ac"),
        (819, "aé", "61e9"),
        (367, "a", "61"),
        (37, "A[]^", "c1babbb0"),
        (500, "A[]^", "c14a5a5f"),
        (1047, "A[]^", "c1adbd5f"),
        (1047, "Ý¨¬", "babbb0"),
        (1140, "€", "9f"),
        (1200, "aé", "006100e9"),
        (943, "日", "93fa"),
    ],
)
def test_known_text_has_known_bytes(ccsid: int, text: str, data: str) -> None:
    assert charset.encode(text, ccsid) == bytes.fromhex(data)
    assert charset.decode(bytes.fromhex(data), ccsid) == text


def test_wide_characters_follow_the_byte_order() -> None:
    assert charset.encode("a", 1200, "<") == b"a\0"
    assert charset.decode(b"a\0", 13488, "<") == "a"
    assert charset.encode("a", 1202, ">") == b"a\0"
    assert charset.encode("a", 1232, ">") == b"\0\0\0a"


@given(st.binary(max_size=40), st.sampled_from([*SINGLE_BYTE, 1208]))
def test_any_bytes_survive_reading_and_writing(data: bytes, ccsid: int) -> None:
    assert charset.encode(charset.decode(data, ccsid), ccsid) == data


@given(st.binary(max_size=9), st.sampled_from(KNOWN), st.sampled_from("<>"))
def test_any_bytes_in_any_set_are_read(data: bytes, ccsid: int, order: str) -> None:
    assert isinstance(charset.decode(data, ccsid, order), str)


def test_open_systems_set_has_every_character_of_latin_1() -> None:
    text = charset.decode(bytes(range(256)), 1047)
    assert sorted(text) == [chr(code) for code in range(256)]


@pytest.mark.parametrize("ccsid", [0, -1, -2, -3, 930, 99999])
def test_unknown_set_is_refused_by_number(ccsid: int) -> None:
    assert not charset.is_known(ccsid)
    for call in (lambda: charset.decode(b"a", ccsid), lambda: charset.encode("a", ccsid)):
        with pytest.raises(FormatError, match=f"CCSID {ccsid} is not supported") as caught:
            call()
        assert caught.value.reason == 2330


@pytest.mark.parametrize("ccsid", [819, 500, 1047])
def test_character_that_the_set_lacks_is_refused(ccsid: int) -> None:
    with pytest.raises(FormatError, match=rf"CCSID {ccsid} has no character U\+20AC"):
        charset.encode("5 €", ccsid)


def test_every_known_set_can_be_used() -> None:
    for family in (charset._ASCII_FAMILY, charset._EBCDIC_FAMILY, charset._WIDE_FAMILY):
        for ccsid in family:
            assert charset.is_known(ccsid)
            assert charset.decode(charset.encode("MQ 1", ccsid), ccsid) == "MQ 1"
            assert charset.is_wide(ccsid) == (len(charset.encode(" ", ccsid)) > 1)
            assert charset.is_ascii_based(ccsid) == (charset.encode("MQ", ccsid) == b"MQ")
