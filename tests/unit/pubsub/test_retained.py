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
from ternmq.pubsub.retained import RETAINED_QUEUE

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


def test_subscribe_when_one_can_go_nowhere_then_nothing_stays(qmgr: ternmq.QueueManager) -> None:
    for number in range(200):
        qmgr.publish(f"w/{number}", b"x", retain=True, persistent=True)
    qmgr.define_queue("Q", max_depth=150)
    with qmgr.queue("Q") as queue:
        with pytest.raises(MQError) as refused:
            qmgr.subscribe("w/#", queue=queue)
        assert refused.value.reason == mq.MQRC_RETAINED_NOT_DELIVERED
        assert queue.depth == 0
