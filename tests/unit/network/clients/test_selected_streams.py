"""Goal: what a client reads ahead, or has sent to its callbacks, by a handle with a selection
string is what matches, in order, and nothing else leaves the queue.

Method: a partner in the same loop sends REQUEST_MSGS with STREAM, as read-ahead and MQCB do.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.charv import write_charv
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.wire.fap import vocabulary as fap
from tests.unit.network.clients.test_consumers import MD_BYTES, messages
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

ALL = mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE
SELECTOR = "colour = 'red'"
DROPPED = mq.MQGMO_NO_PROPERTIES


def fill(place: Place, *texts: str) -> None:
    """Messages whose first letter is their colour."""
    colours = {"r": "red", "b": "blue"}
    for text in texts:
        place.admin.put("A", text, properties={"colour": colours[text[0]]})


def came(partner: Partner) -> list[str]:
    return [one["data"].decode() for one in messages(partner)]


def test_stream_when_the_handle_selects_then_what_matches_comes_and_no_more() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, "r1", "b2", "r3", "b4")
        handle = await partner.open("A", ALL, selector=SELECTOR)
        partner.request(handle, 100_000, flags=fap.STREAM, options=DROPPED)
        await partner.wait()
        assert came(partner) == ["r1", "r3"]
        fill(place, "b5")
        fill(place, "r6")
        await partner.wait()
        assert came(partner) == ["r6"]
        assert place.depth("A") == 3

    run_story(story)


def test_stream_when_its_window_is_full_then_the_rest_comes_when_it_is_taken() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, "b0", "r1", "b2", "r3", "r4")
        handle = await partner.open("A", ALL, selector=SELECTOR)
        partner.request(handle, 2, flags=fap.STREAM, options=DROPPED)
        await partner.wait()
        assert came(partner) == ["r1"]
        for index, expected in ((1, "r3"), (2, "r4")):
            partner.request(
                handle,
                2,
                flags=fap.STREAM,
                options=DROPPED,
                received=MD_BYTES + 2,
                index=index,
            )
            await partner.wait()
            assert came(partner) == [expected]

    run_story(story)


def test_stream_when_it_is_stopped_then_what_was_not_taken_goes_back() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, "r1", "b2", "r3")
        handle = await partner.open("A", ALL, selector=SELECTOR)
        partner.request(handle, 100_000, flags=fap.STREAM, options=DROPPED)
        await partner.wait()
        assert came(partner) == ["r1", "r3"]
        partner.request(handle, 0, received=MD_BYTES + 2, index=1, select=False)
        await partner.lose()
        assert place.depth("A") == 2
        assert [one.text for one in place.admin.queue("A").browse()] == ["b2", "r3"]

    run_story(story)


def test_stream_inside_syncpoint_when_it_is_backed_out_then_it_comes_again() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, "b1", "r2")
        handle = await partner.open("A", ALL, selector=SELECTOR)
        options = DROPPED | mq.MQGMO_SYNCPOINT
        partner.request(handle, 1, options=options)
        await partner.wait()
        assert came(partner) == ["r2"]
        assert (await partner.call(fap.MQBACK, {}))["reason"] == 0
        partner.request(handle, 1, options=options, received=MD_BYTES + 2, index=1)
        await partner.wait()
        (again,) = messages(partner)
        assert (again["data"], again["descriptor"].backout_count) == (b"r2", 1)
        assert (await partner.call(fap.MQCMIT, {}))["reason"] == 0
        assert place.depth("A") == 1

    run_story(story)


def test_browsing_stream_when_the_handle_selects_then_it_shows_what_matches() -> None:
    async def story(place: Place, partner: Partner) -> None:
        fill(place, "b1", "r2", "r3")
        handle = await partner.open("A", ALL, selector=SELECTOR)
        options = DROPPED | mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT
        partner.request(handle, 100_000, flags=fap.STREAM, options=options)
        await partner.wait()
        assert came(partner) == ["r2", "r3"]
        assert place.depth("A") == 3

    run_story(story)


@pytest.mark.parametrize(("text", "reason"), [("a = 1", 2516), ("", 0)])
def test_put1_when_its_mqod_has_a_selection_string_then_2516(text: str, reason: int) -> None:
    """An offset without a length is no string: IBM's Java client fills one in always."""

    async def story(place: Place, partner: Partner) -> None:
        od = ObjectDescriptor(object_name="A", version=4)
        following = write_charv(od.selection_string, text, od.size(), UTF8)
        given = {**partner.put_values(0, b"x"), "object": od}
        if following:
            given["object_following"] = following + bytes(-len(following) % 4)
        reply = await partner.call(fap.MQPUT1, given)
        assert (reply["reason"], place.depth("A")) == (reason, 0 if reason else 1)

    run_story(story)
