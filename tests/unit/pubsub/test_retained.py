"""Goal: a topic retains the last publication that was committed, whatever ends its unit of work,
and keeps one message for it.

Method: queue managers in memory and in a folder, publications through the API.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import ternmq
from ternmq import MQError
from ternmq import constants as mq
from ternmq.kernel.connection import Connection
from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.pubsub.retained import RETAINED_QUEUE
from ternmq.pubsub.retained_sending import RetainedSending
from ternmq.pubsub.subscription import Subscription, SubscriptionTerms

pytestmark = pytest.mark.core

UNIT = ternmq.XID(1, b"unit", b"branch")


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as started:
        yield started


def retained(qmgr: ternmq.QueueManager, topic: str = "r") -> list[bytes]:
    """What a new subscription gets."""
    with qmgr.subscribe(topic) as sub:
        return [message.data for message in iter(lambda: sub.try_get(), None)]


def kept(qmgr: ternmq.QueueManager) -> int:
    with qmgr.queue(RETAINED_QUEUE) as queue:
        return queue.depth


def test_retain_again_and_again_then_one_message_is_kept(qmgr: ternmq.QueueManager) -> None:
    for number in range(50):
        qmgr.publish("r", str(number).encode(), retain=True, persistent=number % 2 == 0)
    assert (retained(qmgr), kept(qmgr)) == ([b"49"], 1)


def test_retain_twice_in_a_unit_then_the_last_one(qmgr: ternmq.QueueManager) -> None:
    qmgr.publish("r", b"0", retain=True)
    with qmgr.topic("r") as topic:
        topic.put(b"1", retain=True, syncpoint=True)
        topic.put(b"2", retain=True, syncpoint=True)
        assert retained(qmgr) == [b"0"]
        qmgr.commit()
    assert (retained(qmgr), kept(qmgr)) == ([b"2"], 1)


@pytest.mark.parametrize("commit", [True, False])
def test_retain_in_prepared_unit_then_when_it_ends(qmgr: ternmq.QueueManager, commit: bool) -> None:
    qmgr.publish("r", b"old", retain=True, persistent=True)
    with qmgr.topic("r") as topic:
        topic.put(b"new", retain=True, persistent=True, syncpoint=True)
    assert qmgr.prepare(UNIT)
    assert retained(qmgr) == [b"old"]
    qmgr.resolve(UNIT, commit=commit)
    assert (retained(qmgr), kept(qmgr)) == ([b"new" if commit else b"old"], 1)


@pytest.mark.parametrize("commit", [True, False])
def test_retain_in_prepared_unit_over_a_restart_then_when_it_ends(
    tmp_path: Path, commit: bool
) -> None:
    with ternmq.embedded(tmp_path, "QM1", create=True) as qmgr:
        qmgr.publish("r", b"old", retain=True, persistent=True)
        with qmgr.topic("r") as topic:
            topic.put(b"new", retain=True, persistent=True, syncpoint=True)
        assert qmgr.prepare(UNIT)
    with ternmq.embedded(tmp_path, "QM1") as qmgr:
        assert retained(qmgr) == [b"old"]
        qmgr.resolve(UNIT, commit=commit)
        assert retained(qmgr) == [b"new" if commit else b"old"]
    with ternmq.embedded(tmp_path, "QM1") as qmgr:
        assert retained(qmgr) == [b"new" if commit else b"old"]


def test_subscribe_to_more_than_a_step_sends_then_all_that_match(
    qmgr: ternmq.QueueManager,
) -> None:
    for number in range(200):
        qmgr.publish(f"w/{number}", str(number).encode(), retain=True)
        qmgr.publish(f"v/{number}", b"other", retain=True)
    found = retained(qmgr, "w/#")
    assert sorted(found, key=int) == [str(number).encode() for number in range(200)]


def test_publish_while_what_is_retained_is_sent_then_each_comes_once(
    qmgr: ternmq.QueueManager,
) -> None:
    """A new subscription matches before it is sent what is retained, which takes several steps."""
    for number in range(200):
        qmgr.publish(f"w/{number}", b"old", retain=True)
    qmgr.define_queue("Q")
    kernel = qmgr.started.shell.engine.kernel
    pubsub = pubsub_of(kernel)
    subscription = Subscription(kernel.new_id(), "", "w/#", SubscriptionTerms())
    subscription.correl_id = kernel.new_id()
    subscription.destination = "Q"
    with qmgr.topic("w/7") as topic, qmgr.topic("w/9") as other:
        other.put(b"before", retain=True, syncpoint=True)
        pubsub.add(subscription)
        connection = Connection(0, bytes(24), "", "QM1")
        sending = RetainedSending(pubsub, connection, subscription, "MQSUB", True)
        assert not sending.step()
        for number in range(200):
            qmgr.publish(f"w/{number}", b"new", retain=True)
        topic.put(b"in a unit", retain=True, syncpoint=True)
        qmgr.commit()
        while not sending.step():
            pass
    with qmgr.queue("Q") as queue:
        found = [message.data for message in iter(queue.try_get, None)]
    assert (found.count(b"new"), found.count(b"in a unit")) == (200, 1)
    assert found.count(b"old") < 200


def test_subscribe_when_one_can_go_nowhere_then_nothing_stays(qmgr: ternmq.QueueManager) -> None:
    for number in range(200):
        qmgr.publish(f"w/{number}", b"x", retain=True, persistent=True)
    qmgr.define_queue("Q", max_depth=150)
    with qmgr.queue("Q") as queue:
        with pytest.raises(MQError) as refused:
            qmgr.subscribe("w/#", queue=queue)
        assert refused.value.reason == mq.MQRC_RETAINED_NOT_DELIVERED
        assert queue.depth == 0
