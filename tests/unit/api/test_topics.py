"""Goal: topics and subscriptions of both APIs do the same embedded, over the local socket and over
TCP.

Method: one battery, written with `await`, on each face (see `faces`).
"""

from __future__ import annotations

from typing import Any

import pytest

import ternmq
import ternmq.aio
from ternmq import constants as mq
from tests.unit.api import faces
from tests.unit.api.faces import FACES, in_loop

faces.DIRECT |= {
    *("topic_string", "object_name", "queue_name", "correl_id", "user_data", "selector"),
    *("durable",),
}
face = pytest.mark.parametrize("face", FACES.values(), ids=FACES)


def seen(one: Any) -> Any:
    """What a face returns for a topic or a subscription of the blocking API."""
    return faces.Face(one) if isinstance(one, (ternmq.Topic, ternmq.Subscription)) else one


async def opened(connection: Any, method: str, *given: Any, **named: Any) -> Any:
    return seen(await getattr(connection, method)(*given, **named))


@face
@in_loop
async def test_publish_when_subscribed_then_each_subscription_has_a_copy(face: Any) -> None:
    async with face.memory() as qmgr:
        every = await opened(qmgr, "subscribe", "sport/#")
        one = await opened(qmgr, "subscribe", "sport/football")
        msg_id = await qmgr.publish("sport/football", "goal", properties={"minute": 3})
        await qmgr.publish("sport/tennis", b"ace", persistent=True, priority=7)
        second, first = await every.get(wait=5), await every.get(wait=5)  # by priority
        assert (first.text, first.properties["minute"]) == ("goal", 3)
        assert (first.topic, first.is_retained) == ("sport/football", False)
        assert (second.data, second.topic, second.priority) == (b"ace", "sport/tennis", 7)
        assert second.persistent
        assert len({msg_id, first.msg_id, (await one.get(wait=5)).msg_id}) == 3
        assert first.correl_id == every.correl_id
        assert await one.try_get() is None
        with pytest.raises(ternmq.NoMessage):
            await one.get()
        await every.close()
        await one.close()


@face
@in_loop
async def test_topic_when_open_then_publishes_until_closed(face: Any) -> None:
    async with face.memory() as qmgr:
        subscription = await opened(qmgr, "subscribe", "a/+", name="listener")
        topic = await opened(qmgr, "topic", "a/b")
        assert (topic.name, topic.object_name) == ("a/b", "")
        for number in range(5):
            await topic.put(b"%d" % number)
        await topic.put({"n": 5}, retain=True)
        found = [(await subscription.get(wait=5)).data for _ in range(6)]
        assert found == [b"0", b"1", b"2", b"3", b"4", b'{"n": 5}']
        assert (subscription.name, subscription.durable) == ("listener", False)
        await topic.close()
        await topic.close()
        with pytest.raises(ternmq.MQError) as refused:
            await topic.put(b"late")
        assert refused.value.reason == mq.MQRC_HOBJ_ERROR
        await subscription.close()


@face
@in_loop
async def test_topic_when_opened_by_object_then_strings_are_joined(face: Any) -> None:
    async with face.memory() as qmgr:
        for answer in await qmgr.mqsc("DEFINE TOPIC(FRUIT) TOPICSTR('Price/Fruit')"):
            assert answer.ok, answer
        subscription = await opened(qmgr, "subscribe", "Price/#")
        topic = await opened(qmgr, "topic", "Apple", object_name="FRUIT")
        assert (topic.name, topic.object_name) == ("Price/Fruit/Apple", "FRUIT")
        await topic.put("1")
        await qmgr.publish("Pear", "2", object_name="FRUIT")
        await qmgr.publish("", "3", object_name="FRUIT")
        found = [(await subscription.get(wait=5)).topic for _ in range(3)]
        assert found == ["Price/Fruit/Apple", "Price/Fruit/Pear", "Price/Fruit"]


