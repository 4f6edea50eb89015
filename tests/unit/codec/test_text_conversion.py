"""Goal: text has the bytes that other programs have for it, and nothing that a message holds makes
its conversion fail, or lose anything that is not converted.

Method: bytes that OpenJDK's encoders gave for samples of each set; hypothesis over all formats,
sets, encodings and buffers, with arbitrary bytes, and with structures of which bytes were changed.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.base.reasons import MQRC_CONVERTED_MSG_TOO_BIG, MQRC_DBCS_ERROR, MQRC_NOT_CONVERTED
from ternmq.codec import charset
from ternmq.codec.conversion import convert, convert_for_buffer
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.text_conversion import ConversionError, Sets, convert_text
from tests.unit.codec.test_header_conversion import HEADERS, HERE, HOST, WHOLE

pytestmark = pytest.mark.core

SAMPLES = [
    (273, "Äß{}@", "4aa143dcb5"),
    (277, "ÆØÅæøå#@", "7b7c5bc06ad04a80"),
    (278, "ÅÄÖÉ\\", "5b7b7ce071"),
    (280, "àèìòù§", "c0d0a16a797c"),
    (284, "Ññ¿¡#", "7b6aabaa69"),
    (285, "£$~¯", "5b4abca1"),
    (297, "éèàç$", "c0d07ce05b"),
    (870, "Łódź", "bace84b7"),
    (871, "ÞþÐð", "4ac07c79"),
    (1025, "Привет", "dcaa8faf8bac"),
    (1112, "Žėū", "695346"),
    (1122, "Šžõ", "ac8ecf"),
    (1123, "Київ", "cd8f48af"),
    (420, "سلام", "77b156bb"),
    (838, "ไทย", "df738f"),
    (290, "ｱｲｳ", "818283"),
    (1141, "€Ä", "9f4a"),
    (1142, "€Æ", "5a7b"),
    (1143, "€Å", "5a5b"),
    (1144, "€à", "9fc0"),
    (1145, "€Ñ", "9f7b"),
    (1146, "€£", "9f5b"),
    (1147, "€é", "9fc0"),
    (1148, "€[", "9f4a"),
    (1149, "€Þ", "9f4a"),
    (1140, "€[", "9fba"),
    (875, "Ωμ", "679f"),
    (1026, "İğ", "5bd0"),
    (424, "שלום", "69544655"),
    (922, "Šž", "d0fe"),
    (437, "é½", "82ab"),
    (850, "éø", "829b"),
    (852, "Łó", "9da2"),
    (855, "Привет", "dde1b7eba8e5"),
    (857, "ğİ", "a798"),
    (858, "€ø", "d59b"),
    (862, "שלום", "998c858d"),
    (864, "°", "80"),
    (866, "Привет", "8fe0a8a2a5e2"),
    (912, "Łó", "a3f3"),
    (915, "Привет", "bfe0d8d2d5e2"),
    (916, "שלום", "f9ece5ed"),
    (920, "ğİ", "f0dd"),
    (921, "Žė", "deeb"),
    (923, "€Š", "a4a6"),
]
CCSIDS = [37, 500, 819, 1208, 1200, 13488, 943, 1386, 870, 1252, 875, 5488, 1047]
FORMATS = [*HEADERS, *WHOLE, "", "MYFMT", "MQHSAP"]
ENCODINGS = [273, 546, 0, 1, 2, 785, -1]


@pytest.mark.parametrize(("ccsid", "text", "data"), SAMPLES)
def test_text_when_converted_then_its_bytes_are_those_of_others(
    ccsid: int, text: str, data: str
) -> None:
    theirs = bytes.fromhex(data)
    assert convert_text(text.encode(), Sets(1208, "<", ccsid, "<")) == theirs
    assert convert_text(theirs, Sets(ccsid, "<", 1208, "<")) == text.encode()
    wide = text.encode("utf-16-be")
    assert convert_text(theirs, Sets(ccsid, "<", 1200, ">")) == wide
    assert convert_text(wide, Sets(1200, ">", ccsid, "<")) == theirs


def test_text_when_between_single_byte_sets_then_it_keeps_its_length() -> None:
    assert convert_text("Größe".encode("latin-1"), Sets(819, "<", 273, "<")).hex() == "c7996aa185"
    assert convert_text(b"\x8d\x9d", Sets(1252, "<", 1208, "<")) == "\x8d\x9d".encode()
    assert convert_text(b"\xa1", Sets(864, "<", 819, "<")) == b"\xad"
    # a byte that stands for no character, and a character that the target lacks
    assert convert_text(b"\xa6\x41", Sets(864, "<", 37, "<")) == b"\x3f\xc1"
    assert convert_text("Ł".encode(), Sets(1208, "<", 37, "<")) == b"\x3f"
    assert convert_text("Ł".encode(), Sets(1208, "<", 850, "<")) == b"\x1a"
    assert convert_text("Ł".encode(), Sets(1208, "<", 943, "<")) == b"\x1a"


def converted_or_reason(data: bytes, sets: Sets) -> bytes | int:
    try:
        return convert_text(data, sets)
    except ConversionError as error:
        return error.reason


@given(st.binary(max_size=64), st.sampled_from(CCSIDS), st.sampled_from(CCSIDS))
def test_text_when_any_bytes_then_it_is_converted_or_refused_with_a_reason(
    data: bytes, source: int, target: int
) -> None:
    made = converted_or_reason(data, Sets(source, ">", target, ">"))
    if isinstance(made, int):
        assert made in (MQRC_NOT_CONVERTED, MQRC_DBCS_ERROR)
        return
    if charset.is_single_byte(source) and charset.is_single_byte(target):
        assert len(made) == len(data)
    if source != target:
        assert charset.decode(made, target, ">") is not None


def _base(format: str, ccsid: int, encoding: int) -> bytes:
    return Descriptor(format=format, ccsid=ccsid, encoding=encoding).pack()


@settings(max_examples=300)
@given(
    st.binary(max_size=200),
    st.sampled_from(FORMATS),
    st.tuples(st.sampled_from(CCSIDS), st.sampled_from(ENCODINGS)),
    st.tuples(st.sampled_from([*CCSIDS, -1, 9999]), st.sampled_from(ENCODINGS)),
)
def test_data_when_arbitrary_then_it_comes_whole_or_converted(
    data: bytes, format: str, source: tuple[int, int], target: tuple[int, int]
) -> None:
    base = _base(format, *source)
    made = convert(data, base, *target)
    assert made.base[:24] + made.base[32:] == base[:24] + base[32:]
    if made.warning and format not in HEADERS:
        assert (made.data, made.base) == (data, base)
    again = convert(made.data, made.base, *target)
    if not made.warning and made.base != base:
        assert again.data == made.data


@st.composite
def chains(draw: st.DrawFn) -> tuple[str, bytes]:
    """Headers behind one another, and a body; then some bytes are changed, or the end is cut."""
    names = draw(st.lists(st.sampled_from(sorted(HEADERS)), max_size=3))
    body = draw(st.sampled_from(sorted(WHOLE)))
    side = draw(st.sampled_from([HOST, HERE]))
    data = WHOLE[body](side)
    following = body
    for name in names:
        data = HEADERS[name](side, following) + data
        following = name
    changed = bytearray(data)
    for _ in range(draw(st.integers(0, 3))):
        changed[draw(st.integers(0, len(changed) - 1))] = draw(st.integers(0, 255))
    return following, bytes(changed[: draw(st.integers(0, len(changed)))])


@settings(max_examples=300)
@given(
    chains(),
    st.tuples(st.sampled_from([37, 500, 1208, 819]), st.sampled_from([273, 546])),
    st.tuples(st.sampled_from(CCSIDS), st.sampled_from([273, 546])),
    st.integers(0, 3000),
    st.booleans(),
)
def test_chain_when_bytes_are_changed_then_it_fits_its_buffer_or_comes_as_it_is(
    chain: tuple[str, bytes],
    source: tuple[int, int],
    target: tuple[int, int],
    length: int,
    accepts_cut: bool,
) -> None:
    format, data = chain
    base = _base(format, *source)
    made = convert_for_buffer(data, base, target, length, accepts_cut, None)
    if made.warning == MQRC_CONVERTED_MSG_TOO_BIG:
        assert (made.data, made.base) == (data, base)
        assert not accepts_cut
        return
    assert len(made.data) <= length
    if len(data) > length:
        assert made.is_cut
