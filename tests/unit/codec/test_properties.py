"""Goal: no content of an MQRFH2 makes a reader of properties fail or loses a byte of the message.

Method: hypothesis over any bytes as header, as folders and as values; each rule of the module once.
"""

from __future__ import annotations

import struct
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ternmq.base import constants as mq
from ternmq.codec.headers.mqrfh import RulesHeader2
from ternmq.codec.mqi.mqmd import ENCODING_AT, FORMAT_AT, Descriptor
from ternmq.codec.properties import (
    take_apart,
)
from ternmq.codec.property_folders import PARTS_MAX, read_folder
from ternmq.codec.property_types import is_of_type

pytestmark = pytest.mark.core

LITTLE = mq.MQENC_INTEGER_REVERSED
SOUND = b"<usr><a>1</a></usr>  "[:20]
UNSOUND = (
    b"<usr><a>x</b></usr> ",
    b"<usr><a>\x01</a></usr>",
    b"<usr><a>\xff</a></usr>",
    b"<usr>text<a>1</a></usr>",
    b"<usr><a>1</a>text</usr>",
    b"<usr><a>1</a></usr><usr/>",
    b"<usr><![CDATA[x]]></usr>",
    b"<usr>",
)


def header(
    *folders: bytes,
    length: int | None = None,
    ccsid: int = 1208,
    struc_id: bytes = b"RFH ",
    format: bytes = b"MQSTR   ",
) -> bytes:
    body = b""
    for folder in folders:
        padded = folder + b" " * (-len(folder) % 4)
        body += struct.pack("<i", len(padded)) + padded
    whole = 36 + len(body) if length is None else length
    head = struct.pack("<4siiii8sii", struc_id, 2, whole, LITTLE, 819, format, 0, ccsid)
    return head + body


def base_of(format: str = "MQHRF2", ccsid: int = 1208) -> bytes:
    return Descriptor(format=format, encoding=LITTLE, ccsid=ccsid, version=2).pack()


def without_properties(data: bytes, base: bytes) -> tuple[bytes, bytes]:
    """Body and descriptor of a put."""
    encoding, ccsid = struct.unpack_from("<ii", base, ENCODING_AT)
    apart = take_apart(data, encoding, ccsid)
    if apart is None:
        return data, base
    fields = struct.pack("<ii", apart.encoding, apart.ccsid) + apart.format
    return apart.data, base[:ENCODING_AT] + fields + base[FORMAT_AT + 8 :]


CONTENT = st.one_of(
    st.binary(max_size=120),
    st.builds(lambda body: header() + body, st.binary(max_size=80)),
    st.builds(
        header,
        st.one_of(st.binary(max_size=60), st.sampled_from([SOUND, *UNSOUND])),
        st.sampled_from([SOUND, *UNSOUND, b"<mine/>"]),
        length=st.one_of(st.none(), st.integers(-(1 << 31), (1 << 31) - 1)),
        ccsid=st.one_of(st.sampled_from([1208, 1200, 13488]), st.integers(-9, 99999)),
        format=st.sampled_from([b"MQSTR   ", b"MQHRF2  ", b"\xe9\xe9\xe9\xe9    "]),
    ),
)


@settings(max_examples=400)
@given(CONTENT, st.integers(-(1 << 31), (1 << 31) - 1), st.integers(-5, 99999))
def test_content_when_anything_then_it_is_distinguished_without_an_error(
    data: bytes, encoding: int, ccsid: int
) -> None:
    apart = take_apart(data + b"payload", encoding, ccsid)
    if apart is not None:
        assert apart.data.endswith(b"payload")
        assert len(apart.format) == 8
    base = Descriptor(format="MQHRF2", encoding=encoding, ccsid=max(ccsid, 1), version=2).pack()
    _, reported = without_properties(data + b"payload", base)
    assert len(reported) == len(base)


@settings(max_examples=400)
@given(st.text(), st.sampled_from(["i1", "i2", "i4", "i8", "r4", "r8", "boolean", "bin.hex", "x"]))
def test_value_when_it_is_of_its_type_then_python_reads_it(text: str, kind: str) -> None:
    if is_of_type(kind, text):
        if kind in ("i1", "i2", "i4", "i8"):
            assert abs(int(text)) <= 1 << 63
        elif kind in ("r4", "r8"):
            float(text)
        elif kind == "bin.hex":
            bytes.fromhex(text)


@pytest.mark.parametrize("folder", UNSOUND)
def test_folder_when_not_sound_then_it_stays_and_others_are_read(folder: bytes) -> None:
    data = header(folder, b"<jms><Dst>q</Dst></jms>") + b"payload"
    apart = take_apart(data, LITTLE, 1208)
    assert apart is not None
    assert apart.properties == [("jms.Dst", "string", "q")]
    assert apart.data == header(folder) + b"payload"
    assert take_apart(header(folder) + b"payload", LITTLE, 1208) is None


