"""Goal: MQOPEN and MQPUT1 of topics, MQSUB, MQSUBRQ and SPI SUBSCRIBE over the network, in every
form there is.

Method: a partner in the same loop speaks the protocol by the tables of `wire`, as IBM's Java client
was seen to do (see `partner`).
"""

from __future__ import annotations

from typing import Any

import pytest

from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.codec.charset import UTF8, decode
from ternmq.codec.mqi.charv import CharV, write_charv
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.wire.fap import vocabulary as fap
from tests.unit.network.clients.test_mqi_calls import FORMS
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

MANAGED = mq.MQSO_CREATE | mq.MQSO_MANAGED
NAMED = MANAGED | mq.MQSO_ALTER | mq.MQSO_ANY_USERID
BUFFER = 10_240


def described(texts: dict[str, str], structure: Any) -> bytes:
    """The strings behind a structure; those that are empty have an offset, too."""
    behind = b""
    for field, text in texts.items():
        charv: CharV = getattr(structure, field)
        data = write_charv(charv, text, structure.size() + len(behind), UTF8)
        charv.offset = structure.size() + len(behind)
        behind += data + bytes(-len(data) % 4)
    return behind


def subscription(options: int, topic: str, name: str = "", **texts: str) -> dict[str, Any]:
    sd = SubscriptionDescriptor(options=options)
    given = {"object_string": topic, "name": name, **texts}
    behind = described(given, sd)
    for field in ("user_data", "selection_string", "resolved_object_string"):
        charv: CharV = getattr(sd, field)
        charv.buffer_size = BUFFER
        charv.ccsid = UTF8
    return {"subscription": sd, "subscription_following": behind, "handle": 0}


def jms(options: int, topic: str, name: str, lsd: int, **texts: str) -> dict[str, Any]:
    given = subscription(options, topic, name, **texts)
    extension = {"options": lsd, "text_offset": 196, "open_options": 0x2029, "ps_properties": 3}
    more: dict[str, Any] = {"verb": fap.SPI_SUBSCRIBE, "spbi": {"length": 540}, "lsd": extension}
    return {**given, **more}


def text_of(reply: dict[str, Any], structure: str, field: str) -> str:
    """A string that came back."""
    holder = reply[structure]
    charv: CharV = getattr(holder, field)
    at = charv.offset - holder.size()
    return decode(reply[f"{structure}_following"][at : at + charv.length], charv.ccsid)


def resolved_of(reply: dict[str, Any]) -> str:
    """ResObjectString of an MQOPEN: behind all else, where IBM's Java client expects it."""
    charv: CharV = reply["object"].resolved_object_string
    return decode(reply["resolved_following"][: charv.length], charv.ccsid)


def topic_values(partner: Partner, topic: str, data: bytes) -> dict[str, Any]:
    given = partner.put_values(0, data)
    od = ObjectDescriptor(object_type=mq.MQOT_TOPIC)
    given["object_following"] = described({"object_string": topic}, od)
    given["object"] = od
    return given


