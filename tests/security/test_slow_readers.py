"""Goal: a connected client that does not read cannot make the queue manager keep ever more bytes.

Method: partners of the network whose pipe is clogged ask for long messages, many at once. What is
written for them and has not left is counted; no clock is looked at.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from ternmq import constants as mq
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.host.answer_room import OUT_BYTES_MAX
from ternmq.network.edge.partner_socket import WRITE_BYTES
from ternmq.wire.fap import vocabulary as fap
from ternmq.wire.fap.part import Values
from tests.unit.network.partner import Partner, Place, run_story

LONG = 900_000
ANSWER_BYTES = LONG + 2000  # with its head
EACH_BYTES_MAX = OUT_BYTES_MAX + WRITE_BYTES + ANSWER_BYTES
MANY = 60


def held(*partners: Partner) -> int:
    return sum(one.socket.line.unsent_bytes() for one in partners)


def get_values(handle: int, options: int, wait_ms: int = 0) -> Values:
    return {
        "handle": handle,
        "descriptor": Descriptor(),
        "options": GetOptions(options=options, wait_interval=wait_ms),
        "buffer_length": LONG,
    }


async def settled() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


async def with_long_messages(place: Place, partner: Partner, count: int) -> int:
    place.mqsc("ALTER QLOCAL(A) MAXDEPTH(1000)")
    handle = await partner.open("A", mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT | mq.MQOO_BROWSE)
    for _ in range(count):
        assert (await partner.put(handle, bytes(LONG)))["reason"] == 0
    return handle


async def read_until(partner: Partner, is_there: Callable[[], bool]) -> None:
    """The partner reads, and what is held meanwhile stays within its limit."""
    for _ in range(2000):
        if is_there():
            return
        assert held(partner) <= EACH_BYTES_MAX
        partner.pipe.take()
        await asyncio.sleep(0)
    raise AssertionError("it does not come")


def test_browses_when_many_are_sent_and_nothing_is_read_then_answers_are_not_made() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await with_long_messages(place, partner, 1)
        await partner.call(fap.MQGET, get_values(handle, mq.MQGMO_BROWSE_FIRST))  # is kept
        partner.pipe.is_clogged = True
        partner.held = []
        for _ in range(MANY):
            partner.send_flow(fap.MQGET, get_values(handle, mq.MQGMO_BROWSE_FIRST))
        together, partner.held = b"".join(partner.held), None
        partner.socket.data_received(together)
        await settled()
        assert held(partner) <= EACH_BYTES_MAX
        await read_until(partner, lambda: len(partner.look()) == MANY)
        assert all(one.header.type == fap.MQGET + fap.REPLY for one in partner.came)

    run_story(story)


def test_gets_when_all_conversations_wait_and_nothing_is_read_then_one_is_answered() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handles = {1: await partner.open("A", mq.MQOO_INPUT_SHARED)}
        for number in range(2, 11):
            partner.action(fap.ACTION_START, number)
            await partner.next(fap.SOCKET_ACTION)
            assert (await partner.connect(number))["reason"] == 0
            handles[number] = await partner.open("A", mq.MQOO_INPUT_SHARED, number)
        for number, handle in handles.items():
            partner.send_flow(fap.MQGET, get_values(handle, mq.MQGMO_WAIT, 60_000), number)
        partner.pipe.is_clogged = True
        queue = place.admin.queue("A")
        for _ in handles:
            queue.put(bytes(LONG))
        await settled()
        assert held(partner) <= EACH_BYTES_MAX
        await read_until(partner, lambda: len(partner.look()) == len(handles))
        assert place.depth("A") == 0

    run_story(story)


@pytest.mark.parametrize("is_known", [False, True])
def test_get_when_its_partner_goes_as_it_is_answered_then_the_message_goes_back(
    is_known: bool,
) -> None:
    """Between the end of a connection and the loop's word of it, a socket takes every answer."""

    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", mq.MQOO_INPUT_SHARED)
        partner.send_flow(fap.MQGET, get_values(handle, mq.MQGMO_WAIT, 60_000))
        await settled()
        place.admin.queue("A").put(b"once", persistent=True)
        if is_known:
            partner.pipe.closed = True
            asyncio.get_running_loop().call_later(0.01, partner.socket.connection_lost, None)
        else:
            partner.pipe.is_broken = True
        await asyncio.wait_for(partner.socket.gone, 5)
        assert place.depth("A") == 1

    run_story(story)