@face
@in_loop
async def test_durable_when_closed_then_resumed_by_name(face: Any) -> None:
    async with face.memory() as qmgr:
        first = await opened(
            qmgr, "subscribe", "a", durable="d1", user_data="mine", selector="n > 1"
        )
        assert first.durable
        await first.close()
        for n in range(4):
            await qmgr.publish("a", str(n), properties={"n": n})
        again = await opened(qmgr, "subscribe", "a", durable="d1")
        assert (again.user_data, again.selector) == ("mine", "n > 1")
        found = [await again.get(wait=5) for _ in range(2)]
        assert [one.text for one in found] == ["2", "3"]
        assert [one.subscription_user_data for one in found] == ["mine", "mine"]
        await again.close(remove=True)
        with pytest.raises(ternmq.MQError) as refused:
            await qmgr.subscribe("a", durable="d1", options=mq.MQSO_RESUME)
        assert refused.value.reason == mq.MQRC_NO_SUBSCRIPTION


@face
@in_loop
async def test_durable_when_it_exists_with_another_topic_or_selector_then_refused(
    face: Any,
) -> None:
    """MQSUB resumes it as it is: the application would wait for what never comes."""
    async with face.memory() as qmgr:
        await (await opened(qmgr, "subscribe", "a/#", durable="d1", selector="n > 1")).close()
        reasons = []
        for topic, selector in (("b/#", ""), ("a/#", "n > 2")):
            with pytest.raises(ternmq.MQError) as refused:
                await qmgr.subscribe(topic, durable="d1", selector=selector)
            reasons.append(refused.value.reason)
            assert "it exists with" in str(refused.value)
        assert reasons == [mq.MQRC_TOPIC_NOT_ALTERABLE, mq.MQRC_SELECTOR_NOT_ALTERABLE]
        again = await opened(qmgr, "subscribe", "a/#", durable="d1", selector="n > 1")
        await again.close()
        by_name = await opened(qmgr, "subscribe", durable="d1")
        assert by_name.selector == "n > 1"
        await by_name.close(remove=True)


@face
@in_loop
async def test_retained_when_subscribed_later_then_it_comes_as_asked_for(face: Any) -> None:
    async with face.memory() as qmgr:
        await qmgr.publish("r/1", "old", retain=True)
        await qmgr.publish("r/1", "kept", retain=True)
        late = await opened(qmgr, "subscribe", "r/#")
        message = await late.get(wait=5)
        assert (message.text, message.is_retained, message.topic) == ("kept", True, "r/1")
        await qmgr.publish("r/1", "now")
        assert not (await late.get(wait=5)).is_retained
        new = await opened(qmgr, "subscribe", "r/#", new_only=True)
        assert await new.try_get() is None
        asked = await opened(qmgr, "subscribe", "r/#", on_request=True)
        assert await asked.request_publications() == 1
        assert (await asked.get(wait=5)).text == "kept"


@face
@in_loop
async def test_publication_when_nobody_listens_then_a_warning_if_asked_for(face: Any) -> None:
    async with face.memory() as qmgr:
        await qmgr.publish("nobody", "x")
        for attempt in (
            qmgr.publish("nobody", "x", needs_subscriber=True),
            (await opened(qmgr, "topic", "nobody")).put("x", needs_subscriber=True),
        ):
            with pytest.raises(ternmq.MQError) as warned:
                await attempt
            assert (warned.value.reason, warned.value.comp) == (mq.MQRC_NO_SUBS_MATCHED, 1)
            assert len(warned.value.result) == 24


@face
@in_loop
async def test_publication_when_not_own_or_below_the_level_then_not_sent(face: Any) -> None:
    async with face.memory() as qmgr, qmgr.connect() as other:
        mine = await opened(qmgr, "subscribe", "a")
        theirs = await opened(other, "subscribe", "a", level=5)
        await qmgr.publish("a", "not mine", not_own=True)
        await qmgr.publish("a", "low", level=4)
        topic = await opened(qmgr, "topic", "a")
        await topic.put("lower", level=3)
        assert (await theirs.get(wait=5)).text == "not mine"
        assert await theirs.try_get() is None
        assert [(await mine.get(wait=5)).text for _ in range(2)] == ["low", "lower"]


