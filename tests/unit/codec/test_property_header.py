"""Goal: a put with MQRFH2 headers is split into area and body, and the way back gives the very same
bytes.

Method: hypothesis over any content; headers in front of the MQRFH2; headers made from properties
are split again and compared.
"""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import ENCODING_AT, FORMAT_AT, Descriptor
from ternmq.codec.property import Property
from ternmq.codec.property_area import (
    HAS_JMS_FOLDER,
    Original,
    area_flags,
    check_area,
    pack_area,
    read_properties,
)
from ternmq.codec.property_folders import property_of
from ternmq.codec.property_header import (
    as_put,
    length_as_put,
    may_be_split,
    split,
)
from tests.unit.codec.test_properties import CONTENT, LITTLE, SOUND, UNSOUND, base_of, header
from tests.unit.codec.test_property_area import facts

pytestmark = pytest.mark.core

OWN = b"<mine><x>1</x></mine>"


def with_fields(base: bytes, fields: bytes) -> bytes:
    return base[:ENCODING_AT] + fields + base[FORMAT_AT + 8 :]


def dead_letter(order: str, ccsid: int, format: bytes) -> bytes:
    head = struct.pack(f"{order}ii", 1, 2030).rjust(8)
    encoding = 0x222 if order == "<" else 0x111
    names = b"Q".ljust(48) + b"QM".ljust(48)
    fields = struct.pack(f"{order}ii", encoding, ccsid) + format
    return b"DLH " + head + names + fields + bytes(172 - 124)


@settings(max_examples=400)
@given(CONTENT, st.integers(-(1 << 31), (1 << 31) - 1), st.integers(-5, 99999))
def test_split_when_the_content_is_anything_then_the_way_back_is_exact(
    data: bytes, encoding: int, ccsid: int
) -> None:
    base = Descriptor(format="MQHRF2", encoding=encoding, ccsid=ccsid, version=2).pack()
    parts = split(data, base)
    if parts is None:
        return
    check_area(parts.area)
    own = with_fields(base, parts.fields)
    assert as_put(parts.area, parts.data, own) == (data, base)
    assert as_put(parts.area, parts.data, own, original_only=True) == (data, base)
    assert length_as_put(parts.area, parts.data, own) == len(data)


def test_split_when_all_folders_are_properties_then_the_body_is_the_payload() -> None:
    parts = split(header(SOUND) + b"payload", base_of())
    assert parts is not None
    assert parts.data == b"payload"
    assert parts.fields == struct.pack("<ii", LITTLE, 819) + b"MQSTR   "
    assert [facts(one)[:3] for one in read_properties(parts.area)] == [("a", mq.MQTYPE_STRING, "1")]


def test_split_when_a_folder_is_the_applications_then_it_stays_in_the_body() -> None:
    data = header(SOUND, OWN) + b"payload"
    parts = split(data, base_of())
    assert parts is not None
    assert parts.data == header(OWN) + b"payload"
    assert parts.fields[8:] == b"MQHRF2  "
    assert as_put(parts.area, parts.data, base_of()) == (data, base_of())


@pytest.mark.parametrize("folder", UNSOUND)
def test_split_when_a_folder_is_not_sound_then_all_of_it_is_body(folder: bytes) -> None:
    assert split(header(folder) + b"payload", base_of()) is None


def test_split_when_two_headers_follow_one_another_then_both_are_properties() -> None:
    data = header(SOUND, format=b"MQHRF2  ") + header(b"<jms><Pri>7</Pri></jms>") + b"payload"
    # what follows the first is in 819, as it says: the second is read the same way
    parts = split(data, base_of())
    assert parts is not None
    assert parts.data == b"payload"
    assert [facts(one)[:3] for one in read_properties(parts.area)] == [
        ("a", mq.MQTYPE_STRING, "1"),
        ("jms.Pri", mq.MQTYPE_INT32, 7),
    ]
    assert as_put(parts.area, parts.data, with_fields(base_of(), parts.fields))[0] == data


