"""Goal: what a sender does to a message for its partner: CONVERT and PROPCTL.
Method: messages as they are on a transmission queue, each format and property by hand.
"""

from __future__ import annotations

import struct

import pytest

from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_FORMAT_ERROR
from ternmq.channel.sending_form import converted, without_properties
from ternmq.channel.transmission_message import HEADER_BYTES
from ternmq.codec.conversion_service import ConversionService, ExitParameters
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.property import Property
from ternmq.codec.property_area import pack_area
from ternmq.codec.property_header import as_put

LATIN_1 = 819
EBCDIC = 500
BIG = 273
LITTLE = 546


def message(data: bytes, format: str = "MQSTR", ccsid: int = 1208) -> bytes:
    md = Descriptor(format=format, ccsid=ccsid, encoding=LITTLE, version=1)
    header = TransmissionHeader(remote_queue="T", remote_qmgr="QMB", descriptor=md)
    return header.pack() + data


def described(data: bytes) -> tuple[int, int, bytes]:
    encoding, ccsid = struct.unpack_from("<ii", data, 104 + 24)
    return encoding, ccsid, data[104 + 32 : 104 + 40].rstrip()


@pytest.mark.core
def test_converted_when_text_then_in_the_partners_set() -> None:
    found, reason = converted(message("héllo".encode()), EBCDIC, BIG, None)
    assert reason == 0
    assert found[HEADER_BYTES:] == "héllo".encode("cp500")
    assert described(found) == (BIG, EBCDIC, b"MQSTR")


def test_converted_when_the_same_set_then_as_it_is() -> None:
    sent = message(b"hello")
    assert converted(sent, 1208, LITTLE, None) == (sent, 0)


def test_converted_when_no_format_then_as_it_is() -> None:
    sent = message(b"\x01\x02", "")
    assert converted(sent, EBCDIC, BIG, None) == (sent, 0)


def test_converted_when_it_cannot_then_a_reason_and_the_message_as_it_was() -> None:
    sent = message(b"\x01\x02", "MYFMT")
    assert converted(sent, EBCDIC, BIG, None) == (sent, MQRC_FORMAT_ERROR)


def test_converted_when_an_exit_knows_the_format_then_it_converts() -> None:
    service = ConversionService()

    def convert(mqdxp: ExitParameters) -> bytes:
        return b"converted"

    service.add("MYFMT", convert)
    found, reason = converted(message(b"\x01\x02", "MYFMT"), EBCDIC, BIG, service)
    assert (reason, found[HEADER_BYTES:]) == (0, b"converted")


def test_converted_when_a_program_made_the_header_then_as_it_is() -> None:
    sent = bytearray(message(b"hello"))
    sent[4:8] = b"\0\0\0\x01"
    assert converted(bytes(sent), EBCDIC, BIG, None) == (bytes(sent), 0)


def with_properties(*names: str) -> bytes:
    plain = message(b"data")
    area = pack_area([Property(name, mq.MQTYPE_STRING, "value") for name in names], None)
    data, base = as_put(area, b"data", plain[104:HEADER_BYTES])
    return plain[:104] + base + data


@pytest.mark.parametrize(
    ("control", "name", "stays"),
    [
        (mq.MQPROP_ALL, "colour", True),
        (mq.MQPROP_ALL, "other.colour", True),
        (mq.MQPROP_COMPATIBILITY, "usr.colour", True),
        (mq.MQPROP_COMPATIBILITY, "other.colour", False),
        (mq.MQPROP_NONE, "usr.colour", False),
        (mq.MQPROP_NONE, "other.colour", False),
    ],
)
def test_properties_when_the_partner_knows_none_then_by_propctl(
    control: int, name: str, stays: bool
) -> None:
    sent = with_properties(name)
    assert described(sent)[2] == b"MQHRF2"
    found = without_properties(sent, control)
    if stays:
        assert found == sent
    else:
        assert found == message(b"data")


def test_properties_when_there_is_no_header_then_as_it_is() -> None:
    for sent in (message(b"data"), message(b"RFH garbage", "MQHRF2")):
        assert without_properties(sent, mq.MQPROP_NONE) == sent