@pytest.mark.parametrize("share", [0, 1, 10])
@pytest.mark.parametrize("form", FORMS)
def test_publications_when_subscribed_then_they_come(share: int, form: dict[str, Any]) -> None:
    async def story(place: Place, partner: Partner) -> None:
        made = await partner.call(fap.MQSUB, subscription(MANAGED, "sport/#", user_data="mine"))
        assert (made["comp"], made["reason"]) == (0, 0)
        queue, handle = made["handle"], made["subscription_handle"]
        assert len({queue, handle, 0, -1}) == 4
        assert text_of(made, "subscription", "resolved_object_string") == "sport/#"
        assert text_of(made, "subscription", "user_data") == "mine"
        assert made["subscription"].correl_id != bytes(24)
        put = await partner.call(fap.MQPUT1, topic_values(partner, "sport/a", b"one"))
        assert (put["comp"], put["reason"]) == (0, 0)
        assert text_of(put, "object", "object_string") == "sport/a"
        assert put["object"].resolved_type == mq.MQOT_TOPIC
        assert put["options"].resolved_queue_name == ""
        od = ObjectDescriptor(object_type=mq.MQOT_TOPIC)
        behind = described({"object_string": "sport/b"}, od)
        od.resolved_object_string = CharV(buffer_size=BUFFER, ccsid=UTF8)
        given = {"object": od, "object_following": behind, "options": mq.MQOO_OUTPUT, "fopa": {}}
        opened = await partner.call(fap.MQOPEN, given)
        assert resolved_of(opened) == "sport/b"
        assert opened["fopa"]["default_put_response"] == mq.MQPRT_SYNC_RESPONSE
        for data in (b"two", b"three"):
            assert (await partner.put(opened["handle"], data))["reason"] == 0
        for data in (b"one", b"two", b"three"):
            got = await partner.get(queue)
            assert got["data"].endswith(data)
            assert got["descriptor"].correl_id == made["subscription"].correl_id
        for each in (handle, queue, opened["handle"]):
            closed = await partner.call(fap.MQCLOSE, {"handle": each, "options": 0})
            assert closed["reason"] == 0

    run_story(story, share=share, **form)


def test_retained_when_requested_then_counted_and_sent() -> None:
    async def story(place: Place, partner: Partner) -> None:
        given = topic_values(partner, "r", b"kept")
        given["options"].options |= mq.MQPMO_RETAIN
        assert (await partner.call(fap.MQPUT1, given))["reason"] == 0
        asked = subscription(MANAGED | mq.MQSO_PUBLICATIONS_ON_REQUEST, "r")
        made = await partner.call(fap.MQSUB, asked)
        request = {"handle": made["subscription_handle"], "action": 1}
        reply = await partner.call(fap.MQSUBRQ, request)
        assert (reply["reason"], reply["publications"]) == (0, 1)
        wrong = await partner.call(fap.MQSUBRQ, {**request, "version": 9})
        assert wrong["reason"] == rc.MQRC_SRO_ERROR
        wrong = await partner.call(fap.MQSUBRQ, {**request, "handle": made["handle"]})
        assert wrong["reason"] == rc.MQRC_HOBJ_ERROR

    run_story(story)


def test_strings_when_they_cannot_be_then_their_reasons() -> None:
    async def story(place: Place, partner: Partner) -> None:
        async def refused(field: str, **members: int) -> int:
            given = subscription(MANAGED, "a", "n")
            charv: CharV = getattr(given["subscription"], field)
            for name, value in members.items():
                setattr(charv, name, value)
            reply = await partner.call(fap.MQSUB, given)
            assert (reply["comp"], reply["subscription_handle"]) == (2, -1)
            return int(reply["reason"])

        assert await refused("object_string", offset=0) == rc.MQRC_OBJECT_STRING_ERROR
        assert await refused("object_string", offset=40) == rc.MQRC_OBJECT_STRING_ERROR
        assert await refused("object_string", length=90_000) == rc.MQRC_OBJECT_STRING_ERROR
        assert await refused("object_string", ccsid=77_777) == rc.MQRC_TOPIC_STRING_ERROR
        assert await refused("name", offset=0) == rc.MQRC_SUB_NAME_ERROR
        assert await refused("user_data", length=9, offset=0) == rc.MQRC_SUB_USER_DATA_ERROR
        assert await refused("selection_string", length=9, offset=0) == (
            rc.MQRC_SELECTION_STRING_ERROR
        )
        given = topic_values(partner, "a", b"x")
        given["object"].object_string.ccsid = 77_777
        reply = await partner.call(fap.MQPUT1, given)
        assert reply["reason"] == rc.MQRC_TOPIC_STRING_ERROR
        long = subscription(MANAGED, "a" * 10_241)
        reply = await partner.call(fap.MQSUB, long)
        assert reply["reason"] == rc.MQRC_OBJECT_STRING_ERROR

    run_story(story)