@pytest.mark.parametrize(("order", "ccsid"), [("<", 1208), (">", 500), ("<", -2)])
def test_split_when_a_dead_letter_header_is_in_front_then_it_stays_and_says_what_follows(
    order: str, ccsid: int
) -> None:
    text = "MQHRF2  ".encode("cp500") if ccsid == 500 else b"MQHRF2  "
    front = dead_letter(order, ccsid, text)
    if ccsid == 500:
        front = "DLH ".encode("cp500") + front[4:]
    base = Descriptor(
        format="MQDEAD",
        encoding=0x222 if order == "<" else 0x111,
        ccsid=500 if ccsid == 500 else 1208,
        version=2,
    ).pack()
    inner = header(SOUND)
    if order == ">":
        folder = struct.pack(">i", 20) + SOUND
        inner = struct.pack(
            ">4siiii8sii", "RFH ".encode("cp500"), 2, 60, LITTLE, 819,
            "MQSTR   ".encode("cp500"), 0, 1208,
        ) + folder  # fmt: skip
    data = front + inner + b"payload"
    parts = split(data, base)
    assert parts is not None
    assert parts.fields == base[ENCODING_AT : FORMAT_AT + 8]
    assert len(parts.data) == 172 + 7
    assert parts.data[172:] == b"payload"
    assert struct.unpack_from(f"{order}ii", parts.data, 108) == (LITTLE, 819)
    assert as_put(parts.area, parts.data, base) == (data, base)


def test_put_back_when_a_dead_letter_header_came_in_front_then_the_header_goes_behind_it() -> None:
    area = pack_area([Property("colour", mq.MQTYPE_STRING, "red")])
    front = dead_letter("<", 819, b"MQSTR   ")
    base = Descriptor(format="MQDEAD", encoding=LITTLE, ccsid=1208, version=2).pack()
    data, reported = as_put(area, front + b"payload", base)
    assert reported == base
    assert data[116:124] == b"MQHRF2  "
    assert data[172:176] == b"RFH "
    parts = split(data, base)
    assert parts is not None
    assert parts.data == front + b"payload"


def test_split_when_the_data_is_on_its_way_then_it_is_left_alone() -> None:
    assert not may_be_split(base_of("MQXMIT"))
    assert not may_be_split(base_of("MQSTR"))
    assert not may_be_split(base_of(""))
    assert may_be_split(base_of())
    assert may_be_split(base_of("MQDEAD"))
    assert may_be_split(base_of("MQHMDE"))


@pytest.mark.parametrize("cut", [0, 20, 100, 171])
def test_split_when_a_header_in_front_is_cut_then_all_of_it_is_body(cut: int) -> None:
    base = Descriptor(format="MQDEAD", encoding=LITTLE, ccsid=1208, version=2).pack()
    assert split(dead_letter("<", 1208, b"MQHRF2  ")[:cut], base) is None


NAMES = ("colour", "Gr\u00f6sse", "a.b", "a.c.d", "jms.Dst", "$x", "mq.note", "_y")
VALUES = (
    (mq.MQTYPE_STRING, "a<b & 'c' \r\n\u00e9 "),
    (mq.MQTYPE_BOOLEAN, True),
    (mq.MQTYPE_BYTE_STRING, b"\0\xff"),
    (mq.MQTYPE_INT8, -128),
    (mq.MQTYPE_INT16, 5),
    (mq.MQTYPE_INT32, 70000),
    (mq.MQTYPE_INT64, 1 << 40),
    (mq.MQTYPE_FLOAT32, 0.5),
    (mq.MQTYPE_FLOAT64, float("-inf")),
    (mq.MQTYPE_NULL, None),
    (mq.MQTYPE_STRING, ""),
    (mq.MQTYPE_BYTE_STRING, b""),
)


@pytest.mark.parametrize("name", [one for one in NAMES if one != "$x"])
@pytest.mark.parametrize(("kind", "value"), VALUES)
@pytest.mark.parametrize("mark", [(1, 0, 22), (1, 1, mq.MQCOPY_ALL), (1, 0, 0)])
def test_header_when_it_is_made_from_the_index_then_it_is_read_the_same(
    name: str, kind: int, value: object, mark: tuple[int, int, int]
) -> None:
    one = Property(name, kind, value, *mark)  # type: ignore[arg-type]
    base = Descriptor(format="MQSTR", encoding=LITTLE, ccsid=819, version=2).pack()
    data, reported = as_put(pack_area([one]), b"payload", base)
    assert reported[FORMAT_AT : FORMAT_AT + 8] == b"MQHRF2  "
    assert len(data) == length_as_put(pack_area([one]), b"payload", base)
    parts = split(data, reported)
    assert parts is not None
    assert parts.data == b"payload"
    assert with_fields(reported, parts.fields) == base
    assert [facts(one) for one in read_properties(parts.area)] == [facts(one)]


