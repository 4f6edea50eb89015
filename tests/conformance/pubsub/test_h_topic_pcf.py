"""Section H, PCF of topics: row H19, of H20 what is about topics, and what rows of section A say of
PCF. PCF commands reach the command server by messages, whatever the binding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import ternmq
from ternmq import PCFExecute, QueueManager
from ternmq import constants as mq
from tests.conformance.pubsub.bed import reason_of


@pytest.fixture
def qmgr() -> Iterator[QueueManager]:
    with ternmq.memory("QM1") as made:
        made.start_command_server()
        yield made


@pytest.fixture
def execute(qmgr: QueueManager) -> Iterator[PCFExecute]:
    with PCFExecute(qmgr) as made:
        yield made


def one(answers: list[dict[int, Any]]) -> dict[int, Any]:
    (answer,) = answers
    return answer


def status(execute: PCFExecute, topic: str, kind: int) -> dict[str, dict[int, Any]]:
    asked = {mq.MQCA_TOPIC_STRING: topic, mq.MQIACF_TOPIC_STATUS_TYPE: kind}
    found: list[dict[int, Any]] = execute.MQCMD_INQUIRE_TOPIC_STATUS(asked)
    return {answer[mq.MQCA_TOPIC_STRING].strip(): answer for answer in found}


def test_h19_when_topic_status_is_inquired_then_one_response_for_each(
    qmgr: QueueManager, execute: PCFExecute
) -> None:
    qmgr.mqsc("DEFINE TOPIC(T1) TOPICSTR('a')")
    with qmgr.subscribe("a/b"), qmgr.subscribe("a/+"), qmgr.topic("a/b") as topic:
        topic.put("x")
        topics = status(execute, "#", mq.MQIACF_TOPIC_STATUS)
        assert topics["a/b"][mq.MQIA_PUB_COUNT] == 1
        assert topics["a/b"][mq.MQIA_SUB_COUNT] == 1
        assert topics["a/b"][mq.MQCA_ADMIN_TOPIC_NAME].strip() == ""
        assert topics["a"][mq.MQCA_ADMIN_TOPIC_NAME].strip() == "T1"
        assert topics["a/b"][mq.MQIA_INHIBIT_PUB] == mq.MQTA_PUB_ALLOWED
        assert topics["a/b"][mq.MQIACF_RETAINED_PUBLICATION] == 0
        subs = status(execute, "#", mq.MQIACF_TOPIC_SUB)
        assert sorted(subs) == ["a/+", "a/b"]
        assert [each[mq.MQIACF_MESSAGE_COUNT] for each in subs.values()] == [1, 1]
        pubs = status(execute, "#", mq.MQIACF_TOPIC_PUB)
        assert list(pubs) == ["a/b"]
        assert pubs["a/b"][mq.MQIACF_PUBLISH_COUNT] == 1
        assert len(pubs["a/b"][mq.MQBACF_CONNECTION_ID]) == 24


def test_a19_when_no_node_fits_then_3308(execute: PCFExecute) -> None:
    assert reason_of(status, execute, "Sports/*", mq.MQIACF_TOPIC_STATUS) == 3308


def test_a13_a16_when_a_topic_cannot_be_made_then_its_pcf_reason(execute: PCFExecute) -> None:
    first = {mq.MQCA_TOPIC_NAME: "T1", mq.MQCA_TOPIC_STRING: "t1"}
    execute.MQCMD_CREATE_TOPIC(first)
    assert reason_of(execute.MQCMD_CREATE_TOPIC, {**first, mq.MQCA_TOPIC_NAME: "T2"}) == 3300
    assert reason_of(execute.MQCMD_CREATE_TOPIC, first) == 4001
    execute.MQCMD_CHANGE_Q_MGR({mq.MQIA_PUBSUB_CLUSTER: 0})
    cluster = {mq.MQCA_TOPIC_NAME: "T3", mq.MQCA_TOPIC_STRING: "t3", mq.MQCA_CLUSTER_NAME: "CL1"}
    assert reason_of(execute.MQCMD_CREATE_TOPIC, cluster) == 3359


def test_a22_when_cleared_then_nothing_is_retained(qmgr: QueueManager, execute: PCFExecute) -> None:
    qmgr.publish("r", "one", retain=True)
    clear = {mq.MQCA_TOPIC_STRING: "r", mq.MQIACF_CLEAR_TYPE: mq.MQCLRT_RETAINED}
    everywhere = {**clear, mq.MQIACF_CLEAR_SCOPE: mq.MQCLRS_GLOBAL}
    assert reason_of(execute.MQCMD_CLEAR_TOPIC_STRING, everywhere) != 0
    execute.MQCMD_CLEAR_TOPIC_STRING({**clear, mq.MQIACF_CLEAR_SCOPE: mq.MQCLRS_LOCAL})
    topics = status(execute, "r", mq.MQIACF_TOPIC_STATUS)
    assert topics["r"][mq.MQIACF_RETAINED_PUBLICATION] == 0


def test_h20_when_topics_are_changed_copied_and_inquired_then_by_their_numbers(
    execute: PCFExecute,
) -> None:
    execute.MQCMD_CREATE_TOPIC(
        {mq.MQCA_TOPIC_NAME: "T1", mq.MQCA_TOPIC_STRING: "t1", mq.MQIA_DEF_PRIORITY: 4}
    )
    execute.MQCMD_CHANGE_TOPIC({mq.MQCA_TOPIC_NAME: "T1", mq.MQIA_WILDCARD_OPERATION: 1})
    copy = {
        mq.MQCACF_FROM_TOPIC_NAME: "T1",
        mq.MQCACF_TO_TOPIC_NAME: "T2",
        mq.MQCA_TOPIC_STRING: "t2",
    }
    execute.MQCMD_COPY_TOPIC(copy)
    found = one(execute.MQCMD_INQUIRE_TOPIC({mq.MQCA_TOPIC_NAME: "T2"}))
    assert found[mq.MQCA_TOPIC_STRING].strip() == "t2"
    assert (found[mq.MQIA_DEF_PRIORITY], found[mq.MQIA_WILDCARD_OPERATION]) == (4, mq.MQTA_BLOCK)
    assert found[mq.MQIA_TOPIC_TYPE] == mq.MQTOPT_LOCAL
    names = one(execute.MQCMD_INQUIRE_TOPIC_NAMES({mq.MQCA_TOPIC_NAME: "T*"}))
    assert [name.strip() for name in names[mq.MQCACF_TOPIC_NAMES]] == ["T1", "T2"]
    pubsub = one(execute.MQCMD_INQUIRE_PUBSUB_STATUS())
    assert pubsub[mq.MQIACF_PUBSUB_STATUS] == mq.MQPS_STATUS_ACTIVE
    assert pubsub[mq.MQIA_SUB_COUNT] == 0
    assert pubsub[mq.MQIA_TOPIC_NODE_COUNT] > 2
