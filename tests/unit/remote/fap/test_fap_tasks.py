"""The asyncio client over TCP, against a queue manager of this process.

As `test_net_threads`; beside that cancelled gets, which must lose no message, and many tasks on few
sockets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

import ternmq
import ternmq.aio
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.remote.fap.fap_tasks import FapTasks
from tests.battery.places import until as until_true
from tests.battery.places import waiters
from tests.unit.api.networked import Networked, in_memory

pytestmark = pytest.mark.core

AHEAD = mq.MQOO_INPUT_SHARED | mq.MQOO_READ_AHEAD


@pytest.fixture
def served() -> Iterator[Networked]:
    """A queue manager with a queue A."""
    served = in_memory()
    with served:
        with served.connect() as connection:
            connection.define_queue("A")
        yield served


def stream_of(connection: ternmq.aio.Connection) -> object:
    transport = connection.transport
    assert isinstance(transport, FapTasks)
    return transport.line.stream


async def until(condition: Any) -> None:
    """Return when it holds; the timeout of the test is the limit."""
    await asyncio.to_thread(until_true, condition)


def waiting(served: Networked) -> int:
    return waiters(served)  # type: ignore[arg-type]


def test_connections_of_a_loop_share_sockets(served: Networked) -> None:
    async def main() -> None:
        many = await asyncio.gather(*(served.connect_task() for _ in range(12)))
        assert len({stream_of(one) for one in many}) == 2
        async with served.connect_task(channel="ALONE.SVRCONN") as alone:
            assert stream_of(alone) not in {stream_of(one) for one in many}
        for one in many:
            await one.disconnect()

    asyncio.run(main())


def test_many_tasks_get_their_own_answers(served: Networked) -> None:
    async def work(number: int) -> int:
        async with served.connect_task() as connection, connection.queue("A") as queue:
            for index in range(20):
                data = b"%d.%d" % (number, index)
                msg_id = await queue.put(data, persistent=index % 2 == 0)
                assert (await queue.get(msg_id=msg_id, wait=5)).data == data
        return number

    async def main() -> None:
        assert await asyncio.gather(*(work(number) for number in range(24))) == list(range(24))

    asyncio.run(main())


@pytest.mark.parametrize("channel", ["APP.SVRCONN", "ONE.SVRCONN", "ALONE.SVRCONN"])
@pytest.mark.parametrize("size", [0, 32_768, 1 << 20])
def test_messages_of_any_length_arrive_whole(served: Networked, channel: str, size: int) -> None:
    async def main() -> None:
        way = served.connect_task(channel=channel)
        async with way as connection, connection.queue("A") as queue:
            await queue.put(bytes(size))
            async with connection.unit_of_work():
                assert len((await queue.get()).data) == size
            await connection.put("A", "text")
            found = [message.text async for message in queue.browse()]
            assert found == ["text"]
            assert await queue.depth() == 1

    asyncio.run(main())


# ---- cancelled


@pytest.mark.parametrize("syncpoint", [False, True])
def test_a_waiting_get_that_is_cancelled_ends_at_once_and_takes_nothing(
    served: Networked, syncpoint: bool
) -> None:
    async def main() -> None:
        async with served.connect_task() as connection, connection.queue("A") as queue:
            task = asyncio.create_task(queue.get(wait=-1, syncpoint=syncpoint))
            await until(lambda: waiting(served) == 1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert waiting(served) == 0
            await queue.put(b"kept")
            assert (await queue.get()).data == b"kept"
            await connection.backout()

    asyncio.run(main())


def test_gets_that_are_cancelled_at_any_moment_lose_and_double_nothing(
    served: Networked,
) -> None:
    count = 150

    async def put_all() -> None:
        async with served.connect_task() as putter:
            for number in range(count):
                await putter.put("A", b"%d" % number)

    async def main() -> None:
        got: list[bytes] = []
        turns = 0
        putting = asyncio.create_task(put_all())
        async with served.connect_task() as getter, getter.queue("A") as queue:
            while len(got) < count:
                task = asyncio.create_task(queue.get(wait=-1))
                for _ in range(turns % 7):
                    await asyncio.sleep(0)
                turns += 1
                if turns % 3:
                    task.cancel()
                try:
                    got.append((await task).data)
                except asyncio.CancelledError:
                    pass
            await putting
            assert await queue.try_get() is None
        assert got == [b"%d" % number for number in range(count)]

    asyncio.run(main())


@pytest.mark.parametrize("has_get", [True, False])
def test_where_gets_cannot_be_taken_back_the_next_one_has_the_message(
    served: Networked, has_get: bool
) -> None:
    async def main() -> None:
        async with served.connect_task() as connection, connection.queue("A") as queue:
            transport = connection.transport
            assert isinstance(transport, FapTasks)
            verbs = transport.verbs
            verbs.takes_back = False
            verbs.has_get = has_get
            task = asyncio.create_task(queue.get(wait=-1))
            await until(lambda: waiting(served) == 1)
            task.cancel()
            async with served.connect_task() as other:
                await other.put("A", b"first")
                await other.put("A", b"second")
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await queue.get(wait=5)).data == b"first"
            assert (await queue.get(wait=5)).data == b"second"
            assert await queue.try_get(wait=1.2) is None

    asyncio.run(main())


def test_a_put_that_is_cancelled_goes_to_its_end(served: Networked) -> None:
    async def main() -> None:
        async with served.connect_task() as connection, connection.queue("A") as queue:
            task = asyncio.create_task(queue.put(b"x"))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await queue.put(b"y")
            assert [message.data async for message in queue] in ([b"x", b"y"], [b"y"])

    asyncio.run(main())


# ---- asynchronous puts and read-ahead


@pytest.mark.parametrize("kind", ["asyncio", "uvloop"])
def test_a_stream_of_asynchronous_puts_and_read_ahead_keeps_its_order(
    served: Networked, kind: str
) -> None:
    loop = pytest.importorskip(kind)

    async def put_all(count: int) -> None:
        async with served.connect_task() as connection, connection.queue("A") as queue:
            for number in range(count):
                data = number.to_bytes(4, "big") + bytes(1000)
                await queue.put(data, persistent=False, options=mq.MQPMO_ASYNC_RESPONSE)
            status = await connection.status()
            assert (status.put_success_count, status.put_failure_count) == (count, 0)

    async def main() -> None:
        count = 3000
        putting = asyncio.create_task(put_all(count))
        async with served.connect_task() as getter, getter.queue("A", options=AHEAD) as queue:
            for number in range(count):
                message = await queue.get(wait=5)
                assert int.from_bytes(message.data[:4], "big") == number
            assert await queue.try_get() is None
        await putting

    with asyncio.Runner(loop_factory=loop.new_event_loop) as runner:
        runner.run(main())


def test_read_ahead_that_is_cancelled_keeps_what_came(served: Networked) -> None:
    async def main() -> None:
        async with served.connect_task() as connection:
            async with connection.queue("A", options=AHEAD) as queue:
                task = asyncio.create_task(queue.get(wait=-1))
                await until(lambda: waiting(served) == 1)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                await connection.put("A", b"x", descriptor=ternmq.Descriptor(persistence=0))
                assert (await queue.get(wait=5)).data == b"x"
                await connection.put("A", b"y", descriptor=ternmq.Descriptor(persistence=0))
            async with connection.queue("A") as queue:
                assert (await queue.get(wait=5)).data == b"y"

    asyncio.run(main())


# ---- broken connections


def test_a_cut_ends_every_wait_at_once(served: Networked) -> None:
    async def wait_in(connection: ternmq.aio.Connection) -> int:
        async with connection.queue("A") as queue:
            with pytest.raises(ternmq.MQError) as error:
                await queue.get(wait=-1)
            return error.value.reason

    async def main() -> None:
        many = [await served.connect_task() for _ in range(3)]
        tasks = [asyncio.create_task(wait_in(one)) for one in many]
        await until(lambda: waiting(served) == 3)
        served.cut()
        assert await asyncio.gather(*tasks) == [rc.MQRC_CONNECTION_BROKEN] * 3
        assert not any(one.connected for one in many)
        for one in many:
            await one.disconnect()

    asyncio.run(main())


def test_reconnection_restores_handles_and_asks_again(served: Networked) -> None:
    events: list[int] = []

    async def main() -> None:
        connection = await served.connect_task(reconnect="queueManager", on_event=events.append)
        queue = await connection.queue("A")
        task = asyncio.create_task(queue.get(wait=30))
        await until(lambda: waiting(served) == 1)
        served.cut()
        with pytest.raises(ternmq.MQError) as get:
            await task
        assert get.value.reason == rc.MQRC_CALL_INTERRUPTED

        async def in_unit() -> bytes:
            message = await queue.get(wait=30, syncpoint=True)
            await connection.commit()
            return bytes(message.data)

        unit = asyncio.create_task(in_unit())
        await until(lambda: waiting(served) == 1)
        served.cut()
        await until(lambda: events.count(rc.MQRC_RECONNECTED) == 2)
        async with served.connect_task() as other:
            await other.put("A", b"after")
        assert await unit == b"after"
        del events[:2]
        assert events == [rc.MQRC_RECONNECTING, rc.MQRC_RECONNECTED]
        await connection.begin()
        await queue.put(b"lost")
        served.cut()
        with pytest.raises(ternmq.BackedOut):
            await lost_in_unit(queue)
        await connection.backout()
        assert await queue.try_get() is None
        await connection.disconnect()

    asyncio.run(main())


async def lost_in_unit(queue: ternmq.aio.Queue) -> None:
    """Work until the unit is told to be lost."""
    while True:
        await queue.put(b"more")


def test_nobody_there_is_reported_with_host_and_channel(served: Networked) -> None:
    async def main() -> None:
        with pytest.raises(ternmq.MQError) as unknown:
            await served.connect_task(channel="NOT.THERE")
        assert unknown.value.reason == rc.MQRC_UNKNOWN_CHANNEL_NAME
        with pytest.raises(ternmq.MQError) as other:
            await ternmq.aio.connect("QMX", **served.way)
        assert other.value.reason == rc.MQRC_Q_MGR_NAME_ERROR
        served.close()
        with pytest.raises(ternmq.MQError) as nobody:
            await served.connect_task()
        assert nobody.value.reason == rc.MQRC_HOST_NOT_AVAILABLE
        assert served.conn in nobody.value.detail

    asyncio.run(main())


def test_a_pool_lends_connections_in_turn(served: Networked) -> None:
    async def main() -> None:
        async with ternmq.aio.Pool("QM1", size=2, **served.way) as pool:

            async def work() -> None:
                async with pool.connection() as connection:
                    await connection.put("A", b"x")

            await asyncio.gather(*(work() for _ in range(10)))
            assert pool.idle == 2
            async with pool.connection(), pool.connection():
                with pytest.raises(ternmq.MQError) as none:
                    async with pool.connection(timeout=0.01):
                        pass
            assert none.value.reason == rc.MQRC_CONNECTION_NOT_AVAILABLE
            async with pool.connection() as connection, connection.queue("A") as queue:
                assert await queue.depth() == 10

    asyncio.run(main())
