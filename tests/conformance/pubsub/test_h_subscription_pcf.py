"""Section H, PCF of subscriptions: row H18, and of H20 what is about subscriptions. PCF commands
reach the command server by messages, whatever the binding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import ternmq
from ternmq import PCFExecute, QueueManager
from ternmq import constants as mq
from tests.conformance.pubsub.bed import Bed, reason_of


@pytest.fixture
def qmgr() -> Iterator[QueueManager]:
    with ternmq.memory("QM1") as made:
        made.start_command_server()
        made.define_queue("Q1")
        yield made


@pytest.fixture
def execute(qmgr: QueueManager) -> Iterator[Any]:
    with PCFExecute(qmgr) as made:
        yield made


PROVIDED = {
    mq.MQCACF_SUB_NAME: "P1",
    mq.MQCA_TOPIC_STRING: "a",
    mq.MQIACF_DESTINATION_CLASS: mq.MQDC_PROVIDED,
    mq.MQCACF_DESTINATION: "Q1",
}


def inquired(execute: Any, name: str) -> list[dict[int, Any]]:
    found: list[dict[int, Any]] = execute.MQCMD_INQUIRE_SUBSCRIPTION({mq.MQCACF_SUB_NAME: name})
    return found


def test_h18_when_created_replaced_and_deleted_then_done(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    with PCFExecute(bed.connection) as execute:
        execute.MQCMD_CREATE_SUBSCRIPTION(PROVIDED)
        assert reason_of(execute.MQCMD_CREATE_SUBSCRIPTION, PROVIDED) == 3311
        execute.MQCMD_CREATE_SUBSCRIPTION({**PROVIDED, mq.MQIACF_REPLACE: mq.MQRP_YES})
        managed = {
            mq.MQCACF_SUB_NAME: "M1",
            mq.MQCA_TOPIC_STRING: "a",
            mq.MQIACF_DESTINATION_CLASS: mq.MQDC_MANAGED,
        }
        execute.MQCMD_CREATE_SUBSCRIPTION(managed)
        bed.pub("a", "one")
        with bed.connection.queue("Q1") as queue:
            assert queue.get().text == "one"
        [made] = inquired(execute, "M1")
        assert made[mq.MQCACF_DESTINATION].strip().startswith("SYSTEM.MANAGED.DURABLE.")
        assert made[mq.MQIACF_DESTINATION_CLASS] == mq.MQDC_MANAGED
        execute.MQCMD_DELETE_SUBSCRIPTION({mq.MQCACF_SUB_NAME: "P1"})
        execute.MQCMD_DELETE_SUBSCRIPTION({mq.MQBACF_SUB_ID: made[mq.MQBACF_SUB_ID]})
        assert reason_of(inquired, execute, "M*") == 2428
        assert reason_of(execute.MQCMD_DELETE_SUBSCRIPTION, {mq.MQCACF_SUB_NAME: "P1"}) == 2428


def test_h20_when_changed_copied_and_inquired_then_by_their_numbers(execute: Any) -> None:
    execute.MQCMD_CREATE_SUBSCRIPTION({**PROVIDED, mq.MQCACF_SUB_USER_DATA: "data"})
    execute.MQCMD_CHANGE_SUBSCRIPTION({mq.MQCACF_SUB_NAME: "P1", mq.MQIACF_PUB_PRIORITY: 7})
    copy = {mq.MQCACF_FROM_SUB_NAME: "P1", mq.MQCACF_TO_SUB_NAME: "P2"}
    execute.MQCMD_COPY_SUBSCRIPTION(copy)
    for name in ("P1", "P2"):
        [found] = inquired(execute, name)
        assert found[mq.MQCACF_SUB_NAME].strip() == name
        assert len(found[mq.MQBACF_SUB_ID]) == 24
        assert found[mq.MQCA_TOPIC_STRING].strip() == "a"
        assert found[mq.MQCACF_DESTINATION].strip() == "Q1"
        assert found[mq.MQIACF_PUB_PRIORITY] == 7
        assert found[mq.MQCACF_SUB_USER_DATA].strip() == "data"
        assert found[mq.MQIACF_SUB_TYPE] == mq.MQSUBTYPE_ADMIN
        assert found[mq.MQIACF_DURABLE_SUBSCRIPTION] == mq.MQSUB_DURABLE_YES
        assert found[mq.MQIACF_WILDCARD_SCHEMA] == mq.MQWS_TOPIC
        assert found[mq.MQIACF_VARIABLE_USER_ID] == mq.MQVU_ANY_USER
        assert found[mq.MQIACF_REQUEST_ONLY] == mq.MQRU_PUBLISH_ALL
        assert found[mq.MQIACF_EXPIRY] == mq.MQEI_UNLIMITED
        assert found[mq.MQIACF_SUB_LEVEL] == 1
        assert found[mq.MQIACF_PUBSUB_PROPERTIES] == mq.MQPSPROP_MSGPROP


def test_h20_when_status_is_inquired_then_count_and_connection(
    qmgr: QueueManager, execute: Any
) -> None:
    execute.MQCMD_CREATE_SUBSCRIPTION(PROVIDED)
    qmgr.publish("a", "one")
    [found] = execute.MQCMD_INQUIRE_SUB_STATUS({mq.MQCACF_SUB_NAME: "P1"})
    assert found[mq.MQIACF_MESSAGE_COUNT] == 1
    assert found[mq.MQBACF_CONNECTION_ID] == bytes(24)
    assert len(found[mq.MQBACF_SUB_ID]) == 24


def test_h20_when_type_is_asked_for_then_only_that(qmgr: QueueManager, execute: Any) -> None:
    execute.MQCMD_CREATE_SUBSCRIPTION(PROVIDED)
    with qmgr.subscribe("a", durable="S1"):
        everything = {
            mq.MQCACF_SUB_NAME: "*",
            mq.MQIACF_SUB_TYPE: mq.MQSUBTYPE_API,
        }
        found = execute.MQCMD_INQUIRE_SUBSCRIPTION(everything)
        assert [one[mq.MQCACF_SUB_NAME].strip() for one in found] == ["S1"]
        for subscription_type in (mq.MQSUBTYPE_ALL, mq.MQSUBTYPE_USER):
            everything[mq.MQIACF_SUB_TYPE] = subscription_type
            assert len(execute.MQCMD_INQUIRE_SUBSCRIPTION(everything)) == 3
        durable = {mq.MQCACF_SUB_NAME: "*", mq.MQIACF_DURABLE_SUBSCRIPTION: mq.MQSUB_DURABLE_NO}
        assert reason_of(execute.MQCMD_INQUIRE_SUBSCRIPTION, durable) == 2428
        durable[mq.MQIACF_DURABLE_SUBSCRIPTION] = mq.MQSUB_DURABLE_ALL
        assert len(execute.MQCMD_INQUIRE_SUBSCRIPTION(durable)) == 3
        everything[mq.MQIACF_SUB_TYPE] = mq.MQSUBTYPE_ADMIN
        found = execute.MQCMD_INQUIRE_SUBSCRIPTION(everything)
        assert "P1" in [one[mq.MQCACF_SUB_NAME].strip() for one in found]


def test_h20_when_defined_form_is_asked_for_then_object_and_string(
    qmgr: QueueManager, execute: Any
) -> None:
    qmgr.mqsc("DEFINE TOPIC(T1) TOPICSTR('top')")
    execute.MQCMD_CREATE_SUBSCRIPTION(
        {**PROVIDED, mq.MQCA_TOPIC_STRING: "down", mq.MQCA_TOPIC_NAME: "T1"}
    )
    name = {mq.MQCACF_SUB_NAME: "P1"}
    [resolved] = execute.MQCMD_INQUIRE_SUBSCRIPTION(name)
    assert resolved[mq.MQCA_TOPIC_STRING].strip() == "top/down"
    defined_only = {**name, mq.MQIA_DISPLAY_TYPE: mq.MQDOPT_DEFINED}
    [defined] = execute.MQCMD_INQUIRE_SUBSCRIPTION(defined_only)
    assert defined[mq.MQCA_TOPIC_STRING].strip() == "down"
    assert defined[mq.MQCA_TOPIC_NAME].strip() == "T1"
