"""Section B: MQOPEN and MQCLOSE of topics, MQPUT1, and what a handle of a topic cannot do."""

from __future__ import annotations

from ternmq import constants as mq
from ternmq.values.calls.objects import SetAttributes
from ternmq.values.calls.topics import RequestPublications
from tests.bindings.bound import JAVA
from tests.conformance.pubsub.bed import Bed, get, reason_of

FRUIT = (
    "DEFINE TOPIC(FRUIT) TOPICSTR('Price/Fruit')\nDEFINE QALIAS(QA) TARGET(FRUIT) TARGTYPE(TOPIC)"
)


def test_b1_a_topic_can_be_opened_for_output_only(bed: Bed) -> None:
    options = (
        mq.MQOO_OUTPUT,
        mq.MQOO_INPUT_SHARED,
        mq.MQOO_BROWSE,
        mq.MQOO_SET,
        mq.MQOO_OUTPUT | mq.MQOO_INQUIRE,
        0,
    )
    reasons = [reason_of(bed.open_topic, "a", one) for one in options]
    assert reasons == [0, 2045, 2045, 2045, 2045, 2046]


def test_b2_a_topic_belongs_to_this_queue_manager(bed: Bed) -> None:
    names = ("", "QM1", "QM9")
    reasons = [reason_of(bed.open_topic, "a", object_qmgr_name=one) for one in names]
    assert reasons == [0, 0, 2153]


def test_b16_mqput1_by_object_string_both_and_alias(bed: Bed) -> None:
    bed.mqsc(FRUIT)
    fruit, apple = bed.sub("Price/Fruit"), bed.sub("Price/Fruit/Apple")
    connection = bed.connection
    connection.publish("", "object", object_name="FRUIT")
    connection.publish("Price/Fruit", "string")
    connection.publish("Apple", "both", object_name="FRUIT")
    connection.put("QA", "alias")
    assert fruit.texts() == ["object", "string", "alias"]
    assert apple.texts() == ["both"]
    assert reason_of(connection.publish, "x", "x", object_name="NOSUCH") == 2085
    assert reason_of(connection.publish, "x" * 10_241, "x") == 2441
    bed.mqsc("ALTER TOPIC(FRUIT) PUB(DISABLED)")
    assert reason_of(connection.publish, "Price/Fruit/Apple", "x") == 2051


def test_b17_close_options_of_a_topic(bed: Bed) -> None:
    handle = bed.open_topic("a").opened()
    assert reason_of(bed.close_handle, handle, mq.MQCO_DELETE) == 2045
    assert reason_of(bed.close_handle, handle, mq.MQCO_REMOVE_SUB) == 2045
    assert reason_of(bed.close_handle, handle, mq.MQCO_NONE) == 0


def test_b18_other_verbs_on_a_handle_of_a_topic(bed: Bed) -> None:
    handle = bed.open_topic("a").opened()
    connection = bed.connection
    assert reason_of(get, connection, handle) == 2037
    assert reason_of(bed.inquire, handle, mq.MQIA_DEF_PRIORITY) == 2038
    assert reason_of(connection.run, SetAttributes(handle, {mq.MQIA_INHIBIT_PUT: 1})) == 2040
    request = RequestPublications(handle, mq.MQSR_ACTION_PUBLICATION)
    assert reason_of(connection.run, request) == 2019


def test_b19_psmode_disabled_refuses_compat_does_not(bed: Bed) -> None:
    before = bed.open_topic("a").opened()
    for mode, reason in (("DISABLED", 2531), ("COMPAT", 0)):
        bed.mqsc(f"ALTER QMGR PSMODE({mode})")
        assert reason_of(bed.open_topic, "a") == reason
        assert reason_of(bed.put, before) == reason
        assert reason_of(bed.connection.publish, "a", "x") == reason
        assert reason_of(bed.sub, "a") == reason


def test_b21_an_old_descriptor_has_no_room_for_a_string(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1')")
    for version in (1, 2, 3):
        opened = bed.open_topic(object_name="T1", version=version)
        sub = bed.sub("t1")
        bed.put(opened.opened(), str(version))
        assert sub.texts() == [str(version)]
        sub.end()


def test_b20_a_put_without_an_answer_that_fails_is_reported_by_mqstat(client: Bed) -> None:
    client.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') DEFPRESP(ASYNC)")
    with client.connection.topic("t1/a") as topic:
        topic.put("good")
        assert client.connection.status().put_success_count == 1  # it has arrived
        client.mqsc("ALTER TOPIC(T1) PUB(DISABLED)")
        topic.put("refused")
        status = client.connection.status()
    assert (status.put_success_count, status.put_failure_count) == (0, 1)
    assert status.reason == 2051
    assert status.object_type == mq.MQOT_TOPIC
    if client.binding == "tcp":
        assert status.topic_string == "t1/a"
    elif client.binding != JAVA:  # ibmmq has no buffer for the text, IBM's client reads none
        assert status.object_string.length == len("t1/a")
