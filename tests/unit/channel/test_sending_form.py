"""Goal: what a sender does to a message for its partner: PROPCTL.
Method: messages as they are on a transmission queue, each property by hand.
"""

from __future__ import annotations

import struct

import pytest

from ternmq.base import constants as mq
from ternmq.channel.sending_form import without_properties
from ternmq.channel.transmission_message import HEADER_BYTES
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.property import Property
from ternmq.codec.property_area import pack_area
from ternmq.codec.property_header import as_put

LITTLE = 546


def message(data: bytes, format: str = "MQSTR", ccsid: int = 1208) -> bytes:
    md = Descriptor(format=format, ccsid=ccsid, encoding=LITTLE, version=1)
    header = TransmissionHeader(remote_queue="T", remote_qmgr="QMB", descriptor=md)
    return header.pack() + data


def described(data: bytes) -> tuple[int, int, bytes]:
    encoding, ccsid = struct.unpack_from("<ii", data, 104 + 24)
    return encoding, ccsid, data[104 + 32 : 104 + 40].rstrip()


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