@face
@in_loop
async def test_level_when_it_cannot_be_then_refused(face: Any) -> None:
    async with face.memory() as qmgr:
        topic = await opened(qmgr, "topic", "a")
        for level in (-1, 10):
            with pytest.raises(ternmq.MQError) as refused:
                await qmgr.publish("a", "x", level=level)
            assert refused.value.reason == mq.MQRC_PMO_ERROR
            with pytest.raises(ternmq.MQError) as refused:
                await topic.put("x", level=level)
            assert refused.value.reason == mq.MQRC_PMO_ERROR


@face
@in_loop
async def test_subscription_when_queue_provided_then_copies_go_there(face: Any) -> None:
    async with face.memory() as qmgr:
        await qmgr.define_queue("Q1")
        subscription = await opened(
            qmgr, "subscribe", "a", queue="Q1", correl_id=b"mine", priority=8
        )
        await qmgr.publish("a", "1", priority=2)
        assert subscription.queue_name == "Q1"
        assert [one.text async for one in subscription.browse()] == ["1"]
        message = await subscription.get(wait=5)
        assert (message.correl_id, message.priority) == (b"mine".ljust(24, b"\0"), 8)
        await subscription.close()
        async with qmgr.queue("Q1") as queue:
            await opened(qmgr, "subscribe", "b", queue=getattr(queue, "_inner", queue))
            await qmgr.publish("b", "2")
            assert (await queue.get(wait=5)).text == "2"


@face
@in_loop
async def test_publication_when_backed_out_then_never_there(face: Any) -> None:
    async with face.memory() as qmgr:
        subscription = await opened(qmgr, "subscribe", "a")
        await qmgr.begin()
        await qmgr.publish("a", "lost")
        await qmgr.backout()
        async with qmgr.unit_of_work():
            await qmgr.publish("a", "kept")
            assert await subscription.try_get(syncpoint=False) is None
        assert (await subscription.get(wait=5)).text == "kept"


@face
@in_loop
async def test_arguments_when_they_cannot_be_then_refused(face: Any) -> None:
    async with face.memory() as qmgr:
        with pytest.raises(TypeError, match="a topic is text"):
            await qmgr.publish(5, "x")
        with pytest.raises(TypeError, match="a topic is text"):
            await qmgr.subscribe(None)
        for named, reason in (
            ({"durable": ""}, mq.MQRC_SUB_NAME_ERROR),
            ({"durable": "a", "name": "b"}, mq.MQRC_SUB_NAME_ERROR),
            ({"expiry": 0}, mq.MQRC_OPTIONS_ERROR),
            ({"selector": "n >"}, mq.MQRC_SELECTOR_SYNTAX_ERROR),
        ):
            with pytest.raises(ternmq.MQError) as refused:
                await qmgr.subscribe("a", **named)
            assert refused.value.reason == reason
        with pytest.raises(ternmq.MQError) as refused:
            await qmgr.publish("a" * 10_241, "x")
        assert refused.value.reason == mq.MQRC_OBJECT_STRING_ERROR
        with pytest.raises(ternmq.MQError) as refused:
            await qmgr.put("SYSTEM.DEFAULT.LOCAL.QUEUE", "x", options=mq.MQPMO_RETAIN)
        assert refused.value.reason == mq.MQRC_OPTIONS_ERROR


@in_loop
async def test_subscribe_when_iterated_at_once_then_publications_come() -> None:
    async with ternmq.aio.memory() as qmgr, qmgr.connect() as publisher:
        await publisher.publish("n/0", "0", retain=True)
        found = []
        async for message in qmgr.subscribe("n/#"):
            found.append(message.text)
            if len(found) == 3:
                break
            await publisher.publish("n/1", str(len(found)))
        assert found == ["0", "1", "2"]


def test_subscription_when_iterated_in_a_thread_then_publications_come() -> None:
    with ternmq.memory() as qmgr, qmgr.subscribe("n/#") as subscription:
        for number in range(3):
            qmgr.publish("n", str(number))
        assert [one.text for one in subscription.consume(wait=None)] == ["0", "1", "2"]
        qmgr.publish("n", "3")
        assert next(iter(subscription)).text == "3"
        assert subscription.depth == 0
