"""Goal: the calls of a client over the network do what they do elsewhere, in every form there is.

Method: a partner in the same loop speaks the protocol by the tables of `wire` (see `partner`), in
both byte orders, ASCII and EBCDIC, with 0, 1 and 10 conversations on a socket.
"""

import asyncio
import random
from typing import Any

import pytest

from ternmq.base import constants as mq
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.codec.mqi.mqsts import Status
from ternmq.wire.fap import vocabulary as fap
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

ALL = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE | mq.MQOO_INQUIRE | mq.MQOO_SET
FORMS = [
    {"order": BIG, "ccsid": 819},
    {"order": LITTLE, "ccsid": 1208},
    {"order": LITTLE, "ccsid": 819},
    {"order": BIG, "ccsid": 500, "ebcdic": True},
]


@pytest.mark.parametrize("share", [0, 1, 10])
@pytest.mark.parametrize("form", FORMS)
def test_messages_when_put_and_got_then_they_are_the_same(share: int, form: dict[str, Any]) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        ids = []
        for number in range(3):  # the first is read with care, the others by comparison
            reply = await partner.put(handle, b"m%d" % number, correl_id=b"c" * 24, format="MQSTR")
            assert (reply["comp"], reply["reason"]) == (0, 0)
            md: Descriptor = reply["descriptor"]
            pmo: PutOptions = reply["options"]
            ids.append(md.msg_id)
            assert md.put_appl_name == "app"
            assert md.put_appl_type == 28
            assert md.user_id == "mqm"
            assert len(md.put_date + md.put_time) == 16
            assert pmo.resolved_queue_name == "A"
            assert pmo.resolved_qmgr_name == "QM1"
        assert len(set(ids)) == 3
        for number in range(3):
            reply = await partner.get(handle)
            assert reply["data"] == b"m%d" % number
            got: Descriptor = reply["descriptor"]
            assert got.msg_id == ids[number]
            assert got.correl_id == b"c" * 24
            assert got.format == "MQSTR"
            assert got.put_appl_name == "app"
            assert reply["options"].resolved_queue_name == "A"
        assert (await partner.get(handle))["reason"] == 2033
        assert (await partner.call(fap.MQCLOSE, {"handle": handle, "options": 0}))["handle"] == -1
        assert (await partner.call(fap.MQDISC, {}))["reason"] == 0

    run_story(story, share, **form)


@pytest.mark.parametrize("share", [0, 10])
@pytest.mark.parametrize("size", [0, 1, 32747, 32748, 32749, 300_000])
def test_message_of_any_size_then_it_comes_back_whole(share: int, size: int) -> None:
    data = random.Random(size).randbytes(size)

    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        reply = await partner.put(handle, data)
        assert (reply["reason"], reply["data_length"]) == (0, size)
        reply = await partner.get(handle, length=size)
        assert reply["data"] == data

    run_story(story, share)


def test_unit_of_work_when_ended_then_it_has_happened_or_not() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        await partner.put(handle, b"no", mq.MQPMO_SYNCPOINT)
        assert (await partner.call(fap.MQBACK, {}))["reason"] == 0
        assert place.depth("A") == 0
        await partner.put(handle, b"yes", mq.MQPMO_SYNCPOINT)
        assert (await partner.call(fap.MQCMIT, {}))["reason"] == 0
        reply = await partner.get(handle, mq.MQGMO_SYNCPOINT)
        assert reply["data"] == b"yes"
        await partner.call(fap.MQBACK, {})
        reply = await partner.get(handle, mq.MQGMO_SYNCPOINT)
        assert reply["descriptor"].backout_count == 1

    run_story(story)


def test_socket_when_lost_then_unit_of_work_is_backed_out() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        await partner.put(handle, b"stays")
        await partner.get(handle, mq.MQGMO_SYNCPOINT)
        await partner.put(handle, b"goes", mq.MQPMO_SYNCPOINT)
        await partner.lose()
        assert place.depth("A") == 1
        assert place.acceptor.admission.left == 1
        assert len(place.host.engine.kernel.connections) == 1  # the administrator's
        assert partner.socket not in place.host.sockets

    run_story(story)


def test_disconnect_when_said_then_unit_of_work_is_committed() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        await partner.put(handle, b"stays", mq.MQPMO_SYNCPOINT)
        await partner.call(fap.MQDISC, {})
        assert place.depth("A") == 1
        assert (await partner.connect())["reason"] == 0  # the conversation may be used again

    run_story(story)


def test_get_when_message_comes_later_then_it_waits() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        given = await partner.get(handle)
        assert given["reason"] == 2033
        waiting = asyncio.create_task(partner.get(handle, mq.MQGMO_WAIT, wait_ms=-1))
        await asyncio.sleep(0)
        assert not partner.look()
        with place.admin.queue("A") as queue:
            queue.put(b"late")
        assert (await waiting)["data"] == b"late"

    run_story(story, 0)


