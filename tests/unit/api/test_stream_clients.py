"""Goal: streams, cursors and batches mean the same for tasks as for threads, over every way; who is
cancelled or cut off loses nothing; nobody but our own client finds them.

Method: one story a way with `ternmq.aio`; then what only one way has: small channels, sockets that
are cut, frames and calls made by hand.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

import ternmq
import ternmq.aio
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.wire import local as wire
from ternmq.wire.extension import pack_request, unpack_answer
from ternmq.wire.fap import vocabulary as fap
from tests.battery.places import until as until_true
from tests.unit.api import networked, served
from tests.unit.api.by_hand import answers, by_hand
from tests.unit.api.faces import in_loop
from tests.unit.network.partner import Partner, Place, run_story

pytestmark = pytest.mark.core


@asynccontextmanager
async def manager(way: str) -> AsyncIterator[Any]:
    """A queue manager with a queue A, and a connection to it."""
    if way == "embedded":
        opening: Any = ternmq.aio.memory("QM1")
    elif way == "served":
        opening = ternmq.aio.Opening(served.for_tasks(served.in_memory("QM1")))
    else:
        opening = ternmq.aio.Opening(networked.for_tasks(networked.in_memory("QM1")))
    async with opening as qmgr:
        await qmgr.define_queue("A")
        yield qmgr


def kernel_of(qmgr: Any) -> Any:
    if isinstance(qmgr, ternmq.aio.QueueManager):
        return qmgr.started.shell.engine.kernel
    return qmgr.served.started.shell.engine.kernel


def watchers(qmgr: Any) -> int:
    queue = kernel_of(qmgr).locals["A"].queue
    return 0 if queue.stream is None else len(queue.stream.watchers)


async def until(condition: Any) -> None:
    """Return when it holds; the timeout of the test is the limit."""
    await asyncio.to_thread(until_true, condition)


WAYS = pytest.mark.parametrize("way", ["embedded", "served", "network"])


@WAYS
@in_loop
async def test_tasks_read_ranges_and_move_cursors(way: str) -> None:
    async with manager(way) as qmgr:
        cursor = await qmgr.cursor("C", "A")
        for number in range(5):
            await qmgr.put("A", b"%d" % number)
        async with qmgr.stream("A") as stream:
            bounds = await stream.bounds()
            assert bounds.next - bounds.earliest == 5
            found = await stream.read(bounds.earliest + 1, count=2)
            assert [message.data for message in found] == [b"1", b"2"]
            blocks = [block async for block in stream.blocks(bounds.earliest)]
            assert sum(len(block) for block in blocks) == 5
        assert [message.data async for message in cursor] == [b"0", b"1", b"2", b"3", b"4"]
        assert await cursor.advance() == bounds.next
        assert (await cursor.refresh()).position == bounds.next
        again = await qmgr.cursor("C")
        assert (again.position, again.queue) == (bounds.next, "A")
        assert await again.reset("latest") == bounds.next
        again.seek(bounds.next)
        with pytest.raises(ValueError, match="negative"):
            again.seek(-1)
        await again.delete()
        with pytest.raises(ternmq.MQError) as gone:
            await cursor.read()
        assert gone.value.reason == rc.MQRC_UNKNOWN_OBJECT_NAME


@WAYS
@in_loop
async def test_a_task_waits_for_what_comes(way: str) -> None:
    async with manager(way) as qmgr:
        cursor = await qmgr.cursor("C", "A")
        other = await qmgr.connect()
        waiting = asyncio.create_task((await other.cursor("C")).poll())
        await until(lambda: watchers(qmgr) == 1)
        await qmgr.put("A", b"there")
        assert [message.data for message in await waiting] == [b"there"]
        assert await cursor.poll(wait=0) != []
        assert await cursor.poll(wait=0.01) == []
        assert watchers(qmgr) == 0
        await other.disconnect()


@WAYS
@in_loop
async def test_a_task_that_is_cancelled_leaves_its_connection_usable(way: str) -> None:
    async with manager(way) as qmgr:
        await qmgr.cursor("C", "A")
        other = await qmgr.connect()
        cursor = await other.cursor("C")
        waiting = asyncio.create_task(cursor.poll())
        await until(lambda: watchers(qmgr) == 1)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await until(lambda: watchers(qmgr) == 0)
        await other.put("A", b"after")
        assert [message.data for message in await cursor.read()] == [b"after"]
        await other.disconnect()


@WAYS
@in_loop
async def test_tasks_commit_batches(way: str) -> None:
    async with manager(way) as qmgr:
        xids = []
        for task in range(3):
            worker = await qmgr.connect()
            await worker.begin()
            await worker.put("A", b"%d" % task)
            xids.append(ternmq.batch_xid("sink", 1, b"%d" % task))
            await worker.prepare(xids[-1])
            await worker.disconnect()
        assert await qmgr.commit_batch("sink", 1, xids[:2]) == (True, (xids[2],))
        assert await qmgr.commit_batch("sink", 1, xids) == (False, ())
        async with qmgr.queue("A") as queue:
            assert [message.data async for message in queue.browse()] == [b"0", b"1"]


# ---- the network


@pytest.fixture
def network() -> Iterator[networked.Networked]:
    one = networked.in_memory()
    with one:
        with one.connect() as connection:
            connection.define_queue("A")
            connection.cursor("C", "A")
        yield one


@pytest.mark.parametrize("channel", ["ONE.SVRCONN", "ALONE.SVRCONN", "SHORT.SVRCONN"])
def test_every_kind_of_channel_carries_streams(network: networked.Networked, channel: str) -> None:
    bodies = [b"%02d" % number * 1500 for number in range(40)]
    with network.connect(channel=channel) as connection:
        for one in bodies:
            connection.put("A", one)
        cursor = connection.cursor("C")
        found: list[bytes] = []
        trips = 0
        while len(found) < len(bodies):
            found += [message.data for message in cursor.read()]
            trips += 1
        assert found == bodies
        assert (trips > 1) is (channel == "SHORT.SVRCONN")
        assert connection.commit_batch("sink", 1, []).committed


def test_a_message_too_long_for_the_channel_is_named(network: networked.Networked) -> None:
    with network.connect() as connection:
        connection.put("A", bytes(60_000))
    with network.connect(channel="SHORT.SVRCONN") as connection:
        cursor = connection.cursor("C")
        with pytest.raises(ternmq.MQError, match="the channel takes 50000") as refused:
            cursor.read()
        assert refused.value.reason == rc.MQRC_MSG_TOO_BIG_FOR_CHANNEL
        assert connection.stream("A").bounds().cursors == 1


def test_a_cursor_outlives_its_socket(network: networked.Networked) -> None:
    events: list[int] = []
    connection = network.connect(reconnect=True, on_event=events.append)
    cursor = connection.cursor("C")
    connection.put("A", b"one")
    assert [message.data for message in cursor.read()] == [b"one"]
    network.cut()
    until_true(lambda: network.host is not None and not network.host.sockets)
    with served.Served.connect(network) as other:  # not by the socket that is cut
        other.put("A", b"two")
    assert [message.data for message in cursor.read()] == [b"two"]
    assert cursor.advance() == cursor.next
    assert rc.MQRC_RECONNECTED in events
    connection.disconnect()


def test_other_clients_never_find_it() -> None:
    """QUERY does not tell of the verb, and who has not said that it is ours is refused."""

    async def story(place: Place, partner: Partner) -> None:
        asked = {"verb": fap.SPI_QUERY, "spqu": {}, "spqi": {}}
        reported = await partner.call(fap.SPI, asked)
        assert fap.SPI_EXTENSION not in [one["verb"] for one in reported["spqo"]["verbs"]]
        request = pack_request("commit_batch", {"owner": "x", "batch": 1, "xids": []})
        reply = await partner.call(fap.SPI, {"verb": fap.SPI_EXTENSION, "extension": request})
        assert (reply["comp"], reply["reason"]) == (2, rc.MQRC_FUNCTION_NOT_SUPPORTED)

    run_story(story)


def test_another_queue_manager_is_not_asked(network: networked.Networked) -> None:
    with network.connect() as connection:
        connection.transport.verbs.takes_back = False  # type: ignore[attr-defined]
        with pytest.raises(ternmq.MQError, match="not one of TernMQ") as refused:
            connection.cursor("C")
        assert refused.value.reason == rc.MQRC_FUNCTION_NOT_SUPPORTED


# ---- frames made by hand


@pytest.mark.parametrize(
    "request_made",
    [
        b"",
        b"[]",
        b"{",
        b'{"call": "nothing"}',
        b'{"call": "commit_batch"}',
        b'{"call": "commit_batch", "owner": "", "batch": 1, "xids": []}',
        b'{"call": "commit_batch", "owner": "x", "batch": -1, "xids": []}',
        b'{"call": "commit_batch", "owner": "x", "batch": 1, "xids": [[1, "", ""]]}',
        b'{"call": "cursor_open", "cursor": "no name", "queue": "A", "start": -1}',
        b'{"call": "cursor_open", "cursor": "C", "queue": "A", "start": -3}',
        b'{"call": "cursor_open", "cursor": "C", "queue": "A", "start": true}',
    ],
)
def test_a_frame_that_cannot_be_ends_the_connection(request_made: bytes) -> None:
    with served.in_memory("QM1") as one:
        peer, reader = by_hand(one)
        with peer:
            assert answers(peer, reader, 1)[0].kind == wire.OK
            reader.hello_is_done()
            peer.sendall(wire.frame(wire.EXTENSION, 2, request_made))
            (ended,) = answers(peer, reader, 1)
            assert ended.kind == wire.ENDED
            assert ended.json()["reason"] == rc.MQRC_CONNECTION_BROKEN


def test_what_a_frame_asks_is_bounded() -> None:
    """However much is asked for, an answer has about 16 MiB, and a wait half a second."""
    with served.in_memory("QM1") as one, one.connect() as connection:
        connection.define_queue("A", MAXDEPTH=100_000)
        connection.cursor("C", "A")
        with connection.queue("A") as queue:
            for _ in range(40):
                queue.put(bytes(1 << 20), persistent=False)
        peer, reader = by_hand(one)
        with peer:
            answers(peer, reader, 1)
            reader.hello_is_done()
            asked = {
                "queue": "A",
                "incarnation": 0,
                "first": 1,
                "end": 0,
                "messages_max": 0,
                "bytes_max": 1 << 40,
                "skip_lost": True,
                "wait_ms": 1 << 40,
                "selector": "",
            }
            peer.sendall(wire.frame(wire.EXTENSION, 2, pack_request("stream_read", asked)))
            (answer,) = answers(peer, reader, 1)
            reported, at = unpack_answer(answer.body)
            assert 8 << 20 < len(answer.body) - at <= 18 << 20
            asked["first"] = reported["bounds"][2]
            peer.sendall(wire.frame(wire.EXTENSION, 3, pack_request("stream_read", asked)))
            (empty,) = answers(peer, reader, 1)
            assert unpack_answer(empty.body)[0]["parts"] == []


@in_loop
async def test_answers_that_cannot_be_are_the_queue_managers_fault() -> None:
    async with manager("served") as qmgr:
        await qmgr.cursor("C", "A")
        await qmgr.put("A", b"x")
        verbs = qmgr.transport.verbs
        original = verbs.send_call

        def lying(name: str, arguments: dict[str, Any], subject: Any) -> Any:
            answer = yield from original(name, arguments, subject)
            result = json.loads(json.dumps(answer.result))
            result["parts"] = [[10, 0, 1]]
            return answer._replace(result=result)

        verbs.send_call = lying
        with pytest.raises(ternmq.MQError) as refused:
            await qmgr.stream("A").read(1)
        assert refused.value.reason == rc.MQRC_UNEXPECTED_ERROR
        assert "an answer that cannot be" in refused.value.detail


def test_compat_modules_know_nothing_of_it() -> None:
    from ternmq.compat.pymqi import CMQCFC

    assert not [name for name in vars(CMQCFC) if "CURSOR_POSITION" in name or "LEDGER" in name]
    assert not hasattr(mq, "MQCMD_CREATE_CURSOR")
