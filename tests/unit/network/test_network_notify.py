"""Goal: a client ends the waits of its connections, and connection consumers are sent what comes.

Method: a partner in the same loop sends SPI NOTIFY and REQUEST_MSGS as IBM's Java client does when
something is closed while a thread receives, and for sessions of application servers.
"""

import asyncio

import pytest

from ternmq.base import constants as mq
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED, MQRC_OPTIONS_ERROR, MQRC_XWAIT_CANCELED
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.flow import read_body
from ternmq.wire.fap.part import Values
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core

ALL = mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE
LONG_MS = 100_000
MARKING = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_UNMARKED_BROWSE_MSG | mq.MQGMO_MARK_BROWSE_CO_OP


def notify(tag: bytes, options: int = 1, reason: int = MQRC_XWAIT_CANCELED) -> Values:
    spni = {"options": options, "reason": reason, "connection_id": tag}
    return {"verb": fap.SPI_NOTIFY, "reply_bytes_max": 12, "spnu": {}, "spni": spni}


def tag_of(partner: Partner, conversation: int = 1) -> bytes:
    verbs = partner.socket.line.conversations[conversation].verbs
    assert verbs is not None
    return bytes(verbs.link.tag)


def put(place: Place, text: bytes) -> None:
    with place.admin.queue("A") as queue:
        queue.put(text)


def messages(partner: Partner) -> list[bytes]:
    found = [read_body(one, 10).values["data"] for one in partner.look()]
    assert {one.header.type for one in partner.came} <= {fap.ASYNC_MESSAGE}
    partner.came.clear()
    return found


async def second(partner: Partner) -> int:
    """Another conversation of the same socket."""
    partner.action(fap.ACTION_START, 3)
    await partner.next(fap.SOCKET_ACTION)
    assert (await partner.connect(3))["reason"] == 0
    return 3


def test_request_that_waits_when_another_conversation_notifies_then_it_ends_with_2107() -> None:
    async def story(place: Place, partner: Partner) -> None:
        other = await second(partner)
        handle = await partner.open("A", ALL)
        options = mq.MQGMO_WAIT | mq.MQGMO_SYNCPOINT
        partner.request(handle, options=options, wait_ms=LONG_MS)
        assert not partner.look()
        reply = await reported(partner, notify(tag_of(partner)), other)
        assert reply["reason"] == 0
        put(place, b"stays")
        for _ in range(5):
            await asyncio.sleep(0)
        assert not partner.look()
        assert (await partner.call(fap.MQCMIT, {}))["reason"] == 0
        assert not partner.look()
        assert place.depth("A") == 1

    async def reported(partner: Partner, given: Values, conversation: int) -> Values:
        partner.send_flow(fap.SPI, given, conversation)
        note = await partner.values(fap.NOTIFICATION)
        assert (note["code"], note["value"]) == (fap.STREAMING_FAILURE, MQRC_XWAIT_CANCELED)
        return await partner.values(fap.SPI + fap.REPLY)

    run_story(story)


@pytest.mark.parametrize("share", [0, 1])
def test_mqget_that_waits_when_its_own_conversation_notifies_then_it_ends(share: int) -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        number = next(iter(partner.socket.line.conversations))
        given = {
            "handle": handle,
            "descriptor": Descriptor(),
            "options": GetOptions(options=mq.MQGMO_WAIT, wait_interval=LONG_MS),
            "buffer_length": 100,
        }
        partner.send_flow(fap.MQGET, given)
        assert not partner.look()
        partner.send_flow(fap.SPI, notify(tag_of(partner, number)))
        ended = await partner.values(fap.MQGET + fap.REPLY)
        assert (ended["comp"], ended["reason"]) == (mq.MQCC_FAILED, MQRC_XWAIT_CANCELED)
        assert (await partner.values(fap.SPI + fap.REPLY))["reason"] == 0
        put(place, b"stays")
        assert place.depth("A") == 1

    run_story(story, share=share)