def test_stream_when_its_window_is_vast_and_nothing_is_read_then_it_pauses() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await with_long_messages(place, partner, 12)
        partner.pipe.is_clogged = True
        partner.request(handle, 2_000_000_000, flags=fap.STREAM)
        await settled()
        assert held(partner) <= EACH_BYTES_MAX
        await read_until(partner, lambda: len(partner.look()) == 12)

    run_story(story)


def test_partners_when_all_are_full_then_the_next_waits_and_who_does_not_read_is_cut() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await with_long_messages(place, partner, 1)
        room = place.host.turns.room
        room.limit(3 * LONG)
        partners: list[Partner] = []
        for _ in range(10):
            other = Partner(place.host)
            await other.open_channel()
            await other.connect()
            browser = await other.open("A", mq.MQOO_BROWSE)
            other.pipe.is_clogged = True
            partners.append(other)
            for _ in range(3):
                other.send_flow(fap.MQGET, get_values(browser, mq.MQGMO_BROWSE_FIRST))
        await settled()
        assert held(*partners) <= room.bytes_max + ANSWER_BYTES
        assert held(*partners) <= room.held_bytes <= 2 * held(*partners), (
            "a loop may keep sent bytes"
        )
        partner.send_flow(fap.MQGET, get_values(handle, mq.MQGMO_BROWSE_FIRST))
        await settled()
        assert not partner.look(), "it waits for room"
        reader = next(one for one in partners if one.pipe.unsent)
        reader.pipe.is_clogged = False
        reader.pipe.take()
        for _ in range(20):
            await settled()
            assert held(*partners) <= room.bytes_max + ANSWER_BYTES
            if partner.look():
                break
            room.look()  # some have waited for a while
        assert (await partner.values(fap.MQGET + fap.REPLY))["data_length"] == LONG
        assert not reader.pipe.closed
        stalled = [one for one in partners if one.pipe.closed]
        assert stalled
        assert "AMQ9206E" in place.notices()
        for other in partners:
            if not other.pipe.closed:
                await other.lose()
        assert room.held_bytes == 0

    run_story(story)


def test_get_when_its_answer_has_not_left_and_the_socket_is_cut_then_the_message_is_back() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await with_long_messages(place, partner, 0)
        place.admin.queue("A").put(bytes(LONG), persistent=True)
        partner.pipe.is_clogged = True
        partner.send_flow(fap.MQGET, get_values(handle, 0))
        await settled()
        assert place.depth("A") == 0
        partner.socket.abort()
        await partner.socket.gone
        assert place.depth("A") == 1

    run_story(story)


def test_get_when_the_socket_is_cut_right_after_its_answer_then_the_message_is_back() -> None:
    """What is cut off has an empty buffer before it tells that it is lost."""

    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", mq.MQOO_INPUT_SHARED)
        place.admin.queue("A").put(b"one", persistent=True)
        partner.pipe.is_clogged = True
        partner.send_flow(fap.MQGET, get_values(handle, 0))
        assert place.depth("A") == 0
        partner.socket.abort()
        await partner.socket.gone
        assert place.depth("A") == 1

    run_story(story)


def test_get_when_it_is_served_after_the_socket_was_closed_then_the_message_is_back() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", mq.MQOO_INPUT_SHARED)
        partner.send_flow(fap.MQGET, get_values(handle, mq.MQGMO_WAIT, 60_000))
        await settled()
        place.admin.queue("A").put(b"one", persistent=True)  # it has a job to do, and
        partner.socket.line.close_with(fap.QM_TERMINATING)  # nobody to answer
        await partner.socket.gone
        assert place.depth("A") == 1

    run_story(story)


def test_stop_when_calls_wait_for_room_then_it_does_not_wait_for_them() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await with_long_messages(place, partner, 0)
        queue = place.admin.queue("A")
        for _ in range(3):
            queue.put(bytes(LONG), persistent=True)
        partner.pipe.is_clogged = True
        for _ in range(3):
            partner.send_flow(fap.MQGET, get_values(handle, 0))
        await settled()
        place.admin.disconnect()
        partner.socket.line.stop_waiting()
        await asyncio.wait_for(place.host.loop_shell.drain(), 10)
        partner.socket.notify_end(False)
        partner.socket.abort()
        await partner.socket.gone
        assert place.depth("A") == 3

    run_story(story)
