"""Goal: every built-in format is converted, both ways, to bytes that are known beforehand.

Method: each structure is written twice by hand, field by field, with Python's own codecs and byte
orders, never with the tables of the source; the conversion must turn one into the other. Then
chains of headers, and chains that cannot be converted to their end.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from ternmq.base import constants as mq
from ternmq.base.reasons import (
    MQRC_CONVERTED_STRING_TOO_BIG,
    MQRC_FORMAT_ERROR,
    MQRC_NOT_CONVERTED,
    MQRC_SOURCE_CCSID_ERROR,
    MQRC_SOURCE_INTEGER_ENC_ERROR,
    MQRC_TARGET_CCSID_ERROR,
    MQRC_TARGET_INTEGER_ENC_ERROR,
)
from ternmq.codec.conversion import Converted, convert
from ternmq.codec.mqi.mqmd import Descriptor

pytestmark = pytest.mark.core

BIG, LITTLE = 273, 546
PYTHON = {37: "cp037", 500: "cp500", 819: "latin-1", 1208: "utf-8", 1252: "cp1252"}


class Side:
    """Writes fields in one encoding and character set."""

    def __init__(self, encoding: int, ccsid: int) -> None:
        self.encoding = encoding
        self.ccsid = ccsid
        self.order = ">" if encoding == BIG else "<"

    def i(self, *numbers: int) -> bytes:
        return struct.pack(f"{self.order}{len(numbers)}i", *numbers)

    def q(self, *numbers: int) -> bytes:
        return struct.pack(f"{self.order}{len(numbers)}q", *numbers)

    def c(self, text: str, size: int = 0) -> bytes:
        name = PYTHON[self.ccsid]
        data = text.encode(name)
        return data + " ".encode(name) * (size - len(data))

    def next(self, format: str, after: Side | None = None) -> bytes:
        """Encoding, CCSID and Format of what follows."""
        side = after or self
        return self.i(side.encoding, side.ccsid) + self.c(format, 8)


HOST = Side(BIG, 500)
HERE = Side(LITTLE, 1208)
ID = bytes(range(24))


def dlh(s: Side, format: str, after: Side | None = None) -> bytes:
    head = s.c("DLH ") + s.i(1, 2053) + s.c("Q.ONE", 48) + s.c("QM1", 48)
    tail = s.i(28) + s.c("amqsput", 28) + s.c("20260131") + s.c("12345678")
    return head + s.next(format, after) + tail


def mde(s: Side, format: str, after: Side | None = None) -> bytes:
    return s.c("MDE ") + s.i(2, 72) + s.next(format, after) + s.i(0) + ID + s.i(3, 4, 5, -1)


def md1(s: Side, format: str, after: Side | None = None) -> bytes:
    one = s.c("MD  ") + s.i(1, 0, 8, -1, 0) + s.next(format, after) + s.i(4, 1) + ID + ID[::-1]
    two = s.i(7) + s.c("REPLY.Q", 48) + s.c("QM2", 48) + s.c("user", 12) + bytes(32)
    return (
        one
        + two
        + s.c("identity", 32)
        + s.i(6)
        + s.c("program", 28)
        + s.c("20260131")
        + s.c("12345678")
        + s.c("orig")
    )


def xqh(s: Side, format: str, after: Side | None = None) -> bytes:
    head = s.c("XQH ") + s.i(1) + s.c("FAR.Q", 48) + s.c("FAR.QM", 48)
    return head + md1(s, format, after)


def rfh1(s: Side, format: str, after: Side | None = None) -> bytes:
    pairs = s.c("Key Value Other 'It''s' ", 28)
    return s.c("RFH ") + s.i(1, 32 + len(pairs)) + s.next(format, after) + s.i(0) + pairs


def rfh2(s: Side, format: str, after: Side | None = None) -> bytes:
    folders = b""
    for text in (b"<usr><a>1</a></usr>  ", b"<x>\xc3\xa4</x>    "):
        text = text[: len(text) // 4 * 4]
        folders += s.i(len(text)) + text
    head = s.c("RFH ") + s.i(2, 36 + len(folders)) + s.next(format, after)
    return head + s.i(0, 1208) + folders


def rmh(s: Side, format: str, after: Side | None = None) -> bytes:
    names = [s.c("srcenv"), s.c("/a/file"), s.c(""), s.c("/b/file..")]
    places: list[int] = []
    at = 108
    for name in names:
        places += [len(name), at if name else 0]
        at += len(name)
    head = s.c("RMH ") + s.i(1, 132) + s.next(format, after) + s.i(1) + s.c("FLATFILE", 8) + ID
    return head + s.i(*places, 100, 0, 0) + b"".join(names) + s.c("  ")


def dh(s: Side, format: str, after: Side | None = None) -> bytes:
    fields = mq.MQPMRF_MSG_ID | mq.MQPMRF_FEEDBACK
    names = b"".join(s.c(name, 48) for name in ("Q1", "QM1", "Q2", "QM2"))
    records = ID + s.i(256) + ID[::-1] + s.i(-2)
    length = 48 + len(names) + len(records)
    head = s.c("DH  ") + s.i(1, length) + s.next(format, after) + s.i(1)
    return head + s.i(fields, 2, 48, 48 + len(names)) + names + records


def wih(s: Side, format: str, after: Side | None = None) -> bytes:
    head = s.c("WIH ") + s.i(1, 120) + s.next(format, after) + s.i(0)
    return head + s.c("SERVICE", 32) + s.c("STEP", 8) + ID[:16] + s.c("", 32)


def cih(s: Side, format: str, after: Side | None = None) -> bytes:
    head = s.c("CIH ") + s.i(2, 180) + s.i(0, 0) + s.c(format, 8)
    numbers = s.i(0, 1, 2, 3, 273, -2, 1, -1, 0, 0, 0, 0)
    texts = [("PROG", 4), ("CODE", 4), ("secret", 8), ("", 8), ("MQSTR", 8), ("SYS", 4)]
    texts += [("TRAN", 4)] * 7 + [("", 8), ("", 8)]
    return head + numbers + ID[:8] + b"".join(s.c(*one) for one in texts) + s.i(1, 2, 3, 0)


def iih(s: Side, format: str, after: Side | None = None) -> bytes:
    head = s.c("IIH ") + s.i(1, 84) + s.i(0, 0) + s.c(format, 8) + s.i(0)
    texts = s.c("LTERM", 8) + s.c("MAP", 8) + s.c("MQIMSVS", 8) + s.c("pass", 8)
    return head + texts + ID[:16] + s.c(" ") + s.c("0") + s.c("C") + s.c(" ")


def tm(s: Side) -> bytes:
    head = s.c("TM  ") + s.i(1) + s.c("Q", 48) + s.c("P", 48) + s.c("data", 64) + s.i(6)
    return head + s.c("/bin/program", 256) + s.c("env", 128) + s.c("user data", 128)


def pcf(s: Side) -> bytes:
    def own(ccsid: int) -> int:
        return ccsid if s is HERE else 500

    made = s.i(1, 36, 3, 44, 1, 1, 0, 0, 9)
    made += s.i(3, 16, 1229, -7)
    made += s.i(23, 24, 700, 0) + s.q(-(2**40))
    made += s.i(5, 24, 701, 2, 1, -1)
    made += s.i(25, 32, 702, 2) + s.q(1, -1)
    made += s.i(4, 28, 2016, 0, 5) + s.c("QUEUE") + bytes(3)
    made += s.i(6, 36, 3015, own(1208), 3, 4) + s.c("A   BC  DEFG")
    made += s.i(9, 24, 7000, 7) + bytes(range(7)) + b"\0"
    made += s.i(20, 16, 8001, 3)
    made += s.i(13, 20, 704, 2, 9)
    made += s.i(14, 28, 705, 18, own(1208), 2) + s.c("Q*") + bytes(2)
    return made + s.i(15, 24, 706, 1, 4) + b"\1\2\3\4"


def imsvs(s: Side) -> bytes:
    def segment(text: str) -> bytes:
        return struct.pack(s.order + "H", 4 + len(text)) + b"\x03\x00" + s.c(text)

    return segment("PROGRAM ONE") + segment("two")


HEADERS = {
    mq.MQFMT_DEAD_LETTER_HEADER: dlh,
    mq.MQFMT_MD_EXTENSION: mde,
    mq.MQFMT_XMIT_Q_HEADER: xqh,
    mq.MQFMT_RF_HEADER_1: rfh1,
    mq.MQFMT_RF_HEADER_2: rfh2,
    mq.MQFMT_REF_MSG_HEADER: rmh,
    mq.MQFMT_DIST_HEADER: dh,
    mq.MQFMT_WORK_INFO_HEADER: wih,
    mq.MQFMT_CICS: cih,
    mq.MQFMT_IMS: iih,
}
WHOLE: dict[str, Callable[[Side], bytes]] = {
    mq.MQFMT_TRIGGER: tm,
    mq.MQFMT_PCF: pcf,
    mq.MQFMT_ADMIN: pcf,
    mq.MQFMT_EVENT: pcf,
    mq.MQFMT_IMS_VAR_STRING: imsvs,
    mq.MQFMT_STRING: lambda s: s.c("Some text."),
    mq.MQFMT_COMMAND_1: lambda s: s.c("COUNT=1"),
    mq.MQFMT_COMMAND_2: lambda s: s.c("QUEUE(A)"),
}


def described(format: str, side: Side) -> bytes:
    return Descriptor(format=format, encoding=side.encoding, ccsid=side.ccsid).pack()


def converted(data: bytes, format: str, source: Side, target: Side) -> Converted:
    made = convert(data, described(format, source), target.ccsid, target.encoding)
    return made


@pytest.mark.parametrize(("source", "target"), [(HOST, HERE), (HERE, HOST)])
@pytest.mark.parametrize("format", WHOLE)
def test_data_when_of_a_built_in_format_then_it_is_in_the_other_form(
    format: str, source: Side, target: Side
) -> None:
    data, wanted = WHOLE[format](source), WHOLE[format](target)
    if source is HERE and WHOLE[format] is pcf:
        wanted = wanted.replace(HOST.i(1208), HOST.i(500))
    made = converted(data, format, source, target)
    assert made.data.hex() == wanted.hex()
    assert (made.base, made.warning) == (described(format, target), 0)


@pytest.mark.parametrize(("source", "target"), [(HOST, HERE), (HERE, HOST)])
@pytest.mark.parametrize("format", HEADERS)
def test_header_when_text_follows_then_both_are_in_the_other_form(
    format: str, source: Side, target: Side
) -> None:
    made = converted(
        HEADERS[format](source, "MQSTR") + source.c("The text."), format, source, target
    )
    assert made.data.hex() == (HEADERS[format](target, "MQSTR") + target.c("The text.")).hex()
    assert (made.base, made.warning) == (described(format, target), 0)


@pytest.mark.parametrize("format", HEADERS)
def test_header_when_nothing_follows_then_it_is_converted(format: str) -> None:
    made = converted(HEADERS[format](HOST, "", HERE), format, HOST, HERE)
    assert made.data == HEADERS[format](HERE, "", HERE)
    assert (made.base, made.warning) == (described(format, HERE), 0)


def test_chain_when_each_header_describes_the_next_then_all_are_converted() -> None:
    """A dead letter that was on its way: MQDLH, MQXQH, MQMDE, MQRFH2, text; each in its own set."""
    other = Side(BIG, 37)

    def chain(one: Side, two: Side, three: Side) -> bytes:
        return (
            dlh(one, "MQXMIT", two)
            + xqh(two, "MQHMDE", three)
            + mde(three, "MQHRF2", one)
            + rfh2(one, "MQSTR", two)
            + two.c("end")
        )

    made = converted(chain(HOST, other, HERE), "MQDEAD", HOST, HERE)
    assert made.data == chain(HERE, HERE, HERE)
    assert (made.base, made.warning) == (described("MQDEAD", HERE), 0)


def test_chain_when_the_descriptor_is_right_then_what_differs_behind_is_converted() -> None:
    made = converted(rfh2(HERE, "MQSTR", HOST) + HOST.c("text"), "MQHRF2", HERE, HERE)
    assert made.data == rfh2(HERE, "MQSTR") + b"text"
    assert made.warning == 0


@pytest.mark.parametrize("format", [one for one in HEADERS if one not in ("MQCICS", "MQIMS")])
def test_chain_when_the_body_cannot_be_converted_then_headers_are_and_describe_it(
    format: str,
) -> None:
    body = b"\x01\x02\x03"
    made = converted(HEADERS[format](HOST, "MYFMT") + body, format, HOST, HERE)
    assert made.data == HEADERS[format](HERE, "MYFMT", HOST) + body
    assert (made.base, made.warning) == (described(format, HERE), MQRC_FORMAT_ERROR)


@pytest.mark.parametrize("format", ["MQCICS", "MQIMS"])
def test_chain_when_data_is_in_the_headers_own_set_then_they_are_converted_together(
    format: str,
) -> None:
    data = HEADERS[format](HOST, "MYFMT") + b"\x01\x02"
    made = converted(data, format, HOST, HERE)
    assert (made.data, made.base) == (data, described(format, HOST))
    assert made.warning == MQRC_FORMAT_ERROR
    before = dlh(HOST, format)
    made = converted(before + data, "MQDEAD", HOST, HERE)
    assert made.data == dlh(HERE, format, HOST) + data


def test_header_when_its_ccsid_is_inherited_then_it_says_the_real_one() -> None:
    for inherited in (mq.MQCCSI_INHERIT, mq.MQCCSI_UNDEFINED):
        after = Side(BIG, inherited)
        made = converted(rfh2(HOST, "MQSTR", after) + HOST.c("text"), "MQHRF2", HOST, HERE)
        assert made.data == rfh2(HERE, "MQSTR") + b"text"
        made = converted(rfh2(HOST, "MYFMT", after) + HOST.c("text"), "MQHRF2", HOST, HERE)
        assert made.data == rfh2(HERE, "MYFMT", HOST) + HOST.c("text")


def test_folders_when_in_utf16_then_their_characters_have_the_headers_order() -> None:
    def header(s: Side) -> bytes:
        text = "<usr><ä>1</ä></usr> ".encode("utf-16-be" if s.encoding == BIG else "utf-16-le")
        head = s.c("RFH ") + s.i(2, 40 + len(text)) + s.next("", s) + s.i(0, 1200)
        return head + s.i(len(text)) + text

    assert converted(header(HOST), "MQHRF2", HOST, HERE).data[36:] == header(HERE)[36:]


def test_strings_when_they_grow_then_lengths_and_offsets_follow() -> None:
    latin = Side(LITTLE, 819)

    def header(s: Side, format: str) -> bytes:
        pairs = s.c("Größe Übung")
        pairs += s.c("", -len(pairs) % 4)
        return s.c("RFH ") + s.i(1, 32 + len(pairs)) + s.next(format) + s.i(0) + pairs

    made = converted(header(latin, "MQSTR") + latin.c("ä"), "MQHRF", latin, HERE)
    assert made.data == header(HERE, "MQSTR") + "ä".encode()
    other = Side(BIG, 819)
    reference = rmh(other, "MQSTR").replace(b"/a/file", b"/a/f\xe4le")
    made = converted(reference + b"\xe4", "MQHREF", other, HERE)
    assert struct.unpack_from("<8i", made.data, 64) == (6, 108, 8, 114, 0, 0, 9, 122)
    assert made.data[108:] == "srcenv/a/fäle/b/file.. ä".encode()
    assert struct.unpack_from("<i", made.data, 8) == (132,)


def test_field_when_it_grows_then_blanks_make_room_or_2190() -> None:
    latin = Side(LITTLE, 819)

    def letter(s: Side, name: str) -> bytes:
        return dlh(s, "MQSTR").replace(s.c("QM1", 48), s.c(name, 48))

    made = converted(letter(latin, "ÄÖÜ") + latin.c("ä"), "MQDEAD", latin, HERE)
    assert made.data == letter(HERE, "ÄÖÜ") + "ä".encode()
    data = letter(latin, "Ä" * 25) + latin.c("ä")
    made = converted(data, "MQDEAD", latin, HERE)
    assert (made.data, made.warning) == (data, MQRC_CONVERTED_STRING_TOO_BIG)
    assert made.base == described("MQDEAD", latin)


def test_ims_string_when_it_grows_beyond_its_length_then_2190() -> None:
    latin = Side(BIG, 819)
    data = struct.pack(">HH", 20004, 0) + b"\xe4" * 20000
    made = converted(data, "MQIMSVS", latin, HERE)
    assert (made.data, made.warning) == (data, MQRC_CONVERTED_STRING_TOO_BIG)


@pytest.mark.parametrize("format", HEADERS)
def test_header_when_it_is_cut_anywhere_then_it_comes_as_it_is(format: str) -> None:
    whole = HEADERS[format](HOST, "")
    for end in (1, 4, 8, 20, len(whole) - 1):
        made = converted(whole[:end], format, HOST, HERE)
        assert (made.data, made.warning) == (whole[:end], MQRC_FORMAT_ERROR)
        assert made.base == described(format, HOST)


def test_sets_when_not_known_or_wide_then_headers_stay() -> None:
    data = dlh(HOST, "MQSTR") + HOST.c("a")
    for source, target, reason in (
        (Side(BIG, 9999), HERE, MQRC_SOURCE_CCSID_ERROR),
        (Side(BIG, 1200), HERE, MQRC_SOURCE_CCSID_ERROR),
        (HOST, Side(LITTLE, 9999), MQRC_TARGET_CCSID_ERROR),
        (HOST, Side(LITTLE, 1200), MQRC_TARGET_CCSID_ERROR),
        (HOST, Side(LITTLE, -1), MQRC_TARGET_CCSID_ERROR),
        (Side(0, 500), HERE, MQRC_SOURCE_INTEGER_ENC_ERROR),
        (HOST, Side(3, 1208), MQRC_TARGET_INTEGER_ENC_ERROR),
    ):
        made = converted(data, "MQDEAD", source, target)
        assert (made.data, made.warning) == (data, reason)
        assert made.base == described("MQDEAD", source)


def test_text_when_an_encoding_does_not_matter_then_it_is_not_looked_at() -> None:
    made = converted(HOST.c("abc"), "MQSTR", Side(0, 500), HERE)
    assert (made.data, made.warning, made.base) == (b"abc", 0, described("MQSTR", HERE))
    wide = Side(0, 1200)
    made = converted(b"\0a", "MQSTR", wide, HERE)
    assert (made.data, made.warning) == (b"\0a", MQRC_SOURCE_INTEGER_ENC_ERROR)


def test_data_when_it_is_as_asked_then_it_is_the_same_object() -> None:
    chain = dlh(HERE, "MQHRF2") + rfh2(HERE, "MQSTR") + b"text"
    for data, format in ((b"text", "MQSTR"), (b"\1", "MYFMT"), (b"\1", ""), (chain, "MQDEAD")):
        made = converted(data, format, HERE, HERE)
        assert made.data is data
        assert (made.base, made.warning) == (described(format, HERE), 0)
    text = b"text"
    made = converted(text, "MQSTR", Side(BIG, 1208), HERE)
    assert made.data is text
    assert made.base == described("MQSTR", HERE)


def test_pcf_when_the_descriptor_says_embedded_then_each_string_must_say_its_set() -> None:
    def message(s: Side, own: int) -> bytes:
        head = s.i(1, 36, 1, 44, 1, 1, 0, 0, 1)
        return head + s.i(4, 24, 2016, own, 4) + s.c("NAME")

    embedded = Side(BIG, mq.MQCCSI_EMBEDDED)
    made = converted(message(HOST, 500), "MQPCF", embedded, HERE)
    assert (made.data, made.warning) == (message(HERE, 1208), 0)
    made = converted(message(HOST, 0), "MQPCF", embedded, HERE)
    assert made.warning == MQRC_SOURCE_CCSID_ERROR


def test_pcf_when_strings_of_a_list_grow_differently_then_blanks_fill_them() -> None:
    latin = Side(BIG, 819)
    data = latin.i(1, 36, 1, 44, 1, 1, 0, 0, 1) + latin.i(6, 28, 3015, 0, 2, 2) + latin.c("abäö")
    made = converted(data, "MQPCF", latin, HERE)
    wanted = HERE.i(1, 36, 1, 44, 1, 1, 0, 0, 1) + HERE.i(6, 32, 3015, 0, 2, 4)
    assert made.data == wanted + "ab  äö".encode()


def test_new_lines_when_from_ebcdic_then_they_end_lines() -> None:
    assert converted(b"\xc1\x15\xc2\x25", "MQSTR", HOST, HERE).data == b"A\nB\n"
    assert converted(b"A\nB", "MQSTR", HERE, HOST).data == b"\xc1\x25\xc2"
    assert converted(b"\xc1\x15", "MQSTR", HOST, Side(BIG, 37)).data == b"\xc1\x15"
    assert converted(b"\xc1\x15", "MQSTR", HOST, Side(BIG, 819)).data == b"A\n"


def test_malformed_text_behind_a_header_then_the_header_is_converted() -> None:
    made = converted(dlh(HOST, "MQSTR", HERE) + b"\xff", "MQDEAD", HOST, Side(LITTLE, 819))
    assert made.data == dlh(Side(LITTLE, 819), "MQSTR", HERE) + b"\xff"
    assert made.warning == MQRC_NOT_CONVERTED
