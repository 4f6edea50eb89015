"""Goal: STREAMQ reaches topics also beside other queues and in chains, and one refusal leaves
nothing of the message anywhere where it must.

Method: queue managers in memory, puts and gets through the API.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import ternmq
from ternmq import MQError
from ternmq import constants as mq
from ternmq.codec.mqi.mqmd import Descriptor

pytestmark = pytest.mark.core


@pytest.fixture
def qmgr() -> Iterator[ternmq.QueueManager]:
    with ternmq.memory("QM1") as started:
        done(started, "DEFINE TOPIC(T) TOPICSTR('t')\nDEFINE QALIAS(QA) TARGET(T) TARGTYPE(TOPIC)")
        done(started, "DEFINE QLOCAL(COPY)\nDEFINE QLOCAL(Q)\nDEFINE SUB(S) TOPICSTR('t') DEST(Q)")
        yield started


def done(qmgr: ternmq.QueueManager, text: str) -> None:
    for answer in qmgr.mqsc(text):
        assert answer.ok, answer


def depths(qmgr: ternmq.QueueManager, *names: str) -> list[int]:
    found = []
    for name in names:
        with qmgr.queue(name) as queue:
            found.append(queue.depth)
    return found


@pytest.mark.parametrize("persistent", [False, True])
def test_stream_to_namelist_of_queue_and_topic_then_both(
    qmgr: ternmq.QueueManager, persistent: bool
) -> None:
    done(qmgr, "DEFINE NAMELIST(BOTH) NAMES(COPY,QA)\nDEFINE QLOCAL(FIRST) STREAMQ(BOTH)")
    with qmgr.queue("FIRST") as queue:
        queue.put(b"x", persistent=persistent)
    assert depths(qmgr, "FIRST", "COPY", "Q") == [1, 1, 1]


@pytest.mark.parametrize("persistent", [False, True])
def test_stream_when_other_queue_refuses_and_must_then_nothing_anywhere(
    qmgr: ternmq.QueueManager, persistent: bool
) -> None:
    done(qmgr, "DEFINE QLOCAL(FULL) MAXDEPTH(0)\nDEFINE NAMELIST(BOTH) NAMES(QA,FULL)")
    done(qmgr, "DEFINE QLOCAL(FIRST) STREAMQ(BOTH) STRMQOS(MUSTDUP)")
    with qmgr.queue("FIRST") as queue, pytest.raises(MQError) as refused:
        queue.put(b"x", persistent=persistent)
    assert refused.value.reason == mq.MQRC_Q_FULL
    assert depths(qmgr, "FIRST", "Q", "FULL") == [0, 0, 0]


def test_stream_through_a_chain_then_topic_gets_it(qmgr: ternmq.QueueManager) -> None:
    done(qmgr, "DEFINE QLOCAL(SECOND) STREAMQ(QA) STRMCHN(YES)")
    done(qmgr, "DEFINE QLOCAL(FIRST) STREAMQ(SECOND)")
    with qmgr.queue("FIRST") as queue:
        queue.put(b"x", persistent=True)
    assert depths(qmgr, "FIRST", "SECOND", "Q") == [1, 1, 1]


@pytest.mark.parametrize(("quality", "reason"), [("MUSTDUP", 2417), ("BESTEF", 0)])
def test_stream_of_message_in_group_then_topic_does_not_take_it(
    qmgr: ternmq.QueueManager, quality: str, reason: int
) -> None:
    done(qmgr, f"DEFINE QLOCAL(FIRST) STREAMQ(QA) STRMQOS({quality})")
    md = Descriptor(version=2, msg_flags=mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP)
    found = 0
    with qmgr.queue("FIRST") as queue:
        try:
            queue.put(b"x", descriptor=md)
        except MQError as error:
            found = error.reason
    assert found == reason
    assert depths(qmgr, "FIRST", "Q") == [0 if reason else 1, 0]


def test_stream_when_topic_is_deleted_then_by_quality(qmgr: ternmq.QueueManager) -> None:
    done(qmgr, "DEFINE QLOCAL(FIRST) STREAMQ(QA) STRMQOS(MUSTDUP)")
    with qmgr.queue("FIRST") as queue:
        queue.put(b"x")
        done(qmgr, "DELETE TOPIC(T)")
        with pytest.raises(MQError) as refused:
            queue.put(b"y")
        assert refused.value.reason == mq.MQRC_UNKNOWN_ALIAS_BASE_Q
    assert depths(qmgr, "FIRST", "Q") == [1, 1]


def test_stream_in_unit_then_copies_do_not_count_in_maxumsgs(qmgr: ternmq.QueueManager) -> None:
    done(qmgr, "ALTER QMGR MAXUMSGS(2)\nDEFINE QLOCAL(FIRST) STREAMQ(QA)")
    done(qmgr, "DEFINE SUB(S2) TOPICSTR('t') DEST(COPY)")
    with qmgr.queue("FIRST") as queue:
        queue.put(b"1", syncpoint=True, persistent=True)
        queue.put(b"2", syncpoint=True)
        with pytest.raises(MQError) as full:
            queue.put(b"3", syncpoint=True)
    assert full.value.reason == mq.MQRC_SYNCPOINT_LIMIT_REACHED
    qmgr.commit()
    assert depths(qmgr, "FIRST", "Q", "COPY") == [2, 2, 2]