def test_get_when_time_is_over_then_there_is_no_message() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        begun = place.host.turns.clock.monotonic_ns()
        partner.send_flow(
            fap.MQGET,
            {
                "handle": handle,
                "descriptor": Descriptor(),
                "options": _wait(30),
                "buffer_length": 100,
            },
        )
        await partner.wait()
        assert (await partner.values(fap.MQGET + fap.REPLY))["reason"] == 2033
        assert place.host.turns.clock.monotonic_ns() - begun >= 30_000_000

    run_story(story, 0)


def _wait(wait_ms: int) -> object:
    return GetOptions(options=mq.MQGMO_WAIT, wait_interval=wait_ms)


def test_get_that_waits_when_socket_is_lost_then_it_takes_nothing() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        partner.send_flow(
            fap.MQGET,
            {
                "handle": handle,
                "descriptor": Descriptor(),
                "options": _wait(-1),
                "buffer_length": 100,
            },
        )
        await partner.lose()
        with place.admin.queue("A") as queue:
            queue.put(b"late")
        assert place.depth("A") == 1

    run_story(story, 0)


def test_call_when_another_waits_then_it_comes_after_it() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        partner.send_flow(
            fap.MQGET,
            {
                "handle": handle,
                "descriptor": Descriptor(),
                "options": _wait(-1),
                "buffer_length": 100,
            },
        )
        partner.send_flow(fap.MQCMIT, {})
        assert not partner.look()
        with place.admin.queue("A") as queue:
            queue.put(b"late")
        assert (await partner.values(fap.MQGET + fap.REPLY))["data"] == b"late"
        assert (await partner.values(fap.MQCMIT + fap.REPLY))["reason"] == 0

    run_story(story)


def test_get_when_identifiers_differ_then_the_right_message_comes() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        for number in range(5):
            await partner.put(handle, b"%d" % number, correl_id=bytes([number + 1]) * 24)
        for number in (3, 1, 4, 0, 2):
            reply = await partner.get(handle, correl_id=bytes([number + 1]) * 24)
            assert reply["data"] == b"%d" % number

    run_story(story)


def test_get_when_buffer_is_short_then_message_is_cut() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        await partner.put(handle, b"12345")
        reply = await partner.get(handle, length=3)
        assert (reply["comp"], reply["reason"]) == (1, 2080)
        # behind it, what fills the segment
        assert (reply["data_length"], reply["data"]) == (5, b"123\0")
        assert place.depth("A") == 1
        accept = mq.MQGMO_ACCEPT_TRUNCATED_MSG
        reply = await partner.get(handle, accept, length=3)
        assert (reply["comp"], reply["reason"], reply["data"]) == (1, 2079, b"123\0")
        assert place.depth("A") == 0

    run_story(story)


def test_get_when_converted_then_text_is_in_the_set_that_is_asked_for() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        await partner.put(handle, "hé".encode(), ccsid=1208, format="MQSTR")
        reply = await partner.get(handle, mq.MQGMO_CONVERT, ccsid=819)
        assert reply["data"] == "hé".encode("latin-1")
        assert reply["descriptor"].ccsid == 819
        await partner.put(handle, "hé".encode("latin-1"), ccsid=819, format="MQSTR")
        reply = await partner.get(handle, mq.MQGMO_CONVERT, ccsid=1208, length=2)
        assert (reply["comp"], reply["reason"]) == (1, 2120)
        assert reply["data"][:2] == "hé".encode("latin-1")  # as it is
        assert reply["descriptor"].ccsid == 819

    run_story(story)


def test_partner_when_it_changes_its_form_then_answers_change_too() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        for order, ccsid in ((BIG, 819), (LITTLE, 1208), (BIG, 819)):
            partner.order = order
            partner.ccsid = ccsid
            assert (await partner.put(handle, b"x", format="MQSTR"))["reason"] == 0
            assert (await partner.get(handle))["descriptor"].format == "MQSTR"

    run_story(story)


@pytest.mark.parametrize(
    ("ccsid", "names"),
    [(819, ("??", "?", "?")), (500, ("??", "?", "?")), (943, ("\u65e5\u672c", "\u65e5", "?"))],
)
def test_descriptor_when_the_partners_set_lacks_characters_then_its_message_comes_all_the_same(
    ccsid: int, names: tuple[str, str, str]
) -> None:
    """Whoever may put must not block a queue for partners of another set."""

    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL | mq.MQOO_SET_ALL_CONTEXT)
        fields = {"put_appl_name": "\u65e5\u672c", "reply_to_queue": "\u65e5", "format": "\u0e01"}
        await partner.put(handle, b"x", mq.MQPMO_SET_ALL_CONTEXT, **fields)
        partner.ccsid, partner.ebcdic, partner.order = ccsid, ccsid == 500, BIG
        reply = await partner.get(handle)
        reported = reply["descriptor"]
        assert (reply["reason"], reply["data"][:1]) == (0, b"x")
        assert (reported.put_appl_name, reported.reply_to_queue, reported.format) == names
        assert place.depth("A") == 0

    run_story(story, ccsid=1208)


