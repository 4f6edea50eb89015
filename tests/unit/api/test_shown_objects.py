"""Goal: what a program prints of its objects says whose they are and whether they can still be
used; a closed subscription and a wrong selector say what to do, by every binding.

Method: each is printed before and after its end, on the faces of the API.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import ternmq
import ternmq.aio
from ternmq.base import reasons
from tests.unit.api.faces import FACES, in_loop
from tests.unit.api.networked import CHANNEL, Networked

on_every_face = pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())
WRONG_SELECTOR = "character 9: found '=', expected a name, a literal or ("


def connections(folder: Path, far: Networked) -> list[ternmq.Connection]:
    return [far.connect(), ternmq.connect("QM1", data=folder)]


def check_shown(connection: ternmq.Connection) -> None:
    queue = connection.queue("A")
    topic = connection.topic("sport/a")
    subscription = connection.subscribe("sport/#")
    lost = connection.queue("A")
    opened = [
        (connection, "Connection QM1", ", ended"),
        (queue, "Queue A of QM1", ", closed"),
        (topic, "Topic sport/a of QM1", ", closed"),
        (subscription, "Subscription sport/# of QM1", ", closed"),
        (lost, "Queue A of QM1", ", closed"),
    ]
    for one, shown, _ in opened:
        assert repr(one) == f"<{shown}>"
    queue.close()
    topic.close()
    subscription.close()
    connection.disconnect()
    for one, shown, ended in opened:
        assert repr(one) == f"<{shown}{ended}>"


def test_objects_when_they_are_closed_then_they_look_so_on_every_binding(tmp_path: Path) -> None:
    with Networked(tmp_path) as far:
        far.connect().define_queue("A")
        for connection in connections(tmp_path, far):
            check_shown(connection)
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("A")
        check_shown(qmgr.connect())
    assert repr(qmgr) == "<QueueManager QM1, ended>"


async def check_shown_to_tasks(connection: ternmq.aio.Connection) -> None:
    queue = await connection.queue("A")
    topic = await connection.topic("sport/a")
    subscription = await connection.subscribe("sport/#")
    opened = [
        (connection, "Connection QM1", ", ended"),
        (queue, "Queue A of QM1", ", closed"),
        (topic, "Topic sport/a of QM1", ", closed"),
        (subscription, "Subscription sport/# of QM1", ", closed"),
    ]
    unit = connection.unit_of_work()
    assert repr(unit) == "<Unit of QM1, not begun>"
    async with unit:
        assert repr(unit) == "<Unit of QM1, open>"
    assert repr(unit) == "<Unit of QM1, ended>"
    for one, shown, _ in opened:
        assert repr(one) == f"<{shown}>"
    await queue.close()
    await topic.close()
    await subscription.close()
    await connection.disconnect()
    for one, shown, ended in opened:
        assert repr(one) == f"<{shown}{ended}>"


def test_objects_of_tasks_when_they_are_closed_then_they_look_so(tmp_path: Path) -> None:
    async def run(conn: str) -> None:
        by_network = ternmq.aio.connect("QM1", channel=CHANNEL, conn=conn)
        await check_shown_to_tasks(await by_network)
        await check_shown_to_tasks(await ternmq.aio.connect("QM1", data=tmp_path))
        async with ternmq.aio.memory("QM1") as qmgr:
            await qmgr.define_queue("A")
            await check_shown_to_tasks(await qmgr.connect())

    with Networked(tmp_path) as far:
        far.connect().define_queue("A")
        asyncio.run(run(far.conn))


def test_units_and_callbacks_when_they_are_printed_then_whose_and_how_far() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("A")
        unit = qmgr.unit_of_work()
        assert repr(unit) == "<Unit of QM1, not begun>"
        with unit:
            assert repr(unit) == "<Unit of QM1, open>"
        assert repr(unit) == "<Unit of QM1, ended>"
        with qmgr.queue("A") as queue:
            consumer = queue.on_message(print)
            assert repr(consumer) == "<Consumer of A of QM1>"
            consumer.suspend()
            assert repr(consumer) == "<Consumer of A of QM1, suspended>"
            consumer.close()
            assert repr(consumer) == "<Consumer of A of QM1, closed>"
        with ternmq.listen(qmgr.connect(), "A", print) as listening:
            assert repr(listening) == "<Listening to A of QM1>"
        assert repr(listening) == "<Listening to A of QM1, ended>"
        with ternmq.open_network(qmgr, port=0) as network:
            assert repr(network) == f"<EmbeddedNetwork of QM1 on 127.0.0.1({network.port})>"
        assert repr(network).endswith(f"({network.port}), closed>")
        with ternmq.open_network(qmgr) as network:
            assert repr(network) == "<EmbeddedNetwork of QM1>"


def test_pool_when_it_is_printed_then_how_many(tmp_path: Path) -> None:
    async def run(arguments: dict[str, Any]) -> list[str]:
        async with ternmq.aio.Pool("QM1", size=3, **arguments) as pool:
            async with pool.connection():
                pass
            shown = [repr(pool)]
        return [*shown, repr(pool)]

    with Networked(tmp_path) as far:
        arguments: dict[str, Any] = {"channel": CHANNEL, "conn": far.conn}
        with ternmq.Pool("QM1", size=3, **arguments) as pool:
            with pool.connection():
                pass
            shown = [repr(pool)]
        shown.append(repr(pool))
        assert shown == ["<Pool of 3 to QM1, 1 idle>", "<Pool of 3 to QM1, closed>"]
        assert asyncio.run(run(arguments)) == shown


@on_every_face
@in_loop
async def test_answers_when_they_are_printed_then_their_message(api: Any) -> None:
    async with api.memory() as qmgr:
        made = await qmgr.mqsc("DEFINE QLOCAL(Q)")
        again = await qmgr.mqsc("DEFINE QLOCAL(Q)")
        shown = await qmgr.mqsc("DISPLAY QLOCAL(Q) MAXDEPTH")
        assert repr(made) == "[<Answer AMQ8006I: TernMQ queue created.>]"
        assert repr(again) == "[<Answer AMQ8150E: TernMQ object already exists.>]"
        assert repr(shown) == "[<Answer AMQ8409I QUEUE(Q) TYPE(QLOCAL) MAXDEPTH(5000)>]"


@on_every_face
@in_loop
async def test_subscription_when_it_is_closed_then_its_topic_and_what_to_do(api: Any) -> None:
    async with api.memory() as qmgr:
        subscription = await qmgr.subscribe("sport/#")
        closing = subscription.close()
        if closing is not None:
            await closing
        with pytest.raises(ternmq.BadHandle) as caught:
            await subscription.get()  # of threads, it is refused before there is one to wait for
        assert (caught.value.object, caught.value.detail) == (
            "sport/#",
            "the subscription is closed: sport/#, make it again by connection.subscribe()",
        )


@on_every_face
@in_loop
async def test_selector_when_it_is_wrong_then_where(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        wrong = {"selector": "colour == 'red'"}
        for call in (qmgr.queue("A", **wrong), qmgr.subscribe("sport", **wrong)):
            with pytest.raises(ternmq.BadOptions) as caught:
                await call
            assert caught.value.reason == reasons.MQRC_SELECTOR_SYNTAX_ERROR
            assert caught.value.detail == WRONG_SELECTOR
