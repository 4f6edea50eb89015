"""Goal: what stands where a name, a command or a block is wanted and is of the wrong kind is
answered with its value and with what to give, the same by every binding.

Method: each mistake is made on every face of the API; the whole text is compared.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import ternmq
import ternmq.aio
from tests.unit.api.faces import FACES, in_loop

on_every_face = pytest.mark.parametrize("api", FACES.values(), ids=FACES.keys())


def wanted(what: str, given: object) -> str:
    examples = {"a queue manager": "QM1", "a user": "app", "a dynamic queue": "AMQ.*"}
    return (
        f"the name of {what} cannot be of type {type(given).__name__}: {given!r}, "
        f"give text such as '{examples.get(what, 'ORDERS')}'"
    )


async def refused(call: Any) -> str:
    with pytest.raises(TypeError) as caught:
        await call
    return str(caught.value)


async def text_of(method: Any, *given: Any, **named: Any) -> str:
    """The text of a TypeError, raised by the call or by what it gives to wait for."""
    try:
        waiting = method(*given, **named)
    except TypeError as error:
        return str(error)
    return await refused(waiting)


@on_every_face
@in_loop
async def test_names_when_they_are_not_text_then_the_value_and_what_to_give(api: Any) -> None:
    async with api.memory() as qmgr:
        await qmgr.define_queue("A")
        for wrong in (None, 5, b"A"):
            queue = wanted("a queue", wrong)
            assert await text_of(qmgr.queue, wrong) == queue
            assert await text_of(qmgr.put, wrong, "x") == queue
            assert await text_of(qmgr.put, wrong, "x", delay=1) == queue
            assert await text_of(qmgr.define_queue, wrong) == queue
            assert await text_of(qmgr.delete_queue, wrong) == queue
            assert await text_of(qmgr.stream, wrong) == queue
            assert await text_of(qmgr.cursor, wrong, "A") == wanted("a cursor", wrong)
            assert await text_of(qmgr.cursor, "C", wrong) == queue
            assert await text_of(qmgr.recreate, wrong) == wanted("an object", wrong)
            for name, what in (
                ("qmgr", "a queue manager"),
                ("dynamic_name", "a dynamic queue"),
            ):
                assert await text_of(qmgr.queue, "A", **{name: wrong}) == wanted(what, wrong)
            user = wanted("a user", wrong)
            assert await text_of(qmgr.put, "A", "x", alternate_user=wrong) == user


@on_every_face
@in_loop
async def test_topics_when_they_are_not_text_then_the_value_and_what_to_give(api: Any) -> None:
    async with api.memory() as qmgr:
        for wrong in (None, 5, b"A"):
            topic = f"a topic is text such as 'sport/football', not {wrong!r}"
            assert await text_of(qmgr.publish, wrong, "x") == topic
            assert await text_of(qmgr.topic, wrong) == topic
            assert await text_of(qmgr.subscribe, wrong) == topic
            named = wanted("a topic object", wrong)
            assert await text_of(qmgr.topic, "a", object_name=wrong) == named
            assert await text_of(qmgr.subscribe, "a", object_name=wrong) == named
            name = wanted("a subscription", wrong)
            assert await text_of(qmgr.subscribe, "a", name=wrong) == name
            kind = type(wrong).__name__
            assert await text_of(qmgr.subscribe, "a", user_data=wrong) == (
                f"user_data cannot be of type {kind}: {wrong!r}, give text"
            )
        assert await text_of(qmgr.subscribe, "a", queue=5) == (
            "queue cannot be of type int: 5, give the name of a queue, or one that this connection "
            "opened"
        )
        await qmgr.publish("a", "x")


@on_every_face
@in_loop
async def test_commands_when_they_are_not_text_then_what_to_give(api: Any) -> None:
    async with api.memory() as qmgr:
        assert await text_of(qmgr.mqsc, None) == (
            "MQSC commands cannot be of type NoneType: None, give text such as 'DISPLAY QMGR'"
        )


def test_queue_when_it_stands_for_its_name_then_its_own_methods() -> None:
    with ternmq.memory("QM1") as qmgr:
        qmgr.define_queue("A")
        with qmgr.queue("A") as queue, qmgr.topic("sport") as topic:
            for method, given in ((qmgr.put, (queue, "x")), (qmgr.queue, (queue,))):
                with pytest.raises(TypeError) as caught:
                    method(*given)
                assert str(caught.value) == (
                    "the name of a queue is text, not an open queue: <Queue A of QM1>, use its own "
                    "put and get, or give its .name"
                )
            with pytest.raises(TypeError) as caught:
                qmgr.publish(topic, "x")  # type: ignore[arg-type]
            assert str(caught.value).endswith("not <Topic sport of QM1>, use its own put")
            queue.put("kept")
            for wrong in (queue, None, "A"):
                with pytest.raises(TypeError) as caught:
                    qmgr.open_list(wrong)  # type: ignore[arg-type]
                assert (
                    str(caught.value) == f"a distribution list is a list of queues, not {wrong!r}"
                )
            assert queue.depth == 1  # it was not read as a list


def test_listen_when_the_name_is_not_text_then_the_caller_hears_of_it() -> None:
    with ternmq.memory("QM1") as qmgr, pytest.raises(TypeError) as caught:
        ternmq.listen(qmgr, None, print)  # type: ignore[arg-type]
    assert str(caught.value) == wanted("a queue", None)


def test_unit_of_work_when_async_is_missing_then_what_to_write() -> None:
    async def run() -> str:
        async with ternmq.aio.memory("QM1") as qmgr:
            unit: Any = qmgr.unit_of_work()
            with pytest.raises(TypeError) as caught, unit:
                pass
            assert not qmgr.in_unit
            return str(caught.value)

    assert asyncio.run(run()) == (
        "`with` cannot wait: write `async with` for a unit of work of ternmq.aio"
    )


def test_subscription_when_async_is_missing_then_what_to_write() -> None:
    async def run() -> str:
        async with ternmq.aio.memory("QM1") as qmgr:
            subscribing: Any = qmgr.subscribe("sport/#")
            with pytest.raises(TypeError) as caught, subscribing:
                pass
            return str(caught.value)

    assert asyncio.run(run()) == (
        "`with` cannot wait: write `async with` for a subscription of ternmq.aio"
    )