@pytest.mark.parametrize(
    "data",
    [
        header(SOUND, ccsid=99999),
        header(SOUND, ccsid=819),
        header(SOUND, length=35),
        header(SOUND, length=0),
        header(SOUND, length=-1),
        header(SOUND, length=1 << 20),
        header(SOUND, length=58),
        header(SOUND, struc_id=b"XXXX"),
        header(SOUND)[:30],
        header() + struct.pack("<i", 8),
    ],
)
def test_header_when_not_sound_then_all_of_it_is_data(data: bytes) -> None:
    if len(data) >= 36 and data[36:40] == struct.pack("<i", 8):
        data = data[:8] + struct.pack("<i", 40) + data[12:]
    assert take_apart(data, LITTLE, 1208) is None
    assert without_properties(data, base_of()) == (data, base_of())


def test_headers_when_one_follows_the_other_then_both_are_read() -> None:
    second = header(b"<usr><b dt='i4'>2</b></usr>")
    data = header(SOUND, format=b"MQHRF2  ") + second + b"payload"
    apart = take_apart(data, LITTLE, 1208)
    assert apart is not None
    assert apart.properties == [("a", "string", "1"), ("b", "i4", "2")]
    assert (apart.data, apart.format, apart.ccsid) == (b"payload", b"MQSTR   ", 819)


def test_descriptor_when_properties_are_taken_away_then_it_reports_the_rest() -> None:
    data, base = without_properties(header(SOUND) + b"payload", base_of())
    reported = Descriptor.unpack(base)
    assert (data, reported.format, reported.ccsid) == (b"payload", "MQSTR", 819)


def test_format_when_not_of_eight_bytes_in_utf8_then_the_descriptor_keeps_its_length() -> None:
    data = header(SOUND, format=b"\xe9\xe9\xe9\xe9    ") + b"payload"
    _, base = without_properties(data, base_of(ccsid=819))
    assert len(base) == len(base_of())


@pytest.mark.parametrize("folder", ["<a>" * 200_000, "<usr>" + "<a>" * 700 + "<b/>" * 200_000])
def test_folder_when_deep_then_it_is_refused_soon(folder: str) -> None:
    begun = time.process_time()
    assert read_folder(folder) is None
    assert time.process_time() - begun < 5


def test_header_when_it_is_very_long_then_all_of_it_is_read() -> None:
    long = header(b"<usr><a>" + b"x" * 100_000 + b"</a></usr>") + b"payload"
    assert without_properties(long, base_of())[0] == b"payload"
    chain = header(SOUND, format=b"MQHRF2  ")
    assert without_properties(chain + long, base_of())[0] == b"payload"


def test_header_when_in_ebcdic_then_it_is_read() -> None:
    made = RulesHeader2(folders=["<usr><a>1</a></usr>"], format="MQSTR", ccsid=500, encoding=785)
    apart = take_apart(made.pack(">", 500) + b"\xf1", mq.MQENC_S390, 500)
    assert apart is not None
    assert (apart.data, apart.format, apart.ccsid) == (b"\xf1", b"MQSTR   ", 500)


MANY = (
    header(b"<usr>" + b"<a/>" * PARTS_MAX + b"</usr>"),
    header(*[b"<usr/>"] * PARTS_MAX),
    header(*[b"<usr>" + b"<a/>" * (PARTS_MAX // 2) + b"</usr>"] * 4),
)


@pytest.mark.parametrize("head", MANY)
def test_header_when_it_has_very_many_parts_then_what_is_too_much_stays(head: bytes) -> None:
    """Such a header took seconds, in which nobody else was served."""
    data, base = without_properties(head + b"x", base_of())
    assert base == base_of()
    assert data.endswith(b"x")
    assert len(data) > len(head) // 4


def test_headers_when_they_are_very_many_then_the_rest_stays() -> None:
    head = header(format=b"MQHRF2  ")
    data, base = without_properties(head * 2 * PARTS_MAX, base_of())
    assert len(data) == len(head) * PARTS_MAX
    assert base[32:40] == b"MQHRF2  "


def test_folder_when_it_has_thousands_of_properties_then_they_are_read() -> None:
    folder = b"<usr>" + b"".join(b"<p%d>1</p%d>" % (n, n) for n in range(8000)) + b"</usr>"
    apart = take_apart(header(folder) + b"x", LITTLE, 1208)
    assert apart is not None
    assert (len(apart.properties), apart.data) == (8000, b"x")
