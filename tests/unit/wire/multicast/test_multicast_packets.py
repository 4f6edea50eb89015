"""Packets and publications of a multicast group: what is packed is unpacked, and nothing that a
stranger sends is taken: cut, changed, of another key, or with lengths that cannot be."""

from __future__ import annotations

import random
import struct

import pytest

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.property import Property
from ternmq.codec.property_area import pack_area
from ternmq.wire.multicast.packet import DATA, HEAD_BYTES, HEARTBEAT, NAK, Packet, unpack
from ternmq.wire.multicast.publication import (
    RETAINED,
    Publication,
    narrowed,
    unpack_publication,
)
from tests.unit.wire.multicast.simulated_group import KEY


def data_packet() -> Packet:
    packet = Packet(DATA, 0xFEDCBA9876543210)
    packet.sequence = 7
    packet.oldest = 3
    packet.age_ms = 1234
    packet.index = 1
    packet.count = 2
    packet.body = b"a publication"
    return packet


def test_packet_when_packed_then_unpacks_alike() -> None:
    found = unpack(data_packet().pack(KEY), KEY)
    assert found is not None
    fields = "kind flags source sequence oldest age_ms index count body ranges"
    for name in fields.split():
        assert getattr(found, name) == getattr(data_packet(), name), name


def test_packet_when_changed_or_cut_then_is_ignored() -> None:
    data = data_packet().pack(KEY)
    for at in range(len(data)):
        assert unpack(data[:at], KEY) is None
        assert unpack(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :], KEY) is None
    assert unpack(data + b"x", KEY) is None
    assert unpack(data, bytes(32)) is None
    chance = random.Random(5)
    for _ in range(500):
        assert unpack(chance.randbytes(chance.randrange(3000)), KEY) is None


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        (9, {}),
        (DATA, {"index": 2}),
        (DATA, {"sequence": 1}),
        (DATA, {"body": b""}),
        (DATA, {"oldest": 0}),
        (HEARTBEAT, {}),
        (HEARTBEAT, {"body": b"", "oldest": 9}),
        (NAK, {"ranges": []}),
        (NAK, {"ranges": [(0, 1)]}),
        (NAK, {"ranges": [(1, 0)]}),
        (NAK, {"ranges": [(1, 1)] * 65}),
    ],
)
def test_packet_when_its_fields_cannot_be_then_is_ignored(
    kind: int, changes: dict[str, object]
) -> None:
    packet = data_packet()
    packet.kind = kind
    for name, value in changes.items():
        setattr(packet, name, value)
    assert unpack(packet.pack(KEY), KEY) is None


def test_nak_when_packed_then_has_its_ranges() -> None:
    packet = Packet(NAK, 1)
    packet.ranges = [(5, 2), (1 << 40, 1)]
    found = unpack(packet.pack(KEY), KEY)
    assert found is not None
    assert found.ranges == packet.ranges
    assert len(packet.pack(KEY)) == HEAD_BYTES + 24


def publication() -> Publication:
    md = Descriptor(
        msg_id=b"m" * 24, correl_id=b"c" * 24, reply_to_queue="R", format="MQSTR", user_id="fred"
    )
    area = pack_area([Property("color", mq.MQTYPE_STRING, "red")])
    return Publication("price/fruit", md.pack(), area, b"data", 5, RETAINED, 77)


def test_publication_when_packed_then_unpacks_alike() -> None:
    assert unpack_publication(publication().pack()) == publication()


def test_publication_when_cut_or_wrong_then_is_ignored() -> None:
    data = publication().pack()
    end_of_area = len(data) - len(b"data")
    for at in range(end_of_area):
        assert unpack_publication(data[:at]) is None
    assert unpack_publication(data[:end_of_area]) == publication()._replace(data=b"")
    chance = random.Random(3)
    for _ in range(3000):  # whatever comes is refused or has a descriptor that can be read
        at = chance.randrange(len(data))
        changed = data[:at] + chance.randbytes(1) + data[at + 1 :]
        found = unpack_publication(changed)
        if found is not None:
            Descriptor.unpack(found.descriptor)
    assert unpack_publication(publication()._replace(topic="t" * 256).pack()) is None
    assert unpack_publication(publication()._replace(topic="").pack()) is None
    assert unpack_publication(publication()._replace(level=10).pack()) is None
    bad_text = struct.pack(">BBHQHHI", 1, 0, 0, 0, 1, 364, 0) + b"\xff" + Descriptor().pack()
    assert unpack_publication(bad_text) is None


@pytest.mark.parametrize(
    ("properties", "msg_id", "user", "has_area"),
    [
        (mq.MQMCP_ALL, True, "fred", True),
        (mq.MQMCP_COMPAT, True, "fred", True),
        (mq.MQMCP_REPLY, True, "", True),
        (mq.MQMCP_USER, False, "", True),
        (mq.MQMCP_NONE, False, "", False),
    ],
)
def test_mcprop_when_narrow_then_less_travels(
    properties: int, msg_id: bool, user: str, has_area: bool
) -> None:
    made = narrowed(publication(), properties)
    md = Descriptor.unpack(made.descriptor)
    assert (md.msg_id == b"m" * 24) is msg_id
    assert (md.reply_to_queue == "R") is msg_id
    assert (md.user_id, md.format) == (user, "MQSTR")
    assert (made.area != b"") is has_area
    assert made.data == b"data"
