"""Section A, alias queues of topics."""

from __future__ import annotations

from ternmq import constants as mq
from tests.conformance.pubsub.bed import Bed, reason_of

FRUIT = (
    "DEFINE TOPIC(FRUIT) TOPICSTR('Price/Fruit')\nDEFINE QALIAS(QA) TARGET(FRUIT) TARGTYPE(TOPIC)"
)


def put1(bed: Bed, name: str, data: str = "x") -> None:
    bed.connection.put(name, data)


def test_a27_a_put_to_the_alias_is_a_publication(bed: Bed) -> None:
    bed.mqsc(FRUIT)
    sub = bed.sub("Price/Fruit")
    handle = bed.open("QA", mq.MQOO_OUTPUT)
    bed.put(handle, "by MQPUT")
    put1(bed, "QA", "by MQPUT1")
    assert sub.texts() == ["by MQPUT", "by MQPUT1"]


def test_a27_the_alias_resolves_to_the_topic(bed: Bed) -> None:
    from ternmq.codec.mqi.mqod import ObjectDescriptor
    from ternmq.values.calls.objects import Open

    bed.mqsc(FRUIT)
    opened = bed.connection.run(Open(ObjectDescriptor(object_name="QA"), mq.MQOO_OUTPUT))
    assert (opened.resolved_name, opened.resolved_qmgr) == ("", "")
    assert opened.resolved_string == "Price/Fruit"


def test_a27_put_disabled_of_the_alias_counts(bed: Bed) -> None:
    bed.mqsc(FRUIT)
    handle = bed.open("QA", mq.MQOO_OUTPUT)
    bed.mqsc("ALTER QALIAS(QA) PUT(DISABLED)")
    assert reason_of(bed.put, handle) == 2051
    assert reason_of(put1, bed, "QA") == 2051


def test_a28_an_alias_of_no_topic_object(bed: Bed) -> None:
    bed.mqsc("DEFINE QALIAS(QA) TARGET(NOSUCH) TARGTYPE(TOPIC)")
    assert reason_of(bed.open, "QA", mq.MQOO_OUTPUT) == 2082
    assert reason_of(put1, bed, "QA") == 2082
    bed.mqsc("DEFINE TOPIC(NOSUCH) TOPICSTR('now')")
    assert reason_of(put1, bed, "QA") == 0


def test_a29_what_an_alias_of_a_topic_cannot_be_used_for(bed: Bed) -> None:
    bed.mqsc(FRUIT)
    assert reason_of(bed.open, "QA", mq.MQOO_INPUT_SHARED) == 2045
    assert reason_of(bed.open, "QA", mq.MQOO_BROWSE) == 2045
    handle = bed.open("QA", mq.MQOO_OUTPUT)
    assert reason_of(bed.sub, "a", 0, queue=handle) == 2019


def test_a29_an_alias_of_a_topic_in_a_distribution_list(bed: Bed) -> None:
    bed.mqsc(FRUIT + "\nDEFINE QLOCAL(Q1)")
    with bed.connection.open_list(["Q1", "QA"]) as several:
        assert [one.reason for one in several.opened.destinations] == [0, 2001]