def test_string_when_it_does_not_fit_its_buffer_then_cut_and_its_length_told() -> None:
    async def story(place: Place, partner: Partner) -> None:
        given = subscription(MANAGED, "Football/Scores")
        given["subscription"].resolved_object_string.buffer_size = 5
        made = await partner.call(fap.MQSUB, given)
        charv = made["subscription"].resolved_object_string
        assert charv.length == 15
        at = charv.offset - made["subscription"].size()
        behind = made.get("subscription_following", b"") + made.get("rest", b"")
        assert behind[at : at + 5] == b"cores"

    run_story(story)


def test_subscriptions_of_jms_when_shared_then_both_have_it() -> None:
    async def story(place: Place, partner: Partner) -> None:
        shared = jms(NAMED, "a", "JMS:ND:QM1::s", fap.LSD_NAMED | fap.LSD_SHARED)
        first = await partner.call(fap.SPI, shared)
        second = await partner.call(fap.SPI, shared)
        assert (first["reason"], second["reason"]) == (0, 0)
        handles = {one["handle"] for one in (first, second)}
        handles |= {one["spbo"]["subscription_handle"] for one in (first, second)}
        assert len(handles) == 4
        assert text_of(first, "subscription", "resolved_object_string") == "a"
        await partner.call(fap.MQPUT1, topic_values(partner, "a", b"once"))
        assert (await partner.get(second["handle"]))["data"].endswith(b"once")
        assert (await partner.get(first["handle"]))["reason"] == rc.MQRC_NO_MSG_AVAILABLE
        other = await partner.call(fap.SPI, jms(NAMED, "a", "JMS:ND:QM1::s", fap.LSD_NAMED))
        assert other["reason"] == rc.MQRC_INVALID_SUBSCRIPTION
        assert (other["handle"], other["spbo"]["subscription_handle"]) == (-1, -1)

    run_story(story)


def test_subscriptions_of_jms_when_options_are_not_known_then_refused() -> None:
    async def story(place: Place, partner: Partner) -> None:
        for lsd in (0x10, 0x40, 0x1, 0x20000000):
            reply = await partner.call(fap.SPI, jms(MANAGED, "a", "", lsd))
            assert reply["reason"] == rc.MQRC_OPTIONS_ERROR

    run_story(story)


def test_durable_of_jms_when_asked_for_again_then_its_selector_may_be_repeated() -> None:
    async def story(place: Place, partner: Partner) -> None:
        options = NAMED | mq.MQSO_DURABLE
        name = "JMS:QM1:c:d"

        def asked(selector: str) -> dict[str, Any]:
            return jms(options, "a", name, fap.LSD_NAMED, user_data="", selection_string=selector)

        for _ in range(2):
            made = await partner.call(fap.SPI, asked("n > 5"))
            assert made["reason"] == 0
            for each in (made["spbo"]["subscription_handle"], made["handle"]):
                await partner.call(fap.MQCLOSE, {"handle": each, "options": 0})
        other = await partner.call(fap.SPI, asked("n > 6"))
        assert other["reason"] == rc.MQRC_SELECTOR_NOT_ALTERABLE
        resumed = mq.MQSO_RESUME | mq.MQSO_DURABLE | mq.MQSO_MANAGED | mq.MQSO_ANY_USERID
        last = await partner.call(fap.SPI, jms(resumed, "", name, 0))
        assert last["reason"] == 0
        handle = last["spbo"]["subscription_handle"]
        removed = {"handle": handle, "options": mq.MQCO_REMOVE_SUB}
        assert (await partner.call(fap.MQCLOSE, removed))["reason"] == 0
        again = await partner.call(fap.SPI, jms(resumed, "", name, 0))
        assert again["reason"] == rc.MQRC_NO_SUBSCRIPTION

    run_story(story)
