"""Goal: an alias of a topic is no way to a queue that happens to have the topic's name.

Method: the alias is opened, put to and streamed to, with and without a topic and a queue of the
name.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ternmq
from ternmq import constants as mq

pytestmark = pytest.mark.core


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as made:
        made.mqsc("DEFINE QALIAS(WAY) TARGET(NEWS) TARGTYPE(TOPIC)")
        yield made


def reason_of_put(qmgr: ternmq.QueueManager) -> int:
    with pytest.raises(ternmq.MQError) as refused:
        qmgr.put("WAY", "x")
    with pytest.raises(ternmq.MQError) as closed:
        qmgr.queue("WAY", options=mq.MQOO_OUTPUT)
    assert closed.value.reason == refused.value.reason
    return refused.value.reason


def test_alias_when_there_is_no_such_topic_then_its_base_is_unknown(
    qmgr: ternmq.QueueManager,
) -> None:
    assert reason_of_put(qmgr) == mq.MQRC_UNKNOWN_ALIAS_BASE_Q
    qmgr.define_queue("NEWS")
    assert reason_of_put(qmgr) == mq.MQRC_UNKNOWN_ALIAS_BASE_Q


def test_alias_when_the_topic_is_there_then_it_is_no_way_to_the_queue(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.mqsc("DEFINE TOPIC(NEWS) TOPICSTR('news')")
    qmgr.define_queue("NEWS")
    qmgr.put("WAY", "x")
    with qmgr.queue("NEWS") as queue:
        assert queue.depth == 0


def test_copies_when_the_target_is_such_an_alias_then_none_is_put(
    qmgr: ternmq.QueueManager,
) -> None:
    qmgr.mqsc("DEFINE TOPIC(NEWS) TOPICSTR('news')")
    qmgr.define_queue("NEWS")
    qmgr.mqsc("DEFINE QLOCAL(ORDERS) STREAMQ(WAY)")
    qmgr.put("ORDERS", "x")
    with qmgr.queue("NEWS") as queue:
        assert queue.depth == 0


def test_cursor_when_its_queue_is_such_an_alias_then_refused(qmgr: ternmq.QueueManager) -> None:
    qmgr.define_queue("NEWS")
    answer = qmgr.mqsc("DEFINE CURSOR(C) QUEUE(WAY)")[0]
    assert answer.reason == mq.MQRC_UNKNOWN_ALIAS_BASE_Q


def test_alias_when_changed_to_a_queue_then_it_leads_there(qmgr: ternmq.QueueManager) -> None:
    qmgr.define_queue("NEWS")
    assert qmgr.mqsc("ALTER QALIAS(WAY) TARGTYPE(QUEUE)")[0].comp == mq.MQCC_OK
    qmgr.put("WAY", "x")
    with qmgr.queue("NEWS") as queue:
        assert queue.depth == 1