def test_descriptor_when_its_text_is_longer_in_the_partners_set_then_it_is_cut() -> None:
    """In GB18030 each of these takes four bytes."""

    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL | mq.MQOO_SET_ALL_CONTEXT)
        await partner.put(handle, b"x", mq.MQPMO_SET_ALL_CONTEXT, put_appl_name="\u00e5" * 14)
        partner.ccsid, partner.order = 1392, BIG
        reply = await partner.get(handle)
        assert (reply["reason"], reply["descriptor"].put_appl_name) == (0, "\u00e5" * 7)

    run_story(story, ccsid=1208)


def test_message_when_it_expires_then_what_is_left_is_reported() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        await partner.put(handle, b"x", expiry=600)
        reply = await partner.get(handle)
        assert 1 <= reply["descriptor"].expiry <= 600

    run_story(story)


def test_requests_when_they_name_a_queue_for_replies_then_they_share_their_base() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        for number in range(3):
            reply = await partner.put(
                handle, b"x", msg_type=mq.MQMT_REQUEST, reply_to_queue="B", correl_id=b"%d" % number
            )
            assert reply["descriptor"].reply_to_qmgr == "QM1"
        first = place.host.engine.kernel.locals["A"].queue.lanes[0].front.head
        assert first is not None
        assert first.next is not None
        assert first.next.base is first.base

    run_story(story)


def test_open_when_model_queue_then_the_name_is_reported() -> None:
    async def story(place: Place, partner: Partner) -> None:
        od = ObjectDescriptor(
            object_name="SYSTEM.DEFAULT.MODEL.QUEUE", dynamic_queue_name="REPLY.*", version=3
        )
        options = mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_OUTPUT
        reply = await partner.call(fap.MQOPEN, {"object": od, "options": options, "fopa": {}})
        made: ObjectDescriptor = reply["object"]
        assert made.object_name.startswith("REPLY.")
        assert made.resolved_queue_name == made.object_name
        assert made.resolved_qmgr_name == "QM1"
        assert reply["fopa"]["default_put_response"] == mq.MQPRT_SYNC_RESPONSE
        assert reply["fopa"]["default_read_ahead"] == mq.MQREADA_NO

    run_story(story)


def test_call_when_refused_then_reason_is_reported() -> None:
    async def story(place: Place, partner: Partner) -> None:
        given = {"object": ObjectDescriptor(object_name="NONE"), "options": ALL, "fopa": {}}
        reply = await partner.call(fap.MQOPEN, given)
        assert (reply["comp"], reply["reason"], reply["handle"]) == (2, 2085, -1)
        assert (await partner.put(77, b"x"))["reason"] == 2019
        assert (await partner.get(77))["reason"] == 2019
        handle = await partner.open("A", mq.MQOO_INPUT_SHARED)
        assert (await partner.put(handle, b"x"))["reason"] == 2039
        output = await partner.open("A", mq.MQOO_OUTPUT)
        assert (await partner.get(output))["reason"] == 2037
        for _ in range(2):  # also once it is known
            assert (await partner.put(output, b"x", priority=-7))["reason"] == 2050
        assert (await partner.put(output, bytes(1_000_001)))["reason"] == 2218
        refused = await partner.call(fap.MQSUB, {"subscription": SubscriptionDescriptor()})
        assert (refused["reason"], refused["subscription_handle"]) == (2046, -1)

    run_story(story)


def test_put1_when_called_then_message_is_there() -> None:
    async def story(place: Place, partner: Partner) -> None:
        given = partner.put_values(0, b"one")
        given["object"] = ObjectDescriptor(object_name="A")
        reply = await partner.call(fap.MQPUT1, given)
        assert reply["reason"] == 0
        assert reply["descriptor"].put_appl_name == "app"
        assert reply["options"].resolved_queue_name == "A"
        assert place.depth("A") == 1
        given["object"] = ObjectDescriptor(object_name="NONE")
        assert (await partner.call(fap.MQPUT1, given))["reason"] == 2085
        assert len(place.host.engine.kernel.locals["A"].handles) == 0

    run_story(story)


