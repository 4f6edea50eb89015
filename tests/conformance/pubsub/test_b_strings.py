"""Section B, rows B3 and B4: strings that a descriptor describes, as they come over the network."""

from __future__ import annotations

from ternmq import constants as mq
from ternmq.codec.mqi.charv import CharV, write_charv
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.part import Values
from tests.unit.network.partner import Partner, Place, run_story

UTF8 = 1208
UNKNOWN_CCSID = 9999


def topic(text: str, room: int = 0) -> tuple[ObjectDescriptor, Values]:
    """An MQOD with its ObjectString behind it, and the values of an MQOPEN."""
    od = ObjectDescriptor(object_type=mq.MQOT_TOPIC, version=4)
    od.resolved_object_string = CharV(buffer_size=room)
    behind = write_charv(od.object_string, text, od.size(), UTF8)
    behind += bytes(-len(behind) % 4)
    return od, {
        "object": od,
        "options": mq.MQOO_OUTPUT,
        "fopa": {},
        "object_following": behind,
    }


def test_b3_a_string_that_is_not_there_too_long_or_in_an_unknown_ccsid() -> None:
    async def story(place: Place, partner: Partner) -> None:
        od, given = topic("")
        od.object_string.length = 5
        assert (await partner.call(fap.MQOPEN, given))["reason"] == 2441
        _, given = topic("x" * 10_241)
        assert (await partner.call(fap.MQOPEN, given))["reason"] == 2441
        od, given = topic("a/b")
        od.object_string.ccsid = UNKNOWN_CCSID
        assert (await partner.call(fap.MQOPEN, given))["reason"] == 2425

    run_story(story)


def test_b4_as_much_of_the_whole_string_as_there_is_room_for() -> None:
    async def story(place: Place, partner: Partner) -> None:
        for room, returned in ((0, b""), (100, b"Football/Scores"), (5, b"cores")):
            _, given = topic("Football/Scores", room)
            reply = await partner.call(fap.MQOPEN, given)
            assert reply["reason"] == 0
            od: ObjectDescriptor = reply["object"]
            described = od.resolved_object_string
            assert described.length == 15
            behind: bytes = reply.get("resolved_following", b"")
            assert behind[: min(described.length, room)] == returned

    run_story(story)