def test_notify_when_nothing_waits_or_nobody_is_meant_then_it_does_nothing() -> None:
    async def story(place: Place, partner: Partner) -> None:
        for tag in (tag_of(partner), b"nobody".ljust(24)):
            assert (await partner.call(fap.SPI, notify(tag)))["reason"] == 0
        wrong = [notify(tag_of(partner), 2), notify(tag_of(partner), 1, 2033)]
        for given in wrong:
            assert (await partner.call(fap.SPI, given))["reason"] == MQRC_OPTIONS_ERROR

    run_story(story)


def test_notify_when_the_connection_is_another_users_then_refused() -> None:
    async def story(place: Place, partner: Partner) -> None:
        other = await second(partner)
        handle = await partner.open("A", ALL)
        partner.request(handle, options=mq.MQGMO_WAIT, wait_ms=LONG_MS)
        verbs = partner.socket.line.conversations[other].verbs
        assert verbs is not None
        verbs.link.user = "somebody"
        reply = await partner.call(fap.SPI, notify(tag_of(partner)), other)
        assert reply["reason"] == MQRC_NOT_AUTHORIZED
        put(place, b"one")
        await partner.wait()
        assert messages(partner) == [b"one"]

    run_story(story)


def test_connection_consumer_then_it_is_sent_what_is_there_and_what_comes_once_it_is_started() -> (
    None
):
    async def story(place: Place, partner: Partner) -> None:
        put(place, b"before")
        handle = await partner.open("A", ALL | mq.MQOO_CO_OP)
        partner.request(handle, 100_000, options=MARKING, flags=0)
        assert not partner.look()  # MQCB, and not started yet
        partner.send_flow(fap.NOTIFICATION, {"handle": -1, "code": fap.CONN_STATE, "value": 2})
        assert messages(partner) == [b"before"]
        put(place, b"after")
        await partner.wait()
        assert messages(partner) == [b"after"]
        assert place.depth("A") == 2

    run_story(story)


def test_notify_when_the_client_does_not_read_then_it_is_not_answered_without_end() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", ALL)
        given = {
            "handle": handle,
            "descriptor": Descriptor(),
            "options": GetOptions(options=mq.MQGMO_WAIT, wait_interval=LONG_MS),
            "buffer_length": 100,
        }
        partner.send_flow(fap.MQGET, given)
        partner.socket.pause_writing()
        before = len(partner.pipe.data)
        for _ in range(50):
            partner.send_flow(fap.SPI, notify(b"nobody".ljust(24)))
        assert len(partner.pipe.data) == before
        partner.socket.resume_writing()
        put(place, b"one")
        assert (await partner.values(fap.MQGET + fap.REPLY))["data"] == b"one"
        assert (await partner.values(fap.SPI + fap.REPLY))["reason"] == 0

    run_story(story)


def test_get_that_reads_ahead_when_it_has_not_asked_then_it_is_ended_too() -> None:
    async def story(place: Place, partner: Partner) -> None:
        other = await second(partner)
        handle = await partner.open("A", ALL)
        options = mq.MQGMO_WAIT
        partner.request(handle, 102_400, options=options, wait_ms=LONG_MS)
        look = fap.SYNCHRONOUS | fap.LOOKS_AGAIN
        partner.request(handle, 102_400, options=options, flags=look, confirm=True, select=False)
        assert (await partner.values(fap.NOTIFICATION))["code"] == fap.CHECK_MSG
        # The next get of IBM's client does not ask: it takes its request to be open still.
        partner.send_flow(fap.SPI, notify(tag_of(partner)), other)
        note = await partner.values(fap.NOTIFICATION)
        assert (note["code"], note["value"]) == (fap.STREAMING_FAILURE, MQRC_XWAIT_CANCELED)
        assert (await partner.values(fap.SPI + fap.REPLY))["reason"] == 0
        partner.request(handle, 102_400, options=options, wait_ms=LONG_MS, select=False)
        put(place, b"one")
        await partner.wait()
        assert messages(partner) == [b"one"]

    run_story(story)
