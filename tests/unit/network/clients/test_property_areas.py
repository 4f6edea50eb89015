"""Goal: a property area before the data is taken from our own client alone, and only if it is
sound; to any other client properties go in an MQRFH2.

Method: a partner in the same loop (see `partner`) that says whether it is our client.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.property import Property
from ternmq.codec.property_area import pack_area
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.flow import read_body
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

ALL = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT
AREA = pack_area([Property("colour", mq.MQTYPE_STRING, "red")])
OPTIONS = mq.MQPMO_NO_SYNCPOINT | fap.AREA_BEFORE_DATA
APART = mq.MQGMO_NO_SYNCPOINT | mq.MQGMO_PROPERTIES_IN_HANDLE


async def be_ours(partner: Partner) -> None:
    """Connect again, as our own client does."""
    await partner.call(fap.MQDISC, {})
    assert (await partner.connect(capabilities=fap.FCNO_TAKES_BACK))["reason"] == 0


async def got(
    partner: Partner, handle: int, options: int, buffer_length: int, version: int = 2
) -> tuple[Descriptor, int, bytes]:
    """Descriptor, DataLength, and the bytes that came; the tables read no more than DataLength."""
    gmo = GetOptions(options=options, version=3)
    given = {"handle": handle, "descriptor": Descriptor(version=version), "options": gmo}
    partner.send_flow(fap.MQGET, {**given, "buffer_length": buffer_length})
    one = await partner.next(fap.MQGET + fap.REPLY)
    values = read_body(one, partner.level).values
    returned = values["options"].returned_length
    start = one.body_at + 16 + values["descriptor"].size() + values["options"].size() + 4
    return values["descriptor"], values["data_length"], one.data[start : start + returned]


def test_put_with_an_area_when_of_our_client_then_the_message_has_the_properties() -> None:
    async def story(place: Place, partner: Partner) -> None:
        await be_ours(partner)
        handle = await partner.open("A", ALL)
        for number in range(3):  # the first is read with care, the others by comparison
            reply = await partner.put(handle, AREA + b"%d" % number, OPTIONS, format="MQSTR")
            assert reply["reason"] == 0
            assert reply["options"].options == OPTIONS
        put1 = {**partner.put_values(0, AREA + b"3", OPTIONS, format="MQSTR")}
        put1["object"] = ObjectDescriptor(object_name="A")
        assert (await partner.call(fap.MQPUT1, put1))["reason"] == 0
        for number in range(4):
            md, length, data = await got(partner, handle, APART, 100)
            assert (md.format, length, data) == ("MQSTR", 1, AREA + b"%d" % number)

    run_story(story)


def test_get_with_a_short_buffer_when_of_our_client_then_the_area_is_whole() -> None:
    async def story(place: Place, partner: Partner) -> None:
        await be_ours(partner)
        handle = await partner.open("A", ALL)
        await partner.put(handle, AREA + b"0123456789", OPTIONS)
        options = APART | mq.MQGMO_ACCEPT_TRUNCATED_MSG
        _, length, data = await got(partner, handle, options, 4)
        assert (length, data) == (10, AREA + b"0123")

    run_story(story)


@pytest.mark.parametrize("buffer_length", [100, 76])
def test_get_into_version_1_when_of_our_client_then_the_area_is_before_the_mqmde(
    buffer_length: int,
) -> None:
    async def story(place: Place, partner: Partner) -> None:
        await be_ours(partner)
        handle = await partner.open("A", ALL)
        group = {"group_id": b"g" * 24, "msg_flags": mq.MQMF_MSG_IN_GROUP}
        await partner.put(handle, AREA + b"0123456789", OPTIONS, **group)
        options = APART | mq.MQGMO_ACCEPT_TRUNCATED_MSG
        md, length, data = await got(partner, handle, options, buffer_length, 1)
        assert (md.format, length, data[: len(AREA)]) == ("MQHMDE", 82, AREA)
        behind = data[len(AREA) :]
        assert (behind[:4], behind[72:]) == (b"MDE ", b"0123456789"[: buffer_length - 72])

    run_story(story)


def test_put_with_an_area_when_of_another_client_then_2046() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        assert (await partner.put(handle, AREA + b"x", OPTIONS))["reason"] == 2046
        assert place.depth("A") == 0

    run_story(story)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        AREA[:-1],
        b"\2" + AREA[1:],
        AREA[:2] + b"\xff\xff" + AREA[4:],
        AREA[:4] + b"\xff\xff\xff\xff" + AREA[8:],
        AREA[:-1] + b"\xff",
    ],
)
def test_put_with_an_area_when_it_is_not_sound_then_the_socket_is_closed(data: bytes) -> None:
    async def story(place: Place, partner: Partner) -> None:
        await be_ours(partner)
        handle = await partner.open("A", ALL)
        partner.send_flow(fap.MQPUT, partner.put_values(handle, data, OPTIONS))
        await partner.until(lambda: partner.pipe.closed)
        assert place.depth("A") == 0

    run_story(story)


def test_message_with_properties_when_for_another_client_then_they_are_in_an_mqrfh2() -> None:
    async def story(place: Place, partner: Partner) -> None:
        place.admin.put("A", b"body", properties={"colour": "red"})
        handle = await partner.open("A", ALL)
        reply = await partner.get(handle, APART)
        assert (reply["data"][:4], reply["data"][-4:]) == (b"RFH ", b"body")
        assert reply["data_length"] == len(reply["data"])

    run_story(story)
