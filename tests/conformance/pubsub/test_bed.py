"""The bed itself: each binding publishes, subscribes, restarts and refuses."""

from __future__ import annotations

from ternmq import constants as mq
from tests.conformance.pubsub.bed import Bed, C, M, reason_of


def test_bed_when_published_then_subscriber_gets_it(bed: Bed) -> None:
    sub = bed.sub("a/#")
    bed.pub("a/b", "one")
    bed.connection.publish("a/c", "two")
    with bed.connection.topic("a/d") as topic:
        topic.put("three")
        assert topic.name == "a/d"
    assert sub.texts() == ["one", "two", "three"]
    assert sub.queue_name.startswith("SYSTEM.MANAGED.NDURABLE.")
    sub.end()


def test_bed_when_destination_provided_then_copies_there(bed: Bed) -> None:
    bed.mqsc("DEFINE QLOCAL(Q1)")
    queue = bed.open("Q1", mq.MQOO_INPUT_SHARED)
    sub = bed.sub("a", 0, queue=queue)
    bed.pub("a", "one")
    assert sub.get().text == "one"


def test_bed_when_options_wrong_then_reason(bed: Bed) -> None:
    assert reason_of(bed.sub, "a", M, action=0) == mq.MQRC_OPTIONS_ERROR
    assert reason_of(bed.sub, "a", M, action=C) == 0


def test_bed_when_time_passes_then_clock_ahead(bed: Bed) -> None:
    before = bed.kernel.clock.now_ns()
    bed.pass_time(60)
    assert bed.kernel.clock.now_ns() - before >= 60_000_000_000


def test_bed_when_restarted_then_queue_manager_there(lasting: Bed) -> None:
    lasting.mqsc("DEFINE QLOCAL(Q1)")
    lasting.restart()
    assert "Q1" in lasting.connection.queue_names()
