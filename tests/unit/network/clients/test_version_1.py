"""Goal: a client that has version 1 of the MQMD gets an MQMDE before the data of messages for which
that is too little, and its buffer counts it.

Method: a partner in the same loop (see `partner`), by MQGET and by REQUEST_MSGS.
"""

from __future__ import annotations

import pytest

from ternmq.base import constants as mq
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.wire.fap import vocabulary as fap
from tests.battery.test_extension import FLAGS, GROUP, extension
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

ALL = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE
WHOLE = extension() + b"in a group"


def fill(place: Place) -> None:
    md = Descriptor(format="MQSTR", ccsid=1208, group_id=GROUP, msg_seq_number=3, msg_flags=FLAGS)
    place.admin.put("A", b"in a group", descriptor=md)


def test_get_when_a_message_is_in_a_group_then_an_mqmde_comes_before_its_data() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        fill(place)
        reply = await partner.get(handle, length=len(WHOLE) - 1, version=1)
        assert (reply["reason"], reply["data_length"]) == (2080, len(WHOLE))
        for _ in range(2):  # the first is read with care, the second by comparison
            fill(place)
            reply = await partner.get(handle, length=len(WHOLE), version=1)
            md: Descriptor = reply["descriptor"]
            assert (md.version, md.format, reply["data"]) == (1, "MQHMDE", WHOLE)
        reply = await partner.get(handle, length=10)
        assert (reply["data"], reply["descriptor"].group_id) == (b"in a group", GROUP)

    run_story(story)


def test_get_when_it_converts_then_the_mqmde_is_in_the_target_too() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        fill(place)
        reply = await partner.get(handle, mq.MQGMO_CONVERT, length=100, version=1, ccsid=500)
        md: Descriptor = reply["descriptor"]
        assert (md.format, md.ccsid) == ("MQHMDE", 500)
        data = reply["data"]
        assert data[:4] + data[20:28] == "MDE MQSTR   ".encode("cp500")
        assert data[16:20] == (500).to_bytes(4, "little")
        assert data[72:] == "in a group".encode("cp500")

    run_story(story)


def test_get_when_a_message_is_in_no_group_then_its_data_comes_alone() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        place.admin.put("A", b"alone", format="MQSTR")
        reply = await partner.get(handle, length=5, version=1)
        assert (reply["data"], reply["descriptor"].format) == (b"alone", "MQSTR")

    run_story(story)


def test_get_when_it_waits_then_the_mqmde_counts_for_its_buffer() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        given = {**partner.put_values(handle, b""), "buffer_length": 20}
        given["descriptor"] = Descriptor(version=1)
        given["options"] = GetOptions(options=mq.MQGMO_WAIT, wait_interval=-1)
        partner.send_flow(fap.MQGET, given)
        partner.look()
        fill(place)
        reply = await partner.values(fap.MQGET + fap.REPLY)
        assert (reply["reason"], place.depth("A")) == (2080, 1)

    run_story(story)


def test_browse_when_cut_then_the_cut_is_through_both() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        fill(place)
        options = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_ACCEPT_TRUNCATED_MSG
        reply = await partner.get(handle, options, length=75, version=1)
        assert (reply["reason"], reply["data_length"]) == (2079, len(WHOLE))
        assert reply["data"][:75] == WHOLE[:75]

    run_story(story)


def test_request_when_a_message_is_in_a_group_then_an_mqmde_comes_before_its_data() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        fill(place)
        fill(place)
        partner.request(handle, 100_000, flags=fap.STREAM, version=1)
        for _ in range(2):
            values = await partner.values(fap.ASYNC_MESSAGE)
            assert values["data"] == WHOLE
            assert values["descriptor"].format == "MQHMDE"

    run_story(story)


def test_request_when_the_client_has_said_nothing_of_its_mqmd_then_it_is_of_version_1() -> None:
    """IBM's Java client says only what is no longer as it was when it opened the queue."""

    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        fill(place)
        partner.request(handle, 100_000, select=False)
        values = await partner.values(fap.ASYNC_MESSAGE)
        md: Descriptor = values["descriptor"]
        assert (md.version, md.format, values["data"]) == (1, "MQHMDE", WHOLE)

    run_story(story)
