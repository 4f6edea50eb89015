"""Goal: the room for answers of all sockets is bounded, shared fairly, and cuts off only those that
do not read.

Method: partners of the network whose pipe is clogged or not; what is held is counted, and the looks
that a timer takes are taken by hand.
"""

from __future__ import annotations

import asyncio

from ternmq import constants as mq
from ternmq.wire.fap import vocabulary as fap
from tests.security.test_slow_readers import ANSWER_BYTES, LONG, get_values, settled
from tests.unit.network.partner import Partner, Place, run_story


async def another(place: Place, address: str = "127.0.0.1") -> Partner:
    partner = Partner(place.host, address=address)
    await partner.open_channel()
    await partner.connect()
    return partner


def held(*partners: Partner) -> int:
    return sum(one.socket.line.unsent_bytes() for one in partners)


async def end(*partners: Partner) -> None:
    for one in partners:
        if not one.pipe.closed:
            await one.lose()
        else:
            await one.socket.gone


def test_browses_when_many_sockets_wait_for_one_message_then_all_together_are_bounded() -> None:
    async def story(place: Place, partner: Partner) -> None:
        room = place.host.turns.room
        room.limit(3 * LONG)
        partners: list[Partner] = []
        for _ in range(12):
            other = await another(place)
            browser = await other.open("A", mq.MQOO_BROWSE)
            options = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_WAIT
            other.send_flow(fap.MQGET, get_values(browser, options, 60_000))
            other.pipe.is_clogged = True
            partners.append(other)
        await settled()
        place.admin.queue("A").put(bytes(LONG))
        await settled()
        assert held(*partners) <= room.bytes_max + ANSWER_BYTES
        for one in partners:
            one.pipe.is_clogged = False
        for _ in range(20):
            for one in partners:
                one.pipe.take()
            room.tick()
            await settled()
        assert all(len(one.look()) == 1 for one in partners)
        await end(*partners)

    run_story(story)


def test_consumers_when_many_sockets_wait_for_one_message_then_all_together_are_bounded() -> None:
    async def story(place: Place, partner: Partner) -> None:
        room = place.host.turns.room
        room.limit(3 * LONG)
        partners: list[Partner] = []
        for _ in range(12):
            other = await another(place)
            browser = await other.open("A", mq.MQOO_BROWSE)
            options = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_WAIT
            other.request(browser, options=options, wait_ms=60_000, flags=fap.SYNCHRONOUS)
            other.pipe.is_clogged = True
            partners.append(other)
        await settled()
        place.admin.queue("A").put(bytes(LONG))
        await settled()
        assert held(*partners) <= room.bytes_max + ANSWER_BYTES
        for one in partners:
            one.pipe.is_clogged = False
        for _ in range(20):
            for one in partners:
                one.pipe.take()
            room.tick()
            await settled()
        assert all(len(one.look()) == 1 for one in partners)
        await end(*partners)

    run_story(story)


def test_requests_when_there_is_no_room_then_each_handle_waits_once() -> None:
    async def story(place: Place, partner: Partner) -> None:
        room = place.host.turns.room
        place.admin.queue("A").put(bytes(LONG))
        handle = await partner.open("A", mq.MQOO_INPUT_SHARED)
        room.limit(0)
        for _ in range(50):
            partner.request(handle)
        await settled()
        assert room.waiting == 1
        room.limit(3 * LONG)
        room.tick()
        await settled()
        assert len(partner.look()) == 1

    run_story(story)


def test_reader_when_it_holds_as_much_as_before_but_has_read_then_it_is_not_cut() -> None:
    async def story(place: Place, partner: Partner) -> None:
        room = place.host.turns.room
        place.admin.queue("A").put(bytes(LONG))
        reader = await another(place)
        stalled = await another(place)
        for one in (reader, stalled):
            handle = await one.open("A", mq.MQOO_BROWSE)
            one.pipe.is_clogged = True
            one.send_flow(fap.MQGET, get_values(handle, mq.MQGMO_BROWSE_FIRST))
        await settled()
        room.limit(LONG)
        waiting = await partner.open("A", mq.MQOO_BROWSE)
        partner.send_flow(fap.MQGET, get_values(waiting, mq.MQGMO_BROWSE_FIRST))
        await settled()
        reader.pipe.take()
        room.limit(1 << 30)
        reader.send_flow(fap.MQGET, get_values(handle, mq.MQGMO_BROWSE_FIRST))
        room.limit(LONG)
        await settled()
        room.look()
        await settled()
        assert stalled.pipe.closed
        assert not reader.pipe.closed
        await end(reader, stalled)

    run_story(story)


def test_get_when_one_address_holds_all_room_then_another_gets_at_once() -> None:
    async def story(place: Place, partner: Partner) -> None:
        room = place.host.turns.room
        place.admin.queue("A").put(bytes(LONG))
        room.limit(4 * LONG)
        greedy: list[Partner] = []
        for _ in range(20):
            other = await another(place, "192.0.2.66")
            handle = await other.open("A", mq.MQOO_BROWSE)
            other.pipe.is_clogged = True
            for _ in range(3):
                other.send_flow(fap.MQGET, get_values(handle, mq.MQGMO_BROWSE_FIRST))
            greedy.append(other)
        await settled()
        assert room.waiting > 0
        room.tick()
        handle = await partner.open("A", mq.MQOO_BROWSE)
        partner.send_flow(fap.MQGET, get_values(handle, mq.MQGMO_BROWSE_FIRST))
        assert (await partner.values(fap.MQGET + fap.REPLY))["data_length"] == LONG
        assert held(*greedy) <= room.bytes_max + ANSWER_BYTES
        assert not any(one.pipe.closed for one in greedy)
        await end(*greedy)

    run_story(story)


def test_close_when_the_partner_does_not_read_then_it_is_cut_off_after_a_while() -> None:
    async def story(place: Place, partner: Partner) -> None:
        place.admin.queue("A").put(bytes(LONG))
        other = await another(place)
        handle = await other.open("A", mq.MQOO_BROWSE)
        other.pipe.is_clogged = True
        other.send_flow(fap.MQGET, get_values(handle, mq.MQGMO_BROWSE_FIRST))
        await settled()
        other.socket._close_at_s = asyncio.get_running_loop().time()  # it was asked before
        other.socket.ask_to_stop(2)  # FORCE
        await asyncio.wait_for(other.socket.gone, 10)

    run_story(story)
