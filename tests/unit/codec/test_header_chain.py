"""Goal: the headers in front of application data are found, however many there are, and nothing
that only looks like one."""

from __future__ import annotations

import struct

import pytest

from ternmq.base import constants as mq
from ternmq.codec.charset import encode
from ternmq.codec.headers.chain import headers_of
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor

pytestmark = pytest.mark.core
BIG = mq.MQENC_INTEGER_NORMAL


def header(
    format: str,
    size: int = 60,
    order: str = "<",
    ccsid: int = 1208,
    named: int = 0,
    struc_id: str = "RMH ",
) -> bytes:
    """One of the common shape, before data of that format."""
    text = encode(struc_id, ccsid)
    fields = struct.pack(f"{order}4siiii", text, 1, size, mq.MQENC_NATIVE, named)
    return (fields + encode(format.ljust(8), ccsid)).ljust(size, b"\0")


def length(format: str, data: bytes, **fields: int) -> int:
    """Of all headers together."""
    found = headers_of(data, Descriptor(format=format, **fields).pack())  # type: ignore[arg-type]
    return found[-1].end if found else 0


def test_data_when_it_begins_with_no_header_then_all_of_it_is_application_data() -> None:
    assert length("MQSTR", b"text" * 100) == 0
    assert length("", header("MQSTR")) == 0


@pytest.mark.parametrize(
    ("format", "struc_id"),
    [("MQHREF", "RMH "), ("MQHDIST", "DH  "), ("MQHMDE", "MDE "), ("MQIMS", "IIH ")],
)
def test_header_of_the_common_shape_then_its_own_length_counts(format: str, struc_id: str) -> None:
    assert length(format, header("MQSTR", 72, struc_id=struc_id) + b"data") == 72
    assert length(format, header("MQSTR", 72, struc_id="ELSE") + b"data") == 0


def test_headers_when_several_follow_one_another_then_all_count() -> None:
    inner = header("MQHREF", 64) + header("MQSTR", 80) + b"data"
    dead = DeadLetterHeader(encoding=mq.MQENC_NATIVE, ccsid=1208, format="MQHREF").pack() + inner
    assert length("MQDEAD", dead) == mq.MQDLH_LENGTH_1 + 144
    sent = TransmissionHeader(descriptor=Descriptor(version=1, format="MQDEAD")).pack() + dead
    assert length("MQXMIT", sent) == mq.MQXQH_LENGTH_1 + mq.MQDLH_LENGTH_1 + 144


def test_header_when_of_other_bytes_and_characters_then_it_is_read_so() -> None:
    data = header("MQHREF", 64, ">", 37, 1208) + header("MQSTR", 48) + b"data"
    assert length("MQHREF", data, encoding=BIG, ccsid=37) == 112


@pytest.mark.parametrize("size", [-1, 0, 27, 10_000])
def test_header_when_its_length_is_wrong_then_it_is_application_data(size: int) -> None:
    data = struct.pack("<4siiii8s", b"RMH ", 1, size, 0, 0, b"MQSTR   ").ljust(100)
    assert length("MQHREF", data) == 0
    assert length("MQHREF", header("MQHREF", 40) + data) == 40


def test_header_when_cut_then_it_is_application_data() -> None:
    assert length("MQHREF", header("MQSTR")[:27]) == 0
    assert length("MQDEAD", DeadLetterHeader(format="MQSTR").pack()[:100]) == 0


def test_headers_when_they_name_each_other_without_end_then_the_walk_ends() -> None:
    assert 0 < length("MQHREF", header("MQHREF", 28) * 1000) < 28 * 1000
