"""Rows C8, C36 and D4 over a channel: structures as only the bytes of a client can have them."""

from __future__ import annotations

from ternmq import constants as mq
from ternmq.codec.mqi.charv import write_charv
from ternmq.codec.mqi.layout import BIG
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.flow import write_body
from ternmq.wire.fap.part import Values
from tests.unit.network.partner import Partner, Place, run_story

UTF8 = 1208
MANAGED = mq.MQSO_CREATE | mq.MQSO_MANAGED
ON_REQUEST = MANAGED | mq.MQSO_PUBLICATIONS_ON_REQUEST
REASON_AT = 8  # behind the length of the call and its completion code
VERSION_AT = 4  # in a structure


def subscription(topic: str = "a", options: int = MANAGED) -> tuple[SubscriptionDescriptor, Values]:
    """An MQSD with its ObjectString behind it, and the values of an MQSUB."""
    sd = SubscriptionDescriptor(options=options)
    behind = write_charv(sd.object_string, topic, sd.size(), UTF8)
    behind += bytes(-len(behind) % 4)
    return sd, {"subscription": sd, "subscription_following": behind}


async def reason_of_changed(
    partner: Partner, call: int, given: Values, eye: bytes, at: int, piece: bytes
) -> int:
    """What a call is answered if these bytes stand so far behind an eye-catcher; nothing is made
    of the rest of the answer, for the structure in it is as wrong."""
    header = partner.header(call)
    body = bytearray(write_body(header, given, partner.level))
    found = body.index(eye) + at
    body[found : found + len(piece)] = piece
    partner.send(header, bytes(body))
    reply = await partner.next(call + fap.REPLY)
    assert reply.body[REASON_AT - 4 : REASON_AT] == mq.MQCC_FAILED.to_bytes(4, "big")
    return int.from_bytes(reply.body[REASON_AT : REASON_AT + 4], "big")


def number(value: int) -> bytes:
    return value.to_bytes(4, "big")


def test_c8_when_structure_or_version_is_wrong_then_2424() -> None:
    async def story(place: Place, partner: Partner) -> None:
        assert partner.order == BIG
        _, given = subscription()
        for at, piece in ((0, b"SX  "), (VERSION_AT, number(2)), (VERSION_AT, number(0))):
            found = await reason_of_changed(partner, fap.MQSUB, given, b"SD  ", at, piece)
            assert found == 2424
        assert (await partner.call(fap.MQSUB, given))["reason"] == 0  # it is connected as before

    run_story(story)


def test_c36_when_user_data_is_too_long_or_not_there_then_2431() -> None:
    async def story(place: Place, partner: Partner) -> None:
        sd, given = subscription()
        sd.user_data.length = 5
        assert (await partner.call(fap.MQSUB, given))["reason"] == 2431
        for length, reason in ((10_240, 0), (10_241, 2431)):
            sd, given = subscription()
            behind: bytes = given["subscription_following"]
            at = sd.size() + len(behind)
            text = write_charv(sd.user_data, "x" * length, at, UTF8)
            given["subscription_following"] = behind + text + bytes(-len(text) % 4)
            assert (await partner.call(fap.MQSUB, given))["reason"] == reason

    run_story(story)


def test_d4_when_structure_or_version_is_wrong_then_2438() -> None:
    async def story(place: Place, partner: Partner) -> None:
        _, given = subscription(options=ON_REQUEST)
        made = await partner.call(fap.MQSUB, given)
        asked = {"handle": made["subscription_handle"], "action": mq.MQSR_ACTION_PUBLICATION}
        for at, piece in ((0, b"SXO "), (VERSION_AT, number(9))):
            found = await reason_of_changed(partner, fap.MQSUBRQ, asked, b"SRO ", at, piece)
            assert found == 2438
        assert (await partner.call(fap.MQSUBRQ, asked))["reason"] == 2437

    run_story(story)