def test_header_when_the_support_is_required_then_folder_mq_says_so() -> None:
    for support in (mq.MQPD_SUPPORT_REQUIRED, mq.MQPD_SUPPORT_REQUIRED_IF_LOCAL):
        one = Property("mq.note", mq.MQTYPE_STRING, "x", support)
        data, reported = as_put(pack_area([one]), b"", base_of("MQSTR"))
        parts = split(data, reported)
        assert parts is not None
        assert read_properties(parts.area)[0].support == support


def test_header_when_a_name_is_no_element_then_its_value_still_travels() -> None:
    data, reported = as_put(
        pack_area([Property("$x", mq.MQTYPE_STRING, "v")]), b"", base_of("MQSTR")
    )
    parts = split(data, reported)
    assert parts is not None
    assert read_properties(parts.area)[0].value == "v"


def test_put_back_when_more_was_set_beside_the_original_then_all_of_it_comes() -> None:
    data = header(SOUND) + b"payload"
    original = Original(header(SOUND), 0, LITTLE, 1208, b"MQHRF2  ")
    both = [Property("a", mq.MQTYPE_STRING, "1"), Property("b.c", mq.MQTYPE_INT32, 2)]
    area = pack_area(both, original, original_is_all=False)
    base = Descriptor(format="MQSTR", encoding=LITTLE, ccsid=819, version=2).pack()
    made, reported = as_put(area, b"payload", base)
    parts = split(made, reported)
    assert parts is not None
    assert [facts(one) for one in read_properties(parts.area)] == [facts(one) for one in both]
    assert as_put(area, b"payload", base, original_only=True) == (data, base_of())
    assert length_as_put(area, b"payload", base, original_only=True) == len(data)


def test_put_back_when_only_the_original_is_wanted_and_there_is_none_then_the_body_stays() -> None:
    area = pack_area([Property("a", mq.MQTYPE_STRING, "1")])
    assert as_put(area, b"x", base_of("MQSTR"), True) == (b"x", base_of("MQSTR"))


@pytest.mark.parametrize("folder", [b"<usr><a><b>1</b></a></usr>", b"<usr/>", b"<mine2/>"])
def test_split_when_a_folder_is_one_of_jms_then_the_area_says_so(folder: bytes) -> None:
    parts = split(header(folder) + b"x", base_of())
    assert (parts is not None) == (folder != b"<mine2/>")
    if parts is not None:
        assert area_flags(parts.area) & HAS_JMS_FOLDER


@pytest.mark.parametrize(
    ("name", "dt", "text", "kind", "value"),
    [
        ("a", "i1", "300", mq.MQTYPE_STRING, "300"),
        ("a", "r4", "1e300", mq.MQTYPE_STRING, "1e300"),
        ("a", "r4", "0.5", mq.MQTYPE_FLOAT32, 0.5),
        ("a", "boolean", " 1 ", mq.MQTYPE_BOOLEAN, True),
        ("a", "what", "1", mq.MQTYPE_STRING, "1"),
        ("a", "string", None, mq.MQTYPE_NULL, None),
        ("jms.Exp", "i8", "12", mq.MQTYPE_INT64, 12),
        ("jms.Exp", "string", "x", mq.MQTYPE_STRING, "x"),
        ("jms.Dlv", "i4", "2", mq.MQTYPE_INT32, 2),
    ],
)
def test_value_when_it_fits_its_type_then_it_has_it(
    name: str, dt: str, text: str | None, kind: int, value: object
) -> None:
    one = property_of((name, dt, text))
    assert (one.type, one.value) == (kind, value)


@pytest.mark.parametrize("replaced", [0, 5, 11, 12, 0xFFFFFFFF])
@pytest.mark.parametrize("is_all", [False, True])
def test_length_when_an_original_replaces_more_than_there_is_then_that_of_the_data(
    replaced: int, is_all: bool
) -> None:
    """An area over the local socket says what it likes; a length that is too low would give a
    reader more than its buffer holds."""
    original = Original(b"H" * 40, replaced, LITTLE, 1208, b"MQHRF2  ")
    area = pack_area([property_of(("a", "string", "b"))], original, is_all)
    check_area(area)
    base = base_of("MQSTR")
    for original_only in (False, True):
        data, _ = as_put(area, b"hello world", base, original_only)
        assert length_as_put(area, b"hello world", base, original_only) == len(data)
