"""Goal: a message that is too long is refused with its reason, and the connection goes on.

Method: messages around and far beyond MAXMSGL of a channel and of every queue, by each client and
by a partner that sends what it should not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

import ternmq
from ternmq import constants as mq
from ternmq.base import reasons as rc
from ternmq.base.limits import MESSAGE_BYTES_MAX
from ternmq.codec.mqi.mqsts import Status
from ternmq.wire.fap import vocabulary as fap
from tests.unit.api import served
from tests.unit.api.networked import CHANNEL, Networked, in_memory
from tests.unit.network.partner import Partner, Place, run_story

LIMIT = 1_000_000
LENGTHS = (LIMIT + 1, LIMIT + 33_000, 3 * LIMIT)
MANY_LIMITS = 30


@pytest.fixture
def networked() -> Iterator[Networked]:
    with in_memory() as one:
        with served.Served.connect(one) as here:
            here.define_queue("A")
            here.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) MAXMSGL({LIMIT})")
        yield one


def refused(error: pytest.ExceptionInfo[ternmq.MQError]) -> None:
    assert error.value.reason == rc.MQRC_MSG_TOO_BIG_FOR_CHANNEL
    assert str(LIMIT) in str(error.value)


@pytest.mark.parametrize("length", LENGTHS)
def test_put_by_a_channel_when_it_is_too_long_then_the_handle_stays(
    networked: Networked, length: int
) -> None:
    with networked.connect() as connection, connection.queue("A") as queue:
        queue.put(b"one")
        with pytest.raises(ternmq.MQError) as put:
            queue.put(bytes(length))
        refused(put)
        with pytest.raises(ternmq.MQError) as put1:
            connection.put("A", bytes(length))
        refused(put1)
        with pytest.raises(ternmq.MQError) as silent:
            queue.put(bytes(length), options=mq.MQPMO_ASYNC_RESPONSE)
        refused(silent)
        queue.put(bytes(LIMIT))
        assert [len(one.data) for one in queue] == [3, LIMIT]


@pytest.mark.parametrize("length", LENGTHS)
def test_put_by_a_task_when_it_is_too_long_then_the_handle_stays(
    networked: Networked, length: int
) -> None:
    async def main() -> None:
        async with networked.connect_task() as connection, connection.queue("A") as queue:
            for options in (0, mq.MQPMO_ASYNC_RESPONSE):
                with pytest.raises(ternmq.MQError) as put:
                    await queue.put(bytes(length), options=options)
                refused(put)
            await queue.put(b"one")
            assert (await queue.get()).data == b"one"

    asyncio.run(main())


def test_get_by_a_channel_when_the_message_is_too_long_then_the_limit_is_named(
    networked: Networked,
) -> None:
    with served.Served.connect(networked) as here:
        here.put("A", bytes(2 * LIMIT))
    with networked.connect() as connection, connection.queue("A") as queue:
        with pytest.raises(ternmq.MQError) as get:
            queue.get()
        assert get.value.reason == rc.MQRC_TRUNCATED_MSG_FAILED
        assert f"{2 * LIMIT} bytes, the channel passes {LIMIT}" in str(get.value)
        with pytest.raises(ternmq.MQError) as small:
            queue.get(max_length=10)
        assert f"{2 * LIMIT} bytes, the buffer has 10" in str(small.value)
        assert queue.depth == 1


def test_put_by_the_local_socket_when_no_queue_takes_it_then_the_handle_stays() -> None:
    huge = bytes(MESSAGE_BYTES_MAX + 100_000)
    with ternmq.memory("QM2") as embedded:
        embedded.define_queue("A")
        with pytest.raises(ternmq.MQError) as expected:
            embedded.queue("A").put(huge)
    with served.in_memory("QM1") as one, one.connect() as connection:
        connection.define_queue("A")
        queue = connection.queue("A")
        queue.put(b"one")
        with pytest.raises(ternmq.MQError) as put:
            queue.put(huge)
        with pytest.raises(ternmq.MQError) as put1:
            connection.put("A", huge)
        assert put.value.reason == put1.value.reason == expected.value.reason
        assert queue.get().data == b"one"


@pytest.mark.parametrize("share", [0, 10])
@pytest.mark.parametrize("limits", [2, MANY_LIMITS])
def test_partner_when_its_put_is_too_long_then_it_is_read_dropped_and_refused(
    share: int, limits: int
) -> None:
    """The channel of the stage has MAXMSGL(1000000)."""

    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", mq.MQOO_OUTPUT)
        long = bytes(limits * LIMIT)
        kept: list[int] = []
        line = partner.socket.line
        partner.held = []
        partner.send_flow(fap.MQPUT, partner.put_values(handle, long))
        pieces, partner.held = partner.held, None
        for piece in pieces:
            partner.socket.data_received(piece)
            kept.append(line.kept_bytes + line._assembler.kept_bytes)
        reply = await partner.values(fap.MQPUT + fap.REPLY)
        assert reply["reason"] == rc.MQRC_MSG_TOO_BIG_FOR_CHANNEL
        assert max(kept) <= LIMIT + 100_000
        assert kept[-1] == 0
        values = partner.put_values(handle, long)
        del values["handle"]
        values |= partner.open_values("A", 0)
        values["options"] = partner.put_values(handle, long)["options"]
        reply = await partner.call(fap.MQPUT1, values)
        assert reply["reason"] == rc.MQRC_MSG_TOO_BIG_FOR_CHANNEL
        assert (await partner.put(handle, b"one"))["reason"] == 0
        assert place.depth("A") == 1

    run_story(story, share)


def test_partner_when_a_silent_put_is_too_long_then_mqstat_reports() -> None:
    async def story(place: Place, partner: Partner) -> None:
        handle = await partner.open("A", mq.MQOO_OUTPUT)
        options = mq.MQPMO_ASYNC_RESPONSE | mq.MQPMO_NO_SYNCPOINT
        partner.send_flow(fap.MQPUT, partner.put_values(handle, bytes(2 * LIMIT), options))
        reply = await partner.call(fap.MQSTAT, {"status_type": 0, "status": Status()})
        assert reply["status"].reason == rc.MQRC_MSG_TOO_BIG_FOR_CHANNEL
        assert reply["status"].put_failure_count == 1

    run_story(story)