def test_attributes_when_inquired_and_set_then_they_are_the_queues() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        await partner.put(handle, b"x")
        asked = {
            "handle": handle,
            "selectors": [mq.MQIA_CURRENT_Q_DEPTH, mq.MQCA_Q_NAME, mq.MQIA_INHIBIT_PUT],
            "integer_count": 2,
            "character_length": 48,
        }
        reply = await partner.call(fap.MQINQ, asked)
        assert reply["integers"] == [1, 0]
        assert reply["characters"] == b"A".ljust(48)
        asked["integer_count"] = 1
        reply = await partner.call(fap.MQINQ, asked)
        assert (reply["comp"], reply["reason"], reply["integers"]) == (1, 2022, [1])
        given = {"handle": handle, "selectors": [mq.MQIA_INHIBIT_PUT], "integers": [1]}
        assert (await partner.call(fap.MQSET, given))["reason"] == 0
        assert (await partner.put(handle, b"x"))["reason"] == 2051
        asked["selectors"] = [1_000_000]
        assert (await partner.call(fap.MQINQ, asked))["reason"] == 2067

    run_story(story)


def test_puts_without_answer_when_some_fail_then_status_counts_them() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        asynchronous = mq.MQPMO_ASYNC_RESPONSE
        for number in range(3):
            partner.send_flow(fap.MQPUT, partner.put_values(handle, b"%d" % number, asynchronous))
        place.mqsc("ALTER QLOCAL(A) PUT(DISABLED)")
        for number in range(2):
            partner.send_flow(fap.MQPUT, partner.put_values(handle, b"%d" % number, asynchronous))
        assert not partner.look()
        given = {"status_type": mq.MQSTAT_TYPE_ASYNC_ERROR, "status": Status()}
        status: Status = (await partner.call(fap.MQSTAT, given))["status"]
        counts = (status.put_success_count, status.put_failure_count)
        assert counts == (3, 2)
        assert (status.comp, status.reason, status.object_name) == (2, 2051, "A")
        again: Status = (await partner.call(fap.MQSTAT, given))["status"]
        assert (again.put_success_count, again.put_failure_count, again.reason) == (0, 0, 0)

    run_story(story)


def test_connect_when_refused_then_conversation_may_try_again() -> None:
    async def story(place: Place, partner: Partner) -> None:
        await partner.call(fap.MQDISC, {})
        assert (await partner.connect(name="OTHER"))["reason"] == 2058
        given = {"user_id": "joe", "password": b"wrong"}
        partner.send_flow(fap.CONAUTH_INFO, given)
        await partner.next(fap.STATUS_DATA)
        assert (await partner.connect())["reason"] == 2035
        partner.send_flow(fap.CONAUTH_INFO, {"user_id": "joe", "password": b"right"})
        await partner.next(fap.STATUS_DATA)
        reply = await partner.connect(name="*GROUP")
        assert (reply["reason"], reply["qmgr_name"]) == (0, "QM1")
        assert reply["fcno"]["connection_tag"].startswith(b"AMQC")

    run_story(story)


def test_properties_when_none_are_wanted_then_the_header_goes() -> None:
    folder = b"<usr><color>red</color></usr>".ljust(32)
    own = b"<mine><x>1</x></mine>".ljust(24)
    head = b"RFH \0\0\0\2" + (36 + 4 + len(folder)).to_bytes(4, "big")
    head += (273).to_bytes(4, "big") + (1208).to_bytes(4, "big") + b"MQSTR   "
    head += bytes(4) + (1208).to_bytes(4, "big")
    with_usr = head + len(folder).to_bytes(4, "big") + folder

    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        kept = with_usr[:8] + (36 + 8 + len(folder) + len(own)).to_bytes(4, "big") + with_usr[12:]
        kept += len(own).to_bytes(4, "big") + own
        for data in (with_usr, with_usr, kept):
            await partner.put(handle, data + b"body", format="MQHRF2", encoding=273, ccsid=819)
        assert (await partner.get(handle))["data"] == with_usr + b"body"
        reply = await partner.get(handle, mq.MQGMO_NO_PROPERTIES)
        assert reply["data"] == b"body"
        md: Descriptor = reply["descriptor"]
        assert (md.format, md.ccsid, md.encoding) == ("MQSTR", 1208, 273)
        reply = await partner.get(handle, mq.MQGMO_NO_PROPERTIES)
        assert reply["data"].endswith(own + b"body")
        assert b"color" not in reply["data"]

    run_story(story)


def test_property_area_before_the_data_when_the_client_is_not_ours_then_the_option_is_refused() -> (
    None
):
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        options = mq.MQPMO_NO_SYNCPOINT | fap.AREA_BEFORE_DATA
        for _ in range(2):
            reply = await partner.put(handle, b"body", options)
            assert reply["reason"] == 2046  # MQRC_OPTIONS_ERROR
        assert place.depth("A") == 0

    run_story(story)
