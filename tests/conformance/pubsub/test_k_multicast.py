"""Section K, multicast: there is none, so every binding refuses what is for multicast only."""

from __future__ import annotations

from ternmq import constants as mq
from tests.conformance.pubsub.bed import Bed, D, M, reason_of


def test_k10_a_topic_for_multicast_only_is_refused(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') MCAST(ONLY)")
    assert reason_of(bed.connection.publish, "t1/a", "x") == 2560
    assert reason_of(bed.open_topic, "t1", mq.MQOO_OUTPUT | mq.MQOO_NO_MULTICAST) == 2560
    assert reason_of(bed.sub, "t1", M | mq.MQSO_NO_MULTICAST) == 2560
    assert reason_of(bed.sub, "t1", M) == 2560
    (status,) = bed.mqsc("DISPLAY PUBSUB ALL")
    assert status["SUBCOUNT"] == 0
    assert reason_of(bed.open_topic, "a", mq.MQOO_OUTPUT | mq.MQOO_NO_MULTICAST) == 0
    assert reason_of(bed.open, "Q1", mq.MQOO_OUTPUT | mq.MQOO_NO_MULTICAST) == 2045


def test_k12_a_durable_subscription_for_multicast_only_is_refused(bed: Bed) -> None:
    bed.mqsc("DEFINE TOPIC(T1) TOPICSTR('t1') MCAST(ONLY) DURSUB(YES)")
    assert reason_of(bed.sub, "t1", M | D, "S1") == 2436
