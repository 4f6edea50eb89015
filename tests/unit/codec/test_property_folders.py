"""Goal: a folder gives the properties that it has, with type and descriptor, and what is written
is read the same; no folder makes the reader fail.

Method: each rule of the format once; hypothesis over lists of properties and over any text.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.base import constants as mq
from ternmq.codec.properties import mqrfh2_of, take_apart
from ternmq.codec.property import Property
from ternmq.codec.property_folders import (
    PARTS_MAX,
    FolderReader,
    folders_of,
    is_property_folder,
    parts_of,
    property_of,
    read_folder,
    unknown_dt,
)
from tests.unit.codec.test_property_types import VALUES

pytestmark = pytest.mark.core

PARTS = st.from_regex(r"[A-Za-z_$Ωü][\w$]{0,5}", fullmatch=True)
NAMES = st.lists(PARTS, min_size=1, max_size=4).map(".".join).filter(lambda n: n[:4] != "usr.")


@st.composite
def properties(draw: st.DrawFn) -> list[Property]:
    made = []
    for name in draw(st.lists(NAMES, max_size=6)):
        type, value = draw(VALUES)
        support = mq.MQPD_SUPPORT_OPTIONAL
        if name.startswith("mq."):
            support = draw(st.sampled_from([support, mq.MQPD_SUPPORT_REQUIRED, 1024]))
        context = draw(st.sampled_from([mq.MQPD_NO_CONTEXT, mq.MQPD_USER_CONTEXT]))
        copies = draw(st.sampled_from([22, 0, mq.MQCOPY_ALL, 2, 4, 8, 16, 10, 30]))
        made.append(Property(name, type, value, support, context, copies))
    return made


def shape(found: list[Property]) -> list[tuple[Any, ...]]:
    return [(p.name, p.type, repr(p.value), p.support, p.context, p.copy_options) for p in found]


@settings(max_examples=400)
@given(properties(), st.binary(max_size=20))
def test_properties_when_written_into_an_mqrfh2_then_they_are_read_the_same(
    made: list[Property], payload: bytes
) -> None:
    data = mqrfh2_of(made, "MQSTR", mq.MQENC_NATIVE, 819) + payload
    apart = take_apart(data, mq.MQENC_NATIVE, 1208)
    assert apart is not None
    assert shape(apart.typed_properties()) == shape(made)
    assert (apart.data, apart.format, apart.ccsid) == (payload, b"MQSTR   ", 819)


@settings(max_examples=300)
@given(properties())
def test_parts_when_counted_then_as_many_as_the_reader_counts(made: list[Property]) -> None:
    folders = folders_of(made)
    counted = 1 + len(folders)
    for folder in folders:
        reader = FolderReader(folder, PARTS_MAX)
        assert reader.read() is not None
        counted += PARTS_MAX - reader.elements_left
    assert parts_of(made) == counted


@settings(max_examples=500)
@given(
    st.one_of(
        st.text(),
        st.text(alphabet="<>/usra='\" dt&;#xi!?[]-\n"),
        st.text(alphabet="<>/a &;").map(lambda text: f"<usr>{text}</usr>"),
    )
)
def test_folder_when_any_text_then_reading_does_not_fail(text: str) -> None:
    found = read_folder(text)
    for element in found or []:
        property_of(element)
        unknown_dt(element)
    is_property_folder(text)


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("<usr><a>1</a></usr>", [("a", "string", "1")]),
        ("<usr><a dt='i4'>1</a><b/></usr>", [("a", "i4", "1"), ("b", "string", "")]),
        ("<jms><Dst>q</Dst></jms>", [("jms.Dst", "string", "q")]),
        ("<x content='properties'><g><a>1</a></g></x>", [("x.g.a", "string", "1")]),
        ("<usr><g><a>1</a></g></usr>", [("g.a", "string", "1")]),
        ("<usr> <a>1</a>\n<a>2</a> </usr>", [("a", "string", "1"), ("a", "string", "2")]),
        ("<usr><a xsi:nil='true'></a></usr>", [("a", "string", None)]),
        ("<usr><a xsi:nil='false'>x</a></usr>", [("a", "string", "x")]),
        ("<usr><$a>1</$a><ü.b>2</ü.b></usr>", [("$a", "string", "1"), ("ü.b", "string", "2")]),
        ("<usr><a>&lt;&gt;&amp;&apos;&quot;</a></usr>", [("a", "string", "<>&'\"")]),
        ("<usr><a>&#65;&#x42;&#13;</a></usr>", [("a", "string", "AB\r")]),
        ("<usr><a>1\r\n2\r3</a></usr>", [("a", "string", "1\n2\n3")]),
        ('<usr><a unknown="1" dt = "i2" >5</a ></usr >', [("a", "i2", "5")]),
        ("<usr/>", []),
        ("<usr></usr>", []),
    ],
)
def test_folder_when_sound_then_its_leaves_are_read(folder: str, expected: list[Any]) -> None:
    assert read_folder(folder) == expected


@pytest.mark.parametrize(
    "folder",
    [
        "",
        "text",
        "<<jms><a>1</a></jms>",
        "<usr>",
        "<usr><a></usr></a>",
        "<usr><a>1</a>",
        "</usr>",
        "<usr>1</usr>",
        "<usr><a>1<b/></a></usr>",
        "<usr><a><b/>1</a></usr>",
        "<usr/><usr/>",
        "<usr/>x",
        "<usr><a dt=i4>1</a></usr>",
        "<usr><a dt='i4>1</a></usr>",
        "<usr><a>&nbsp;</a></usr>",
        "<usr><a>&</a></usr>",
        "<usr><a>&#0;</a></usr>",
        "<usr><a>&#xD800;</a></usr>",
        "<usr><a>&#99999999;</a></usr>",
        "<usr><a>\x00</a></usr>",
        "<usr><!-- no --><a>1</a></usr>",
        "<usr><?no?><a>1</a></usr>",
        "<!DOCTYPE usr [<!ENTITY a 'aaaa'>]><usr><a>&a;</a></usr>",
        "<usr><![CDATA[x]]></usr>",
    ],
)
def test_folder_when_not_sound_then_it_has_no_properties(folder: str) -> None:
    assert read_folder(folder) is None


@pytest.mark.parametrize(
    "name",
    [
        *("mcd", "jms", "usr", "mqext", "mq", "mq_usr", "mqps"),
        *("mqpse", "mqema", "sib", "sib_usr", "sib_context"),
    ],
)
def test_folder_when_mq_gives_it_to_properties_then_it_holds_them(name: str) -> None:
    assert is_property_folder(f"<{name}><a>1</a></{name}>")


def test_folder_when_the_applications_own_then_it_must_say_that_it_holds_properties() -> None:
    assert not is_property_folder("<order><a>1</a></order>")
    assert is_property_folder("<order content='properties'><a>1</a></order>")
    assert is_property_folder('<$o content = "properties"><a>1</a></$o>')
    assert not is_property_folder("<<jms><a>1</a></jms>")


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("Dlv", mq.MQTYPE_INT32),
        ("Exp", mq.MQTYPE_INT64),
        ("Pri", mq.MQTYPE_INT32),
        ("Tms", mq.MQTYPE_INT64),
        ("Seq", mq.MQTYPE_INT32),
        ("Cid", mq.MQTYPE_STRING),
        ("Dst", mq.MQTYPE_STRING),
    ],
)
def test_element_of_jms_when_without_a_type_then_it_has_that_of_jms(name: str, type: int) -> None:
    found = read_folder(f"<jms><{name}>4</{name}></jms>")
    assert found is not None
    assert property_of(found[0]).type == type


# ---- the property descriptor


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("<usr><a>1</a></usr>", (1, 0, 22)),
        ("<usr><a context='user'>1</a></usr>", (1, 1, 22)),
        ("<usr><a context='none'>1</a></usr>", (1, 0, 22)),
        ("<usr><a context='unheard'>1</a></usr>", (1, 0, 22)),
        ("<usr><a copy='reply'>1</a></usr>", (1, 0, 8)),
        ('<usr><a copy="publish, report">1</a></usr>', (1, 0, 20)),
        ("<usr><a copy='all,reply'>1</a></usr>", (1, 0, 1)),
        ("<usr><a copy='none'>1</a></usr>", (1, 0, 0)),
        ("<usr><a copy='default'>1</a></usr>", (1, 0, 22)),
        ("<usr><a copy='unheard'>1</a></usr>", (1, 0, 22)),
        ("<usr><a sr='required'>1</a></usr>", (1, 0, 22)),
        ("<mq><a sr='required'>1</a></mq>", (mq.MQPD_SUPPORT_REQUIRED, 0, 22)),
        ("<mq><a sx='local'>1</a></mq>", (mq.MQPD_SUPPORT_REQUIRED_IF_LOCAL, 0, 22)),
        ("<mq><a sa='optional'>1</a></mq>", (1, 0, 22)),
        ("<mq><a sr='later' sx='local'>1</a></mq>", (mq.MQPD_SUPPORT_REQUIRED, 0, 22)),
    ],
)
def test_descriptor_when_in_attributes_then_it_is_read(
    folder: str, expected: tuple[int, int, int]
) -> None:
    data = folder.encode().ljust((len(folder) + 3) // 4 * 4)
    apart = take_apart(framed(data), mq.MQENC_NATIVE, 1208)
    assert apart is not None
    found = apart.typed_properties()[0]
    assert (found.support, found.context, found.copy_options) == expected


def framed(folder: bytes) -> bytes:
    empty = mqrfh2_of([], "MQSTR", mq.MQENC_NATIVE, 1208)
    whole = len(empty) + 4 + len(folder)
    length = len(folder).to_bytes(4, "little")
    return empty[:8] + whole.to_bytes(4, "little") + empty[12:] + length + folder


def test_descriptor_when_all_are_defaults_then_no_attribute_is_written() -> None:
    assert folders_of([Property("a", mq.MQTYPE_STRING, "1")]) == ["<usr><a>1</a></usr>"]
    assert folders_of([Property("x.g.a", mq.MQTYPE_INT32, 1)]) == [
        '<x content="properties"><g><a dt="i4">1</a></g></x>'
    ]


def test_type_when_not_known_then_the_first_8_bytes_of_it_are_reported() -> None:
    assert unknown_dt(("a", "dateTime.tz", "x")) == "dateTime"
    assert unknown_dt(("a", "ünbekannt", "x")) == "ünbekan"
    assert unknown_dt(("a", "i4", "x")) == ""


def test_descriptor_of_message_when_headers_are_two_then_properties_of_both_are_described() -> None:
    first = mqrfh2_of([Property("a", mq.MQTYPE_STRING, "1")], "MQHRF2", mq.MQENC_NATIVE, 1208)
    second = mqrfh2_of([Property("b", mq.MQTYPE_NULL, None, 1, 1, 8)], "", mq.MQENC_NATIVE, 1208)
    apart = take_apart(first + second + b"x", mq.MQENC_NATIVE, 1208)
    assert apart is not None
    assert shape(apart.typed_properties()) == [
        ("a", mq.MQTYPE_STRING, "'1'", 1, 0, 22),
        ("b", mq.MQTYPE_NULL, "None", 1, 1, 8),
    ]
